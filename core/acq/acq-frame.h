/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdatomic.h>

#include <acq/acq-types.h>

/**
 * AcqFrameFlags:
 * @ACQ_FRAME_DEVICE_TIME: @device_ns is a time of the device
 * @ACQ_FRAME_KERNEL_TIME: @host_ns is a receive stamp of the kernel
 * @ACQ_FRAME_SEQUENCE: @seq is the device's number, not a counter of ours
 * @ACQ_FRAME_INVALID: no measurement was near enough (resampled streams)
 * @ACQ_FRAME_SUSPECT: accepted, but something about it is odd; an event says what
 * @ACQ_FRAME_SCRATCH: private to the engine: the pool is at its budget
 */
typedef enum {
  ACQ_FRAME_DEVICE_TIME = 1 << 0,
  ACQ_FRAME_KERNEL_TIME = 1 << 1,
  ACQ_FRAME_SEQUENCE = 1 << 2,
  ACQ_FRAME_INVALID = 1 << 3,
  ACQ_FRAME_SUSPECT = 1 << 4,
  ACQ_FRAME_SCRATCH = 1 << 30,
} AcqFrameFlags;

/**
 * AcqFrame:
 * @stream: (unowned): where it came from; lives as long as the graph
 * @seq: the device's sequence number, or a counter from 1
 * @device_ns: the device's own time in nanoseconds, or %ACQ_TIME_NONE
 * @host_ns: host time of receipt; strictly increasing in a stream
 * @stamp_ns: what `header.stamp` says
 * @flags: #AcqFrameFlags
 * @size: bytes of @payload
 * @payload: the struct of the schema and, behind it, the tail
 *
 * One message. Reference-counted, pooled, and immutable once it was pushed.
 * Before that the pusher may set @flags and @host_ns.
 */
struct _AcqFrame {
  /*< private >*/
  _Atomic int refs;
  AcqPool *pool;
  AcqFrame *next;
  /*< public >*/
  AcqStream *stream;
  guint64 seq;
  guint64 device_ns;
  gint64 host_ns;
  gint64 stamp_ns;
  guint32 flags;
  guint32 size;
  _Alignas(16) guint8 payload[];
};

/**
 * acq_frame_ref:
 * @self: a frame
 *
 * Thread: any. Returns: (transfer full): @self
 */
static inline AcqFrame *
acq_frame_ref (AcqFrame *self)
{
  atomic_fetch_add_explicit (&self->refs, 1, memory_order_relaxed);
  return self;
}

/**
 * acq_frame_unref:
 * @self: (transfer full): a frame
 *
 * Thread: any. The last one gives the frame back to its pool.
 */
ACQ_API void acq_frame_unref (AcqFrame *self);

/**
 * acq_frame_tail:
 * @self: a frame
 * @ret_size: (out) (optional): bytes of the tail
 *
 * Returns: (nullable) (transfer none): the tail, or %NULL for a type that has none
 */
ACQ_API const guint8 *acq_frame_tail (const AcqFrame *self, gsize *ret_size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqFrame, acq_frame_unref)
