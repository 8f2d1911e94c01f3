# SPDX-License-Identifier: Apache-2.0
"""writing files, beside the least that it can cost and the writers of others"""

import os
import shutil
import statistics
import subprocess

from harness import median

# Case of bench-mcap, in words, and the case that it is compared with.
CASES = (
    ("copying", "copying the pieces, one CRC a chunk", None),
    ("writer none bytes", "none: messages in hand as bytes", "copying"),
    ("writer none", "none: frames, CDR, a worker", "copying"),
    ("writer none inline", "none: frames, CDR, no worker", "copying"),
    ("writer none file", "none: into a file", None),
    ("lz4", "lz4's library, one core", None),
    ("writer lz4 1", "lz4: a worker", "lz4"),
    ("writer lz4 2", "lz4: two workers", "lz4"),
    ("writer lz4 file", "lz4: two workers, into a file", "lz4"),
    ("zstd", "zstd's library, level 1, one core", None),
    ("writer zstd 1", "zstd 1: a worker", "zstd"),
    ("writer zstd 2", "zstd 1: two workers", "zstd"),
    ("writer zstd file", "zstd 1: two workers, into a file", "zstd"),
)
# Case of the peers, and ours that does the same.
PEER_CASES = (
    ("none", "none", "writer none"),
    ("none file", "none, into a file", "writer none file"),
    ("lz4", "lz4", "writer lz4 1"),
    ("lz4 file", "lz4, into a file", "writer lz4 file"),
    ("zstd", "zstd 1", "writer zstd 1"),
    ("zstd file", "zstd 1, into a file", "writer zstd file"),
)
# Seconds of the workload, and how many rounds fewer than the others have: W2 is long.
SECONDS = {"W1": (60, 0), "W2": (60, 2)}


def build_rust_peer(bench):
    """Builds the few lines of Rust apart from this tree, which so keeps no lock file."""
    if shutil.which("cargo") is None:
        bench.say("cargo is not installed: no peer in Rust")
        return None
    source = os.path.join(bench.here, "peers", "mcap-rust")
    place = os.path.join(bench.build, "tests", "bench", "mcap-rust")
    program = os.path.join(place, "target", "release", "peer-mcap-rust")
    shutil.copytree(source, place, dirs_exist_ok=True)
    bench.say("building the peer in Rust; the first time this takes a minute or two")
    try:
        done = subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=place, timeout=600,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
    except subprocess.TimeoutExpired:
        bench.say("cargo was not done after 10 minutes: no peer in Rust")
        return None
    if done.returncode != 0:
        bench.say("cargo could not build the crate mcap: no peer in Rust")
        for line in [line for line in done.stdout.splitlines() if line.strip()][:2]:
            bench.say("  " + line[:90])
        return None
    return "the crate mcap", [program]


def find_npm_peer(bench):
    """@mcap/core, as the interop tests get it."""
    subprocess.run([os.path.join(bench.here, "..", "interop", "setup"), bench.build],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    modules = os.path.join(bench.build, "interop", "node_modules")
    if shutil.which("node") is None or not os.path.isdir(os.path.join(modules, "@mcap", "core")):
        bench.say("npm has no @mcap/core here: no peer at all")
        return None
    os.environ["NODE_PATH"] = modules
    return "npm's @mcap/core", ["node", os.path.join(bench.here, "peers", "mcap-core.js")]


def select(rows, case):
    return [row for row in rows if row["case"] == case]


def print_ours(bench, rows):
    for case, title, baseline in CASES:
        mine = select(rows, case)
        note = f"{median(mine, lambda r: r['cpu_s'] / r['messages']) * 1e9:6.1f} ns"
        if baseline == "copying":
            note += f", {ratio(rows, case, baseline, 'cpu_s'):.2f} times that of copying"
        elif baseline is not None:
            note += (f", {1 / ratio(rows, case, baseline, 'wall_s'):.2f} of the library's, "
                     f"{ratio(rows, case, baseline, 'cpu_s'):.2f} of its CPU")
        speed = median(mine, lambda row: row["bytes"] / row["wall_s"])
        bench.row(title, f"{speed / 1e6:,.0f} MB/s", note)


def print_peer(bench, name, rows, ours):
    payload = ours[0]["bytes"]
    for case, title, same in PEER_CASES:
        theirs = select(rows, case)
        if not theirs:
            continue
        wall, cpu = median(theirs, "wall_s"), median(theirs, "cpu_s")
        mine = select(ours, same)
        bench.row(f"{name}, {title}", f"{payload / wall / 1e6:,.0f} MB/s",
                  f"{cpu / ours[0]['messages'] * 1e9:6.1f} ns: "
                  f"{wall / median(mine, 'wall_s'):.1f} of our time, "
                  f"{cpu / median(mine, 'cpu_s'):.1f} of CPU")


def ratio(rows, case, baseline, key):
    """Of each round, then the middle one: what slowed one of them often slowed the other."""
    pairs = zip(select(rows, case), select(rows, baseline))
    return statistics.median(a[key] / b[key] for a, b in pairs)


def want(bench, workload, rows):
    most = {"W1": 3, "W2": 6}[workload]
    bench.want_most(f"{workload}, none with CDR, times the CPU of copying", most,
                    ratio(rows, "writer none", "copying", "cpu_s"))
    for codec, least in (("lz4", 1.2), ("zstd", 1.5)):
        level = " 1" if codec == "zstd" else ""
        bench.want(f"{workload}, {codec}{level}, two workers, times the library", least,
                   1 / ratio(rows, f"writer {codec} 2", codec, "wall_s"))


def measure_workload(bench, workload, peer):
    seconds, fewer = SECONDS[workload]
    seconds = str(seconds // 6 if bench.quick else seconds)
    ours = [bench.program("bench-mcap"), workload, seconds, bench.scratch]
    dump = os.path.join(bench.scratch, "messages")
    bench.call([ours[0], workload, "dump", dump])
    rows, theirs = bench.in_turns([ours, peer and [*peer[1], dump, seconds, bench.scratch]],
                                  max(1, bench.rounds - fewer))
    os.unlink(dump)
    bench.say(f"{workload}: {rows[0]['messages']:,} messages, {rows[0]['bytes'] / 1e6:,.0f} MB, "
              "to /dev/null if no file is named; ns of CPU a message")
    print_ours(bench, rows)
    if peer:
        print_peer(bench, peer[0], theirs, rows)
    want(bench, workload, rows)


def measure(bench):
    peer = build_rust_peer(bench) or find_npm_peer(bench)
    for workload in ("W1", "W2"):
        measure_workload(bench, workload, peer)
