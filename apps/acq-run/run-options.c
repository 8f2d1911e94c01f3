/* SPDX-License-Identifier: Apache-2.0 */
#include "run-options.h"

#include <string.h>

#include <acq/acq-json.h>
#include <acq/acq-option.h>
#include <json-glib/json-glib.h>

static const char summary[] =
    "Runs a pipeline file: opens its devices, records until you press Ctrl-C or --duration is "
    "over,\nand finishes the files.";

static const char description[] =
    "Examples:\n"
    "  acq-run two-hands.json\n"
    "      record until Ctrl-C\n"
    "  acq-run --check two-hands.json\n"
    "      find every mistake in the file; no device is touched\n"
    "  acq-run --task pour --duration 30s --output ~/recordings two-hands.json\n"
    "      one take of thirty seconds\n"
    "  acq-run --set sources.left_hand.port=15002 two-hands.json\n"
    "      change one value without editing the file\n"
    "  acq-run --status jsonl two-hands.json | your-program\n"
    "      one JSON object a line on standard output, and nothing else\n"
    "\n"
    "Signals:\n"
    "  SIGINT (Ctrl-C), SIGTERM, SIGHUP   stop and finish the files\n"
    "  SIGINT or SIGTERM once more        quit at once; acq-recover makes valid files of the rest\n"
    "  SIGUSR1                            write the picture of --dot, with live counters, into\n"
    "                                     the folder of the recording\n"
    "\n"
    "Exit codes:\n"
    "  0    finished; nothing was lost beyond what the pipeline file allows\n"
    "  1    a sink or a required source failed, or none was left, or it was interrupted\n"
    "       before it began\n"
    "  2    the command line or the pipeline file is wrong; nothing was started\n"
    "  3    finished, but with more loss than allowed, or an expectation was not met\n"
    "  130  quit by a second interrupt\n"
    "\n"
    "acq-inspect lists the plugins and their options; acq-sim pretends to be a device.\n";

static const char *const status_words[] = { "auto", "tty", "plain", "jsonl", "none", NULL };

/* What GOption fills, before it is looked at. */
typedef struct {
  char **set;
  char **plugin_path;
  char **rest;
  char *task;
  char *output;
  char *duration;
  char *status;
} Raw;

static void
raw_clear (Raw *self)
{
  g_strfreev (self->set);
  g_strfreev (self->plugin_path);
  g_strfreev (self->rest);
  g_free (self->task);
  g_free (self->output);
  g_free (self->duration);
  g_free (self->status);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Raw, raw_clear)

static gboolean
parse_status (const char *text, RunStatusKind *ret_kind, GError **error)
{
  for (int i = 0; text != NULL && status_words[i] != NULL; i++) {
    if (strcmp (status_words[i], text) == 0) {
      *ret_kind = (RunStatusKind) i;
      return TRUE;
    }
  }
  if (text == NULL)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "--status is \"%s\"; allowed: auto, tty, plain, jsonl, none", text);
  return FALSE;
}

static gboolean
parse_duration (const char *text, gint64 *ret_ns, GError **error)
{
  if (text == NULL)
    return TRUE;
  if (acq_parse_duration (text, ret_ns) && *ret_ns > 0)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "--duration is \"%s\"; allowed: a time above zero, such as 30, 30s, 500ms or 10min",
               text);
  return FALSE;
}

/* As JSON, so that a task called `true` or `12` stays text. */
static void
add_text_override (GStrvBuilder *overrides, const char *path, const char *text)
{
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *json = NULL;
  g_autofree char *override = NULL;

  if (text == NULL)
    return;
  node = json_node_init_string (json_node_alloc (), text);
  json = acq_json_print (node, FALSE);
  override = g_strdup_printf ("%s=%s", path, json);
  g_strv_builder_add (overrides, override);
}

static gboolean
check_text (const char *option, const char *text, GError **error)
{
  g_autofree char *shown = NULL;

  if (text == NULL || g_utf8_validate (text, -1, NULL))
    return TRUE;
  shown = g_utf8_make_valid (text, -1);
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s \"%s\" is not valid UTF-8",
               option, shown);
  return FALSE;
}

static gboolean
check_sets (char *const *set, GError **error)
{
  for (; set != NULL && *set != NULL; set++) {
    const char *equals = strchr (*set, '=');

    if (!check_text ("--set", *set, error))
      return FALSE;
    if (equals != NULL && equals != *set)
      continue;
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "--set is \"%s\"; allowed: a path and a value, such as "
                 "sinks.mcap.chunk-size=4MiB",
                 *set);
    return FALSE;
  }
  return TRUE;
}

