/* SPDX-License-Identifier: Apache-2.0 */

/* The sink under a fake clock: what it writes is read back and compared, value by value. */

#include <acq/acq-harness.h>
#include <acq/acq.h>
#include <json-glib/json-glib.h>

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#define MS G_GINT64_CONSTANT (1000000)
#define START_US (ACQ_HARNESS_START_NS / 1000)
#define TAXELS 744

/* A rig */

typedef struct {
  AcqHarness *h;
  AcqTake *take;
  AcqClock *clock;
  AcqStream *skeleton; /* device time, 21 joints, no confidence */
  AcqStream *tactile;  /* a tail that is declared */
  AcqStream *raw;      /* a tail that is not, and texts */
  AcqStream *angles;   /* counts that are not declared, constants */
  AcqStream *imu;      /* a name of two segments, quaternions and matrices */
  AcqStream *empty;    /* never a message */
  AcqStream *frames;   /* latched; an array of structs with texts */
  guint n;
} Fixture;

static void
add_inputs (Fixture *f)
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

static void
set_up (Fixture *f, const char *const *options)
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

static void
start (Fixture *f)
{
  g_autoptr (GError) error = NULL;

  acq_graph_set_fact (acq_harness_get_graph (f->h), "operator", "op07");
  f->take = acq_take_ref (acq_harness_begin_take (f->h, NULL));
  g_assert_true (acq_harness_start (f->h, &error));
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f)
{
  acq_harness_free (f->h);
  g_clear_pointer (&f->take, acq_take_unref);
  g_clear_pointer (&f->clock, acq_clock_unref);
}

/* Closed forms, exact in a float. */
static float
joint_value (guint i, guint joint, guint component)
{
  return (float) i + (float) (joint * 8 + component) / 256;
}

static float
taxel_value (guint i, guint k)
{
  return k % 5 == 0 ? -1 : (float) ((i * 1000 + k) % 4096);
}

static guint
angle_count (guint i)
{
  return i % 4 + 1;
}

static void
push_skeleton (Fixture *f, guint i)
{
  AcqFrame *frame;
  AcqHandSkeleton *hand = acq_hand_skeleton_begin (f->skeleton, &frame);

  hand->side = ACQ_SIDE_LEFT;
  hand->status = (guint8) i;
  hand->n_joints = 21;
  for (guint j = 0; j < 21; j++) {
    float *values = &hand->joints[j].position.x;

    for (guint c = 0; c < 7; c++)
      values[c] = joint_value (i, j, c);
  }
  acq_stream_push (f->skeleton, frame, 0, G_GUINT64_CONSTANT (5000000) + i * 2000);
}

static void
push_tails (Fixture *f, guint i)
{
  AcqFrame *frame;
  AcqImage *image = acq_stream_begin_sized (f->tactile, &acq_image_schema, TAXELS * 4, &frame);
  float *taxels = (float *) (gpointer) (frame->payload + acq_image_schema.tail_offset);
  AcqRaw *raw;

  image->width = 31;
  image->height = 24;
  strcpy (image->encoding, "32FC1");
  for (guint k = 0; k < TAXELS; k++)
    taxels[k] = taxel_value (i, k);
  acq_stream_push (f->tactile, frame, 0, ACQ_TIME_NONE);

  raw = acq_stream_begin_sized (f->raw, &acq_raw_schema, i % 64, &frame);
  memset (frame->payload + acq_raw_schema.tail_offset, 7, i % 64);
  strcpy (raw->reason, i % 2 == 0 ? "accepted" : "\xe5\x80\x92\xf0\x9f\xa7\xa4");
  raw->length = i;
  acq_stream_push (f->raw, frame, 0, ACQ_TIME_NONE);
}

static void
push_angles (Fixture *f, guint i)
{
  AcqFrame *frame;
  AcqHandJointAngles *hand = acq_hand_joint_angles_begin (f->angles, &frame);
  AcqImu *imu;

  hand->n_angles = angle_count (i);
  for (guint k = 0; k < hand->n_angles; k++)
    hand->angles[k] = i + k * 0.25;
  acq_stream_push (f->angles, frame, 0, ACQ_TIME_NONE);

  imu = acq_imu_begin (f->imu, &frame);
  imu->orientation.w = i;
  imu->angular_velocity.z = i * 0.5;
  imu->orientation_covariance[8] = 8;
  acq_stream_push (f->imu, frame, 0, ACQ_TIME_NONE);
}

