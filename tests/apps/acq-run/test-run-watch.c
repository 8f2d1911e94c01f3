/* SPDX-License-Identifier: Apache-2.0 */

/* Alerts come when something lasts, once, and again when it is over. */

#include <string.h>

#include <acq/acq.h>

#include "run-view.h"
#include "run-watch.h"

static const char pipeline_text[] = "{ \"sources\": { \"one\": { \"plugin\": \"number-source\" } },"
                                    "  \"sinks\": { \"keep\": { \"plugin\": \"number-sink\" } } }";

static AcqPipeline *
load (void)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "tests", "plugins-for-tests", NULL);
  g_autoptr (AcqRegistry) registry = acq_registry_new (path);
  g_autoptr (GPtrArray) problems = NULL;
  AcqPipeline *pipeline = acq_pipeline_load (registry, "test", pipeline_text, NULL, &problems);

  g_assert_nonnull (pipeline);
  return pipeline;
}

/* One look with a disk that lasts @seconds. Returns the name of the event, or "". */
static char *
look (RunWatch *watch, AcqPipeline *pipeline, double elapsed_s, double seconds)
{
  AcqGraph *graph = acq_pipeline_get_graph (pipeline);
  g_autoptr (AcqSnapshot) snapshot = acq_graph_snapshot (graph);
  g_autoptr (RunRates) rates = run_rates_new ();
  g_autoptr (GArray) sinks = run_rates_look (rates, snapshot, NULL);
  RunView view = {
    .snapshot = snapshot, .phase = RUN_RECORDING, .elapsed_s = elapsed_s, .sinks = sinks
  };
  g_autoptr (GPtrArray) events = NULL;

  g_assert_cmpuint (sinks->len, ==, 1);
  g_array_index (sinks, RunSinkView, 0).seconds_left = seconds;
  g_array_index (sinks, RunSinkView, 0).free_bytes = 1000000;
  run_watch_look (watch, &view);
  events = acq_graph_pop_events (graph);
  g_assert_cmpuint (events->len, <=, 1);
  return g_strdup (events->len > 0 ? ((AcqEvent *) events->pdata[0])->name : "");
}

static void
test_disk (void)
{
  static const struct {
    double seconds;
    const char *event;
  } looks[] = {
    { 10000, "" }, { 500, "" }, /* for a moment */
    { 10000, "" }, { 500, "" },   { 500, "disk_low" },
    { 500, "" },   { 700, "" }, /* between the limits */
    { 700, "" },   { 10000, "" }, { 10000, "" },
    { 10000, "" }, { 10000, "" }, { 10000, "disk_enough" },
    { -1, "" }, /* unknown */
    { -1, "" },
  };
  g_autoptr (AcqPipeline) pipeline = load ();
  g_autoptr (RunWatch) watch = run_watch_new (pipeline);

  /* At first the speed is a guess. */
  for (int i = 0; i < 3; i++) {
    g_autofree char *event = look (watch, pipeline, i, 1);

    g_assert_cmpstr (event, ==, "");
  }
  for (gsize i = 0; i < G_N_ELEMENTS (looks); i++) {
    g_autofree char *event = look (watch, pipeline, 10 + i, looks[i].seconds);

    g_test_message ("look %d: %s", (int) i, event);
    g_assert_cmpstr (event, ==, looks[i].event);
  }
}

static void
test_rates (void)
{
  g_autoptr (AcqPipeline) pipeline = load ();
  g_autoptr (RunRates) rates = run_rates_new ();
  g_autoptr (AcqSnapshot) snapshot = acq_graph_snapshot (acq_pipeline_get_graph (pipeline));
  AcqNodeSnapshot *sink = snapshot->nodes->pdata[1];

  g_assert_cmpstr (sink->id, ==, "keep");
  /* 1 MB a second for ten seconds, then nothing. */
  for (int second = 0; second <= 20; second++) {
    g_autoptr (GArray) sinks = NULL;
    const RunSinkView *view;

    snapshot->host_ns += 1000000000;
    sink->progress.bytes = (guint64) MIN (second, 10) * 1000000;
    sink->progress.free_bytes = 50000000;
    sinks = run_rates_look (rates, snapshot, NULL);
    view = &g_array_index (sinks, RunSinkView, 0);
    if (second >= 1 && second <= 10) {
      g_assert_cmpfloat_with_epsilon (view->bytes_per_s, 1e6, 1);
      g_assert_cmpfloat_with_epsilon (view->seconds_left, 50, 0.01);
    }
    if (second >= 16) {
      g_assert_cmpfloat (view->bytes_per_s, ==, 0);
      g_assert_cmpfloat (view->seconds_left, <, 0);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/watch/disk", test_disk);
  g_test_add_func ("/run/view/rates", test_rates);
  return g_test_run ();
}
