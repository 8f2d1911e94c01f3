/* SPDX-License-Identifier: Apache-2.0 */

/* acq-recover on files that were cut, damaged, empty, finished before, or no recording at all. */

#include <string.h>

#include <acq/acq.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "run-process.h"

/* One recording for all tests: its bytes, whole. */
static GBytes *recording;
static guint64 n_numbers;

typedef struct {
  char *folder;
  char *part;  /* x.mcap.part */
  char *whole; /* x.mcap */
} Fixture;

static void
setup (Fixture *f, gconstpointer data)
{
  f->folder = g_dir_make_tmp ("acq-recover-XXXXXX", NULL);
  f->part = g_build_filename (f->folder, "x.mcap.part", NULL);
  f->whole = g_build_filename (f->folder, "x.mcap", NULL);
}

static void
teardown (Fixture *f, gconstpointer data)
{
  run_folder_remove (f->folder);
  g_free (f->folder);
  g_free (f->part);
  g_free (f->whole);
}

static void
write_cut (const char *path, gsize size)
{
  g_assert_true (
      g_file_set_contents (path, g_bytes_get_data (recording, NULL), (gssize) size, NULL));
}

/* Runs with --json and up to two arguments. Returns the exit code. */
static int
recover (const char *first, const char *second, JsonNode **ret_node, char **ret_err)
{
  g_autofree char *program =
      g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "apps", "acq-recover", "acq-recover", NULL);
  const char *argv[] = { program, "--json", first, second, NULL };
  g_autofree char *out = NULL;
  g_autofree char *err = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = g_subprocess_newv (
      argv, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);

  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &out, &err, &error);
  g_assert_no_error (error);
  g_test_message ("%s%s", out, err);
  if (ret_node != NULL)
    *ret_node = json_from_string (out, NULL);
  if (ret_err != NULL)
    *ret_err = g_steal_pointer (&err);
  return g_subprocess_get_exit_status (process);
}

static JsonObject *
only_file (JsonNode *node)
{
  JsonArray *files = json_object_get_array_member (json_node_get_object (node), "files");

  g_assert_cmpuint (json_array_get_length (files), ==, 1);
  return json_array_get_object_element (files, 0);
}

static void
assert_result (JsonNode *node, const char *result)
{
  g_assert_cmpstr (json_object_get_string_member (only_file (node), "result"), ==, result);
}

static guint64
assert_valid (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReport) report = acq_mcap_verify_path (path, ACQ_MCAP_VERIFY_ORDER, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (report->n_errors, ==, 0);
  return report->n_messages;
}

static void
assert_untouched (const char *path, gsize size)
{
  g_autofree char *bytes = NULL;
  gsize n;

  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  g_assert_cmpmem (bytes, n, g_bytes_get_data (recording, NULL), size);
}

/* Cut anywhere: valid, never more than there was, and the original stays. */
static void
test_cut_anywhere (Fixture *f, gconstpointer data)
{
  gsize size = g_bytes_get_size (recording);
  guint64 before = 0;

  for (int i = 1; i <= 20; i++) {
    gsize cut = size * (gsize) i / 20;
    g_autoptr (JsonNode) node = NULL;
    guint64 n;
    int exit_code;

    write_cut (f->part, cut);
    /* What a cut record held is a loss; between two records nothing is. */
    exit_code = recover (f->part, NULL, &node, NULL);
    g_assert_true (exit_code == 0 || exit_code == 3);
    assert_result (node, exit_code == 0 ? "recovered" : "loss");
    assert_untouched (f->part, cut);
    n = assert_valid (f->whole);
    g_assert_cmpuint (n, ==,
                      json_object_get_int_member (
                          json_object_get_object_member (only_file (node), "counts"), "messages"));
    g_assert_cmpuint (n, >=, before);
    before = n;
    g_assert_cmpint (g_remove (f->whole), ==, 0);
  }
  g_assert_cmpuint (before, >=, n_numbers);
}

