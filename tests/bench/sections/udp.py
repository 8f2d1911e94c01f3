# SPDX-License-Identifier: Apache-2.0
"""the highest pace of FSNH datagrams without a loss, and what one costs there

acq-sim fsnh sends, on the same machine: on two processors the sender is often what ends the
search. A loss counts only when it comes again: whatever else runs here may cost a datagram.
"""

from harness import median

TRIES = 3
MODES = (
    ("a bare recvmmsg loop", ["bare"]),
    ("fsnh-udp, counted", ["count"]),
    ("fsnh-udp, mcap-writer, to /dev/null", ["mcap-writer", "compression=none", "discard=true"]),
)


def is_lossless(row, pace):
    return not row["lost"] and not row["unwritten"] and row["rate"] > 0.95 * pace


def try_pace(bench, pace, mode):
    """A row without a loss at this pace, or None."""
    for _ in range(TRIES):
        row = bench.call([bench.program("bench-udp"), str(pace), "0.5", *mode])[0]
        if is_lossless(row, pace):
            return row
    return None


def highest(bench, mode):
    """By halves, in steps of 25,000 a second: the row of the highest pace without a loss."""
    step, low, high = 25_000, 0, 48
    best = {"rate": 0, "cpu_ns_per_datagram": 0}
    while high - low > 1:
        middle = (low + high) // 2
        row = try_pace(bench, middle * step, mode)
        if row is None:
            high = middle
        else:
            low, best = middle, row
    return best


def measure(bench):
    rounds = max(1, min(3, bench.rounds - 1))
    found = [[] for _ in MODES]
    for _ in range(rounds):
        for rows, (_, mode) in zip(found, MODES):
            rows.append(highest(bench, mode))
    bare = median(found[0], "rate")
    for (title, mode), rows in zip(MODES, found):
        rate, cpu = median(rows, "rate"), median(rows, "cpu_ns_per_datagram")
        ratio = f", {rate / bare:.2f} of the bare loop" if mode != ["bare"] and bare else ""
        bench.row(title, f"{rate:,.0f} /s", f"{cpu:,.0f} ns CPU a datagram{ratio}")
    bench.want("into mcap-writer, of a bare loop's lossless rate", 0.8,
               median(found[-1], "rate") / bare if bare else None)
