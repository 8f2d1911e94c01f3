/* SPDX-License-Identifier: Apache-2.0 */

/* What the sink writes is read back and compared, value by value. */

#include "npz-rig.h"

#include <math.h>

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
      g_assert_cmpfloat (joints[i * 147 + k], ==, npz_rig_joint (i, k / 7, k % 7));
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
    g_autofree char *reason = npz_rig_text (reasons_bytes, i, 48);

    g_assert_cmpint (t_us[i], ==, START_US + i * 1000);
    g_assert_cmpint (t_dev[i], ==, -1);
    for (guint k = 0; k < TAXELS; k++)
      g_assert_cmpfloat (taxels[i * TAXELS + k], ==, npz_rig_taxel (i, k));
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
    g_assert_cmpuint (counts[i], ==, npz_rig_angle_count (i));
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
  g_autoptr (GBytes) t = npz_rig_read (zip, "glove_0__wrench__t_host_us", "<i8", "0");
  g_autoptr (GBytes) twist = npz_rig_read (zip, "glove_0__wrench.twist", "<f8", "0,6");

  g_assert_cmpuint (g_bytes_get_size (t) + g_bytes_get_size (twist), ==, 0);
}

static void
check_meta (AcqZipReader *zip, guint n)
{
  g_autoptr (JsonNode) root = NULL;
  JsonObject *meta = npz_rig_meta (zip, &root), *o, *streams;
  JsonArray *a;

  g_assert_cmpstr (json_object_get_string_member (meta, "device_type"), ==, "wuji_glove");
  o = json_object_get_object_member (meta, "devices");
  o = json_object_get_object_member (o, "glove_0");
  g_assert_cmpstr (json_object_get_string_member (o, "sn"), ==, "WG1J");
  g_assert_cmpstr (json_object_get_string_member (o, "slot"), ==, "left");
  g_assert_cmpstr (json_object_get_string_member (o, "node"), ==, "left_glove");
  g_assert_cmpstr (json_object_get_string_member (o, "device_name"), ==, "glove_0");
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
  NpzRig f;
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  g_autofree char *spool = NULL;

  npz_rig_init (&f, options);
  npz_rig_start (&f);
  spool = npz_rig_path (f.take, ".npz.spool");
  npz_rig_push (&f, 300);
  g_assert_true (g_file_test (spool, G_FILE_TEST_IS_DIR));
  acq_harness_end_take (f.h);
  acq_harness_stop (f.h);

  snapshot = acq_harness_snapshot (f.h);
  g_assert_cmpuint (npz_rig_counters (snapshot, "left_glove.hand_skeleton")->written, ==, 300);
  g_assert_cmpuint (npz_rig_counters (snapshot, "left_glove.imu/palm")->written, ==, 300);
  g_assert_false (g_file_test (spool, G_FILE_TEST_EXISTS));
  zip = npz_rig_open (f.take);
  check_skeleton (zip, 300);
  check_tails (zip, 300);
  check_angles (zip, 300);
  check_empty (zip);
  check_meta (zip, 300);
  npz_rig_clear (&f);
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

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/npz-writer/values", test_values);
  return g_test_run ();
}
