/* SPDX-License-Identifier: Apache-2.0 */

/* Takes, flushing, failures and options of the sink. */

#include "npz-rig.h"

#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

/* The last message of a latched stream is in the next take, too; texts in arrays of structs. */
static void
test_latched (void)
{
  NpzRig f;
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (AcqTake) second = NULL;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  gint64 start_us;

  npz_rig_init (&f, NULL);
  npz_rig_start (&f);
  npz_rig_push_frames (&f, "base", 1);
  npz_rig_push_frames (&f, "world", 10);
  acq_harness_end_take (f.h);
  acq_harness_advance (f.h, 500 * MS);
  second = acq_take_ref (acq_harness_begin_take (f.h, NULL));
  acq_harness_advance (f.h, 50 * MS);
  npz_rig_push_frames (&f, "hall", 100);
  acq_harness_end_take (f.h);
  acq_harness_stop (f.h);

  snapshot = acq_harness_snapshot (f.h);
  g_assert_cmpuint (npz_rig_counters (snapshot, "arm.frames")->written, ==, 3);
  g_assert_cmpuint (npz_rig_counters (snapshot, "arm.frames")->replayed, ==, 1);
  start_us = acq_take_get_start (second) / 1000;
  zip = npz_rig_open (second);
  {
    ARRAY (zip, gint64, t, "arm__frames__t_host_us", "<i8", "2");
    ARRAY (zip, guint32, n, "arm__frames.n_transforms", "<u4", "2");
    ARRAY (zip, double, transform, "arm__frames.transforms.transform", "<f8", "2,32,7");
    ARRAY (zip, guint8, parents, "arm__frames.transforms.header.frame_id", "<U64", "2,32");
    g_autofree char *first = npz_rig_text (parents_bytes, 0, 64),
                    *last = npz_rig_text (parents_bytes, 33, 64),
                    *none = npz_rig_text (parents_bytes, 2, 64);

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
  npz_rig_clear (&f);
}

/* Times in nanoseconds that fall into one microsecond are kept apart, and counted. */
static void
test_increasing (void)
{
  NpzRig f;
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonObject *o;

  npz_rig_init (&f, NULL);
  npz_rig_start (&f);
  for (guint i = 0; i < 10; i++) {
    npz_rig_push_skeleton (&f, i);
    acq_harness_advance (f.h, 300);
  }
  acq_harness_end_take (f.h);
  acq_harness_stop (f.h);
  zip = npz_rig_open (f.take);
  {
    ARRAY (zip, gint64, t, "left_glove__hand_skeleton__t_host_us", "<i8", "10");

    for (guint i = 0; i < 10; i++)
      g_assert_cmpint (t[i], ==, START_US + i);
  }
  o = json_object_get_object_member (npz_rig_meta (zip, &root), "streams");
  o = json_object_get_object_member (o, "left_glove__hand_skeleton");
  g_assert_cmpint (json_object_get_int_member (o, "t_host_us_adjusted"), >, 0);
  npz_rig_clear (&f);
}

/* What a crash would leave: at no moment is a message older than the interval only in memory. */
static void
test_flush (void)
{
  NpzRig f;
  g_autoptr (AcqNpyTable) table = NULL;
  g_autoptr (AcqSnapshot) before = NULL, after = NULL;
  g_autofree char *path = NULL;

  npz_rig_init (&f, NULL);
  npz_rig_start (&f);
  npz_rig_push (&f, 20);
  before = acq_harness_snapshot (f.h);
  g_assert_cmpuint (npz_rig_counters (before, "left_glove.hand_skeleton")->written, ==, 0);
  acq_harness_advance (f.h, 550 * MS);
  acq_harness_advance (f.h, 100 * MS);
  after = acq_harness_snapshot (f.h);
  g_assert_cmpuint (npz_rig_counters (after, "left_glove.hand_skeleton")->written, ==, 20);

  path = npz_rig_path (f.take, ".npz.spool/left_glove__hand_skeleton.npy");
  table = acq_npy_table_open (path, NULL);
  g_assert_cmpuint (acq_npy_table_get_n_promised (table), ==, 20);
  acq_harness_stop (f.h);
  npz_rig_clear (&f);
}

/* A limit on the size of files stands for a full disk. */
static void
test_full (void)
{
  NpzRig f;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  g_autoptr (AcqNpzSpool) spool = NULL;
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = NULL, *path = NULL;
  const AcqLinkCounters *n;
  AcqNpzReport report;
  struct rlimit unlimited, limit;

  npz_rig_init (&f, NULL);
  npz_rig_start (&f);
  directory = npz_rig_path (f.take, ".npz.spool");
  path = npz_rig_path (f.take, ".npz");
  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &unlimited);
  limit = unlimited;
  limit.rlim_cur = 300000;
  setrlimit (RLIMIT_FSIZE, &limit);
  npz_rig_push (&f, 300);
  acq_harness_stop (f.h);
  setrlimit (RLIMIT_FSIZE, &unlimited);

  snapshot = acq_harness_snapshot (f.h);
  n = npz_rig_counters (snapshot, "left_glove.tactile");
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
  zip = npz_rig_open (f.take);
  {
    ARRAY (zip, float, taxels, "left_glove__tactile", "<f4", "99,24,31");

    g_assert_cmpfloat (taxels[98 * TAXELS + 743], ==, npz_rig_taxel (98, 743));
  }
  npz_rig_clear (&f);
}

