/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A whole rig through the engine into a file: two gloves (tactile and skeleton at
 * 120 Hz, six IMU at 800 Hz), two hands at 1 kHz, a robot at 100, 50 and 1 Hz;
 * 12.2 k messages a second.
 *
 *   bench-rig SPEED SECONDS SINK [OPTION=VALUE ...]
 *
 * SPEED 1 is real time, 10 ten times that, 0 as fast as the sink takes it
 * (lossless). One line of JSON: what a push took, CPU, memory, what was lost.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <acq/acq.h>
#include <glib/gstdio.h>

typedef struct {
  const char *node;
  const char *stream;
  const AcqSchema *schema;
  double rate;
  gsize tail;
} RigStream;

#define GLOVE(id)                                                                                  \
  { id, "tactile", &acq_image_schema, 120, 744 * 4 },                                              \
      { id, "hand_skeleton", &acq_hand_skeleton_schema, 120, 0 },                                  \
      { id, "imu/palm", &acq_imu_schema, 800, 0 }, { id, "imu/thumb", &acq_imu_schema, 800, 0 },   \
      { id, "imu/index", &acq_imu_schema, 800, 0 }, { id, "imu/middle", &acq_imu_schema, 800, 0 }, \
      { id, "imu/ring", &acq_imu_schema, 800, 0 },                                                 \
  {                                                                                                \
    id, "imu/pinky", &acq_imu_schema, 800, 0                                                       \
  }

static const RigStream rig[] = {
  GLOVE ("glove_0"),
  GLOVE ("glove_1"),
  { "hand_0", "joint_states", &acq_joint_state_schema, 1000, 0 },
  { "hand_1", "joint_states", &acq_joint_state_schema, 1000, 0 },
  { "robot", "speed", &acq_twist_stamped_schema, 100, 0 },
  { "robot", "imu", &acq_imu_schema, 50, 0 },
  { "robot", "lux", &acq_illuminance_schema, 1, 0 },
};

static gint64
monotonic_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

static double
cpu_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* One node of the rig: pushes what is due of all its streams, every millisecond. */

typedef struct {
  AcqSource parent_instance;
  double speed;
  double seconds;
  AcqStream *streams[8];
  const RigStream *of[8];
  guint n_streams;
  guint64 sent[8];
  gint64 *push_ns; /* what each push took */
  guint64 n_pushes;
  guint64 max_pushes;
  guint64 bytes;
} BenchRig;

typedef struct {
  AcqSourceClass parent_class;
} BenchRigClass;

GType bench_rig_get_type (void);
G_DEFINE_TYPE (BenchRig, bench_rig, ACQ_TYPE_SOURCE)

static AcqStream *
add_stream (AcqSource *source, const RigStream *of)
{
  AcqTailLayout tail = { .kind = ACQ_KIND_F32,
                         .count = 744,
                         .interp = ACQ_INTERP_LINEAR,
                         .has_invalid = TRUE,
                         .invalid = -1 };
  AcqStream *stream =
      acq_source_add_stream (source, &(AcqStreamInfo){ .name = of->stream,
                                                       .schema = of->schema,
                                                       .rate_hz = of->rate,
                                                       .has_sequence = TRUE,
                                                       .tail = of->tail > 0 ? &tail : NULL });

  if (of->schema == &acq_hand_skeleton_schema)
    acq_stream_set_count (stream, "joints", 21);
  if (of->schema == &acq_joint_state_schema)
    acq_stream_set_count (stream, "position", 20);
  return stream;
}

static gboolean
bench_rig_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  BenchRig *self = (BenchRig *) node;

  for (gsize i = 0; i < G_N_ELEMENTS (rig); i++) {
    if (!g_str_equal (rig[i].node, acq_node_get_id (node)))
      continue;
    self->of[self->n_streams] = &rig[i];
    self->streams[self->n_streams++] = add_stream (ACQ_SOURCE (node), &rig[i]);
    self->max_pushes += (guint64) (rig[i].rate * self->seconds) + 8;
  }
  self->push_ns = g_new (gint64, self->max_pushes);
  return TRUE;
}

