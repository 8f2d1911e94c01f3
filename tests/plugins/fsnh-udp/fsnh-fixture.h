/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim-fsnh-packet.h"

#include <acq/acq-harness.h>
#include <acq/acq.h>

/**
 * FsnhFixture:
 * @harness: a live one with the node `left_hand`
 * @address: an address of the loopback that no other test has
 * @udp_port: the port there
 * @port: name of the port in the ledger
 * @writer: makes packets
 *
 * The plugin, real sockets, and a sender.
 */
typedef struct {
  AcqHarness *harness;
  char *address;
  guint udp_port;
  char *port;
  SimFsnhWriter *writer;

  /*< private >*/
  AcqRegistry *registry;
  GSocket *sender;
  GSocket *other;
  GSocketAddress *target;
} FsnhFixture;

/**
 * fsnh_fixture_new:
 * @address: (nullable): where the node listens; %NULL is an address of its own
 * @options: option, value, …, %NULL: of the node `left_hand`, beside side and address
 */
FsnhFixture *fsnh_fixture_new (const char *address, const char *const *options);
void fsnh_fixture_free (FsnhFixture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FsnhFixture, fsnh_fixture_free)

/**
 * fsnh_fixture_add:
 * @self: not started
 * @id: of a further node at the same address
 * @options: option, value, …, %NULL
 */
void fsnh_fixture_add (FsnhFixture *self, const char *id, const char *const *options);

/** fsnh_fixture_start: opens; what is sent from now on is read */
void fsnh_fixture_start (FsnhFixture *self);

/** fsnh_fixture_send_bytes: one datagram */
void fsnh_fixture_send_bytes (FsnhFixture *self, const guint8 *bytes, gsize length);

/** fsnh_fixture_send: one packet of the motion, its clock 8333333 ns per index */
void fsnh_fixture_send (FsnhFixture *self, SimFsnhHand hand, SimFsnhMode mode, guint32 index,
                        gboolean solved);

/** fsnh_fixture_change_sender: from now on another socket sends */
void fsnh_fixture_change_sender (FsnhFixture *self);

/** fsnh_fixture_swap_sender: two sockets take turns; the second is made when first wanted */
void fsnh_fixture_swap_sender (FsnhFixture *self);

/** fsnh_fixture_wait_packets: until the port has counted @n datagrams */
void fsnh_fixture_wait_packets (FsnhFixture *self, guint64 n);

/** fsnh_fixture_wait_event: an event that must come */
const AcqEvent *fsnh_fixture_wait_event (FsnhFixture *self, const char *name);
