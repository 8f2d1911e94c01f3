/* SPDX-License-Identifier: Apache-2.0 */
#include "run-watch.h"

#include <string.h>

#include "run-text.h"

/* Looks in a row that must agree: two before it is bad, five before it is good again. */
#define LOOKS_TO_FAIL 2
#define LOOKS_TO_RECOVER 5

/* The disk: warn below, and good again above. */
#define DISK_LOW_S 600.0
#define DISK_ENOUGH_S 900.0

/* The first seconds say little about the speed of writing. */
#define DISK_GRACE_S 5.0

typedef struct {
  gboolean failing; /* what was told last */
  guint contrary;   /* looks in a row that say otherwise */
} Watched;

struct _RunWatch {
  AcqPipeline *pipeline; /* (unowned) */
  GHashTable *watched;   /* what it is about → Watched */
};

RunWatch *
run_watch_new (AcqPipeline *pipeline)
{
  RunWatch *self = g_new0 (RunWatch, 1);

  self->pipeline = pipeline;
  self->watched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

void
run_watch_free (RunWatch *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->watched);
  g_free (self);
}

/* Returns TRUE when it is time to tell. @key: (transfer full) */
static gboolean
has_changed (RunWatch *self, char *key, gboolean failing)
{
  Watched *watched = g_hash_table_lookup (self->watched, key);

  if (watched == NULL) {
    watched = g_new0 (Watched, 1);
    g_hash_table_insert (self->watched, g_steal_pointer (&key), watched);
  }
  g_free (key);
  watched->contrary = failing != watched->failing ? watched->contrary + 1 : 0;
  if (watched->contrary < (failing ? LOOKS_TO_FAIL : LOOKS_TO_RECOVER))
    return FALSE;
  watched->failing = failing;
  watched->contrary = 0;
  return TRUE;
}

/* The node of a stream that may not exist yet. */
static AcqNode *
node_of (RunWatch *self, const char *path, const char **ret_stream)
{
  const char *dot = strchr (path, '.');
  g_autofree char *id = dot != NULL ? g_strndup (path, dot - path) : g_strdup (path);

  *ret_stream = dot != NULL ? dot + 1 : "";
  return acq_graph_get_node (acq_pipeline_get_graph (self->pipeline), id);
}

static void
tell_expectation (RunWatch *self, const AcqExpectation *expectation)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_ALERT, .severity = ACQ_EVENT_SEVERITY_WARNING };
  const char *stream;
  AcqNode *node = node_of (self, expectation->stream, &stream);

  if (node == NULL)
    return;
  if (expectation->met) {
    event.kind = ACQ_EVENT_KIND_NOTICE;
    event.severity = ACQ_EVENT_SEVERITY_INFO;
  }
  g_strlcpy (event.stream, stream, sizeof event.stream);
  g_snprintf (event.name, sizeof event.name, "%s_%s", expectation->what,
              expectation->met ? "recovered" : "not_met");
  g_strdelimit (event.name, "-", '_');
  g_snprintf (event.message, sizeof event.message, "%s: %s %s: %s", expectation->stream,
              expectation->what, expectation->met ? "is met again" : "is not met",
              expectation->message);
  acq_node_event (node, &event);
}

static void
look_at_expectations (RunWatch *self, const AcqSnapshot *snapshot)
{
  g_autoptr (GPtrArray) list = acq_pipeline_evaluate (self->pipeline, snapshot, FALSE);

  for (guint i = 0; i < list->len; i++) {
    const AcqExpectation *expectation = list->pdata[i];

    if (has_changed (
            self,
            g_strdup_printf ("%s %s %s", expectation->path, expectation->stream, expectation->what),
            !expectation->met))
      tell_expectation (self, expectation);
  }
}

static void
look_at_disk (RunWatch *self, const RunSinkView *sink)
{
  g_autofree char *key = g_strdup_printf ("disk %s", sink->node->id);
  Watched *watched = g_hash_table_lookup (self->watched, key);
  gboolean was_low = watched != NULL && watched->failing;
  gboolean low =
      sink->seconds_left >= 0 && sink->seconds_left < (was_low ? DISK_ENOUGH_S : DISK_LOW_S);
  g_autofree char *left = run_text_left (sink->seconds_left);
  g_autofree char *bytes = run_text_bytes (sink->free_bytes);

  if (!has_changed (self, g_steal_pointer (&key), low))
    return;
  if (low)
    acq_node_notice (sink->node->node, ACQ_EVENT_SEVERITY_WARNING, "disk_low",
                     "%s: its disk is full in about %s (%s are left); make room, or stop soon",
                     sink->node->id, left, bytes);
  else
    acq_node_notice (sink->node->node, ACQ_EVENT_SEVERITY_INFO, "disk_enough",
                     "%s: its disk has room again, %s", sink->node->id, bytes);
}

void
run_watch_look (RunWatch *self, const RunView *view)
{
  look_at_expectations (self, view->snapshot);
  for (guint i = 0; view->elapsed_s > DISK_GRACE_S && i < view->sinks->len; i++)
    look_at_disk (self, &g_array_index (view->sinks, RunSinkView, i));
}
