/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-faults.h"
#include "sim-random.h"

#include <glib/gstdio.h>
#include <math.h>

enum { LOSS, STALL, ODD };

static const char *const sizes[] = { "small", "large", NULL };
static const char *const hands[] = { "left", "right", NULL };
static const SimFaultKind kinds[] = {
  [LOSS] = { "loss", "a beat is lost", { { "n", "how many", NULL, 1, 1, 1000 } } },
  [STALL] = { "stall",
              "repeats",
              { { "n", "beats", NULL, 12, 1, 1000 }, { "size", "which", sizes, 1 } } },
  [ODD] = { "odd", "no keys" },
};
static const SimFaultGrammar grammar = { kinds, G_N_ELEMENTS (kinds), hands };

static void
test_text (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SimFaultPlan) plan = sim_fault_plan_parse (
      &grammar, "loss:p=0.25, stall:at=7/1.5s:n=30:size=small:on=right,odd:every=9:from=2:to=40",
      &error);

  g_assert_no_error (error);
  g_assert_cmpuint (plan->n_faults, ==, 4);
  g_assert_cmpuint (plan->faults[0].kind, ==, LOSS);
  g_assert_cmpint (plan->faults[0].when, ==, SIM_FAULT_CHANCE);
  g_assert_cmpfloat (plan->faults[0].chance, ==, 0.25);
  g_assert_cmpint (plan->faults[0].values[0], ==, 1);
  g_assert_cmpuint (plan->faults[1].kind, ==, STALL);
  g_assert_cmpint (plan->faults[1].when, ==, SIM_FAULT_AT_BEAT);
  g_assert_cmpint (plan->faults[1].at, ==, 7);
  g_assert_cmpint (plan->faults[1].values[0], ==, 30);
  g_assert_cmpint (plan->faults[1].values[1], ==, 0);
  g_assert_cmphex (plan->faults[1].streams, ==, 2);
  g_assert_cmpint (plan->faults[2].when, ==, SIM_FAULT_AT_TIME);
  g_assert_cmpint (plan->faults[2].at, ==, 1500000000);
  g_assert_cmpint (plan->faults[3].at, ==, 9);
  g_assert_cmpuint (plan->faults[3].from, ==, 2);
  g_assert_cmpuint (plan->faults[3].to, ==, 40);
}

static void
test_json (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *dir = g_dir_make_tmp ("acq-sim-XXXXXX", &error);
  g_autofree char *path = g_build_filename (dir, "plan.json", NULL);
  g_autoptr (SimFaultPlan) plan = NULL;

  g_assert_no_error (error);
  g_file_set_contents (path,
                       "[{\"kind\":\"loss\",\"p\":0.5},"
                       "{\"kind\":\"stall\",\"at\":[3,\"2s\"],\"n\":4,\"size\":\"small\"}]",
                       -1, &error);
  g_assert_no_error (error);
  plan = sim_fault_plan_parse (&grammar, path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (plan->n_faults, ==, 3);
  g_assert_cmpfloat (plan->faults[0].chance, ==, 0.5);
  g_assert_cmpint (plan->faults[1].at, ==, 3);
  g_assert_cmpint (plan->faults[2].at, ==, 2000000000);
  g_assert_cmpint (plan->faults[2].values[0], ==, 4);
  g_assert_cmpint (plan->faults[2].values[1], ==, 0);

  g_file_set_contents (path, "{\"kind\":\"loss\"}", -1, NULL);
  g_assert_null (sim_fault_plan_parse (&grammar, path, &error));
  g_assert_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE);
  g_clear_error (&error);
  g_remove (path);
  g_assert_null (sim_fault_plan_parse (&grammar, path, &error));
  g_assert_nonnull (error);
  g_rmdir (dir);
}

static void
test_errors (void)
{
  static const struct {
    const char *spec;
    const char *message;
  } cases[] = {
    { "lost:p=1", "there is no fault \"lost\"; there are: loss, stall, odd" },
    { "loss", "needs one of p=, at= and every=" },
    { "loss:p=0.1:at=3", "needs one of p=, at= and every=" },
    { "loss:p=1.5", "fault loss: p is \"1.5\"; allowed: 0 to 1" },
    { "loss:p=nan", "fault loss: p is \"nan\"" },
    { "loss:p=", "fault loss: p is \"\"" },
    { "loss:at=-1", "a beat from 0, or a time" },
    { "loss:at=3m", "a beat from 0, or a time" },
    { "loss:every=0", "fault loss: every is \"0\"; allowed: 1 to" },
    { "loss:at=1:n=0", "fault loss: n is \"0\"; allowed: 1 to 1000" },
    { "loss:at=1:n=1001", "allowed: 1 to 1000" },
    { "stall:at=1:size=huge", "fault stall: size is \"huge\"; allowed: small, large" },
    { "loss:at=1:on=both", "fault loss: on is \"both\"; allowed: left, right" },
    { "loss:at=1:foo=2", "fault loss has no key \"foo\"; it has: p, at, every, from, to, on, n" },
    { "loss:at", "\"at\" is not KEY=VALUE" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (sim_fault_plan_parse (&grammar, cases[i].spec, &error));
    g_assert_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE);
    if (strstr (error->message, cases[i].message) == NULL)
      g_error ("%s: \"%s\"", cases[i].spec, error->message);
  }
}

