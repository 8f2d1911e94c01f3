# SPDX-License-Identifier: Apache-2.0
"""A take of mcap-writer in Python's readers: PyPI mcap (CRCs on) and rosbags.

test-mcap.py RECORDER BUILD: tools/python-peers makes the environment they are in; where pip does
not find them, the test says that it did not run.
"""
import os
import struct
import subprocess
import sys
import tempfile

COUNT = 300
LOG_SIZE = 8 + 65536 * 8
TOPIC = "/rig/imu"


def start_again_in_venv(top):
    """The readers live in an environment of their own; go on there."""
    tool = os.path.join(top, "tools", "python-peers")
    found = subprocess.run([tool, "--offline"], stdout=subprocess.PIPE, text=True).stdout.strip()
    if not found:
        print("1..0 # SKIP mcap and rosbags are not there: tools/python-peers gets them")
        sys.exit(0)
    os.execv(found, [found] + sys.argv + ["--inside"])


def record(recorder, folder, compression):
    into = os.path.join(folder, compression)
    log = os.path.join(folder, compression + ".log")
    os.mkdir(into)
    with open(log, "wb") as f:
        f.write(bytes(LOG_SIZE))
    subprocess.run([recorder, log, into, "100", compression, str(COUNT)], check=True)
    take = os.path.join(into, os.listdir(into)[0])
    name = [f for f in os.listdir(take) if f.endswith(".mcap")][0]
    with open(log, "rb") as f:
        n, *times = struct.unpack("<Q%dq" % COUNT, f.read(8 + 8 * COUNT))
    assert n == COUNT, n
    return os.path.join(take, name), times


def value(i):
    return i * 0.125 - 7


def read_with_mcap(path, times):
    from mcap.reader import NonSeekingReader, SeekingReader

    for kind in (SeekingReader, NonSeekingReader):
        with open(path, "rb") as f:
            reader = kind(f, validate_crcs=True)
            messages = [m for _, channel, m in reader.iter_messages(topics=[TOPIC])]
        assert [m.log_time for m in messages] == times, kind
        assert [m.sequence for m in messages] == list(range(1, COUNT + 1)), kind
    with open(path, "rb") as f:
        summary = SeekingReader(f, validate_crcs=True).get_summary()
    counts = {summary.channels[i].topic: n
              for i, n in summary.statistics.channel_message_counts.items()}
    assert counts[TOPIC] == COUNT, counts


def read_with_rosbags(path, times):
    from pathlib import Path
    from rosbags.highlevel import AnyReader

    with AnyReader([Path(path)]) as reader:
        wanted = [c for c in reader.connections if c.topic == TOPIC]
        assert [c.msgtype for c in wanted] == ["sensor_msgs/msg/Imu"]
        n = 0
        for connection, time, raw in reader.messages(connections=wanted):
            message = reader.deserialize(raw, connection.msgtype)
            stamp = message.header.stamp
            assert time == times[n] == stamp.sec * 10**9 + stamp.nanosec
            assert message.header.frame_id == "rig"
            assert message.linear_acceleration.x == value(n)
            n += 1
        assert n == COUNT, n
        types = {c.msgtype for c in reader.connections}
        assert "acq_msgs/msg/LedgerRow" in types, types


def read_as_bag(path, times):
    """The folder is a bag: metadata.yaml says what is in the file beside it."""
    from rosbags.rosbag2 import Reader

    with Reader(os.path.dirname(path)) as reader:
        wanted = [c for c in reader.connections if c.topic == TOPIC]
        assert [c.msgcount for c in wanted] == [COUNT]
        assert [t for _, t, _ in reader.messages(connections=wanted)] == times
        qos = wanted[0].ext.offered_qos_profiles
        assert len(qos) == 1 and qos[0].depth == 10, qos


def main():
    recorder, top = sys.argv[1], sys.argv[2]
    if "--inside" not in sys.argv:
        start_again_in_venv(top)
    failed = 0
    readers = (read_with_mcap, read_with_rosbags, read_as_bag)
    cases = [(c, read) for c in ("lz4", "zstd", "none") for read in readers]
    print("1..%d" % len(cases))
    with tempfile.TemporaryDirectory(prefix="acq-interop-") as folder:
        files = {c: record(recorder, folder, c) for c in ("lz4", "zstd", "none")}
        for i, (compression, read) in enumerate(cases):
            name = "%s of %s" % (read.__name__.replace("_", " "), compression)
            try:
                read(*files[compression])
                print("ok %d %s" % (i + 1, name))
            except Exception as error:  # pylint: disable=broad-except
                failed = 1
                print("not ok %d %s" % (i + 1, name))
                print("# %r" % error)
    return failed


if __name__ == "__main__":
    sys.exit(main())
