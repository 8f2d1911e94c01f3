/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-sync-private.h"

#include "base/acq-wait-private.h"

#include "formats/acq-thread-private.h"

struct _AcqMcapSync {
  AcqMcapFile *file;
  guint interval_ms;
  pthread_t thread;
  gboolean started;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  gboolean stop; /* lock */
};

static void *
sync_run (void *data)
{
  AcqMcapSync *self = data;

  pthread_mutex_lock (&self->lock);
  while (!self->stop) {
    gint64 due_ns = acq_deadline_in (self->interval_ms * 1e-3);

    while (!self->stop && acq_cond_wait_until (&self->wake, &self->lock, due_ns))
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

  self->file = file;
  self->interval_ms = interval_ms;
  pthread_mutex_init (&self->lock, NULL);
  acq_cond_init (&self->wake);
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
