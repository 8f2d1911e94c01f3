/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "fsnh-sequence.h"

#include <acq/acq.h>

/* Bytes of a datagram that are kept; longer ones are told with their real length. */
#define FSNH_RAW_MAX 2048

/**
 * FsnhHandConfig:
 * @side: %FSNH_LEFT or %FSNH_RIGHT
 * @layout: what the rows are relative to
 * @rate_hz: what the device is said to send
 * @silence_ns: without a solution for so long, somebody should look
 * @repeats: repeats give rows too
 */
typedef struct {
  guint side;
  FsnhLayout layout;
  double rate_hz;
  gint64 silence_ns;
  gboolean repeats;
} FsnhHandConfig;

/**
 * FsnhHand:
 *
 * One node's half of a socket: its streams, its place in the sequence, and what there is to
 * tell about it.
 *
 * Threads: made and ended by the node's own thread; in between take(), tell() and watch()
 * belong to the socket's reader.
 */
typedef struct _FsnhHand FsnhHand;

/**
 * fsnh_hand_new:
 * @source: (unowned): the node, being opened
 * @config: copied
 *
 * Declares the streams.
 */
FsnhHand *fsnh_hand_new (AcqSource *source, const FsnhHandConfig *config);

/**
 * fsnh_hand_free:
 * @self: (nullable): no longer known to the reader
 */
void fsnh_hand_free (FsnhHand *self);

guint fsnh_hand_get_side (const FsnhHand *self);
AcqSource *fsnh_hand_get_source (const FsnhHand *self);

/** fsnh_hand_get_raw: Returns: (nullable): the stream of raw datagrams, where it is wanted */
AcqStream *fsnh_hand_get_raw (const FsnhHand *self);

/**
 * FsnhArrival:
 * @host_ns: host time of receipt
 * @kernel_time: @host_ns is the kernel's
 * @mono_ns: the same moment on CLOCK_MONOTONIC
 * @source: the sender
 *
 * When and from where a datagram came.
 */
typedef struct {
  gint64 host_ns;
  gboolean kernel_time;
  gint64 mono_ns;
  FsnhSource source;
} FsnhArrival;

/**
 * fsnh_hand_take:
 * @self: a hand
 * @packet: a valid packet of its side
 * @bytes: the datagram
 * @arrival: when and from where
 *
 * Counts a packet and pushes its row. With the port locked.
 */
void fsnh_hand_take (FsnhHand *self, const FsnhPacket *packet, const guint8 *bytes,
                     const FsnhArrival *arrival);

/**
 * fsnh_hand_tell:
 * @self: a hand
 * @now_ns: host time
 *
 * Emits what take() noticed. After each batch, with the port not locked.
 */
void fsnh_hand_tell (FsnhHand *self, gint64 now_ns);

/**
 * fsnh_hand_watch:
 * @self: a hand
 * @read_ns: host time: everything that came until then has been taken
 * @dropped_ns: host time when the kernel was last seen to drop datagrams, which may have been
 *   this hand's; 0: never
 *
 * Notices and emits what does not come. Ten times a second, with the port not locked.
 */
void fsnh_hand_watch (FsnhHand *self, gint64 read_ns, gint64 dropped_ns);

/**
 * fsnh_hand_end:
 * @self: a hand that is no longer known to the reader
 *
 * Emits what is left, and the counters of the session as the event `counters`.
 */
void fsnh_hand_end (FsnhHand *self);
