# SPDX-License-Identifier: Apache-2.0
"""the whole rig W1 into mcap-writer: 5 devices, 22 streams, 12.3 k messages a second"""

from harness import median


def most_lost(rows):
    return max(row["lost"] for row in rows)


def real_time(bench, ours):
    seconds = "3" if bench.quick else "10"
    rig, idle = bench.in_turns([[ours, "1", seconds, "mcap-writer", "compression=lz4"],
                                [ours, "1", seconds, "idle"]], 1 if bench.quick else 3)

    def percent(row):
        return 100 * row["cpu_s"] / row["wall_s"]

    def devices(row):
        return 100 * row["devices_cpu_s"] / row["wall_s"]

    bench.row("in real time, lz4 into a file, of a core", f"{median(rig, percent):.2f} %",
              f"{median(rig, 'rss_mb'):.0f} MB, {most_lost(rig)} lost")
    bench.row("  of it the threads of the devices' libraries", f"{median(rig, devices):.2f} %",
              f"{median(idle, percent):.2f} % when they only sleep and wake")
    bench.want_most("real time, lz4: of a core", 5, median(rig, percent), " %")
    bench.want_most("real time, lz4: memory", 80, median(rig, "rss_mb"), " MB")
    bench.want_most("real time, lz4: messages lost", 0, most_lost(rig))


def push(bench, ours):
    seconds = "20" if bench.quick else "40"
    kinds = ("none", "lz4")
    all_rows = bench.in_turns([[ours, "10", seconds, "mcap-writer", f"compression={kind}"]
                               for kind in kinds])
    for kind, rows in zip(kinds, all_rows):
        bench.row(f"10 times real time, {kind}: push p99.99",
                  f"{median(rows, 'push_p9999_us'):.1f} us",
                  f"p50 {median(rows, 'push_p50_us'):.2f}, p99 {median(rows, 'push_p99_us'):.2f}, "
                  f"max {median(rows, 'push_max_us'):,.0f}; {most_lost(rows)} lost")
        bench.want_most(f"10 times real time, {kind}, file: push p99.99", 50,
                        median(rows, "push_p9999_us"), " us")


def engine_in_front(bench, ours):
    seconds = "60" if bench.quick else "180"
    sink = ["mcap-writer", "compression=none", "discard=true"]
    rows = bench.in_turns([[ours, "0", seconds, *sink]])[0]
    cpu = median(rows, lambda row: row["cpu_s"] / row["messages"]) * 1e9
    bench.row("as fast as it goes, none, to /dev/null", f"{cpu:,.0f} ns CPU",
              f"a message, of all threads; "
              f"{median(rows, lambda r: r['messages'] / r['wall_s']) / 1e6:.2f} M/s")


def measure(bench):
    ours = bench.program("bench-rig")
    real_time(bench, ours)
    push(bench, ours)
    engine_in_front(bench, ours)
