/* SPDX-License-Identifier: Apache-2.0 */

/* Order of time across streams at the sink, also at the seam of a take: what transforms make of
 * messages from before it began comes where it belongs. Real threads, real clock. */

#include <acq/acq-harness.h>
#include <acq/acq.h>
#include <glib/gstdio.h>

#define MS G_GINT64_CONSTANT (1000000)

/* Twice as long as a consumer holds messages back, and far less than the seams here. */
#define TOLERANCE_NS (30 * MS)

/* A source: a message every millisecond, after a while. */

typedef struct {
  AcqSource parent_instance;
  guint open_ms;
  AcqStream *lux;
} TestLamp;

typedef struct {
  AcqSourceClass parent_class;
} TestLampClass;

GType test_lamp_get_type (void);
G_DEFINE_TYPE (TestLamp, test_lamp, ACQ_TYPE_SOURCE)

static gboolean
test_lamp_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  TestLamp *self = (TestLamp *) node;
  AcqStreamInfo info = { .name = "lux", .schema = &acq_illuminance_schema, .rate_hz = 1000 };

  g_usleep (self->open_ms * 1000);
  self->lux = acq_source_add_stream (ACQ_SOURCE (node), &info);
  return TRUE;
}

static gboolean
test_lamp_run (AcqSource *source, GCancellable *cancellable, GError **error)
{
  TestLamp *self = (TestLamp *) source;

  while (!g_cancellable_is_cancelled (cancellable)) {
    AcqFrame *frame;

    acq_illuminance_begin (self->lux, &frame);
    acq_stream_push (self->lux, frame, 0, ACQ_TIME_NONE);
    g_usleep (1000);
  }
  return TRUE;
}

static void
test_lamp_class_init (TestLampClass *klass)
{
  ACQ_NODE_CLASS (klass)->open = test_lamp_open;
  ACQ_SOURCE_CLASS (klass)->run = test_lamp_run;
}

static void
test_lamp_init (TestLamp *self)
{
}

/* A transform: the same message at the same time. */

typedef struct {
  AcqTransform parent_instance;
} TestCopy;

typedef struct {
  AcqTransformClass parent_class;
} TestCopyClass;

GType test_copy_get_type (void);
G_DEFINE_TYPE (TestCopy, test_copy, ACQ_TYPE_TRANSFORM)

static gboolean
test_copy_add_link (AcqTransform *transform, AcqLink *link, GError **error)
{
  AcqStream *in = acq_link_get_stream (link);
  g_autofree char *name = g_strdup_printf ("of_%s", acq_node_get_id (acq_stream_get_node (in)));
  AcqStreamInfo info = { .name = name,
                         .schema = &acq_illuminance_schema,
                         .rate_hz = 1000,
                         .latency_ns = acq_transform_get_delay (transform) };

  acq_link_set_data (link, acq_transform_add_stream (transform, &info), NULL);
  return TRUE;
}

static gboolean
test_copy_process (AcqTransform *transform, const AcqItem *items, guint n, GError **error)
{
  for (guint i = 0; i < n; i++) {
    AcqStream *out = acq_link_get_data (items[i].link);
    AcqFrame *frame;

    acq_illuminance_begin (out, &frame);
    frame->host_ns = items[i].frame->host_ns;
    acq_stream_push (out, frame, 0, ACQ_TIME_NONE);
  }
  return TRUE;
}

static void
test_copy_class_init (TestCopyClass *klass)
{
  ACQ_TRANSFORM_CLASS (klass)->add_link = test_copy_add_link;
  ACQ_TRANSFORM_CLASS (klass)->process = test_copy_process;
}

static void
test_copy_init (TestCopy *self)
{
}

/* A sink that looks at the times of what it gets in a take. */

typedef struct {
  AcqSink parent_instance;
  gint64 newest_ns;
  gint64 step_back_ns; /* the largest */
  gint64 first_ns;
  guint n_raw, n_copies;
} TestOrder;

typedef struct {
  AcqSinkClass parent_class;
} TestOrderClass;

GType test_order_get_type (void);
G_DEFINE_TYPE (TestOrder, test_order, ACQ_TYPE_SINK)

static gboolean
test_order_begin (AcqSink *sink, AcqTake *take, GError **error)
{
  TestOrder *self = (TestOrder *) sink;

  self->first_ns = self->newest_ns = self->step_back_ns = 0;
  self->n_raw = self->n_copies = 0;
  return TRUE;
}

