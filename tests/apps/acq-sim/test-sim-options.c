/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-options.h"
#include "sim-pace.h"
#include "sim-report.h"

#include <glib/gstdio.h>

static void
test_duration (void)
{
  static const struct {
    const char *text;
    gint64 ns; /* -1: refused */
  } cases[] = {
    { "10", G_GINT64_CONSTANT (10000000000) },
    { "2.5s", G_GINT64_CONSTANT (2500000000) },
    { "500ms", 500000000 },
    { "7us", 7000 },
    { "2min", G_GINT64_CONSTANT (120000000000) },
    { "0", 0 },
    { "", -1 },
    { "s", -1 },
    { "-1s", -1 },
    { "1h", -1 },
    { "1 s", -1 },
    { "nan", -1 },
    { "inf", -1 },
    { "1e300", -1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 ns = -1;

    g_assert_cmpint (sim_parse_duration (cases[i].text, &ns), ==, cases[i].ns >= 0);
    g_assert_cmpint (ns, ==, cases[i].ns);
  }
}

static gboolean
parse (SimOptions *options, int *extra, GError **error, const char *a, const char *b)
{
  static const char *const streams[] = { "all", NULL };
  static const SimFaultKind kinds[] = { { "loss", "lost" } };
  const SimFaultGrammar grammar = { kinds, 1, streams };
  const GOptionEntry entries[] = {
    { "extra", 0, 0, G_OPTION_ARG_INT, extra, "extra", "N" },
    { NULL },
  };
  g_autofree char **argv = g_new0 (char *, 4);

  argv[0] = (char *) "test";
  argv[1] = (char *) a;
  argv[2] = (char *) b;
  return sim_options_parse (options, entries, &grammar, "A test.", b ? 3 : a ? 2 : 1, argv, error);
}

static void
test_options (void)
{
  static const char *const wrong[][2] = {
    { "--duration=x", "--duration is \"x\"" },
    { "--faults=foo", "there is no fault \"foo\"" },
    { "stray", "\"stray\" is not an option" },
    { "--nope", "--nope" },
  };
  g_auto (SimOptions) options = { 0 };
  g_autoptr (GError) error = NULL;
  int extra = 0;

  g_assert_true (parse (&options, &extra, &error, "--extra=4", "--duration=2s"));
  g_assert_no_error (error);
  g_assert_cmpint (extra, ==, 4);
  g_assert_cmpint (options.seed, ==, 1);
  g_assert_cmpint (options.duration_ns, ==, 2000000000);
  g_assert_cmpuint (options.faults->n_faults, ==, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_auto (SimOptions) refused = { 0 };

    g_assert_false (parse (&refused, &extra, &error, wrong[i][0], NULL));
    g_assert_nonnull (strstr (error->message, wrong[i][1]));
    g_clear_error (&error);
  }
}

static void
test_choice (void)
{
  static const char *const words[] = { "one", "two", NULL };
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sim_option_choice ("--x", NULL, words, &error), ==, 0);
  g_assert_cmpint (sim_option_choice ("--x", "two", words, &error), ==, 1);
  g_assert_no_error (error);
  g_assert_cmpint (sim_option_choice ("--x", "three", words, &error), ==, -1);
  g_assert_cmpstr (error->message, ==, "--x is \"three\"; allowed: one, two");
  g_clear_error (&error);
  g_assert_true (sim_option_in_range ("--x", 1, 1, 2, &error));
  g_assert_false (sim_option_in_range ("--x", 3, 1, 2, &error));
  g_assert_cmpstr (error->message, ==, "--x is 3; allowed: 1 to 2");
}

/* No drift: beat n is computed, not added up. */
static void
test_pace (void)
{
  gint64 start = sim_now_ns ();

  g_assert_cmpint (sim_beat_ns (0, 120), ==, 0);
  g_assert_cmpint (sim_beat_ns (1, 120), ==, 8333333);
  g_assert_cmpint (sim_beat_ns (120, 120), ==, 1000000000);
  g_assert_cmpint (sim_beat_ns (120 * 86400, 120), ==, G_GINT64_CONSTANT (86400000000000));
  g_assert_true (sim_pace_wait (start));
  g_assert_true (sim_pace_wait (start + 2000000));
  g_assert_cmpint (sim_now_ns (), >=, start + 2000000);
}

static void
test_report (void)
{
  static const char *const names[] = { "zero", NULL, "two" };
  static const guint64 counts[] = { 0, 1, 2 };
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *dir = g_dir_make_tmp ("acq-sim-XXXXXX", &error);
  g_autofree char *path = g_build_filename (dir, "report.json", NULL);
  g_autofree char *text = NULL;

  json_builder_begin_object (builder);
  sim_report_count (builder, "n", 7);
  sim_report_counts (builder, "c", names, counts, 3);
  json_builder_end_object (builder);
  g_assert_true (sim_report_write (builder, path, &error));
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text, ==, "{\n  \"n\" : 7,\n  \"c\" : {\n    \"two\" : 2\n  }\n}\n");
  g_remove (path);
  g_rmdir (dir);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/options/duration", test_duration);
  g_test_add_func ("/sim/options/parse", test_options);
  g_test_add_func ("/sim/options/choice", test_choice);
  g_test_add_func ("/sim/pace", test_pace);
  g_test_add_func ("/sim/report", test_report);
  return g_test_run ();
}
