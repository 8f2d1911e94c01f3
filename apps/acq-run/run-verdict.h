/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-pipeline.h>

#define RUN_EXIT_OK 0
#define RUN_EXIT_FAILED 1
#define RUN_EXIT_USAGE 2
#define RUN_EXIT_LOSS 3

/**
 * RunVerdict:
 * @exit_code: of the process; the larger problem wins: 1, 3, 0
 * @reasons: (element-type utf8): everything that is wrong, each once; ended by %NULL
 *
 * What a run was worth.
 */
typedef struct {
  int exit_code;
  GPtrArray *reasons;
} RunVerdict;

RunVerdict *run_verdict_new (void);
void run_verdict_free (RunVerdict *self);

/** run_verdict_add: @reason: (transfer full): something is wrong */
void run_verdict_add (RunVerdict *self, int exit_code, char *reason);

/** run_verdict_word: `pass` or `fail` */
const char *run_verdict_word (const RunVerdict *self);

/**
 * run_verdict_list_missing:
 * @graph: running
 * @snapshot: the ledger just before the stop
 *
 * Returns: (transfer full) (element-type utf8): required sources that are not there, in words
 */
GPtrArray *run_verdict_list_missing (AcqGraph *graph, const AcqSnapshot *snapshot);

/**
 * run_verdict_judge:
 * @self: to be filled
 * @pipeline: what is expected
 * @snapshot: the final ledger
 * @strict: any loss counts
 */
void run_verdict_judge (RunVerdict *self, AcqPipeline *pipeline, const AcqSnapshot *snapshot,
                        gboolean strict);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RunVerdict, run_verdict_free)