/* Two kinds of JSON on one descriptor are neither. */
static gboolean
check_report (const RunOptions *self, GError **error)
{
  if (self->status != RUN_STATUS_JSONL || g_strcmp0 (self->report, "-") != 0)
    return TRUE;
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                       "--status jsonl and --report - both want standard output; the line "
                       "\"stopped\" of --status jsonl holds the report, so leave out --report");
  return FALSE;
}

static gboolean
check_rest (RunOptions *self, char **rest, GError **error)
{
  if (self->version)
    return TRUE;
  if (rest == NULL || rest[0] == NULL) {
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
                         "no pipeline file is given; --help explains, and shows examples");
    return FALSE;
  }
  if (rest[1] != NULL) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
                 "\"%s\" and \"%s\" are given; one pipeline file is run at a time", rest[0],
                 rest[1]);
    return FALSE;
  }
  self->pipeline = g_strdup (rest[0]);
  return TRUE;
}

static gboolean
digest (RunOptions *self, const Raw *raw, GError **error)
{
  g_autoptr (GStrvBuilder) overrides = g_strv_builder_new ();

  if (!check_text ("--status", raw->status, error) ||
      !check_text ("--duration", raw->duration, error) ||
      !parse_status (raw->status, &self->status, error) ||
      !parse_duration (raw->duration, &self->duration_ns, error) || !check_sets (raw->set, error) ||
      !check_text ("--task", raw->task, error) || !check_text ("--output", raw->output, error) ||
      !check_report (self, error) || !check_rest (self, raw->rest, error))
    return FALSE;
  for (gsize i = 0; raw->set != NULL && raw->set[i] != NULL; i++)
    g_strv_builder_add (overrides, raw->set[i]);
  add_text_override (overrides, "recording.task", raw->task);
  add_text_override (overrides, "recording.directory", raw->output);
  self->overrides = g_strv_builder_end (overrides);
  if (raw->plugin_path != NULL)
    self->plugin_path = g_strjoinv (G_SEARCHPATH_SEPARATOR_S, raw->plugin_path);
  return TRUE;
}

gboolean
run_options_parse (RunOptions *self, int *argc, char ***argv, GError **error)
{
  g_auto (Raw) raw = { NULL };
  /* What is UTF-8 for us is a "filename" here: GOption would refuse it in the C locale. */
  const GOptionEntry entries[] = {
    { "check", 'c', 0, G_OPTION_ARG_NONE, &self->check,
      "Validate the file and its options only; touches no device", NULL },
    { "set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &raw.set,
      "Override one value of the file; may be repeated", "PATH=VALUE" },
    { "task", 't', 0, G_OPTION_ARG_FILENAME, &raw.task,
      "What is recorded; becomes part of the folder's name", "NAME" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &raw.output, "Make the recording's folder in DIR",
      "DIR" },
    { "duration", 'd', 0, G_OPTION_ARG_FILENAME, &raw.duration,
      "Stop after this time: 30s, 500ms, 10min (default: when interrupted)", "TIME" },
    { "status", 0, 0, G_OPTION_ARG_FILENAME, &raw.status,
      "How progress is shown: auto, tty, plain, jsonl, none (default auto: a table on a "
      "terminal, plain lines elsewhere)",
      "HOW" },
    { "report", 'r', 0, G_OPTION_ARG_FILENAME, &self->report,
      "Write what happened and every count as JSON; - is standard output", "FILE" },
    { "strict", 0, 0, G_OPTION_ARG_NONE, &self->strict,
      "Any loss makes the exit code 3, whatever the file allows", NULL },
    { "dot", 0, 0, G_OPTION_ARG_NONE, &self->dot,
      "Print the pipeline as a picture for Graphviz, and exit; touches no device", NULL },
    { "plugin-path", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &raw.plugin_path,
      "Look for plugins here first; may be repeated, or several separated by colons", "DIR" },
    { "version", 0, 0, G_OPTION_ARG_NONE, &self->version, "Print the version, and exit", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &raw.rest, NULL, "PIPELINE.json" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error) && digest (self, &raw, error);
}

void
run_options_clear (RunOptions *self)
{
  g_clear_pointer (&self->pipeline, g_free);
  g_clear_pointer (&self->overrides, g_strfreev);
  g_clear_pointer (&self->plugin_path, g_free);
  g_clear_pointer (&self->report, g_free);
}
