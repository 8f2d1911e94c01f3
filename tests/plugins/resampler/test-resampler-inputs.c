/* SPDX-License-Identifier: Apache-2.0 */

/* Many inputs, and difficult ones: that start late, join, come late, are latched, are grids. */

#include <math.h>

#include "resampler-rig.h"

/* Several inputs */

static void
pop_row (AcqHarness *h, const char *const *streams, guint n, gint64 tick_ns, const char *valid)
{
  g_autoptr (AcqFrame) frame = acq_harness_pop (h, "valid");
  const AcqGridValid *row = (const AcqGridValid *) frame->payload;

  g_assert_cmpint (frame->host_ns, ==, tick_ns);
  for (guint i = 0; i < n; i++) {
    resampler_rig_pop_lux (h, streams[i], tick_ns, valid[i] == '1');
    g_assert_cmpint (row->valid[i], ==, valid[i] == '1');
  }
  g_assert_cmpuint (row->n_valid, ==, n);
}

/* One starts late, one ends early: every tick has a message of each. */
static void
test_equal_length (void)
{
  static const char *const streams[] = { "a_lux", "b_lux", "c_lux" };
  g_autoptr (AcqHarness) h = resampler_rig_new (100, 50, 0);
  AcqStream *a = acq_harness_add_input (h, "a", &resampler_rig_lux);
  AcqStream *b = acq_harness_add_input (h, "b", &resampler_rig_lux);
  AcqStream *c = acq_harness_add_input (h, "c", &resampler_rig_lux);
  gint64 start;

  g_assert_true (acq_harness_start (h, NULL));
  start = acq_harness_now (h);
  for (int i = 0; i < 100; i++) {
    resampler_rig_push_lux (a, acq_harness_now (h), i);
    if (i >= 40)
      resampler_rig_push_lux (b, acq_harness_now (h), i);
    if (i < 60)
      resampler_rig_push_lux (c, acq_harness_now (h), i);
    if (i == 60)
      acq_stream_end (c);
    acq_harness_advance (h, 10 * MS);
  }
  acq_harness_stop (h);
  for (int i = 0; i < 100; i++)
    pop_row (h, streams, 3, start + i * 10 * MS, i < 40 ? "101" : i < 60 ? "111" : "110");
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (acq_harness_count (h, streams[i]), ==, 100);
}

typedef struct {
  int joins_ms;
  guint n; /* messages of the stream that joins, of 100 a second */
} Join;

static const Join joins[] = { { 5000, 600 }, { 19900, 2090 }, { 25000, 105 } };

/* A device that is found in the middle of a take. */
static void
test_join (gconstpointer data)
{
  const Join *join = data;
  g_autoptr (AcqHarness) h = resampler_rig_new (100, 50, 0);
  AcqStream *a = acq_harness_add_input (h, "a", &resampler_rig_lux);
  AcqStreamInfo info = { .name = "second", .schema = &acq_illuminance_schema, .rate_hz = 100 };
  AcqStream *b;
  gint64 start, from;
  guint n_all;

  g_assert_true (acq_harness_start (h, NULL));
  start = acq_harness_now (h);
  resampler_rig_play (h, a, start, 10 * MS, join->joins_ms * MS);
  b = acq_harness_add_input (h, "a", &info);
  resampler_rig_play (h, b, start, 10 * MS, 1000 * MS);
  acq_harness_stop (h);
  n_all = join->joins_ms / 10 + 100;
  g_assert_cmpuint (acq_harness_count (h, "a_lux"), ==, n_all);
  g_assert_cmpuint (acq_harness_count (h, "a_second"), ==, join->n);
  from = start + (gint64) (n_all - join->n) * 10 * MS;
  for (guint i = 0; i < join->n; i++) {
    gint64 tick_ns = from + i * 10 * MS;
    gboolean valid = tick_ns >= start + join->joins_ms * MS;
    double lux = resampler_rig_pop_lux (h, "a_second", tick_ns, valid);

    if (valid)
      g_assert_cmpfloat (lux, ==, (double) ((tick_ns - start) / MS));
  }
  g_assert_cmpuint (acq_harness_count_events (h, "joined"), ==, 1);
  {
    g_autoptr (AcqFrame) valid = acq_harness_pop (h, "valid");

    g_assert_cmpuint (((const AcqGridValid *) valid->payload)->n_valid, ==, 1);
  }
}

