#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""acq-msg-gen: what it refuses, and that it answers every mistake with `file:line: message`.

  test-msg-gen.py SOURCE_ROOT            the table of mistakes and the seeded mutations
  test-msg-gen.py SOURCE_ROOT CC FLAGS   mutants that are accepted must compile: the static
                                         asserts in them check the layout
"""

import os
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.path.realpath(sys.argv[1])
sys.path.insert(0, os.path.join(SOURCE, "core", "schema"))

from acqmsg import docs, emit, layout, load  # noqa: E402
from acqmsg.words import MsgError  # noqa: E402

GENERATOR = os.path.join(SOURCE, "core", "schema", "acq-msg-gen")
SCHEMAS = os.path.join(SOURCE, "schemas")
PACKAGES = ("builtin_interfaces", "std_msgs", "geometry_msgs", "sensor_msgs", "tf2_msgs", "acq_msgs")
ANSWER = re.compile(r"[^\n]+?:[1-9][0-9]*: [^\n]+\Z")

# text of Bad.msg -> line and words of the answer
MISTAKES = [
    ("", 1, "no field"),
    ("# nothing\n\n", 3, "no field"),
    ("uint8 A=1\n", 2, "no field"),
    ("uint8\n", 1, "neither 'type name' nor"),
    ("uint8 a\nuint9 b\n", 2, "unknown type 'uint9' (did you mean 'uint8'?)"),
    ("wstring a\n", 1, "text is UTF-8 here"),
    ("time a\n", 1, "write builtin_interfaces/Time"),
    ("Nope a\n", 1, "unknown type 'bad_msgs/Nope'"),
    ("acq_msgs/Poze32 a\n", 1, "did you mean 'acq_msgs/Pose32'"),
    ("no_msgs/Type a\n", 1, "no such package"),
    ("uint8[0] a\n", 1, "1 to 65536 elements"),
    ("uint8[99999999999] a\n", 1, "1 to 65536 elements"),
    ("uint8[x] a\n", 1, "is not a type"),
    ("uint8<=4 a\n", 1, "only a string has a bound"),
    ("uint8 Aa\n", 1, "no name for a field"),
    ("uint8 a__b\n", 1, "no name for a field"),
    ("uint8 register\n", 1, "a word of C"),
    ("uint8 a\nuint8 b\nuint8 a\n", 3, "is there already, in line 1"),
    ("uint8 a%s\n" % ("a" * 64), 1, "at most 64"),
    ("uint8 X=256\nuint8 a\n", 1, "'256' is no uint8: 0 to 255"),
    ("int8 X=-129\nuint8 a\n", 1, "no int8"),
    ("bool X=2\nuint8 a\n", 1, "no bool"),
    ("float32 X=1e999\nuint8 a\n", 1, "no finite number"),
    ("uint8 x=1\nuint8 a\n", 1, "no name for a constant"),
    ("uint8[] X=1\nuint8 a\n", 1, "a constant is a number"),
    ("uint8[] a\n", 1, "T[] needs @max, @constant or @tail"),
    ("string a\n", 1, "a string needs @max"),
    ("string[] a # @max 3\n", 1, "a string needs @length"),
    ("uint8 a # @max 3\n", 1, "@max is for T[] and string"),
    ("uint8 a # @length 3\n", 1, "@length is for strings"),
    ("uint8[] a # @max 0\n", 1, "a number from 1 to 65536"),
    ("uint8[] a # @max many\n", 1, "@max is 'many'"),
    ("uint8[] a # @max\n", 1, "'@max' needs a value"),
    ("uint8[] a # @max 3 @max 4\n", 1, "given twice"),
    ("uint8 a # @untit m\n", 1, "unknown annotation '@untit' (did you mean 'unit'?)"),
    ("uint8 a # @interp linear\n", 1, "@interp linear is for float32"),
    ("float32 a # @interp slerp\n", 1, "@interp slerp is for a Quaternion"),
    ("float32 a # @interp cubic\n", 1, "linear, slerp or hold"),
    ("uint8 a # @invalid -1\n", 1, "@invalid -1 is no uint8"),
    ("uint8 a # @invalid nan\n", 1, "@invalid nan is no uint8"),
    ("bool a # @invalid 0\n", 1, "@invalid is for numbers"),
    ("float32 a # @invalid x\n", 1, "a number or nan"),
    ("uint8[] a # @tail\nuint8[] b # @tail\n", 2, "a second @tail"),
    ("uint8[] a # @tail @constant\nuint8 b\n", 1, "exclude each other"),
    ("bool[] a # @tail\n", 1, "@tail is for T[] of numbers"),
    ("acq_msgs/Pose32[] a # @tail\n", 1, "@tail is for T[] of numbers"),
    ("acq_msgs/Pose32 a # @constant\nuint8 b\n", 1, "@constant is for numbers"),
    ("string[] a # @constant\n", 1, "nothing but constants"),
    ("acq_msgs/HandSkeleton a\n", 1, "mark the type '# @nested'"),
    ("uint8 a\nfloat64[] b # @max 2048\n", 2, "at most 16384 are allowed"),
    ("uint8 n_a\nuint8[] a # @max 3\n", 2, "its count 'n_a' is a field already"),
    ("Bad a\n", 1, "contains itself"),
    ("uint8 A_MAX=1\nuint8[] a # @max 3\n", 2, "the C name 'BAD_BAD_A_MAX' is there twice"),
    ("uint8 a \x07\n", 1, "a control character"),
    ("uint8 a\n# %s\n" % ("x" * 2100), 2, "at most 2000"),
]


def read_package(texts, names=("bad_msgs",), roots=(SCHEMAS,), side=None):
    """All stages of the generator, with the text of some files replaced. -> (loader, layouts)"""
    real = load.read_text

    def read_text(path):
        if side is not None and path.endswith("annotations.ini"):
            return side
        return texts.get(path) if path in texts else real(path)

    load.read_text = read_text
    try:
        loader = load.Loader(list(roots), "Acq")
        packages = [loader.load(name) for name in names]
        layouts = layout.lay_out(loader, packages[-1])
        for package in packages:
            emitter = emit.Emitter(loader, package, layouts, "extern")
            emitter.header()
            emitter.source()
        docs.table(packages, layouts)
        return loader, layouts
    finally:
        load.read_text = real


class Tap:
    def __init__(self):
        self.number, self.failed = 0, 0

    def case(self, name, run):
        self.number += 1
        try:
            run()
            print("ok %d %s" % (self.number, name))
        except Exception as error:  # a test program reports whatever went wrong
            self.failed += 1
            print("not ok %d %s" % (self.number, name))
            print("\n".join("# " + line for line in ("%s: %s" % (
                type(error).__name__, error)).split("\n")))

    def finish(self):
        print("1..%d" % self.number)
        sys.exit(1 if self.failed else 0)


def make_bad(folder, text):
    os.makedirs(os.path.join(folder, "bad_msgs", "msg"), exist_ok=True)
    path = os.path.join(folder, "bad_msgs", "msg", "Bad.msg")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def check_mistake(folder, text, line, words):
    path = make_bad(folder, text)
    try:
        read_package({}, roots=(folder, SCHEMAS))
    except MsgError as error:
        assert str(error).startswith("%s:%d: " % (path, line)), str(error)
        assert words in str(error), str(error)
        assert ANSWER.match(str(error)), str(error)
    else:
        raise AssertionError("accepted")


def test_mistakes(tap, folder):
    for text, line, words in MISTAKES:
        tap.case("mistake: " + words.replace("#", ""),
                 lambda t=text, n=line, w=words: check_mistake(folder, t, n, w))


def run_generator(*args):
    result = subprocess.run([sys.executable, GENERATOR] + list(args), capture_output=True,
                            text=True, timeout=60)
    return result.returncode, result.stdout, result.stderr


def test_program(tap, folder):
    def exit_code():
        path = make_bad(folder, "uint8 a\nuint7 b\n")
        code, out, err = run_generator("package", "-I", SCHEMAS, "-o", folder,
                                       os.path.join(folder, "bad_msgs"))
        assert code == 1 and out == "", (code, out)
        assert err.startswith("%s:2: " % path) and err.count("\n") == 1, err
        assert not os.path.exists(os.path.join(folder, "bad_msgs.h"))

    def not_utf8():
        path = make_bad(folder, "")
        with open(path, "wb") as file:
            file.write(b"uint8 a\n# \xff\n")
        code, _, err = run_generator("package", "-I", SCHEMAS, os.path.join(folder, "bad_msgs"))
        assert code == 1 and err.startswith("%s:2: byte 0xff is not UTF-8" % path), err

    def missing():
        code, _, err = run_generator("package", os.path.join(folder, "no_msgs"))
        assert code == 1 and ANSWER.match(err.rstrip("\n")), err

    def outside():
        make_bad(folder, "std_msgs/Header header\nacq_msgs/Pose32 pose\nstring<=8 name\n"
                         "uint8[<=4] few\nfloat64 x 1.5\n")
        code, _, err = run_generator(
            "package", "-I", SCHEMAS, "-o", folder, os.path.join(folder, "bad_msgs"))
        assert code == 0, err
        header = open(os.path.join(folder, "bad_msgs.h"), encoding="utf-8").read()
        for words in ("BadBad *\nbad_bad_begin", "G_GNUC_INTERNAL extern const AcqSchema bad_bad_",
                      "#include <acq/msgs/acq_msgs.h>", "char name[9];", "uint8_t few[4];"):
            assert words in header, words
        code, text, err = run_generator("text", "-I", SCHEMAS, os.path.join(folder, "bad_msgs"),
                                        "Bad")
        assert code == 0 and "<=" not in text and "float64 x\n" in text, text
        assert "uint8[] few\n" in text and "MSG: acq_msgs/Quaternion32\n" in text, text

    tap.case("program: exit code and one line", exit_code)
    tap.case("program: bytes that are no text", not_utf8)
    tap.case("program: no such package", missing)
    tap.case("program: a package outside the tree", outside)


def test_side_file(tap):
    good = load.read_text(os.path.join(SCHEMAS, "annotations.ini"))
    cases = [
        ("x = @max 3\n" + good, 1, "in a section"),
        ("[sensor_msgs]\n", 1, "is no section"),
        ("[std_msgs/Header]\nframe = @max 64\n", 2, "std_msgs/Header has no field 'frame'"),
        ("[std_msgs/Header]\nframe_id = @max x\n", 2, "a number from 1 to 65536"),
        ("[std_msgs/Header]\nframe_id = @maxx 3\n", 2, "did you mean 'max'"),
        ("[std_msgs/Header]\nframe_id = @max 3\nframe_id = @max 3\n", 3, "annotated twice"),
        ("[std_msgs/Header]\n[std_msgs/Header]\n", 2, "there twice"),
        ("[std_msgs/Header]\n@c_name = header\nframe_id = @max 3\n", 2, "no name for a C type"),
        ("[std_msgs/Header]\n@c_name = Frame\nframe_id = @max 3\n", 1, "a word of libacq"),
    ]
    for text, line, words in cases:
        def run(text=text, line=line, words=words):
            try:
                read_package({}, names=("std_msgs",), side=text)
            except MsgError as error:
                assert ":%d: " % line in str(error) and words in str(error), str(error)
            else:
                raise AssertionError("accepted")
        tap.case("side file: " + words, run)


def test_ros_package(tap):
    """schemas/acq_msgs builds in a ROS 2 workspace only when it names what it uses."""
    def dependencies():
        loader, _ = read_package({}, names=("acq_msgs",))
        used = {field.type.package for message in loader.packages["acq_msgs"].messages
                for field in message.fields if field.type} - {"acq_msgs"}
        folder = os.path.join(SCHEMAS, "acq_msgs")
        xml = load.read_text(os.path.join(folder, "package.xml"))
        cmake = load.read_text(os.path.join(folder, "CMakeLists.txt"))
        assert set(re.findall("<depend>(.*?)</depend>", xml)) == used, used
        assert set(re.search(r"DEPENDENCIES ([a-z_ ]+)", cmake).group(1).split()) == used, used
        assert all("find_package(%s REQUIRED)" % name in cmake for name in used)
    tap.case("acq_msgs as a ROS 2 package names what it uses", dependencies)


# --- mutations ---

WORDS = ["uint8", "float64", "string", "[]", "[3]", "[<=7]", "<=5", "@max 9", "@tail", "@constant",
         "@interp slerp", "@invalid -1", "# ", "=", "\n", " ", "\t", "std_msgs/Header header\n",
         "acq_msgs/Pose32", "é", "\u2028", "\x00", "\"", "'", "*/", "\\", "//", "??/", "%s", "N=1",
         "99999999999999999999", "-", "@", "/", "bool", "0x", "1e5", "\r\n", "[", "]", "a" * 300]


def mutate(rand, text):
    for _ in range(rand.randint(1, 4)):
        at = rand.randint(0, len(text))
        end = min(len(text), at + rand.randint(0, 12))
        lines = text.split("\n")
        kind = rand.randint(0, 6)
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + rand.choice(WORDS) + text[at:]
        elif kind == 2:
            text = text[:at] + rand.choice(WORDS) + text[end:]
        elif kind == 3:
            text = text[:at] + chr(rand.randint(0, 255)) + text[at:]
        elif kind == 4:
            rand.shuffle(lines)
            text = "\n".join(lines)
        elif kind == 5:
            lines.insert(rand.randint(0, len(lines)), rand.choice(lines))
            text = "\n".join(lines)
        else:
            text = text[:at] + text[at:end][::-1] + text[end:]
    return text


def shipped_files():
    return [os.path.join(SCHEMAS, package, "msg", name) for package in PACKAGES
            for name in sorted(os.listdir(os.path.join(SCHEMAS, package, "msg")))]


def one_mutant(rand, files):
    """-> (loader, layouts, package) of a mutant that was accepted, or None"""
    path = rand.choice(files)
    text = mutate(rand, load.read_text(path))
    package = os.path.basename(os.path.dirname(os.path.dirname(path)))
    try:
        loader, layouts = read_package({path: text}, names=(package,))
        return loader, layouts, loader.packages[package]
    except MsgError as error:
        assert ANSWER.match(str(error)), repr(str(error))
    except Exception as error:
        raise AssertionError("%s: %r\n%s" % (path, error, text))
    return None


def test_mutations(tap):
    files = shipped_files()
    for seed in range(8):
        def run(seed=seed):
            rand = random.Random(seed)
            accepted = sum(one_mutant(rand, files) is not None for _ in range(40))
            assert 0 < accepted < 40, accepted
        tap.case("mutations of the shipped files, seed %d" % seed, run)

    def side():
        rand = random.Random(99)
        good = load.read_text(os.path.join(SCHEMAS, "annotations.ini"))
        for _ in range(20):
            text = mutate(rand, good)
            try:
                read_package({}, names=("sensor_msgs",), side=text)
            except MsgError as error:
                assert ANSWER.match(str(error)), repr(str(error))
    tap.case("mutations of annotations.ini", side)


def test_compile(tap, folder, command):
    files, rand = shipped_files(), random.Random(7)

    def compile_one(found):
        loader, layouts, package = found
        for name in PACKAGES:
            if name not in loader.packages:
                loader.load(name)
        layouts = layout.lay_out(loader, package)
        base = os.path.join(folder, "acq", "msgs")
        os.makedirs(base, exist_ok=True)
        for name, one in loader.packages.items():
            emitter = emit.Emitter(loader, one, layouts, "extern")
            with open(os.path.join(base, name + ".h"), "w", encoding="utf-8") as file:
                file.write(emitter.header())
            with open(os.path.join(base, name + ".c"), "w", encoding="utf-8") as file:
                file.write(emitter.source())
        result = subprocess.run(
            command + ["-I", folder, "-Wall", "-Werror", "-fsyntax-only",
                       os.path.join(base, package.name + ".c")],
            capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, result.stderr

    done = 0
    while done < 40:
        found = one_mutant(rand, files)
        if found is not None:
            done += 1
            tap.case("mutant %d of %s compiles" % (done, found[2].name),
                     lambda one=found: compile_one(one))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 2:
            test_compile(tap, folder, sys.argv[2:])
        else:
            test_mistakes(tap, folder)
            test_program(tap, folder)
            test_side_file(tap)
            test_ros_package(tap)
            test_mutations(tap)
    tap.finish()


if __name__ == "__main__":
    main()
