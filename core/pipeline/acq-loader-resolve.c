/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who takes what. The outputs of a transform follow from its inputs, which may
 * be outputs of others, and globs may or may not reach those: so all are derived
 * again and again until nothing changes. What then still goes round is a cycle.
 */
#include <string.h>

#include "pipeline/acq-loader-private.h"
#include "pipeline/acq-pattern-private.h"

/* Only a cycle, whose names grow from round to round, comes here. */
#define MAX_STREAMS 4096

enum { MARK_NEW, MARK_ENTERED, MARK_DONE };

/* Goes to the place of an input, or of a node, so that a report names it. */
static gsize
enter_input (AcqLoader *self, const AcqPlannedInput *input)
{
  g_string_assign (self->path, input->path);
  return 0;
}

static gsize
enter_node (AcqLoader *self, const AcqPlannedNode *node)
{
  gsize up = acq_loader_enter (self, acq_section_names[node->section]);

  acq_loader_enter (self, node->id);
  return up;
}

static AcqPlannedNode *
node_at (AcqLoader *self, guint i)
{
  return self->pipeline->nodes->pdata[i];
}

static gboolean
is_active_transform (const AcqPlannedNode *node)
{
  return node->section == ACQ_SECTION_TRANSFORMS && node->enabled;
}

/* Whether something of a node may be taken; @ret_literal: because it is named, not by a glob. */
static gboolean
may_take (const AcqPlannedNode *consumer, const AcqPlannedNode *from, gboolean *ret_literal)
{
  guint input;

  if (!from->enabled || from->section == ACQ_SECTION_SINKS ||
      !acq_planned_node_takes (consumer, from, NULL, &input))
    return FALSE;
  *ret_literal = FALSE;
  if (input != G_MAXUINT) {
    g_autofree char *glob =
        acq_pattern_dup_node (g_array_index (consumer->inputs, AcqPlannedInput, input).pattern);

    *ret_literal = acq_glob_is_literal (glob);
  }
  return TRUE;
}

/* What takes from something unknown is unknown itself. */
static void
spread_openness (AcqLoader *self)
{
  guint n = self->pipeline->nodes->len;
  gboolean changed;

  do {
    changed = FALSE;
    for (guint i = 0; i < n; i++) {
      AcqPlannedNode *node = node_at (self, i);

      for (guint j = 0; node->section != ACQ_SECTION_SOURCES && !node->is_open && j < n; j++) {
        gboolean literal;

        if (j != i && node_at (self, j)->is_open && may_take (node, node_at (self, j), &literal))
          node->is_open = changed = TRUE;
      }
    }
  } while (changed);
}

static void
find_edges (AcqLoader *self, AcqPlannedNode *node)
{
  g_array_set_size (node->edges, 0);
  for (guint i = 0; i < self->pipeline->nodes->len; i++) {
    const AcqPlannedNode *from = node_at (self, i);

    if (from == node || from->section == ACQ_SECTION_SINKS || !from->enabled)
      continue;
    for (guint j = 0; j < from->streams->len; j++) {
      const AcqPlannedStream *stream = &g_array_index (from->streams, AcqPlannedStream, j);
      AcqPlannedEdge edge = { i, j, 0 };

      if (stream->chosen && acq_planned_node_takes (node, from, stream->name, &edge.input))
        g_array_append_val (node->edges, edge);
    }
  }
}

/* The streams that come out, as the inputs are known now: AcqPlannedStream. */
static GArray *
derive (AcqLoader *self, AcqPlannedNode *node, GError **error)
{
  AcqTransformClass *klass = ACQ_TRANSFORM_GET_CLASS (node->node);
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (AcqInputInfo));
  g_autoptr (GArray) derived = g_array_new (FALSE, TRUE, sizeof (AcqDerivedStream));
  GArray *streams = acq_planned_streams_new ();
  gboolean ok = TRUE;

  for (guint i = 0; i < node->edges->len; i++) {
    const AcqPlannedEdge *edge = &g_array_index (node->edges, AcqPlannedEdge, i);
    const AcqPlannedNode *from = node_at (self, edge->node);
    const AcqPlannedStream *stream = &g_array_index (from->streams, AcqPlannedStream, edge->stream);
    AcqInputInfo info = { from->id, stream->name, stream->schema };

    g_array_append_val (inputs, info);
  }
  if (inputs->len > 0 && klass->derive != NULL)
    ok = klass->derive (ACQ_TRANSFORM (node->node), (AcqInputInfo *) inputs->data, inputs->len,
                        derived, error);
  for (guint i = 0; i < derived->len; i++) {
    AcqDerivedStream *output = &g_array_index (derived, AcqDerivedStream, i);
    AcqPlannedStream stream = { output->name, output->schema, TRUE };

    g_array_append_val (streams, stream);
  }
  if (!ok)
    g_clear_pointer (&streams, g_array_unref);
  return streams;
}

