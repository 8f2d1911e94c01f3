# SPDX-License-Identifier: Apache-2.0
"""encoding a message, beside a memcpy of as many bytes"""

from harness import median


def measure(bench):
    rows = bench.in_turns([[bench.program("bench-cdr")]], 1 if bench.quick else 3)[0]
    for name in dict.fromkeys(row["type"] for row in rows):
        mine = [row for row in rows if row["type"] == name]
        encode, copy = median(mine, "encode_ns"), median(mine, "memcpy_ns")
        bench.row(f"{name}, {mine[0]['bytes']} bytes", f"{encode:.1f} ns",
                  f"memcpy {copy:.1f} ns: {encode / copy:.1f} times")
