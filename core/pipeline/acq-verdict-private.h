/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "pipeline/acq-pipeline-private.h"

/* What was seen of a stream at the last looks: for figures of the last seconds. */
typedef struct _AcqWindow AcqWindow;

void acq_window_free (AcqWindow *self);

/* Whether a run without this source is a failure. */
gboolean acq_pipeline_is_required (AcqPipeline *self, const AcqPlannedNode *node);

/* The last expectation that gives @key for a stream, or NULL. */
const AcqExpect *acq_pipeline_find_expect (AcqPipeline *self, const char *node, const char *stream,
                                           AcqExpectKey key);