static void
test_damaged (Fixture *f, gconstpointer data)
{
  gsize size = g_bytes_get_size (recording);
  g_autofree char *bytes = g_memdup2 (g_bytes_get_data (recording, NULL), size);
  g_autofree char *made = g_build_filename (f->folder, "x.recovered.mcap", NULL);
  g_autoptr (JsonNode) node = NULL;

  for (gsize i = 0; i < 64; i++)
    bytes[size / 2 + i] ^= 0x55;
  g_assert_true (g_file_set_contents (f->whole, bytes, (gssize) size, NULL));
  g_assert_cmpint (recover (f->whole, NULL, &node, NULL), ==, 3);
  assert_result (node, "loss");
  g_assert_cmpstr (json_object_get_string_member (only_file (node), "to"), ==, made);
  assert_valid (made);
}

static void
test_whole (Fixture *f, gconstpointer data)
{
  g_autoptr (JsonNode) node = NULL;

  write_cut (f->whole, g_bytes_get_size (recording));
  g_assert_cmpint (recover (f->whole, NULL, &node, NULL), ==, 0);
  assert_result (node, "whole");
  assert_untouched (f->whole, g_bytes_get_size (recording));
}

static void
test_done_before (Fixture *f, gconstpointer data)
{
  g_autoptr (JsonNode) node = NULL;

  write_cut (f->whole, 100);
  write_cut (f->part, 1000);
  g_assert_cmpint (recover (f->folder, NULL, &node, NULL), ==, 0);
  assert_result (node, "before");
  assert_untouched (f->whole, 100);
}

static void
test_empty (Fixture *f, gconstpointer data)
{
  g_autoptr (JsonNode) node = NULL;

  write_cut (f->part, 0);
  g_assert_cmpint (recover (f->part, NULL, &node, NULL), ==, 0);
  assert_result (node, "empty");
  g_assert_false (g_file_test (f->whole, G_FILE_TEST_EXISTS));
}

static void
test_garbage (Fixture *f, gconstpointer data)
{
  g_autoptr (JsonNode) node = NULL;

  g_assert_true (g_file_set_contents (f->part, "this is no recording at all", -1, NULL));
  g_assert_cmpint (recover (f->part, NULL, &node, NULL), ==, 1);
  assert_result (node, "failed");
  g_assert_false (g_file_test (f->whole, G_FILE_TEST_EXISTS));
}

/* Only what is in the new file as a whole is removed. */
static void
test_remove (Fixture *f, gconstpointer data)
{
  gsize size = g_bytes_get_size (recording);

  write_cut (f->part, size / 2);
  g_assert_cmpint (recover ("--remove", f->folder, NULL, NULL), ==, 3);
  assert_valid (f->whole);
  assert_untouched (f->part, size / 2);
  g_assert_cmpint (g_remove (f->whole), ==, 0);

  write_cut (f->part, size);
  g_assert_cmpint (recover ("--remove", f->folder, NULL, NULL), ==, 0);
  assert_valid (f->whole);
  g_assert_false (g_file_test (f->part, G_FILE_TEST_EXISTS));
}

/* One that fails does not keep the others from being made. */
static void
test_folder_of_takes (Fixture *f, gconstpointer data)
{
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *take = g_build_filename (f->folder, "take", NULL);
  g_autofree char *part = g_build_filename (take, "y.mcap.part", NULL);
  g_autofree char *made = g_build_filename (take, "y.mcap", NULL);

  g_assert_cmpint (g_mkdir (take, 0755), ==, 0);
  write_cut (part, g_bytes_get_size (recording) / 2);
  g_assert_true (g_file_set_contents (f->part, "this is no recording at all", -1, NULL));
  g_assert_cmpint (recover (f->folder, NULL, &node, NULL), ==, 1);
  g_assert_cmpuint (
      json_array_get_length (json_object_get_array_member (json_node_get_object (node), "files")),
      ==, 2);
  assert_valid (made);
}

