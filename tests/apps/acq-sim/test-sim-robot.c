/* SPDX-License-Identifier: Apache-2.0 */

#include <errno.h>
#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "robot/sim-robot-ws.h"

/* ---- WebSocket, the server's side ---- */

static void
test_frames (void)
{
  static const gsize lengths[] = { 0, 1, 125, 126, 300, 65535, 65536, 70000 };
  g_autofree guint8 *payload = g_malloc0 (70000);

  for (guint i = 0; i < 70000; i++)
    payload[i] = (guint8) (i * 7);
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    for (int mask = 0; mask < 2; mask++) {
      g_autoptr (GByteArray) out = g_byte_array_new ();
      SimWsFrame frame;
      guint size;

      sim_ws_append (out, mask, 2, SIM_WS_BINARY, mask, payload, lengths[i]);
      size = out->len;
      g_assert_cmpuint (size, ==,
                        lengths[i] +
                            (lengths[i] < 126     ? 2
                             : lengths[i] < 65536 ? 4
                                                  : 10) +
                            (mask ? 4 : 0));
      for (guint cut = 0; cut < MIN (size, 200); cut++)
        g_assert_cmpuint (sim_ws_parse (out->data, cut == size ? 0 : cut, &frame), ==, 0);
      g_assert_cmpuint (sim_ws_parse (out->data, size, &frame), ==, size);
      g_assert_cmpmem (frame.payload, frame.length, payload, lengths[i]);
      g_assert_cmpint (frame.fin, ==, mask);
      g_assert_cmpint (frame.masked, ==, mask);
      g_assert_cmpuint (frame.rsv, ==, 2);
      g_assert_cmpuint (frame.opcode, ==, SIM_WS_BINARY);
    }
  }
}

static void
test_requests (void)
{
  static const struct {
    const char *text;
    const char *accept;
  } requests[] = {
    { "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
      "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" },
    { "GET / HTTP/1.1\r\nhost: x\r\nUPGRADE: WebSocket\r\nconnection: keep-alive, Upgrade\r\n"
      "sec-websocket-key:dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
      "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" },
    { "GET / HTTP/1.1\r\nHost: x\r\n\r\n", NULL },
    { "POST / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Key: a\r\n"
      "Sec-WebSocket-Version: 13\r\n\r\n",
      NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
    g_autofree char *accept = NULL;
    const char *problem;
    gsize length = strlen (requests[i].text);

    g_assert_cmpint (sim_ws_parse_request (requests[i].text, length - 1, &accept, &problem), ==, 0);
    g_assert_cmpint (sim_ws_parse_request (requests[i].text, length, &accept, &problem), ==,
                     requests[i].accept ? (gssize) length : -1);
    g_assert_cmpstr (accept, ==, requests[i].accept);
    g_assert_true ((problem != NULL) == (accept == NULL));
  }
}

/* ---- the whole program, over UDP ---- */

typedef struct {
  char *directory, *ports, *report;
  GPid pid;
  GSocket *socket;
} Fixture;

static void
start (Fixture *f, const char *extra)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocketAddress) address = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autofree char *program =
      g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "apps", "acq-sim", "acq-sim", NULL);
  const char *argv[] = { program,      "robot", "-q",           "--ws-port", "0",
                         "--udp-port", "0",     "--ports-file", NULL,        "--report",
                         NULL,         "-d",    "20s",          extra,       NULL };
  gint64 port;

  f->directory = g_dir_make_tmp ("sim-robot-XXXXXX", &error);
  f->ports = g_build_filename (f->directory, "ports", NULL);
  f->report = g_build_filename (f->directory, "report", NULL);
  argv[8] = f->ports;
  argv[10] = f->report;
  g_assert_true (g_spawn_async (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                &f->pid, &error));
  for (guint i = 0; !g_file_test (f->ports, G_FILE_TEST_EXISTS); i++) {
    g_assert_cmpuint (i, <, 1000);
    g_usleep (10000);
  }
  g_assert_true (json_parser_load_from_file (parser, f->ports, &error));
  port = json_object_get_int_member (json_node_get_object (json_parser_get_root (parser)), "udp");
  f->socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, 0, &error);
  address = g_inet_socket_address_new_from_string ("127.0.0.1", (guint) port);
  g_assert_true (g_socket_connect (f->socket, address, NULL, &error));
  g_socket_set_timeout (f->socket, 5);
}

