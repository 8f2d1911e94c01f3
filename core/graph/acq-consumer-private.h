/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include <acq/acq-consumer.h>
#include <acq/acq-sink.h>

#include "graph/acq-link-private.h"

/* Frames of one link in one round: fairness between links. */
#define ACQ_CONSUMER_RUN_MAX 256

/* What sinks and transforms do with their frames; all on the consumer's thread. */
typedef struct {
  gboolean (*add_link) (AcqNode *node, AcqLink *link, GError **error);
  gboolean (*begin) (AcqNode *node, AcqTake *take, GError **error);
  gboolean (*write) (AcqNode *node, const AcqItem *items, guint n, GError **error);
  gboolean (*tick) (AcqNode *node, gint64 now_ns, GError **error);
  gboolean (*end) (AcqNode *node, AcqTake *take, GError **error);
  /* write() settles; otherwise frames count as written when it returns. */
  gboolean settles_itself;
} AcqConsumerSlots;

typedef enum {
  ACQ_CUT_BEGIN,
  ACQ_CUT_END,
  ACQ_CUT_PAUSE,
  ACQ_CUT_RESUME,
} AcqCutKind;

/* A change of what is recorded, at a host time. Cuts of one consumer are in order of time. */
typedef struct {
  AcqCutKind kind;
  gint64 at_ns;
  gint64 posted_ns; /* host time */
  AcqTake *take;    /* BEGIN, END: owned; the take was held for this consumer at BEGIN */
} AcqCut;

/* A finish job, set by a sink in end(). */
typedef struct {
  AcqFinishFunc func;
  gpointer data;
  GDestroyNotify destroy;
} AcqFinishJob;

struct _AcqConsumer {
  /* Fixed. */
  AcqNode *node; /* (unowned) */
  AcqHostClock *host_clock;
  AcqConsumerSlots slots;
  AcqWaiter waiter;
  gint64 preroll_ns;
  gboolean waits_for_take; /* a take was begun before the start: keep all until it comes */

  pthread_mutex_t lock;
  pthread_cond_t changed; /* CLOCK_MONOTONIC: opened, done */
  /* Under lock: */
  GPtrArray *links; /* of AcqLink, only grows */
  GQueue cuts;      /* of AcqCut, not yet fetched */
  gboolean opened;  /* open() returned */
  gboolean open_ok;
  gboolean done;      /* the thread is about to end */
  gboolean caught_up; /* a take that was cut has begun here, with all that was kept for it */
  gint64 cut_ns;      /* when that cut was posted */
  gboolean abandoned;
  GError *failure; /* from a worker or a slot */
  AcqFailCause failure_cause;
  gint64 settled_ns; /* everything up to this host time was handed on */
  guint n_jobs;
  GPtrArray *held; /* of AcqTake: held for this consumer, not released yet */

  _Atomic guint n_links; /* so that the thread sees new ones without the lock */
  _Atomic gboolean draining;
  _Atomic gboolean has_cuts;
  _Atomic gboolean has_failure;

  /* The consumer's thread. */
  GThread *thread; /* (owned) by the graph's thread */
  GPtrArray *mine; /* links in use */
  GQueue todo;     /* of AcqCut, fetched */
  GArray *items;   /* of AcqItem */
  GArray *heap;    /* of AcqLink *: the merge */
  GQueue preroll;  /* of AcqItem *, frames referenced */
  gint64 hold_back_ns;
  gint64 last_tick_ns;
  gint64 last_round_ns;
  gint64 catch_up_ns; /* until then, nothing newer than last_until_ns is taken */
  gint64 last_until_ns;
  gint64 complete_ns; /* everything up to this host time was handed on */
  AcqTake *take;
  gboolean paused;
  gboolean failed;
  AcqFinishJob job;
};

AcqConsumer *acq_consumer_new (AcqNode *node, const AcqConsumerSlots *slots, guint max_latency_ms,
                               AcqHostClock *host_clock);
void acq_consumer_free (AcqConsumer *self);

/* Any thread. */
void acq_consumer_add_link (AcqConsumer *self, AcqLink *link);
void acq_consumer_cut (AcqConsumer *self, AcqCutKind kind, gint64 at_ns, AcqTake *take);
void acq_consumer_fail (AcqConsumer *self, AcqFailCause cause, GError *error);
void acq_consumer_drain (AcqConsumer *self);
/* Waits until it opened, or is done. FALSE at the deadline (CLOCK_MONOTONIC). */
gboolean acq_consumer_wait_opened (AcqConsumer *self, gint64 deadline_ns);
gboolean acq_consumer_wait_caught_up (AcqConsumer *self, gint64 deadline_ns);
gboolean acq_consumer_wait_done (AcqConsumer *self, gint64 deadline_ns);
void acq_consumer_abandon (AcqConsumer *self);
gboolean acq_consumer_is_flushed (AcqConsumer *self, gint64 host_ns);

/* The thread. */
gpointer acq_consumer_thread (gpointer data);

/* Gives up a take that was held for this consumer; nothing if it was given up before. */
void acq_consumer_release_take (AcqConsumer *self, AcqTake *take);

/* The parts of the thread; the harness drives them by hand. */
gboolean acq_consumer_open (AcqConsumer *self);
/* One round at host time @now_ns; TRUE if more could be taken at once. */
gboolean acq_consumer_round (AcqConsumer *self, gint64 now_ns);
gboolean acq_consumer_is_drained (AcqConsumer *self);
void acq_consumer_finish (AcqConsumer *self);

/* Finish jobs: the one that end() set, for @take; what an error of it counts as; closing the links
 * once the thread and all jobs are over, because nobody settles any more. */
void acq_consumer_start_job (AcqConsumer *self, AcqTake *take);
AcqFailCause acq_consumer_cause_of (const GError *error);
void acq_consumer_close_if_over (AcqConsumer *self, AcqFailCause cause);

/* Takes and merges into `items`, which then hold everything up to the host time returned. */
gint64 acq_consumer_gather (AcqConsumer *self, gint64 until, gboolean *more);

/* Of a node that is a sink or a transform; NULL otherwise. */
AcqConsumer *acq_node_get_consumer (AcqNode *node);