/* What the ledger says is what the file has, also of streams that could be written. */
static void
test_ledger_after_failure (void)
{
  static const char *const streams[][2] = {
    { "left_glove.tactile", "left_glove__tactile" },
    { "left_glove.hand_skeleton", "left_glove__hand_skeleton" },
  };
  struct rlimit unlimited, limit;
  NpzRig f;
  g_autoptr (AcqSnapshot) snapshot = NULL;

  npz_rig_init (&f, NULL);
  npz_rig_start (&f);
  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &unlimited);
  limit = unlimited;
  limit.rlim_cur = 50000; /* less than the first block of the one, more than all of the other */
  setrlimit (RLIMIT_FSIZE, &limit);
  npz_rig_push (&f, 60);
  acq_harness_stop (f.h);
  setrlimit (RLIMIT_FSIZE, &unlimited);
  g_assert_cmpint (acq_harness_count_events (f.h, "failed"), ==, 1);
  snapshot = acq_harness_snapshot (f.h);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    const AcqLinkCounters *n = npz_rig_counters (snapshot, streams[i][0]);
    g_autofree char *name = g_strconcat (".npz.spool/", streams[i][1], ".npy", NULL);
    g_autofree char *path = npz_rig_path (f.take, name);
    g_autoptr (AcqNpyTable) table = acq_npy_table_open (path, NULL);

    g_assert_nonnull (table);
    g_assert_cmpuint (n->written, >, 0);
    g_assert_cmpuint (n->written, ==, acq_npy_table_get_n_rows (table));
    g_assert_cmpuint (n->pending, ==, 0);
  }
  npz_rig_clear (&f);
}

static void
delete_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    g_assert_cmpint (g_unlink (child), ==, 0);
  }
  g_assert_cmpint (g_rmdir (path), ==, 0);
}

/* Noticed even while no message comes; nothing is said to be kept. */
static void
test_deleted (void)
{
  NpzRig f;
  g_autofree char *directory = NULL;
  const AcqEvent *failed;

  npz_rig_init (&f, NULL);
  npz_rig_start (&f);
  npz_rig_push (&f, 10);
  acq_harness_advance (f.h, 700 * MS);
  directory = npz_rig_path (f.take, ".npz.spool");
  delete_folder (directory);
  acq_harness_advance (f.h, 1100 * MS);
  failed = acq_harness_find_event (f.h, "failed");
  g_assert_nonnull (failed);
  g_assert_nonnull (strstr (failed->message, directory));
  g_assert_nonnull (strstr (failed->message, "was deleted while"));
  acq_harness_stop (f.h);
  failed = acq_harness_find_event (f.h, "finish_failed");
  g_assert_nonnull (failed);
  g_assert_nonnull (strstr (failed->message, "was deleted while"));
  g_assert_null (strstr (failed->message, "kept in"));
  npz_rig_clear (&f);
}

/* A shape that does not multiply to the count is not believed. */
static void
test_tail_shape (void)
{
  static const AcqTailLayout tail = { .kind = ACQ_KIND_U16, .count = 6, .shape = "4,5" };
  AcqStreamInfo info = {
    .name = "pads", .schema = &acq_image_schema, .max_tail = 12, .tail = &tail
  };
  NpzRig f;
  g_autoptr (AcqZipReader) zip = NULL;
  AcqStream *stream;
  AcqFrame *frame;

  npz_rig_init (&f, NULL);
  stream = acq_harness_add_input (f.h, "left_glove", &info);
  npz_rig_start (&f);
  acq_stream_begin_sized (stream, &acq_image_schema, 12, &frame);
  for (guint i = 0; i < 12; i++)
    frame->payload[acq_image_schema.tail_offset + i] = (guint8) (i * 20);
  acq_stream_push (stream, frame, 0, ACQ_TIME_NONE);
  acq_harness_stop (f.h);
  zip = npz_rig_open (f.take);
  {
    ARRAY (zip, guint16, pads, "left_glove__pads", "<u2", "1,6");

    g_assert_cmpuint (pads[5], ==, 220 << 8 | 200);
  }
  npz_rig_clear (&f);
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

/* A name for a node that is not there is a mistake of the pipeline's author. */
static void
test_unknown_node (void)
{
  static const char *const options[] = { "device-names", "[\"left_glov=glove_0\"]", NULL };
  g_autoptr (GError) error = NULL;
  NpzRig f;

  npz_rig_init (&f, options);
  g_assert_false (acq_harness_start (f.h, &error));
  g_assert_nonnull (strstr (error->message, "did you mean 'left_glove'"));
  npz_rig_clear (&f);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/npz-writer/latched", test_latched);
  g_test_add_func ("/npz-writer/increasing", test_increasing);
  g_test_add_func ("/npz-writer/flush", test_flush);
  g_test_add_func ("/npz-writer/full", test_full);
  g_test_add_func ("/npz-writer/ledger-after-failure", test_ledger_after_failure);
  g_test_add_func ("/npz-writer/deleted", test_deleted);
  g_test_add_func ("/npz-writer/options", test_options);
  g_test_add_func ("/npz-writer/unknown-node", test_unknown_node);
  g_test_add_func ("/npz-writer/tail-shape", test_tail_shape);
  return g_test_run ();
}
