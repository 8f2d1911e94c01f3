/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "fsnh-protocol.h"

/* What a valid packet is in the sequence of its hand. Pure state: no I/O, no allocation;
 * one thread at a time. The two hands are independent, each has its own FsnhSequence.
 *
 * With d = the signed difference of frame_index to the last accepted one (modulo 2³²) and
 * t = timestamp_ns, the first line that matches decides:
 *
 *   no packet yet                          first
 *   t is more than 1 s before the last     sender_restart   (its machine was restarted)
 *   d < 0 and t is later                   sender_restart   (its program was restarted)
 *   d < -120 or d > 100000                 sender_restart
 *   d < 0                                  reorder
 *   d = 0, not newly solved                repeat
 *   d = 0, the same bytes                  duplicate
 *   d = 0                                  index_conflict
 *   d > 0, not newly solved                repeat_without_new, d - 1 lost
 *   d = 1                                  new
 *   d > 1                                  gap, d - 1 lost
 *
 * first, sender_restart, repeat_without_new, new and gap are frames; repeat is a repeat;
 * duplicate and index_conflict are duplicates; reorder is late. */

typedef enum {
  FSNH_CLASS_FIRST,
  FSNH_CLASS_SENDER_RESTART,
  FSNH_CLASS_NEW,
  FSNH_CLASS_GAP,
  FSNH_CLASS_REPEAT_WITHOUT_NEW,
  FSNH_CLASS_REPEAT,
  FSNH_CLASS_DUPLICATE,
  FSNH_CLASS_INDEX_CONFLICT,
  FSNH_CLASS_REORDER,
  FSNH_N_CLASSES,
} FsnhClass;

/**
 * FsnhLedger:
 *
 * Where an accepted packet goes in the ledger.
 */
typedef enum {
  FSNH_LEDGER_FRAME,
  FSNH_LEDGER_REPEAT,
  FSNH_LEDGER_DUPLICATE,
  FSNH_LEDGER_LATE,
  FSNH_N_LEDGER,
} FsnhLedger;

/**
 * FsnhSource:
 * @address: IPv6, or IPv4 mapped into it
 * @port: host byte order
 * @scope: the interface of a link-local address, else 0
 *
 * Where a packet came from.
 */
typedef struct {
  guint8 address[16];
  guint32 port;
  guint32 scope;
} FsnhSource;

/** fsnh_source_equal: Returns: whether both are one sender */
gboolean fsnh_source_equal (const FsnhSource *a, const FsnhSource *b);

/**
 * FsnhVerdict:
 * @klass: the line of the table
 * @ledger: where it counts
 * @lost: solutions of this hand that never came, known from this packet
 * @started_on_repeat: a first packet (or restart) that was not newly solved
 * @upgraded: an index_conflict without a conflict: the index was known from a repeat, and
 *   this is the original that came late
 * @mode_changed: a frame with another number of joints than the frame before
 * @source_changed: it came from elsewhere than the hand's first packet (or restart)
 * @source_moved: it came from elsewhere than the packet before
 */
typedef struct {
  FsnhClass klass;
  FsnhLedger ledger;
  guint32 lost;
  gboolean started_on_repeat;
  gboolean upgraded;
  gboolean mode_changed;
  gboolean source_changed;
  gboolean source_moved;
} FsnhVerdict;

/**
 * FsnhSequence:
 *
 * One hand. Zero it to begin. Counts are public to read; durations are in nanoseconds of
 * the receive clock. A stall lasts from the first repeat to the packet that ends it;
 * silence is the time between two valid packets of the hand, whatever their class.
 */
typedef struct {
  guint64 accepted;
  guint64 classes[FSNH_N_CLASSES];
  guint64 ledger[FSNH_N_LEDGER];
  guint64 flags[FSNH_N_FLAGS];
  guint64 lost;
  guint64 started_on_repeat;
  guint64 upgraded;
  guint64 mode_changed;
  guint64 source_changed;
  gint64 longest_stall_ns;
  gint64 longest_silence_ns;
  guint32 first_index;
  guint32 last_index;
  guint64 first_timestamp_ns;
  guint64 last_timestamp_ns;
  guint8 last_joints;     /* of the newest frame */
  gint64 last_receive_ns; /* of the last valid packet */

  /*< private >*/
  gboolean known_from_repeat; /* no original of last_index has come yet */
  gint64 stall_begin_ns;
  gboolean stalled;
  FsnhSource locked;
  FsnhSource previous;
  guint16 n_bytes;
  guint8 bytes[FSNH_FOREARM_SIZE]; /* the original of last_index, or the repeat for it */
} FsnhSequence;

/**
 * fsnh_sequence_next:
 * @self: the hand's state
 * @packet: a valid packet of this hand
 * @bytes: the datagram it came from
 * @source: where it came from
 * @receive_ns: when, on any clock that does not step
 *
 * Returns: what the packet is; the counts are updated
 */
FsnhVerdict fsnh_sequence_next (FsnhSequence *self, const FsnhPacket *packet, const guint8 *bytes,
                                const FsnhSource *source, gint64 receive_ns);

/**
 * fsnh_class_name:
 *
 * Returns: the name, like `repeat_without_new`
 */
const char *fsnh_class_name (FsnhClass klass);

/**
 * fsnh_class_ledger:
 *
 * Returns: where packets of a class count
 */
FsnhLedger fsnh_class_ledger (FsnhClass klass);

/**
 * fsnh_ledger_name:
 *
 * Returns: `frames`, `repeats`, `duplicates` or `late`
 */
const char *fsnh_ledger_name (FsnhLedger ledger);
