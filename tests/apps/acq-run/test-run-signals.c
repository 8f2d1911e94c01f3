/* SPDX-License-Identifier: Apache-2.0 */

/* Interrupts, and nodes that hang: named within their bound, the rest goes on. */

#include <fcntl.h>
#include <gio/gunixinputstream.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "run-process.h"

#define TWO_SOURCES(extra)                                                                         \
  "{ \"sources\": { \"one\": { \"plugin\": \"number-source\"" extra " },"                          \
  "  \"two\": { \"plugin\": \"number-source\" } },"                                                \
  "  \"sinks\": { \"keep\": { \"plugin\": \"number-sink\" } } }"
#define TWO_SINKS(extra)                                                                           \
  "{ \"sources\": { \"one\": { \"plugin\": \"number-source\" } },"                                 \
  "  \"sinks\": { \"keep\": { \"plugin\": \"number-sink\"" extra " },"                             \
  "  \"other\": { \"plugin\": \"number-sink\" } } }"

/* For those that may end before a message came. */
static const char two_sources_soon[] =
    "{ \"sources\": { \"one\": { \"plugin\": \"number-source\" },"
    "  \"two\": { \"plugin\": \"number-source\" } },"
    "  \"sinks\": { \"keep\": { \"plugin\": \"number-sink\" } },"
    "  \"expect\": { \"*.number\": { \"required\": false } } }";

/* A second interrupt counts only after this; see run-signals.h. */
#define APART_US 200000

static void
assert_stopped_cleanly (RunProcess *run, const char *reason)
{
  g_autofree char *path = run_process_find_file (run, ".numbers");

  g_assert_cmpint (run->exit_code, ==, 0);
  g_assert_cmpstr (run_process_get_text (run, "reason", NULL), ==, reason);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  run_process_check_balance (run);
}

static void
test_clean_stop (gconstpointer data)
{
  const RunSetup setup = { two_sources_soon, "--status jsonl" };
  g_autoptr (RunProcess) run = run_process_start (&setup);
  G_GNUC_UNUSED g_autoptr (JsonObject) started = run_process_wait_line (run, "started");

  run_process_signal (run, GPOINTER_TO_INT (data));
  run_process_finish (run);
  assert_stopped_cleanly (run, "interrupted");
}

/* `timeout` and some shells send theirs twice. */
static void
test_double_signal_is_one (void)
{
  const RunSetup setup = { two_sources_soon, "--status jsonl" };
  g_autoptr (RunProcess) run = run_process_start (&setup);
  G_GNUC_UNUSED g_autoptr (JsonObject) started = run_process_wait_line (run, "started");

  run_process_signal (run, SIGTERM);
  run_process_signal (run, SIGTERM);
  run_process_finish (run);
  assert_stopped_cleanly (run, "interrupted");
}

static void
test_second_interrupt (void)
{
  const RunSetup setup = { TWO_SINKS (", \"fault\": \"hangs\""), "--status jsonl" };
  g_autoptr (RunProcess) run = run_process_start (&setup);
  G_GNUC_UNUSED g_autoptr (JsonObject) status = run_process_wait_line (run, "status");
  gint64 start_us;

  run_process_signal (run, SIGINT);
  g_usleep (APART_US);
  start_us = g_get_monotonic_time ();
  run_process_signal (run, SIGINT);
  run_process_finish (run);
  g_assert_cmpint (run->exit_code, ==, 130);
  g_assert_cmpint (g_get_monotonic_time () - start_us, <, 2000000);
}

/* A terminal that goes away may say so more than once. */
static void
test_second_sighup_does_not_kill (void)
{
  const RunSetup setup = { two_sources_soon, "--status jsonl" };
  g_autoptr (RunProcess) run = run_process_start (&setup);
  G_GNUC_UNUSED g_autoptr (JsonObject) started = run_process_wait_line (run, "started");

  run_process_signal (run, SIGHUP);
  g_usleep (APART_US);
  run_process_signal (run, SIGHUP);
  run_process_finish (run);
  assert_stopped_cleanly (run, "interrupted");
}

static void
test_sighup_stays_ignored (void)
{
  const RunSetup setup = { TWO_SOURCES (""), "--status jsonl --duration 1s",
                           .ignore_sighup = TRUE };
  g_autoptr (RunProcess) run = run_process_start (&setup);
  G_GNUC_UNUSED g_autoptr (JsonObject) started = run_process_wait_line (run, "started");

  run_process_signal (run, SIGHUP);
  run_process_finish (run);
  assert_stopped_cleanly (run, "duration");
}

