/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-consumer.h>

#define ACQ_TYPE_SINK (acq_sink_get_type ())
ACQ_API GType acq_sink_get_type (void);
G_DECLARE_DERIVABLE_TYPE (AcqSink, acq_sink, ACQ, SINK, AcqNode)

/**
 * AcqSinkClass:
 * @add_link: (nullable): a stream was connected, perhaps during a take
 * @begin: (nullable): a take begins; links that exist were added before
 * @write: frames of the current take, in order of host time. Each must be settled, now or later
 * @tick: (nullable): called at least every `max_latency_ms`, also without frames
 * @end: (nullable): the take is over: hand the rest to acq_sink_set_finish_job()
 * @max_latency_ms: how late the sink may be; it is not woken per frame. 0 wakes it at once
 * @queue_seconds: default queue: 0 is 2 s; files want 30
 * @engine_streams: takes `acq.events`, `acq.clock` and `acq.ledger` whatever its inputs
 *
 * A sink keeps or shows. All slots run on the sink's own thread, never two at
 * once. A slot that returns %FALSE ends this sink alone: what it had taken is
 * counted as failed, end() is still called so that a valid file remains, and the
 * others go on.
 */
struct _AcqSinkClass {
  AcqNodeClass parent_class;
  gboolean (*add_link) (AcqSink *self, AcqLink *link, GError **error);
  gboolean (*begin) (AcqSink *self, AcqTake *take, GError **error);
  gboolean (*write) (AcqSink *self, const AcqItem *items, guint n, GError **error);
  gboolean (*tick) (AcqSink *self, gint64 now_ns, GError **error);
  gboolean (*end) (AcqSink *self, AcqTake *take, GError **error);
  guint max_latency_ms;
  double queue_seconds;
  gboolean engine_streams;
  /*< private >*/
  gpointer reserved[8];
};

/**
 * AcqFinishFunc:
 * @take: the take that ended
 * @data: from acq_sink_set_finish_job()
 *
 * Finishes the files of a take, on a thread of its own, beside the next take.
 */
typedef gboolean (*AcqFinishFunc) (AcqTake *take, gpointer data, GError **error);

/**
 * acq_sink_set_finish_job:
 * @self: a sink, in end()
 * @func: what is left to do
 * @data: its data
 * @destroy: (nullable): frees @data
 */
ACQ_API void acq_sink_set_finish_job (AcqSink *self, AcqFinishFunc func, gpointer data,
                                      GDestroyNotify destroy);

/** acq_sink_list_links: Returns: (transfer container): its links, in order of connection */
ACQ_API GPtrArray *acq_sink_list_links (AcqSink *self);

/**
 * acq_sink_get_hold_back:
 * @self: a sink
 *
 * Frames of different links are in order of host time as long as each comes by
 * its link within this time; see `latency_ns` of #AcqStreamInfo. It grows with
 * the links that are added.
 *
 * Thread: the sink's. Returns: nanoseconds
 */
ACQ_API gint64 acq_sink_get_hold_back (AcqSink *self);

/**
 * acq_sink_fail:
 * @self: a sink
 * @cause: what to count unsettled frames under
 * @error: (transfer full): why
 *
 * From a worker thread of the sink: as a slot that returns %FALSE. Returns at once.
 */
ACQ_API void acq_sink_fail (AcqSink *self, AcqFailCause cause, GError *error);

/**
 * AcqSinkProgress:
 *
 * What the status shows for a sink.
 */
typedef struct {
  guint64 bytes;      /* written so far */
  guint64 free_bytes; /* left on its disk; 0 is unknown */
} AcqSinkProgress;

/** acq_sink_set_progress: Thread: any */
ACQ_API void acq_sink_set_progress (AcqSink *self, const AcqSinkProgress *progress);
