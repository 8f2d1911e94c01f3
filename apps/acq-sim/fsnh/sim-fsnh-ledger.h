/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim-fsnh-packet.h"

#include <json-glib/json-glib.h>

/* What a correct receiver must count, from what the simulator knows about each datagram in
 * the order of sending. The names are those of acq-run's report. */

typedef enum {
  SIM_FSNH_PACKET,       /* valid */
  SIM_FSNH_DEFECTIVE,    /* `detail` is a SimFsnhDefect */
  SIM_FSNH_FOREIGN,      /* `detail` is a SimFsnhForeign */
  SIM_FSNH_WRONG_SOURCE, /* from an address that the receiver does not allow */
} SimFsnhWhat;

typedef enum {
  SIM_FSNH_FNIM,
  SIM_FSNH_PICO,
  SIM_FSNH_N_FOREIGN,
} SimFsnhForeign;

/* Which of the simulator's sockets sends. */
typedef enum {
  SIM_FSNH_FROM_MAIN,
  SIM_FSNH_FROM_SECOND, /* same address, another port */
  SIM_FSNH_FROM_WRONG,  /* another address */
  SIM_FSNH_N_SENDERS,
} SimFsnhSender;

/**
 * SimFsnhDatagram:
 * @what: what it is
 * @detail: see #SimFsnhWhat
 * @head: what the packet says
 * @solution: number of the hand's solution, not wrapped; counts on over a restart of the
 *   numbers on the wire
 * @life: how often the sender was restarted before
 * @variant: 0 for the packet of a solution, another number for each other one with the same
 *   solution; copies share it
 * @odd: bit set of #SimFsnhOddity
 * @sender: which socket
 * @length: bytes used
 * @bytes: the datagram
 */
typedef struct {
  SimFsnhWhat what;
  guint detail;
  SimFsnhHead head;
  guint64 solution;
  guint life;
  guint variant;
  guint odd;
  SimFsnhSender sender;
  gsize length;
  guint8 bytes[SIM_FSNH_MAX_DATAGRAM];
} SimFsnhDatagram;

typedef enum {
  SIM_FSNH_CLASS_FIRST,
  SIM_FSNH_CLASS_SENDER_RESTART,
  SIM_FSNH_CLASS_NEW,
  SIM_FSNH_CLASS_GAP,
  SIM_FSNH_CLASS_REPEAT_WITHOUT_NEW,
  SIM_FSNH_CLASS_REPEAT,
  SIM_FSNH_CLASS_DUPLICATE,
  SIM_FSNH_CLASS_INDEX_CONFLICT,
  SIM_FSNH_CLASS_REORDER,
  SIM_FSNH_N_CLASSES,
} SimFsnhClass;

/* What a receiver knows of one hand. */
typedef struct {
  guint64 classes[SIM_FSNH_N_CLASSES];
  guint64 lost;
  guint64 mode_changed;
  guint64 source_changed;
  guint64 forearm_stale;
  guint64 odd[SIM_FSNH_N_ODDITIES];
  SimFsnhHead first; /* the first frame */
  SimFsnhHead last;  /* the newest frame */

  guint64 newest; /* its solution */
  guint64 shift;  /* of its life's solutions, where no receiver saw that this life began */
  guint life;
  int variant; /* of the newest solution's packet, -1 where only a repeat of it came */
  SimFsnhSender locked;
} SimFsnhHandLedger;

typedef struct {
  guint64 datagrams;
  guint64 bytes;
  guint64 wrong_source;
  guint64 foreign[SIM_FSNH_N_FOREIGN];
  guint64 rejected[SIM_FSNH_N_DEFECTS];
  SimFsnhHandLedger hands[SIM_FSNH_N_HANDS];
} SimFsnhLedger;

/**
 * sim_fsnh_ledger_sent:
 * @self: zeroed at the start
 * @datagram: what is sent now
 *
 * Counts one datagram.
 */
void sim_fsnh_ledger_sent (SimFsnhLedger *self, const SimFsnhDatagram *datagram);

/**
 * sim_fsnh_ledger_accepted:
 * @self: a ledger
 * @hand: a hand
 *
 * Returns: valid packets of this hand
 */
guint64 sim_fsnh_ledger_accepted (const SimFsnhLedger *self, SimFsnhHand hand);

/**
 * sim_fsnh_ledger_report:
 * @self: a ledger
 * @builder: inside an object
 *
 * Adds `datagrams`, `bytes`, `wrong_source`, `foreign`, `rejected` and `hands`.
 */
void sim_fsnh_ledger_report (const SimFsnhLedger *self, JsonBuilder *builder);
