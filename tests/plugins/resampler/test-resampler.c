/* SPDX-License-Identifier: Apache-2.0 */

/* The resampler as a node: what it declares, what stands before the first message, and takes. */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "resampler-rig.h"

/* Declaring */

typedef struct {
  const char *node;
  const char *stream;
  const char *name;
} Name;

static const Name names[] = {
  { "left_glove", "hand_skeleton", "left_glove_hand_skeleton" },
  { "imu", "palm/raw/fast", "imu_palm_raw_fast" },
};

static void
test_derive (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (100, 100, 0);
  AcqTransform *node = ACQ_TRANSFORM (acq_harness_get_node (h));
  g_autoptr (GArray) streams = g_array_new (FALSE, TRUE, sizeof (AcqDerivedStream));
  AcqInputInfo inputs[G_N_ELEMENTS (names)];

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    inputs[i] = (AcqInputInfo){ names[i].node, names[i].stream,
                                i == 0 ? &acq_hand_skeleton_schema : &acq_imu_schema };
  g_assert_true (
      ACQ_TRANSFORM_GET_CLASS (node)->derive (node, inputs, G_N_ELEMENTS (names), streams, NULL));
  g_assert_cmpuint (streams->len, ==, G_N_ELEMENTS (names) + 1);
  for (guint i = 0; i < streams->len; i++) {
    AcqDerivedStream *stream = &g_array_index (streams, AcqDerivedStream, i);

    if (i < G_N_ELEMENTS (names)) {
      g_assert_cmpstr (stream->name, ==, names[i].name);
      g_assert_true (stream->schema == inputs[i].schema);
    } else {
      g_assert_cmpstr (stream->name, ==, "valid");
      g_assert_true (stream->schema == &acq_grid_valid_schema);
    }
    g_free (stream->name);
  }
}

