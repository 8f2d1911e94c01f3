/* SPDX-License-Identifier: Apache-2.0 */

#include <arpa/inet.h>
#include <errno.h>
#include <gio/gio.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../sim-pace.h"
#include "sim-robot-ws.h"
#include "sim-robot.h"

#define MAX_OUT (4 << 20)
#define CLOSE_WAIT_NS G_GINT64_CONSTANT (1000000000)

/* ---- listening ---- */

static int
open_socket (const char *host, gint *port, int type, GError **error)
{
  g_autoptr (GInetAddress) inet = g_inet_address_new_from_string (host);
  g_autoptr (GSocketAddress) address = NULL;
  struct sockaddr_storage native;
  socklen_t length = sizeof native;
  int one = 1;
  int fd;

  if (inet == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "\"%s\" is no IP address", host);
    return -1;
  }
  address = g_inet_socket_address_new (inet, (guint16) *port);
  g_socket_address_to_native (address, &native, sizeof native, NULL);
  fd = socket (native.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0 ||
      (type == SOCK_STREAM && setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0) ||
      bind (fd, (struct sockaddr *) &native,
            (socklen_t) g_socket_address_get_native_size (address)) != 0 ||
      (type == SOCK_STREAM && listen (fd, 16) != 0) ||
      getsockname (fd, (struct sockaddr *) &native, &length) != 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot listen on %s port %d: %s", host,
                 *port, g_strerror (errno));
    if (fd >= 0)
      close (fd);
    return -1;
  }
  /* Port 0 became a real one, which a reboot must find again. */
  *port = ntohs (native.ss_family == AF_INET6 ? ((struct sockaddr_in6 *) &native)->sin6_port
                                              : ((struct sockaddr_in *) &native)->sin_port);
  return fd;
}

gboolean
sim_robot_listen (SimRobot *self, GError **error)
{
  gint odd_port = 0;

  self->ws_fd = self->udp_fd = self->odd_fd = -1;
  if (!self->no_ws &&
      (self->ws_fd = open_socket (self->host, &self->ws_port, SOCK_STREAM, error)) < 0)
    return FALSE;
  if (self->no_udp)
    return TRUE;
  self->udp_fd = open_socket (self->host, &self->udp_port, SOCK_DGRAM, error);
  if (self->udp_fd < 0)
    return FALSE;
  self->odd_fd = open_socket (self->host, &odd_port, SOCK_DGRAM, error);
  return self->odd_fd >= 0;
}

void
sim_robot_unlisten (SimRobot *self)
{
  int *fds[] = { &self->ws_fd, &self->udp_fd, &self->odd_fd };

  for (guint i = 0; i < G_N_ELEMENTS (fds); i++) {
    if (*fds[i] >= 0)
      close (*fds[i]);
    *fds[i] = -1;
  }
}

/* ---- clients ---- */

static SimRobotClient *
add_client (SimRobot *self, const struct sockaddr_storage *address, socklen_t length, int fd)
{
  SimRobotClient *client = g_new0 (SimRobotClient, 1);
  g_autoptr (GSocketAddress) gaddress =
      g_socket_address_new_from_native ((gpointer) address, length);
  g_autofree char *text = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (gaddress));

  client->number = self->clients->len + 1;
  client->udp = fd < 0;
  client->fd = fd;
  client->address = *address;
  client->address_length = length;
  client->peer = g_steal_pointer (&text);
  client->joined_ns = sim_now_ns () - self->start_ns;
  client->last_heard_ns = sim_now_ns ();
  client->close_code = -1;
  client->in = g_byte_array_new ();
  client->out = g_byte_array_new ();
  client->received = g_hash_table_new (NULL, NULL);
  client->faults = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  client->violations = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->clients, client);
  return client;
}

