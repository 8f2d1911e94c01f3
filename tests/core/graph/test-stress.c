/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Several sources, small queues that evict, a transform, two sinks of which one
 * is slow, and somebody who reads the ledger all the time. For ThreadSanitizer,
 * and for the balance at every instant.
 */

#include <string.h>

#include <glib/gstdio.h>

#include <acq/acq-harness.h>
#include <acq/acq.h>

#define N_SOURCES 4
#define N_FRAMES 20000

typedef struct {
  AcqSource parent_instance;
  AcqStream *a, *b;
} TestBusy;

typedef struct {
  AcqSourceClass parent_class;
} TestBusyClass;

GType test_busy_get_type (void);
G_DEFINE_TYPE (TestBusy, test_busy, ACQ_TYPE_SOURCE)

static gboolean
test_busy_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  TestBusy *self = (TestBusy *) node;

  self->a = acq_source_add_stream (
      ACQ_SOURCE (node),
      &(AcqStreamInfo){ .name = "a", .schema = &acq_illuminance_schema, .rate_hz = 1000 });
  self->b = acq_source_add_stream (ACQ_SOURCE (node), &(AcqStreamInfo){ .name = "b",
                                                                        .schema = &acq_raw_schema,
                                                                        .rate_hz = 1000,
                                                                        .max_tail = 9000,
                                                                        .latched = TRUE });
  return TRUE;
}

static gboolean
test_busy_run (AcqSource *source, GCancellable *cancellable, GError **error)
{
  TestBusy *self = (TestBusy *) source;

  for (int i = 0; i < N_FRAMES && !g_cancellable_is_cancelled (cancellable); i++) {
    AcqFrame *frame;
    gsize n = (i * 37) % 9000;

    acq_illuminance_begin (self->a, &frame)->illuminance = i;
    acq_stream_push (self->a, frame, 0, ACQ_TIME_NONE);
    if (i % 4 == 0) {
      memset (acq_raw_tail (acq_raw_begin (self->b, n, &frame)), i, n);
      acq_stream_push (self->b, frame, 0, ACQ_TIME_NONE);
    }
    acq_stream_count (self->a, ACQ_STREAM_REPEATS, 1);
  }
  return TRUE;
}

static void
test_busy_class_init (TestBusyClass *klass)
{
  ACQ_NODE_CLASS (klass)->open = test_busy_open;
  ACQ_SOURCE_CLASS (klass)->run = test_busy_run;
}

static void
test_busy_init (TestBusy *self)
{
}

typedef struct {
  AcqSink parent_instance;
  guint slow_us;
  guint64 n;
} TestSlow;

typedef struct {
  AcqSinkClass parent_class;
} TestSlowClass;

GType test_slow_get_type (void);
G_DEFINE_TYPE (TestSlow, test_slow, ACQ_TYPE_SINK)

static gboolean
test_slow_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  TestSlow *self = (TestSlow *) sink;

  for (guint i = 0; i < n; i++) {
    g_assert_cmpuint (items[i].frame->size, >=, 8);
    acq_link_settle_written (items[i].link, 1);
  }
  self->n += n;
  if (self->slow_us > 0)
    g_usleep (self->slow_us); /* a slow disk */
  return TRUE;
}

static void
test_slow_class_init (TestSlowClass *klass)
{
  ACQ_SINK_CLASS (klass)->write = test_slow_write;
}

static void
test_slow_init (TestSlow *self)
{
}

static void
test_everything_at_once (void)
{
  g_autofree char *dir = g_dir_make_tmp ("acq-stress-XXXXXX", NULL);
  g_autoptr (AcqGraph) graph = acq_graph_new (NULL);
  g_autoptr (AcqTake) take = NULL;
  AcqQueueConfig queue = { .seconds = 0.01, .max_bytes = 64 * 1024, .when_full = -1 };
  TestSlow *sinks[2];
  g_autoptr (AcqSnapshot) last = NULL;

  for (int i = 0; i < N_SOURCES; i++) {
    g_autoptr (AcqNode) node = g_object_new (test_busy_get_type (), NULL);
    g_autofree char *id = g_strdup_printf ("busy_%d", i);

    acq_node_set_id (node, id);
    g_assert_true (acq_graph_add (graph, node, NULL));
  }
  for (int i = 0; i < 2; i++) {
    sinks[i] = g_object_new (test_slow_get_type (), NULL);
    sinks[i]->slow_us = i * 3000;
    acq_node_set_id (ACQ_NODE (sinks[i]), i == 0 ? "quick" : "slow");
    g_assert_true (acq_graph_add (graph, ACQ_NODE (sinks[i]), NULL));
    acq_graph_connect (graph, ACQ_NODE (sinks[i]), "*", &queue, NULL);
    acq_graph_connect (graph, ACQ_NODE (sinks[i]), "acq", NULL, NULL);
  }
  take = acq_graph_begin_take (graph, dir, NULL, 0, NULL);
  g_assert_true (acq_graph_start (graph, NULL, NULL));
  do {
    g_autoptr (AcqSnapshot) snapshot = acq_graph_snapshot (graph);
    g_autofree char *problem = acq_snapshot_balance (snapshot);

    g_assert_cmpstr (problem, ==, NULL);
  } while (acq_graph_check (graph) == ACQ_GRAPH_GOES_ON);
  g_assert_true (acq_graph_flush (graph, 30));
  acq_graph_stop (graph, 30);
  last = acq_graph_snapshot (graph);
  for (guint i = 0; i < last->streams->len; i++) {
    const AcqStreamSnapshot *stream = last->streams->pdata[i];

    g_assert_cmpuint (stream->links->len, ==, 2);
    for (guint k = 0; k < 2; k++) {
      const AcqLinkCounters *n = &g_array_index (stream->links, AcqLinkSnapshot, k).counters;

      g_assert_cmpuint (n->offered, ==, stream->frames);
      g_assert_cmpuint (n->written + n->dropped[ACQ_DROP_OLDEST] + n->dropped[ACQ_DROP_MEMORY], ==,
                        n->offered);
    }
    if (g_str_has_suffix (stream->path, ".a"))
      g_assert_cmpuint (stream->frames, ==, N_FRAMES);
  }
  for (int i = 0; i < 2; i++)
    g_object_unref (sinks[i]);
  g_rmdir (acq_take_get_directory (take));
  g_rmdir (dir);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stress/everything-at-once", test_everything_at_once);
  return g_test_run ();
}
