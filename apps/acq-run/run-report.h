/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <json-glib/json-glib.h>

#include <acq/acq-snapshot.h>

#include "run-verdict.h"

/**
 * RunEvents:
 *
 * What happened, counted by node and name; the alerts word by word, as far as
 * they fit.
 */
typedef struct _RunEvents RunEvents;

RunEvents *run_events_new (void);
void run_events_free (RunEvents *self);
void run_events_add (RunEvents *self, const AcqEvent *event, gint64 host_ns);

/**
 * run_report_add_ledger:
 * @object: gets `ports`, `nodes` and `streams`
 * @snapshot: the ledger
 */
void run_report_add_ledger (JsonObject *object, const AcqSnapshot *snapshot);

/** run_report_add_event: its members, as `alert` lines and reports have them */
void run_report_add_event (JsonObject *object, const AcqEvent *event, gint64 host_ns);

/**
 * RunReport:
 * @pipeline: the file
 * @reason: why it ended, a word
 * @message: why it ended, for people
 * @verdict: exit code and reasons
 * @events: what happened
 * @take: (nullable): the recording
 * @files: %NULL-terminated absolute paths
 * @snapshot: the final ledger
 */
typedef struct {
  const char *pipeline;
  const char *reason;
  const char *message;
  const RunVerdict *verdict;
  const RunEvents *events;
  AcqTake *take;
  char **files;
  const AcqSnapshot *snapshot;
} RunReport;

/** run_report_to_json: Returns: (transfer full): the object of `stopped` and `--report` */
JsonNode *run_report_to_json (const RunReport *self);

/** run_report_save: replaces @path as a whole */
gboolean run_report_save (JsonNode *report, const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RunEvents, run_events_free)