void
sim_robot_hang_up (SimRobot *self, SimRobotClient *client, gboolean reset)
{
  if (client->gone)
    return;
  if (client->fd >= 0) {
    struct linger now = { 1, 0 };

    if (reset)
      setsockopt (client->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close (client->fd);
    client->fd = -1;
  }
  client->gone = TRUE;
  client->left_ns = sim_now_ns () - self->start_ns;
  sim_robot_left (self, client);
}

static void
flush (SimRobot *self, SimRobotClient *client)
{
  while (!client->gone && client->out->len > 0) {
    gssize n = send (client->fd, client->out->data, client->out->len, MSG_NOSIGNAL);

    if (n < 0 && errno == EAGAIN)
      return;
    if (n < 0) {
      sim_robot_hang_up (self, client, FALSE);
      return;
    }
    client->bytes_out += (guint64) n;
    g_byte_array_remove_range (client->out, 0, (guint) n);
  }
}

void
sim_robot_transmit (SimRobot *self, SimRobotClient *client, const void *bytes, gsize size,
                    gboolean from_odd_port)
{
  if (client->gone)
    return;
  if (client->udp) {
    int fd = from_odd_port ? self->odd_fd : self->udp_fd;

    if (fd >= 0 && sendto (fd, bytes, size, 0, (struct sockaddr *) &client->address,
                           client->address_length) >= 0)
      client->bytes_out += size;
    return;
  }
  if (client->out->len > MAX_OUT) {
    sim_robot_hang_up (self, client, TRUE); /* it does not read */
    return;
  }
  g_byte_array_append (client->out, bytes, (guint) size);
  flush (self, client);
}

void
sim_robot_trickle (SimRobot *self, SimRobotClient *client, const void *bytes, gsize size)
{
  for (gsize i = 0; i < size; i++)
    sim_robot_transmit (self, client, (const guint8 *) bytes + i, 1, FALSE);
}

void
sim_robot_close (SimRobot *self, SimRobotClient *client, int code)
{
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  guint8 payload[2] = { (guint8) (code >> 8), (guint8) code };

  if (client->gone || client->udp || !client->upgraded || client->close_sent)
    return;
  sim_ws_append (frame, TRUE, 0, SIM_WS_CLOSE, FALSE, payload, code == 0 ? 0 : 2);
  sim_robot_transmit (self, client, frame->data, frame->len, FALSE);
  client->close_sent = TRUE;
  client->close_due_ns = sim_now_ns () + CLOSE_WAIT_NS;
}

/* ---- the upgrade ---- */

static const char *const http_answers[] = {
  [SIM_HTTP_404] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
  [SIM_HTTP_302] = "HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
  [SIM_HTTP_200] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
  [SIM_HTTP_BAD_ACCEPT] = ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                           "Connection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n"),
  [SIM_HTTP_GARBAGE] = "this is no HTTP\r\n\r\n",
  [SIM_HTTP_SILENT] = "",
};

/* Whether a fault of the plan answers the upgrade instead of us. */
static gboolean
upgrade_goes_wrong (SimRobot *self, SimRobotClient *client)
{
  guint64 beat = self->beats[SIM_ROBOT_UPGRADE]++;
  const SimFaultPlan *plan = self->options.faults;
  gint64 now = sim_now_ns ();

  for (gsize i = 0; i < plan->n_faults; i++) {
    const SimFault *fault = &plan->faults[i];

    if ((fault->kind != SIM_ROBOT_HTTP && fault->kind != SIM_ROBOT_DELAY) ||
        !sim_fault_fires (fault, (guint64) self->options.seed, SIM_ROBOT_UPGRADE, beat, 0, 0))
      continue;
    sim_robot_count_fault (client, SIM_ROBOT_UPGRADE, fault);
    if (fault->kind == SIM_ROBOT_DELAY) {
      client->upgrade_ns = now + fault->values[0] * 1000000;
      return TRUE;
    }
    sim_robot_transmit (self, client, http_answers[fault->values[0]],
                        strlen (http_answers[fault->values[0]]), FALSE);
    if (fault->values[0] == SIM_HTTP_SILENT)
      client->upgrade_ns = G_MAXINT64;
    else if (fault->values[0] != SIM_HTTP_BAD_ACCEPT)
      sim_robot_hang_up (self, client, FALSE);
    return TRUE;
  }
  return FALSE;
}