static void
test_interrupt_while_opening (void)
{
  const RunSetup setup = { TWO_SOURCES (", \"fault\": \"open-hangs\", \"open-timeout\": 30"),
                           "--status plain" };
  g_autoptr (RunProcess) run = run_process_start (&setup);
  g_autofree char *line = g_data_input_stream_read_line (run->lines, NULL, NULL, NULL);

  g_assert_nonnull (strstr (line, "opening"));
  g_usleep (APART_US);
  run_process_signal (run, SIGINT);
  run_process_finish (run);
  g_assert_cmpint (run->exit_code, ==, 1);
  g_assert_cmpstr (run_process_get_text (run, "reason", NULL), ==, "interrupted");
}

/* A reader that goes away ends the status, never the run. */
static void
test_reader_goes_away (void)
{
  const RunSetup setup = { TWO_SOURCES (""), "--status jsonl --duration 2500ms" };
  g_autoptr (RunProcess) run = run_process_start (&setup);
  G_GNUC_UNUSED g_autoptr (JsonObject) started = run_process_wait_line (run, "started");

  g_input_stream_close (G_INPUT_STREAM (run->lines), NULL, NULL);
  g_clear_object (&run->lines);
  run_process_finish (run);
  assert_stopped_cleanly (run, "duration");
}

/* A reader that does not read holds nothing up. */
static void
test_reader_stands_still (void)
{
  const RunSetup setup = { TWO_SOURCES (", \"chatter\": true"), "--status jsonl --duration 2s" };
  g_autoptr (RunProcess) run = run_process_start (&setup);
  G_GNUC_UNUSED g_autoptr (JsonObject) started = run_process_wait_line (run, "started");
  int fd = g_unix_input_stream_get_fd (
      G_UNIX_INPUT_STREAM (g_subprocess_get_stdout_pipe (run->process)));

  /* The smallest pipe there is. */
  fcntl (fd, F_SETPIPE_SZ, 4096);
  g_usleep (2500000);
  run_process_finish (run);
  assert_stopped_cleanly (run, "duration");
}

typedef struct {
  const char *name;
  RunSetup setup;
  double bound_s;
  const char *says;
} Stuck;

/* The soonest first. */
static const Stuck stuck[] = {
  { "source in close",
    { TWO_SOURCES (", \"fault\": \"close-hangs\""), "--duration 300ms" },
    8,
    "source one is stuck: 'close' did not return in time" },
  { "source in run",
    { TWO_SOURCES (", \"fault\": \"run-hangs\""), "--duration 300ms" },
    14,
    "source one is stuck: 'stop' did not return in time" },
  { "sink in write",
    { TWO_SINKS (", \"fault\": \"hangs\", \"at\": 10"), "--duration 300ms" },
    24,
    "sink keep is stuck: " },
};

static void
check_stuck (RunProcess *run, const char *says)
{
  JsonArray *reasons = json_node_get_array (run_process_get (run, "verdict", "reasons", NULL));
  gboolean found = FALSE;

  g_assert_cmpint (run->exit_code, ==, 1);
  for (guint i = 0; i < json_array_get_length (reasons); i++)
    found |= strstr (json_array_get_string_element (reasons, i), says) != NULL;
  g_assert_true (found);
  run_process_check_balance (run);
}

/* All at once, since each waits for its deadline. */
static void
test_stuck (void)
{
  RunProcess *runs[G_N_ELEMENTS (stuck)];
  gint64 start_us = g_get_monotonic_time ();

  for (gsize i = 0; i < G_N_ELEMENTS (stuck); i++)
    runs[i] = run_process_start (&stuck[i].setup);
  for (gsize i = 0; i < G_N_ELEMENTS (stuck); i++) {
    g_test_message ("%s", stuck[i].name);
    run_process_finish (runs[i]);
    g_assert_cmpfloat ((g_get_monotonic_time () - start_us) * 1e-6, <, stuck[i].bound_s);
    check_stuck (runs[i], stuck[i].says);
    run_process_free (runs[i]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/signals/int", GINT_TO_POINTER (SIGINT), test_clean_stop);
  g_test_add_data_func ("/signals/term", GINT_TO_POINTER (SIGTERM), test_clean_stop);
  g_test_add_data_func ("/signals/hup", GINT_TO_POINTER (SIGHUP), test_clean_stop);
  g_test_add_func ("/signals/double-is-one", test_double_signal_is_one);
  g_test_add_func ("/signals/second-interrupt", test_second_interrupt);
  g_test_add_func ("/signals/second-hup", test_second_sighup_does_not_kill);
  g_test_add_func ("/signals/hup-stays-ignored", test_sighup_stays_ignored);
  g_test_add_func ("/signals/while-opening", test_interrupt_while_opening);
  g_test_add_func ("/signals/reader-goes-away", test_reader_goes_away);
  g_test_add_func ("/signals/reader-stands-still", test_reader_stands_still);
  g_test_add_func ("/signals/stuck", test_stuck);
  return g_test_run ();
}
