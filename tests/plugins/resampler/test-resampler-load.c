/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A whole rig on one grid: two gloves (tactile, skeleton, six IMUs each), two hands, a robot. Is
 * it cheap, and does it stay within its memory? And with real threads, does nothing get lost?
 */

#include <time.h>

#include "resampler-rig.h"

typedef struct {
  const char *node;
  const char *stream;
  double rate_hz;
  const AcqSchema *schema;
  guint taxels;
} Channel;

static const Channel glove[] = {
  { "glove", "tactile", 120, &acq_image_schema, 744 },
  { "glove", "hand_skeleton", 120, &acq_hand_skeleton_schema, 0 },
  { "glove", "imu/palm", 800, &acq_imu_schema, 0 },
  { "glove", "imu/thumb", 800, &acq_imu_schema, 0 },
  { "glove", "imu/index", 800, &acq_imu_schema, 0 },
  { "glove", "imu/middle", 800, &acq_imu_schema, 0 },
  { "glove", "imu/ring", 800, &acq_imu_schema, 0 },
  { "glove", "imu/little", 800, &acq_imu_schema, 0 },
  { "hand", "joint_states", 1000, &acq_joint_state_schema, 0 },
};

static const Channel robot[] = {
  { "robot", "state", 1, &acq_robot_state_schema, 0 },
  { "robot", "motion", 50, &acq_robot_motion_schema, 0 },
  { "robot", "imu", 100, &acq_imu_schema, 0 },
};

#define N_CHANNELS (2 * G_N_ELEMENTS (glove) + G_N_ELEMENTS (robot))
#define SECONDS 3

typedef struct {
  AcqStream *stream;
  const Channel *channel;
  gint64 next_ns;
  char *name; /* on the grid */
} Feed;

typedef struct {
  AcqHarness *h;
  Feed feeds[N_CHANNELS];
  guint n;
  guint64 n_pushed;
} Rig;

static void
add_channel (Rig *self, const Channel *channel, const char *side, guint i)
{
  g_autofree char *node = g_strconcat (side, channel->node, NULL);
  AcqTailLayout layout = { .kind = ACQ_KIND_F32,
                           .count = channel->taxels,
                           .interp = ACQ_INTERP_LINEAR,
                           .has_invalid = TRUE,
                           .invalid = -1 };
  AcqStreamInfo info = { .name = channel->stream,
                         .schema = channel->schema,
                         .rate_hz = channel->rate_hz,
                         .tail = channel->taxels > 0 ? &layout : NULL };
  Feed *feed = &self->feeds[self->n++];

  feed->stream = acq_harness_add_input (self->h, node, &info);
  feed->channel = channel;
  feed->next_ns = acq_harness_now (self->h) + i * MS / 16;
  feed->name = g_strconcat (node, "_", channel->stream, NULL);
  g_strdelimit (feed->name, "/", '_');
}

static void
setup (Rig *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (glove); i++) {
    add_channel (self, &glove[i], "left_", i);
    add_channel (self, &glove[i], "right_", i);
  }
  for (guint i = 0; i < G_N_ELEMENTS (robot); i++)
    add_channel (self, &robot[i], "", i);
}

static void
push (Feed *feed, gint64 host_ns)
{
  AcqFrame *frame;
  gpointer payload = NULL;

  if (feed->channel->taxels > 0) {
    gsize bytes = feed->channel->taxels * sizeof (float);
    float *taxels;

    acq_stream_begin_sized (feed->stream, feed->channel->schema, bytes, &frame);
    taxels = (float *) (void *) (frame->payload + feed->channel->schema->tail_offset);
    for (guint i = 0; i < feed->channel->taxels; i++)
      taxels[i] = i % 4 == 0 ? -1 : (float) (host_ns % (7919 * (gint64) (i + 1)));
  } else
    payload = acq_stream_begin (feed->stream, feed->channel->schema, &frame);
  if (feed->channel->schema == &acq_hand_skeleton_schema) {
    AcqHandSkeleton *hand = payload;

    hand->n_joints = 21;
    for (guint i = 0; i < 21; i++)
      hand->joints[i].orientation = (AcqQuaternion32){ 0, 0, (float) (host_ns % 1000) * 1e-3f, 1 };
  } else if (feed->channel->schema == &acq_joint_state_schema) {
    AcqJointState *joints = payload;

    joints->n_position = joints->n_velocity = joints->n_effort = 20;
    joints->position[3] = (double) (host_ns % 1000);
  } else if (feed->channel->schema == &acq_imu_schema) {
    Signal signal = signal_at ((double) (host_ns % (100 * S)) * 1e-9);

    signal_write (&signal, payload);
  }
  frame->host_ns = host_ns;
  acq_stream_push (feed->stream, frame, 0, ACQ_TIME_NONE);
}