static void
read_upgrade (SimRobot *self, SimRobotClient *client)
{
  g_autofree char *accept = NULL;
  g_autofree char *answer = NULL;
  const char *problem;
  gssize n = sim_ws_parse_request ((char *) client->in->data, client->in->len, &accept, &problem);

  if (n == 0 || client->upgrade_ns > sim_now_ns ())
    return;
  if (n < 0) {
    sim_robot_violation (self, client, "its upgrade request is wrong: %s", problem);
    sim_robot_hang_up (self, client, FALSE);
    return;
  }
  if (client->upgrade_ns == 0 && upgrade_goes_wrong (self, client))
    return;
  answer = g_strdup_printf ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                            "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
                            accept);
  g_byte_array_remove_range (client->in, 0, (guint) n);
  client->upgraded = TRUE;
  sim_robot_transmit (self, client, answer, strlen (answer), FALSE);
}

/* ---- frames ---- */

static void
hear_close (SimRobot *self, SimRobotClient *client, const SimWsFrame *frame)
{
  g_autoptr (GByteArray) echo = g_byte_array_new ();

  client->close_received = TRUE;
  client->close_code = frame->length >= 2 ? frame->payload[0] << 8 | frame->payload[1] : 1005;
  if (client->close_code == 1000)
    client->goodbye = TRUE;
  if (self->mute_close && !client->close_sent)
    return;
  if (!client->close_sent) {
    sim_ws_append (echo, TRUE, 0, SIM_WS_CLOSE, FALSE, frame->payload, frame->length);
    sim_robot_transmit (self, client, echo->data, echo->len, FALSE);
  }
  sim_robot_hang_up (self, client, FALSE);
}

static void
hear_frame (SimRobot *self, SimRobotClient *client, const SimWsFrame *frame)
{
  g_autoptr (GByteArray) pong = g_byte_array_new ();

  if (!frame->masked || frame->rsv != 0)
    sim_robot_violation (self, client, "a frame without mask, or with a reserved bit");
  if (client->close_received)
    sim_robot_violation (self, client, "a frame behind its Close");
  switch (frame->opcode) {
  case SIM_WS_BINARY:
    if (!frame->fin)
      sim_robot_violation (self, client, "a fragmented message");
    sim_robot_hear (self, client, frame->payload, frame->length);
    break;
  case SIM_WS_CLOSE:
    hear_close (self, client, frame);
    break;
  case SIM_WS_PING:
    client->pings++;
    sim_ws_append (pong, TRUE, 0, SIM_WS_PONG, FALSE, frame->payload, frame->length);
    if (!sim_robot_is_quiet (self, sim_now_ns ()))
      sim_robot_transmit (self, client, pong->data, pong->len, FALSE);
    break;
  case SIM_WS_PONG:
    break;
  default:
    sim_robot_violation (self, client, "a frame of opcode %u", frame->opcode);
  }
}

static void
read_client (SimRobot *self, SimRobotClient *client)
{
  guint8 buffer[16384];
  SimWsFrame frame;
  gssize n = recv (client->fd, buffer, sizeof buffer, 0);
  gsize used;

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0) {
    sim_robot_hang_up (self, client, FALSE);
    return;
  }
  client->bytes_in += (guint64) n;
  client->last_heard_ns = sim_now_ns ();
  g_byte_array_append (client->in, buffer, (guint) n);
  if (!client->upgraded)
    read_upgrade (self, client);
  while (!client->gone && client->upgraded &&
         (used = sim_ws_parse (client->in->data, client->in->len, &frame)) > 0) {
    hear_frame (self, client, &frame);
    g_byte_array_remove_range (client->in, 0, (guint) used);
  }
}

static void
accept_clients (SimRobot *self)
{
  for (;;) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int one = 1;
    int fd =
        accept4 (self->ws_fd, (struct sockaddr *) &address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0)
      return;
    setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    add_client (self, &address, length, fd);
  }
}

