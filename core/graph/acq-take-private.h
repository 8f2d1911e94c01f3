/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include <acq/acq-take.h>

typedef struct {
  char *sink; /* (nullable): id */
  char *path;
  guint64 bytes;
} AcqTakeFile;

struct _AcqTake {
  _Atomic int refs;
  /* Fixed. */
  char *directory;
  char *base;
  char *task;
  gint64 start_ns;
  GHashTable *facts; /* owned text → owned text */

  pthread_mutex_t lock;
  pthread_cond_t changed; /* CLOCK_MONOTONIC */
  /* Under lock: */
  gint64 stop_ns;
  guint n_open;         /* consumers that have not ended it, and finish jobs that run */
  gboolean aborted;     /* finish jobs are to give up */
  GPtrArray *files;     /* of AcqTakeFile */
  GHashTable *progress; /* sink id → double * */
};

/* Makes the folder. @facts is copied. */
AcqTake *acq_take_new (const char *directory, const char *task, gint64 start_ns, GHashTable *facts,
                       GError **error);
void acq_take_hold (AcqTake *self);
void acq_take_release (AcqTake *self);
gboolean acq_take_wait (AcqTake *self, double timeout_s);
void acq_take_set_stop (AcqTake *self, gint64 stop_ns);
void acq_take_abort (AcqTake *self);