static guint
count_fires (const char *spec, guint64 seed, guint stream)
{
  g_autoptr (SimFaultPlan) plan = sim_fault_plan_parse (&grammar, spec, NULL);
  guint fired = 0;

  for (guint64 beat = 0; beat < 10000; beat++)
    fired +=
        sim_fault_fires (&plan->faults[0], seed, stream, beat, (gint64) beat * 8333333, 8333333);
  return fired;
}

static void
test_fires (void)
{
  g_autoptr (SimFaultPlan) plan = sim_fault_plan_parse (&grammar, "loss:at=1s", NULL);

  g_assert_cmpuint (count_fires ("loss:at=5", 1, 0), ==, 1);
  g_assert_cmpuint (count_fires ("loss:at=0s", 1, 0), ==, 1);
  g_assert_cmpuint (count_fires ("loss:at=1.23s", 1, 0), ==, 1);
  g_assert_cmpuint (count_fires ("loss:every=10", 1, 0), ==, 999);
  g_assert_cmpuint (count_fires ("loss:every=10:from=100:to=200", 1, 0), ==, 11);
  g_assert_cmpuint (count_fires ("loss:every=10:on=right", 1, 0), ==, 0);
  g_assert_cmpuint (count_fires ("loss:every=10:on=right", 1, 1), ==, 999);
  g_assert_cmpuint (count_fires ("loss:p=0", 1, 0), ==, 0);
  g_assert_cmpuint (count_fires ("loss:p=1", 1, 0), ==, 10000);
  g_assert_cmpint (ABS ((int) count_fires ("loss:p=0.1", 1, 0) - 1000), <, 150);
  g_assert_cmpuint (count_fires ("loss:p=0.1", 1, 0), !=, count_fires ("loss:p=0.1", 2, 0));
  g_assert_true (sim_fault_fires (&plan->faults[0], 1, 0, 120, 1000000000, 8333333));
  g_assert_false (sim_fault_fires (&plan->faults[0], 1, 0, 119, 991666667, 8333333));
}

/* Known values: a report of one machine must be reproducible on another. */
static void
test_random (void)
{
  guint8 bytes[11];
  guint64 first = sim_random_at (1, 2, 3, 4);

  g_assert_cmphex (first, ==, sim_random_at (1, 2, 3, 4));
  g_assert_cmphex (first, !=, sim_random_at (1, 2, 4, 3));
  g_assert_cmphex (first, ==, G_GUINT64_CONSTANT (0xd55ccd4aeb3ccafb));
  g_assert_cmphex (sim_random_at (0, 0, 0, 0), ==, G_GUINT64_CONSTANT (0x2130748aaac80268));
  g_assert_cmpfloat (sim_random_unit (0), ==, 0);
  g_assert_cmpfloat (sim_random_unit (G_MAXUINT64), <, 1);
  g_assert_cmpuint (sim_random_below (G_MAXUINT64, 7), ==, 6);
  g_assert_cmpuint (sim_random_below (0, 7), ==, 0);
  sim_random_fill (first, bytes, sizeof bytes);
  g_assert_cmpmem (bytes, 11, bytes, 11);
}

static void
test_help (void)
{
  g_autofree char *help = sim_fault_grammar_help (&grammar);

  g_assert_nonnull (strstr (help, "stall"));
  g_assert_nonnull (strstr (help, "size=small|large"));
  g_assert_nonnull (strstr (help, "(default large)"));
  g_assert_nonnull (strstr (help, "on=left|right"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/faults/text", test_text);
  g_test_add_func ("/sim/faults/json", test_json);
  g_test_add_func ("/sim/faults/errors", test_errors);
  g_test_add_func ("/sim/faults/fires", test_fires);
  g_test_add_func ("/sim/faults/help", test_help);
  g_test_add_func ("/sim/random", test_random);
  return g_test_run ();
}
