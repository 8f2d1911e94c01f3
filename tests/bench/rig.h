/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/*
 * The workloads, as frames in hand. A stretch of them lies in memory and is gone
 * through again and again, with the clock going on: longer than a chunk, so that none
 * repeats itself, and short enough for a cache, where frames that were just pushed
 * would be.
 *
 * W1: two gloves (tactile and skeleton at 120 Hz, six IMUs at 800 Hz), two hands at
 * 1 kHz, a robot at 100, 50 and 1 Hz: 22 channels, 12.2 k messages/s, 4.4 MB/s.
 * W2: 100-byte messages on 20 channels.
 */

typedef struct {
  const char *node;
  char name[16];
  const AcqSchema *schema;
  guint rate_hz;
  gsize tail; /* bytes */
} RigChannel;

typedef struct {
  guint16 channel;
  guint32 offset_us; /* in the stretch */
  AcqCdrInput input;
  gsize bound; /* of the encoded message: as a sink does, it is asked for once */
  guint8 *cdr; /* the same, encoded */
  gsize cdr_size;
} RigMessage;

typedef struct {
  const char *name;
  RigChannel channels[32];
  guint n_channels;
  guint stretch_ms;
  guint n_messages; /* in a stretch */
  RigMessage *messages;
  guint64 bytes; /* of CDR, in a stretch */
} Rig;

Rig *rig_new_w1 (void);
Rig *rig_new_w2 (void);
void rig_free (Rig *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Rig, rig_free)
