/* SPDX-License-Identifier: Apache-2.0 */

/* Crashes, full disks and mistakes: what is promised then. */

#include "sink-rig.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

/* --- time --------------------------------------------------------------- */

static guint64
part_size (AcqTake *take)
{
  g_autofree char *path = sink_rig_path (take, ".mcap.part");
  g_autoptr (GMappedFile) map = g_mapped_file_new (path, FALSE, NULL);

  return map != NULL ? g_mapped_file_get_length (map) : 0;
}

/* Workers are real: wait, with a bound, until they have settled everything. */
static gboolean
wait_settled (SinkRig *f, const char *path)
{
  for (guint i = 0; i < 5000; i++) {
    g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (f->h);
    const AcqLinkCounters *n = mcap_sink_counters (snapshot, path);

    if (n->offered != 0 && n->pending == 0 && n->queued == 0)
      return TRUE;
    g_usleep (1000);
  }
  return FALSE;
}

/* A chunk leaves when its oldest message is 0.6 of the interval old, not before. */
static void
test_flush_interval (void)
{
  SinkRig f;
  guint64 head;
  g_autoptr (AcqSnapshot) before = NULL;

  sink_rig_set_up (&f, NULL);
  sink_rig_start (&f);
  for (guint i = 0; i < 5000 && part_size (f.take) == 0; i++)
    g_usleep (1000);
  head = part_size (f.take);
  g_assert_cmpuint (head, >, 0); /* the head is on its way at once */
  sink_rig_push (&f, 1);
  acq_harness_advance (f.h, 500 * MS);
  before = acq_harness_snapshot (f.h);
  g_assert_cmpuint (mcap_sink_counters (before, "left_glove.tactile")->pending, ==, 1);
  g_assert_cmpuint (part_size (f.take), ==, head);
  acq_harness_advance (f.h, 100 * MS);
  acq_harness_advance (f.h, 20 * MS);
  g_assert_true (wait_settled (&f, "left_glove.tactile"));
  g_assert_cmpuint (part_size (f.take), >, head + TAXELS);
  sink_rig_tear_down (&f);
}

/* What was killed can be recovered: the part file of a running take, as it lies there. */
static void
test_recover (void)
{
  SinkRig f;
  g_autofree char *part = NULL;
  g_autofree char *copy = NULL;
  g_autofree char *to = NULL;
  g_autofree char *bytes = NULL;
  g_autoptr (AcqMcapReport) report = NULL;
  g_autoptr (GError) error = NULL;
  AcqMcapRecovery recovery;
  gsize size;

  sink_rig_set_up (&f, NULL);
  sink_rig_start (&f);
  sink_rig_push (&f, 700);
  acq_harness_advance (f.h, 600 * MS);
  acq_harness_advance (f.h, 20 * MS);
  g_assert_true (wait_settled (&f, "left_glove.tactile"));
  part = sink_rig_path (f.take, ".mcap.part");
  copy = sink_rig_path (f.take, ".copy");
  to = sink_rig_path (f.take, ".recovered.mcap");
  g_assert_true (g_file_get_contents (part, &bytes, &size, NULL));
  g_assert_true (g_file_set_contents (copy, bytes, size, NULL));
  g_assert_true (acq_mcap_recover_path (copy, to, 0, &recovery, &error));
  g_assert_no_error (error);
  g_assert_false (acq_mcap_recovery_has_loss (&recovery));
  g_assert_cmpuint (recovery.messages, >=, 3 * 700);
  report = acq_mcap_verify_path (to, ACQ_MCAP_VERIFY_ORDER, &error);
  g_assert_cmpuint (report->n_errors + report->n_warnings, ==, 0);
  sink_rig_tear_down (&f);
}

/* --- failures ----------------------------------------------------------- */

