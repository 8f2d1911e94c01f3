/* SPDX-License-Identifier: Apache-2.0 */

/* Takes, pauses and pre-roll: which frame belongs where, on a fake clock. */

#include <acq/acq-harness.h>
#include <acq/acq.h>
#include <glib/gstdio.h>

#define MS G_GINT64_CONSTANT (1000000)

/* A sink that writes down what it is told, as text. */

typedef struct {
  AcqSink parent_instance;
  GString *log;
  AcqStream *flood; /* (nullable): gets more than a round takes, as often as flood_left says */
  guint flood_left;
  guint flood_left_at_begin;
} TestLog;

typedef struct {
  AcqSinkClass parent_class;
} TestLogClass;

GType test_log_get_type (void);
G_DEFINE_TYPE (TestLog, test_log, ACQ_TYPE_SINK)

static gboolean
test_log_begin (AcqSink *sink, AcqTake *take, GError **error)
{
  TestLog *self = (TestLog *) sink;

  g_string_append (self->log, "[");
  self->flood_left_at_begin = self->flood_left;
  return TRUE;
}

static void
push_many (AcqStream *stream, guint n)
{
  for (guint i = 0; i < n; i++) {
    AcqFrame *frame;

    acq_illuminance_begin (stream, &frame);
    acq_stream_push (stream, frame, 0, ACQ_TIME_NONE);
  }
}

static gboolean
test_log_tick (AcqSink *sink, gint64 now_ns, GError **error)
{
  TestLog *self = (TestLog *) sink;

  if (self->flood_left > 0) {
    self->flood_left--;
    push_many (self->flood, 300);
    acq_host_clock_advance (acq_node_get_host_clock (ACQ_NODE (sink)), 20 * MS);
  }
  return TRUE;
}

static gboolean
test_log_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  for (guint i = 0; i < n; i++) {
    const AcqIlluminance *lux = (const AcqIlluminance *) items[i].frame->payload;

    g_string_append_printf (((TestLog *) sink)->log, "%g ", lux->illuminance);
    acq_link_settle_written (items[i].link, 1);
  }
  return TRUE;
}

static gboolean
test_log_end (AcqSink *sink, AcqTake *take, GError **error)
{
  g_string_append (((TestLog *) sink)->log, "]");
  return TRUE;
}

static void
test_log_finalize (GObject *object)
{
  g_string_free (((TestLog *) object)->log, TRUE);
  G_OBJECT_CLASS (test_log_parent_class)->finalize (object);
}

static void
test_log_class_init (TestLogClass *klass)
{
  AcqSinkClass *sink = ACQ_SINK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = test_log_finalize;
  sink->begin = test_log_begin;
  sink->write = test_log_write;
  sink->tick = test_log_tick;
  sink->end = test_log_end;
}

static void
test_log_init (TestLog *self)
{
  self->log = g_string_new (NULL);
}

typedef struct {
  AcqHarness *h;
  AcqStream *lux;
  TestLog *sink;
} Fixture;

static void
setup (Fixture *f, gconstpointer preroll)
{
  f->h = acq_harness_new (g_object_new (test_log_get_type (), NULL), "log");
  f->sink = (TestLog *) acq_harness_get_node (f->h);
  acq_graph_set_preroll (acq_harness_get_graph (f->h), GPOINTER_TO_INT (preroll) * 1e-3);
  f->lux = acq_harness_add_input (
      f->h, "lamp",
      &(AcqStreamInfo){ .name = "lux", .schema = &acq_illuminance_schema, .rate_hz = 100 });
}

static void
teardown (Fixture *f, gconstpointer data)
{
  acq_harness_free (f->h);
}

/* One frame every 10 ms, numbered on. */
static void
push (Fixture *f, int first, int last)
{
  for (int i = first; i <= last; i++) {
    AcqFrame *frame;

    acq_harness_advance (f->h, 10 * MS);
    acq_illuminance_begin (f->lux, &frame)->illuminance = i;
    acq_stream_push (f->lux, frame, 0, ACQ_TIME_NONE);
  }
}

static void
check (Fixture *f, const char *log, guint64 written, guint64 idle, guint64 paused)
{
  g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (f->h);
  const AcqStreamSnapshot *stream = acq_snapshot_find_stream (snapshot, "lamp.lux");
  const AcqLinkCounters *n = &g_array_index (stream->links, AcqLinkSnapshot, 0).counters;

  g_assert_cmpstr (f->sink->log->str, ==, log);
  g_assert_cmpuint (n->written, ==, written);
  g_assert_cmpuint (n->idle, ==, idle);
  g_assert_cmpuint (n->paused, ==, paused);
}

static void
test_one_take (Fixture *f, gconstpointer data)
{
  g_assert_true (acq_harness_start (f->h, NULL));
  push (f, 1, 5);
  acq_harness_stop (f->h);
  check (f, "[1 2 3 4 5 ]", 5, 0, 0);
}

static void
test_two_takes (Fixture *f, gconstpointer data)
{
  g_assert_true (acq_harness_start (f->h, NULL));
  push (f, 1, 3);
  acq_harness_advance (f->h, 5 * MS);
  acq_harness_end_take (f->h);
  acq_harness_advance (f->h, 5 * MS);
  push (f, 4, 6);
  acq_harness_advance (f->h, 200 * MS);
  check (f, "[1 2 3 ]", 3, 3, 0);
  acq_harness_begin_take (f->h, NULL);
  push (f, 7, 8);
  acq_harness_stop (f->h);
  check (f, "[1 2 3 ][7 8 ]", 5, 3, 0);
}

