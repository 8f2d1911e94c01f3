/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-fsnh-motion.h"

#include <math.h>

static const struct {
  double base[3];
  double lengths[3];
  double splay;
  double bends[4];
} fingers[5] = {
  { { 24, 28, -8 }, { 40, 32, 28 }, -3.0 / 8, { 1.0 / 8, 1.0 / 4, 3.0 / 8, 3.0 / 8 } },
  { { 24, 92, 0 }, { 42, 26, 20 }, -1.0 / 16, { 1.0 / 4, 3.0 / 4, 1, 1 } },
  { { 2, 96, 2 }, { 46, 28, 22 }, 0, { 1.0 / 4, 3.0 / 4, 1, 1 } },
  { { -18, 90, 0 }, { 42, 26, 22 }, 1.0 / 16, { 1.0 / 4, 3.0 / 4, 1, 1 } },
  { { -36, 82, -4 }, { 34, 20, 18 }, 1.0 / 8, { 1.0 / 4, 3.0 / 4, 1, 1 } },
};

/* A joint before rounding; the quaternion is to be divided by the root of norm. */
typedef struct {
  double x, y, z;
  double qw, qx, qy, qz;
  double norm;
} Joint;

static double
wave (guint32 n)
{
  double t = (n % SIM_FSNH_MOTION_PERIOD) / 128.0;
  double u = t <= 1 ? t : 2 - t;

  return u * u * (3 - 2 * u);
}

static void
finger_joints (guint f, guint32 n, Joint joints[4])
{
  double s = fingers[f].splay, ss = 1 + s * s;
  double a = (1 - s * s) / ss, b = (s + s) / ss;
  double w = wave (n + 16 * f);
  double x = fingers[f].base[0] / 1024, y = fingers[f].base[1] / 1024,
         z = fingers[f].base[2] / 1024;

  for (guint j = 0; j < 4; j++) {
    double h = fingers[f].bends[j] * w, hh = 1 + h * h;

    joints[j] = (Joint){ x, y, z, 1, 0 - h, 0 - s * h, s, hh * ss };
    if (j < 3) {
      double c = (1 - h * h) / hh, sine = (h + h) / hh;
      double length = fingers[f].lengths[j] / 1024;

      x += length * (0 - b * c);
      y += length * (a * c);
      z += length * (0 - sine);
    }
  }
}

static Joint
below_wrist (Joint j, guint32 n)
{
  double a = wave (n + 128) / 8, b = wave (n + 32) / 16;
  double v = 1 + a * a + b * b, g = 2 / v;
  double tx = b * j.z * g, ty = 0 - a * j.z * g, tz = (a * j.y - b * j.x) * g;

  return (Joint){
    .x = j.x + tx + b * tz,
    .y = j.y + ty - a * tz + 240.0 / 1024,
    .z = j.z + tz + (a * ty - b * tx),
    .qw = j.qw - a * j.qx - b * j.qy,
    .qx = j.qx + a * j.qw + b * j.qz,
    .qy = j.qy - a * j.qz + b * j.qw,
    .qz = j.qz + a * j.qy - b * j.qx,
    .norm = v * j.norm,
  };
}

static SimFsnhJoint
finish (Joint j, SimFsnhHand hand)
{
  double root = sqrt (j.norm);

  if (hand == SIM_FSNH_RIGHT) {
    j.y = 0 - j.y;
    j.qx = 0 - j.qx;
    j.qz = 0 - j.qz;
  }
  return (SimFsnhJoint){ (float) j.x,           (float) j.y,           (float) j.z,
                         (float) (j.qw / root), (float) (j.qx / root), (float) (j.qy / root),
                         (float) (j.qz / root) };
}

guint
sim_fsnh_motion (SimFsnhHand hand, SimFsnhMode mode, guint32 index,
                 SimFsnhJoint ret_joints[SIM_FSNH_MAX_JOINTS])
{
  guint32 n = index + (hand == SIM_FSNH_RIGHT ? 64 : 0);
  Joint joints[21] = { { .qw = 1, .norm = 1 } };
  guint first = mode == SIM_FSNH_FOREARM ? 1 : 0;

  for (guint f = 0; f < 5; f++)
    finger_joints (f, n, &joints[1 + 4 * f]);
  if (mode == SIM_FSNH_FOREARM)
    ret_joints[0] = (SimFsnhJoint){ .qw = 1 };
  for (guint i = 0; i < 21; i++) {
    Joint joint = mode == SIM_FSNH_FOREARM ? below_wrist (joints[i], n) : joints[i];

    ret_joints[first + i] = finish (joint, hand);
  }
  return first + 21;
}
