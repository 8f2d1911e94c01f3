/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-consumer.h>

#define ACQ_TYPE_TRANSFORM (acq_transform_get_type ())
ACQ_API GType acq_transform_get_type (void);
G_DECLARE_DERIVABLE_TYPE (AcqTransform, acq_transform, ACQ, TRANSFORM, AcqNode)

/**
 * AcqInputInfo:
 *
 * One input of a transform, before anything runs.
 */
typedef struct {
  const char *node;
  const char *stream;
  const AcqSchema *schema;
} AcqInputInfo;

/**
 * AcqDerivedStream:
 * @name: (transfer full): of an output stream
 * @schema: its type
 */
typedef struct {
  char *name;
  const AcqSchema *schema;
} AcqDerivedStream;

/**
 * AcqTransformClass:
 * @derive: what streams would come out of these inputs: appends an #AcqDerivedStream for each.
 *   Main thread, touches nothing: it is asked when a pipeline is checked
 * @add_link: (nullable): a stream was connected
 * @begin: (nullable): a take begins
 * @process: frames in order of host time. They are settled as written when it returns
 * @tick: (nullable): called at least every `max_latency_ms`
 * @end: (nullable): the take is over; push what is left
 * @max_latency_ms: how late it may be
 *
 * Frames in, frames out. All slots but @derive run on the transform's own thread.
 */
struct _AcqTransformClass {
  AcqNodeClass parent_class;
  gboolean (*derive) (AcqTransform *self, const AcqInputInfo *inputs, guint n, GArray *ret_streams,
                      GError **error);
  gboolean (*add_link) (AcqTransform *self, AcqLink *link, GError **error);
  gboolean (*begin) (AcqTransform *self, AcqTake *take, GError **error);
  gboolean (*process) (AcqTransform *self, const AcqItem *items, guint n, GError **error);
  gboolean (*tick) (AcqTransform *self, gint64 now_ns, GError **error);
  gboolean (*end) (AcqTransform *self, AcqTake *take, GError **error);
  guint max_latency_ms;
  /*< private >*/
  gpointer reserved[8];
};

/**
 * acq_transform_add_stream:
 * @self: a transform
 * @info: what it is
 *
 * Returns: (transfer none): an output stream, as acq_source_add_stream()
 */
ACQ_API AcqStream *acq_transform_add_stream (AcqTransform *self, const AcqStreamInfo *info);

/**
 * acq_transform_get_complete:
 * @self: a transform
 *
 * How far the inputs are known. What comes later than its source's latency allows is the
 * exception, and may still be older.
 *
 * Thread: the transform's own, in @tick.
 *
 * Returns: the host time up to which every message of every input was handed to @process,
 *   nanoseconds; %G_MAXINT64 at the end of the run
 */
ACQ_API gint64 acq_transform_get_complete (AcqTransform *self);

/**
 * acq_transform_get_delay:
 * @self: a transform
 *
 * What a transform adds to the latency that its outputs declare, before it does anything itself:
 * the longest latency of its inputs so far, and how long the engine waits to put messages in order.
 *
 * Thread: the transform's own, from @add_link on.
 *
 * Returns: nanoseconds
 */
ACQ_API gint64 acq_transform_get_delay (AcqTransform *self);
