# SPDX-License-Identifier: Apache-2.0
"""frames of 100 bytes from a source to a sink, beside GStreamer"""

from harness import median

MODES = (("link", "source, link, sink"), ("transform", "with a transform between"))


def rate(bench, ours, peer, mode, title):
    scale = 5 if bench.quick else 1
    a, b = bench.in_turns([[ours, mode, str(5_000_000 // scale)],
                           peer and [peer, mode, str(500_000 // scale)]])
    bench.row(title + ", frames/s", f"{median(a, 'frames_per_s'):,.0f}",
              f"{median(a, 'cpu_ns_per_frame'):,.0f} ns CPU a frame")
    ratio = None
    if b:
        ratio = median(a, "frames_per_s") / median(b, "frames_per_s")
        bench.row("  GStreamer's appsrc, queue, fakesink", f"{median(b, 'frames_per_s'):,.0f}",
                  f"{median(b, 'cpu_ns_per_frame'):,.0f} ns: ours is {ratio:.1f} times it")
    bench.want(f"{title}, times GStreamer's frames/s", 5, ratio)


def latency(bench, ours, peer):
    frames = "1000" if bench.quick else "3000"
    a, b = bench.in_turns([[ours, "latency", frames], peer and [peer, "latency", frames]])
    for key in ("p50_us", "p99_us", "p999_us"):
        name = f"push to sink at 1 kHz, {key[:-3]}"
        peers = f"GStreamer's queue {median(b, key):.1f} us" if b else ""
        bench.row(name, f"{median(a, key):.1f} us", peers)
        if key != "p999_us":
            ratio = median(a, key) / median(b, key) if b else None
            bench.want_most(f"{name}, of GStreamer's queue", 1, ratio)


def measure(bench):
    ours, peer = bench.program("bench-engine"), bench.peer("peer-gst-engine")
    if peer is None:
        bench.say("GStreamer's development files were not there at build time: no peer")
    for mode, title in MODES:
        rate(bench, ours, peer, mode, title)
    latency(bench, ours, peer)
