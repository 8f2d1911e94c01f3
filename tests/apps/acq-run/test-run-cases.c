/* SPDX-License-Identifier: Apache-2.0 */

/* Whole runs with nodes that fail on purpose: exit code, reason, ledger, files. */

#include <glib/gstdio.h>
#include <string.h>

#include "run-process.h"

#define SOURCE(extra) "\"one\": { \"plugin\": \"number-source\", \"rate-hz\": 1000" extra " }"
#define SINK(extra) "\"keep\": { \"plugin\": \"number-sink\"" extra " }"
#define PIPELINE(sources, sinks, expect)                                                           \
  "{ \"sources\": { " sources " }, \"sinks\": { " sinks " }, \"expect\": { " expect " } }"

typedef struct {
  const char *name;
  RunSetup setup;
  int exit_code;
  const char *reason;
  const char *says; /* (nullable): in the reasons of the verdict, or on standard error */
} Case;

static const Case cases[] = {
  { "finished", { PIPELINE (SOURCE (", \"count\": 50"), SINK (""), "") }, 0, "finished", NULL },
  { "duration",
    { PIPELINE (SOURCE (""), SINK (""), ""), "--duration 300ms" },
    0,
    "duration",
    NULL },
  { "loss",
    { PIPELINE (SOURCE (", \"count\": 100, \"gap-every\": 10"), SINK (""), "") },
    3,
    "finished",
    "never came" },
  { "loss allowed",
    { PIPELINE (SOURCE (", \"count\": 100, \"gap-every\": 10"), SINK (""),
                "\"one.number\": { \"max-loss\": 0.2 }") },
    0,
    "finished",
    NULL },
  { "loss strict",
    { PIPELINE (SOURCE (", \"count\": 100, \"gap-every\": 10"), SINK (""),
                "\"one.number\": { \"max-loss\": 0.2 }"),
      "--strict" },
    3,
    "finished",
    "never came" },
  { "rate not met",
    { PIPELINE (SOURCE (", \"count\": 100"), SINK (""),
                "\"one.number\": { \"min-rate-hz\": 5000, \"grace-s\": 0 }") },
    3,
    "finished",
    "min-rate-hz" },
  { "source fails to open",
    { PIPELINE (SOURCE (", \"fault\": \"open-fails\""), SINK (""), "") },
    1,
    "start_failed",
    "one: there are no numbers today" },
  { "source hangs in open",
    { PIPELINE (SOURCE (", \"fault\": \"open-hangs\", \"open-timeout\": 0.3"), SINK (""), "") },
    1,
    "start_failed",
    "one: " },
  { "source not required",
    { PIPELINE (SOURCE (", \"fault\": \"open-fails\"") ", \"two\": { \"plugin\": "
                                                       "\"number-source\", \"count\": 50 }",
                SINK (""), "\"one.*\": { \"required\": false }"),
      "--duration 300ms" },
    0,
    "duration",
    NULL },
  { "sink fails to open",
    { PIPELINE (SOURCE (""), SINK (", \"fault\": \"open-fails\""), "") },
    1,
    "start_failed",
    "keep: there is no paper" },
  { "only sink fails",
    { PIPELINE (SOURCE (""), SINK (", \"fault\": \"fails\", \"at\": 20"), "") },
    1,
    "no_sink",
    "the pen broke" },
  { "one sink of two fails",
    { PIPELINE (
        SOURCE (", \"count\": 500"),
        SINK (", \"fault\": \"fails\", \"at\": 20") ", "
                                                    "\"other\": { \"plugin\": \"number-sink\" }",
        "") },
    1,
    "finished",
    "the pen broke" },
  { "disk full",
    { PIPELINE (SOURCE (""), SINK (", \"fault\": \"no-space\", \"at\": 20"), "") },
    1,
    "no_sink",
    "No space left" },
  { "file size limit",
    { PIPELINE (SOURCE (", \"count\": 3000") ", \"two\": { \"plugin\": \"number-source\", "
                                             "\"rate-hz\": 20000, \"count\": 20000 }",
                SINK (", \"inputs\": [\"two\"]") ", \"other\": { \"plugin\": \"number-sink\", "
                                                 "\"inputs\": [\"one\"] }",
                ""),
      .max_file_bytes = 65536 },
    1,
    "finished",
    "File too large" },
  { "lost and back",
    { PIPELINE (SOURCE (", \"count\": 100, \"lost-at\": 50, \"retry-min\": 0.05"), SINK (""), "") },
    0,
    "finished",
    NULL },
  { "lost for good",
    { PIPELINE (SOURCE (", \"lost-at\": 50, \"gone\": true, \"retry-min\": 0.05"), SINK (""), ""),
      "--duration 400ms" },
    1,
    "duration",
    "one was lost at the end" },
};

