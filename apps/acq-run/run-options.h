/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* The command line of acq-run. */

typedef enum {
  RUN_STATUS_AUTO,
  RUN_STATUS_TTY,
  RUN_STATUS_PLAIN,
  RUN_STATUS_JSONL,
  RUN_STATUS_NONE,
} RunStatusKind;

/**
 * RunOptions:
 * @pipeline: the file to run
 * @overrides: %NULL-terminated `path=value`: `--set` in order, then `--task` and `--output`
 * @plugin_path: (nullable): directories separated by colons
 * @report: (nullable): where the report goes; `-` is standard output
 * @duration_ns: 0 is without end
 * @status: how progress is shown
 * @check: validate only
 * @dot: print the picture only
 * @strict: any loss counts
 * @version: print the version only
 */
typedef struct {
  char *pipeline;
  char **overrides;
  char *plugin_path;
  char *report;
  gint64 duration_ns;
  RunStatusKind status;
  gboolean check;
  gboolean dot;
  gboolean strict;
  gboolean version;
} RunOptions;

/**
 * run_options_parse:
 * @self: zeroed
 * @argc: (inout): as main() has it
 * @argv: (inout): as main() has it
 * @error: what was found and what is allowed
 *
 * `--help` prints and ends the process, as GOption does.
 */
gboolean run_options_parse (RunOptions *self, int *argc, char ***argv, GError **error);

/** run_options_clear: frees what is in it */
void run_options_clear (RunOptions *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RunOptions, run_options_clear)
