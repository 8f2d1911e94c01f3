/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of streams: what a glob chooses, and what it never does. */
#include "pipeline/acq-pattern-private.h"

static void
test_glob (void)
{
  static const struct {
    const char *glob, *text;
    gboolean match;
  } cases[] = {
    { "*", "", TRUE },
    { "", "", TRUE },
    { "", "a", FALSE },
    { "?", "", FALSE },
    { "a?c", "abc", TRUE },
    { "a*c", "abbc", TRUE },
    { "a*c*", "abcbd", TRUE },
    { "*_glove", "left_glove", TRUE },
    { "*_glove", "left_gloves", FALSE },
    { "imu/*", "imu/palm", TRUE },
    { "*ab*ab", "abxab", TRUE },
    { "*ab*ab", "ab", FALSE },
    { "**", "x", TRUE },
    { "[ab]", "a", FALSE },
    { "a", "ab", FALSE },
    { "ab", "a", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%s %s", cases[i].glob, cases[i].text);
    g_assert_cmpint (acq_glob_match (cases[i].glob, cases[i].text), ==, cases[i].match);
  }
}

static void
test_pattern (void)
{
  static const struct {
    const char *pattern, *node, *stream;
    gboolean match;
  } cases[] = {
    { "left", "left", "tactile", TRUE },
    { "left", "lefty", "tactile", FALSE },
    { "left.tactile", "left", "tactile", TRUE },
    { "left.tactile", "left", "imu", FALSE },
    { "*.tactile", "right", "tactile", TRUE },
    { "*.imu/*", "right", "imu/palm", TRUE },
    { "*", "right", "imu/palm", TRUE },
    { "*.*", "right", "imu/palm", TRUE },
    { "*", "acq", "ledger", FALSE },
    { "a?q.*", "acq", "ledger", FALSE },
    { "acq", "acq", "ledger", TRUE },
    { "acq.l*", "acq", "ledger", TRUE },
    { "acq.l*", "acq", "events", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%s %s.%s", cases[i].pattern, cases[i].node, cases[i].stream);
    g_assert_cmpint (acq_pattern_match (cases[i].pattern, cases[i].node, cases[i].stream), ==,
                     cases[i].match);
  }
  g_assert_true (acq_pattern_is_whole_node ("a"));
  g_assert_true (acq_pattern_is_whole_node ("a.*"));
  g_assert_false (acq_pattern_is_whole_node ("a.b"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pattern/glob", test_glob);
  g_test_add_func ("/pattern/pattern", test_pattern);
  return g_test_run ();
}
