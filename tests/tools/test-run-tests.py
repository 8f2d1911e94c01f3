#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The counting of test cases, on what test programs really print. Speaks TAP itself."""
import importlib.machinery
import importlib.util
import os
import sys

TOOL = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "tools", "run-tests")

NESTED = """1..2
# Subtest: a
    1..2
    ok 1 /a/x
    not ok 2 /a/y
not ok 1 /a
ok 2 /b
"""

# name, what meson says, exit status, stdout -> passed, failed, skipped
CASES = [
    ("all good", "OK", 0, "1..2\nok 1 /a\nok 2 /b\n", (2, 0, 0)),
    ("comments and chatter", "OK", 0, "# x\n1..1\nhello\nok 1 /a\n# ok 2 /b\n", (1, 0, 0)),
    ("one fails", "FAIL", 1, "1..3\nok 1 /a\nnot ok 2 /b - no\nok 3 /c\n", (2, 1, 0)),
    ("one skipped", "OK", 0, "1..2\nok 1 /a\nok 2 /b # SKIP no disk\n", (1, 0, 1)),
    ("everything skipped", "SKIP", 0, "1..0 # SKIP no numpy\n", (0, 0, 1)),
    ("assertion aborts", "ERROR", -6, "1..3\nok 1 /a\nBail out! ERROR: x\n", (1, 2, 0)),
    ("fails, then bails out", "ERROR", -6, "1..3\nok 1 /a\nnot ok 2 /b\nBail out!\n", (1, 2, 0)),
    ("crash before the first", "ERROR", -11, "1..2\n", (0, 2, 0)),
    ("crash in the last", "ERROR", -11, "1..2\nok 1 /a\n", (1, 1, 0)),
    ("hangs", "TIMEOUT", -15, "1..2\nok 1 /a\n", (1, 1, 0)),
    ("leak found at exit", "ERROR", 1, "1..2\nok 1 /a\nok 2 /b\n", (2, 1, 0)),
    ("too few, exit 0", "ERROR", 0, "1..3\nok 1 /a\nok 2 /b\n", (2, 1, 0)),
    ("dies before any TAP", "ERROR", 127, "", (0, 1, 0)),
    ("plan at the end", "OK", 0, "ok 1 /a\nok 2 /b\n1..2\n", (2, 0, 0)),
    ("plain program, good", "OK", 0, "whatever", (1, 0, 0)),
    ("plain program, bad", "FAIL", 3, "whatever", (0, 1, 0)),
    ("plain program, skipped", "SKIP", 77, "", (0, 0, 1)),
    ("subtests count by their leaves", "FAIL", 1, NESTED, (2, 1, 0)),
]


def load_tool():
    loader = importlib.machinery.SourceFileLoader("run_tests", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def main():
    tool = load_tool()
    bad = 0
    print("1..%d" % len(CASES))
    for number, (name, result, status, stdout, expected) in enumerate(CASES, 1):
        program = tool.count_program({"name": "acq:unit / x", "result": result,
                                      "returncode": status, "stdout": stdout})
        got = tuple(len(cases) for cases in (program.passed, program.failed, program.skipped))
        good = got == expected and program.suites == ["unit"]
        print("%sok %d %s" % ("" if good else "not ", number, name))
        if not good:
            print("# expected %s, got %s" % (expected, got))
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
