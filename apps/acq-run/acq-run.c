/* SPDX-License-Identifier: Apache-2.0 */

/*
 * acq-run: runs a pipeline file.
 *
 * run-options (command line), run (opening, recording, stopping), run-end, run-signals,
 * run-status and status-tty, -plain, -jsonl (what is shown), run-view (figures),
 * run-watch (alerts), run-verdict (exit code), run-report (JSON), run-output
 * (standard output).
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <acq/acq-pipeline.h>

#include "app-stdout.h"
#include "run-options.h"
#include "run-output.h"
#include "run-verdict.h"
#include "run.h"

static int
complain (const GPtrArray *problems)
{
  for (guint i = 0; i < problems->len; i++)
    g_printerr ("%s\n", (const char *) problems->pdata[i]);
  g_printerr ("acq-run: %u %s; nothing was started\n", problems->len,
              problems->len == 1 ? "mistake" : "mistakes");
  return RUN_EXIT_USAGE;
}

/* A report that cannot be written is better known before the recording than after it. */
static gboolean
can_report (const char *path)
{
  g_autofree char *folder = NULL;
  const char *problem = NULL;

  if (path == NULL || strcmp (path, "-") == 0)
    return TRUE;
  folder = g_path_get_dirname (path);
  if (access (folder, W_OK | X_OK) != 0)
    problem = g_strerror (errno);
  else if (g_file_test (path, G_FILE_TEST_IS_DIR))
    problem = "it is a folder";
  if (problem != NULL)
    g_printerr ("acq-run: the report %s cannot be written: %s\n", path, problem);
  return problem == NULL;
}

static char *
describe (AcqPipeline *pipeline, const char *name)
{
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (acq_pipeline_get_graph (pipeline));
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s is fine\n", name);
  for (guint i = 0; i < nodes->len; i++) {
    AcqNode *node = nodes->pdata[i];
    const AcqPlugin *plugin = acq_node_get_plugin (node);

    g_string_append_printf (text, "  %-9s  %-20s %s\n",
                            ACQ_IS_SOURCE (node)      ? "source"
                            : ACQ_IS_TRANSFORM (node) ? "transform"
                                                      : "sink",
                            acq_node_get_id (node), plugin->name);
  }
  return g_string_free (text, FALSE);
}

static int
run (const RunOptions *options, RunOutput *output, gboolean *ret_abandoned)
{
  g_autoptr (AcqRegistry) registry = acq_registry_new (options->plugin_path);
  g_autoptr (GPtrArray) problems = NULL;
  g_autoptr (AcqPipeline) pipeline = acq_pipeline_load_file (
      registry, options->pipeline, (const char *const *) options->overrides, &problems);

  if (pipeline == NULL)
    return complain (problems);
  if (options->dot) {
    g_autofree char *dot = acq_pipeline_to_dot (pipeline, NULL);

    run_output_write (output, g_strconcat (dot, g_str_has_suffix (dot, "\n") ? "" : "\n", NULL));
  } else if (options->check)
    run_output_write (output, describe (pipeline, options->pipeline));
  else if (!can_report (options->report))
    return RUN_EXIT_USAGE;
  else
    return run_pipeline (pipeline, options, output, ret_abandoned);
  return RUN_EXIT_OK;
}

/* What was wrong with the recording says more than what was wrong with its display. */
static int
finish_output (RunOutput *output, int exit_code)
{
  int problem = run_output_free (output);

  if (problem == 0)
    return exit_code;
  g_printerr ("acq-run: standard output could not be written: %s\n", g_strerror (problem));
  return exit_code != RUN_EXIT_OK ? exit_code : RUN_EXIT_FAILED;
}

int
main (int argc, char **argv)
{
  g_auto (RunOptions) options = { NULL };
  g_autoptr (GError) error = NULL;
  RunOutput *output;
  gboolean abandoned = FALSE;
  int exit_code;

  setlocale (LC_ALL, "");
  /* Vendor libraries read numbers with a point, whatever the user's language is. */
  setlocale (LC_NUMERIC, "C");
  g_set_prgname ("acq-run");
  if (!run_options_parse (&options, &argc, &argv, &error)) {
    g_printerr ("acq-run: %s\n", error->message);
    return RUN_EXIT_USAGE;
  }
  if (options.version) {
    printf ("acq-run %s\n", ACQ_VERSION);
    return app_finish (stdout, RUN_EXIT_OK);
  }
  output = run_output_new ();
  exit_code = run (&options, output, &abandoned);
  exit_code = finish_output (output, exit_code);
  /* A thread that is stuck in a device may not survive what exit() takes down. */
  if (abandoned) {
    fflush (NULL);
    _exit (exit_code);
  }
  return exit_code;
}
