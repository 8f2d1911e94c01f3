/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <json-glib/json-glib.h>

#include "run-options.h"
#include "run-output.h"
#include "run-view.h"

/**
 * RunStart:
 * @pipeline: the file
 * @directory: absolute, of the take
 * @base: base name of its files
 * @memory_bytes: what frames may take together
 * @snapshot: the ledger at the start
 */
typedef struct {
  const char *pipeline;
  const char *directory;
  const char *base;
  guint64 memory_bytes;
  const AcqSnapshot *snapshot;
} RunStart;

/**
 * RunEnd:
 * @exit_code: of the process
 * @reason: why it ended, a word
 * @message: why it ended, for people
 * @reasons: %NULL-terminated: what is wrong with it; empty when nothing is
 * @directory: (nullable): of the take
 * @files: %NULL-terminated absolute paths
 * @view: the last look
 * @report: the object of `stopped` and `--report`
 */
typedef struct {
  int exit_code;
  const char *reason;
  const char *message;
  const char *const *reasons;
  const char *directory;
  char **files;
  const RunView *view;
  JsonNode *report;
} RunEnd;

typedef struct _RunStatus RunStatus;

/**
 * RunStatusClass:
 * @interval_ms: how often update() wants to be called
 * @opening: (nullable): devices are being opened
 * @started: (nullable): frames flow
 * @update: (nullable): a look
 * @event: (nullable): something happened
 * @print: (nullable): a line that a library printed; from any thread. With it, standard error is
 *   taken from the libraries
 * @stopped: (nullable): all is over
 * @free: frees it
 *
 * A way to show a run. Main thread, unless told.
 */
typedef struct {
  guint interval_ms;
  void (*opening) (RunStatus *self, const char *pipeline);
  void (*started) (RunStatus *self, const RunStart *start);
  void (*update) (RunStatus *self, const RunView *view);
  void (*event) (RunStatus *self, const AcqEvent *event, gint64 host_ns);
  void (*print) (RunStatus *self, const char *line);
  void (*stopped) (RunStatus *self, const RunEnd *end);
  void (*free) (RunStatus *self);
} RunStatusClass;

struct _RunStatus {
  const RunStatusClass *klass;
  RunOutput *output;
};

RunStatus *run_status_tty_new (RunOutput *output);
RunStatus *run_status_plain_new (RunOutput *output);
RunStatus *run_status_jsonl_new (RunOutput *output);
RunStatus *run_status_none_new (RunOutput *output);

/** run_status_new: by what `--status` says */
RunStatus *run_status_new (RunStatusKind kind, RunOutput *output);
void run_status_free (RunStatus *self);

/** run_status_end_text: Returns: (transfer full): lines for people: files, and what is wrong */
char *run_status_end_text (const RunEnd *end);

/**
 * RunGaps:
 *
 * Which streams had a gap. A device with a weak link makes many short ones: people
 * are told of the first of a stream and of long ones; the table counts them all.
 */
typedef struct _GHashTable RunGaps;

RunGaps *run_gaps_new (void);

/**
 * run_status_event_text:
 * @gaps: what was told before
 * @event: what happened
 *
 * Returns: (transfer full) (nullable): `warning: message`; %NULL when it is not worth a line
 */
char *run_status_event_text (RunGaps *gaps, const AcqEvent *event);
/** run_status_severity_word: `info`, `warning`, `error` */
const char *run_status_severity_word (guint severity);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RunStatus, run_status_free)
