# SPDX-License-Identifier: Apache-2.0
"""decoding a robot's telemetry, beside json-glib that only parses the same text"""

from harness import median


def measure(bench):
    rows = bench.in_turns([[bench.program("bench-robot")]], 1 if bench.quick else 3)[0]
    lowest = None
    for name in dict.fromkeys(row["stream"] for row in rows):
        mine = [row for row in rows if row["stream"] == name]
        ours, theirs = median(mine, "decoded_per_s"), median(mine, "parsed_per_s")
        lowest = min(ours / theirs, lowest or ours / theirs)
        bench.row(f"{name}, {mine[0]['bytes']} bytes, messages/s and core", f"{ours:,.0f}",
                  f"json-glib {theirs:,.0f}: {ours / theirs:.1f} times")
    bench.want("the slowest stream, times json-glib's parse", 0.7, lowest)
