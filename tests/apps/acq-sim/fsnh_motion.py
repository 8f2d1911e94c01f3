#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The motion of acq-sim fsnh, computed again from its description.

For tests that compare a recording with what must be in it; see
apps/acq-sim/fsnh/sim-fsnh-motion.h. Run as a program it prints the SHA-256 of all
packet bodies (hand, mode, index 0 to 255), or with an argument compares it.
"""
import hashlib
import math
import struct
import sys

LEFT, RIGHT = 0, 1
WRIST, FOREARM = 0, 1

FINGERS = [
    ((24, 28, -8), (40, 32, 28), -3 / 8, (1 / 8, 1 / 4, 3 / 8, 3 / 8)),
    ((24, 92, 0), (42, 26, 20), -1 / 16, (1 / 4, 3 / 4, 1, 1)),
    ((2, 96, 2), (46, 28, 22), 0, (1 / 4, 3 / 4, 1, 1)),
    ((-18, 90, 0), (42, 26, 22), 1 / 16, (1 / 4, 3 / 4, 1, 1)),
    ((-36, 82, -4), (34, 20, 18), 1 / 8, (1 / 4, 3 / 4, 1, 1)),
]


def wave(n):
    t = n % 256 / 128
    u = t if t <= 1 else 2 - t
    return u * u * (3 - 2 * u)


def finger(f, n):
    """Four joints: position, quaternion w x y z times the root of norm, norm."""
    base, lengths, s, bends = FINGERS[f]
    x, y, z = (v / 1024 for v in base)
    ss = 1 + s * s
    a, b = (1 - s * s) / ss, (s + s) / ss
    joints = []
    for j in range(4):
        h = bends[j] * wave(n + 16 * f)
        hh = 1 + h * h
        joints.append(((x, y, z), (1.0, 0 - h, 0 - s * h, s), hh * ss))
        if j < 3:
            c, sine = (1 - h * h) / hh, (h + h) / hh
            length = lengths[j] / 1024
            x += length * (0 - b * c)
            y += length * (a * c)
            z += length * (0 - sine)
    return joints


def below_wrist(joint, n):
    (x, y, z), (qw, qx, qy, qz), norm = joint
    a, b = wave(n + 128) / 8, wave(n + 32) / 16
    v = 1 + a * a + b * b
    g = 2 / v
    tx, ty, tz = b * z * g, 0 - a * z * g, (a * y - b * x) * g
    position = (x + tx + b * tz, y + ty - a * tz + 240 / 1024, z + tz + (a * ty - b * tx))
    turned = (qw - a * qx - b * qy, qx + a * qw + b * qz, qy - a * qz + b * qw,
              qz + a * qy - b * qx)
    return position, turned, v * norm


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def motion(hand, mode, index):
    """The joints of a packet as (x, y, z, qw, qx, qy, qz), rounded to float32."""
    n = index + (64 if hand == RIGHT else 0)
    joints = [((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 1.0)]
    for f in range(5):
        joints += finger(f, n)
    out = [(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)] if mode == FOREARM else []
    for joint in joints:
        if mode == FOREARM:
            joint = below_wrist(joint, n)
        (x, y, z), (qw, qx, qy, qz), norm = joint
        root = math.sqrt(norm)
        if hand == RIGHT:
            y, qx, qz = 0 - y, 0 - qx, 0 - qz
        out.append(tuple(f32(v) for v in (x, y, z, qw / root, qx / root, qy / root, qz / root)))
    return out


def rows(hand, mode, index):
    """The 21 rows of a skeleton as recorded as received: x y z qx qy qz qw."""
    return [(x, y, z, qx, qy, qz, qw)
            for x, y, z, qw, qx, qy, qz in motion(hand, mode, index)[-21:]]


def digest():
    sha = hashlib.sha256()
    for hand in (LEFT, RIGHT):
        for mode in (WRIST, FOREARM):
            for index in range(256):
                for joint in motion(hand, mode, index):
                    sha.update(struct.pack("<7f", *joint))
    return sha.hexdigest()


if __name__ == "__main__":
    found = digest()
    if len(sys.argv) < 2:
        print(found)
    elif found != sys.argv[1]:
        sys.exit(f"found {found}, wanted {sys.argv[1]}")
