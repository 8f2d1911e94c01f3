/* SPDX-License-Identifier: Apache-2.0 */

/* Ticks beside exact integer arithmetic, from the first to a week later. */

#include "resample-grid.h"

#define START G_GINT64_CONSTANT (1767225600123456789)

typedef struct {
  double rate_hz;
  gint64 numerator, denominator; /* of the same rate, exactly */
} Rate;

static const Rate rates[] = {
  { 0.1, 1, 10 },    { 1, 1, 1 },       { 29.97, 2997, 100 }, { 60, 60, 1 },
  { 90, 90, 1 },     { 100, 100, 1 },   { 120, 120, 1 },      { 333.25, 1333, 4 },
  { 1000, 1000, 1 }, { 2000, 2000, 1 }, { 5000, 5000, 1 },
};

/* round (i * 1e9 * denominator / numerator) */
static gint64
exact (const Rate *rate, guint64 i)
{
  __int128 twice = (__int128) i * 2000000000 * rate->denominator / rate->numerator;

  return START + (gint64) ((twice + 1) / 2);
}

static void
test_no_drift (void)
{
  for (guint r = 0; r < G_N_ELEMENTS (rates); r++) {
    ResampleGrid grid = { START, rates[r].rate_hz };
    guint64 week = (guint64) (7 * 86400 * rates[r].rate_hz);

    for (guint64 i = 0; i <= week; i = i < 1000 ? i + 1 : i + 1 + week / 997)
      g_assert_cmpint (ABS (resample_grid_tick (&grid, i) - exact (&rates[r], i)), <=,
                       rates[r].denominator > 1 ? 1 : 0);
  }
}

static void
test_whole_seconds (void)
{
  ResampleGrid grid = { START, 60 };

  g_assert_cmpint (resample_grid_tick (&grid, 60 * 86400), ==,
                   START + G_GINT64_CONSTANT (86400000000000));
  g_assert_cmpint (resample_grid_tick (&grid, 1), ==, START + 16666667);
  g_assert_cmpint (resample_grid_tick (&grid, 2), ==, START + 33333333);
}

static void
test_index (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint r = 0; r < G_N_ELEMENTS (rates); r++) {
    ResampleGrid grid = { START, rates[r].rate_hz };

    g_assert_cmpuint (resample_grid_index (&grid, START - 5), ==, 0);
    g_assert_cmpuint (resample_grid_index (&grid, START), ==, 0);
    g_assert_cmpuint (resample_grid_index (&grid, START + 1), ==, 1);
    for (int i = 0; i < 2000; i++) {
      gint64 host_ns = START + (gint64) g_rand_double_range (rand, 1, i % 2 ? 1e9 : 6e14);
      guint64 index = resample_grid_index (&grid, host_ns);

      g_assert_cmpint (resample_grid_tick (&grid, index), >=, host_ns);
      g_assert_cmpint (resample_grid_tick (&grid, index - 1), <, host_ns);
      g_assert_cmpuint (resample_grid_index (&grid, resample_grid_tick (&grid, index)), ==, index);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/grid/no-drift", test_no_drift);
  g_test_add_func ("/grid/whole-seconds", test_whole_seconds);
  g_test_add_func ("/grid/index", test_index);
  return g_test_run ();
}
