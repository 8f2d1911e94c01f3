/* SPDX-License-Identifier: Apache-2.0 */

/* Whole small graphs: sources that push numbers, sinks that count them. */

#include <acq/acq.h>
#include <glib/gstdio.h>

/* A source that pushes `count` messages as fast as it can, numbered from 1, then ends. */

typedef struct {
  AcqSource parent_instance;
  gint64 count;
  AcqStream *stream;
} TestNumbers;

typedef struct {
  AcqSourceClass parent_class;
} TestNumbersClass;

GType test_numbers_get_type (void);
G_DEFINE_TYPE (TestNumbers, test_numbers, ACQ_TYPE_SOURCE)

static const AcqOption numbers_options[] = {
  { "count", ACQ_FIELD_INT (TestNumbers, count), .def = 1000, .min = 0, .max = 1e9,
    .help = "How many messages" },
};

static gboolean
test_numbers_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  TestNumbers *self = (TestNumbers *) node;

  self->stream = acq_source_add_stream (
      ACQ_SOURCE (node),
      &(AcqStreamInfo){
          .name = "imu", .schema = &acq_imu_schema, .rate_hz = 1000, .has_sequence = TRUE });
  return TRUE;
}

static gboolean
test_numbers_run (AcqSource *source, GCancellable *cancellable, GError **error)
{
  TestNumbers *self = (TestNumbers *) source;

  for (gint64 i = 1; i <= self->count && !g_cancellable_is_cancelled (cancellable); i++) {
    AcqFrame *frame;
    AcqImu *imu = acq_imu_begin (self->stream, &frame);

    imu->linear_acceleration.x = i;
    acq_stream_push (self->stream, frame, i, ACQ_TIME_NONE);
  }
  return TRUE;
}

static void
test_numbers_class_init (TestNumbersClass *klass)
{
  ACQ_NODE_CLASS (klass)->open = test_numbers_open;
  ACQ_SOURCE_CLASS (klass)->run = test_numbers_run;
  acq_node_class_add_options (ACQ_NODE_CLASS (klass), numbers_options, 1);
}

static void
test_numbers_init (TestNumbers *self)
{
}

/* A sink that checks order and counts. */

typedef struct {
  AcqSink parent_instance;
  guint64 n;
  double sum;
  gint64 last_host;
  guint begun, ended;
} TestCounter;

typedef struct {
  AcqSinkClass parent_class;
} TestCounterClass;

GType test_counter_get_type (void);
G_DEFINE_TYPE (TestCounter, test_counter, ACQ_TYPE_SINK)

static gboolean
test_counter_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  TestCounter *self = (TestCounter *) sink;

  for (guint i = 0; i < n; i++) {
    const AcqImu *imu = (const AcqImu *) items[i].frame->payload;

    g_assert_cmpint (items[i].frame->host_ns, >, self->last_host);
    self->last_host = items[i].frame->host_ns;
    self->sum += imu->linear_acceleration.x;
    self->n++;
    acq_link_settle_written (items[i].link, 1);
  }
  return TRUE;
}

static gboolean
test_counter_begin (AcqSink *sink, AcqTake *take, GError **error)
{
  ((TestCounter *) sink)->begun++;
  return TRUE;
}

static gboolean
test_counter_end (AcqSink *sink, AcqTake *take, GError **error)
{
  ((TestCounter *) sink)->ended++;
  return TRUE;
}

static void
test_counter_class_init (TestCounterClass *klass)
{
  AcqSinkClass *sink = ACQ_SINK_CLASS (klass);

  sink->write = test_counter_write;
  sink->begin = test_counter_begin;
  sink->end = test_counter_end;
  sink->queue_seconds = 30;
}

static void
test_counter_init (TestCounter *self)
{
}

static void
test_all_frames_arrive (void)
{
  g_autofree char *dir = g_dir_make_tmp ("acq-test-XXXXXX", NULL);
  g_autoptr (AcqGraph) graph = acq_graph_new (NULL);
  g_autoptr (GError) error = NULL;
  AcqNode *source =
      g_object_new (test_numbers_get_type (), "count", G_GINT64_CONSTANT (20000), NULL);
  AcqNode *sink = g_object_new (test_counter_get_type (), NULL);
  g_autoptr (AcqTake) take = NULL;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  g_autofree char *problem = NULL;

  acq_node_set_id (source, "numbers");
  acq_node_set_id (sink, "counter");
  g_assert_true (acq_graph_add (graph, source, NULL));
  g_assert_true (acq_graph_add (graph, sink, NULL));
  g_assert_true (acq_graph_connect (graph, sink, "*", NULL, NULL));
  take = acq_graph_begin_take (graph, dir, "test", 0, &error);
  g_assert_no_error (error);
  g_assert_true (acq_graph_start (graph, NULL, &error));
  g_assert_no_error (error);
  while (acq_graph_check (graph) == ACQ_GRAPH_GOES_ON)
    g_thread_yield ();
  g_assert_cmpint (acq_graph_check (graph), ==, ACQ_GRAPH_FINISHED);
  acq_graph_stop (graph, 10);

  snapshot = acq_graph_snapshot (graph);
  problem = acq_snapshot_balance (snapshot);
  g_assert_null (problem);
  {
    AcqStreamSnapshot *stream = snapshot->streams->pdata[0];
    AcqLinkSnapshot *link = &g_array_index (stream->links, AcqLinkSnapshot, 0);

    g_assert_cmpstr (stream->path, ==, "numbers.imu");
    g_assert_cmpuint (stream->frames, ==, 20000);
    g_assert_cmpuint (link->counters.offered, ==, 20000);
    g_assert_cmpuint (link->counters.written, ==, 20000);
    g_assert_cmpuint (link->counters.idle, ==, 0);
  }
  g_assert_cmpuint (((TestCounter *) sink)->n, ==, 20000);
  g_assert_cmpfloat (((TestCounter *) sink)->sum, ==, 20000.0 * 20001 / 2);
  g_assert_cmpuint (((TestCounter *) sink)->begun, ==, 1);
  g_assert_cmpuint (((TestCounter *) sink)->ended, ==, 1);
  g_object_unref (source);
  g_object_unref (sink);
  g_rmdir (acq_take_get_directory (take));
  g_rmdir (dir);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/all-frames-arrive", test_all_frames_arrive);
  return g_test_run ();
}
