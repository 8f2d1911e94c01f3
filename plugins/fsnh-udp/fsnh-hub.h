/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "fsnh-allow.h"
#include "fsnh-hand.h"
#include "fsnh-socket.h"

/**
 * FsnhHub:
 *
 * One UDP port of one graph, which the nodes of both hands share: the socket, its ledger, the
 * thread that reads it, and who gets what. The ledger lives as long as some node has the hub,
 * also over a reconnect; the socket is open while some node uses it.
 */
typedef struct _FsnhHub FsnhHub;

/**
 * FsnhHubConfig:
 * @socket: what to bind
 * @allow: (transfer full): who may send
 * @constants: the numbers of the header
 *
 * What both nodes must agree on.
 */
typedef struct {
  FsnhSocketConfig socket;
  FsnhAllow *allow;
  FsnhConstants constants;
} FsnhHubConfig;

/**
 * fsnh_hub_get:
 * @graph: the graph of the node
 * @socket: address and port name the hub
 *
 * Returns: (transfer full): the hub of that port, made when it is new
 */
FsnhHub *fsnh_hub_get (AcqGraph *graph, const FsnhSocketConfig *socket);
void fsnh_hub_unref (FsnhHub *self);

AcqPort *fsnh_hub_get_port (FsnhHub *self);

/**
 * fsnh_hub_use:
 * @self: a hub
 * @node: who uses it from now on
 * @side: for which hand
 * @config: (transfer full): what the node wants; the members are taken over or freed
 * @error: another node has this hand, or wants something else, or the socket cannot be had
 *
 * Opens the socket for the first node. The node's hand must join then; until it does, nothing
 * is read. Datagrams of a hand that no node uses are counted as the other hand's. Undo with
 * fsnh_hub_leave().
 */
gboolean fsnh_hub_use (FsnhHub *self, AcqNode *node, guint side, FsnhHubConfig *config,
                       GError **error);

/**
 * fsnh_hub_join:
 * @self: a hub that the hand's node uses
 * @hand: (unowned): gets its packets from now on
 *
 * Not before the hand's streams are published: the reader holds the port's lock when it pushes.
 */
void fsnh_hub_join (FsnhHub *self, FsnhHand *hand);

/**
 * fsnh_hub_part:
 * @self: a hub
 * @hand: when this returns, the reader knows it no longer
 */
void fsnh_hub_part (FsnhHub *self, FsnhHand *hand);

/**
 * fsnh_hub_leave:
 * @self: a hub that @side uses
 * @side: which hand does not any more
 *
 * Closes the socket after the last.
 */
void fsnh_hub_leave (FsnhHub *self, guint side);
