/* SPDX-License-Identifier: Apache-2.0 */
#include "run-status.h"

#include "run-text.h"

/* Gaps from this on are told each. */
#define LONG_GAP_NS G_GINT64_CONSTANT (1000000000)

RunStatus *
run_status_new (RunStatusKind kind, RunOutput *output)
{
  if (kind == RUN_STATUS_AUTO)
    kind = run_output_is_terminal (output) ? RUN_STATUS_TTY : RUN_STATUS_PLAIN;
  switch (kind) {
  case RUN_STATUS_TTY:
    return run_status_tty_new (output);
  case RUN_STATUS_JSONL:
    return run_status_jsonl_new (output);
  case RUN_STATUS_NONE:
    return run_status_none_new (output);
  case RUN_STATUS_AUTO:
  case RUN_STATUS_PLAIN:
    break;
  }
  return run_status_plain_new (output);
}

void
run_status_free (RunStatus *self)
{
  if (self != NULL)
    self->klass->free (self);
}

const char *
run_status_severity_word (guint severity)
{
  static const char *const words[] = { "info", "warning", "error" };

  return words[MIN (severity, G_N_ELEMENTS (words) - 1)];
}

RunGaps *
run_gaps_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

char *
run_status_event_text (RunGaps *gaps, const AcqEvent *event)
{
  if (event->kind == ACQ_EVENT_KIND_GAP && event->to_ns - event->from_ns < LONG_GAP_NS) {
    char *path = g_strdup_printf ("%s.%s", event->node, event->stream);

    if (!g_hash_table_add (gaps, path))
      return NULL;
    return g_strdup_printf ("%s: %s; further ones shorter than a second are counted only",
                            run_status_severity_word (event->severity), event->message);
  }
  if (event->severity == ACQ_EVENT_SEVERITY_INFO)
    return g_strdup (event->message);
  return g_strdup_printf ("%s: %s", run_status_severity_word (event->severity), event->message);
}

char *
run_status_end_text (const RunEnd *end)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "stopped: %s\n", end->message);
  for (const char *const *reason = end->reasons; *reason != NULL; reason++)
    g_string_append_printf (text, "  %s\n", *reason);
  if (end->directory != NULL)
    g_string_append_printf (text, "%s\n", end->directory);
  for (char **file = end->files; *file != NULL; file++) {
    g_autofree char *name = g_path_get_basename (*file);

    g_string_append_printf (text, "  %s\n", name);
  }
  g_string_append_printf (text, "verdict: %s, exit code %d\n",
                          end->exit_code == 0 ? "pass" : "fail", end->exit_code);
  return g_string_free (text, FALSE);
}

/* `--status none`: errors, on standard error. */

static void
none_event (RunStatus *self, const AcqEvent *event, gint64 host_ns)
{
  if (event->severity >= ACQ_EVENT_SEVERITY_ERROR)
    g_printerr ("acq-run: %s\n", event->message);
}

static void
none_stopped (RunStatus *self, const RunEnd *end)
{
  for (const char *const *reason = end->reasons; *reason != NULL; reason++)
    g_printerr ("acq-run: %s\n", *reason);
}

RunStatus *
run_status_none_new (RunOutput *output)
{
  static const RunStatusClass klass = {
    .interval_ms = 1000,
    .event = none_event,
    .stopped = none_stopped,
    .free = (void (*) (RunStatus *)) g_free,
  };
  RunStatus *self = g_new0 (RunStatus, 1);

  self->klass = &klass;
  self->output = output;
  return self;
}
