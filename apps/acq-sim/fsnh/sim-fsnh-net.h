/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim-fsnh-ledger.h"

/**
 * SimFsnhTarget:
 * @host: name or address, IPv4 or IPv6, also of a multicast group
 * @port: UDP port
 * @bind: (nullable): our own address
 * @wrong: (nullable): the address of the wrong source; %NULL is 127.0.0.2 where that can be
 * @interface: (nullable): for multicast, and for link-local addresses
 * @hops: how far multicast may go
 * @needs_wrong: whether there will be datagrams from the wrong source
 */
typedef struct {
  const char *host;
  guint16 port;
  const char *bind;
  const char *wrong;
  const char *interface;
  int hops;
  gboolean needs_wrong;
} SimFsnhTarget;

/**
 * SimFsnhNet:
 *
 * The simulator's sockets. Datagrams are collected and go out together, in order.
 */
typedef struct _SimFsnhNet SimFsnhNet;

SimFsnhNet *sim_fsnh_net_open (const SimFsnhTarget *target, GError **error);
void sim_fsnh_net_close (SimFsnhNet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimFsnhNet, sim_fsnh_net_close)

/**
 * sim_fsnh_net_send:
 * @self: open
 * @datagram: copied
 * @error: why it cannot be sent
 *
 * Puts a datagram behind the others; sends all when there are many.
 */
gboolean sim_fsnh_net_send (SimFsnhNet *self, const SimFsnhDatagram *datagram, GError **error);

/**
 * sim_fsnh_net_flush:
 *
 * Sends everything now.
 */
gboolean sim_fsnh_net_flush (SimFsnhNet *self, GError **error);

/**
 * sim_fsnh_net_get_target:
 *
 * Returns: like `127.0.0.1:15001` or `[::1]:15001`
 */
const char *sim_fsnh_net_get_target (const SimFsnhNet *self);

/**
 * sim_fsnh_net_get_source:
 *
 * Returns: address and port that datagrams of @sender come from; %NULL when it is not used
 */
const char *sim_fsnh_net_get_source (const SimFsnhNet *self, SimFsnhSender sender);

/**
 * sim_fsnh_net_get_refused:
 *
 * Returns: how often the target's machine said that nobody listens there
 */
guint64 sim_fsnh_net_get_refused (const SimFsnhNet *self);
