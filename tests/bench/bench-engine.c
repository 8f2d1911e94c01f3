/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Frames per second through the engine, and the latency of one frame.
 *
 *   bench-engine link|transform FRAMES     source → [transform →] sink, lossless
 *   bench-engine latency FRAMES            1 kHz, a consumer that wants to be woken at once
 *
 * One line of JSON.
 */

#include "bench-common.h"

#include <string.h>
#include <time.h>

/* Source */

typedef struct {
  AcqSource parent_instance;
  gint64 frames;
  gint64 interval_ns;
  AcqStream *stream;
  gint64 begin_ns;
} BenchSource;

typedef struct {
  AcqSourceClass parent_class;
} BenchSourceClass;

GType bench_source_get_type (void);
G_DEFINE_TYPE (BenchSource, bench_source, ACQ_TYPE_SOURCE)

static gboolean
bench_source_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  BenchSource *self = (BenchSource *) node;

  self->stream = acq_source_add_stream (ACQ_SOURCE (node),
                                        &(AcqStreamInfo){ .name = "out",
                                                          .schema = &acq_twist_stamped_schema,
                                                          .rate_hz = 2048,
                                                          .has_sequence = TRUE });
  return TRUE;
}

static gboolean
bench_source_run (AcqSource *source, GCancellable *cancellable, GError **error)
{
  BenchSource *self = (BenchSource *) source;
  struct timespec next;

  self->begin_ns = bench_now_ns ();
  clock_gettime (CLOCK_MONOTONIC, &next);
  for (gint64 i = 1; i <= self->frames; i++) {
    AcqFrame *frame;
    AcqTwistStamped *twist = acq_twist_stamped_begin (self->stream, &frame);

    twist->twist.linear.x = i;
    acq_stream_push (self->stream, frame, i, ACQ_TIME_NONE);
    if (self->interval_ns > 0) {
      next.tv_nsec += self->interval_ns;
      next.tv_sec += next.tv_nsec / 1000000000;
      next.tv_nsec %= 1000000000;
      clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
  }
  return TRUE;
}

static void
bench_source_class_init (BenchSourceClass *klass)
{
  ACQ_NODE_CLASS (klass)->open = bench_source_open;
  ACQ_SOURCE_CLASS (klass)->run = bench_source_run;
}

static void
bench_source_init (BenchSource *self)
{
}

/* Transform: a copy of each frame */

typedef struct {
  AcqTransform parent_instance;
  AcqStream *stream;
} BenchCopy;

typedef struct {
  AcqTransformClass parent_class;
} BenchCopyClass;

GType bench_copy_get_type (void);
G_DEFINE_TYPE (BenchCopy, bench_copy, ACQ_TYPE_TRANSFORM)

static gboolean
bench_copy_add_link (AcqTransform *transform, AcqLink *link, GError **error)
{
  BenchCopy *self = (BenchCopy *) transform;

  self->stream =
      acq_transform_add_stream (transform, &(AcqStreamInfo){ .name = "out",
                                                             .schema = &acq_twist_stamped_schema,
                                                             .rate_hz = 2048,
                                                             .has_sequence = TRUE });
  return TRUE;
}

static gboolean
bench_copy_process (AcqTransform *transform, const AcqItem *items, guint n, GError **error)
{
  BenchCopy *self = (BenchCopy *) transform;

  for (guint i = 0; i < n; i++) {
    AcqFrame *frame;
    AcqTwistStamped *twist = acq_twist_stamped_begin (self->stream, &frame);

    memcpy (twist, items[i].frame->payload, sizeof *twist);
    acq_stream_push (self->stream, frame, items[i].frame->seq, ACQ_TIME_NONE);
  }
  return TRUE;
}

static void
bench_copy_class_init (BenchCopyClass *klass)
{
  ACQ_TRANSFORM_CLASS (klass)->add_link = bench_copy_add_link;
  ACQ_TRANSFORM_CLASS (klass)->process = bench_copy_process;
}

static void
bench_copy_init (BenchCopy *self)
{
}

/* Sinks: one polls every 10 ms, one is woken at once */

typedef struct {
  AcqSink parent_instance;
  AcqHostClock *clock;
  guint64 n;
  double sum;
  gint64 *latency; /* (nullable) */
} BenchSink;

typedef struct {
  AcqSinkClass parent_class;
} BenchSinkClass;

GType bench_sink_get_type (void);
GType bench_prompt_sink_get_type (void);
G_DEFINE_TYPE (BenchSink, bench_sink, ACQ_TYPE_SINK)

static gboolean
bench_sink_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  BenchSink *self = (BenchSink *) sink;

  for (guint i = 0; i < n; i++) {
    const AcqTwistStamped *twist = (const AcqTwistStamped *) items[i].frame->payload;

    if (self->latency != NULL)
      self->latency[self->n] = acq_host_clock_now (self->clock) - items[i].frame->host_ns;
    self->sum += twist->twist.linear.x;
    self->n++;
  }
  acq_link_settle_written (items[0].link, n);
  return TRUE;
}