static void
send_text (Fixture *f, const char *json)
{
  gsize length = strlen (json);
  g_autofree char *unit = g_malloc0 (16 + length);

  memcpy (unit, "ZSKJ", 4);
  unit[4] = (char) (length & 0xFF);
  unit[5] = (char) (length >> 8);
  unit[6] = 9;
  memcpy (unit + 16, json, length);
  g_assert_cmpint (g_socket_send (f->socket, unit, 16 + length, NULL, NULL), ==,
                   (gssize) length + 16);
}

/* Reads until a message of this type came. */
static JsonObject *
wait_for (Fixture *f, gint64 type, JsonParser *parser)
{
  for (;;) {
    char unit[65536];
    gssize n = g_socket_receive (f->socket, unit, sizeof unit, NULL, NULL);
    JsonObject *root;

    g_assert_cmpint (n, >, 16);
    g_assert_cmpmem (unit, 4, "ZSKJ", 4);
    g_assert_true (json_parser_load_from_data (parser, unit + 16, n - 16, NULL));
    root = json_node_get_object (json_parser_get_root (parser));
    if (json_object_get_int_member (json_object_get_object_member (root, "head"), "type") == type)
      return root;
  }
}

static int
finish (Fixture *f, gboolean interrupt)
{
  int status;

  if (interrupt)
    kill (f->pid, SIGTERM);
  g_assert_cmpint (waitpid (f->pid, &status, 0), ==, f->pid);
  g_assert_true (WIFEXITED (status));
  g_object_unref (f->socket);
  return WEXITSTATUS (status);
}

static void
clear (Fixture *f)
{
  remove (f->ports);
  remove (f->report);
  remove (f->directory);
  g_free (f->ports);
  g_free (f->report);
  g_free (f->directory);
}

#define HANDSHAKE                                                                                  \
  "{\"data\":{\"version\":\"1\",\"protocol_version\":\"1.2.0\",\"device\":\"d\",\"platform\":"     \
  "\"p\",\"package_name\":\"t\"},\"head\":{\"src\":4,\"time\":77,\"type\":1000}}"

static void
test_passive (void)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  Fixture f;
  JsonObject *root, *client, *sent;

  start (&f, NULL);
  send_text (&f, HANDSHAKE);
  root = wait_for (&f, 1000, parser);
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (root, "data"), "status_code"), ==,
      0);
  send_text (&f, "{\"data\":{\"enable\":true,\"freq\":0,\"sensor\":10},"
                 "\"head\":{\"src\":4,\"time\":78,\"type\":1008}}");
  root = wait_for (&f, 1008, parser);
  g_assert_true (json_object_has_member (json_object_get_object_member (root, "data"), "freq"));
  send_text (&f, "{\"head\":{\"src\":4,\"time\":79,\"type\":1001}}");
  root = wait_for (&f, 1001, parser);
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (root, "head"), "time"), ==, 79);
  wait_for (&f, 1100, parser);
  root = wait_for (&f, 1004, parser);
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (root, "data"), "ctrl_source"), ==,
      3); /* nobody had control: now we do */
  send_text (&f, "{\"head\":{\"src\":4,\"time\":80,\"type\":1050}}");
  wait_for (&f, 1050, parser);
  g_assert_cmpint (finish (&f, TRUE), ==, 0);
  g_assert_true (json_parser_load_from_file (parser, f.report, NULL));
  root = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpint (json_object_get_int_member (root, "violations"), ==, 0);
  client = json_array_get_object_element (json_object_get_array_member (root, "clients"), 0);
  g_assert_true (json_object_get_boolean_member (client, "goodbye"));
  g_assert_true (json_object_get_boolean_member (client, "was_owner"));
  sent = json_object_get_object_member (client, "sent");
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (sent, "handshake"), "messages"),
      ==, 1);
  clear (&f);
}

