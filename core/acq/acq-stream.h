/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-clock.h>
#include <acq/acq-constants.h>
#include <acq/acq-frame.h>
#include <acq/acq-schema.h>

/**
 * AcqTailLayout:
 * @kind: of an element
 * @count: how many, exactly
 * @interp: how they read between two samples
 * @has_invalid: whether @invalid means anything
 * @invalid: the value that means "no measurement"
 * @shape: (nullable): for NPZ, for example `24,31`; %NULL is one dimension of @count
 *
 * How the bytes of a stream's tail read. MCAP is unaffected; NPZ, the resampler
 * and the status use it.
 */
typedef struct {
  AcqKind kind;
  guint32 count;
  AcqInterp interp;
  gboolean has_invalid;
  double invalid;
  const char *shape;
} AcqTailLayout;

/**
 * AcqStreamInfo:
 * @name: segments `[a-z][a-z0-9]*(_[a-z0-9]+)*` joined by `/`, for example `imu/palm`
 * @schema: the type of its messages
 * @rate_hz: nominal; 0 when there is none
 * @topic: (nullable): an absolute one such as `/tf`; %NULL is `/<node>/<name>`
 * @frame_id: (nullable): ROS frame; %NULL is the node's id
 * @clock: (nullable): the clock of its device times
 * @has_sequence: the device numbers its messages; otherwise we count from 1
 * @latched: the last message is repeated at the head of each file
 * @latency_ns: how much later than its host time a message may come (derived streams)
 * @max_tail: bytes of a tail at most; 0 for types without one
 * @tail: (nullable): how the tail reads
 * @constants: (nullable): values of the `@constant` fields
 *
 * What a stream is when it is declared. Everything is copied.
 */
typedef struct {
  const char *name;
  const AcqSchema *schema;
  double rate_hz;
  const char *topic;
  const char *frame_id;
  AcqClock *clock;
  gboolean has_sequence;
  gboolean latched;
  gint64 latency_ns;
  gsize max_tail;
  const AcqTailLayout *tail;
  AcqConstants *constants;
} AcqStreamInfo;

/**
 * AcqStreamCounter:
 * @ACQ_STREAM_REPEATS: the device said the same again, and said so
 * @ACQ_STREAM_DUPLICATES: the same packet came twice
 * @ACQ_STREAM_LATE: came after its successor
 * @ACQ_STREAM_LOST: never came, by the device's sequence
 */
typedef enum {
  ACQ_STREAM_REPEATS,
  ACQ_STREAM_DUPLICATES,
  ACQ_STREAM_LATE,
  ACQ_STREAM_LOST,
  ACQ_STREAM_N_COUNTERS,
} AcqStreamCounter;

/*
 * Setting up. A stream that was added can be shaped until it is published: when
 * open() of its source returns, or at its first push. After that it is
 * immutable. Adding a stream of the same name again, after a reconnect, gives
 * the same stream: setters then change nothing.
 */

/**
 * acq_stream_set_count:
 * @self: a stream that is not yet published
 * @field: path of a sequence, for example `joints`
 * @count: how many elements every message has
 *
 * Declares an element count: it is checked in each push, and it gives files their
 * shapes.
 */
ACQ_API void acq_stream_set_count (AcqStream *self, const char *field, guint count);

/**
 * acq_stream_set_metadata:
 * @self: a stream that is not yet published
 * @key: for example `serial`, `side`, `axes`
 * @value: (nullable): text; %NULL removes the key
 */
ACQ_API void acq_stream_set_metadata (AcqStream *self, const char *key, const char *value);

/* Pushing. One thread at a time for one stream. */

/**
 * acq_stream_begin:
 * @self: a stream
 * @schema: the schema that the caller means; another one than the stream's is a programming error
 * @frame: (out) (transfer full): the frame to push or acq_frame_unref()
 *
 * Takes a frame from the pool, its payload zeroed, its host time now. Use the
 * generated `acq_<type>_begin()`. At the memory budget it is a scratch frame,
 * whose push counts a loss and stores nothing.
 *
 * Returns: (not nullable) (transfer none): the payload to fill
 */
