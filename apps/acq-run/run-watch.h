/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-pipeline.h>

#include "run-view.h"

/**
 * RunWatch:
 *
 * Looks at a running recording: what the file expects, and how long the disk
 * lasts. It speaks when something changes, and only when it lasts: what fails
 * for a moment, or recovers for a moment, is not told. What it says is an event
 * of the node it is about, so it is in the files too.
 */
typedef struct _RunWatch RunWatch;

RunWatch *run_watch_new (AcqPipeline *pipeline);
void run_watch_free (RunWatch *self);

/** run_watch_look: once a second while recording */
void run_watch_look (RunWatch *self, const RunView *view);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RunWatch, run_watch_free)
