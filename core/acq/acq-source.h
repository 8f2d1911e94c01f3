/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-node.h>
#include <acq/acq-port.h>

#define ACQ_TYPE_SOURCE (acq_source_get_type ())
ACQ_API GType acq_source_get_type (void);
G_DECLARE_DERIVABLE_TYPE (AcqSource, acq_source, ACQ, SOURCE, AcqNode)

/**
 * AcqSourceClass:
 * @run: (nullable): called after open() on the source's thread; returns when @cancellable is
 *   cancelled, with %TRUE at a natural end of the data, or with %FALSE and an error when the
 *   device was lost
 *
 * A source measures. Each has a thread of its own with a #GMainContext that is
 * the thread's default: open(), close() and run() happen there. Without run()
 * the context is iterated, so sockets, timers and libsoup need nothing more.
 * Frames may be pushed from any other thread too.
 *
 * Reconnect belongs to this class: when the device is lost, it is closed, the
 * gap recorded, and opened again after a pause that grows from `retry-min` to
 * `retry-max`. Streams keep their identity.
 */
struct _AcqSourceClass {
  AcqNodeClass parent_class;
  gboolean (*run) (AcqSource *self, GCancellable *cancellable, GError **error);
  /*< private >*/
  gpointer reserved[8];
};

/**
 * acq_source_add_stream:
 * @self: a source
 * @info: what it is
 *
 * Declares a stream, usually in open(). Shape it with acq_stream_set_count() and
 * acq_stream_set_metadata() before it is published.
 *
 * Returns: (transfer none) (not nullable): the stream; it lives as long as the graph
 */
ACQ_API AcqStream *acq_source_add_stream (AcqSource *self, const AcqStreamInfo *info);

/**
 * acq_source_wants:
 * @self: a source
 * @stream: one of the plugin's stream names
 *
 * Returns: %TRUE if the common option `streams` (or the plugin's default) chooses it
 */
ACQ_API gboolean acq_source_wants (AcqSource *self, const char *stream);

/**
 * acq_source_lost:
 * @self: a source
 * @cause: machine-readable word, for example `silence`, `disconnected`
 * @format: printf style, for people
 *
 * The device is gone. The base class closes, records the gap, and tries again.
 * Safe from any thread, and in any state. Returns at once.
 */
ACQ_API void acq_source_lost (AcqSource *self, const char *cause, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/**
 * acq_source_retry_after:
 * @self: a source
 * @seconds: the next pause is at least this long
 *
 * For devices that must not be hurried, for example a robot that would hand us
 * its control. Call before acq_source_lost() or a failing return.
 */
ACQ_API void acq_source_retry_after (AcqSource *self, double seconds);

/**
 * acq_source_finish:
 * @self: a source
 *
 * The data came to its natural end. Thread: any. Returns at once.
 */
ACQ_API void acq_source_finish (AcqSource *self);

/**
 * acq_source_get_context:
 * @self: an open source
 *
 * Returns: (transfer none): its main context, for g_main_context_invoke() from other threads
 */
ACQ_API GMainContext *acq_source_get_context (AcqSource *self);

/**
 * acq_source_set_port:
 * @self: a source
 * @port: (nullable): the device-level port that it is counted on
 */
ACQ_API void acq_source_set_port (AcqSource *self, AcqPort *port);
ACQ_API AcqPort *acq_source_get_port (AcqSource *self);

/**
 * acq_source_count_accepted:
 * @self: a source
 * @n: packets that were valid and ours
 *
 * With the port locked. accepted = frames + repeats + duplicates + late of the
 * stream that carries packets one to one.
 */
ACQ_API void acq_source_count_accepted (AcqSource *self, guint64 n);

/**
 * acq_source_gap:
 * @self: a source
 * @stream: (nullable): the stream, %NULL is the whole device
 * @from_ns: host time of the last message before
 * @to_ns: host time of the first one after
 * @lost: how many messages are known to be missing, 0 when unknown
 * @cause: machine-readable word
 *
 * Records a gap as an event; the loss itself is counted with acq_stream_count().
 */
ACQ_API void acq_source_gap (AcqSource *self, AcqStream *stream, gint64 from_ns, gint64 to_ns,
                             guint64 lost, const char *cause);

/**
 * acq_source_clock_restarted:
 * @self: a source
 * @clock: a clock of the device
 * @kind: what it counts from now on
 * @cause: machine-readable word, for example `sync`, `reboot`
 *
 * acq_clock_restart() and its event.
 */
ACQ_API void acq_source_clock_restarted (AcqSource *self, AcqClock *clock, AcqClockKind kind,
                                         const char *cause);
