/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-options.h"

#include <math.h>
#include <string.h>

gboolean
sim_parse_duration (const char *text, gint64 *ret_ns)
{
  static const struct {
    const char *unit;
    double ns;
  } units[] = { { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "min", 60e9 } };
  char *end = NULL;
  double number = g_ascii_strtod (text, &end);

  if (end == text || !(number >= 0) || !g_ascii_isdigit (text[0]))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++) {
    if (strcmp (end, units[i].unit) != 0)
      continue;
    if (number * units[i].ns > 9e18)
      return FALSE;
    *ret_ns = (gint64) llround (number * units[i].ns);
    return TRUE;
  }
  return FALSE;
}

gboolean
sim_option_in_range (const char *name, double value, double min, double max, GError **error)
{
  if (value >= min && value <= max)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s is %g; allowed: %g to %g", name,
               value, min, max);
  return FALSE;
}

int
sim_option_choice (const char *name, const char *value, const char *const *words, GError **error)
{
  g_autofree char *allowed = NULL;

  if (value == NULL)
    return 0;
  for (int i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], value) == 0)
      return i;
  allowed = g_strjoinv (", ", (char **) words);
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s is \"%s\"; allowed: %s", name,
               value, allowed);
  return -1;
}

gboolean
sim_options_parse (SimOptions *self, const GOptionEntry *entries, const SimFaultGrammar *grammar,
                   const char *description, int argc, char **argv, GError **error)
{
  const GOptionEntry common[] = {
    { "duration", 'd', 0, G_OPTION_ARG_STRING, &self->duration_text,
      "Stop after this time: 10s, 500ms, 2min (default: when interrupted)", "TIME" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &self->seed,
      "The same seed and options send the same (default 1)", "N" },
    { "faults", 'f', 0, G_OPTION_ARG_STRING, &self->faults_text,
      "What shall go wrong, see below; or a .json file", "PLAN" },
    { "report", 'r', 0, G_OPTION_ARG_FILENAME, &self->report,
      "Write what was sent as JSON; - is standard output", "FILE" },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &self->quiet, "Print nothing but errors", NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autofree char *help = sim_fault_grammar_help (grammar);

  if (self->seed == 0)
    self->seed = 1;
  g_option_context_set_summary (context, description);
  g_option_context_set_description (context, help);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_main_entries (context, common, NULL);
  if (!g_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (argc > 1) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "\"%s\" is not an option; --help lists them", argv[1]);
    return FALSE;
  }
  if (self->duration_text != NULL &&
      !sim_parse_duration (self->duration_text, &self->duration_ns)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "--duration is \"%s\"; allowed: a time like 10s, 500ms or 2min",
                 self->duration_text);
    return FALSE;
  }
  self->faults = sim_fault_plan_parse (grammar, self->faults_text, error);
  return self->faults != NULL;
}

void
sim_options_clear (SimOptions *self)
{
  g_clear_pointer (&self->report, g_free);
  g_clear_pointer (&self->duration_text, g_free);
  g_clear_pointer (&self->faults_text, g_free);
  g_clear_pointer (&self->faults, sim_fault_plan_free);
}
