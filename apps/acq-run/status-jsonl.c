/* SPDX-License-Identifier: Apache-2.0 */

/*
 * `--status jsonl`: one JSON object a line, for programs. `event` says which:
 * `started` once, `status` every second, `alert` for each event, `stopped` last.
 */

#include <acq/acq-json.h>

#include "run-report.h"
#include "run-status.h"

#define INTERVAL_MS 1000

/* A reader that does not keep up misses looks, never alerts or the end. */
#define MAX_BACKLOG 16

static JsonObject *
begin_line (JsonNode **ret_node)
{
  JsonObject *object = json_object_new ();

  *ret_node = json_node_init (json_node_alloc (), JSON_NODE_OBJECT);
  json_node_take_object (*ret_node, object);
  return object;
}

static void
write_line (RunStatus *self, JsonNode *node)
{
  g_autofree char *json = acq_json_print (node, FALSE);

  run_output_write (self->output, g_strconcat (json, "\n", NULL));
}

static void
set_integer (JsonObject *object, const char *name, guint64 value)
{
  json_object_set_int_member (object, name, (gint64) value);
}

static void
jsonl_started (RunStatus *self, const RunStart *start)
{
  g_autoptr (JsonNode) node = NULL;
  JsonObject *object = begin_line (&node);

  json_object_set_string_member (object, "event", "started");
  set_integer (object, "host_ns", start->snapshot->host_ns);
  json_object_set_string_member (object, "version", ACQ_VERSION);
  json_object_set_string_member (object, "pipeline", start->pipeline);
  json_object_set_string_member (object, "directory", start->directory);
  json_object_set_string_member (object, "base", start->base);
  set_integer (object, "memory_bytes", start->memory_bytes);
  run_report_add_ledger (object, start->snapshot);
  write_line (self, node);
}

static JsonObject *
sinks_object (const RunView *view)
{
  JsonObject *sinks = json_object_new ();

  for (guint i = 0; i < view->sinks->len; i++) {
    const RunSinkView *sink = &g_array_index (view->sinks, RunSinkView, i);
    JsonObject *object = json_object_new ();

    set_integer (object, "bytes", sink->bytes);
    json_object_set_double_member (object, "bytes_per_s", sink->bytes_per_s);
    if (sink->free_bytes > 0)
      set_integer (object, "free_bytes", sink->free_bytes);
    if (sink->seconds_left >= 0)
      json_object_set_double_member (object, "seconds_left", sink->seconds_left);
    if (sink->finishing >= 0)
      json_object_set_double_member (object, "finishing", sink->finishing);
    json_object_set_object_member (sinks, sink->node->id, object);
  }
  return sinks;
}

static void
jsonl_update (RunStatus *self, const RunView *view)
{
  g_autoptr (JsonNode) node = NULL;
  JsonObject *object;

  if (run_output_backlog (self->output) > MAX_BACKLOG)
    return;
  object = begin_line (&node);
  json_object_set_string_member (object, "event", "status");
  set_integer (object, "host_ns", view->snapshot->host_ns);
  json_object_set_string_member (object, "state", run_view_phase_word (view->phase));
  json_object_set_double_member (object, "elapsed_s", view->elapsed_s);
  json_object_set_object_member (object, "sinks", sinks_object (view));
  run_report_add_ledger (object, view->snapshot);
  write_line (self, node);
}

static void
jsonl_event (RunStatus *self, const AcqEvent *event, gint64 host_ns)
{
  g_autoptr (JsonNode) node = NULL;
  JsonObject *object = begin_line (&node);

  json_object_set_string_member (object, "event", "alert");
  run_report_add_event (object, event, host_ns);
  write_line (self, node);
}

static void
jsonl_stopped (RunStatus *self, const RunEnd *end)
{
  write_line (self, end->report);
}

RunStatus *
run_status_jsonl_new (RunOutput *output)
{
  static const RunStatusClass klass = {
    .interval_ms = INTERVAL_MS,
    .started = jsonl_started,
    .update = jsonl_update,
    .event = jsonl_event,
    .stopped = jsonl_stopped,
    .free = (void (*) (RunStatus *)) g_free,
  };
  RunStatus *self = g_new0 (RunStatus, 1);

  self->klass = &klass;
  self->output = output;
  return self;
}
