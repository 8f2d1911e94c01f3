/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One run: opening → recording → stopping.
 *
 * Opening and stopping block, so a worker thread does them, one after the other;
 * the main loop goes on showing the status and listening to signals. The graph
 * sees one caller at a time.
 */
#include "run.h"

#include <signal.h>
#include <unistd.h>

#include "run-chatter.h"
#include "run-private.h"
#include "run-signals.h"

/* Events, and whether anything is left to record. */
#define POLL_MS 100

/* What the file expects, and the disk. */
#define WATCH_MS 1000

/* A disk may be slow; a device or sink that does not stop by then is abandoned. */
#define STOP_TIMEOUT_S 20

#define DEFAULT_DIRECTORY "recordings"

static void
add_timer (Run *self, guint ms, GSourceFunc func)
{
  guint id = g_timeout_add (ms, func, self);

  g_array_append_val (self->timers, id);
}

/* Looking */

static gboolean
on_update (gpointer data)
{
  Run *self = data;
  RunView view;

  if (self->status->klass->update == NULL)
    return G_SOURCE_CONTINUE;
  run_look (self, &view);
  self->status->klass->update (self->status, &view);
  run_clear_view (&view);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_watch (gpointer data)
{
  Run *self = data;
  RunView view;

  if (self->phase != RUN_RECORDING)
    return G_SOURCE_CONTINUE;
  run_look (self, &view);
  run_watch_look (self->watch, &view);
  run_clear_view (&view);
  return G_SOURCE_CONTINUE;
}

/* The end */

static void set_end (Run *self, const char *reason, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
set_end (Run *self, const char *reason, const char *format, ...)
{
  va_list args;

  if (self->reason != NULL)
    return;
  self->reason = reason;
  va_start (args, format);
  self->message = g_strdup_vprintf (format, args);
  va_end (args);
}

static gboolean
on_stop_done (gpointer data)
{
  Run *self = data;

  g_thread_join (g_steal_pointer (&self->worker));
  for (guint i = 0; self->missing != NULL && i < self->missing->len; i++)
    run_verdict_add (self->verdict, RUN_EXIT_FAILED, g_strdup (self->missing->pdata[i]));
  run_conclude (self);
  return G_SOURCE_REMOVE;
}

static gpointer
stop_worker (gpointer data)
{
  Run *self = data;

  acq_graph_stop (self->graph, STOP_TIMEOUT_S);
  g_idle_add (on_stop_done, self);
  return NULL;
}

static void
stop (Run *self)
{
  g_autoptr (AcqSnapshot) snapshot = NULL;

  if (self->phase != RUN_RECORDING)
    return;
  snapshot = acq_graph_snapshot (self->graph);
  self->missing = run_verdict_list_missing (self->graph, snapshot);
  self->elapsed_s = run_elapsed (self);
  self->phase = RUN_STOPPING;
  self->worker = g_thread_new ("acq-stop", stop_worker, self);
}

/* Recording */

static gboolean
on_poll (gpointer data)
{
  Run *self = data;

  run_pop_events (self);
  if (self->phase != RUN_RECORDING)
    return G_SOURCE_CONTINUE;
  switch (acq_graph_check (self->graph)) {
  case ACQ_GRAPH_GOES_ON:
  case ACQ_GRAPH_SINK_FAILED:
    break;
  case ACQ_GRAPH_FINISHED:
    set_end (self, "finished", "every source came to its end");
    stop (self);
    break;
  case ACQ_GRAPH_NO_SOURCE:
    set_end (self, "no_source", "no source is left");
    run_verdict_add (self->verdict, RUN_EXIT_FAILED, g_strdup ("no source is left"));
    stop (self);
    break;
  case ACQ_GRAPH_NO_SINK:
    set_end (self, "no_sink", "no sink is left");
    run_verdict_add (self->verdict, RUN_EXIT_FAILED, g_strdup ("no sink is left"));
    stop (self);
    break;
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
on_duration (gpointer data)
{
  Run *self = data;

  set_end (self, "duration", "the duration is over");
  stop (self);
  return G_SOURCE_CONTINUE;
}

static const char *
signal_name (int signal)
{
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

/* A picture with live counters beside the recording. */
static void
write_picture (Run *self)
{
  g_autoptr (AcqSnapshot) snapshot = acq_graph_snapshot (self->graph);
  g_autofree char *dot = acq_pipeline_to_dot (self->pipeline, snapshot);
  g_autofree char *name = NULL;
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;

  if (self->phase == RUN_OPENING)
    return;
  name = g_strconcat (acq_take_get_base (self->take), ".dot", NULL);
  path = g_build_filename (acq_take_get_directory (self->take), name, NULL);
  if (!g_file_set_contents (path, dot, -1, &error))
    g_printerr ("acq-run: %s\n", error->message);
}

static void
on_signal (int signal, gpointer data)
{
  Run *self = data;

  if (signal == SIGUSR1) {
    write_picture (self);
    return;
  }
  set_end (self, "interrupted", "interrupted by %s", signal_name (signal));
  if (self->phase == RUN_OPENING)
    g_cancellable_cancel (self->opening);
  else
    stop (self);
}

/* Opening */

static void
tell_started (Run *self)
{
  g_autoptr (AcqSnapshot) snapshot = acq_graph_snapshot (self->graph);
  RunStart start = {
    .pipeline = self->options->pipeline,
    .directory = acq_take_get_directory (self->take),
    .base = acq_take_get_base (self->take),
    .memory_bytes = acq_graph_get_memory_budget (self->graph),
    .snapshot = snapshot,
  };

  if (self->status->klass->started != NULL)
    self->status->klass->started (self->status, &start);
}

static void
not_started (Run *self, const char *why)
{
  set_end (self, "start_failed", "it could not start");
  run_verdict_add (self->verdict, RUN_EXIT_FAILED, g_strdup (why));
  /* An empty folder was removed again. */
  if (self->take != NULL && !g_file_test (acq_take_get_directory (self->take), G_FILE_TEST_IS_DIR))
    g_clear_pointer (&self->take, acq_take_unref);
  run_pop_events (self);
  run_conclude (self);
}

static gboolean
on_open_done (gpointer data)
{
  Run *self = data;

  g_thread_join (g_steal_pointer (&self->worker));
  if (self->open_error != NULL) {
    not_started (self, self->open_error->message);
    return G_SOURCE_REMOVE;
  }
  self->phase = RUN_RECORDING;
  self->started_us = g_get_monotonic_time ();
  tell_started (self);
  run_pop_events (self);
  on_watch (self);
  if (self->options->duration_ns > 0)
    add_timer (self, (guint) MIN (self->options->duration_ns / 1000000, G_MAXINT), on_duration);
  /* An interrupt came while the last device answered. */
  if (self->reason != NULL)
    stop (self);
  return G_SOURCE_REMOVE;
}

static gpointer
open_worker (gpointer data)
{
  Run *self = data;

  acq_graph_start (self->graph, self->opening, &self->open_error);
  g_idle_add (on_open_done, self);
  return NULL;
}

static gboolean
on_open (gpointer data)
{
  Run *self = data;
  const char *directory = acq_pipeline_get_recording (self->pipeline, "directory");
  const char *task = acq_pipeline_get_recording (self->pipeline, "task");
  g_autoptr (GError) error = NULL;

  if (self->status->klass->opening != NULL)
    self->status->klass->opening (self->status, self->options->pipeline);
  /* Before the start, so that everything from opening on belongs to it. */
  self->take = acq_graph_begin_take (self->graph, directory != NULL ? directory : DEFAULT_DIRECTORY,
                                     task, 0, &error);
  if (self->take == NULL)
    not_started (self, error->message);
  else
    self->worker = g_thread_new ("acq-open", open_worker, self);
  return G_SOURCE_REMOVE;
}

/* Life */

static void
on_chatter (const char *line, gpointer data)
{
  RunStatus *status = data;

  status->klass->print (status, line);
}

static void
run_clear (Run *self)
{
  for (guint i = 0; i < self->timers->len; i++)
    g_source_remove (g_array_index (self->timers, guint, i));
  g_array_unref (self->timers);
  g_clear_pointer (&self->take, acq_take_unref);
  g_clear_pointer (&self->missing, g_ptr_array_unref);
  g_clear_error (&self->open_error);
  g_object_unref (self->opening);
  g_free (self->message);
  run_status_free (self->status);
  run_rates_free (self->rates);
  run_watch_free (self->watch);
  run_events_free (self->events);
  run_verdict_free (self->verdict);
  g_main_loop_unref (self->loop);
}

static gboolean
has_stuck_node (AcqGraph *graph)
{
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (graph);

  for (guint i = 0; i < nodes->len; i++) {
    if (acq_node_get_state (nodes->pdata[i]) == ACQ_NODE_STUCK)
      return TRUE;
  }
  return FALSE;
}

int
run_pipeline (AcqPipeline *pipeline, const RunOptions *options, RunOutput *output,
              gboolean *ret_abandoned)
{
  Run self = {
    .pipeline = pipeline,
    .graph = acq_pipeline_get_graph (pipeline),
    .options = options,
    .output = output,
    .loop = g_main_loop_new (NULL, FALSE),
    .status = run_status_new (options->status, output),
    .rates = run_rates_new (),
    .watch = run_watch_new (pipeline),
    .events = run_events_new (),
    .verdict = run_verdict_new (),
    .opening = g_cancellable_new (),
    .timers = g_array_new (FALSE, FALSE, sizeof (guint)),
  };
  g_autoptr (RunChatter) chatter = NULL;
  int exit_code;

  if (self.status->klass->print != NULL && isatty (STDERR_FILENO))
    chatter = run_chatter_new (on_chatter, self.status);
  run_signals_watch (on_signal, &self);
  add_timer (&self, POLL_MS, on_poll);
  add_timer (&self, WATCH_MS, on_watch);
  add_timer (&self, self.status->klass->interval_ms, on_update);
  g_idle_add (on_open, &self);
  g_main_loop_run (self.loop);
  run_signals_unwatch ();
  g_clear_pointer (&chatter, run_chatter_free);
  exit_code = self.verdict->exit_code;
  *ret_abandoned = has_stuck_node (self.graph);
  run_clear (&self);
  return exit_code;
}