static void
test_clash (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (100, 100, 0);
  AcqTransform *node = ACQ_TRANSFORM (acq_harness_get_node (h));
  g_autoptr (GArray) streams = g_array_new (FALSE, TRUE, sizeof (AcqDerivedStream));
  const AcqInputInfo inputs[] = { { "left", "hand_imu", &acq_imu_schema },
                                  { "left_hand", "imu", &acq_imu_schema } };
  g_autoptr (GError) error = NULL;

  g_assert_false (ACQ_TRANSFORM_GET_CLASS (node)->derive (node, inputs, 2, streams, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_PIPELINE);
  g_assert_cmpstr (error->message, ==,
                   "the inputs left.hand_imu and left_hand.imu would both be called "
                   "'left_hand_imu'; give one of their nodes another id");
  for (guint i = 0; i < streams->len; i++)
    g_free (g_array_index (streams, AcqDerivedStream, i).name);
}

/* All that a stream says about itself is said by its copy on the grid. */
static void
test_declares (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (50, 80, 0);
  const char *const joints[] = { "wrist", "elbow", NULL };
  g_autoptr (AcqConstants) constants =
      acq_constants_new_strv (&acq_joint_state_schema, "name", joints, NULL);
  AcqTailLayout layout = { .kind = ACQ_KIND_F32,
                           .count = 744,
                           .interp = ACQ_INTERP_LINEAR,
                           .has_invalid = TRUE,
                           .invalid = -1,
                           .shape = "24,31" };
  AcqStreamInfo arm = { .name = "joint_states",
                        .schema = &acq_joint_state_schema,
                        .rate_hz = 500,
                        .constants = constants,
                        .frame_id = "base",
                        .topic = "/joint_states" };
  AcqStreamInfo touch = { .name = "tactile",
                          .schema = &acq_image_schema,
                          .rate_hz = 120,
                          .tail = &layout,
                          .latency_ns = 30 * MS };
  AcqStream *in = acq_harness_add_input (h, "arm", &arm);
  AcqStream *out;
  guint count = 0;

  acq_stream_set_count (in, "position", 2);
  acq_stream_set_metadata (in, "serial", "A7");
  acq_harness_add_input (h, "glove", &touch);
  g_assert_true (acq_harness_start (h, NULL));
  acq_harness_advance (h, 200 * MS);

  {
    g_autoptr (AcqFrame) frame = acq_harness_pop (h, "arm_joint_states");

    out = frame->stream;
    g_assert_true (acq_stream_get_schema (out) == arm.schema);
    g_assert_cmpfloat (acq_stream_get_rate (out), ==, 50);
    g_assert_true (acq_stream_get_count (out, "position", &count));
    g_assert_cmpuint (count, ==, 2);
    g_assert_false (acq_stream_get_count (out, "effort", &count));
    g_assert_true (acq_stream_get_constants (out) == constants);
    g_assert_cmpstr (acq_stream_get_metadata (out, "serial"), ==, "A7");
    g_assert_cmpstr (acq_stream_get_metadata (out, "resampled_from"), ==, "arm.joint_states");
    g_assert_cmpstr (acq_stream_get_frame_id (out), ==, "base");
    g_assert_cmpstr (acq_stream_get_topic (out), ==, "/grid/arm_joint_states");
    g_assert_false (acq_stream_has_sequence (out));
    g_assert_null (acq_stream_get_clock (out));
    g_assert_cmpint (acq_stream_get_latency (out), ==, (80 + 20) * MS);
  }
  {
    g_autoptr (AcqFrame) frame = acq_harness_pop (h, "glove_tactile");
    gsize size;
    const float *taxels = (const float *) (const void *) acq_frame_tail (frame, &size);

    out = frame->stream;
    g_assert_cmpuint (size, ==, 744 * sizeof (float));
    g_assert_cmpfloat (taxels[0], ==, -1);
    g_assert_cmpfloat (taxels[743], ==, -1);
    g_assert_cmpstr (acq_stream_get_tail (out)->shape, ==, "24,31");
    g_assert_cmpuint (acq_stream_get_max_tail (out), ==, size);
    g_assert_cmpint (acq_stream_get_latency (out), ==, (80 + 20 + 30) * MS);
  }
  {
    g_autoptr (AcqFrame) frame = acq_harness_pop (h, "valid");
    const AcqGridValid *valid = (const AcqGridValid *) frame->payload;
    const char *const *declared =
        acq_constants_get_strv (acq_stream_get_constants (frame->stream), "names");

    g_assert_cmpuint (valid->n_valid, ==, 2);
    g_assert_false (valid->valid[0] || valid->valid[1]);
    g_assert_cmpstr (declared[0], ==, "arm_joint_states");
    g_assert_cmpstr (declared[1], ==, "glove_tactile");
    g_assert_null (declared[2]);
  }
}

/* Before the first message, and with one that has texts, flags and measures. */
static void
test_blank (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (10, 100, 0);
  AcqStreamInfo info = { .name = "state", .schema = &acq_robot_state_schema, .rate_hz = 1 };
  AcqStreamInfo hand = { .name = "hand_skeleton", .schema = &acq_hand_skeleton_schema };
  AcqStream *stream = acq_harness_add_input (h, "dog", &info);
  AcqStream *skeleton = acq_harness_add_input (h, "glove", &hand);
  AcqFrame *frame;
  AcqRobotState *state;

  acq_stream_set_count (skeleton, "joints", 21);
  g_assert_true (acq_harness_start (h, NULL));
  acq_harness_advance (h, 150 * MS);
  state = acq_robot_state_begin (stream, &frame);
  state->motion_status = 3;
  state->control_source = 2;
  state->speed_x = 0.5;
  g_strlcpy (state->motion_status_word, "crawl", sizeof state->motion_status_word);
  acq_stream_push (stream, frame, 0, ACQ_TIME_NONE);
  acq_harness_advance (h, 500 * MS);
  acq_harness_stop (h);

  for (int i = 0; i < 7; i++) {
    g_autoptr (AcqFrame) out = acq_harness_pop (h, "dog_state");
    g_autoptr (AcqFrame) bones = acq_harness_pop (h, "glove_hand_skeleton");
    const AcqHandSkeleton *blank = (const AcqHandSkeleton *) bones->payload;
    gboolean valid = i >= 2;

    state = (AcqRobotState *) out->payload;
    g_assert_cmpint ((out->flags & ACQ_FRAME_INVALID) == 0, ==, valid);
    g_assert_cmpuint (state->motion_status, ==, valid ? 3 : 0);
    g_assert_cmpstr (state->motion_status_word, ==, valid ? "crawl" : "");
    g_assert_cmpint (state->control_source, ==, valid ? 2 : -1);
    g_assert_true (valid ? state->speed_x == 0.5 : isnan (state->speed_x));
    g_assert_cmpuint (blank->n_joints, ==, 21);
    g_assert_cmpuint (blank->n_confidence, ==, 0);
    for (int j = 0; j < 21; j++)
      g_assert_true (isnan (blank->joints[j].position.z) && isnan (blank->joints[j].orientation.w));
  }
  g_assert_cmpuint (acq_harness_count_events (h, "count_mismatch"), ==, 0);
  g_assert_cmpuint (acq_harness_count_events (h, "held"), ==, 1);
}

/* Takes */

/* The grid begins anew with each take, and knows nothing of the one before. */
static void
test_two_takes (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (100, 50, 0);
  AcqStream *stream = acq_harness_add_input (h, "lamp", &resampler_rig_lux);
  gint64 first, second, stop;

  g_assert_true (acq_harness_start (h, NULL));
  first = acq_harness_now (h);
  resampler_rig_play (h, stream, first, 10 * MS, 203 * MS);
  stop = acq_harness_now (h);
  acq_harness_end_take (h);
  /* Messages between takes belong to none. */
  resampler_rig_play (h, stream, first, 10 * MS, 500 * MS);
  g_assert_cmpuint (acq_harness_count (h, "lamp_lux"), ==, 21);
  for (int i = 0; i < 21; i++)
    g_assert_cmpfloat (resampler_rig_pop_lux (h, "lamp_lux", first + i * 10 * MS, TRUE), ==,
                       i * 10);
  g_assert_cmpint (first + 200 * MS, <, stop);

  second = acq_harness_now (h);
  acq_harness_begin_take (h, NULL);
  acq_harness_advance (h, 5 * MS);
  resampler_rig_play (h, stream, second + 5 * MS, 10 * MS, 100 * MS);
  acq_harness_stop (h);
  g_assert_cmpuint (acq_harness_count (h, "lamp_lux"), ==, 21 + 11);
  g_assert_true (isnan (resampler_rig_pop_lux (h, "lamp_lux", second, FALSE)));
  for (int i = 1; i < 10; i++)
    g_assert_cmpfloat_with_epsilon (
        resampler_rig_pop_lux (h, "lamp_lux", second + i * 10 * MS, TRUE), i * 10 - 5, 1e-9);
  /* The last message came 95 ms in; nothing more came before the stop. */
  g_assert_cmpfloat (resampler_rig_pop_lux (h, "lamp_lux", second + 100 * MS, TRUE), ==, 90);
}

/* What was kept from before the take is on the grid too, without a seam. */
static void
test_preroll (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (100, 50, 0);
  AcqStream *stream = acq_harness_add_input (h, "lamp", &resampler_rig_lux);
  g_autofree char *directory = g_dir_make_tmp ("acq-resampler-XXXXXX", NULL);
  g_autoptr (AcqTake) take = NULL;
  gint64 origin, start;

  acq_graph_set_preroll (acq_harness_get_graph (h), 0.2);
  g_assert_true (acq_harness_start (h, NULL));
  origin = acq_harness_now (h);
  resampler_rig_play (h, stream, origin, 10 * MS, 20 * MS);
  acq_harness_end_take (h);
  resampler_rig_play (h, stream, origin, 10 * MS, 500 * MS);
  start = acq_harness_now (h) - 115 * MS;
  take = acq_graph_begin_take (acq_harness_get_graph (h), directory, "pre", start, NULL);
  resampler_rig_play (h, stream, origin, 10 * MS, 50 * MS);
  acq_harness_stop (h);
  for (int i = 0; i < 2; i++)
    resampler_rig_pop_lux (h, "lamp_lux", origin + i * 10 * MS, TRUE);
  /* 405 ms is before the first message of the take. */
  resampler_rig_pop_lux (h, "lamp_lux", start, FALSE);
  for (int i = 1; i < 16; i++)
    g_assert_cmpfloat_with_epsilon (
        resampler_rig_pop_lux (h, "lamp_lux", start + i * 10 * MS, TRUE), 405 + i * 10, 1e-9);
  g_assert_cmpint (g_rmdir (acq_take_get_directory (take)), ==, 0);
  g_rmdir (directory);
}

/* Paused messages are not seen; the grid goes on, and the sink counts its ticks as paused. */
static void
test_pause (void)
{
  g_autoptr (AcqHarness) h = resampler_rig_new (100, 50, 0);
  AcqStream *stream = acq_harness_add_input (h, "lamp", &resampler_rig_lux);
  g_autoptr (AcqSnapshot) snapshot = NULL;
  const AcqStreamSnapshot *out;
  gint64 origin;

  g_assert_true (acq_harness_start (h, NULL));
  origin = acq_harness_now (h);
  resampler_rig_play (h, stream, origin, 10 * MS, 300 * MS);
  acq_graph_pause (acq_harness_get_graph (h), 0);
  resampler_rig_play (h, stream, origin, 10 * MS, 300 * MS);
  acq_graph_resume (acq_harness_get_graph (h), 0);
  resampler_rig_play (h, stream, origin, 10 * MS, 300 * MS);
  acq_harness_stop (h);
  for (int i = 0; i < 90; i++) {
    if (i < 30 || i >= 60)
      g_assert_cmpfloat (resampler_rig_pop_lux (h, "lamp_lux", origin + i * 10 * MS, TRUE), ==,
                         i * 10);
  }
  snapshot = acq_harness_snapshot (h);
  out = acq_snapshot_find_stream (snapshot, "grid.lamp_lux");
  g_assert_cmpuint (out->frames, ==, 90);
  g_assert_cmpuint (g_array_index (out->links, AcqLinkSnapshot, 0).counters.paused, ==, 30);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/resampler/derive", test_derive);
  g_test_add_func ("/resampler/clash", test_clash);
  g_test_add_func ("/resampler/declares", test_declares);
  g_test_add_func ("/resampler/blank", test_blank);
  g_test_add_func ("/resampler/two-takes", test_two_takes);
  g_test_add_func ("/resampler/preroll", test_preroll);
  g_test_add_func ("/resampler/pause", test_pause);
  return g_test_run ();
}
