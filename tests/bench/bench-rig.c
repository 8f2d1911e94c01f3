/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The rig W1 through the engine: five devices, 22 streams, 12.3 k messages a second. They
 * push from three threads of their own, as the libraries of three vendors would.
 *
 *   bench-rig SPEED SECONDS SINK [OPTION=VALUE ...]
 *   bench-rig SPEED SECONDS idle                 only those threads, and they push nothing
 *
 * SPEED 1 is real time, 10 ten times that, 0 as fast as the sink takes it (lossless);
 * SECONDS are the rig's. One line of JSON: CPU, memory, what was lost, and above real time
 * what a push took: at other speeds the clocks are left out of what is measured.
 */

#include "bench-common.h"
#include "rig.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct _Run Run;

/* The thread of a library: pushes what is due, as often as the fastest of its streams is. */
typedef struct {
  Run *run;
  pthread_t thread;
  GPtrArray *mine; /* of RigMessage: one stretch */
  guint rate_hz;
  gint64 *push_ns; /* (nullable): what each push took */
  guint n_pushes;
  guint64 bytes;
  double cpu_s;
} Library;

struct _Run {
  const Rig *rig;
  double speed;
  guint turns; /* how often the stretch is gone through */
  gboolean idle;
  Library libraries[3];
  AcqStream *streams[32]; /* by channel */
  guint64 sent[32];       /* by channel, of one library each */
  double wall_s;
  double cpu_s;
  guint64 unwritten;
};

/* --- the nodes ---------------------------------------------------------- */

typedef struct {
  AcqSource parent_instance;
  Run *run;
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
  Run *run = ((BenchDevice *) node)->run;

  for (guint i = 0; i < run->rig->n_channels; i++)
    if (g_str_equal (run->rig->channels[i].node, acq_node_get_id (node)))
      run->streams[i] = add_stream (ACQ_SOURCE (node), &run->rig->channels[i]);
  return TRUE;
}

static void
bench_device_class_init (BenchDeviceClass *klass)
{
  ACQ_NODE_CLASS (klass)->open = bench_device_open;
}

static void
bench_device_init (BenchDevice *self)
{
}

static void
add_devices (Run *run, AcqGraph *graph)
{
  static const char *const ids[] = { "glove_0", "glove_1", "hand_0", "hand_1", "robot" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++) {
    BenchDevice *device = g_object_new (bench_device_get_type (), NULL);

    device->run = run;
    acq_node_set_id (ACQ_NODE (device), ids[i]);
    acq_graph_add (graph, ACQ_NODE (device), NULL);
    g_object_unref (device);
  }
}

/* --- the libraries ------------------------------------------------------ */

static gint64
read_clock (const Library *self)
{
  return self->push_ns != NULL ? bench_now_ns () : 0;
}

static void
push_one (Library *self, const RigMessage *message)
{
  const AcqCdrInput *input = &message->input;
  AcqStream *stream = self->run->streams[message->channel];
  gsize tail = self->run->rig->channels[message->channel].tail;
  gint64 begin = read_clock (self), filled;
  AcqFrame *frame;
  gpointer payload = tail > 0 ? acq_stream_begin_sized (stream, input->schema, tail, &frame)
                              : acq_stream_begin (stream, input->schema, &frame);

  /* The device's own work is not the engine's. */
  filled = read_clock (self);
  memcpy (payload, input->payload, input->payload_size);
  begin += read_clock (self) - filled;
  self->bytes += message->cdr_size;
  acq_stream_push (stream, frame, ++self->run->sent[message->channel], ACQ_TIME_NONE);
  if (self->push_ns != NULL)
    self->push_ns[self->n_pushes] = bench_now_ns () - begin;
  self->n_pushes++;
}