/* Into another folder, which is made; the folder of the original stays as it is. */
static void
test_output (Fixture *f, gconstpointer data)
{
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *source = g_build_filename (f->folder, "source", NULL);
  g_autofree char *take = g_build_filename (source, "take", NULL);
  g_autofree char *part = g_build_filename (take, "y.mcap.part", NULL);
  g_autofree char *beside = g_build_filename (take, "y.mcap", NULL);
  g_autofree char *spool = g_build_filename (take, "y.npz.spool", NULL);
  g_autofree char *meta = g_build_filename (spool, "meta.json", NULL);
  g_autofree char *made = g_build_filename (f->folder, "other", "take", "y.mcap", NULL);
  g_autofree char *made_npz = g_build_filename (f->folder, "other", "take", "y.npz", NULL);
  g_autofree char *option = g_strdup_printf ("--output=%s/other", f->folder);

  g_assert_cmpint (g_mkdir_with_parents (spool, 0755), ==, 0);
  g_assert_true (g_file_set_contents (meta, "{}", -1, NULL));
  write_cut (part, g_bytes_get_size (recording));
  g_assert_cmpint (g_chmod (take, 0555), ==, 0);
  g_assert_cmpint (recover (option, source, &node, NULL), ==, 0);
  g_assert_cmpint (g_chmod (take, 0755), ==, 0);
  assert_valid (made);
  g_assert_true (g_file_test (made_npz, G_FILE_TEST_IS_REGULAR));
  g_assert_false (g_file_test (beside, G_FILE_TEST_EXISTS));
  assert_untouched (part, g_bytes_get_size (recording));
}

static void
test_nothing (Fixture *f, gconstpointer data)
{
  static const struct {
    const char *argument;
    int exit_code;
    const char *says;
  } cases[] = {
    { NULL, 2, "no file or folder is given" },
    { "--nonsense", 2, "--nonsense" },
    { "/nowhere/at/all", 1, "" },
    { "/dev/null", 1, "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *err = NULL;

    g_assert_cmpint (recover (cases[i].argument, NULL, NULL, &err), ==, cases[i].exit_code);
    g_assert_nonnull (strstr (err, cases[i].says));
  }
  /* A folder without anything in it is fine. */
  g_assert_cmpint (recover (f->folder, NULL, NULL, NULL), ==, 0);
}

static void
record (void)
{
  const RunSetup setup = {
    "{ \"sources\": { \"one\": { \"plugin\": \"number-source\", \"rate-hz\": 2000, "
    "\"count\": 2000 } },"
    "  \"sinks\": { \"mcap\": { \"plugin\": \"mcap-writer\", \"chunk-size\": 4096 } } }",
    "--status none"
  };
  g_autoptr (RunProcess) run = run_process_run (&setup);
  g_autofree char *path = run_process_find_file (run, ".mcap");
  g_autofree char *bytes = NULL;
  gsize size;

  g_assert_cmpint (run->exit_code, ==, 0);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  recording = g_bytes_new_take (g_steal_pointer (&bytes), size);
  n_numbers = (guint64) run_process_get_int (run, "streams", "one.number", "frames", NULL);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*func) (Fixture *f, gconstpointer data);
  } tests[] = {
    { "/recover/cut-anywhere", test_cut_anywhere },
    { "/recover/damaged", test_damaged },
    { "/recover/whole", test_whole },
    { "/recover/done-before", test_done_before },
    { "/recover/empty", test_empty },
    { "/recover/garbage", test_garbage },
    { "/recover/remove", test_remove },
    { "/recover/folder-of-takes", test_folder_of_takes },
    { "/recover/output", test_output },
    { "/recover/nothing", test_nothing },
  };
  int result;

  g_test_init (&argc, &argv, NULL);
  record ();
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, setup, tests[i].func, teardown);
  result = g_test_run ();
  g_bytes_unref (recording);
  return result;
}
