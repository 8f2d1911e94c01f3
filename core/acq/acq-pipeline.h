/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-graph.h>
#include <acq/acq-registry.h>
#include <acq/acq-snapshot.h>

/**
 * AcqPipeline:
 *
 * A pipeline file, read and checked; every mistake is found in one pass, before
 * any device is touched. Thread: main.
 */
#define ACQ_TYPE_PIPELINE (acq_pipeline_get_type ())
ACQ_API GType acq_pipeline_get_type (void);
G_DECLARE_FINAL_TYPE (AcqPipeline, acq_pipeline, ACQ, PIPELINE, GObject)

/**
 * acq_pipeline_load:
 * @registry: where plugins come from
 * @name: of the file, for messages
 * @text: its contents: JSON with comments
 * @overrides: (nullable): `path=value`, as `--set` takes them, for example
 * `sinks.mcap.chunk-size=4MiB`
 * @ret_problems: (out) (transfer full) (element-type utf8): every mistake, each as
 *   `file:line:column: /json/path: message`; empty on success
 *
 * Returns: (transfer full) (nullable): a pipeline; %NULL when there is any problem
 */
ACQ_API AcqPipeline *acq_pipeline_load (AcqRegistry *registry, const char *name, const char *text,
                                        const char *const *overrides, GPtrArray **ret_problems);

/** acq_pipeline_load_file: the same, from a file; a file that cannot be read is a problem too */
ACQ_API AcqPipeline *acq_pipeline_load_file (AcqRegistry *registry, const char *path,
                                             const char *const *overrides,
                                             GPtrArray **ret_problems);

/** acq_pipeline_get_graph: Returns: (transfer none): nodes made and connected, not started */
ACQ_API AcqGraph *acq_pipeline_get_graph (AcqPipeline *self);

/** acq_pipeline_get_recording: Returns: (nullable): `directory`, `task`, `instruction`, `operator`
 * … */
ACQ_API const char *acq_pipeline_get_recording (AcqPipeline *self, const char *key);

/** acq_pipeline_get_text: Returns: the effective file, overrides applied, as JSON */
ACQ_API const char *acq_pipeline_get_text (AcqPipeline *self);

/** acq_pipeline_to_dot: Returns: (transfer full): Graphviz text; with counters when @snapshot is
 * given */
ACQ_API char *acq_pipeline_to_dot (AcqPipeline *self, const AcqSnapshot *snapshot);

/**
 * AcqExpectation:
 * @path: the glob it was written for
 * @stream: the stream it was evaluated on
 * @what: `min-rate-hz`, `max-gap-ms`, `max-loss`, `required`
 * @met: whether it holds
 * @message: in words, with the measured and the allowed value
 */
typedef struct {
  char *path;
  char *stream;
  const char *what;
  gboolean met;
  char *message;
} AcqExpectation;

/**
 * acq_pipeline_evaluate:
 * @self: a pipeline
 * @snapshot: the ledger
 * @final: %TRUE at the end: whole-take figures; %FALSE while running: the sliding window, after
 *   the grace period
 *
 * Returns: (transfer full) (element-type AcqExpectation): one for each expectation and stream
 */
ACQ_API GPtrArray *acq_pipeline_evaluate (AcqPipeline *self, const AcqSnapshot *snapshot,
                                          gboolean final);

/**
 * acq_pipeline_loss_allowed:
 * @self: a pipeline
 * @snapshot: the final ledger
 * @strict: any loss at all counts
 * @ret_reasons: (out) (transfer full) (element-type utf8): what was lost beyond what is allowed
 *
 * Returns: %TRUE when nothing was
 */
ACQ_API gboolean acq_pipeline_loss_allowed (AcqPipeline *self, const AcqSnapshot *snapshot,
                                            gboolean strict, GPtrArray **ret_reasons);

/**
 * acq_pipeline_schema:
 * @registry: whose plugins are described
 *
 * Returns: (transfer full): the JSON Schema for pipeline files, for editors
 */
ACQ_API char *acq_pipeline_schema (AcqRegistry *registry);
