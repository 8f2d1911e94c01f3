/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-rivals.h"

static gboolean
was_left (const FsnhRivals *self, const FsnhSource *source)
{
  for (guint i = 0; i < MIN (self->n, FSNH_RIVALS_CHANGES); i++)
    if (fsnh_source_equal (&self->left[i], source))
      return TRUE;
  return FALSE;
}

static gboolean
change (FsnhRivals *self, const FsnhSource *to, gint64 receive_ns)
{
  guint at = self->n++ % FSNH_RIVALS_CHANGES;

  self->times[at] = self->changed_ns = receive_ns;
  self->left[at] = self->sender;
  if (self->active || self->n < FSNH_RIVALS_CHANGES || !was_left (self, to) ||
      receive_ns - self->times[self->n % FSNH_RIVALS_CHANGES] > FSNH_RIVALS_WINDOW_NS)
    return FALSE;
  self->active = TRUE;
  self->pair[0] = self->sender;
  self->pair[1] = *to;
  return TRUE;
}

gboolean
fsnh_rivals_take (FsnhRivals *self, const FsnhSource *source, gboolean restart, gint64 receive_ns)
{
  gboolean changed = self->known && (restart || !fsnh_source_equal (source, &self->sender));
  gboolean begin = changed && change (self, source, receive_ns);

  self->sender = *source;
  self->known = TRUE;
  return begin;
}

gboolean
fsnh_rivals_end (FsnhRivals *self, gint64 receive_ns)
{
  if (!self->active || receive_ns - self->changed_ns < FSNH_RIVALS_WINDOW_NS)
    return FALSE;
  self->active = FALSE;
  self->n = 0;
  return TRUE;
}