static void
test_pause (Fixture *f, gconstpointer data)
{
  AcqGraph *graph = acq_harness_get_graph (f->h);

  g_assert_true (acq_harness_start (f->h, NULL));
  push (f, 1, 3);
  acq_harness_advance (f->h, 5 * MS);
  acq_graph_pause (graph, 0);
  push (f, 4, 6);
  acq_harness_advance (f->h, 5 * MS);
  acq_graph_resume (graph, 0);
  push (f, 7, 8);
  acq_harness_stop (f->h);
  check (f, "[1 2 3 7 8 ]", 5, 0, 3);
}

/* Frames from before the cut are in the take, without a seam; older ones are idle. */
static void
test_preroll (Fixture *f, gconstpointer data)
{
  g_assert_true (acq_harness_start (f->h, NULL));
  push (f, 1, 1);
  acq_harness_advance (f->h, 5 * MS);
  acq_harness_end_take (f->h);
  acq_harness_advance (f->h, 500 * MS);
  push (f, 2, 9);
  acq_harness_advance (f->h, 20 * MS);
  {
    /* 5 was pushed 60 ms ago. */
    g_autofree char *dir = g_dir_make_tmp ("acq-take-XXXXXX", NULL);
    g_autoptr (AcqTake) take = acq_graph_begin_take (acq_harness_get_graph (f->h), dir, "pre",
                                                     acq_harness_now (f->h) - 65 * MS, NULL);

    push (f, 10, 11);
    acq_harness_stop (f->h);
    g_assert_cmpint (g_rmdir (acq_take_get_directory (take)), ==, 0);
    g_rmdir (dir);
  }
  check (f, "[1 ][5 6 7 8 9 10 11 ]", 8, 3, 0);
}

/* A take begins although the queue never runs dry. */
static void
test_preroll_flood (Fixture *f, gconstpointer data)
{
  const AcqStreamInfo info = { .name = "lux", .schema = &acq_illuminance_schema, .rate_hz = 10000 };
  g_autofree char *dir = g_dir_make_tmp ("acq-take-XXXXXX", NULL);
  g_autoptr (AcqTake) take = NULL;

  f->sink->flood = acq_harness_add_input (f->h, "sun", &info);
  g_assert_true (acq_harness_start (f->h, NULL));
  acq_harness_end_take (f->h);
  acq_harness_advance (f->h, 500 * MS);
  push_many (f->sink->flood, 300);
  f->sink->flood_left = 20;
  take = acq_graph_begin_take (acq_harness_get_graph (f->h), dir, "flood", 0, NULL);
  acq_harness_advance (f->h, 20 * MS);
  g_assert_cmpuint (f->sink->flood_left, ==, 0);
  g_assert_cmpuint (f->sink->flood_left_at_begin, >=, 15);
  acq_harness_stop (f->h);
  g_assert_cmpint (g_rmdir (acq_take_get_directory (take)), ==, 0);
  g_rmdir (dir);
}

/* A sink that wants everything at once does not resume before a stream that comes later has. */
static void
test_pause_latency (void)
{
  AcqSinkClass *klass = g_type_class_ref (test_log_get_type ());
  guint usual_ms = klass->max_latency_ms;
  Fixture f = { 0 };
  AcqStreamInfo info = {
    .name = "lux", .schema = &acq_illuminance_schema, .rate_hz = 100, .latency_ns = 40 * MS
  };
  gint64 start;

  klass->max_latency_ms = 0;
  f.h = acq_harness_new (g_object_new (test_log_get_type (), NULL), "log");
  f.sink = (TestLog *) acq_harness_get_node (f.h);
  f.lux = acq_harness_add_input (f.h, "lamp", &info);
  klass->max_latency_ms = usual_ms;
  g_type_class_unref (klass);
  g_assert_true (acq_harness_start (f.h, NULL));
  start = acq_harness_now (f.h);
  acq_graph_pause (acq_harness_get_graph (f.h), start + 25 * MS);
  acq_graph_resume (acq_harness_get_graph (f.h), start + 55 * MS);
  acq_harness_advance (f.h, 40 * MS);
  for (int i = 0; i < 9; i++) {
    AcqFrame *frame;

    acq_illuminance_begin (f.lux, &frame)->illuminance = i;
    frame->host_ns = start + i * 10 * MS;
    acq_stream_push (f.lux, frame, 0, ACQ_TIME_NONE);
    acq_harness_advance (f.h, 10 * MS);
  }
  acq_harness_stop (f.h);
  check (&f, "[0 1 2 6 7 8 ]", 6, 0, 3);
  acq_harness_free (f.h);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/take/one", Fixture, GINT_TO_POINTER (0), setup, test_one_take, teardown);
  g_test_add ("/take/two", Fixture, GINT_TO_POINTER (0), setup, test_two_takes, teardown);
  g_test_add ("/take/pause", Fixture, GINT_TO_POINTER (0), setup, test_pause, teardown);
  g_test_add ("/take/preroll", Fixture, GINT_TO_POINTER (100), setup, test_preroll, teardown);
  g_test_add ("/take/preroll-flood", Fixture, GINT_TO_POINTER (100), setup, test_preroll_flood,
              teardown);
  g_test_add_func ("/take/pause-latency", test_pause_latency);
  return g_test_run ();
}