/* Sleeps until @due_ns after @begin_ns, in the time of the rig. */
static void
pace (const Run *run, gint64 begin_ns, gint64 due_ns)
{
  gint64 at = begin_ns + (gint64) (due_ns / run->speed);
  struct timespec until = { at / 1000000000, at % 1000000000 };

  clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void *
library_thread (void *data)
{
  Library *self = data;
  const Run *run = self->run;
  gint64 begin_ns = bench_now_ns ();
  gint64 stretch_ns = run->rig->stretch_ms * G_GINT64_CONSTANT (1000000);
  /* Faster than real time, a wake-up brings more messages, as from a busy device. */
  gint64 step_ns = (gint64) (1e9 / self->rate_hz * MAX (1, run->speed));
  gint64 due_ns = step_ns;

  for (guint turn = 0; turn < run->turns; turn++)
    for (guint i = 0; i < self->mine->len; i++) {
      const RigMessage *message = self->mine->pdata[i];
      gint64 at_ns = turn * stretch_ns + message->offset_us * 1000;

      for (; run->speed > 0 && at_ns >= due_ns; due_ns += step_ns)
        pace (run, begin_ns, due_ns);
      if (!run->idle)
        push_one (self, message);
    }
  self->cpu_s = bench_thread_cpu_s ();
  return NULL;
}

static void
add_libraries (Run *run)
{
  static const char *const prefixes[] = { "glove", "hand", "robot" };

  for (gsize k = 0; k < G_N_ELEMENTS (prefixes); k++) {
    Library *library = &run->libraries[k];

    library->run = run;
    library->mine = g_ptr_array_new ();
    for (guint i = 0; i < run->rig->n_messages; i++) {
      RigMessage *message = &run->rig->messages[i];
      const RigChannel *channel = &run->rig->channels[message->channel];

      if (!g_str_has_prefix (channel->node, prefixes[k]))
        continue;
      g_ptr_array_add (library->mine, message);
      library->rate_hz = MAX (library->rate_hz, channel->rate_hz);
    }
    if (run->speed > 1)
      library->push_ns = g_new (gint64, (gsize) library->mine->len * run->turns);
  }
}

/* --- the run ------------------------------------------------------------ */

static void
run_libraries (Run *run)
{
  for (gsize i = 0; i < G_N_ELEMENTS (run->libraries); i++)
    if (pthread_create (&run->libraries[i].thread, NULL, library_thread, &run->libraries[i]) != 0)
      g_error ("no thread");
  for (gsize i = 0; i < G_N_ELEMENTS (run->libraries); i++)
    pthread_join (run->libraries[i].thread, NULL);
}

static void
run_graph (Run *run, char **sink)
{
  AcqQueueConfig queue = { .seconds = 30, .when_full = run->speed > 0 ? -1 : ACQ_WHEN_FULL_WAIT };
  g_autofree char *dir = g_dir_make_tmp ("acq-bench-XXXXXX", NULL);
  g_autoptr (AcqRegistry) registry = acq_registry_new (NULL);
  g_autoptr (AcqGraph) graph = acq_graph_new (NULL);
  g_autoptr (AcqTake) take = NULL;
  g_autoptr (GError) error = NULL;

  add_devices (run, graph);
  acq_graph_connect (graph, bench_add_sink (graph, registry, sink[0], sink + 1), "*", &queue, NULL);
  take = acq_graph_begin_take (graph, dir, "bench", 0, &error);
  if (take == NULL || !acq_graph_start (graph, NULL, &error))
    g_error ("%s", error->message);
  run_libraries (run);
  acq_graph_stop (graph, 60);
  run->unwritten = bench_count_unwritten (graph);
  bench_remove_take (take, dir);
}

static void
print_run (const Run *run)
{
  g_autoptr (GArray) pushes = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 *push_ns;
  double devices_s = 0;
  guint64 bytes = 0, messages = 0;
  struct rusage usage;

  for (gsize i = 0; i < G_N_ELEMENTS (run->libraries); i++) {
    const Library *library = &run->libraries[i];

    if (library->push_ns != NULL)
      g_array_append_vals (pushes, library->push_ns, library->n_pushes);
    messages += library->n_pushes;
    bytes += library->bytes;
    devices_s += library->cpu_s;
  }
  push_ns = (gint64 *) (gpointer) pushes->data;
  bench_sort (push_ns, pushes->len);
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

int
main (int argc, char **argv)
{
  g_autoptr (Rig) rig = NULL;
  Run run = { 0 };
  gint64 begin_ns;

  if (argc < 4) {
    g_printerr ("usage: bench-rig SPEED SECONDS idle|SINK [OPTION=VALUE ...]\n");
    return 2;
  }
  run.rig = rig = rig_new_w1 ();
  run.speed = g_ascii_strtod (argv[1], NULL);
  run.turns = (guint) g_ascii_strtoull (argv[2], NULL, 10) * 1000 / rig->stretch_ms;
  run.idle = g_str_equal (argv[3], "idle");
  add_libraries (&run);

  begin_ns = bench_now_ns ();
  run.cpu_s = bench_cpu_s ();
  if (run.idle)
    run_libraries (&run);
  else
    run_graph (&run, argv + 3);
  run.wall_s = (bench_now_ns () - begin_ns) * 1e-9;
  run.cpu_s = bench_cpu_s () - run.cpu_s;
  print_run (&run);
  return 0;
}
