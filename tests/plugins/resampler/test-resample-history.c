/* SPDX-License-Identifier: Apache-2.0 */

/* The history beside a list that forgets nothing: same answers, bounded memory, no leak. */

#include <math.h>

#include "resample-grid.h"
#include "resample-history.h"

#define MS G_GINT64_CONSTANT (1000000)

static int n_alive;

static void
free_sample (gpointer data)
{
  n_alive--;
  g_free (data);
}

static gboolean
add (ResampleHistory *history, const ResampleGrid *grid, gint64 host_ns)
{
  ResampleSample sample = { host_ns, resample_grid_index (grid, host_ns), g_new (int, 1) };

  n_alive++;
  return resample_history_add (history, sample);
}

static gint64
time_of (const ResampleSample *sample)
{
  return sample != NULL ? sample->host_ns : -1;
}

/* What a list of all times says. */
static void
find_around (GArray *all, gint64 host_ns, gint64 *before, gint64 *after)
{
  *before = -1;
  *after = -1;
  for (guint i = 0; i < all->len && *after < 0; i++) {
    gint64 t = g_array_index (all, gint64, i);

    if (t <= host_ns)
      *before = t;
    else
      *after = t;
  }
}

typedef struct {
  const char *name;
  double rate_hz; /* of the input */
  double grid_hz;
  double latency_ms; /* how far the newest sample is ahead of the tick */
  double jitter;     /* share of a period */
  double loss;       /* share of samples that never come */
} Case;

static const Case cases[] = {
  { "/history/model/slow", 1, 100, 100, 0, 0 },
  { "/history/model/same", 100, 100, 100, 0.4, 0 },
  { "/history/model/glove", 120, 100, 100, 0.9, 0.1 },
  { "/history/model/fast", 2000, 100, 100, 0.5, 0 },
  { "/history/model/fast-on-slow", 2000, 1, 1500, 0.5, 0.3 },
  { "/history/model/slow-on-fast", 1, 1000, 50, 0.5, 0 },
  { "/history/model/patient", 500, 30, 10000, 0.9, 0.5 },
  { "/history/model/impatient", 500, 30, 0, 0.9, 0.5 },
};

static void
check_tick (ResampleHistory *history, GArray *all, gint64 tick_ns)
{
  const ResampleSample *a, *b;
  gint64 before, after;

  resample_history_around (history, tick_ns, &a, &b);
  find_around (all, tick_ns, &before, &after);
  g_assert_cmpint (time_of (a), ==, before);
  g_assert_cmpint (time_of (b), ==, after);
  /* What the tick has behind it need not be looked at again. */
  while (all->len > 0 && g_array_index (all, gint64, 0) < before)
    g_array_remove_index (all, 0);
}

static void
test_model (gconstpointer data)
{
  const Case *c = data;
  ResampleGrid grid = { 1000 * MS, c->grid_hz };
  guint n_slots = (guint) ceil (c->latency_ms * 1e-3 * c->grid_hz) + 3;
  g_autoptr (ResampleHistory) history = resample_history_new (n_slots, free_sample);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  guint64 tick = 0;
  gint64 last = 0;
  guint n_samples = (guint) MAX (20, 4 * c->rate_hz);

  for (guint i = 0; i < n_samples; i++) {
    gint64 t = 1000 * MS + (gint64) ((i + g_rand_double (rand) * c->jitter) * 1e9 / c->rate_hz);

    if (t <= last || g_rand_double (rand) < c->loss)
      continue;
    /* As the resampler does: first what is due. */
    for (; resample_grid_tick (&grid, tick) + c->latency_ms * MS < t; tick++)
      check_tick (history, all, resample_grid_tick (&grid, tick));
    g_assert_true (add (history, &grid, t));
    g_array_append_val (all, t);
    last = t;
    g_assert_cmpuint (resample_history_count (history), <=, 2 * n_slots + 1);
    g_assert_cmpint (n_alive, ==, resample_history_count (history));
  }
  for (guint64 end = tick + n_slots; tick < end; tick++)
    check_tick (history, all, resample_grid_tick (&grid, tick));
  resample_history_clear (history);
  g_assert_cmpint (n_alive, ==, 0);
}

/* Two at one time, and one from before: the first stays. */
static void
test_not_newer (void)
{
  g_autoptr (ResampleHistory) history = resample_history_new (3, free_sample);
  ResampleGrid grid = { 0, 100 };
  const ResampleSample *a, *b;

  g_assert_true (add (history, &grid, 5 * MS));
  g_assert_false (add (history, &grid, 5 * MS));
  g_assert_false (add (history, &grid, 4 * MS));
  g_assert_true (add (history, &grid, 5 * MS + 1));
  g_assert_cmpuint (resample_history_count (history), ==, 2);
  resample_history_around (history, 5 * MS, &a, &b);
  g_assert_cmpint (time_of (a), ==, 5 * MS);
  g_assert_cmpint (time_of (b), ==, 5 * MS + 1);
  resample_history_clear (history);
  g_assert_cmpint (n_alive, ==, 0);
}

/* More than it was made for: the oldest, which the next tick needs, stay. */
static void
test_full (void)
{
  g_autoptr (ResampleHistory) history = resample_history_new (2, free_sample);
  ResampleGrid grid = { 0, 100 };
  const ResampleSample *a, *b;

  for (int i = 0; i < 50; i++)
    g_assert_true (add (history, &grid, i * 10 * MS + 1));
  g_assert_cmpuint (resample_history_count (history), ==, 5);
  resample_history_around (history, 10 * MS, &a, &b);
  g_assert_cmpint (time_of (a), ==, 1);
  g_assert_cmpint (time_of (b), ==, 10 * MS + 1);
  resample_history_clear (history);
  g_assert_cmpint (n_alive, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_test_add_data_func (cases[i].name, &cases[i], test_model);
  g_test_add_func ("/history/not-newer", test_not_newer);
  g_test_add_func ("/history/full", test_full);
  return g_test_run ();
}
