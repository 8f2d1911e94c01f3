/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-sink.h>
#include <acq/acq-source.h>

/* A source that does nothing: the test pushes on its streams. */
#define ACQ_TYPE_HARNESS_SOURCE (acq_harness_source_get_type ())
GType acq_harness_source_get_type (void);

/* A sink that keeps every frame, by stream. */
#define ACQ_TYPE_HARNESS_SINK (acq_harness_sink_get_type ())
GType acq_harness_sink_get_type (void);

/* Any thread. (transfer full) (nullable) */
AcqFrame *acq_harness_sink_pop (AcqSink *sink, const char *path);
guint acq_harness_sink_count (AcqSink *sink, const char *path);
