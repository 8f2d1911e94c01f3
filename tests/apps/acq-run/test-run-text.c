/* SPDX-License-Identifier: Apache-2.0 */

/* Numbers for people, and the command line. */

#include <string.h>

#include "run-options.h"
#include "run-text.h"
#include "run-verdict.h"

static void
test_bytes (void)
{
  static const struct {
    guint64 bytes;
    const char *text;
  } cases[] = {
    { 0, "0 B" },
    { 999, "999 B" },
    { 1000, "1.00 kB" },
    { 9994, "9.99 kB" },
    { 9996, "10.0 kB" },
    { 99949, "99.9 kB" },
    { 99951, "100 kB" },
    { 999499, "999 kB" },
    { 999500, "1.00 MB" },
    { 42000000, "42.0 MB" },
    { 1000000000, "1.00 GB" },
    { G_MAXUINT64, "18447 PB" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = run_text_bytes (cases[i].bytes);

    g_assert_cmpstr (text, ==, cases[i].text);
  }
}

static void
test_times (void)
{
  static const struct {
    char *(*print) (double);
    double seconds;
    const char *text;
  } cases[] = {
    { run_text_clock, -1, "00:00:00" },
    { run_text_clock, 59.99, "00:00:59" },
    { run_text_clock, 3661, "01:01:01" },
    { run_text_clock, 360000, "100:00:00" },
    { run_text_left, -1, "-" },
    { run_text_left, 0, "0 s" },
    { run_text_left, 119, "119 s" },
    { run_text_left, 120, "2 min" },
    { run_text_left, 3600, "1 h 0 min" },
    { run_text_left, 90000, "1 d 1 h" },
    { run_text_left, 99 * 86400.0, ">99 d" },
    { run_text_left, 1e300, ">99 d" },
    { run_text_age, -1, "-" },
    { run_text_age, 0.0084, "8 ms" },
    { run_text_age, 1.25, "1.2 s" },
    { run_text_age, 120, "2 min" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = cases[i].print (cases[i].seconds);

    g_assert_cmpstr (text, ==, cases[i].text);
  }
}

static gboolean
parse (RunOptions *options, const char *line, GError **error)
{
  char **argv = g_strsplit (line, " ", -1);
  char **left = g_memdup2 (argv, sizeof *argv * (g_strv_length (argv) + 1));
  char **to_parse = left;
  int argc = (int) g_strv_length (argv);
  gboolean ok = run_options_parse (options, &argc, &to_parse, error);

  g_free (left);
  g_strfreev (argv);
  return ok;
}

static void
test_options (void)
{
  g_auto (RunOptions) options = { NULL };
  g_autoptr (GError) error = NULL;

  g_assert_true (parse (&options,
                        "acq-run --set a.b=1 --task pour --output out=dir -s c=2 --duration 1.5min "
                        "-p x -p y:z --status jsonl --report r.json --strict p.json",
                        &error));
  g_assert_no_error (error);
  g_assert_cmpstr (options.overrides[0], ==, "a.b=1");
  g_assert_cmpstr (options.overrides[1], ==, "c=2");
  g_assert_cmpstr (options.overrides[2], ==, "recording.task=\"pour\"");
  g_assert_cmpstr (options.overrides[3], ==, "recording.directory=\"out=dir\"");
  g_assert_null (options.overrides[4]);
  g_assert_cmpint (options.duration_ns, ==, G_GINT64_CONSTANT (90000000000));
  g_assert_cmpstr (options.plugin_path, ==, "x:y:z");
  g_assert_cmpint (options.status, ==, RUN_STATUS_JSONL);
  g_assert_cmpstr (options.report, ==, "r.json");
  g_assert_cmpstr (options.pipeline, ==, "p.json");
  g_assert_true (options.strict);
  g_assert_false (options.check);
}

/* Tests run in the C locale, as containers do. */
static void
test_other_scripts (void)
{
  g_auto (RunOptions) options = { NULL };

  g_assert_true (
      parse (&options, "acq-run --task 倒水 --set recording.operator=Łucja p.json", NULL));
  g_assert_cmpstr (options.overrides[0], ==, "recording.operator=Łucja");
  g_assert_cmpstr (options.overrides[1], ==, "recording.task=\"倒水\"");
}

static void
test_mistakes (void)
{
  static const struct {
    const char *line;
    const char *says;
  } cases[] = {
    { "acq-run", "no pipeline file is given" },
    { "acq-run a.json b.json", "one pipeline file is run at a time" },
    { "acq-run --status loud p.json", "allowed: auto, tty, plain, jsonl, none" },
    { "acq-run --duration soon p.json", "--duration is \"soon\"" },
    { "acq-run --duration 0 p.json", "above zero" },
    { "acq-run --duration -5s p.json", "above zero" },
    { "acq-run --set sinks.mcap p.json", "a path and a value" },
    { "acq-run --set =5 p.json", "a path and a value" },
    { "acq-run --nonsense p.json", "--nonsense" },
    { "acq-run --task \xff p.json", "not valid UTF-8" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (RunOptions) options = { NULL };
    g_autoptr (GError) error = NULL;

    g_assert_false (parse (&options, cases[i].line, &error));
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, cases[i].says));
  }
}

/* The larger problem wins, whatever comes first; a reason is said once. */
static void
test_verdict (void)
{
  static const struct {
    int codes[3];
    int exit_code;
  } cases[] = {
    { { 0, 0, 0 }, 0 },
    { { 3, 0, 0 }, 3 },
    { { 3, 1, 0 }, 1 },
    { { 1, 3, 3 }, 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (RunVerdict) verdict = run_verdict_new ();

    for (gsize k = 0; k < G_N_ELEMENTS (cases[i].codes); k++) {
      if (cases[i].codes[k] != 0)
        run_verdict_add (verdict, cases[i].codes[k], g_strdup ("again"));
    }
    g_assert_cmpint (verdict->exit_code, ==, cases[i].exit_code);
    g_assert_cmpuint (verdict->reasons->len, ==, cases[i].exit_code == 0 ? 1 : 2);
    g_assert_cmpstr (run_verdict_word (verdict), ==, cases[i].exit_code == 0 ? "pass" : "fail");
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/text/bytes", test_bytes);
  g_test_add_func ("/run/text/times", test_times);
  g_test_add_func ("/run/options", test_options);
  g_test_add_func ("/run/options/other-scripts", test_other_scripts);
  g_test_add_func ("/run/options/mistakes", test_mistakes);
  g_test_add_func ("/run/verdict", test_verdict);
  return g_test_run ();
}