/* One that the pipeline's check foretold has its place in `valid` from the first tick on. */
static void
test_join_expected (void)
{
  static const char *const streams[] = { "a_lux", "a_second" };
  g_autoptr (AcqHarness) h = resampler_rig_new (100, 50, 0);
  AcqTransform *node = ACQ_TRANSFORM (acq_harness_get_node (h));
  const AcqInputInfo inputs[] = { { "a", "lux", &acq_illuminance_schema },
                                  { "a", "second", &acq_illuminance_schema } };
  g_autoptr (GArray) derived = g_array_new (FALSE, TRUE, sizeof (AcqDerivedStream));
  AcqStreamInfo info = { .name = "second", .schema = &acq_illuminance_schema, .rate_hz = 100 };
  AcqStream *a = acq_harness_add_input (h, "a", &resampler_rig_lux);
  AcqStream *b = NULL;
  gint64 start;

  g_assert_true (ACQ_TRANSFORM_GET_CLASS (node)->derive (node, inputs, 2, derived, NULL));
  for (guint i = 0; i < derived->len; i++)
    g_free (g_array_index (derived, AcqDerivedStream, i).name);
  g_assert_true (acq_harness_start (h, NULL));
  start = acq_harness_now (h);
  for (int i = 0; i < 60; i++) {
    if (i == 30)
      b = acq_harness_add_input (h, "a", &info);
    resampler_rig_push_lux (a, acq_harness_now (h), i);
    if (i >= 30)
      resampler_rig_push_lux (b, acq_harness_now (h), i);
    acq_harness_advance (h, 10 * MS);
  }
  acq_harness_stop (h);
  for (int i = 0; i < 60; i++)
    pop_row (h, streams, 2, start + i * 10 * MS, i < 30 ? "10" : "11");
  g_assert_cmpuint (acq_harness_count (h, "valid"), ==, 60);
  g_assert_cmpuint (acq_harness_count_events (h, "joined"), ==, 0);
}

/* Late and slow */

static guint64
count_late (AcqHarness *h)
{
  g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (h);

  return acq_snapshot_find_stream (snapshot, "grid.lamp_lux")->counters[ACQ_STREAM_LATE];
}

static void
test_late (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (100, 30, 1000);
  AcqStream *stream = acq_harness_add_input (h, "lamp", &resampler_rig_lux);
  gint64 start;

  g_assert_true (acq_harness_start (h, NULL));
  start = acq_harness_now (h);
  resampler_rig_play (h, stream, start, 10 * MS, 200 * MS);
  /* 30 ms on time are nothing: a tick waits for them. */
  acq_harness_advance (h, 30 * MS);
  resampler_rig_push_lux (stream, start + 200 * MS, 200);
  acq_harness_advance (h, 100 * MS);
  g_assert_cmpuint (count_late (h), ==, 0);
  g_assert_cmpuint (acq_harness_count_events (h, "late"), ==, 0);
  /* Now at 330 ms, and ticks are out to 290. */
  resampler_rig_push_lux (stream, start + 250 * MS, 250);
  acq_harness_advance (h, 20 * MS);
  g_assert_cmpuint (count_late (h), ==, 1);
  g_assert_cmpuint (acq_harness_count_events (h, "late"), ==, 1);
  /* It still serves: what comes next is between it and its successor. */
  resampler_rig_push_lux (stream, start + 345 * MS, 345);
  acq_harness_advance (h, 100 * MS);
  acq_harness_stop (h);
  g_assert_cmpuint (count_late (h), ==, 1);
  for (int i = 0; i < 45; i++) {
    double lux = resampler_rig_pop_lux (h, "lamp_lux", start + i * 10 * MS, TRUE);

    g_assert_cmpfloat (lux, ==,
                       i <= 20   ? i * 10 /* on the line */
                       : i < 30  ? 200    /* the late one had not come */
                       : i < 32  ? 250    /* it had, and its successor not */
                       : i <= 34 ? i * 10 /* between both */
                                 : 345);
  }
}

/* One notice, however many; another once it was quiet. */
static void
test_late_notices (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (100, 0, 0);
  AcqStream *stream = acq_harness_add_input (h, "lamp", &resampler_rig_lux);

  g_assert_true (acq_harness_start (h, NULL));
  for (int i = 0; i < 10; i++) {
    acq_harness_advance (h, 100 * MS);
    resampler_rig_push_lux (stream, acq_harness_now (h) - 60 * MS, i);
  }
  acq_harness_advance (h, 12 * S);
  g_assert_cmpuint (count_late (h), ==, 10);
  g_assert_cmpuint (acq_harness_count_events (h, "late"), ==, 1);
  resampler_rig_push_lux (stream, acq_harness_now (h) - 60 * MS, 11);
  acq_harness_advance (h, 20 * MS);
  g_assert_cmpuint (acq_harness_count_events (h, "late"), ==, 2);
}