static gboolean
are_equal (const GArray *a, const GArray *b)
{
  gboolean equal = a->len == b->len;

  for (guint i = 0; equal && i < a->len; i++)
    equal = strcmp (g_array_index (a, AcqPlannedStream, i).name,
                    g_array_index (b, AcqPlannedStream, i).name) == 0;
  return equal;
}

static void
derive_all (AcqLoader *self)
{
  guint n = self->pipeline->nodes->len;
  gboolean changed = TRUE;

  for (guint round = 0; changed && round <= n; round++) {
    guint n_streams = 0;

    changed = FALSE;
    for (guint i = 0; i < n && n_streams < MAX_STREAMS; i++) {
      AcqPlannedNode *node = node_at (self, i);

      if (!is_active_transform (node) || node->is_open)
        continue;
      find_edges (self, node);
      GArray *streams = derive (self, node, NULL);
      if (streams == NULL)
        streams = acq_planned_streams_new ();
      changed |= !are_equal (streams, node->streams);
      n_streams += streams->len;
      g_array_unref (node->streams);
      node->streams = streams;
    }
    if (n_streams >= MAX_STREAMS)
      return;
  }
}

static gboolean
depends_on (AcqLoader *self, const AcqPlannedNode *node, guint from)
{
  gboolean literal = FALSE;

  if (!is_active_transform (node_at (self, from)))
    return FALSE;
  if (may_take (node, node_at (self, from), &literal) && literal)
    return TRUE;
  for (guint i = 0; i < node->edges->len; i++)
    if (g_array_index (node->edges, AcqPlannedEdge, i).node == from)
      return TRUE;
  return FALSE;
}

static void
report_cycle (AcqLoader *self, GPtrArray *trail, AcqPlannedNode *again)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint first = 0;

  while (trail->pdata[first] != again)
    first++;
  for (guint i = first; i < trail->len; i++) {
    AcqPlannedNode *node = trail->pdata[i];

    node->is_clean = FALSE;
    node->is_open = TRUE;
    g_string_append_printf (text, "%s takes from ", node->id);
  }
  gsize up = enter_node (self, again);
  acq_loader_report_key (self, again->json, "a cycle: %s%s", text->str, again->id);
  acq_loader_leave (self, up);
}

static void
find_cycles (AcqLoader *self, AcqPlannedNode *node, GPtrArray *trail)
{
  node->mark = MARK_ENTERED;
  g_ptr_array_add (trail, node);
  for (guint i = 0; i < self->pipeline->nodes->len; i++) {
    AcqPlannedNode *from = node_at (self, i);

    if (from->mark == MARK_DONE || !depends_on (self, node, i))
      continue;
    if (from->mark == MARK_ENTERED)
      report_cycle (self, trail, from);
    else
      find_cycles (self, from, trail);
  }
  node->mark = MARK_DONE;
  g_ptr_array_remove_index (trail, trail->len - 1);
}

/* What cannot come out of it. Inputs that are known already may be wrong among unknown ones. */
static void
check_derived (AcqLoader *self, AcqPlannedNode *node)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) streams = NULL;

  find_edges (self, node);
  streams = derive (self, node, &error);
  gsize up = enter_node (self, node);

  if (streams == NULL) {
    node->is_open = TRUE;
    acq_loader_report_key (self, node->json, "%s cannot take these inputs: %s", node->plugin->name,
                           error->message);
  }
  for (guint i = 1; streams != NULL && i < streams->len; i++) {
    const char *name = g_array_index (streams, AcqPlannedStream, i).name;
    gboolean again = FALSE;

    for (guint j = 0; j < i && !again; j++)
      again = strcmp (g_array_index (streams, AcqPlannedStream, j).name, name) == 0;
    if (again)
      acq_loader_report_key (self, node->json,
                             "two of its inputs would both become the stream \"%s\"", name);
  }
  acq_loader_leave (self, up);
}