static void
bench_sink_class_init (BenchSinkClass *klass)
{
  ACQ_SINK_CLASS (klass)->write = bench_sink_write;
}

static void
bench_sink_init (BenchSink *self)
{
}

typedef BenchSink BenchPromptSink;
typedef BenchSinkClass BenchPromptSinkClass;
G_DEFINE_TYPE (BenchPromptSink, bench_prompt_sink, bench_sink_get_type ())

static void
bench_prompt_sink_class_init (BenchPromptSinkClass *klass)
{
  ACQ_SINK_CLASS (klass)->max_latency_ms = 0;
}

static void
bench_prompt_sink_init (BenchPromptSink *self)
{
}

static AcqNode *
add (AcqGraph *graph, GType type, const char *id)
{
  AcqNode *node = g_object_new (type, NULL);

  acq_node_set_id (node, id);
  g_assert_true (acq_graph_add (graph, node, NULL));
  g_object_unref (node);
  return node;
}

int
main (int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "link";
  gint64 frames = argc > 2 ? g_ascii_strtoll (argv[2], NULL, 10) : 1000000;
  gboolean latency = g_str_equal (mode, "latency");
  gboolean transform = g_str_equal (mode, "transform");
  /* 65536 frames: as many as a file's queue of 30 s at 2 kHz. */
  AcqQueueConfig queue = { .seconds = 32, .max_bytes = 0, .when_full = ACQ_WHEN_FULL_WAIT };
  g_autofree char *dir = g_dir_make_tmp ("acq-bench-XXXXXX", NULL);
  g_autoptr (AcqHostClock) clock = acq_host_clock_new ();
  g_autoptr (AcqGraph) graph = acq_graph_new (clock);
  BenchSource *source = (BenchSource *) add (graph, bench_source_get_type (), "source");
  BenchSink *sink;
  g_autoptr (AcqTake) take = NULL;
  double seconds, cpu;

  if (transform) {
    AcqNode *copy = add (graph, bench_copy_get_type (), "copy");

    acq_graph_connect (graph, copy, "source", &queue, NULL);
  }
  sink = (BenchSink *) add (graph, latency ? bench_prompt_sink_get_type () : bench_sink_get_type (),
                            "sink");
  acq_graph_connect (graph, ACQ_NODE (sink), transform ? "copy" : "source", &queue, NULL);
  source->frames = frames;
  sink->clock = clock;
  if (latency) {
    source->interval_ns = 1000000;
    sink->latency = g_new0 (gint64, frames);
  }
  take = acq_graph_begin_take (graph, dir, "bench", 0, NULL);
  cpu = bench_cpu_s ();
  g_assert_true (acq_graph_start (graph, NULL, NULL));
  while (acq_graph_check (graph) == ACQ_GRAPH_GOES_ON)
    g_usleep (1000);
  acq_graph_stop (graph, 30);
  seconds = (bench_now_ns () - source->begin_ns) * 1e-9;
  cpu = bench_cpu_s () - cpu;
  g_assert_cmpuint (sink->n, ==, frames);
  g_assert_cmpfloat (sink->sum, ==, frames * (frames + 1.0) / 2);
  if (latency) {
    bench_sort (sink->latency, frames);
    g_print ("{\"p50_us\":%.2f,\"p99_us\":%.2f,\"p999_us\":%.2f}\n",
             bench_quantile (sink->latency, frames, 0.5) * 1e-3,
             bench_quantile (sink->latency, frames, 0.99) * 1e-3,
             bench_quantile (sink->latency, frames, 0.999) * 1e-3);
  } else
    g_print ("{\"frames_per_s\":%.0f,\"cpu_ns_per_frame\":%.1f}\n", frames / seconds,
             cpu / frames * 1e9);
  g_free (sink->latency);
  bench_remove_take (take, dir);
  return 0;
}
