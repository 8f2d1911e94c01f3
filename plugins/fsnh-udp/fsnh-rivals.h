/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "fsnh-sequence.h"

#define FSNH_RIVALS_CHANGES 3
#define FSNH_RIVALS_WINDOW_NS G_GINT64_CONSTANT (2000000000)

/**
 * FsnhRivals:
 * @active: two programs send this hand
 * @pair: the two, while @active and after it
 * @sender: of the newest packet
 *
 * Whether one hand is sent by two programs at once. A restart changes the sender once; rivals
 * change it back and forth: three times within two seconds, to one that was there before.
 * They are over when it has not changed for as long. Zero it to begin. Pure state; one thread
 * at a time.
 */
typedef struct {
  gboolean active;
  FsnhSource pair[2];
  FsnhSource sender;

  /*< private >*/
  gboolean known; /* sender is set */
  guint n;        /* changes since the last rivals, or the beginning */
  gint64 times[FSNH_RIVALS_CHANGES];
  FsnhSource left[FSNH_RIVALS_CHANGES]; /* who was left in those changes */
  gint64 changed_ns;
} FsnhRivals;

/**
 * fsnh_rivals_take:
 * @self: state
 * @source: who sent the packet
 * @restart: its numbers begin anew: a change also when the address is the same
 * @receive_ns: when, on any clock that does not step
 *
 * Returns: whether rivals begin with this packet
 */
gboolean fsnh_rivals_take (FsnhRivals *self, const FsnhSource *source, gboolean restart,
                           gint64 receive_ns);

/**
 * fsnh_rivals_end:
 * @self: state
 * @receive_ns: everything that came until then has been taken
 *
 * Returns: whether rivals are over now; once
 */
gboolean fsnh_rivals_end (FsnhRivals *self, gint64 receive_ns);