/* A limit on the size of files stands in for a full disk. */
static void
test_full_disk (void)
{
  SinkRig f;
  struct rlimit before, limit = { 4 * 1024 * 1024, 0 };
  static const char *const options[] = { "compression", "none", "chunk-size", "64KiB", NULL };
  g_autoptr (AcqMcapReader) reader = NULL;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  const AcqLinkCounters *n;
  AcqMcapSpan end;

  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &before);
  limit.rlim_max = before.rlim_max;
  setrlimit (RLIMIT_FSIZE, &limit);
  sink_rig_set_up (&f, options);
  sink_rig_start (&f);
  for (guint i = 0; i < 40 && acq_harness_find_event (f.h, "failed") == NULL; i++)
    sink_rig_push (&f, 50);
  g_assert_nonnull (acq_harness_find_event (f.h, "failed"));
  g_assert_cmpint (acq_node_get_state (acq_harness_get_node (f.h)), ==, ACQ_NODE_FAILED);
  acq_harness_stop (f.h);
  setrlimit (RLIMIT_FSIZE, &before);

  reader = sink_rig_open (f.take);
  snapshot = acq_harness_snapshot (f.h);
  n = mcap_sink_counters (snapshot, "left_glove.tactile");
  g_assert_cmpuint (n->written, >, 0);
  g_assert_cmpuint (n->written, ==, mcap_count_of (reader, "/left_glove/tactile"));
  g_assert_cmpuint (n->failed[ACQ_FAIL_WRITE] + n->failed[ACQ_FAIL_NO_SPACE], >, 0);
  g_assert_cmpuint (n->pending, ==, 0);
  end = mcap_find_metadata (reader, "acq.end");
  mcap_assert_metadata (end, "complete", "false");
  sink_rig_tear_down (&f);
}

/* Noticed even while no message comes. */
static void
test_deleted (void)
{
  static const char *const options[] = { "flush-interval-ms", "10", NULL };
  SinkRig f;
  g_autofree char *part = NULL;
  const AcqEvent *failed = NULL;

  sink_rig_set_up (&f, options);
  sink_rig_start (&f);
  sink_rig_push (&f, 10);
  acq_harness_advance (f.h, 20 * MS);
  g_assert_true (wait_settled (&f, "left_glove.tactile"));
  part = sink_rig_path (f.take, ".mcap.part");
  g_assert_cmpint (g_unlink (part), ==, 0);
  for (guint i = 0; i < 500 && failed == NULL; i++) {
    g_usleep (10000);
    acq_harness_advance (f.h, 600 * MS);
    failed = acq_harness_find_event (f.h, "failed");
  }
  g_assert_nonnull (failed);
  g_assert_nonnull (strstr (failed->message, part));
  g_assert_nonnull (strstr (failed->message, "was deleted while"));
  acq_harness_stop (f.h);
  sink_rig_tear_down (&f);
}

static void
test_unusable_directory (void)
{
  SinkRig f;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;

  sink_rig_set_up (&f, NULL);
  f.take = acq_take_ref (acq_harness_begin_take (f.h, NULL));
  path = sink_rig_path (f.take, ".mcap");
  g_assert_true (g_file_set_contents (path, "mine", 4, NULL));
  g_assert_true (acq_harness_start (f.h, &error));
  acq_harness_advance (f.h, 20 * MS);
  g_assert_cmpint (acq_node_get_state (acq_harness_get_node (f.h)), ==, ACQ_NODE_FAILED);
  g_assert_nonnull (strstr (acq_harness_find_event (f.h, "failed")->message, "is not replaced"));
  sink_rig_tear_down (&f);
}

static const struct {
  const char *option;
  const char *text;
  const char *message; /* in the error of set, or of check */
} bad_options[] = {
  { "compression", "gzip", "gzip" },
  { "chunk-size", "1GiB", "256" },
  { "workers", "0", "1" },
  { "flush-interval-ms", "5", "10" },
  { "level", "20", "lz4 has no level 20" },
};

static void
test_options (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad_options); i++) {
    AcqHarness *h = acq_harness_new_plugin (NULL, "mcap-writer", "mcap");
    AcqNode *node = acq_harness_get_node (h);
    g_autoptr (GError) error = NULL;

    g_assert_false (
        acq_node_set_option_text (node, bad_options[i].option, bad_options[i].text, &error) &&
        acq_node_check (node, &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_OPTION);
    g_assert_nonnull (strstr (error->message, bad_options[i].message));
    acq_harness_free (h);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mcap-writer/flush-interval", test_flush_interval);
  g_test_add_func ("/mcap-writer/recover", test_recover);
  g_test_add_func ("/mcap-writer/full-disk", test_full_disk);
  g_test_add_func ("/mcap-writer/deleted", test_deleted);
  g_test_add_func ("/mcap-writer/unusable-directory", test_unusable_directory);
  g_test_add_func ("/mcap-writer/options", test_options);
  return g_test_run ();
}