ACQ_API gpointer acq_stream_begin (AcqStream *self, const AcqSchema *schema, AcqFrame **frame);

/**
 * acq_stream_begin_sized:
 * @self: a stream of a type with a tail
 * @schema: as in acq_stream_begin()
 * @tail_bytes: bytes of the tail; not above the stream's `max_tail`
 * @frame: (out) (transfer full): the frame
 *
 * As acq_stream_begin(), for types with a tail. The tail is not zeroed.
 *
 * Returns: (not nullable) (transfer none): the payload to fill
 */
ACQ_API gpointer acq_stream_begin_sized (AcqStream *self, const AcqSchema *schema, gsize tail_bytes,
                                         AcqFrame **frame);

/**
 * acq_stream_push:
 * @self: a stream
 * @frame: (transfer full): from acq_stream_begin() of the same stream
 * @seq: the device's sequence number; ignored when the stream has none, then we count
 * @device_ns: the device's time in nanoseconds, or %ACQ_TIME_NONE
 *
 * Hands a message to every consumer: one short lock per link, no allocation, no
 * system call in the steady state. Never fails: what cannot be queued is counted
 * on the link, by cause.
 */
ACQ_API void acq_stream_push (AcqStream *self, AcqFrame *frame, guint64 seq, guint64 device_ns);

/**
 * acq_stream_end:
 * @self: a stream
 *
 * No more messages for now. Consumers learn of it; a later push begins it again.
 */
ACQ_API void acq_stream_end (AcqStream *self);

/**
 * acq_stream_count:
 * @self: a stream
 * @counter: what happened
 * @n: how often
 *
 * Thread: the pusher's.
 */
ACQ_API void acq_stream_count (AcqStream *self, AcqStreamCounter counter, guint64 n);

/* Reading. Any thread, after publication. Strings live as long as the stream. */

ACQ_API AcqNode *acq_stream_get_node (AcqStream *self);
ACQ_API const char *acq_stream_get_name (AcqStream *self);
/** acq_stream_get_path: Returns: `node.stream` */
ACQ_API const char *acq_stream_get_path (AcqStream *self);
ACQ_API const char *acq_stream_get_topic (AcqStream *self);
ACQ_API const char *acq_stream_get_frame_id (AcqStream *self);
ACQ_API const AcqSchema *acq_stream_get_schema (AcqStream *self);
ACQ_API double acq_stream_get_rate (AcqStream *self);
ACQ_API gint64 acq_stream_get_latency (AcqStream *self);
ACQ_API gsize acq_stream_get_max_tail (AcqStream *self);
ACQ_API gboolean acq_stream_is_latched (AcqStream *self);
ACQ_API gboolean acq_stream_has_sequence (AcqStream *self);
/** acq_stream_is_mapped: Returns: %TRUE if `header.stamp` is mapped device time in this take */
ACQ_API gboolean acq_stream_is_mapped (AcqStream *self);
ACQ_API AcqClock *acq_stream_get_clock (AcqStream *self);
ACQ_API AcqConstants *acq_stream_get_constants (AcqStream *self);
ACQ_API const AcqTailLayout *acq_stream_get_tail (AcqStream *self);
/** acq_stream_get_count: Returns: %FALSE when no count was declared for @field */
ACQ_API gboolean acq_stream_get_count (AcqStream *self, const char *field, guint *ret_count);
ACQ_API const char *acq_stream_get_metadata (AcqStream *self, const char *key);
/** acq_stream_list_metadata: Returns: (transfer container): sorted keys, %NULL-terminated */
ACQ_API const char **acq_stream_list_metadata (AcqStream *self);
/** acq_stream_ref_latched: Returns: (nullable) (transfer full): the last frame of a latched one */
ACQ_API AcqFrame *acq_stream_ref_latched (AcqStream *self);
/** acq_stream_get_data: the node's own pointer */
ACQ_API void acq_stream_set_user_data (AcqStream *self, gpointer data);
ACQ_API gpointer acq_stream_get_user_data (AcqStream *self);