/* Values that look like a sensor's: smooth, with noise in the low bits. */
static float
wave (guint64 i, guint k)
{
  return (float) (0.5 + 0.4 * sin (i * 0.01 + k * 0.3)) +
         (float) ((i * 2654435761u + k) & 255) * 1e-5f;
}

static void
fill (const RigStream *of, gpointer message, guint64 i)
{
  if (of->schema == &acq_image_schema) {
    float *taxels = (float *) acq_image_tail (message);
    float base = wave (i, 0);

    for (guint k = 0; k < 744; k++)
      taxels[k] = k % 7 < 2 ? -1 : base * (k & 15);
  } else if (of->schema == &acq_hand_skeleton_schema) {
    AcqHandSkeleton *hand = message;

    hand->n_joints = 21;
    for (guint k = 0; k < 21; k++)
      hand->joints[k] = (AcqPose32){ { wave (i, k), k, 0 }, { 0, 0, 0, 1 } };
  } else if (of->schema == &acq_joint_state_schema) {
    AcqJointState *joints = message;

    joints->n_position = joints->n_effort = 20;
    for (guint k = 0; k < 20; k++)
      joints->position[k] = joints->effort[k] = wave (i, k);
  } else if (of->schema == &acq_imu_schema) {
    AcqImu *imu = message;

    imu->angular_velocity.x = wave (i, 1);
    imu->linear_acceleration.z = wave (i, 2);
  }
}

static void
push_one (BenchRig *self, guint s)
{
  const RigStream *of = self->of[s];
  gint64 begin = monotonic_ns ();
  gint64 filled;
  AcqFrame *frame;
  gpointer message = of->tail > 0
                         ? acq_stream_begin_sized (self->streams[s], of->schema, of->tail, &frame)
                         : acq_stream_begin (self->streams[s], of->schema, &frame);

  filled = monotonic_ns ();
  fill (of, message, self->sent[s]);
  begin += monotonic_ns () - filled;
  self->bytes += frame->size;
  acq_stream_push (self->streams[s], frame, ++self->sent[s], ACQ_TIME_NONE);
  if (self->n_pushes < self->max_pushes)
    self->push_ns[self->n_pushes++] = monotonic_ns () - begin;
}

static gboolean
bench_rig_run (AcqSource *source, GCancellable *cancellable, GError **error)
{
  BenchRig *self = (BenchRig *) source;
  struct timespec next;
  gint64 step_ns = self->speed > 0 ? 1000000 : 0;

  clock_gettime (CLOCK_MONOTONIC, &next);
  for (gint64 ms = 1; ms <= self->seconds * 1000 && !g_cancellable_is_cancelled (cancellable);) {
    gint64 until = ms + (self->speed > 0 ? (gint64) self->speed : 1);

    for (; ms < until; ms++) {
      for (guint s = 0; s < self->n_streams; s++) {
        while (self->sent[s] < (guint64) (self->of[s]->rate * ms / 1000))
          push_one (self, s);
      }
    }
    next.tv_nsec += step_ns;
    next.tv_sec += next.tv_nsec / 1000000000;
    next.tv_nsec %= 1000000000;
    if (step_ns > 0)
      clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
  }
  return TRUE;
}

static void
bench_rig_class_init (BenchRigClass *klass)
{
  ACQ_NODE_CLASS (klass)->open = bench_rig_open;
  ACQ_SOURCE_CLASS (klass)->run = bench_rig_run;
}

static void
bench_rig_init (BenchRig *self)
{
}

static int
compare (gconstpointer a, gconstpointer b)
{
  return (*(gint64 *) a > *(gint64 *) b) - (*(gint64 *) a < *(gint64 *) b);
}

static AcqNode *
make_sink (AcqRegistry *registry, AcqGraph *graph, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqNode) sink = acq_registry_create (registry, argv[3], "sink", &error);

  for (int i = 4; sink != NULL && error == NULL && i < argc; i++) {
    g_auto (GStrv) pair = g_strsplit (argv[i], "=", 2);

    acq_node_set_option_text (sink, pair[0], pair[1] != NULL ? pair[1] : "true", &error);
  }
  if (error != NULL)
    g_error ("%s", error->message);
  acq_graph_add (graph, sink, NULL);
  return sink;
}

