/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The rig W1 through the engine: five devices with a thread each, 22 streams, 12.2 k
 * messages a second.
 *
 *   bench-rig SPEED SECONDS SINK [OPTION=VALUE ...]
 *   bench-rig SPEED SECONDS idle                 the devices only sleep and wake
 *
 * SPEED 1 is real time, 10 ten times that, 0 as fast as the sink takes it (lossless);
 * SECONDS are the rig's. One line of JSON: CPU, memory, what was lost, and above real time
 * what a push took: at other speeds the clocks are left out of what is measured.
 */

#include "bench-common.h"
#include "rig.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* One device: pushes what is due of all its streams, as often as its fastest one is. */
typedef struct {
  AcqSource parent_instance;
  const Rig *rig;
  double speed;
  guint seconds;
  gboolean idle;
  AcqStream *streams[32]; /* by channel; NULL for those of other nodes */
  guint64 sent[32];
  guint rate_hz;
  GPtrArray *mine; /* of RigMessage: one stretch */
  gint64 *push_ns; /* (nullable): what each push took */
  guint n_pushes;
  guint64 bytes;
  double cpu_s; /* of this thread */
} BenchDevice;

typedef struct {
  AcqSourceClass parent_class;
} BenchDeviceClass;

GType bench_device_get_type (void);
G_DEFINE_TYPE (BenchDevice, bench_device, ACQ_TYPE_SOURCE)

static AcqStream *
add_stream (AcqSource *source, const RigChannel *channel)
{
  AcqTailLayout tail = { .kind = ACQ_KIND_F32,
                         .count = (guint) (channel->tail / sizeof (float)),
                         .interp = ACQ_INTERP_LINEAR,
                         .has_invalid = TRUE,
                         .invalid = -1 };
  AcqStream *stream =
      acq_source_add_stream (source, &(AcqStreamInfo){ .name = channel->name,
                                                       .schema = channel->schema,
                                                       .rate_hz = channel->rate_hz,
                                                       .has_sequence = TRUE,
                                                       .tail = channel->tail > 0 ? &tail : NULL });

  if (channel->schema == &acq_hand_skeleton_schema)
    acq_stream_set_count (stream, "joints", 21);
  if (channel->schema == &acq_joint_state_schema)
    acq_stream_set_count (stream, "position", 8);
  return stream;
}

static gboolean
bench_device_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  BenchDevice *self = (BenchDevice *) node;
  const Rig *rig = self->rig;

  for (guint i = 0; i < rig->n_channels; i++)
    if (g_str_equal (rig->channels[i].node, acq_node_get_id (node))) {
      self->streams[i] = add_stream (ACQ_SOURCE (node), &rig->channels[i]);
      self->rate_hz = MAX (self->rate_hz, rig->channels[i].rate_hz);
    }
  self->mine = g_ptr_array_new ();
  for (guint i = 0; i < rig->n_messages; i++)
    if (self->streams[rig->messages[i].channel] != NULL)
      g_ptr_array_add (self->mine, &rig->messages[i]);
  if (self->speed > 1)
    self->push_ns = g_new (gint64, self->mine->len * (self->seconds * 1000 / rig->stretch_ms));
  return TRUE;
}

static gint64
read_clock (const BenchDevice *self)
{
  return self->push_ns != NULL ? bench_now_ns () : 0;
}

static void
push_one (BenchDevice *self, const RigMessage *message)
{
  const AcqCdrInput *input = &message->input;
  AcqStream *stream = self->streams[message->channel];
  gsize tail = self->rig->channels[message->channel].tail;
  gint64 begin = read_clock (self), filled;
  AcqFrame *frame;
  gpointer payload = tail > 0 ? acq_stream_begin_sized (stream, input->schema, tail, &frame)
                              : acq_stream_begin (stream, input->schema, &frame);

  /* The device's own work is not the engine's. */
  filled = read_clock (self);
  memcpy (payload, input->payload, input->payload_size);
  begin += read_clock (self) - filled;
  self->bytes += message->cdr_size;
  acq_stream_push (stream, frame, ++self->sent[message->channel], ACQ_TIME_NONE);
  if (self->push_ns != NULL)
    self->push_ns[self->n_pushes] = bench_now_ns () - begin;
  self->n_pushes++;
}

/* Sleeps until @due_ns after @begin_ns, in the time of the rig. */
static void
pace (const BenchDevice *self, gint64 begin_ns, gint64 due_ns)
{
  gint64 at = begin_ns + (gint64) (due_ns / self->speed);
  struct timespec until = { at / 1000000000, at % 1000000000 };

  clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static gboolean
bench_device_run (AcqSource *source, GCancellable *cancellable, GError **error)
{
  BenchDevice *self = (BenchDevice *) source;
  gint64 begin_ns = bench_now_ns ();
  gint64 stretch_ns = self->rig->stretch_ms * G_GINT64_CONSTANT (1000000);
  /* Faster than real time, a wake-up brings more messages, as from a busy device. */
  gint64 step_ns = (gint64) (1e9 / self->rate_hz * MAX (1, self->speed));
  gint64 due_ns = step_ns;

  for (gint64 turn = 0; turn < self->seconds * 1000 / self->rig->stretch_ms; turn++)
    for (guint i = 0; i < self->mine->len; i++) {
      const RigMessage *message = self->mine->pdata[i];
      gint64 at_ns = turn * stretch_ns + message->offset_us * 1000;

      for (; self->speed > 0 && at_ns >= due_ns; due_ns += step_ns)
        pace (self, begin_ns, due_ns);
      if (g_cancellable_is_cancelled (cancellable))
        return TRUE;
      if (!self->idle)
        push_one (self, message);
    }
  self->cpu_s = bench_thread_cpu_s ();
  return TRUE;
}

static void
bench_device_class_init (BenchDeviceClass *klass)
{
  ACQ_NODE_CLASS (klass)->open = bench_device_open;
  ACQ_SOURCE_CLASS (klass)->run = bench_device_run;
}

static void
bench_device_init (BenchDevice *self)
{
}

/* --- the run ------------------------------------------------------------ */

static const char *const ids[] = { "glove_0", "glove_1", "hand_0", "hand_1", "robot" };

typedef struct {
  BenchDevice *devices[G_N_ELEMENTS (ids)];
  double wall_s;
  double cpu_s;
  guint64 unwritten;
} Run;

static void
add_devices (Run *run, AcqGraph *graph, const Rig *rig, double speed, guint seconds, gboolean idle)
{
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++) {
    BenchDevice *device = g_object_new (bench_device_get_type (), NULL);

    device->rig = rig;
    device->speed = speed;
    device->seconds = seconds;
    device->idle = idle;
    acq_node_set_id (ACQ_NODE (device), ids[i]);
    acq_graph_add (graph, ACQ_NODE (device), NULL);
    g_object_unref (device);
    run->devices[i] = device;
  }
}