static void
push_frames (Fixture *f, const char *parent, double x)
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
static void
push (Fixture *f, guint n)
{
  for (guint end = f->n + n; f->n < end; f->n++) {
    push_skeleton (f, f->n);
    push_tails (f, f->n);
    push_angles (f, f->n);
    acq_harness_advance (f->h, MS);
  }
}

/* Reading */

static char *
path_of (AcqTake *take, const char *suffix)
{
  g_autofree char *name = g_strconcat (acq_take_get_base (take), suffix, NULL);

  return g_build_filename (acq_take_get_directory (take), name, NULL);
}

static AcqZipReader *
open_take (AcqTake *take)
{
  g_autofree char *path = path_of (take, ".npz");
  g_autoptr (GError) error = NULL;
  AcqZipReader *zip = acq_zip_reader_open (path, &error);

  g_assert_no_error (error);
  return zip;
}

/* Checks type and shape, as NumPy would print them. */
static GBytes *
read_array (AcqZipReader *zip, const char *key, const char *descr, const char *shape)
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

#define ARRAY(zip, ctype, name, key, descr, shape)                                                 \
  g_autoptr (GBytes) name##_bytes = read_array (zip, key, descr, shape);                           \
  const ctype *name = g_bytes_get_data (name##_bytes, NULL)

static char *
text_at (GBytes *bytes, guint i, guint n_chars)
{
  const guint8 *data = g_bytes_get_data (bytes, NULL);

  return acq_npy_text_decode (data + (gsize) i * n_chars * 4, (gsize) n_chars * 4, NULL);
}

static JsonObject *
read_meta (AcqZipReader *zip, JsonNode **ret_root)
{
  g_autofree char *text = acq_npz_read_text (zip, "meta", NULL);

  *ret_root = json_from_string (text, NULL);
  g_assert_nonnull (*ret_root);
  return json_node_get_object (*ret_root);
}

static const AcqLinkCounters *
counters_of (AcqSnapshot *snapshot, const char *path)
{
  const AcqStreamSnapshot *stream = acq_snapshot_find_stream (snapshot, path);

  g_assert_cmpuint (stream->links->len, ==, 1);
  return &g_array_index (stream->links, AcqLinkSnapshot, 0).counters;
}

static void
check_skeleton (AcqZipReader *zip, guint n)
{
  g_autofree char *t = g_strdup_printf ("%u", n), *m = g_strdup_printf ("%u,21,7", n);
  ARRAY (zip, gint64, t_us, "glove_0__hand_skeleton__t_us", "<i8", t);
  ARRAY (zip, gint64, t_dev, "glove_0__hand_skeleton__t_dev_us", "<i8", t);
  ARRAY (zip, gint64, t_host, "glove_0__hand_skeleton__t_host_us", "<i8", t);
  ARRAY (zip, float, joints, "glove_0__hand_skeleton", "<f4", m);
  ARRAY (zip, guint8, status, "glove_0__hand_skeleton.status", "|u1", t);

  for (guint i = 0; i < n; i++) {
    g_assert_cmpint (t_host[i], ==, START_US + i * 1000);
    g_assert_cmpint (t_dev[i], ==, 5000 + i * 2);
    g_assert_cmpint (t_us[i], ==, t_dev[i]);
    g_assert_cmpint (status[i], ==, (guint8) i);
    for (guint k = 0; k < 21 * 7; k++)
      g_assert_cmpfloat (joints[i * 147 + k], ==, joint_value (i, k / 7, k % 7));
  }
  /* Declared as none: no placeholder. */
  g_assert_null (acq_zip_reader_lookup (zip, "glove_0__hand_skeleton.confidence.npy"));
  g_assert_null (acq_zip_reader_lookup (zip, "glove_0__hand_skeleton__valid.npy"));
}

static void
check_tails (AcqZipReader *zip, guint n)
{
  g_autofree char *t = g_strdup_printf ("%u", n), *m = g_strdup_printf ("%u,24,31", n);
  ARRAY (zip, gint64, t_us, "glove_0__tactile__t_us", "<i8", t);
  ARRAY (zip, gint64, t_dev, "glove_0__tactile__t_dev_us", "<i8", t);
  ARRAY (zip, float, taxels, "glove_0__tactile", "<f4", m);
  ARRAY (zip, guint32, lengths, "glove_0__raw.length", "<u4", t);
  ARRAY (zip, guint8, reasons, "glove_0__raw.reason", "<U48", t);

  g_assert_nonnull (reasons);
  for (guint i = 0; i < n; i++) {
    g_autofree char *reason = text_at (reasons_bytes, i, 48);

    g_assert_cmpint (t_us[i], ==, START_US + i * 1000);
    g_assert_cmpint (t_dev[i], ==, -1);
    for (guint k = 0; k < TAXELS; k++)
      g_assert_cmpfloat (taxels[i * TAXELS + k], ==, taxel_value (i, k));
    g_assert_cmpuint (lengths[i], ==, i);
    g_assert_cmpstr (reason, ==, i % 2 == 0 ? "accepted" : "\xe5\x80\x92\xf0\x9f\xa7\xa4");
  }
  g_assert_null (acq_zip_reader_lookup (zip, "glove_0__raw.data.npy"));
  g_assert_null (acq_zip_reader_lookup (zip, "glove_0__tactile.width.npy"));
}

static void
check_angles (AcqZipReader *zip, guint n)
{
  g_autofree char *t = g_strdup_printf ("%u", n), *m = g_strdup_printf ("%u,32", n),
                  *q = g_strdup_printf ("%u,4", n), *v = g_strdup_printf ("%u,3", n),
                  *c = g_strdup_printf ("%u,9", n);
  ARRAY (zip, guint32, counts, "glove_0__hand_joint_angles.n_angles", "<u4", t);
  ARRAY (zip, double, angles, "glove_0__hand_joint_angles.angles", "<f8", m);
  ARRAY (zip, double, orientation, "glove_0__imu_palm.orientation", "<f8", q);
  ARRAY (zip, double, velocity, "glove_0__imu_palm.angular_velocity", "<f8", v);
  ARRAY (zip, double, covariance, "glove_0__imu_palm.orientation_covariance", "<f8", c);

  for (guint i = 0; i < n; i++) {
    g_assert_cmpuint (counts[i], ==, angle_count (i));
    for (guint k = 0; k < 32; k++)
      if (k < counts[i])
        g_assert_cmpfloat (angles[i * 32 + k], ==, i + k * 0.25);
      else
        g_assert_true (isnan (angles[i * 32 + k]));
    g_assert_cmpfloat (orientation[i * 4 + 3], ==, i);
    g_assert_cmpfloat (velocity[i * 3 + 2], ==, i * 0.5);
    g_assert_cmpfloat (covariance[i * 9 + 8], ==, 8);
  }
}

static void
check_empty (AcqZipReader *zip)
{
  g_autoptr (GBytes) t = read_array (zip, "glove_0__wrench__t_host_us", "<i8", "0");
  g_autoptr (GBytes) twist = read_array (zip, "glove_0__wrench.twist", "<f8", "0,6");

  g_assert_cmpuint (g_bytes_get_size (t) + g_bytes_get_size (twist), ==, 0);
}

static void
check_meta (AcqZipReader *zip, guint n)
{
  g_autoptr (JsonNode) root = NULL;
  JsonObject *meta = read_meta (zip, &root), *o, *streams;
  JsonArray *a;

  g_assert_cmpstr (json_object_get_string_member (meta, "device_type"), ==, "wuji_glove");
  o = json_object_get_object_member (meta, "devices");
  o = json_object_get_object_member (o, "glove_0");
  g_assert_cmpstr (json_object_get_string_member (o, "sn"), ==, "WG1J");
  g_assert_cmpstr (json_object_get_string_member (o, "slot"), ==, "left");
  g_assert_cmpstr (json_object_get_string_member (o, "node"), ==, "left_glove");
  o = json_object_get_object_member (meta, "recording");
  g_assert_cmpstr (json_object_get_string_member (o, "operator"), ==, "op07");

  streams = json_object_get_object_member (meta, "streams");
  o = json_object_get_object_member (streams, "glove_0__hand_skeleton");
  g_assert_cmpint (json_object_get_int_member (o, "frames"), ==, n);
  g_assert_cmpfloat (json_object_get_double_member (o, "duration_s"), ==, (n - 1) / 1e3);
  a = json_object_get_array_member (o, "t_host_us_range");
  g_assert_cmpint (json_array_get_int_element (a, 1), ==, START_US + (n - 1) * 1000);
  g_assert_false (json_object_get_boolean_member (o, "empty"));
  o = json_object_get_object_member (o, "columns");
  o = json_object_get_object_member (o, "glove_0__hand_skeleton");
  a = json_object_get_array_member (o, "components");
  g_assert_cmpuint (json_array_get_length (a), ==, 7);
  g_assert_cmpstr (json_array_get_string_element (a, 6), ==, "orientation.w");
  o = json_object_get_object_member (streams, "glove_0__wrench");
  g_assert_true (json_object_get_boolean_member (o, "empty"));
  o = json_object_get_object_member (streams, "glove_0__raw");
  a = json_object_get_array_member (o, "not_in_npz");
  g_assert_cmpstr (json_array_get_string_element (a, 0), ==, "data");
  o = json_object_get_object_member (streams, "glove_0__hand_joint_angles");
  o = json_object_get_object_member (o, "constants");
  a = json_object_get_array_member (o, "names");
  g_assert_cmpstr (json_array_get_string_element (a, 1), ==, "pip");
}

static void
record_and_check (const char *const *options)
{
  Fixture f;
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  g_autofree char *spool = NULL;

  set_up (&f, options);
  start (&f);
  spool = path_of (f.take, ".npz.spool");
  push (&f, 300);
  g_assert_true (g_file_test (spool, G_FILE_TEST_IS_DIR));
  acq_harness_end_take (f.h);
  acq_harness_stop (f.h);

  snapshot = acq_harness_snapshot (f.h);
  g_assert_cmpuint (counters_of (snapshot, "left_glove.hand_skeleton")->written, ==, 300);
  g_assert_cmpuint (counters_of (snapshot, "left_glove.imu/palm")->written, ==, 300);
  g_assert_false (g_file_test (spool, G_FILE_TEST_EXISTS));
  zip = open_take (f.take);
  check_skeleton (zip, 300);
  check_tails (zip, 300);
  check_angles (zip, 300);
  check_empty (zip);
  check_meta (zip, 300);
  tear_down (&f);
}

static void
test_values (void)
{
  static const char *const stored[] = { "device-names", "[\"left_glove=glove_0\"]", NULL };
  static const char *const deflated[] = { "device-names", "[\"left_glove=glove_0\"]", "compression",
                                          "deflate", NULL };

  record_and_check (stored);
  record_and_check (deflated);
}

/* The last message of a latched stream is in the next take, too; texts in arrays of structs. */
static void
test_latched (void)
{
  Fixture f;
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (AcqTake) second = NULL;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  gint64 start_us;

  set_up (&f, NULL);
  start (&f);
  push_frames (&f, "base", 1);
  push_frames (&f, "world", 10);
  acq_harness_end_take (f.h);
  acq_harness_advance (f.h, 500 * MS);
  second = acq_take_ref (acq_harness_begin_take (f.h, NULL));
  acq_harness_advance (f.h, 50 * MS);
  push_frames (&f, "hall", 100);
  acq_harness_end_take (f.h);
  acq_harness_stop (f.h);

  snapshot = acq_harness_snapshot (f.h);
  g_assert_cmpuint (counters_of (snapshot, "arm.frames")->written, ==, 3);
  g_assert_cmpuint (counters_of (snapshot, "arm.frames")->replayed, ==, 1);
  start_us = acq_take_get_start (second) / 1000;
  zip = open_take (second);
  {
    ARRAY (zip, gint64, t, "arm__frames__t_host_us", "<i8", "2");
    ARRAY (zip, guint32, n, "arm__frames.n_transforms", "<u4", "2");
    ARRAY (zip, double, transform, "arm__frames.transforms.transform", "<f8", "2,32,7");
    ARRAY (zip, guint8, parents, "arm__frames.transforms.header.frame_id", "<U64", "2,32");
    g_autofree char *first = text_at (parents_bytes, 0, 64),
                    *last = text_at (parents_bytes, 33, 64), *none = text_at (parents_bytes, 2, 64);

    g_assert_nonnull (parents);
    g_assert_cmpint (t[0], ==, start_us);
    g_assert_cmpint (t[1], ==, start_us + 50000);
    g_assert_cmpuint (n[0], ==, 2);
    g_assert_cmpfloat (transform[0], ==, 10);
    g_assert_cmpfloat (transform[32 * 7 + 7], ==, 101);
    g_assert_true (isnan (transform[2 * 7]));
    g_assert_cmpstr (first, ==, "world");
    g_assert_cmpstr (last, ==, "hall");
    g_assert_cmpstr (none, ==, "");
  }
  tear_down (&f);
}

/* Times in nanoseconds that fall into one microsecond are kept apart, and counted. */
static void
test_increasing (void)
{
  Fixture f;
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonObject *o;

  set_up (&f, NULL);
  start (&f);
  for (guint i = 0; i < 10; i++) {
    push_skeleton (&f, i);
    acq_harness_advance (f.h, 300);
  }
  acq_harness_end_take (f.h);
  acq_harness_stop (f.h);
  zip = open_take (f.take);
  {
    ARRAY (zip, gint64, t, "left_glove__hand_skeleton__t_host_us", "<i8", "10");

    for (guint i = 0; i < 10; i++)
      g_assert_cmpint (t[i], ==, START_US + i);
  }
  o = json_object_get_object_member (read_meta (zip, &root), "streams");
  o = json_object_get_object_member (o, "left_glove__hand_skeleton");
  g_assert_cmpint (json_object_get_int_member (o, "t_host_us_adjusted"), >, 0);
  tear_down (&f);
}

/* What a crash would leave: at no moment is a message older than the interval only in memory. */
static void
test_flush (void)
{
  Fixture f;
  g_autoptr (AcqNpyTable) table = NULL;
  g_autoptr (AcqSnapshot) before = NULL, after = NULL;
  g_autofree char *path = NULL;

  set_up (&f, NULL);
  start (&f);
  push (&f, 20);
  before = acq_harness_snapshot (f.h);
  g_assert_cmpuint (counters_of (before, "left_glove.hand_skeleton")->written, ==, 0);
  acq_harness_advance (f.h, 550 * MS);
  acq_harness_advance (f.h, 100 * MS);
  after = acq_harness_snapshot (f.h);
  g_assert_cmpuint (counters_of (after, "left_glove.hand_skeleton")->written, ==, 20);

  path = path_of (f.take, ".npz.spool/left_glove__hand_skeleton.npy");
  table = acq_npy_table_open (path, NULL);
  g_assert_cmpuint (acq_npy_table_get_n_promised (table), ==, 20);
  acq_harness_stop (f.h);
  tear_down (&f);
}

/* A limit on the size of files stands for a full disk. */
static void
test_full (void)
{
  Fixture f;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  g_autoptr (AcqNpzSpool) spool = NULL;
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = NULL, *path = NULL;
  const AcqLinkCounters *n;
  AcqNpzReport report;
  struct rlimit unlimited, limit;

  set_up (&f, NULL);
  start (&f);
  directory = path_of (f.take, ".npz.spool");
  path = path_of (f.take, ".npz");
  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &unlimited);
  limit = unlimited;
  limit.rlim_cur = 300000;
  setrlimit (RLIMIT_FSIZE, &limit);
  push (&f, 300);
  acq_harness_stop (f.h);
  setrlimit (RLIMIT_FSIZE, &unlimited);

  snapshot = acq_harness_snapshot (f.h);
  n = counters_of (snapshot, "left_glove.tactile");
  g_assert_cmpuint (n->written, ==, 99); /* whole rows of 3000 bytes below the limit */
  g_assert_cmpuint (n->offered, ==, 300);
  g_assert_cmpint (acq_harness_count_events (f.h, "failed"), ==, 1);

  /* No archive could be made of it there; with room, nothing of what was written is lost. */
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  spool = acq_npz_spool_open (directory, &error);
  g_assert_no_error (error);
  g_assert_true (acq_npz_spool_assemble (spool, ACQ_ZIP_STORED, ACQ_NPZ_SPOOL_RECOVER, NULL, NULL,
                                         NULL, &report, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (report.unreadable, ==, 0);
  zip = open_take (f.take);
  {
    ARRAY (zip, float, taxels, "left_glove__tactile", "<f4", "99,24,31");

    g_assert_cmpfloat (taxels[98 * TAXELS + 743], ==, taxel_value (98, 743));
  }
  tear_down (&f);
}

static void
test_options (void)
{
  static const char *const bad[] = {
    "[\"left_glove\"]", "[\"Left=glove_0\"]", "[\"a=b__c\"]",
    "[\"a=\"]",         "[\"a=x\", \"a=y\"]", "[\"a=x\", \"b=x\"]"
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    AcqHarness *h = acq_harness_new_plugin (NULL, "npz-writer", "npz");
    g_autoptr (GError) error = NULL;

    acq_harness_set (h, "device-names", bad[i]);
    g_assert_false (acq_node_check (acq_harness_get_node (h), &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_OPTION);
    acq_harness_free (h);
  }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/npz-writer/values", test_values);
  g_test_add_func ("/npz-writer/latched", test_latched);
  g_test_add_func ("/npz-writer/increasing", test_increasing);
  g_test_add_func ("/npz-writer/flush", test_flush);
  g_test_add_func ("/npz-writer/full", test_full);
  g_test_add_func ("/npz-writer/options", test_options);
  return g_test_run ();
}
