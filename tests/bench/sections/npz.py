# SPDX-License-Identifier: Apache-2.0
"""the close of a recording, beside np.savez of the same arrays from memory"""

import json
import os
import shutil
import subprocess

from harness import Failed, median, python_with

WORKLOADS = (("noise", "W1, a minute, noise in every digit"),
             ("counts", "W1, tactile and IMU in counts of a converter"))


class Talk:
    """A program that answers each line with a line of JSON."""

    def __init__(self, command):
        self.name = os.path.basename(command[0])
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.greeting = self.hear()

    def hear(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"{self.name} ended in the middle")
        return json.loads(line)

    def ask(self, word):
        print(word, file=self.process.stdin, flush=True)
        return self.hear()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=60)


def in_turns(bench, ours, numpy):
    rows = {"stored": [], "deflated": [], "savez": []}
    for _ in range(bench.rounds):
        for word in ("stored", "deflated"):
            rows[word].append(ours.ask(word))
            os.unlink(rows[word][-1]["path"])
            if numpy and word == "stored":
                rows["savez"].append(numpy.ask("savez"))
    # Slow and steady: once.
    rows["savez_compressed"] = [numpy.ask("savez_compressed")] if numpy else []
    return rows


def show(bench, name, rows, payload, note=""):
    seconds = median(rows, "seconds")
    bench.row(name, f"{seconds * 1e3:,.0f} ms",
              f"{payload / seconds / 1e6:,.0f} MB/s, CPU {median(rows, 'cpu') * 1e3:,.0f} ms{note}")


def report(bench, workload, rows, payload):
    show(bench, "close, stored, with fsync", rows["stored"], payload)
    show(bench, "close, deflated, with fsync", rows["deflated"], payload)
    speed = deflate = more = None
    if rows["savez"]:
        speed = median(rows["savez"], "seconds") / median(rows["stored"], "seconds")
        deflate = rows["savez_compressed"][0]["seconds"] / median(rows["deflated"], "seconds")
        more = 100 * (rows["deflated"][0]["bytes"] / rows["savez_compressed"][0]["bytes"] - 1)
        show(bench, "np.savez", rows["savez"], payload, f": {speed:.2f} times as long")
        show(bench, "np.savez_compressed", rows["savez_compressed"], payload,
             f": {deflate:.1f} times")
        bench.row("  deflated, bytes beside NumPy's", f"{more:+.1f} %")
    bench.want(f"{workload}: np.savez's time, in that of the close", 1, speed)
    bench.want(f"{workload}: np.savez_compressed's time, deflated", 8, deflate)
    bench.want_most(f"{workload}: bytes more, deflated", 6, more, " %")


def measure_workload(bench, python, workload, title):
    directory = os.path.join(bench.scratch, workload)
    os.mkdir(directory)
    with Talk([bench.program("bench-npz"), directory, workload]) as ours:
        payload = ours.greeting["bytes"]
        bench.say(f"{title}: {payload / 1e6:.0f} MB")
        if python is None:
            report(bench, workload, in_turns(bench, ours, None), payload)
        else:
            archive = ours.ask("stored")["path"]
            script = os.path.join(bench.here, "peers", "numpy-savez")
            with Talk([python, script, archive, directory]) as numpy:
                os.unlink(archive)
                report(bench, workload, in_turns(bench, ours, numpy), payload)
    shutil.rmtree(directory)


def measure(bench):
    python = python_with("numpy")
    if python is None:
        bench.say("no Python here has NumPy: no peer")
    for workload, title in WORKLOADS:
        measure_workload(bench, python, workload, title)