/* Who comes first owns an idle robot; who comes later hears when that ends. */
static void
test_roles (void)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GSocketAddress) address = NULL;
  Fixture f, second;
  JsonObject *root;

  start (&f, "--ignore-observers");
  second = f;
  second.socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, 0, NULL);
  address = g_socket_get_remote_address (f.socket, NULL);
  g_assert_true (g_socket_connect (second.socket, address, NULL, NULL));
  g_socket_set_timeout (second.socket, 5);
  send_text (&f, HANDSHAKE);
  wait_for (&f, 1000, parser);
  send_text (&second, HANDSHAKE);
  wait_for (&second, 1000, parser);
  send_text (&second, "{\"data\":{\"enable\":true,\"freq\":0,\"sensor\":10},"
                      "\"head\":{\"src\":4,\"time\":78,\"type\":1008}}");
  send_text (&f, "{\"head\":{\"src\":4,\"time\":80,\"type\":1050}}");
  wait_for (&second, 1017, parser);
  root = wait_for (&second, 1004, parser);
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (root, "data"), "ctrl_source"), ==,
      0); /* observers are not promoted */
  g_object_unref (second.socket);
  g_assert_cmpint (finish (&f, TRUE), ==, 0);
  g_assert_true (json_parser_load_from_file (parser, f.report, NULL));
  root = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                    "clients"),
      1);
  g_assert_false (json_object_get_boolean_member (root, "was_owner"));
  g_assert_false (json_object_has_member (json_object_get_object_member (root, "sent"), "sensor"));
  clear (&f);
}

/* Everything that would move or claim a robot ends the simulation with its own exit code. */
static void
test_violations (void)
{
  static const char *const texts[] = {
    "{\"head\":{\"src\":4,\"time\":79,\"type\":1001}}", /* before the handshake */
    HANDSHAKE "{\"data\":{\"cmd\":\"emergency/stop\"},\"head\":{\"type\":1002}}",
    HANDSHAKE "{\"data\":{\"lx\":0},\"head\":{\"type\":1003}}",
    HANDSHAKE "{\"head\":{\"type\":1013}}",
    HANDSHAKE "{\"head\":{\"type\":1015}}",
    HANDSHAKE "{\"head\":{\"type\":1018}}",
    HANDSHAKE "not json",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    const char *text = texts[i];
    Fixture f;

    start (&f, NULL);
    if (g_str_has_prefix (text, HANDSHAKE)) {
      send_text (&f, HANDSHAKE);
      text += strlen (HANDSHAKE);
    }
    send_text (&f, text);
    g_assert_cmpint (finish (&f, FALSE), ==, 4);
    clear (&f);
  }
}

static void
test_allowed_control (void)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  Fixture f;
  JsonObject *root;

  start (&f, "--allow-control");
  send_text (&f, HANDSHAKE);
  send_text (&f, "{\"head\":{\"type\":1013}}");
  root = wait_for (&f, 1013, parser);
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (root, "data"), "error_code"), ==,
      1);
  g_assert_cmpint (finish (&f, TRUE), ==, 0);
  clear (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim-robot/frames", test_frames);
  g_test_add_func ("/sim-robot/requests", test_requests);
  g_test_add_func ("/sim-robot/passive", test_passive);
  g_test_add_func ("/sim-robot/roles", test_roles);
  g_test_add_func ("/sim-robot/violations", test_violations);
  g_test_add_func ("/sim-robot/allowed-control", test_allowed_control);
  return g_test_run ();
}
