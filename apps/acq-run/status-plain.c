/* SPDX-License-Identifier: Apache-2.0 */

/* `--status plain`: lines for log files and pipes. One every few seconds, and one for each event.
 */

#include "run-status.h"
#include "run-text.h"

#define INTERVAL_MS 5000

typedef struct {
  RunStatus parent;
  RunGaps *gaps;
} PlainStatus;

static void
plain_opening (RunStatus *self, const char *pipeline)
{
  run_output_write (self->output, g_strdup_printf ("%s: opening\n", pipeline));
}

static void
plain_started (RunStatus *self, const RunStart *start)
{
  g_autofree char *memory = run_text_bytes (start->memory_bytes);

  run_output_write (self->output, g_strdup_printf ("recording to %s\nmemory budget %s\n",
                                                   start->directory, memory));
}

static void
append_streams (GString *line, const AcqSnapshot *snapshot)
{
  guint64 frames = 0, lost = 0, dropped = 0;
  double rate_hz = 0;
  guint n = 0;

  for (guint i = 0; i < snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = snapshot->streams->pdata[i];

    if (run_view_is_engine (stream))
      continue;
    n++;
    frames += stream->frames;
    rate_hz += stream->rate_hz;
    lost += stream->counters[ACQ_STREAM_LOST];
    dropped += run_view_dropped (stream);
  }
  g_string_append_printf (line,
                          "  %u streams, %.0f Hz, %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT
                          " lost, %" G_GUINT64_FORMAT " dropped",
                          n, rate_hz, frames, lost, dropped);
}

static void
append_sinks (GString *line, const RunView *view)
{
  double left = -1;

  for (guint i = 0; i < view->sinks->len; i++) {
    const RunSinkView *sink = &g_array_index (view->sinks, RunSinkView, i);
    g_autofree char *bytes = run_text_bytes (sink->bytes);

    g_string_append_printf (line, "%s %s %s (%.2f MB/s)", i == 0 ? ";" : ",", sink->node->id, bytes,
                            sink->bytes_per_s * 1e-6);
    if (sink->finishing >= 0 && view->phase == RUN_STOPPING)
      g_string_append_printf (line, " finished %.0f %%", sink->finishing * 100);
    if (sink->seconds_left >= 0 && (left < 0 || sink->seconds_left < left))
      left = sink->seconds_left;
  }
  if (left >= 0) {
    g_autofree char *text = run_text_left (left);

    g_string_append_printf (line, "; disk full in %s", text);
  }
}

static void
append_rejected (GString *text, const AcqSnapshot *snapshot, const char *before, const char *after)
{
  for (guint i = 0; i < snapshot->ports->len; i++) {
    g_autofree char *rejected = run_view_rejected_text (snapshot->ports->pdata[i]);

    if (rejected != NULL)
      g_string_append_printf (text, "%s%s%s", before, rejected, after);
  }
}

static char *
view_line (const RunView *view)
{
  GString *line = g_string_new (NULL);
  g_autofree char *clock = run_text_clock (view->elapsed_s);

  g_string_append (line, clock);
  if (view->phase != RUN_RECORDING)
    g_string_append_printf (line, "  %s", run_view_phase_word (view->phase));
  append_streams (line, view->snapshot);
  append_sinks (line, view);
  append_rejected (line, view->snapshot, "; ", "");
  for (guint i = 0; i < view->snapshot->nodes->len; i++) {
    const AcqNodeSnapshot *node = view->snapshot->nodes->pdata[i];

    if (node->state == ACQ_NODE_LOST || node->state == ACQ_NODE_STUCK ||
        node->state == ACQ_NODE_FAILED)
      g_string_append_printf (line, "; %s is %s", node->id, acq_node_state_to_string (node->state));
  }
  g_string_append_c (line, '\n');
  return g_string_free (line, FALSE);
}

static void
plain_update (RunStatus *self, const RunView *view)
{
  if (view->phase != RUN_OPENING)
    run_output_write (self->output, view_line (view));
}

static void
plain_event (RunStatus *self, const AcqEvent *event, gint64 host_ns)
{
  g_autofree char *text = run_status_event_text (((PlainStatus *) self)->gaps, event);

  if (text != NULL)
    run_output_write (self->output, g_strdup_printf ("%s\n", text));
}

static void
append_stream_totals (GString *text, const AcqSnapshot *snapshot)
{
  for (guint i = 0; i < snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = snapshot->streams->pdata[i];

    if (!run_view_is_engine (stream))
      g_string_append_printf (text,
                              "%s: %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT
                              " lost, %" G_GUINT64_FORMAT " dropped\n",
                              stream->path, stream->frames, stream->counters[ACQ_STREAM_LOST],
                              run_view_dropped (stream));
  }
}

static void
plain_stopped (RunStatus *self, const RunEnd *end)
{
  GString *text = g_string_new (NULL);
  g_autofree char *summary = run_status_end_text (end);

  append_stream_totals (text, end->view->snapshot);
  append_rejected (text, end->view->snapshot, "", "\n");
  g_string_append (text, summary);
  run_output_write (self->output, g_string_free (text, FALSE));
}

static void
plain_free (RunStatus *status)
{
  PlainStatus *self = (PlainStatus *) status;

  g_hash_table_unref (self->gaps);
  g_free (self);
}

RunStatus *
run_status_plain_new (RunOutput *output)
{
  static const RunStatusClass klass = {
    .interval_ms = INTERVAL_MS,
    .opening = plain_opening,
    .started = plain_started,
    .update = plain_update,
    .event = plain_event,
    .stopped = plain_stopped,
    .free = plain_free,
  };
  PlainStatus *self = g_new0 (PlainStatus, 1);

  self->parent.klass = &klass;
  self->parent.output = output;
  self->gaps = run_gaps_new ();
  return &self->parent;
}
