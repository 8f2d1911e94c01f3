/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-sequence.h"

/* A frame this far behind is not late, and one this far ahead does not follow on a loss. */
#define MAX_BEHIND 4096
#define MAX_AHEAD (1 << 20)

void
wuji_sequence_init (WujiSequence *self)
{
  *self = (WujiSequence){ .n_learn = WUJI_SEQUENCE_LEARN };
}

static guint32
common_divisor (guint32 a, guint32 b)
{
  while (b != 0) {
    guint32 rest = a % b;

    a = b;
    b = rest;
  }
  return a;
}

guint64
wuji_sequence_end (WujiSequence *self)
{
  guint64 lost = 0;

  if (self->step > 0)
    lost = self->distance / self->step - self->n_distances;
  self->distance = 0;
  self->n_distances = 0;
  self->n_learn = 0;
  return lost;
}

static guint64
advance (WujiSequence *self, guint32 distance)
{
  if (self->n_learn > 0) {
    self->step = common_divisor (self->step, distance);
    self->distance += distance;
    self->n_distances++;
    return --self->n_learn == 0 ? wuji_sequence_end (self) : 0;
  }
  /* Closer together than ever before: the device went back to a higher rate. */
  if (distance % self->step != 0)
    self->step = common_divisor (self->step, distance);
  return distance / self->step - 1;
}

WujiSequenceVerdict
wuji_sequence_next (WujiSequence *self, guint32 seq, guint64 *ret_lost)
{
  gint32 distance = (gint32) (seq - self->last);

  *ret_lost = 0;
  if (!self->started) {
    self->started = TRUE;
    self->last = seq;
    return WUJI_SEQUENCE_FRESH;
  }
  if (distance == 0)
    return WUJI_SEQUENCE_DUPLICATE;
  if (distance < 0 && distance > -MAX_BEHIND)
    return WUJI_SEQUENCE_LATE;
  self->last = seq;
  if (distance < 0 || distance > MAX_AHEAD)
    return WUJI_SEQUENCE_RESTART;
  *ret_lost = advance (self, (guint32) distance);
  return WUJI_SEQUENCE_FRESH;
}
