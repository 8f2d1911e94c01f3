/* SPDX-License-Identifier: Apache-2.0 */

#include <libsoup/soup.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "robot-transport.h"

typedef struct {
  RobotTransport base;
  GCancellable *cancellable; /* of the connecting */
  SoupSession *session;
  SoupWebsocketConnection *connection; /* NULL while connecting */
  int fd;                              /* of its socket, -1 when it cannot be had */
} RobotWebsocket;

/* What a robot or libsoup closes with, as words for the report. */
static const struct {
  gushort code;
  const char *cause, *rule;
} closes[] = {
  { 1000, "closed_1000", NULL },
  { 1001, "closed_1001", NULL },
  { 1002, "closed_1002", "websocket_1002" }, /* protocol error */
  { 1003, "closed_1003", NULL },
  { 1005, "closed_1005", NULL }, /* a Close without a code */
  { 1006, "disconnected", NULL },
  { 1007, "closed_1007", "websocket_1007" }, /* text that is not UTF-8 */
  { 1008, "closed_1008", NULL },
  { 1009, "closed_1009", "websocket_1009" }, /* too big */
  { 1011, "closed_1011", NULL },
};

static const char *
cause_of (gushort code)
{
  for (guint i = 0; i < G_N_ELEMENTS (closes); i++)
    if (closes[i].code == code)
      return closes[i].cause;
  return code == 0 ? "disconnected" : "closed";
}

static void
finish (RobotWebsocket *self, const char *cause, const char *message)
{
  if (self->base.closed)
    return;
  self->base.closed = TRUE;
  self->base.events->closed (self->base.user, cause, message);
}

static void
on_message (SoupWebsocketConnection *connection, gint type, GBytes *message, gpointer data)
{
  RobotWebsocket *self = data;
  gsize size;
  const guint8 *bytes = g_bytes_get_data (message, &size);

  self->base.events->unit (self->base.user, bytes, size, size,
                           type == SOUP_WEBSOCKET_DATA_TEXT ? ROBOT_REJECT_TEXT_FRAME
                                                            : ROBOT_REJECT_NONE,
                           (RobotArrival){ 0 });
}

static void
on_error (SoupWebsocketConnection *connection, GError *error, gpointer data)
{
  RobotWebsocket *self = data;

  if (self->base.closed || error->domain != SOUP_WEBSOCKET_ERROR)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (closes); i++) {
    if (closes[i].code != error->code || closes[i].rule == NULL)
      continue;
    /* libsoup has sent its Close; there is nothing more to be had from this robot. */
    self->base.events->refused (self->base.user, closes[i].rule);
    finish (self, closes[i].cause, error->message);
  }
}

static void
on_closed (SoupWebsocketConnection *connection, gpointer data)
{
  RobotWebsocket *self = data;
  gushort code = soup_websocket_connection_get_close_code (connection);
  const char *reason = soup_websocket_connection_get_close_data (connection);
  g_autofree char *message =
      code == 0 || code == 1006
          ? g_strdup ("the robot broke the connection")
          : g_strdup_printf ("the connection was closed with code %u%s%s", code,
                             reason != NULL ? ": " : "", reason != NULL ? reason : "");

  finish (self, cause_of (code), message);
}

/* libsoup wraps the socket; it may also give it as it is. */
static int
find_fd (SoupWebsocketConnection *connection)
{
  GIOStream *stream = soup_websocket_connection_get_io_stream (connection);
  g_autoptr (GIOStream) base = NULL;

  if (!G_IS_SOCKET_CONNECTION (stream) &&
      g_object_class_find_property (G_OBJECT_GET_CLASS (stream), "base-iostream") != NULL) {
    g_object_get (stream, "base-iostream", &base, NULL);
    stream = base;
  }
  if (stream == NULL || !G_IS_SOCKET_CONNECTION (stream))
    return -1;
  return g_socket_get_fd (g_socket_connection_get_socket (G_SOCKET_CONNECTION (stream)));
}

static const char *
cause_of_failure (const GError *error)
{
  if (error->domain == SOUP_WEBSOCKET_ERROR)
    return "no_websocket";
  if (error->domain == G_RESOLVER_ERROR)
    return "unknown_host";
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED))
    return "connection_refused";
  return "connect_failed";
}

