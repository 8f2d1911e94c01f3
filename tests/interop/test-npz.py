#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""NPZ files of ours in NumPy, and NumPy's in our reader: every value. TAP on stdout.

    test-npz.py NPZ-PEER [--large]
"""
import glob
import json
import os
import subprocess
import sys
import tempfile
import traceback
import zipfile
import zlib

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP not run: this Python has no NumPy (Debian: python3-numpy)")
    sys.exit(0)

PEER = sys.argv[1]
START_US = 1767225600 * 1000000


def peer(*args):
    done = subprocess.run([PEER, *args], check=True, stdout=subprocess.PIPE, text=True, timeout=300)
    return done.stdout


def load(path):
    with np.load(path, allow_pickle=False) as z:
        return {key: z[key] for key in z.files}


def same(found, expected):
    np.testing.assert_array_equal(found, expected, strict_type_and_shape(found, expected))


def strict_type_and_shape(found, expected):
    assert found.dtype == expected.dtype, (found.dtype, expected.dtype)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    return ""


def check_zip(path):
    """What a strict ZIP reader wants; and that stored data can be mapped."""
    with zipfile.ZipFile(path) as z:
        assert z.testzip() is None
        for info in z.infolist():
            assert info.date_time[0] >= 1980
            with open(path, "rb") as f:
                f.seek(info.header_offset + 26)
                name, extra = (int.from_bytes(f.read(2), "little") for _ in range(2))
                assert (info.header_offset + 30 + name + extra) % 64 == 0, info.filename
    done = subprocess.run([sys.executable, "-m", "zipfile", "-t", path], stdout=subprocess.PIPE,
                          text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_recording(directory, compression):
    peer("record", directory, compression)
    path, = glob.glob(os.path.join(directory, "session_*", "*.npz"))
    check_zip(path)
    z = load(path)
    n = 200
    i = np.arange(n)
    t = START_US + 1000 * i
    same(z["glove_0__hand_skeleton__t_host_us"], t)
    same(z["glove_0__hand_skeleton__t_dev_us"], 7000000 + 1000 * i)
    same(z["glove_0__hand_skeleton__t_us"], 7000000 + 1000 * i)
    skeleton = np.zeros((n, 21, 7), "f4")
    skeleton[:, :, 0] = i[:, None] + np.arange(21) / 32
    skeleton[:, :, 1] = np.arange(21)
    skeleton[:, :, 6] = 1
    same(z["glove_0__hand_skeleton"], skeleton)
    same(z["glove_0__hand_skeleton.side"], np.full(n, 1, "u1"))

    k = np.arange(744)
    taxels = ((i[:, None] * 1000 + k) % 4096).astype("f4")
    taxels[:, k % 5 == 0] = -1
    same(z["glove_0__tactile"], taxels)
    same(z["glove_0__tactile__t_us"], t)
    same(z["glove_0__tactile__t_dev_us"], np.full(n, -1))
    same(z["glove_0__hand_joint_angles.angles"], i[:, None] * 0.5 + np.arange(20))
    same(z["glove_0__hand_joint_angles.conf"], np.tile(np.arange(5) * 0.25, (n, 1)))
    same(z["glove_0__wrench.twist"], np.zeros((0, 6)))
    check_grid(z)
    check_meta(z)


def check_grid(z):
    t = z["grid__left_glove_hand_skeleton__t_host_us"]
    valid = z["grid__left_glove_hand_skeleton__valid"]
    joints = z["grid__left_glove_hand_skeleton"]
    same(t, START_US + 2000 * np.arange(len(t)))
    assert valid.dtype == bool and valid.shape == t.shape
    assert valid[:99].all() and not valid[-50:].any() and len(t) == 200, (valid.sum(), len(t))
    x = (t[:99] - START_US) / 1000
    np.testing.assert_allclose(joints[:99, :, 0], x[:, None] + np.arange(21) / 32, rtol=1e-6)
    assert np.isnan(joints[-50:]).all()
    same(z["grid__valid.valid"], valid[:, None])


def check_meta(z):
    assert z["meta"].shape == () and z["meta"].dtype.kind == "U"
    meta = json.loads(str(z["meta"]))
    assert meta["recording"]["task"] == "\u5012\u6c34 \U0001f9e4", meta["recording"]
    stream = meta["streams"]["glove_0__hand_skeleton"]
    assert stream["frames"] == 200 and stream["duration_s"] == 0.199, stream
    assert stream["t_host_us_range"] == [START_US, START_US + 199000]
    assert meta["streams"]["glove_0__wrench"]["empty"] is True
    by_stream = {}
    for key in meta["streams"]:
        by_stream[key] = {len(a) for k, a in z.items()
                          if k == key or k.startswith((key + ".", key + "__"))}
    assert all(len(lengths) == 1 for lengths in by_stream.values()), by_stream
    for stream in meta["streams"].values():
        assert set(stream["columns"]) <= set(z)


def test_types(directory, compression):
    path = os.path.join(directory, "types.npz")
    peer("types", path, compression)
    check_zip(path)
    z = load(path)
    table = np.load(path + ".spool/types.npy", allow_pickle=False)
    assert table.shape == (1000,)
    names = list(table.dtype.names)
    for c, name in enumerate(names):
        found = z[name]
        size = found.dtype.itemsize * int(np.prod(found.shape[1:]))
        raw = (31 * c + 7 * np.arange(1000)[:, None] + np.arange(size)).astype("u1")
        raw = raw & 1 if name == "b1" else raw
        assert found.tobytes() == raw.tobytes(), name
        assert np.ascontiguousarray(table[name]).tobytes() == raw.tobytes(), name
        assert table.dtype[name].base == found.dtype, name
    assert z["f4"].shape == (1000, 21, 7) and z["none"].shape == (1000, 0)
    assert z["time"].dtype == "M8[us]" and z["c16"].dtype == complex


def numpy_arrays():
    rng = np.random.default_rng(1)
    return {
        "f8": rng.standard_normal((50, 3)), "f4": rng.standard_normal(7).astype("f4"),
        "scalar": np.float64(3.5), "text": np.array("\U0001f9e4 glove"), "empty": np.zeros((0, 21, 7)),
        "fortran": np.asfortranarray(rng.standard_normal((4, 5))), "bool": np.array([True, False]),
        "big": np.arange(9, dtype=">i4"), "u1": np.arange(70000, dtype="u4").astype("u1"),
        "time": np.array(["2026-01-01"], "M8[ns]"), "bytes": np.array([b"abc", b"d"]),
        "with/slash": np.arange(3), "dotted.name": np.arange(2),
        "runs": np.repeat(rng.integers(0, 9, 300), 4000),
    }


def test_numpy_writes(directory, save):
    path = os.path.join(directory, "numpy.npz")
    arrays = numpy_arrays()
    save(path, **arrays)
    expected = []
    for key, a in arrays.items():
        a = np.asarray(a)
        order = "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
        shape = "".join("%d," % n for n in a.shape)
        crc = zlib.crc32(a.tobytes("F" if order == "F" else "C"))
        expected.append("%s %s %s (%s) %08x" % (key, np.lib.format.dtype_to_descr(a.dtype), order,
                                                shape, crc))
    assert peer("read", path).splitlines() == expected, peer("read", path)


def test_beyond_4_gib(directory, compression):
    path = os.path.join(directory, "large.npz")
    peer("large", path, compression)
    piece = 64 << 20
    with np.load(path, allow_pickle=False) as z:
        large = z["large"]
        assert large.shape == (72 * piece,)
        same(large[::piece], np.arange(1, 73, dtype="u1"))
        assert np.count_nonzero(large) == 72
        same(z["behind"][:2], np.array([1, 0], "u1"))
    assert [line.split()[3] for line in peer("read", path).splitlines()] == ["(%d,)" % (72 * piece),
                                                                            "(%d,)" % piece]


TESTS = [
    ("a recording, stored", test_recording, "none"),
    ("a recording, deflated", test_recording, "deflate"),
    ("every type, stored", test_types, "none"),
    ("every type, deflated", test_types, "deflate"),
    ("np.savez in our reader", test_numpy_writes, np.savez),
    ("np.savez_compressed in our reader", test_numpy_writes, np.savez_compressed),
]
LARGE_TESTS = [
    ("beyond 4 GiB, stored", test_beyond_4_gib, "none"),
    ("beyond 4 GiB, deflated", test_beyond_4_gib, "deflate"),
]


def main():
    tests = LARGE_TESTS if "--large" in sys.argv else TESTS
    print("1..%d" % len(tests))
    for number, (name, function, argument) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory(prefix="acq-npz-") as directory:
            try:
                function(directory, argument)
                print("ok %d - %s" % (number, name), flush=True)
            except Exception:
                print("not ok %d - %s" % (number, name), flush=True)
                print("".join("# %s\n" % line for line in traceback.format_exc().splitlines()))


if __name__ == "__main__":
    main()
