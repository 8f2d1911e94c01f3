/* SPDX-License-Identifier: Apache-2.0 */

/* Slerp beside rotations about an axis, where the answer is known in closed form. */

#include <math.h>

#include "resample-slerp.h"

#define ROUNDING 4e-15

typedef struct {
  double x, y, z;
} Axis;

static const Axis axes[] = {
  { 1, 0, 0 }, { 0, 0.6, -0.8 }, { 0.48, 0.6, 0.64 }, { -2.0 / 3, 1.0 / 3, 2.0 / 3 }
};

static void
rotation (const Axis *axis, double angle, double scale, double out[4])
{
  double s = sin (angle / 2) * scale;

  out[0] = axis->x * s;
  out[1] = axis->y * s;
  out[2] = axis->z * s;
  out[3] = cos (angle / 2) * scale;
}

/* How far two rotations are apart, sign of the quaternion aside. */
static double
distance (const double a[4], const double b[4])
{
  double plus = 0, minus = 0;

  for (int i = 0; i < 4; i++) {
    plus += (a[i] + b[i]) * (a[i] + b[i]);
    minus += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sqrt (MIN (plus, minus));
}

static double
length (const double q[4])
{
  return sqrt (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

static void
test_closed_form (void)
{
  static const double from[] = { 0, 0.3, -2.9, G_PI };
  static const double by[] = { 0,     1e-300, 1e-18, 1e-12, 1e-9,     3e-9, 1e-7,
                               -1e-6, 1e-4,   0.01,  -0.5,  G_PI / 2, 3,    G_PI - 1e-9 };

  for (guint k = 0; k < G_N_ELEMENTS (axes); k++)
    for (guint i = 0; i < G_N_ELEMENTS (from); i++)
      for (guint j = 0; j < G_N_ELEMENTS (by); j++)
        for (int step = 0; step <= 16; step++) {
          double u = step / 16.0;
          double a[4], b[4], truth[4], out[4];

          rotation (&axes[k], from[i], 1, a);
          rotation (&axes[k], from[i] + by[j], step % 2 ? -3 : 0.01, b);
          rotation (&axes[k], from[i] + u * by[j], 1, truth);
          g_assert_true (resample_slerp (a, b, u, out));
          g_assert_cmpfloat_with_epsilon (length (out), 1, ROUNDING);
          /* Near half a turn the axis is known only as well as the angle's distance from it. */
          g_assert_cmpfloat (distance (out, truth), <, by[j]> 3 ? 1e-6 : ROUNDING);
        }
}

/* 200 degrees one way are 160 the other. */
static void
test_shorter_way (void)
{
  double a[4], b[4], out[4], truth[4];

  rotation (&axes[1], 0, 1, a);
  rotation (&axes[1], 200 * G_PI / 180, 1, b);
  g_assert_true (resample_slerp (a, b, 0.25, out));
  rotation (&axes[1], -40 * G_PI / 180, 1, truth);
  g_assert_cmpfloat (distance (out, truth), <, ROUNDING);
}

/* The same rotation, written twice: nothing moves, and the sign is that of the first. */
static void
test_antipodal (void)
{
  double a[4], b[4], out[4];

  rotation (&axes[2], 1.2, 1, a);
  for (int i = 0; i < 4; i++)
    b[i] = -a[i];
  for (int step = 0; step <= 8; step++) {
    g_assert_true (resample_slerp (a, b, step / 8.0, out));
    for (int i = 0; i < 4; i++)
      g_assert_cmpfloat_with_epsilon (out[i], a[i], ROUNDING);
  }
}

/* Half a turn: which way is open, but the result is a rotation, the middle is half way, and the
 * same comes out for single-precision neighbours of it. */
static void
test_half_turn (void)
{
  double a[4] = { 0, 0, 0, 1 };

  for (int nudge = -3; nudge <= 3; nudge++) {
    double b[4] = { 1, 0, 0, nudge * 6e-8 };
    double out[4];

    g_assert_true (resample_slerp (a, b, 0.5, out));
    g_assert_cmpfloat_with_epsilon (length (out), 1, ROUNDING);
    g_assert_cmpfloat_with_epsilon (fabs (out[0]), sqrt (0.5), 1e-6);
    g_assert_cmpfloat_with_epsilon (out[3], sqrt (0.5), 1e-6);
  }
}

static void
test_in_place (void)
{
  double a[4] = { 0, 0, 0, 2 };
  double b[4] = { 0, 0, 2, 0 };

  g_assert_true (resample_slerp (a, b, 0.5, a));
  g_assert_cmpfloat_with_epsilon (a[2], sqrt (0.5), ROUNDING);
  g_assert_true (resample_slerp (a, b, 1, b));
  g_assert_cmpfloat_with_epsilon (b[2], 1, ROUNDING);
}

static void
test_no_rotation (void)
{
  static const double bad[][4] = {
    { 0, 0, 0, 0 }, { NAN, 0, 0, 1 }, { 0, INFINITY, 0, 1 }, { 1e-200, 0, 0, 0 }, { 1e300, 0, 0, 0 }
  };
  const double good[4] = { 0, 0, 0, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    double out[4] = { 1, 2, 3, 4 };

    g_assert_false (resample_slerp (good, bad[i], 0.5, out));
    g_assert_false (resample_slerp (bad[i], good, 0, out));
    g_assert_cmpfloat (out[0], ==, 1);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slerp/closed-form", test_closed_form);
  g_test_add_func ("/slerp/shorter-way", test_shorter_way);
  g_test_add_func ("/slerp/antipodal", test_antipodal);
  g_test_add_func ("/slerp/half-turn", test_half_turn);
  g_test_add_func ("/slerp/in-place", test_in_place);
  g_test_add_func ("/slerp/no-rotation", test_no_rotation);
  return g_test_run ();
}