static void
on_connected (GObject *object, GAsyncResult *result, gpointer data)
{
  RobotWebsocket *self = data;
  g_autoptr (GError) error = NULL;
  SoupWebsocketConnection *connection =
      soup_session_websocket_connect_finish (SOUP_SESSION (object), result, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* freed meanwhile: `self` is no more */
  if (connection == NULL) {
    finish (self, cause_of_failure (error), error->message);
    return;
  }
  self->connection = connection;
  self->fd = find_fd (connection);
  /* One byte more than a unit: longer ones are refused by libsoup, this one by us. */
  soup_websocket_connection_set_max_incoming_payload_size (connection, ROBOT_MAX_UNIT + 1);
  g_signal_connect (connection, "message", G_CALLBACK (on_message), self);
  g_signal_connect (connection, "error", G_CALLBACK (on_error), self);
  g_signal_connect (connection, "closed", G_CALLBACK (on_closed), self);
  self->base.events->connected (self->base.user);
}

static void
websocket_send (RobotTransport *transport, const RobotPacket *packet)
{
  RobotWebsocket *self = (RobotWebsocket *) transport;

  if (self->connection != NULL &&
      soup_websocket_connection_get_state (self->connection) == SOUP_WEBSOCKET_STATE_OPEN)
    soup_websocket_connection_send_binary (self->connection, packet->bytes, packet->size);
}

static void
websocket_close (RobotTransport *transport)
{
  RobotWebsocket *self = (RobotWebsocket *) transport;

  if (self->connection == NULL)
    self->base.closed = TRUE;
  else if (soup_websocket_connection_get_state (self->connection) == SOUP_WEBSOCKET_STATE_OPEN)
    soup_websocket_connection_close (self->connection, SOUP_WEBSOCKET_CLOSE_NORMAL, NULL);
}

/* libsoup does not tell of pings and unfinished messages, but the kernel knows. */
static gint64
websocket_idle_ns (RobotTransport *transport)
{
  RobotWebsocket *self = (RobotWebsocket *) transport;
  struct tcp_info info = { 0 };
  socklen_t length = sizeof info;

  if (self->fd < 0 || getsockopt (self->fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
    return -1;
  return (gint64) info.tcpi_last_data_recv * 1000000;
}

static void
websocket_free (RobotTransport *transport)
{
  RobotWebsocket *self = (RobotWebsocket *) transport;

  self->base.closed = TRUE;
  g_cancellable_cancel (self->cancellable);
  if (self->connection != NULL) {
    g_signal_handlers_disconnect_by_data (self->connection, self);
    g_object_unref (self->connection);
  }
  soup_session_abort (self->session);
  g_object_unref (self->session);
  g_object_unref (self->cancellable);
  g_free (self);
}

static const RobotTransportClass websocket_class = {
  .send = websocket_send,
  .close = websocket_close,
  .idle_ns = websocket_idle_ns,
  .free = websocket_free,
};

RobotTransport *
robot_websocket_new (const RobotAddress *address, const RobotTransportEvents *events, gpointer user)
{
  RobotWebsocket *self = g_new0 (RobotWebsocket, 1);
  g_autofree char *http = g_strconcat ("http", address->uri + strlen ("ws"), NULL);
  g_autoptr (SoupMessage) message = soup_message_new (SOUP_METHOD_GET, http);

  self->base = (RobotTransport){ .klass = &websocket_class, .events = events, .user = user };
  self->fd = -1;
  self->cancellable = g_cancellable_new ();
  self->session = soup_session_new ();
  /* A robot is on the local net: a proxy of the environment would only be in the way. */
  soup_session_set_proxy_resolver (self->session, NULL);
  /* A robot offers no extensions, and redirects are none of its business. */
  soup_message_disable_feature (message, SOUP_TYPE_WEBSOCKET_EXTENSION_MANAGER);
  soup_message_add_flags (message, SOUP_MESSAGE_NO_REDIRECT);
  soup_session_websocket_connect_async (self->session, message, NULL, NULL, G_PRIORITY_DEFAULT,
                                        self->cancellable, on_connected, self);
  return &self->base;
}
