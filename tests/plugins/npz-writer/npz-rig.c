/* SPDX-License-Identifier: Apache-2.0 */
#include "npz-rig.h"

#include <string.h>

static void
add_inputs (NpzRig *f)
{
  static const AcqTailLayout tail = {
    .kind = ACQ_KIND_F32, .count = TAXELS, .shape = "24,31", .has_invalid = TRUE, .invalid = -1
  };
  static const char *const names[] = { "mcp", "pip", NULL };
  g_autoptr (AcqConstants) constants =
      acq_constants_new_strv (&acq_hand_joint_angles_schema, "names", names, NULL);
  AcqStreamInfo skeleton = {
    .name = "hand_skeleton", .schema = &acq_hand_skeleton_schema, .rate_hz = 120, .clock = f->clock
  };
  AcqStreamInfo tactile = { .name = "tactile",
                            .schema = &acq_image_schema,
                            .rate_hz = 120,
                            .max_tail = TAXELS * 4,
                            .tail = &tail };
  AcqStreamInfo raw = { .name = "raw", .schema = &acq_raw_schema, .max_tail = 64 };
  AcqStreamInfo angles = { .name = "hand_joint_angles",
                           .schema = &acq_hand_joint_angles_schema,
                           .constants = constants };
  AcqStreamInfo imu = { .name = "imu/palm", .schema = &acq_imu_schema, .rate_hz = 800 };
  AcqStreamInfo empty = { .name = "wrench", .schema = &acq_twist_stamped_schema };
  AcqStreamInfo frames = { .name = "frames", .schema = &acq_tf_message_schema, .latched = TRUE };

  f->skeleton = acq_harness_add_input (f->h, "left_glove", &skeleton);
  acq_stream_set_count (f->skeleton, "joints", 21);
  acq_stream_set_count (f->skeleton, "confidence", 0);
  acq_stream_set_metadata (f->skeleton, "axes", "x forward");
  f->tactile = acq_harness_add_input (f->h, "left_glove", &tactile);
  f->raw = acq_harness_add_input (f->h, "left_glove", &raw);
  f->angles = acq_harness_add_input (f->h, "left_glove", &angles);
  f->imu = acq_harness_add_input (f->h, "left_glove", &imu);
  f->empty = acq_harness_add_input (f->h, "left_glove", &empty);
  f->frames = acq_harness_add_input (f->h, "arm", &frames);
}

void
npz_rig_init (NpzRig *f, const char *const *options)
{
  memset (f, 0, sizeof *f);
  f->h = acq_harness_new_plugin (NULL, "npz-writer", "npz");
  for (guint i = 0; options != NULL && options[i] != NULL; i += 2)
    acq_harness_set (f->h, options[i], options[i + 1]);
  f->clock = acq_clock_new ("left_glove", ACQ_CLOCK_UPTIME);
  add_inputs (f);
  acq_node_set_fact (acq_stream_get_node (f->skeleton), "section", "gloves");
  acq_node_set_fact (acq_stream_get_node (f->skeleton), "kind", "wuji");
  acq_node_set_fact (acq_stream_get_node (f->skeleton), "serial", "WG1J");
  acq_node_set_fact (acq_stream_get_node (f->skeleton), "side", "left");
}

void
npz_rig_start (NpzRig *f)
{
  g_autoptr (GError) error = NULL;

  acq_graph_set_fact (acq_harness_get_graph (f->h), "operator", "op07");
  f->take = acq_take_ref (acq_harness_begin_take (f->h, NULL));
  g_assert_true (acq_harness_start (f->h, &error));
  g_assert_no_error (error);
}

void
npz_rig_clear (NpzRig *f)
{
  acq_harness_free (f->h);
  g_clear_pointer (&f->take, acq_take_unref);
  g_clear_pointer (&f->clock, acq_clock_unref);
}

/* Closed forms, exact in a float. */
float
npz_rig_joint (guint i, guint joint, guint component)
{
  return (float) i + (float) (joint * 8 + component) / 256;
}

float
npz_rig_taxel (guint i, guint k)
{
  return k % 5 == 0 ? -1 : (float) ((i * 1000 + k) % 4096);
}

guint
npz_rig_angle_count (guint i)
{
  return i % 4 + 1;
}

void
npz_rig_push_skeleton (NpzRig *f, guint i)
{
  AcqFrame *frame;
  AcqHandSkeleton *hand = acq_hand_skeleton_begin (f->skeleton, &frame);

  hand->side = ACQ_SIDE_LEFT;
  hand->status = (guint8) i;
  hand->n_joints = 21;
  for (guint j = 0; j < 21; j++) {
    float *values = &hand->joints[j].position.x;

    for (guint c = 0; c < 7; c++)
      values[c] = npz_rig_joint (i, j, c);
  }
  acq_stream_push (f->skeleton, frame, 0, G_GUINT64_CONSTANT (5000000) + i * 2000);
}

