/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns against the streams that plugins say they have. */
#include <string.h>

#include "pipeline/acq-loader-private.h"
#include "pipeline/acq-pattern-private.h"

static GPtrArray *
list_streams (const AcqPlannedNode *node)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < node->streams->len; i++)
    g_ptr_array_add (names, g_array_index (node->streams, AcqPlannedStream, i).name);
  return names;
}

/* Every word that a node part could have been. */
static GPtrArray *
list_producers (AcqLoader *self)
{
  GPtrArray *ids = g_ptr_array_new ();

  for (guint i = 0; i < self->pipeline->nodes->len; i++) {
    const AcqPlannedNode *node = self->pipeline->nodes->pdata[i];

    if (node->section != ACQ_SECTION_SINKS && strcmp (node->id, "acq") != 0)
      g_ptr_array_add (ids, node->id);
  }
  return ids;
}

static void
report_no_node (AcqLoader *self, const char *pattern, JsonNode *at)
{
  g_autofree char *glob = acq_pattern_dup_node (pattern);
  const AcqPlannedNode *node = acq_pipeline_find_node (self->pipeline, glob);
  g_autoptr (GPtrArray) ids = list_producers (self);
  const char *const *words = (const char *const *) ids->pdata;
  g_autofree char *known = acq_words_to_text (words, ids->len);
  g_autofree char *hint = acq_did_you_mean (glob, words, ids->len);

  if (node != NULL && node->section == ACQ_SECTION_SINKS)
    acq_loader_report (self, at, "\"%s\" is a sink; it has no streams to take", glob);
  else if (!acq_glob_is_literal (glob))
    acq_loader_report (self, at, "\"%s\" matches no node; there is %s", glob, known);
  else if (*hint == '\0' && ids->len > 0)
    acq_loader_report (self, at, "there is no node \"%s\"; there is %s", glob, known);
  else
    acq_loader_report (self, at, "there is no node \"%s\"%s", glob, hint);
}

/* The nodes are right, the stream is not: @some is one of them. */
static void
report_no_stream (AcqLoader *self, const char *pattern, const AcqPlannedNode *some, guint n_nodes,
                  JsonNode *at)
{
  const char *glob = acq_pattern_stream (pattern);
  g_autoptr (GPtrArray) names = list_streams (some);
  const char *const *words = (const char *const *) names->pdata;
  g_autofree char *known = acq_words_to_text (words, names->len);
  g_autofree char *hint = acq_did_you_mean (glob, words, names->len);

  for (guint i = 0; i < some->streams->len; i++) {
    const AcqPlannedStream *stream = &g_array_index (some->streams, AcqPlannedStream, i);

    if (acq_glob_match (glob, stream->name)) {
      acq_loader_report (self, at,
                         "%s has the stream \"%s\", but does not record it: its option \"streams\" "
                         "must name it",
                         some->id, stream->name);
      return;
    }
  }
  if (names->len == 0)
    acq_loader_report (self, at, "%s has no streams", some->id);
  else if (!acq_glob_is_literal (glob) || n_nodes > 1)
    acq_loader_report (self, at, "\"%s\" matches no stream; %s has %s%s", pattern, some->id, known,
                       hint);
  else
    acq_loader_report (self, at, "%s has no stream \"%s\"; it has %s%s", some->id, glob, known,
                       hint);
}

gboolean
acq_loader_check_pattern (AcqLoader *self, const char *pattern, JsonNode *at)
{
  const char *glob = acq_pattern_stream (pattern);
  const AcqPlannedNode *some = NULL;
  guint n_nodes = 0;

  for (guint i = 0; i < self->pipeline->nodes->len; i++) {
    const AcqPlannedNode *node = self->pipeline->nodes->pdata[i];

    if (node->section == ACQ_SECTION_SINKS || !acq_pattern_match_node (pattern, node->id))
      continue;
    /* What is not known is given the benefit of the doubt; what is off may still be named. */
    if (node->is_open || (glob == NULL && (!node->enabled || node->streams->len == 0)) ||
        (!node->enabled && node->section == ACQ_SECTION_TRANSFORMS))
      return TRUE;
    n_nodes++;
    some = some != NULL ? some : node;
    for (guint j = 0; j < node->streams->len; j++) {
      const AcqPlannedStream *stream = &g_array_index (node->streams, AcqPlannedStream, j);

      if (stream->chosen && (glob == NULL || acq_glob_match (glob, stream->name)))
        return TRUE;
    }
  }
  if (n_nodes == 0)
    report_no_node (self, pattern, at);
  else if (glob != NULL)
    report_no_stream (self, pattern, some, n_nodes, at);
  else
    acq_loader_report (self, at, "%s records no stream: its option \"streams\" leaves none",
                       some->id);
  return FALSE;
}

gboolean
acq_planned_node_takes (const AcqPlannedNode *consumer, const AcqPlannedNode *from,
                        const char *stream, guint *ret_input)
{
  gboolean engine = strcmp (from->id, "acq") == 0;
  const GArray *inputs = consumer->inputs;
  gboolean taken =
      !engine && (!consumer->has_inputs ||
                  (inputs->len > 0 && g_array_index (inputs, AcqPlannedInput, 0).exclude));

  *ret_input = G_MAXUINT;
  for (guint i = 0; i < inputs->len; i++) {
    const AcqPlannedInput *input = &g_array_index (inputs, AcqPlannedInput, i);
    gboolean matches = stream != NULL   ? acq_pattern_match (input->pattern, from->id, stream)
                       : input->exclude ? acq_pattern_is_whole_node (input->pattern) &&
                                              acq_pattern_match_node (input->pattern, from->id)
                                        : acq_pattern_match_node (input->pattern, from->id);

    if (matches) {
      taken = !input->exclude;
      *ret_input = i;
    }
  }
  return taken;
}