/* The thread of the resampler did not run for a second: nothing is missed for it. */
static void
test_hiccup (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (100, 50, 0);
  AcqStreamInfo info = { .name = "lux", .schema = &acq_illuminance_schema, .rate_hz = 2000 };
  AcqStream *stream = acq_harness_add_input (h, "lamp", &info);
  gint64 start;

  g_assert_true (acq_harness_start (h, NULL));
  start = acq_harness_now (h);
  for (int i = 0; i < 2000; i++)
    resampler_rig_push_lux (stream, start + i * MS / 2, i * 0.5);
  acq_harness_advance (h, 1000 * MS - MS / 2);
  acq_harness_stop (h);
  for (int i = 0; i < 100; i++)
    g_assert_cmpfloat (resampler_rig_pop_lux (h, "lamp_lux", start + i * 10 * MS, TRUE), ==,
                       i * 10);
  g_assert_cmpuint (count_late (h), ==, 0);
}

/* A value that holds until the next one is valid however old, also from before the take. */
static void
test_latched (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (10, 50, 0);
  AcqStreamInfo info = { .name = "lux", .schema = &acq_illuminance_schema, .latched = TRUE };
  AcqStream *stream = acq_harness_add_input (h, "lamp", &info);
  gint64 start;

  g_assert_true (acq_harness_start (h, NULL));
  resampler_rig_push_lux (stream, acq_harness_now (h), 7);
  acq_harness_advance (h, 100 * MS);
  acq_harness_end_take (h);
  acq_harness_advance (h, 5 * S);
  start = acq_harness_now (h);
  acq_harness_begin_take (h, NULL);
  acq_harness_advance (h, 3050 * MS);
  resampler_rig_push_lux (stream, acq_harness_now (h), 9);
  acq_harness_advance (h, 950 * MS);
  acq_harness_stop (h);
  g_assert_cmpfloat (resampler_rig_pop_lux (h, "lamp_lux", start - 5100 * MS, TRUE), ==, 7);
  for (int i = 0; i < 40; i++)
    g_assert_cmpfloat (resampler_rig_pop_lux (h, "lamp_lux", start + i * 100 * MS, TRUE), ==,
                       i <= 30 ? 7 : 9);
}

/* A grid of a grid: latencies add up, and the values are still right. */
static void
test_chain (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (50, 40, 0);
  g_autofree char *directory =
      g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "plugins", "resampler", NULL);
  g_autoptr (AcqRegistry) registry = acq_registry_new (directory);
  g_autoptr (AcqNode) fine = acq_registry_create (registry, "resampler", "fine", NULL);
  AcqStream *stream = acq_harness_add_input (h, "lamp", &resampler_rig_lux);
  AcqGraph *graph = acq_harness_get_graph (h);
  gint64 start;

  g_assert_true (acq_node_set_option_text (fine, "rate-hz", "200", NULL));
  acq_harness_add_node (h, fine, "fine");
  g_assert_true (acq_graph_connect (graph, fine, "lamp", NULL, NULL));
  g_assert_true (acq_graph_connect (graph, acq_harness_get_node (h), "!lamp", NULL, NULL));
  g_assert_true (acq_graph_connect (graph, acq_harness_get_node (h), "fine.lamp*", NULL, NULL));
  g_assert_true (acq_harness_start (h, NULL));
  start = acq_harness_now (h);
  resampler_rig_play (h, stream, start, 10 * MS, 1000 * MS);
  g_assert_cmpuint (acq_harness_count (h, "fine_lamp_lux"), >, 30);
  for (int i = 0; i < 30; i++) {
    g_autoptr (AcqFrame) frame = acq_harness_pop (h, "fine_lamp_lux");

    g_assert_cmpint (frame->host_ns, ==, start + i * 20 * MS);
    g_assert_cmpuint (frame->flags & ACQ_FRAME_INVALID, ==, 0);
    g_assert_cmpfloat (((const AcqIlluminance *) frame->payload)->illuminance, ==, i * 20);
    g_assert_cmpint (acq_stream_get_latency (frame->stream), ==, (120 + 20 + 40) * MS);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/resampler/equal-length", test_equal_length);
  for (guint i = 0; i < G_N_ELEMENTS (joins); i++) {
    g_autofree char *path = g_strdup_printf ("/resampler/join/%d", joins[i].joins_ms);

    g_test_add_data_func (path, &joins[i], test_join);
  }
  g_test_add_func ("/resampler/join-expected", test_join_expected);
  g_test_add_func ("/resampler/late", test_late);
  g_test_add_func ("/resampler/late-notices", test_late_notices);
  g_test_add_func ("/resampler/hiccup", test_hiccup);
  g_test_add_func ("/resampler/latched", test_latched);
  g_test_add_func ("/resampler/chain", test_chain);
  return g_test_run ();
}
