/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/acq-port-private.h"

#include <string.h>

AcqPort *
acq_port_new (const char *name, const char *packets_word)
{
  AcqPort *self = g_new0 (AcqPort, 1);

  self->refs = 1;
  self->name = g_strdup (name);
  self->packets_word = g_strdup (packets_word);
  self->foreign = g_array_new (FALSE, TRUE, sizeof (AcqCount));
  self->rejected = g_array_new (FALSE, TRUE, sizeof (AcqCount));
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

AcqPort *
acq_port_ref (AcqPort *self)
{
  atomic_fetch_add (&self->refs, 1);
  return self;
}

void
acq_port_unref (AcqPort *self)
{
  if (self == NULL || atomic_fetch_sub (&self->refs, 1) != 1)
    return;
  pthread_mutex_destroy (&self->lock);
  g_array_unref (self->foreign);
  g_array_unref (self->rejected);
  g_free (self->packets_word);
  g_free (self->name);
  g_free (self);
}

const char *
acq_port_get_name (AcqPort *self)
{
  return self->name;
}

void
acq_port_lock (AcqPort *self)
{
  pthread_mutex_lock (&self->lock);
}

void
acq_port_unlock (AcqPort *self)
{
  pthread_mutex_unlock (&self->lock);
}

void
acq_port_count (AcqPort *self, AcqPortCounter counter, guint64 n)
{
  self->n[counter] += n;
}

/* Names are static strings, so the usual hit is one pointer comparison. */
static void
count_name (GArray *counts, const char *name, guint64 n)
{
  AcqCount fresh = { name, n };

  for (guint i = 0; i < counts->len; i++) {
    AcqCount *count = &g_array_index (counts, AcqCount, i);

    if (count->name == name || strcmp (count->name, name) == 0) {
      count->n += n;
      return;
    }
  }
  g_array_append_val (counts, fresh);
}

void
acq_port_count_foreign (AcqPort *self, const char *name, guint64 n)
{
  count_name (self->foreign, name, n);
}

void
acq_port_count_rejected (AcqPort *self, const char *reason, guint64 n)
{
  count_name (self->rejected, reason, n);
}

AcqPortSnapshot *
acq_port_snapshot (AcqPort *self)
{
  AcqPortSnapshot *snapshot = g_new0 (AcqPortSnapshot, 1);

  snapshot->name = g_strdup (self->name);
  snapshot->packets_word = g_strdup (self->packets_word);
  snapshot->packets = self->n[ACQ_PORT_PACKETS];
  snapshot->wrong_source = self->n[ACQ_PORT_WRONG_SOURCE];
  snapshot->other_hand = self->n[ACQ_PORT_OTHER_HAND];
  snapshot->kernel_drops = self->n[ACQ_PORT_KERNEL_DROPS];
  snapshot->foreign = g_array_copy (self->foreign);
  snapshot->rejected = g_array_copy (self->rejected);
  return snapshot;
}

void
acq_port_snapshot_free (AcqPortSnapshot *self)
{
  g_array_unref (self->foreign);
  g_array_unref (self->rejected);
  g_free (self->packets_word);
  g_free (self->name);
  g_free (self);
}