static void
remove_files (AcqTake *take, const char *dir)
{
  g_auto (GStrv) files = acq_take_list_files (take);

  for (char **file = files; *file != NULL; file++)
    g_remove (*file);
  g_rmdir (acq_take_get_directory (take));
  g_rmdir (dir);
}

int
main (int argc, char **argv)
{
  static const char *const ids[] = { "glove_0", "glove_1", "hand_0", "hand_1", "robot" };
  double speed = argc > 1 ? g_ascii_strtod (argv[1], NULL) : 1;
  double seconds = argc > 2 ? g_ascii_strtod (argv[2], NULL) : 10;
  g_autofree char *dir = g_dir_make_tmp ("acq-bench-XXXXXX", NULL);
  g_autoptr (AcqRegistry) registry = acq_registry_new (NULL);
  g_autoptr (AcqGraph) graph = acq_graph_new (NULL);
  AcqQueueConfig queue = { .seconds = 30,
                           .max_bytes = 0,
                           .when_full = speed > 0 ? -1 : ACQ_WHEN_FULL_WAIT };
  BenchRig *sources[G_N_ELEMENTS (ids)];
  g_autoptr (AcqTake) take = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) pushes = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (AcqSnapshot) snapshot = NULL;
  guint64 lost = 0, bytes = 0;
  struct rusage usage;
  gint64 begin;
  double wall, cpu;
  AcqNode *sink;

  if (argc < 4) {
    g_printerr ("usage: bench-rig SPEED SECONDS SINK [OPTION=VALUE ...]\n");
    return 2;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++) {
    sources[i] = g_object_new (bench_rig_get_type (), NULL);
    sources[i]->speed = speed;
    sources[i]->seconds = seconds;
    acq_node_set_id (ACQ_NODE (sources[i]), ids[i]);
    acq_graph_add (graph, ACQ_NODE (sources[i]), NULL);
  }
  sink = make_sink (registry, graph, argc, argv);
  acq_graph_connect (graph, sink, "*", &queue, NULL);
  take = acq_graph_begin_take (graph, dir, "bench", 0, &error);
  begin = monotonic_ns ();
  cpu = cpu_seconds ();
  if (!acq_graph_start (graph, NULL, &error))
    g_error ("%s", error->message);
  while (acq_graph_check (graph) == ACQ_GRAPH_GOES_ON)
    g_usleep (2000);
  acq_graph_stop (graph, 60);
  wall = (monotonic_ns () - begin) * 1e-9;
  cpu = cpu_seconds () - cpu;
  getrusage (RUSAGE_SELF, &usage);
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++) {
    g_array_append_vals (pushes, sources[i]->push_ns, sources[i]->n_pushes);
    bytes += sources[i]->bytes;
  }
  g_array_sort (pushes, compare);
  snapshot = acq_graph_snapshot (graph);
  for (guint i = 0; i < snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = snapshot->streams->pdata[i];

    for (guint k = 0; k < stream->links->len; k++) {
      const AcqLinkCounters *n = &g_array_index (stream->links, AcqLinkSnapshot, k).counters;

      lost += n->offered - n->written;
    }
  }
#define QUANTILE(q) (g_array_index (pushes, gint64, (guint) ((pushes->len - 1) * (q))) * 1e-3)
  g_print (
      "{\"messages\":%u,\"bytes\":%" G_GUINT64_FORMAT ",\"seconds\":%.3f,\"cpu_s\":%.3f,"
      "\"cpu_percent\":%.2f,\"cpu_ns_per_message\":%.1f,\"rss_mb\":%.1f,\"lost\":%" G_GUINT64_FORMAT
      ",\"push_p50_us\":%.2f,\"push_p99_us\":%.2f,\"push_p9999_us\":%.2f}\n",
      pushes->len, bytes, wall, cpu, cpu / wall * 100, cpu / pushes->len * 1e9,
      usage.ru_maxrss / 1024.0, lost, QUANTILE (0.5), QUANTILE (0.99), QUANTILE (0.9999));
  remove_files (take, dir);
  return lost > 0;
}
