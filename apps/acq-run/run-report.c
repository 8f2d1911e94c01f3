/* SPDX-License-Identifier: Apache-2.0 */
#include "run-report.h"

#include <acq/acq-json.h>
#include <acq/acq-take.h>

#include "run-status.h"

/* A device that fails all night must not fill the memory. */
#define MAX_ALERTS 256

struct _RunEvents {
  guint64 total;
  GHashTable *nodes; /* id → GHashTable of name → guint64 * */
  JsonArray *alerts;
};

RunEvents *
run_events_new (void)
{
  RunEvents *self = g_new0 (RunEvents, 1);

  self->nodes =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_hash_table_unref);
  self->alerts = json_array_new ();
  return self;
}

void
run_events_free (RunEvents *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->nodes);
  json_array_unref (self->alerts);
  g_free (self);
}

void
run_events_add (RunEvents *self, const AcqEvent *event, gint64 host_ns)
{
  GHashTable *names = g_hash_table_lookup (self->nodes, event->node);
  guint64 *n;

  if (names == NULL) {
    names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    g_hash_table_insert (self->nodes, g_strdup (event->node), names);
  }
  n = g_hash_table_lookup (names, event->name);
  if (n == NULL) {
    n = g_new0 (guint64, 1);
    g_hash_table_insert (names, g_strdup (event->name), n);
  }
  ++*n;
  self->total++;
  if (event->severity >= ACQ_EVENT_SEVERITY_WARNING &&
      json_array_get_length (self->alerts) < MAX_ALERTS) {
    JsonObject *alert = json_object_new ();

    run_report_add_event (alert, event, host_ns);
    json_array_add_object_element (self->alerts, alert);
  }
}

static const char *
kind_word (guint kind)
{
  static const char *const words[] = {
    [ACQ_EVENT_KIND_NOTICE] = "notice",       [ACQ_EVENT_KIND_GAP] = "gap",
    [ACQ_EVENT_KIND_LOST] = "lost",           [ACQ_EVENT_KIND_RECONNECTED] = "reconnected",
    [ACQ_EVENT_KIND_FAULT] = "fault",         [ACQ_EVENT_KIND_CLOCK] = "clock",
    [ACQ_EVENT_KIND_WALL_STEP] = "wall_step", [ACQ_EVENT_KIND_CONTROL] = "control",
    [ACQ_EVENT_KIND_ALERT] = "alert",         [ACQ_EVENT_KIND_TAKE] = "take",
  };

  return kind < G_N_ELEMENTS (words) && words[kind] != NULL ? words[kind] : "other";
}

static void
set_text (JsonObject *object, const char *name, const char *text)
{
  if (*text != '\0')
    json_object_set_string_member (object, name, text);
}

static void
set_number (JsonObject *object, const char *name, gint64 value)
{
  if (value != 0)
    json_object_set_int_member (object, name, value);
}

void
run_report_add_event (JsonObject *object, const AcqEvent *event, gint64 host_ns)
{
  json_object_set_int_member (object, "host_ns", host_ns);
  json_object_set_string_member (object, "kind", kind_word (event->kind));
  json_object_set_string_member (object, "severity", run_status_severity_word (event->severity));
  set_text (object, "node", event->node);
  set_text (object, "stream", event->stream);
  json_object_set_string_member (object, "name", event->name);
  json_object_set_string_member (object, "message", event->message);
  set_number (object, "from_ns", event->from_ns);
  set_number (object, "to_ns", event->to_ns);
  set_number (object, "count", (gint64) event->count);
  set_number (object, "code", event->code);
  if (*event->details != '\0') {
    JsonNode *details = json_from_string (event->details, NULL);

    if (details != NULL)
      json_object_set_member (object, "details", details);
    else
      json_object_set_string_member (object, "details", event->details);
  }
}

static int
compare_text (gconstpointer a, gconstpointer b, gpointer data)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