/* The newest client of this address, which may be gone. */
static SimRobotClient *
find_peer (SimRobot *self, const struct sockaddr_storage *address, socklen_t length)
{
  for (guint i = self->clients->len; i-- > 0;) {
    SimRobotClient *client = self->clients->pdata[i];

    if (client->udp && client->address_length == length &&
        memcmp (&client->address, address, length) == 0)
      return client;
  }
  return NULL;
}

/* Whether it begins a session: someone whom a reboot made us forget goes on until he notices. */
static gboolean
is_handshake (const guint8 *bytes, gsize size)
{
  return g_strstr_len ((const char *) bytes, (gssize) size, "\"type\":1000") != NULL;
}

static void
read_datagrams (SimRobot *self)
{
  static guint8 buffer[65536];

  for (;;) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    SimRobotClient *client;
    gssize n;

    memset (&address, 0, sizeof address);
    n = recvfrom (self->udp_fd, buffer, sizeof buffer, 0, (struct sockaddr *) &address, &length);
    if (n < 0)
      return;
    client = find_peer (self, &address, length);
    if (client != NULL && client->gone) {
      if (!is_handshake (buffer, (gsize) n))
        continue;
      client = NULL;
    }
    if (client == NULL)
      client = add_client (self, &address, length, -1);
    client->bytes_in += (guint64) n;
    client->last_heard_ns = sim_now_ns ();
    sim_robot_hear (self, client, buffer, (gsize) n);
    if (client->goodbye)
      sim_robot_hang_up (self, client, FALSE);
  }
}

gint64
sim_robot_check_clients (SimRobot *self, gint64 now_ns)
{
  gint64 next = G_MAXINT64;

  for (guint i = 0; i < self->clients->len; i++) {
    SimRobotClient *client = self->clients->pdata[i];

    if (client->gone)
      continue;
    if (client->upgrade_ns != 0 && client->upgrade_ns <= now_ns && !client->upgraded)
      read_upgrade (self, client);
    if (client->close_sent && client->close_due_ns <= now_ns)
      sim_robot_hang_up (self, client, FALSE);
    else if (now_ns - client->last_heard_ns > self->client_timeout_ns)
      sim_robot_hang_up (self, client, FALSE);
    else
      next = MIN (next, client->last_heard_ns + self->client_timeout_ns + 1);
    if (client->close_sent)
      next = MIN (next, client->close_due_ns);
    if (client->upgrade_ns > now_ns)
      next = MIN (next, client->upgrade_ns);
  }
  return next;
}

void
sim_robot_poll (SimRobot *self, gint64 deadline_ns)
{
  g_autofree struct pollfd *fds = g_new0 (struct pollfd, self->clients->len + 2);
  guint n_clients = self->clients->len;
  gint64 wait_ns = CLAMP (deadline_ns - sim_now_ns (), 0, 100000000);
  struct timespec timeout = { 0, wait_ns };

  fds[0] = (struct pollfd){ self->ws_fd, POLLIN, 0 };
  fds[1] = (struct pollfd){ self->udp_fd, POLLIN, 0 };
  for (guint i = 0; i < n_clients; i++) {
    SimRobotClient *client = self->clients->pdata[i];

    fds[i + 2].fd = client->gone ? -1 : client->fd;
    fds[i + 2].events = (short) (POLLIN | (client->out->len > 0 ? POLLOUT : 0));
  }
  if (ppoll (fds, n_clients + 2, &timeout, NULL) <= 0)
    return;
  if (fds[0].revents != 0)
    accept_clients (self);
  if (fds[1].revents != 0)
    read_datagrams (self);
  for (guint i = 0; i < n_clients; i++) {
    SimRobotClient *client = self->clients->pdata[i];

    if (fds[i + 2].revents & POLLOUT)
      flush (self, client);
    if (!client->gone && fds[i + 2].revents & (POLLIN | POLLHUP | POLLERR))
      read_client (self, client);
  }
}
