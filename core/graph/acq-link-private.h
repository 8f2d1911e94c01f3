/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include <acq/acq-link.h>

/*
 * The waiter of a consumer. A pusher that sees `sleeping` under its link's lock
 * wakes it; see acq-consumer.c for why no wake-up is lost.
 */
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t cond; /* CLOCK_MONOTONIC */
  gboolean signalled;  /* under lock */
  _Atomic gboolean sleeping;
  guint max_latency_ms; /* fixed */
} AcqWaiter;

void acq_waiter_init (AcqWaiter *self, guint max_latency_ms);
void acq_waiter_clear (AcqWaiter *self);
void acq_waiter_wake (AcqWaiter *self);

typedef enum {
  ACQ_LINK_OPEN,
  ACQ_LINK_DRAINING, /* the stream has ended for good; what is left may be taken */
  ACQ_LINK_CLOSED,   /* the consumer is gone; pushes are counted and dropped */
} AcqLinkState;

/*
 * Invariants, under `lock`:
 *   count <= capacity, bytes = Σ size of the queued frames
 *   offered = written + Σdropped + Σfailed + paused + idle + pending + count
 *   pending = taken - written - Σfailed - paused - idle
 */
struct _AcqLink {
  _Atomic int refs;

  /* Fixed. */
  AcqStream *stream;     /* (unowned) */
  AcqConsumer *consumer; /* (unowned) */
  AcqWaiter *waiter;     /* (unowned) of the consumer */
  AcqWhenFull when_full;
  guint64 max_bytes;
  guint capacity;

  pthread_mutex_t lock;
  pthread_cond_t space; /* for `wait` */
  /* Under lock: */
  AcqFrame **ring;
  guint head;
  guint count;
  guint64 bytes;
  AcqLinkState state;
  gboolean ended;     /* the stream said that nothing comes for now */
  gboolean released;  /* the graph stops: waiting pushers wait a moment only */
  gboolean abandoned; /* later settlements are ignored */
  guint64 taken;
  AcqLinkCounters n; /* pending, queued are computed */

  /* The consumer's thread. */
  gpointer data;
  GDestroyNotify destroy;
  AcqFrame **run; /* taken and not yet handed on, because of the order across links */
  guint run_head;
  guint run_count;
  guint batch; /* frames of it in the batch at hand */
};

AcqLink *acq_link_new (AcqStream *stream, AcqConsumer *consumer, AcqWaiter *waiter, guint capacity,
                       guint64 max_bytes, AcqWhenFull when_full);
AcqLink *acq_link_ref (AcqLink *self);
void acq_link_unref (AcqLink *self);

/* Pusher. Takes one reference of @frame, whatever happens. */
void acq_link_push (AcqLink *self, AcqFrame *frame);

/* Pusher: a frame that the pool had no room for. */
void acq_link_push_nothing (AcqLink *self, AcqDropCause cause);

/* Consumer: at most @max frames with host_ns <= @until, oldest first. *ret_more is set if there
 * are further ones up to @until. */
guint acq_link_take (AcqLink *self, AcqFrame **frames, guint max, gint64 until, gboolean *ret_more);

/* Consumer: is there a frame with host_ns <= @until? */
gboolean acq_link_has (AcqLink *self, gint64 until);

void acq_link_settle_paused (AcqLink *self, guint64 n);
void acq_link_settle_idle (AcqLink *self, guint64 n);

void acq_link_set_ended (AcqLink *self, gboolean ended);
void acq_link_release_waiters (AcqLink *self);
void acq_link_drain (AcqLink *self);

/* Nothing more is taken: what is queued is dropped as closed; pending frames may be settled. */
void acq_link_shut (AcqLink *self);

/* Consumer died: what is queued is dropped as closed, what is pending has failed. */
void acq_link_close (AcqLink *self, AcqFailCause cause);

/* Deadline passed: queued frames are dropped and pending ones failed, as abandoned. */
void acq_link_abandon (AcqLink *self);