static gboolean
test_order_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  TestOrder *self = (TestOrder *) sink;

  for (guint i = 0; i < n; i++) {
    const AcqFrame *frame = items[i].frame;

    if (self->first_ns == 0)
      self->first_ns = frame->host_ns;
    self->step_back_ns = MAX (self->step_back_ns, self->newest_ns - frame->host_ns);
    self->newest_ns = MAX (self->newest_ns, frame->host_ns);
    if (ACQ_IS_TRANSFORM (acq_stream_get_node (frame->stream)))
      self->n_copies++;
    else
      self->n_raw++;
    acq_link_settle_written (items[i].link, 1);
  }
  return TRUE;
}

static void
test_order_class_init (TestOrderClass *klass)
{
  ACQ_SINK_CLASS (klass)->begin = test_order_begin;
  ACQ_SINK_CLASS (klass)->write = test_order_write;
  ACQ_SINK_CLASS (klass)->max_latency_ms = 10;
  ACQ_SINK_CLASS (klass)->queue_seconds = 10;
}

static void
test_order_init (TestOrder *self)
{
}

typedef struct {
  AcqHarness *h;
  TestOrder *sink;
} Fixture;

static TestLamp *
add_lamp (Fixture *f, const char *id, guint open_ms)
{
  g_autoptr (AcqNode) lamp = g_object_new (test_lamp_get_type (), NULL);

  ((TestLamp *) lamp)->open_ms = open_ms;
  acq_harness_add_node (f->h, lamp, id);
  return (TestLamp *) lamp;
}

static void
setup (Fixture *f, gconstpointer data)
{
  g_autoptr (AcqNode) copy = g_object_new (test_copy_get_type (), NULL);
  AcqNode *sink = g_object_new (test_order_get_type (), NULL);
  AcqGraph *graph;

  f->h = acq_harness_new (sink, "order");
  f->sink = (TestOrder *) sink;
  acq_harness_set_live (f->h);
  graph = acq_harness_get_graph (f->h);
  add_lamp (f, "fast", 0);
  add_lamp (f, "slow", 300);
  acq_harness_add_node (f->h, copy, "copy");
  g_assert_true (acq_graph_connect (graph, copy, "fast", NULL, NULL));
  g_assert_true (acq_graph_connect (graph, copy, "slow", NULL, NULL));
  g_assert_true (acq_graph_connect (graph, sink, "*", NULL, NULL));
}

static void
teardown (Fixture *f, gconstpointer data)
{
  acq_harness_free (f->h);
}

/* A device that takes its time to open: the others have been sending since. */
static void
test_start (Fixture *f, gconstpointer data)
{
  gint64 begun_ns = acq_harness_now (f->h);

  g_assert_true (acq_harness_start (f->h, NULL));
  g_usleep (200000);
  acq_harness_stop (f->h);
  g_assert_cmpint (f->sink->first_ns - begun_ns, <, 1000 * MS);
  g_assert_cmpint (f->sink->step_back_ns, <, TOLERANCE_NS);
  g_assert_cmpuint (f->sink->n_raw, >, 20);
  g_assert_cmpuint (f->sink->n_copies, ==, f->sink->n_raw);
}

/* A take that begins with what was kept. */
static void
test_preroll (Fixture *f, gconstpointer data)
{
  acq_graph_set_preroll (acq_harness_get_graph (f->h), 2);
  g_assert_true (acq_harness_start (f->h, NULL));
  acq_harness_end_take (f->h);
  g_usleep (400000);
  {
    g_autoptr (AcqTake) take = NULL;
    g_autofree char *directory = g_dir_make_tmp ("acq-order-XXXXXX", NULL);
    gint64 from_ns = acq_harness_now (f->h) - 250 * MS;

    take = acq_graph_begin_take (acq_harness_get_graph (f->h), directory, "pre", from_ns, NULL);
    g_usleep (200000);
    acq_harness_stop (f->h);
    g_assert_cmpint (f->sink->first_ns, >=, from_ns);
    g_assert_cmpint (f->sink->first_ns, <, from_ns + 200 * MS);
    g_assert_cmpint (g_rmdir (acq_take_get_directory (take)), ==, 0);
    g_rmdir (directory);
  }
  g_assert_cmpint (f->sink->step_back_ns, <, TOLERANCE_NS);
  g_assert_cmpuint (f->sink->n_raw, >, 20);
  g_assert_cmpuint (f->sink->n_copies, ==, f->sink->n_raw);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/order/start", Fixture, NULL, setup, test_start, teardown);
  g_test_add ("/order/preroll", Fixture, NULL, setup, test_preroll, teardown);
  return g_test_run ();
}
