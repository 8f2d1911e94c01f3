/* SPDX-License-Identifier: Apache-2.0 */
#include "run-verdict.h"

#include <string.h>

RunVerdict *
run_verdict_new (void)
{
  RunVerdict *self = g_new0 (RunVerdict, 1);

  self->reasons = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->reasons, NULL);
  return self;
}

void
run_verdict_free (RunVerdict *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->reasons);
  g_free (self);
}

static int
rank (int exit_code)
{
  static const int order[] = { RUN_EXIT_OK, RUN_EXIT_LOSS, RUN_EXIT_FAILED };

  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    if (order[i] == exit_code)
      return (int) i;
  }
  g_return_val_if_reached (0);
}

void
run_verdict_add (RunVerdict *self, int exit_code, char *reason)
{
  if (rank (exit_code) > rank (self->exit_code))
    self->exit_code = exit_code;
  for (guint i = 0; i + 1 < self->reasons->len; i++) {
    if (g_str_equal (self->reasons->pdata[i], reason)) {
      g_free (reason);
      return;
    }
  }
  g_ptr_array_insert (self->reasons, (gint) self->reasons->len - 1, reason);
}

const char *
run_verdict_word (const RunVerdict *self)
{
  return self->exit_code == RUN_EXIT_OK ? "pass" : "fail";
}

GPtrArray *
run_verdict_list_missing (AcqGraph *graph, const AcqSnapshot *snapshot)
{
  GPtrArray *missing = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < snapshot->nodes->len; i++) {
    const AcqNodeSnapshot *node = snapshot->nodes->pdata[i];

    if (!g_str_equal (node->kind, "source") || !acq_graph_is_required (graph, node->id))
      continue;
    if (node->state == ACQ_NODE_LOST || (node->state == ACQ_NODE_OPENING && node->problem != NULL))
      g_ptr_array_add (missing, g_strdup_printf ("%s was lost at the end: %s", node->id,
                                                 node->problem != NULL ? node->problem : "?"));
  }
  return missing;
}

static void
judge_nodes (RunVerdict *self, AcqGraph *graph, const AcqSnapshot *snapshot)
{
  for (guint i = 0; i < snapshot->nodes->len; i++) {
    const AcqNodeSnapshot *node = snapshot->nodes->pdata[i];

    if (node->state != ACQ_NODE_STUCK && node->state != ACQ_NODE_FAILED)
      continue;
    if (g_str_equal (node->kind, "source") && !acq_graph_is_required (graph, node->id))
      continue;
    run_verdict_add (self, RUN_EXIT_FAILED,
                     g_strdup_printf ("%s %s %s: %s", node->kind, node->id,
                                      node->state == ACQ_NODE_STUCK ? "is stuck" : "failed",
                                      node->problem != NULL ? node->problem : "unknown reason"));
  }
}

static void
judge_expectations (RunVerdict *self, AcqPipeline *pipeline, const AcqSnapshot *snapshot)
{
  g_autoptr (GPtrArray) list = acq_pipeline_evaluate (pipeline, snapshot, TRUE);

  for (guint i = 0; i < list->len; i++) {
    const AcqExpectation *expectation = list->pdata[i];

    /* Loss is judged as a whole, with its causes. */
    if (!expectation->met && strcmp (expectation->what, "max-loss") != 0)
      run_verdict_add (self, RUN_EXIT_LOSS,
                       g_strdup_printf ("%s: %s: %s", expectation->stream, expectation->what,
                                        expectation->message));
  }
}

void
run_verdict_judge (RunVerdict *self, AcqPipeline *pipeline, const AcqSnapshot *snapshot,
                   gboolean strict)
{
  g_autofree char *unbalanced = acq_snapshot_balance (snapshot);
  g_autoptr (GPtrArray) losses = NULL;

  judge_nodes (self, acq_pipeline_get_graph (pipeline), snapshot);
  if (!acq_pipeline_loss_allowed (pipeline, snapshot, strict, &losses)) {
    for (guint i = 0; i < losses->len; i++)
      run_verdict_add (self, RUN_EXIT_LOSS, g_strdup (losses->pdata[i]));
  }
  judge_expectations (self, pipeline, snapshot);
  if (unbalanced != NULL)
    run_verdict_add (self, RUN_EXIT_FAILED,
                     g_strdup_printf ("the ledger does not balance: %s", unbalanced));
}