static void
run_graph (Run *run, AcqGraph *graph)
{
  g_autoptr (GError) error = NULL;
  gint64 begin = bench_now_ns ();

  run->cpu_s = bench_cpu_s ();
  if (!acq_graph_start (graph, NULL, &error))
    g_error ("%s", error->message);
  while (acq_graph_check (graph) == ACQ_GRAPH_GOES_ON)
    g_usleep (10000);
  acq_graph_stop (graph, 60);
  run->wall_s = (bench_now_ns () - begin) * 1e-9;
  run->cpu_s = bench_cpu_s () - run->cpu_s;
  run->unwritten = bench_count_unwritten (graph);
}

static void
print_run (const Run *run)
{
  g_autoptr (GArray) pushes = g_array_new (FALSE, FALSE, sizeof (gint64));
  const gint64 *push_ns;
  double devices_s = 0;
  guint64 bytes = 0, messages = 0;
  struct rusage usage;

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++) {
    if (run->devices[i]->push_ns != NULL)
      g_array_append_vals (pushes, run->devices[i]->push_ns, run->devices[i]->n_pushes);
    messages += run->devices[i]->n_pushes;
    bytes += run->devices[i]->bytes;
    devices_s += run->devices[i]->cpu_s;
  }
  push_ns = (const gint64 *) (gpointer) pushes->data;
  bench_sort ((gint64 *) (gpointer) pushes->data, pushes->len);
  getrusage (RUSAGE_SELF, &usage);
  g_print ("{\"messages\":%" G_GUINT64_FORMAT ",\"bytes\":%" G_GUINT64_FORMAT
           ",\"wall_s\":%.4f,\"cpu_s\":%.4f,"
           "\"devices_cpu_s\":%.4f,\"rss_mb\":%.1f,\"lost\":%" G_GUINT64_FORMAT
           ",\"push_p50_us\":%.3f,\"push_p99_us\":%.3f,\"push_p9999_us\":%.3f,"
           "\"push_max_us\":%.3f}\n",
           messages, bytes, run->wall_s, run->cpu_s, devices_s, usage.ru_maxrss / 1024.0,
           run->unwritten, bench_quantile (push_ns, pushes->len, 0.5) * 1e-3,
           bench_quantile (push_ns, pushes->len, 0.99) * 1e-3,
           bench_quantile (push_ns, pushes->len, 0.9999) * 1e-3,
           bench_quantile (push_ns, pushes->len, 1) * 1e-3);
}

static AcqTake *
add_sink (AcqGraph *graph, AcqRegistry *registry, double speed, const char *directory, char **sink)
{
  AcqQueueConfig queue = { .seconds = 30, .when_full = speed > 0 ? -1 : ACQ_WHEN_FULL_WAIT };
  g_autoptr (GError) error = NULL;
  AcqTake *take;

  acq_graph_connect (graph, bench_add_sink (graph, registry, sink[0], sink + 1), "*", &queue, NULL);
  take = acq_graph_begin_take (graph, directory, "bench", 0, &error);
  if (take == NULL)
    g_error ("%s", error->message);
  return take;
}

int
main (int argc, char **argv)
{
  gboolean idle = argc == 4 && g_str_equal (argv[3], "idle");
  g_autofree char *dir = NULL;
  g_autoptr (Rig) rig = NULL;
  g_autoptr (AcqRegistry) registry = NULL;
  g_autoptr (AcqGraph) graph = NULL;
  g_autoptr (AcqTake) take = NULL;
  Run run = { 0 };
  double speed;

  if (argc < 4) {
    g_printerr ("usage: bench-rig SPEED SECONDS idle|SINK [OPTION=VALUE ...]\n");
    return 2;
  }
  speed = g_ascii_strtod (argv[1], NULL);
  rig = rig_new_w1 ();
  registry = acq_registry_new (NULL);
  graph = acq_graph_new (NULL);
  add_devices (&run, graph, rig, speed, (guint) g_ascii_strtoull (argv[2], NULL, 10), idle);
  if (!idle) {
    dir = g_dir_make_tmp ("acq-bench-XXXXXX", NULL);
    take = add_sink (graph, registry, speed, dir, argv + 3);
  }
  run_graph (&run, graph);
  print_run (&run);
  if (take != NULL)
    bench_remove_take (take, dir);
  return 0;
}
