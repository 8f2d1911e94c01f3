/* SPDX-License-Identifier: Apache-2.0 */

/* A look at a run, and its end: verdict, session.json, report. */
#include <string.h>

#include <acq/acq-host-clock.h>
#include <acq/acq-json.h>
#include <acq/acq-session.h>

#include "run-private.h"

double
run_elapsed (Run *self)
{
  if (self->started_us == 0)
    return 0;
  if (self->phase >= RUN_STOPPING)
    return self->elapsed_s;
  return (g_get_monotonic_time () - self->started_us) * 1e-6;
}

void
run_look (Run *self, RunView *view)
{
  AcqSnapshot *snapshot = acq_graph_snapshot (self->graph);
  const char *directory = self->take != NULL ? acq_take_get_directory (self->take) : NULL;

  *view = (RunView){
    .snapshot = snapshot,
    .phase = self->phase,
    .elapsed_s = run_elapsed (self),
    .duration_s = self->options->duration_ns * 1e-9,
    .directory = directory,
    .sinks = run_rates_look (self->rates, snapshot, self->take),
  };
}

void
run_clear_view (RunView *view)
{
  acq_snapshot_free ((AcqSnapshot *) view->snapshot);
  g_array_unref (view->sinks);
}

void
run_pop_events (Run *self)
{
  g_autoptr (GPtrArray) events = acq_graph_pop_events (self->graph);
  gint64 now_ns = acq_host_clock_now (acq_graph_get_host_clock (self->graph));

  for (guint i = 0; i < events->len; i++) {
    run_events_add (self->events, events->pdata[i], now_ns);
    if (self->status->klass->event != NULL)
      self->status->klass->event (self->status, events->pdata[i], now_ns);
  }
}

static void
write_session (Run *self, const AcqSnapshot *snapshot)
{
  AcqVerdict verdict = { run_verdict_word (self->verdict),
                         (const char *const *) self->verdict->reasons->pdata };
  g_autoptr (GError) error = NULL;

  if (!acq_session_write (self->graph, self->take, snapshot, &verdict, &error))
    run_verdict_add (self->verdict, RUN_EXIT_FAILED,
                     g_strdup_printf ("session.json could not be written: %s", error->message));
}

static void
save_report (Run *self, JsonNode *report)
{
  g_autoptr (GError) error = NULL;

  if (self->options->report == NULL)
    return;
  if (strcmp (self->options->report, "-") == 0) {
    g_autofree char *json = acq_json_print (report, TRUE);

    run_output_write (self->output, g_strconcat (json, "\n", NULL));
  } else if (!run_report_save (report, self->options->report, &error)) {
    run_verdict_add (self->verdict, RUN_EXIT_FAILED,
                     g_strdup_printf ("the report could not be written: %s", error->message));
  }
}

void
run_conclude (Run *self)
{
  g_auto (GStrv) files = NULL;
  g_autoptr (JsonNode) report = NULL;
  RunView view;
  RunEnd end;

  self->phase = RUN_STOPPED;
  run_look (self, &view);
  if (self->started_us != 0) {
    run_verdict_judge (self->verdict, self->pipeline, view.snapshot, self->options->strict);
    write_session (self, view.snapshot);
  }
  run_pop_events (self);
  files = self->take != NULL ? acq_take_list_files (self->take) : g_new0 (char *, 1);
  report = run_report_to_json (&(RunReport){
      .pipeline = self->options->pipeline,
      .reason = self->reason,
      .message = self->message,
      .verdict = self->verdict,
      .events = self->events,
      .take = self->take,
      .files = files,
      .snapshot = view.snapshot,
  });
  save_report (self, report);
  end = (RunEnd){
    .exit_code = self->verdict->exit_code,
    .reason = self->reason,
    .message = self->message,
    .reasons = (const char *const *) self->verdict->reasons->pdata,
    .directory = view.directory,
    .files = files,
    .view = &view,
    .report = report,
  };
  if (self->status->klass->stopped != NULL)
    self->status->klass->stopped (self->status, &end);
  run_clear_view (&view);
  g_main_loop_quit (self->loop);
}