static void
check_reasons (RunProcess *run, const Case *c)
{
  JsonArray *reasons = json_node_get_array (run_process_get (run, "verdict", "reasons", NULL));
  g_autoptr (GString) all = g_string_new (NULL);

  for (guint i = 0; i < json_array_get_length (reasons); i++)
    g_string_append_printf (all, "%s\n", json_array_get_string_element (reasons, i));
  g_test_message ("%s", all->str);
  g_assert_cmpstr (run_process_get_text (run, "verdict", "result", NULL), ==,
                   c->exit_code == 0 ? "pass" : "fail");
  if (c->says == NULL)
    g_assert_cmpstr (all->str, ==, "");
  else
    g_assert_nonnull (strstr (all->str, c->says));
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (RunProcess) run = run_process_run (&c->setup);

  g_assert_cmpint (run->exit_code, ==, c->exit_code);
  g_assert_cmpint (run_process_get_int (run, "exit", NULL), ==, c->exit_code);
  g_assert_cmpstr (run_process_get_text (run, "reason", NULL), ==, c->reason);
  check_reasons (run, c);
  run_process_check_balance (run);
}

/* Every number that the ledger says is written is in the file, in order. */
static void
test_file_holds_numbers (void)
{
  const RunSetup setup = { PIPELINE (SOURCE (", \"count\": 60, \"gap-every\": 7"), SINK (""), "") };
  g_autoptr (RunProcess) run = run_process_run (&setup);
  g_autofree char *path = run_process_find_file (run, ".numbers");
  g_autofree char *bytes = NULL;
  gsize size, n = 0;
  double number;

  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  for (double k = 1; k <= 60; k++) {
    if ((int) k % 7 == 0)
      continue;
    memcpy (&number, bytes + n++ * sizeof number, sizeof number);
    g_assert_cmpfloat (number, ==, k);
  }
  g_assert_cmpuint (size, ==, n * sizeof number);
  g_assert_cmpint (run_process_get_int (run, "streams", "one.number", "frames", NULL), ==, n);
  g_assert_cmpint (run_process_get_int (run, "streams", "one.number", "lost", NULL), ==, 60 - n);
  g_assert_cmpint (
      run_process_get_int (run, "streams", "one.number", "sinks", "keep", "written", NULL), ==, n);
}

static void
test_failed_sink_is_counted (void)
{
  const RunSetup setup = { PIPELINE (
      SOURCE (", \"count\": 300"),
      SINK (", \"fault\": \"no-space\", \"at\": 20") ", "
                                                     "\"other\": { \"plugin\": \"number-sink\" }",
      "") };
  g_autoptr (RunProcess) run = run_process_run (&setup);

  g_assert_cmpint (
      run_process_get_int (run, "streams", "one.number", "sinks", "keep", "written", NULL), ==, 19);
  g_assert_cmpint (run_process_get_int (run, "streams", "one.number", "sinks", "keep", "failed",
                                        "no_space", NULL),
                   >=, 1);
  g_assert_cmpint (
      run_process_get_int (run, "streams", "one.number", "sinks", "other", "written", NULL), ==,
      300);
  g_assert_cmpstr (run_process_get_text (run, "nodes", "keep", "state", NULL), ==, "failed");
  g_assert_cmpint (
      json_array_get_length (json_node_get_array (run_process_get (run, "events", "alerts", NULL))),
      >=, 1);
  run_process_check_balance (run);
}

static void
test_port_is_counted (void)
{
  const RunSetup setup = { PIPELINE (SOURCE (", \"count\": 100, \"reject-every\": 10"), SINK (""),
                                     "") };
  g_autoptr (RunProcess) run = run_process_run (&setup);

  g_assert_cmpint (run->exit_code, ==, 0);
  g_assert_cmpint (run_process_get_int (run, "ports", "counter one", "packets", NULL), ==, 110);
  g_assert_cmpint (run_process_get_int (run, "ports", "counter one", "rejected", "no_number", NULL),
                   ==, 10);
  g_assert_cmpstr (run_process_get_text (run, "nodes", "one", "port", NULL), ==, "counter one");
  g_assert_cmpint (run_process_get_int (run, "nodes", "one", "accepted", NULL), ==, 100);
}

