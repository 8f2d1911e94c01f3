/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/*
 * Sequence numbers of one stream. 32 bits, wrapping. Whether they step by one when a device
 * sends at a divided rate is not documented, so the step is learnt from the first frames:
 * it is the greatest common divisor of their distances. What was lost among them is told
 * when the step is known.
 */

#define WUJI_SEQUENCE_LEARN 16

typedef enum {
  WUJI_SEQUENCE_FRESH,
  WUJI_SEQUENCE_DUPLICATE, /* the same number again */
  WUJI_SEQUENCE_LATE,      /* behind its successor */
  WUJI_SEQUENCE_RESTART,   /* far from the one before: the counter began anew */
} WujiSequenceVerdict;

typedef struct {
  gboolean started;
  guint32 last;
  guint32 step;     /* 0 while nothing is known */
  guint n_learn;    /* distances still to be learnt from */
  guint64 distance; /* sum of those seen while learning, and how many */
  guint n_distances;
} WujiSequence;

void wuji_sequence_init (WujiSequence *self);

/* ret_lost: frames now known to be missing. */
WujiSequenceVerdict wuji_sequence_next (WujiSequence *self, guint32 seq, guint64 *ret_lost);

/* No more frames: what was lost among those that were still being learnt from. */
guint64 wuji_sequence_end (WujiSequence *self);
