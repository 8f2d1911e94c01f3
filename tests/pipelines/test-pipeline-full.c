/* SPDX-License-Identifier: Apache-2.0 */

/*
 * No more room: the sink that meets the limit stops with a valid file that holds what the
 * ledger says, the alert names the cause, the others go on.
 */
#include <string.h>

#include <acq/acq.h>

#include "run-process.h"

#define LIMIT (12 << 20)

static const char pipeline[] =
    "{ \"sources\": { \"fast\": { \"plugin\": \"number-source\", \"rate-hz\": 40000 },"
    "                 \"slow\": { \"plugin\": \"number-source\", \"rate-hz\": 200 } },"
    "  \"sinks\": { \"mcap\": { \"plugin\": \"mcap-writer\", \"compression\": \"none\" },"
    "               \"other\": { \"plugin\": \"number-sink\", \"inputs\": [\"slow\"] } } }";

static gint64
count (RunProcess *run, const char *stream, const char *sink, const char *name)
{
  return run_process_get_int (run, "streams", stream, "sinks", sink, name, NULL);
}

static void
test_limit (void)
{
  const RunSetup setup = { pipeline, "--duration 8s", .max_file_bytes = LIMIT };
  g_autoptr (RunProcess) run = run_process_run (&setup);
  g_autofree char *path = run_process_find_file (run, ".mcap");
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReport) report = acq_mcap_verify_path (path, ACQ_MCAP_VERIFY_ORDER, &error);
  JsonArray *alerts = json_node_get_array (run_process_get (run, "events", "alerts", NULL));
  gboolean told = FALSE;
  gint64 written = 0;

  g_assert_no_error (error);
  g_assert_cmpuint (report->n_errors, ==, 0);
  for (guint i = 0; i < json_array_get_length (alerts); i++) {
    const char *message =
        json_object_get_string_member (json_array_get_object_element (alerts, i), "message");

    g_test_message ("%s", message);
    told |= strstr (message, "mcap") != NULL && strstr (message, "File too large") != NULL;
  }
  g_assert_true (told);

  g_assert_cmpint (run->exit_code, ==, 1);
  g_assert_cmpstr (run_process_get_text (run, "reason", NULL), ==, "duration");
  run_process_check_balance (run);
  written =
      count (run, "fast.number", "mcap", "written") +
      count (run, "slow.number", "mcap", "written") + count (run, "acq.events", "mcap", "written") +
      count (run, "acq.clock", "mcap", "written") + count (run, "acq.ledger", "mcap", "written");
  g_assert_cmpuint (report->n_messages, ==, written);
  g_assert_cmpint (written, >, 10000);
  /* The other one has everything. */
  g_assert_cmpint (count (run, "slow.number", "other", "written"), ==,
                   run_process_get_int (run, "streams", "slow.number", "frames", NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/full/limit", test_limit);
  return g_test_run ();
}