/* Sorted, so that two reports can be compared. */
static char **
sorted_keys (GHashTable *table)
{
  guint n;
  char **keys = (char **) g_hash_table_get_keys_as_array (table, &n);

  g_qsort_with_data (keys, (gint) n, sizeof *keys, compare_text, NULL);
  return keys;
}

static JsonObject *
events_object (const RunEvents *self)
{
  JsonObject *object = json_object_new ();
  JsonObject *counts = json_object_new ();
  g_autofree char **nodes = sorted_keys (self->nodes);

  for (char **node = nodes; *node != NULL; node++) {
    GHashTable *table = g_hash_table_lookup (self->nodes, *node);
    JsonObject *names = json_object_new ();
    g_autofree char **keys = sorted_keys (table);

    for (char **key = keys; *key != NULL; key++)
      json_object_set_int_member (names, *key,
                                  (gint64) * (guint64 *) g_hash_table_lookup (table, *key));
    json_object_set_object_member (counts, *node, names);
  }
  json_object_set_int_member (object, "total", (gint64) self->total);
  json_object_set_object_member (object, "counts", counts);
  json_object_set_array_member (object, "alerts", json_array_ref (self->alerts));
  return object;
}

static JsonArray *
text_array (const char *const *texts)
{
  JsonArray *array = json_array_new ();

  for (; *texts != NULL; texts++)
    json_array_add_string_element (array, *texts);
  return array;
}

static void
add_take (JsonObject *object, AcqTake *take)
{
  json_object_set_string_member (object, "directory", acq_take_get_directory (take));
  json_object_set_string_member (object, "base", acq_take_get_base (take));
  json_object_set_string_member (object, "task", acq_take_get_task (take));
  json_object_set_int_member (object, "start_host_ns", acq_take_get_start (take));
  if (acq_take_get_stop (take) != G_MAXINT64)
    json_object_set_int_member (object, "stop_host_ns", acq_take_get_stop (take));
}

void
run_report_add_ledger (JsonObject *object, const AcqSnapshot *snapshot)
{
  g_autoptr (JsonNode) ledger = acq_snapshot_to_json (snapshot);
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, json_node_get_object (ledger));
  while (json_object_iter_next_ordered (&iter, &name, &node))
    json_object_set_member (object, name, json_node_ref (node));
}

JsonNode *
run_report_to_json (const RunReport *self)
{
  JsonNode *node = json_node_alloc ();
  JsonObject *object = json_object_new ();
  JsonObject *verdict = json_object_new ();

  json_node_take_object (json_node_init (node, JSON_NODE_OBJECT), object);
  json_object_set_string_member (object, "event", "stopped");
  json_object_set_int_member (object, "exit", self->verdict->exit_code);
  json_object_set_string_member (object, "reason", self->reason);
  json_object_set_string_member (object, "message", self->message);
  json_object_set_string_member (object, "version", ACQ_VERSION);
  json_object_set_string_member (object, "pipeline", self->pipeline);
  if (self->take != NULL)
    add_take (object, self->take);
  else
    json_object_set_null_member (object, "directory");
  json_object_set_array_member (object, "files", text_array ((const char *const *) self->files));
  json_object_set_string_member (verdict, "result", run_verdict_word (self->verdict));
  json_object_set_array_member (verdict, "reasons",
                                text_array ((const char *const *) self->verdict->reasons->pdata));
  json_object_set_object_member (object, "verdict", verdict);
  json_object_set_object_member (object, "events", events_object (self->events));
  run_report_add_ledger (object, self->snapshot);
  return node;
}

gboolean
run_report_save (JsonNode *report, const char *path, GError **error)
{
  g_autofree char *json = acq_json_print (report, TRUE);
  g_autofree char *text = g_strconcat (json, "\n", NULL);
  gboolean special =
      g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR);

  /* A pipe or a device is written to; a file is replaced when it is whole. */
  return g_file_set_contents_full (
      path, text, -1, special ? G_FILE_SET_CONTENTS_NONE : G_FILE_SET_CONTENTS_CONSISTENT, 0666,
      error);
}
