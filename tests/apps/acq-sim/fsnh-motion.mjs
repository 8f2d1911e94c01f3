// SPDX-License-Identifier: Apache-2.0
// The motion of acq-sim fsnh, computed again from its description; the twin of
// fsnh_motion.py. Run as a program with a SHA-256 it compares that of all packet bodies.
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";

export const LEFT = 0, RIGHT = 1, WRIST = 0, FOREARM = 1;

const FINGERS = [
  [[24, 28, -8], [40, 32, 28], -3 / 8, [1 / 8, 1 / 4, 3 / 8, 3 / 8]],
  [[24, 92, 0], [42, 26, 20], -1 / 16, [1 / 4, 3 / 4, 1, 1]],
  [[2, 96, 2], [46, 28, 22], 0, [1 / 4, 3 / 4, 1, 1]],
  [[-18, 90, 0], [42, 26, 22], 1 / 16, [1 / 4, 3 / 4, 1, 1]],
  [[-36, 82, -4], [34, 20, 18], 1 / 8, [1 / 4, 3 / 4, 1, 1]],
];

function wave(n) {
  const t = (n % 256) / 128;
  const u = t <= 1 ? t : 2 - t;
  return u * u * (3 - 2 * u);
}

// Four joints: x y z, w x y z times the root of the norm, and the norm.
function finger(f, n) {
  const [base, lengths, s, bends] = FINGERS[f];
  const ss = 1 + s * s;
  const a = (1 - s * s) / ss, b = (s + s) / ss;
  let [x, y, z] = base.map((v) => v / 1024);
  return bends.map((bend, j) => {
    const h = bend * wave(n + 16 * f);
    const hh = 1 + h * h;
    const joint = [x, y, z, 1, 0 - h, 0 - s * h, s, hh * ss];
    if (j < 3) {
      const c = (1 - h * h) / hh, sine = (h + h) / hh, length = lengths[j] / 1024;
      x += length * (0 - b * c);
      y += length * (a * c);
      z += length * (0 - sine);
    }
    return joint;
  });
}

function belowWrist([x, y, z, qw, qx, qy, qz, norm], n) {
  const a = wave(n + 128) / 8, b = wave(n + 32) / 16;
  const v = 1 + a * a + b * b, g = 2 / v;
  const tx = b * z * g, ty = 0 - a * z * g, tz = (a * y - b * x) * g;
  return [
    x + tx + b * tz, y + ty - a * tz + 240 / 1024, z + tz + (a * ty - b * tx),
    qw - a * qx - b * qy, qx + a * qw + b * qz, qy - a * qz + b * qw, qz + a * qy - b * qx,
    v * norm,
  ];
}

// The joints of a packet as [x, y, z, qw, qx, qy, qz], rounded to float32.
export function motion(hand, mode, index) {
  const n = index + (hand === RIGHT ? 64 : 0);
  const joints = [[0, 0, 0, 1, 0, 0, 0, 1]];
  for (let f = 0; f < 5; f++) joints.push(...finger(f, n));
  const rows = joints.map((joint) => {
    let [x, y, z, qw, qx, qy, qz, norm] = mode === FOREARM ? belowWrist(joint, n) : joint;
    const root = Math.sqrt(norm);
    if (hand === RIGHT) [y, qx, qz] = [0 - y, 0 - qx, 0 - qz];
    return [x, y, z, qw / root, qx / root, qy / root, qz / root].map(Math.fround);
  });
  return mode === FOREARM ? [[0, 0, 0, 1, 0, 0, 0], ...rows] : rows;
}

// The 21 rows of a skeleton as recorded as received: x y z qx qy qz qw.
export function rows(hand, mode, index) {
  return motion(hand, mode, index).slice(-21)
    .map(([x, y, z, qw, qx, qy, qz]) => [x, y, z, qx, qy, qz, qw]);
}

export function digest() {
  const sha = createHash("sha256");
  for (const hand of [LEFT, RIGHT])
    for (const mode of [WRIST, FOREARM])
      for (let index = 0; index < 256; index++)
        sha.update(Buffer.from(Float32Array.from(motion(hand, mode, index).flat()).buffer));
  return sha.digest("hex");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = digest();
  if (process.argv.length < 3) console.log(found);
  else if (found !== process.argv[2]) {
    console.error(`found ${found}, wanted ${process.argv[2]}`);
    process.exit(1);
  }
}
