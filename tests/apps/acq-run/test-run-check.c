/* SPDX-License-Identifier: Apache-2.0 */

/* What acq-run does without recording: --check, --dot, --version, and mistakes of the user. */

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "run-process.h"

#define GOOD                                                                                       \
  "{ \"sources\": { \"one\": { \"plugin\": \"number-source\", \"fault\": \"open-hangs\" } },\n"    \
  "  \"sinks\": { \"keep\": { \"plugin\": \"number-sink\" } } }\n"

/**
 * Case:
 * @out: (nullable): on standard output
 * @err: (nullable): on standard error
 */
typedef struct {
  const char *name;
  RunSetup setup;
  int exit_code;
  const char *out;
  const char *err;
} Case;

static const Case cases[] = {
  { "check", { GOOD, "--check" }, 0, "is fine", NULL },
  { "dot", { GOOD, "--dot" }, 0, "digraph", NULL },
  { "version", { GOOD, "--version" }, 0, "acq-run ", NULL },
  { "unknown option of a node",
    { "{ \"sources\": { \"one\": { \"plugin\": \"number-source\", \"cout\": 5 } },\n"
      "  \"sinks\": { \"keep\": { \"plugin\": \"number-sink\" } } }\n",
      "--check" },
    2,
    NULL,
    "/sources/one/cout: " },
  { "several mistakes in one pass",
    { "{ \"sources\": { \"one\": { \"plugin\": \"number-source\", \"rate-hz\": -1 } },\n"
      "  \"sinks\": { \"keep\": { \"plugin\": \"number-sinc\" } } }\n",
      "--check" },
    2,
    NULL,
    "2 mistakes; nothing was started" },
  { "no JSON", { "{ \"sources\": ", "--check" }, 2, NULL, "pipeline.json:1:" },
  { "wrong value in --set",
    { GOOD, "--check --set sources.one.rate-hz=fast" },
    2,
    NULL,
    "--set sources.one.rate-hz=fast" },
  { "wrong option", { GOOD, "--chek" }, 2, NULL, "--chek" },
  { "report among JSON lines",
    { GOOD, "--status jsonl --report -" },
    2,
    NULL,
    "the line \"stopped\" of --status jsonl holds the report" },
  { "no UTF-8",
    { GOOD, "--duration a\xff" },
    2,
    NULL,
    "--duration \"a\xef\xbf\xbd\" is not valid" },
  { "report nowhere",
    { GOOD, "--report /nowhere/at/all.json" },
    2,
    NULL,
    "the report /nowhere/at/all.json cannot be written" },
};

static char *
read_out (RunProcess *run)
{
  g_autoptr (GString) out = g_string_new (NULL);
  char *line;

  while ((line = g_data_input_stream_read_line (run->lines, NULL, NULL, NULL)) != NULL) {
    g_string_append_printf (out, "%s\n", line);
    g_free (line);
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static void
assert_says (const char *text, const char *wanted)
{
  g_test_message ("%s", text);
  if (wanted == NULL)
    g_assert_cmpstr (text, ==, "");
  else
    g_assert_nonnull (strstr (text, wanted));
}

/* Neither a device nor the disk is touched. */
static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (RunProcess) run = run_process_start (&c->setup);
  g_autofree char *text = read_out (run);
  g_autofree char *out = g_build_filename (run->folder, "out", NULL);

  run_process_finish (run);
  g_assert_cmpint (run->exit_code, ==, c->exit_code);
  assert_says (text, c->out);
  assert_says (run->err, c->err);
  g_assert_false (g_file_test (out, G_FILE_TEST_EXISTS));
}

static void
test_report_on_stdout (void)
{
  const RunSetup setup = { "{ \"sources\": { \"one\": { \"plugin\": \"number-source\", \"count\": "
                           "20, \"chatter\": true } },"
                           "  \"sinks\": { \"keep\": { \"plugin\": \"number-sink\" } } }",
                           "--status none --report -" };
  g_autoptr (RunProcess) run = run_process_start (&setup);
  g_autofree char *text = read_out (run);
  g_autoptr (JsonNode) node = json_from_string (text, NULL);

  run_process_finish (run);
  g_assert_cmpint (run->exit_code, ==, 0);
  g_assert_nonnull (node);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (node), "exit"), ==, 0);
  g_assert_nonnull (strstr (run->err, "number 20"));
}

typedef struct {
  const char *args;
  const char *input;
  int exit_code;
} Full;

/* What a full disk did not take is not said to be fine, and hides nothing worse. */
static const Full full[] = {
  { "--version", "", 1 },
  { "--dot", GOOD, 1 },
  { "--check", GOOD, 1 },
  { "--check --set sources.one.rate-hz=fast", GOOD, 2 },
  { "--status none --report -",
    "{ \"sources\": { \"one\": { \"plugin\": \"number-source\", \"count\": 5 } },"
    "  \"sinks\": { \"keep\": { \"plugin\": \"number-sink\" } } }",
    1 },
};

static void
test_full_disk (void)
{
  g_autofree char *folder = g_dir_make_tmp ("acq-full-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "pipeline.json", NULL);
  const char *root = g_getenv ("ACQ_BUILD_ROOT");

  for (gsize i = 0; i < G_N_ELEMENTS (full); i++) {
    g_autofree char *line = g_strdup_printf (
        "exec '%s/apps/acq-run/acq-run' -p '%s/tests/plugins-for-tests' -o '%s' %s '%s' >/dev/full",
        root, root, folder, full[i].args, file);
    const char *argv[] = { "sh", "-c", line, NULL };
    g_autofree char *err = NULL;
    int status;

    g_assert_true (g_file_set_contents (file, full[i].input, -1, NULL));
    g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                                 &err, &status, NULL));
    g_test_message ("%s: %s", full[i].args, err);
    g_assert_true (WIFEXITED (status));
    g_assert_cmpint (WEXITSTATUS (status), ==, full[i].exit_code);
    if (full[i].exit_code == 1)
      g_assert_nonnull (strstr (err, "standard output could not be written: "));
  }
  run_folder_remove (folder);
}

/* The folder's name has the task; SIGUSR1 puts a picture into it. It may end before a message came.
 */
static void
test_picture (void)
{
  const RunSetup setup = { "{ \"sources\": { \"one\": { \"plugin\": \"number-source\" } },"
                           "  \"sinks\": { \"keep\": { \"plugin\": \"number-sink\" } },"
                           "  \"expect\": { \"one.*\": { \"required\": false } } }",
                           "--status jsonl --task a/b" };
  g_autoptr (RunProcess) run = run_process_start (&setup);
  g_autoptr (JsonObject) started = run_process_wait_line (run, "started");
  const char *directory = json_object_get_string_member (started, "directory");
  g_autofree char *name =
      g_strconcat (json_object_get_string_member (started, "base"), ".dot", NULL);
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_str_has_suffix (directory, "_a_b"));
  run_process_signal (run, SIGUSR1);
  for (int i = 0; i < 500 && !g_file_test (path, G_FILE_TEST_EXISTS); i++)
    g_usleep (10000);
  run_process_signal (run, SIGINT);
  run_process_finish (run);
  g_assert_cmpint (run->exit_code, ==, 0);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "digraph"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/check/%s", cases[i].name);

    g_strdelimit (path, " ", '-');
    g_test_add_data_func (path, &cases[i], test_case);
  }
  g_test_add_func ("/check/report-on-stdout", test_report_on_stdout);
  g_test_add_func ("/check/full-disk", test_full_disk);
  g_test_add_func ("/check/picture", test_picture);
  return g_test_run ();
}