static void
push_tails (NpzRig *f, guint i)
{
  AcqFrame *frame;
  AcqImage *image = acq_stream_begin_sized (f->tactile, &acq_image_schema, TAXELS * 4, &frame);
  float *taxels = (float *) (gpointer) (frame->payload + acq_image_schema.tail_offset);
  AcqRaw *raw;

  image->width = 31;
  image->height = 24;
  strcpy (image->encoding, "32FC1");
  for (guint k = 0; k < TAXELS; k++)
    taxels[k] = npz_rig_taxel (i, k);
  acq_stream_push (f->tactile, frame, 0, ACQ_TIME_NONE);

  raw = acq_stream_begin_sized (f->raw, &acq_raw_schema, i % 64, &frame);
  memset (frame->payload + acq_raw_schema.tail_offset, 7, i % 64);
  strcpy (raw->reason, i % 2 == 0 ? "accepted" : "\xe5\x80\x92\xf0\x9f\xa7\xa4");
  raw->length = i;
  acq_stream_push (f->raw, frame, 0, ACQ_TIME_NONE);
}

static void
push_angles (NpzRig *f, guint i)
{
  AcqFrame *frame;
  AcqHandJointAngles *hand = acq_hand_joint_angles_begin (f->angles, &frame);
  AcqImu *imu;

  hand->n_angles = npz_rig_angle_count (i);
  for (guint k = 0; k < hand->n_angles; k++)
    hand->angles[k] = i + k * 0.25;
  acq_stream_push (f->angles, frame, 0, ACQ_TIME_NONE);

  imu = acq_imu_begin (f->imu, &frame);
  imu->orientation.w = i;
  imu->angular_velocity.z = i * 0.5;
  imu->orientation_covariance[8] = 8;
  acq_stream_push (f->imu, frame, 0, ACQ_TIME_NONE);
}

void
npz_rig_push_frames (NpzRig *f, const char *parent, double x)
{
  AcqFrame *frame;
  AcqTFMessage *message = acq_tf_message_begin (f->frames, &frame);

  message->n_transforms = 2;
  for (guint i = 0; i < 2; i++) {
    strcpy (message->transforms[i].header.frame_id, parent);
    g_snprintf (message->transforms[i].child_frame_id, 16, "tip_%u", i);
    message->transforms[i].transform.translation.x = x + i;
  }
  acq_stream_push (f->frames, frame, 0, ACQ_TIME_NONE);
  acq_harness_advance (f->h, MS);
}

/* Messages number @n in all, a millisecond apart. */
void
npz_rig_push (NpzRig *f, guint n)
{
  for (guint end = f->n + n; f->n < end; f->n++) {
    npz_rig_push_skeleton (f, f->n);
    push_tails (f, f->n);
    push_angles (f, f->n);
    acq_harness_advance (f->h, MS);
  }
}

/* Reading */

char *
npz_rig_path (AcqTake *take, const char *suffix)
{
  g_autofree char *name = g_strconcat (acq_take_get_base (take), suffix, NULL);

  return g_build_filename (acq_take_get_directory (take), name, NULL);
}

AcqZipReader *
npz_rig_open (AcqTake *take)
{
  g_autofree char *path = npz_rig_path (take, ".npz");
  g_autoptr (GError) error = NULL;
  AcqZipReader *zip = acq_zip_reader_open (path, &error);

  g_assert_no_error (error);
  return zip;
}

/* Checks type and shape, as NumPy would print them. */
GBytes *
npz_rig_read (AcqZipReader *zip, const char *key, const char *descr, const char *shape)
{
  g_autoptr (GError) error = NULL;
  g_auto (AcqNpyHeader) header = { 0 };
  GBytes *data = acq_npz_read (zip, key, &header, &error);
  g_autoptr (GString) found = g_string_new ("");

  g_test_message ("%s", key);
  g_assert_no_error (error);
  g_assert_cmpstr (header.fields[0].descr, ==, descr);
  for (guint i = 0; i < header.n_dims; i++)
    g_string_append_printf (found, "%s%" G_GUINT64_FORMAT, i > 0 ? "," : "", header.shape[i]);
  g_assert_cmpstr (found->str, ==, shape);
  return data;
}

char *
npz_rig_text (GBytes *bytes, guint i, guint n_chars)
{
  const guint8 *data = g_bytes_get_data (bytes, NULL);

  return acq_npy_text_decode (data + (gsize) i * n_chars * 4, (gsize) n_chars * 4, NULL);
}

JsonObject *
npz_rig_meta (AcqZipReader *zip, JsonNode **ret_root)
{
  g_autofree char *text = acq_npz_read_text (zip, "meta", NULL);

  *ret_root = json_from_string (text, NULL);
  g_assert_nonnull (*ret_root);
  return json_node_get_object (*ret_root);
}

const AcqLinkCounters *
npz_rig_counters (AcqSnapshot *snapshot, const char *path)
{
  const AcqStreamSnapshot *stream = acq_snapshot_find_stream (snapshot, path);

  g_assert_cmpuint (stream->links->len, ==, 1);
  return &g_array_index (stream->links, AcqLinkSnapshot, 0).counters;
}
