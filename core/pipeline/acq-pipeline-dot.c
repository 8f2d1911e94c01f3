/* SPDX-License-Identifier: Apache-2.0 */
/* The graph as a picture, for Graphviz; with what flowed where a ledger is given. */
#include <string.h>

#include "pipeline/acq-pattern-private.h"
#include "pipeline/acq-pipeline-private.h"
#include "plugin/acq-option-private.h"

/* Shapes that tell the kinds apart in black and white too. */
static const char *const shapes[ACQ_N_SECTIONS] = { "ellipse", "box", "cylinder" };

static void
append_text (GString *dot, const char *text)
{
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == '"' || *p == '\\')
      g_string_append_c (dot, '\\');
    g_string_append_c (dot, *p);
  }
}

static const AcqNodeSnapshot *
find_snapshot (const AcqSnapshot *snapshot, const char *id)
{
  for (guint i = 0; snapshot != NULL && i < snapshot->nodes->len; i++) {
    const AcqNodeSnapshot *node = snapshot->nodes->pdata[i];

    if (strcmp (node->id, id) == 0)
      return node;
  }
  return NULL;
}

static void
append_node (GString *dot, const AcqPlannedNode *node, const AcqSnapshot *snapshot)
{
  const AcqNodeSnapshot *now = find_snapshot (snapshot, node->id);

  g_string_append_printf (dot, "  \"%s\" [shape=%s, label=\"", node->id, shapes[node->section]);
  if (node->node != NULL && strcmp (acq_node_get_label (node->node), node->id) != 0) {
    append_text (dot, acq_node_get_label (node->node));
    g_string_append (dot, "\\n");
  }
  g_string_append_printf (dot, "%s\\n%s", node->id,
                          node->plugin != NULL ? node->plugin->name : "engine");
  if (now != NULL)
    g_string_append_printf (dot, "\\n%s", acq_node_state_to_string (now->state));
  if (now != NULL && now->problem != NULL) {
    g_string_append (dot, ": ");
    append_text (dot, now->problem);
  }
  g_string_append (dot, now != NULL && now->problem != NULL ? "\", color=red];\n" : "\"];\n");
}

static const AcqStreamSnapshot *
find_stream (const AcqSnapshot *snapshot, const char *node, const char *stream)
{
  g_autofree char *path = g_strconcat (node, ".", stream, NULL);

  for (guint i = 0; snapshot != NULL && i < snapshot->streams->len; i++)
    if (strcmp (((AcqStreamSnapshot *) snapshot->streams->pdata[i])->path, path) == 0)
      return snapshot->streams->pdata[i];
  return NULL;
}

/* What came through one link; returns how much did not. */
static guint64
append_counters (GString *dot, const AcqStreamSnapshot *stream, const char *consumer)
{
  guint64 gone = 0;

  for (guint i = 0; i < stream->links->len; i++) {
    const AcqLinkSnapshot *link = &g_array_index (stream->links, AcqLinkSnapshot, i);

    if (strcmp (link->sink, consumer) != 0)
      continue;
    for (int c = 0; c < ACQ_DROP_N_CAUSES; c++)
      gone += link->counters.dropped[c];
    for (int c = 0; c < ACQ_FAIL_N_CAUSES; c++)
      gone += link->counters.failed[c];
    g_string_append_printf (dot, " %.4g Hz, %" G_GUINT64_FORMAT " through", stream->rate_hz,
                            link->counters.written);
  }
  if (gone > 0)
    g_string_append_printf (dot, ", %" G_GUINT64_FORMAT " dropped", gone);
  return gone;
}

/* One arrow for two nodes, whatever the number of streams. */
static void
append_edges (GString *dot, AcqPipeline *self, const AcqPlannedNode *node,
              const AcqSnapshot *snapshot)
{
  guint64 gone = 0;
  guint last = G_MAXUINT;

  for (guint i = 0; i < node->edges->len; i++) {
    const AcqPlannedEdge *edge = &g_array_index (node->edges, AcqPlannedEdge, i);
    const AcqPlannedNode *from = self->nodes->pdata[edge->node];
    const char *name = g_array_index (from->streams, AcqPlannedStream, edge->stream).name;
    const AcqStreamSnapshot *now = find_stream (snapshot, from->id, name);

    if (edge->node != last) {
      if (last != G_MAXUINT)
        g_string_append (dot, gone > 0 ? "\", color=red];\n" : "\"];\n");
      g_string_append_printf (dot, "  \"%s\" -> \"%s\" [label=\"", from->id, node->id);
      gone = 0;
    } else {
      g_string_append (dot, "\\n");
    }
    last = edge->node;
    g_string_append (dot, name);
    if (now != NULL)
      gone += append_counters (dot, now, node->id);
  }
  if (last != G_MAXUINT)
    g_string_append (dot, gone > 0 ? "\", color=red];\n" : "\"];\n");
}

static gboolean
is_shown (AcqPipeline *self, guint index)
{
  const AcqPlannedNode *node = self->nodes->pdata[index];

  /* The engine's own node, only where somebody takes from it by name. */
  if (strcmp (node->id, "acq") != 0)
    return node->enabled;
  for (guint i = 0; i < self->nodes->len; i++) {
    const GArray *edges = ((AcqPlannedNode *) self->nodes->pdata[i])->edges;

    for (guint j = 0; j < edges->len; j++)
      if (g_array_index (edges, AcqPlannedEdge, j).node == index)
        return TRUE;
  }
  return FALSE;
}

char *
acq_pipeline_to_dot (AcqPipeline *self, const AcqSnapshot *snapshot)
{
  GString *dot = g_string_new ("digraph acq {\n"
                               "  rankdir=LR;\n"
                               "  node [fontname=\"sans-serif\"];\n"
                               "  edge [fontname=\"sans-serif\", fontsize=10];\n");

  for (guint i = 0; i < self->nodes->len; i++)
    if (is_shown (self, i))
      append_node (dot, self->nodes->pdata[i], snapshot);
  for (guint i = 0; i < self->nodes->len; i++)
    if (is_shown (self, i))
      append_edges (dot, self, self->nodes->pdata[i], snapshot);
  g_string_append (dot, "}\n");
  return g_string_free (dot, FALSE);
}
