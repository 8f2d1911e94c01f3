/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include "robot-address.h"
#include "robot-request.h"

/*
 * How units get to a robot and back. Everything happens on the thread-default main context of
 * the thread that makes a transport; nothing is called back once it is freed.
 */

/* When something was received. */
typedef struct {
  gint64 realtime_ns; /* a wall-clock stamp of the kernel, or 0 */
} RobotArrival;

typedef struct {
  void (*connected) (gpointer user);
  /*
   * A unit came. `reject` tells what the transport itself saw: a text message, a datagram that
   * was cut. `length` is what was sent, which may be more than `size`.
   */
  void (*unit) (gpointer user, const guint8 *bytes, gsize size, gsize length, RobotReject reject,
                RobotArrival arrival);
  /* It failed or was closed; called once at most. `cause` is a static word. */
  void (*closed) (gpointer user, const char *cause, const char *message);
  /* WebSocket: the library refused a message by itself, and will close; `rule` is static. */
  void (*refused) (gpointer user, const char *rule);
  /* UDP: so many datagrams were dropped by the kernel, in all. */
  void (*dropped) (gpointer user, guint64 total);
} RobotTransportEvents;

typedef struct _RobotTransport RobotTransport;

typedef struct {
  void (*send) (RobotTransport *self, const RobotPacket *packet);
  void (*close) (RobotTransport *self);
  gint64 (*idle_ns) (RobotTransport *self);
  void (*free) (RobotTransport *self);
} RobotTransportClass;

struct _RobotTransport {
  const RobotTransportClass *klass;
  const RobotTransportEvents *events;
  gpointer user;
  gboolean closed; /* nothing more will come */
};

/*
 * Begins to connect. `turn` counts the connections of a node: a name with several addresses is
 * tried at another one each time. (transfer full)
 */
RobotTransport *robot_websocket_new (const RobotAddress *address,
                                     const RobotTransportEvents *events, gpointer user);
RobotTransport *robot_udp_new (const RobotAddress *address, guint turn,
                               const RobotTransportEvents *events, gpointer user);

/* The one way out: packets are made by robot_request_encode() alone. */
void robot_transport_send (RobotTransport *self, const RobotPacket *packet);

/* Begins the polite end; self->closed tells when it is done. */
void robot_transport_close (RobotTransport *self);

/* Since when nothing at all was received, pings and parts of messages included; -1 unknown. */
gint64 robot_transport_idle_ns (RobotTransport *self);

/* Ends it now, politely closed or not. Takes NULL. */
void robot_transport_free (RobotTransport *self);
