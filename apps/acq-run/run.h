/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-pipeline.h>

#include "run-options.h"
#include "run-output.h"

/**
 * run_pipeline:
 * @pipeline: loaded
 * @options: how to run it
 * @output: standard output
 * @ret_abandoned: (out): a thread that is stuck was left behind: end with _exit()
 *
 * Opens the devices, records, finishes the files.
 *
 * Returns: the exit code
 */
int run_pipeline (AcqPipeline *pipeline, const RunOptions *options, RunOutput *output,
                  gboolean *ret_abandoned);
