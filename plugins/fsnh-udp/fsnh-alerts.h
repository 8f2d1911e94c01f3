/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "fsnh-allow.h"
#include "fsnh-protocol.h"

#include <acq/acq.h>

/**
 * FsnhRefusal:
 * @source: who sent it
 * @length: how long it was
 * @header: its first bytes
 *
 * The first datagram that was refused for a reason.
 */
typedef struct {
  FsnhSource source;
  gsize length;
  guint8 header[FSNH_HEADER_SIZE];
} FsnhRefusal;

/**
 * FsnhAlerts:
 *
 * What there is to tell about a socket: each reason once, drops of the kernel at most once a
 * second. Zero it to begin. Belongs to the reader, under its lock.
 */
typedef struct {
  /*< private >*/
  guint32 seen; /* bit set of FsnhReason */
  guint32 told;
  FsnhRefusal refusals[FSNH_N_REASONS];
  gboolean wrong_source_seen, wrong_source_told;
  FsnhSource wrong_source;
  gboolean valid_seen, doubt_told;
  guint doubts;
  FsnhConstants doubt;
  FsnhRefusal doubted;
  guint64 drops;
  gint64 drops_told_ns;
} FsnhAlerts;

/**
 * fsnh_alerts_refused:
 * @self: alerts
 * @reason: why
 * @bytes: the datagram
 * @length: its real length
 * @source: the sender
 *
 * Notices a refused datagram. When packets are refused for a constant of the header alone, and
 * none is right, that is an alert of its own: the constants in the protocol's document are
 * doubtful.
 */
void fsnh_alerts_refused (FsnhAlerts *self, FsnhReason reason, const guint8 *bytes, gsize length,
                          const FsnhSource *source);

/** fsnh_alerts_valid: a packet was right, so the constants are */
void fsnh_alerts_valid (FsnhAlerts *self);

void fsnh_alerts_wrong_source (FsnhAlerts *self, const FsnhSource *source);
void fsnh_alerts_drops (FsnhAlerts *self, guint64 n);

/**
 * fsnh_alerts_tell:
 * @self: alerts
 * @node: in whose name
 * @port: name of the port
 * @now_ns: host time
 *
 * Emits what is new. With the port not locked.
 */
void fsnh_alerts_tell (FsnhAlerts *self, AcqNode *node, const char *port, gint64 now_ns);