static void
check_inputs (AcqLoader *self, AcqPlannedNode *node)
{
  for (guint i = 0; i < node->inputs->len; i++) {
    const AcqPlannedInput *input = &g_array_index (node->inputs, AcqPlannedInput, i);
    gsize up = enter_input (self, input);

    if (!acq_loader_check_pattern (self, input->pattern, input->json))
      node->is_clean = FALSE;
    acq_loader_leave (self, up);
  }
  if (!node->enabled || !node->is_clean || node->is_open || node->edges->len > 0)
    return;
  gsize up = enter_node (self, node);
  if (!node->has_inputs)
    acq_loader_report_key (self, node->json, "it takes nothing: there is no stream to take");
  else if (node->inputs->len == 0)
    acq_loader_report_key (
        self, node->json, "it takes nothing: its list of inputs is empty%s",
        node->section == ACQ_SECTION_SINKS ? "; without the key a sink takes everything" : "");
  else
    acq_loader_report_key (self, node->json,
                           "it takes nothing: what its inputs name is off or left out again; write "
                           "\"enabled\": false to turn it off too");
  acq_loader_leave (self, up);
}

/* A source that cannot wait, behind a queue that would make it. */
static const AcqPlannedNode *
find_impatient (AcqLoader *self, AcqPlannedNode *from)
{
  if (from->section == ACQ_SECTION_SOURCES)
    return from->plugin != NULL && from->plugin->can_wait ? NULL : from;
  if (from->knows_impatient)
    return from->impatient;
  from->knows_impatient = TRUE;
  for (guint i = 0; i < from->edges->len && from->impatient == NULL; i++) {
    guint node = g_array_index (from->edges, AcqPlannedEdge, i).node;

    from->impatient = find_impatient (self, node_at (self, node));
  }
  return from->impatient;
}

static void
check_waiting (AcqLoader *self, AcqPlannedNode *node)
{
  for (guint i = 0; node->is_clean && i < node->edges->len; i++) {
    const AcqPlannedEdge *edge = &g_array_index (node->edges, AcqPlannedEdge, i);
    const AcqPlannedInput *input = edge->input != G_MAXUINT
                                       ? &g_array_index (node->inputs, AcqPlannedInput, edge->input)
                                       : NULL;
    const AcqQueueConfig *queue = input != NULL ? &input->queue : &node->queue;
    const AcqPlannedNode *source = NULL;

    if (queue->when_full == ACQ_WHEN_FULL_WAIT)
      source = find_impatient (self, node_at (self, edge->node));
    if (source == NULL)
      continue;
    gsize up = input != NULL ? enter_input (self, input) : enter_node (self, node);
    acq_loader_report_key (self, input != NULL ? input->json : node->json,
                           "a queue may \"wait\" only behind a source that can, such as a replay, "
                           "but %s cannot: write \"drop-oldest\" or \"drop-newest\"",
                           source->id);
    acq_loader_leave (self, up);
    return;
  }
}

void
acq_loader_resolve (AcqLoader *self)
{
  g_autoptr (GPtrArray) trail = g_ptr_array_new ();
  guint n = self->pipeline->nodes->len;

  for (guint i = 0; i < n; i++)
    if (node_at (self, i)->section != ACQ_SECTION_SOURCES)
      node_at (self, i)->is_open = !node_at (self, i)->is_clean;
  spread_openness (self);
  derive_all (self);
  for (guint i = 0; i < n; i++)
    if (is_active_transform (node_at (self, i)) && node_at (self, i)->mark == MARK_NEW)
      find_cycles (self, node_at (self, i), trail);
  spread_openness (self);
  for (guint i = 0; i < n; i++)
    if (is_active_transform (node_at (self, i)) && node_at (self, i)->is_clean)
      check_derived (self, node_at (self, i));
  spread_openness (self);
  for (guint i = 0; i < n; i++) {
    AcqPlannedNode *node = node_at (self, i);

    if (node->section == ACQ_SECTION_SINKS)
      find_edges (self, node);
    if (node->section != ACQ_SECTION_SOURCES)
      check_inputs (self, node);
  }
  for (guint i = 0; i < n; i++)
    if (node_at (self, i)->section != ACQ_SECTION_SOURCES)
      check_waiting (self, node_at (self, i));
}