static void
push_due (Rig *self)
{
  for (guint i = 0; i < self->n; i++) {
    Feed *feed = &self->feeds[i];

    for (; feed->next_ns <= acq_harness_now (self->h); self->n_pushed++) {
      push (feed, feed->next_ns);
      feed->next_ns += (gint64) (1e9 / feed->channel->rate_hz);
    }
  }
}

static double
cpu_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static void
discard (Rig *self, const char *name)
{
  AcqFrame *frame;

  while ((frame = acq_harness_pop (self->h, name)) != NULL)
    acq_frame_unref (frame);
}

static void
teardown (Rig *self)
{
  for (guint i = 0; i < self->n; i++)
    g_free (self->feeds[i].name);
  acq_harness_free (self->h);
}

static void
test_cpu (void)
{
  Rig rig = { .h = resampler_rig_new (100, 100, 0) };
  double cpu = 0;

  setup (&rig);
  g_assert_true (acq_harness_start (rig.h, NULL));
  for (int i = 0; i < SECONDS * 100; i++) {
    double before;

    push_due (&rig);
    before = cpu_seconds ();
    acq_harness_advance (rig.h, 10 * MS);
    cpu += cpu_seconds () - before;
    for (guint j = 0; j < rig.n; j++)
      discard (&rig, rig.feeds[j].name);
    discard (&rig, "valid");
  }
  acq_harness_stop (rig.h);
  for (guint i = 0; i < rig.n; i++)
    g_assert_cmpuint (acq_harness_count (rig.h, rig.feeds[i].name), ==, SECONDS * 100);
  g_test_message ("%u channels, %.0f messages/s onto %.0f/s: %.2f %% of a core, its links and the "
                  "collecting sink included",
                  rig.n, (double) rig.n_pushed / SECONDS, (rig.n + 1) * 100.0, cpu / SECONDS * 100);
  /* A bound that also holds with sanitizers on a busy machine. */
  g_assert_cmpfloat (cpu / SECONDS, <, 0.25);
  teardown (&rig);
}

/* What it keeps of a fast input is two messages for each tick that waits, not all of them. */
static void
test_memory (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (10, 2000, 0);
  AcqStreamInfo info = { .name = "lux", .schema = &acq_illuminance_schema, .rate_hz = 2000 };
  AcqStream *stream = acq_harness_add_input (h, "lamp", &info);
  g_autoptr (GHashTable) frames = g_hash_table_new (NULL, NULL);
  gint64 start;

  g_assert_true (acq_harness_start (h, NULL));
  start = acq_harness_now (h);
  for (int i = 0; i < 20000; i++) {
    AcqFrame *frame;

    acq_illuminance_begin (stream, &frame);
    frame->host_ns = start + i * MS / 2;
    g_hash_table_add (frames, frame);
    acq_stream_push (stream, frame, 0, ACQ_TIME_NONE);
    acq_harness_advance (h, MS / 2);
  }
  /* 20000 went through, of which 4000 would wait at any time; the pool grows by slabs. */
  g_assert_cmpuint (g_hash_table_size (frames), <, 1000);
  g_assert_cmpuint (acq_harness_count (h, "lamp_lux"), >=, 79);
}

/* Real clock, real threads: whatever their timing, every input has every tick, in order. */
static void
test_live (void)
{
  Rig rig = { .h = resampler_rig_new (200, 20, 0) };
  gint64 first_ns = 0, last_ns = 0;
  guint n = 0;

  acq_harness_set_live (rig.h);
  acq_harness_get_graph (rig.h);
  rig.n = 0;
  setup (&rig);
  g_assert_true (acq_harness_start (rig.h, NULL));
  while (!acq_harness_wait_frames (rig.h, "valid", 100, 0.001))
    push_due (&rig);
  acq_harness_stop (rig.h);
  for (;; n++) {
    g_autoptr (AcqFrame) valid = acq_harness_pop (rig.h, "valid");

    if (valid == NULL)
      break;
    if (n == 0)
      first_ns = valid->host_ns;
    last_ns = valid->host_ns;
    g_assert_cmpint (last_ns, ==, first_ns + (gint64) n * 5 * MS);
    for (guint i = 0; i < rig.n; i++) {
      g_autoptr (AcqFrame) frame = acq_harness_pop (rig.h, rig.feeds[i].name);

      g_assert_nonnull (frame);
      g_assert_cmpint (frame->host_ns, ==, valid->host_ns);
    }
  }
  for (guint i = 0; i < rig.n; i++)
    g_assert_cmpuint (acq_harness_count (rig.h, rig.feeds[i].name), ==, n);
  {
    g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (rig.h);

    for (guint i = 0; i < rig.n; i++) {
      g_autofree char *path = g_strconcat ("grid.", rig.feeds[i].name, NULL);

      g_assert_cmpuint (acq_snapshot_find_stream (snapshot, path)->frames, ==, n);
    }
  }
  teardown (&rig);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/resampler/load/cpu", test_cpu);
  g_test_add_func ("/resampler/load/memory", test_memory);
  g_test_add_func ("/resampler/load/live", test_live);
  return g_test_run ();
}
