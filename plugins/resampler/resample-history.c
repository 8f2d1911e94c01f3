/* SPDX-License-Identifier: Apache-2.0 */
#include "resample-history.h"

struct _ResampleHistory {
  GDestroyNotify free_data;
  guint capacity;
  guint head;
  guint count;
  ResampleSample ring[];
};

ResampleHistory *
resample_history_new (guint n_slots, GDestroyNotify free_data)
{
  /* Two for each stretch, and the one before them all. */
  guint capacity = 2 * n_slots + 1;
  ResampleHistory *self = g_malloc (sizeof *self + capacity * sizeof *self->ring);

  *self = (ResampleHistory){ .free_data = free_data, .capacity = capacity };
  return self;
}

void
resample_history_free (ResampleHistory *self)
{
  if (self == NULL)
    return;
  resample_history_clear (self);
  g_free (self);
}

static ResampleSample *
at (ResampleHistory *self, guint i)
{
  guint place = self->head + i;

  return &self->ring[place >= self->capacity ? place - self->capacity : place];
}

static void
drop_oldest (ResampleHistory *self)
{
  self->free_data (at (self, 0)->data);
  self->head = self->head + 1 == self->capacity ? 0 : self->head + 1;
  self->count--;
}

void
resample_history_clear (ResampleHistory *self)
{
  while (self->count > 0)
    drop_oldest (self);
}

gboolean
resample_history_add (ResampleHistory *self, ResampleSample sample)
{
  ResampleSample *newest = self->count > 0 ? at (self, self->count - 1) : NULL;
  gboolean crowded;

  if (newest != NULL && sample.host_ns <= newest->host_ns) {
    self->free_data (sample.data);
    return FALSE;
  }
  crowded = self->count >= 2 && newest->slot == sample.slot &&
            at (self, self->count - 2)->slot == sample.slot;
  if (crowded || self->count == self->capacity) {
    self->free_data (newest->data);
    *newest = sample;
  } else
    *at (self, self->count++) = sample;
  return TRUE;
}

void
resample_history_around (ResampleHistory *self, gint64 host_ns, const ResampleSample **ret_before,
                         const ResampleSample **ret_after)
{
  while (self->count >= 2 && at (self, 1)->host_ns <= host_ns)
    drop_oldest (self);
  *ret_before = NULL;
  *ret_after = NULL;
  if (self->count > 0 && at (self, 0)->host_ns <= host_ns) {
    *ret_before = at (self, 0);
    *ret_after = self->count > 1 ? at (self, 1) : NULL;
  } else if (self->count > 0)
    *ret_after = at (self, 0);
}

guint
resample_history_count (const ResampleHistory *self)
{
  return self->count;
}
