/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/*
 * Workloads of the MCAP benchmarks, as frames in hand. A second of them lies in
 * memory and is gone through again and again, with the clock going on.
 *
 * W1: two gloves, two hands, a robot: 22 channels, 12.2 k messages/s, 4.4 MB/s.
 * W2: 100-byte messages on 20 channels.
 */

typedef struct {
  guint16 channel;
  guint32 offset_us; /* in the second */
  AcqCdrInput input;
  guint8 *cdr; /* the same, encoded */
  gsize cdr_size;
} RigMessage;

typedef struct {
  const char *name;
  guint n_channels;
  guint n_messages; /* in a second */
  RigMessage *messages;
  guint64 bytes; /* of CDR, in a second */
  guint seconds; /* of the workload */
} Rig;

Rig *rig_new_w1 (void);
Rig *rig_new_w2 (void);
void rig_free (Rig *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Rig, rig_free)
