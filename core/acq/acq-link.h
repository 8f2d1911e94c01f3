/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-frame.h>

/*
 * A link is the bounded queue between one stream and one consumer; every
 * crossing of threads is a link. It is made by the graph. A consumer sees its
 * links only to know which stream a frame came by, to hang its own state on
 * them, and to settle what it took.
 */

/**
 * AcqWhenFull:
 * @ACQ_WHEN_FULL_DROP_OLDEST: make room; the default
 * @ACQ_WHEN_FULL_DROP_NEWEST: refuse
 * @ACQ_WHEN_FULL_WAIT: hold the pusher back, to a limit; only behind sources that can wait
 */
typedef enum {
  ACQ_WHEN_FULL_DROP_OLDEST,
  ACQ_WHEN_FULL_DROP_NEWEST,
  ACQ_WHEN_FULL_WAIT,
} AcqWhenFull;

/**
 * AcqQueueConfig:
 * @seconds: of the stream's nominal rate; 0 takes the consumer's default
 * @max_bytes: payload bytes at most; 0 takes the consumer's default
 * @when_full: what to do then; -1 takes the consumer's default
 */
typedef struct {
  double seconds;
  guint64 max_bytes;
  int when_full;
} AcqQueueConfig;

#define ACQ_QUEUE_CONFIG_DEFAULT ((AcqQueueConfig){ 0, 0, -1 })

/**
 * AcqDropCause:
 *
 * Why a frame never reached its consumer.
 */
typedef enum {
  ACQ_DROP_OLDEST,
  ACQ_DROP_NEWEST,
  ACQ_DROP_WAIT_TIMEOUT,
  ACQ_DROP_MEMORY,
  ACQ_DROP_TOO_LONG,
  ACQ_DROP_CLOSED,
  ACQ_DROP_ABANDONED,
  ACQ_DROP_N_CAUSES,
} AcqDropCause;

/**
 * AcqFailCause:
 *
 * Why a frame that a consumer took was not written.
 */
typedef enum {
  ACQ_FAIL_WRITE,    /* the system refused */
  ACQ_FAIL_NO_SPACE, /* disk or quota full */
  ACQ_FAIL_ENCODE,   /* it does not fit the format */
  ACQ_FAIL_SINK,     /* the consumer failed as a whole */
  ACQ_FAIL_ABANDONED,
  ACQ_FAIL_N_CAUSES,
} AcqFailCause;

/**
 * AcqLinkCounters:
 *
 * offered = written + Σdropped + Σfailed + paused + idle + pending + queued, at
 * every instant. `written` of a transform means: processed.
 */
typedef struct {
  guint64 offered;
  guint64 written;
  guint64 dropped[ACQ_DROP_N_CAUSES];
  guint64 failed[ACQ_FAIL_N_CAUSES];
  guint64 paused;
  guint64 idle;
  guint64 pending;
  guint64 queued;
  guint64 replayed; /* latched frames shown again: outside the equation */
  guint64 queued_bytes;
  guint64 high_water; /* most frames ever queued */
  guint64 capacity;   /* frames */
} AcqLinkCounters;

ACQ_API const char *acq_drop_cause_to_string (AcqDropCause cause);
ACQ_API const char *acq_fail_cause_to_string (AcqFailCause cause);

ACQ_API AcqStream *acq_link_get_stream (AcqLink *self);

/**
 * acq_link_set_data:
 * @self: a link
 * @data: (nullable): the consumer's own state for this stream
 * @destroy: (nullable): frees it, on replacement or when the link goes
 *
 * Thread: the consumer's.
 */
ACQ_API void acq_link_set_data (AcqLink *self, gpointer data, GDestroyNotify destroy);
ACQ_API gpointer acq_link_get_data (AcqLink *self);

/**
 * acq_link_is_ended:
 * @self: a link
 *
 * Returns: %TRUE while the stream is ended and everything of it was taken
 */
ACQ_API gboolean acq_link_is_ended (AcqLink *self);

/**
 * acq_link_settle_written:
 * @self: a link
 * @n: how many of the oldest frames that were taken and not yet settled
 *
 * The system took their bytes. Thread: any; in the order in which frames were taken.
 */
ACQ_API void acq_link_settle_written (AcqLink *self, guint64 n);

/**
 * acq_link_settle_failed:
 * @self: a link
 * @n: how many
 * @cause: why they were not written
 */
ACQ_API void acq_link_settle_failed (AcqLink *self, guint64 n, AcqFailCause cause);

/**
 * acq_link_count_replayed:
 * @self: a link
 *
 * A latched frame was written again at the head of a file.
 */
ACQ_API void acq_link_count_replayed (AcqLink *self);

/**
 * acq_link_snapshot:
 * @self: a link
 * @ret_counters: (out): exact at one instant
 *
 * Thread: any.
 */
ACQ_API void acq_link_snapshot (AcqLink *self, AcqLinkCounters *ret_counters);
