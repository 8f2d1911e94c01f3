/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-sync-private.h"

#include "formats/acq-thread-private.h"

#include <time.h>

struct _AcqMcapSync {
  AcqMcapFile *file;
  guint interval_ms;
  pthread_t thread;
  gboolean started;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  gboolean stop; /* lock */
};

static void
add_ms (struct timespec *at, guint ms)
{
  at->tv_sec += ms / 1000;
  at->tv_nsec += (ms % 1000) * 1000000L;
  if (at->tv_nsec >= 1000000000L) {
    at->tv_sec++;
    at->tv_nsec -= 1000000000L;
  }
}

static void *
sync_run (void *data)
{
  AcqMcapSync *self = data;

  pthread_mutex_lock (&self->lock);
  while (!self->stop) {
    struct timespec due;

    clock_gettime (CLOCK_MONOTONIC, &due);
    add_ms (&due, self->interval_ms);
    while (!self->stop && pthread_cond_timedwait (&self->wake, &self->lock, &due) == 0)
      ;
    pthread_mutex_unlock (&self->lock);
    acq_mcap_file_sync (self->file);
    pthread_mutex_lock (&self->lock);
  }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

AcqMcapSync *
acq_mcap_sync_new (AcqMcapFile *file, guint interval_ms, GError **error)
{
  AcqMcapSync *self = g_new0 (AcqMcapSync, 1);
  pthread_condattr_t attributes;

  self->file = file;
  self->interval_ms = interval_ms;
  pthread_mutex_init (&self->lock, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&self->wake, &attributes);
  pthread_condattr_destroy (&attributes);
  self->started = acq_thread_start (&self->thread, "acq-mcap-sync", sync_run, self, error);
  if (!self->started)
    g_clear_pointer (&self, acq_mcap_sync_free);
  return self;
}

void
acq_mcap_sync_free (AcqMcapSync *self)
{
  if (self == NULL)
    return;
  pthread_mutex_lock (&self->lock);
  self->stop = TRUE;
  pthread_cond_signal (&self->wake);
  pthread_mutex_unlock (&self->lock);
  if (self->started)
    pthread_join (self->thread, NULL);
  pthread_cond_destroy (&self->wake);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}
