/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

/*
 * acq-run as a user runs it: a process, its exit code, its lines on standard
 * output, its report. Mistakes of the test end the test, and so does a process
 * that takes longer than its bound.
 */
typedef struct {
  GSubprocess *process;
  GDataInputStream *lines; /* standard output */
  char *folder;            /* temporary; holds the pipeline, the report and `out` */
  char *err;               /* standard error, once it ended */
  JsonNode *report;        /* (nullable): what --report wrote, once it ended */
  int exit_code;           /* -1: ended by a signal */
} RunProcess;

/**
 * RunSetup:
 * @pipeline: text of the file; `recording.directory` is set by `--output`
 * @args: (nullable): further arguments, separated by spaces
 * @ignore_sighup: as nohup does
 * @max_file_bytes: 0 is no limit
 * @null_reader: nobody reads standard output; otherwise it is a pipe
 */
typedef struct {
  const char *pipeline;
  const char *args;
  gboolean ignore_sighup;
  guint64 max_file_bytes;
  gboolean null_reader;
} RunSetup;

/** run_process_start: with `--plugin-path`, `--output` and `--report` */
RunProcess *run_process_start (const RunSetup *setup);

/** run_process_wait_line: reads lines until one is of @event. Returns: (transfer full): it */
JsonObject *run_process_wait_line (RunProcess *self, const char *event);

/** run_process_signal: sends it */
void run_process_signal (RunProcess *self, int signal);

/** run_process_finish: waits for the end; exit code, report and standard error are there then */
void run_process_finish (RunProcess *self);

/** run_process_run: start and finish */
RunProcess *run_process_run (const RunSetup *setup);

/** run_process_get: a value of the report by member names, for example "streams", "a.b", NULL */
JsonNode *run_process_get (RunProcess *self, ...) G_GNUC_NULL_TERMINATED;
gint64 run_process_get_int (RunProcess *self, ...) G_GNUC_NULL_TERMINATED;
const char *run_process_get_text (RunProcess *self, ...) G_GNUC_NULL_TERMINATED;

/** run_process_find_file: Returns: (transfer full): the only file of the report that ends so */
char *run_process_find_file (RunProcess *self, const char *suffix);

/** run_process_check_balance: every equation of the report, computed anew */
void run_process_check_balance (RunProcess *self);

void run_process_free (RunProcess *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RunProcess, run_process_free)

/** run_folder_remove: with everything in it */
void run_folder_remove (const char *path);
