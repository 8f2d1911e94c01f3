/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <acq/acq-source.h>

typedef struct {
  /* Options. */
  char **streams;
  int stamp;
  gint64 retry_min;
  gint64 retry_max;
  gint64 open_timeout;

  GThread *thread;
  GMainContext *context;

  pthread_mutex_t lock;
  pthread_cond_t changed; /* CLOCK_MONOTONIC */
  /* Under lock: */
  GCancellable *session; /* (nullable) */
  gboolean stopping;
  gboolean lost;
  gboolean finished;
  gboolean opened; /* the first open() returned */
  gboolean done;   /* the thread is over, or abandoned */
  char *cause;
  char *message;
  GError *open_error; /* of the first open() */
  gint64 retry_after;
  AcqPort *port;

  _Atomic guint64 accepted;
  _Atomic guint64 reconnects;

  /* The source's thread. */
  gint64 lost_since; /* host time; 0 while connected */
  gint64 last_frame_ns;
  gint64 pause;
  guint attempts;
  gboolean first_failed; /* the very first open() did */
} AcqSourcePrivate;

AcqSourcePrivate *acq_source_get_private (AcqSource *self);

/* What the graph does with a source. */

/* Starts its thread. */
void acq_source_start (AcqSource *self);

/* Waits for the first open() to return. FALSE at the deadline (CLOCK_MONOTONIC). */
gboolean acq_source_wait_opened (AcqSource *self, gint64 deadline_ns);

/* (transfer full) (nullable): why the first open() failed. */
GError *acq_source_dup_open_error (AcqSource *self);

/* Asks it to stop. Returns at once. */
void acq_source_stop (AcqSource *self);
gboolean acq_source_wait_done (AcqSource *self, gint64 deadline_ns);

/* Its thread is stuck: nobody waits for it any more. */
void acq_source_abandon (AcqSource *self);

/* Seconds that one open() may take. */
double acq_source_open_timeout (AcqSource *self);

gboolean acq_source_is_done (AcqSource *self);
gboolean acq_source_is_finished (AcqSource *self);
gboolean acq_source_wants_mapped_stamps (AcqSource *self);
guint64 acq_source_get_accepted (AcqSource *self);
guint64 acq_source_get_reconnects (AcqSource *self);
