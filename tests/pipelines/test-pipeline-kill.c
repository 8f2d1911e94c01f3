/* SPDX-License-Identifier: Apache-2.0 */

/*
 * kill -9 at random moments: acq-recover makes files that pass the strict checks, and at
 * most what came in the last flush interval is missing.
 *
 * The source prints each number after it pushed it, as a vendor library would,
 * so what was pushed is known to the last one. The argument says how often.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <acq/acq.h>

#include "run-process.h"

#define AT_ONCE 6

#define RATE_HZ 500
#define FLUSH_S 0.3

/* A busy machine writes late. */
#define SLACK_S 0.5

/* Moments after the start of the process: also while it opens. */
#define LONGEST_MS 1500

static const char pipeline[] =
    "{ \"sources\": { \"one\": { \"plugin\": \"number-source\", \"rate-hz\": 500, "
    "\"chatter\": true } },"
    "  \"sinks\": { \"mcap\": { \"plugin\": \"mcap-writer\", \"flush-interval-ms\": 300 }, "
    "\"npz\": { \"plugin\": \"npz-writer\", \"flush-interval-ms\": 300 } } }";

/* The last number that the source printed. */
static guint64
last_number (const char *err)
{
  const char *line = g_strrstr (err, "number ");

  /* The last line may be cut. */
  if (line != NULL && strchr (line, '\n') == NULL)
    line = g_strrstr_len (err, line - err, "number ");
  return line != NULL ? g_ascii_strtoull (line + strlen ("number "), NULL, 10) : 0;
}

static JsonObject *
recover (const char *out, JsonNode **ret_node)
{
  g_autofree char *program =
      g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "apps", "acq-recover", "acq-recover", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  int exit_code;
  g_autoptr (GSubprocess) process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, program, "--json", out, NULL);

  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &text, NULL, &error);
  g_assert_no_error (error);
  g_test_message ("%s", text);
  exit_code = g_subprocess_get_exit_status (process);
  /* A large write may be cut by the signal. */
  g_assert_true (exit_code == 0 || exit_code == 3);
  *ret_node = json_from_string (text, &error);
  g_assert_no_error (error);
  return json_node_get_object (*ret_node);
}

/* How many numbers are in it; they are 1, 2, 3 and so on. */
static guint64
check_mcap (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReport) report = acq_mcap_verify_path (path, ACQ_MCAP_VERIFY_ORDER, &error);
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new_for_path (path, &error);
  AcqMcapMessage message;
  guint64 n = 0;

  g_assert_no_error (error);
  g_assert_cmpuint (report->n_errors, ==, 0);
  while (acq_mcap_reader_next_message (reader, &message, &error)) {
    const AcqMcapChannel *channel = acq_mcap_reader_get_channel (reader, message.channel_id);
    g_auto (AcqCdrMessage) decoded = { NULL };

    if (channel->topic.size != strlen ("/one/number") ||
        memcmp (channel->topic.data, "/one/number", channel->topic.size) != 0)
      continue;
    g_assert_true (acq_cdr_decode (&acq_illuminance_schema, message.data.data, message.data.size,
                                   &decoded, &error));
    g_assert_cmpfloat (((const AcqIlluminance *) decoded.payload)->illuminance, ==, ++n);
  }
  g_assert_no_error (error);
  return n;
}

static guint64
check_npz (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqZipReader) zip = acq_zip_reader_open (path, &error);
  g_auto (AcqNpyHeader) header = { NULL };
  g_autoptr (GBytes) bytes = NULL;
  const double *numbers;
  gsize size;

  g_assert_no_error (error);
  bytes = acq_npz_read (zip, "one__number.illuminance", &header, &error);
  /* A stream that was not there yet. */
  if (bytes == NULL)
    return 0;
  numbers = g_bytes_get_data (bytes, &size);
  for (gsize i = 0; i < size / sizeof *numbers; i++)
    g_assert_cmpfloat (numbers[i], ==, i + 1);
  return size / sizeof *numbers;
}

static void
check_files (JsonObject *recovered, guint64 pushed)
{
  JsonArray *files = json_object_get_array_member (recovered, "files");
  guint64 bound = (guint64) ((FLUSH_S + SLACK_S) * RATE_HZ);

  for (guint i = 0; i < json_array_get_length (files); i++) {
    JsonObject *file = json_array_get_object_element (files, i);
    gboolean mcap = g_str_equal (json_object_get_string_member (file, "kind"), "mcap");
    guint64 n = 0;

    if (json_object_has_member (file, "to")) {
      const char *path = json_object_get_string_member (file, "to");

      n = mcap ? check_mcap (path) : check_npz (path);
    }
    g_test_message ("%s: %d of %d", mcap ? "mcap" : "npz", (int) n, (int) pushed);
    /* What it was just pushing may be in the file before it was printed. */
    g_assert_cmpuint (n, <=, pushed + RATE_HZ / 10);
    g_assert_cmpuint (n + bound, >=, pushed);
  }
}

typedef struct {
  RunProcess *run;
  guint delay_ms;
  gint64 start_us;
} Victim;

static void
kill_one (Victim *victim)
{
  gint64 due_us = victim->start_us + victim->delay_ms * 1000;
  g_autofree char *out = g_build_filename (victim->run->folder, "out", NULL);
  g_autoptr (JsonNode) node = NULL;
  guint64 pushed;

  g_usleep ((gulong) MAX (0, due_us - g_get_monotonic_time ()));
  g_test_message ("killed after %u ms", victim->delay_ms);
  run_process_signal (victim->run, SIGKILL);
  run_process_finish (victim->run);
  pushed = last_number (victim->run->err);
  /* A busy machine may not have come that far. */
  if (g_file_test (out, G_FILE_TEST_IS_DIR))
    check_files (recover (out, &node), pushed);
  else
    g_assert_cmpuint (pushed, ==, 0);
  g_clear_pointer (&victim->run, run_process_free);
}

static int
compare_delays (const void *a, const void *b)
{
  return (int) ((const Victim *) a)->delay_ms - (int) ((const Victim *) b)->delay_ms;
}

static void
test_kill (gconstpointer data)
{
  const RunSetup setup = { pipeline, "--status none" };

  for (int left = GPOINTER_TO_INT (data); left > 0; left -= AT_ONCE) {
    Victim victims[AT_ONCE];
    int n = MIN (left, AT_ONCE);

    for (int i = 0; i < n; i++)
      victims[i] =
          (Victim){ run_process_start (&setup), (guint) g_test_rand_int_range (1, LONGEST_MS),
                    g_get_monotonic_time () };
    qsort (victims, (size_t) n, sizeof *victims, compare_delays);
    for (int i = 0; i < n; i++)
      kill_one (&victims[i]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  g_test_add_data_func ("/kill/random-moments", GINT_TO_POINTER (atoi (argv[1])), test_kill);
  return g_test_run ();
}
