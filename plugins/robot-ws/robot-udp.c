/* SPDX-License-Identifier: Apache-2.0 */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "robot-transport.h"

/* One datagram is 65507 bytes at most, so this shows every cut. */
#define BUFFER_SIZE 65536
#define RECEIVE_BUFFER (4 << 20)
#define BATCH 64

typedef struct {
  RobotTransport base;
  guint turn;
  GCancellable *cancellable;
  guint16 port;
  GSocket *socket;
  GSource *source;
  guint8 *buffer;
  gint64 last_ns; /* CLOCK_MONOTONIC, of the newest datagram */
  guint32 kernel_drops;
} RobotUdp;

static void
finish (RobotUdp *self, const char *cause, const char *message)
{
  if (self->base.closed)
    return;
  self->base.closed = TRUE;
  self->base.events->closed (self->base.user, cause, message);
}

static void
read_controls (RobotUdp *self, struct msghdr *message, RobotArrival *arrival)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c)) {
    if (c->cmsg_level != SOL_SOCKET)
      continue;
    if (c->cmsg_type == SO_TIMESTAMPNS) {
      struct timespec time;

      memcpy (&time, CMSG_DATA (c), sizeof time);
      arrival->realtime_ns = time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
    } else if (c->cmsg_type == SO_RXQ_OVFL) {
      guint32 total;

      memcpy (&total, CMSG_DATA (c), sizeof total);
      if (total != self->kernel_drops)
        self->base.events->dropped (self->base.user, total);
      self->kernel_drops = total;
    }
  }
}

/* Reads one datagram. Returns FALSE when there is none, or after the end. */
static gboolean
read_datagram (RobotUdp *self)
{
  guint8 control[256];
  struct iovec part = { self->buffer, BUFFER_SIZE };
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
  };
  RobotArrival arrival = { 0 };
  gssize n = recvmsg (g_socket_get_fd (self->socket), &message, MSG_DONTWAIT | MSG_TRUNC);

  if (n < 0) {
    if (errno != EAGAIN && errno != EINTR)
      finish (self, errno == ECONNREFUSED ? "connection_refused" : "receive_failed",
              g_strerror (errno));
    return FALSE;
  }
  self->last_ns = g_get_monotonic_time () * 1000;
  read_controls (self, &message, &arrival);
  self->base.events->unit (self->base.user, self->buffer, MIN ((gsize) n, BUFFER_SIZE), (gsize) n,
                           n > BUFFER_SIZE ? ROBOT_REJECT_CUT : ROBOT_REJECT_NONE, arrival);
  return !self->base.closed;
}

static gboolean
on_readable (GSocket *socket, GIOCondition condition, gpointer data)
{
  RobotUdp *self = data;

  /* A bound, so that the heartbeat is never starved. */
  for (guint i = 0; i < BATCH && read_datagram (self); i++)
    ;
  return self->base.closed ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static void
open_socket (RobotUdp *self, GSocketAddress *address)
{
  g_autoptr (GError) error = NULL;

  self->socket = g_socket_new (g_socket_address_get_family (address), G_SOCKET_TYPE_DATAGRAM,
                               G_SOCKET_PROTOCOL_UDP, &error);
  /* Connected, so that nobody else's datagrams get in and refusals come out. */
  if (self->socket == NULL || !g_socket_connect (self->socket, address, NULL, &error)) {
    finish (self, "connect_failed", error->message);
    return;
  }
  g_socket_set_blocking (self->socket, FALSE);
  g_socket_set_option (self->socket, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER, NULL);
  g_socket_set_option (self->socket, SOL_SOCKET, SO_TIMESTAMPNS, 1, NULL);
  g_socket_set_option (self->socket, SOL_SOCKET, SO_RXQ_OVFL, 1, NULL);
  self->buffer = g_malloc (BUFFER_SIZE);
  self->last_ns = g_get_monotonic_time () * 1000;
  self->source = g_socket_create_source (self->socket, G_IO_IN, NULL);
  g_source_set_callback (self->source, G_SOURCE_FUNC (on_readable), self, NULL);
  g_source_attach (self->source, g_main_context_get_thread_default ());
  self->base.events->connected (self->base.user);
}

static void
on_resolved (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  GList *list = g_resolver_lookup_by_name_finish (G_RESOLVER (object), result, &error);
  g_autoptr (GSocketAddress) address = NULL;
  RobotUdp *self = data;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* freed meanwhile: `self` is no more */
  if (list == NULL) {
    finish (self, "unknown_host", error->message);
    return;
  }
  /* Nothing tells whether somebody listens there, so each connection takes the next address. */
  address = g_inet_socket_address_new (g_list_nth_data (list, self->turn % g_list_length (list)),
                                       self->port);
  g_resolver_free_addresses (list);
  open_socket (self, address);
}

static void
udp_send (RobotTransport *transport, const RobotPacket *packet)
{
  RobotUdp *self = (RobotUdp *) transport;

  if (self->socket == NULL)
    return;
  if (send (g_socket_get_fd (self->socket), packet->bytes, packet->size, MSG_DONTWAIT) < 0 &&
      errno == ECONNREFUSED)
    finish (self, "connection_refused", "nobody listens on the robot's port");
}

static void
udp_close (RobotTransport *transport)
{
  /* The goodbye was a message, and so is its answer: the user sees it, and frees us. */
}

static gint64
udp_idle_ns (RobotTransport *transport)
{
  RobotUdp *self = (RobotUdp *) transport;

  return self->socket == NULL ? -1 : g_get_monotonic_time () * 1000 - self->last_ns;
}

static void
udp_free (RobotTransport *transport)
{
  RobotUdp *self = (RobotUdp *) transport;

  self->base.closed = TRUE;
  g_cancellable_cancel (self->cancellable);
  if (self->source != NULL) {
    g_source_destroy (self->source);
    g_source_unref (self->source);
  }
  g_clear_object (&self->socket);
  g_object_unref (self->cancellable);
  g_free (self->buffer);
  g_free (self);
}

static const RobotTransportClass udp_class = {
  .send = udp_send,
  .close = udp_close,
  .idle_ns = udp_idle_ns,
  .free = udp_free,
};

RobotTransport *
robot_udp_new (const RobotAddress *address, guint turn, const RobotTransportEvents *events,
               gpointer user)
{
  RobotUdp *self = g_new0 (RobotUdp, 1);
  g_autoptr (GResolver) resolver = g_resolver_get_default ();

  self->base = (RobotTransport){ .klass = &udp_class, .events = events, .user = user };
  self->turn = turn;
  self->port = address->port;
  self->cancellable = g_cancellable_new ();
  g_resolver_lookup_by_name_async (resolver, address->host, self->cancellable, on_resolved, self);
  return &self->base;
}