static void
test_reconnect_is_told (void)
{
  const RunSetup setup = { PIPELINE (
      SOURCE (", \"count\": 100, \"lost-at\": 50, \"retry-min\": 0.05"), SINK (""), "") };
  g_autoptr (RunProcess) run = run_process_run (&setup);

  g_assert_cmpint (run_process_get_int (run, "streams", "one.number", "frames", NULL), ==, 100);
  g_assert_cmpint (run_process_get_int (run, "nodes", "one", "reconnects", NULL), ==, 1);
  g_assert_cmpint (run_process_get_int (run, "events", "counts", "one", "reconnected", NULL), ==,
                   1);
}

/* Told once, however long it lasts; the file has it too. */
static void
test_expectation_is_told_once (void)
{
  const RunSetup setup = { PIPELINE (SOURCE (""), SINK (", \"inputs\": [\"one\"]"),
                                     "\"one.number\": { \"min-rate-hz\": 5000, \"grace-s\": 0 }"),
                           "--duration 4500ms" };
  g_autoptr (RunProcess) run = run_process_run (&setup);

  g_assert_cmpint (run->exit_code, ==, 3);
  g_assert_cmpint (
      run_process_get_int (run, "events", "counts", "one", "min_rate_hz_not_met", NULL), ==, 1);
  g_assert_cmpint (run_process_get_int (run, "streams", "acq.events", "frames", NULL), >=, 1);
}

static void
test_nothing_stays_of_a_failed_start (void)
{
  const RunSetup setup = { PIPELINE (SOURCE (", \"fault\": \"open-fails\""), SINK (""), "") };
  g_autoptr (RunProcess) run = run_process_run (&setup);
  g_autofree char *out = g_build_filename (run->folder, "out", NULL);
  g_autoptr (GDir) dir = g_dir_open (out, 0, NULL);

  g_assert_nonnull (dir);
  g_assert_null (g_dir_read_name (dir));
  g_assert_true (JSON_NODE_HOLDS_NULL (run_process_get (run, "directory", NULL)));
}

static void
test_session (void)
{
  const RunSetup setup = {
    PIPELINE (SOURCE (", \"count\": 200") ", \"two\": { \"plugin\": "
                                          "\"number-source\", \"rate-hz\": 1000, \"count\": 200 }",
              SINK (""), ""),
    "--task pour_water"
  };
  g_autoptr (RunProcess) run = run_process_run (&setup);
  g_autofree char *path = run_process_find_file (run, ".session.json");
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *root, *device;
  gint64 from = G_MININT64, to = G_MAXINT64;

  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  root = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpstr (json_object_get_string_member (root, "task_name"), ==, "pour_water");
  g_assert_cmpstr (json_object_get_string_member (root, "counter_type"), ==, "number");
  g_assert_true (g_str_has_suffix (json_object_get_string_member (root, "base"), "_pour_water"));
  device = json_array_get_object_element (json_object_get_array_member (root, "counters"), 1);
  g_assert_cmpstr (json_object_get_string_member (device, "device_name"), ==, "two");
  g_assert_cmpstr (json_object_get_string_member (device, "sn"), ==, "N-1");
  for (gsize i = 0; i < 2; i++) {
    const char *const names[] = { "one.number", "two.number" };
    JsonObject *streams = json_object_get_object_member (root, "streams");
    JsonArray *range = json_object_get_array_member (
        json_object_get_object_member (streams, names[i]), "t_host_us_range");

    from = MAX (from, json_array_get_int_element (range, 0));
    to = MIN (to, json_array_get_int_element (range, 1));
  }
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (root, "overlap_s"),
                                  (to - from) * 1e-6, 1e-9);
  g_assert_true (json_object_has_member (root, "ledger"));
  g_assert_cmpstr (
      json_object_get_string_member (json_object_get_object_member (root, "verdict"), "result"), ==,
      "pass");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/run/case/%s", cases[i].name);

    g_strdelimit (path + strlen ("/run/case/"), " ", '-');
    g_test_add_data_func (path, &cases[i], test_case);
  }
  g_test_add_func ("/run/file-holds-numbers", test_file_holds_numbers);
  g_test_add_func ("/run/failed-sink-is-counted", test_failed_sink_is_counted);
  g_test_add_func ("/run/port-is-counted", test_port_is_counted);
  g_test_add_func ("/run/reconnect-is-told", test_reconnect_is_told);
  g_test_add_func ("/run/expectation-is-told-once", test_expectation_is_told_once);
  g_test_add_func ("/run/nothing-stays-of-a-failed-start", test_nothing_stays_of_a_failed_start);
  g_test_add_func ("/run/session", test_session);
  return g_test_run ();
}
