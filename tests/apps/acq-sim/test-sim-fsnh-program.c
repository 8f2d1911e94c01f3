/* SPDX-License-Identifier: Apache-2.0 */

/* The program over real sockets: what arrives is what its report says. */

#include "fsnh-protocol.h"
#include "sim-fsnh-motion.h"

#include <arpa/inet.h>
#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <net/if.h>
#include <string.h>
#include <sys/wait.h>

static const FsnhConstants documented = { FSNH_MAGIC, FSNH_QUAT_ORDER };

typedef struct {
  GSocket *socket;
  guint16 port;
  guint64 datagrams, bytes, valid[2], wrong_source, second_port;
} Receiver;

/* Returns: FALSE where the machine has no such address. */
static gboolean
receiver_open (Receiver *self, const char *address)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocketAddress) wanted = g_inet_socket_address_new_from_string (address, 0);
  g_autoptr (GSocketAddress) got = NULL;
  gboolean multicast = FALSE;
  GInetAddress *inet = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (wanted));

  memset (self, 0, sizeof *self);
  multicast = g_inet_address_get_is_multicast (inet);
  self->socket = g_socket_new (g_inet_address_get_family (inet), G_SOCKET_TYPE_DATAGRAM,
                               G_SOCKET_PROTOCOL_UDP, &error);
  g_assert_no_error (error);
  g_socket_set_option (self->socket, SOL_SOCKET, SO_RCVBUF, 4 << 20, NULL);
  if (!g_socket_bind (self->socket, wanted, FALSE, &error)) {
    g_clear_object (&self->socket);
    return FALSE;
  }
  if (multicast)
    g_socket_join_multicast_group (self->socket, inet, FALSE, "lo", &error);
  g_assert_no_error (error);
  got = g_socket_get_local_address (self->socket, &error);
  g_assert_no_error (error);
  self->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (got));
  g_socket_set_blocking (self->socket, FALSE);
  return TRUE;
}

static void
check_values (const FsnhPacket *packet)
{
  SimFsnhJoint joints[SIM_FSNH_MAX_JOINTS];
  guint n =
      sim_fsnh_motion (packet->hand - 1, packet->n_joints == 22 ? SIM_FSNH_FOREARM : SIM_FSNH_WRIST,
                       packet->frame_index, joints);

  g_assert_cmpmem (joints, n * sizeof *joints, packet->joints,
                   packet->n_joints * sizeof *packet->joints);
}

/* Loopback delivers before sendmmsg returns: when the program has ended, all is here. */
static void
receiver_drain (Receiver *self)
{
  g_autofree char *main_sender = NULL;
  char bytes[2048];

  for (;;) {
    g_autoptr (GSocketAddress) from = NULL;
    g_autofree char *sender = NULL;
    gssize n = g_socket_receive_from (self->socket, &from, bytes, sizeof bytes, NULL, NULL);
    FsnhPacket packet;

    if (n < 0)
      return;
    sender = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (from));
    if (main_sender == NULL)
      main_sender = g_strdup (sender);
    self->datagrams++;
    self->bytes += (guint64) n;
    if (g_str_has_prefix (sender, "127.0.0.2:")) {
      self->wrong_source++;
      continue;
    }
    self->second_port += !g_str_equal (sender, main_sender);
    if (fsnh_packet_parse ((guint8 *) bytes, (gsize) n, &documented, &packet) != FSNH_VALID)
      continue;
    self->valid[packet.hand - 1]++;
    check_values (&packet);
  }
}

static int
run (JsonObject **ret_report, char **ret_errors, const char *const *arguments)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autofree char *out = NULL;
  int status;

  g_ptr_array_add (argv, (char *) ACQ_SIM);
  for (; *arguments != NULL; arguments++)
    g_ptr_array_add (argv, (char *) *arguments);
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, ret_errors,
                &status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status));
  if (ret_report != NULL) {
    json_parser_load_from_data (parser, out, -1, &error);
    g_assert_no_error (error);
    *ret_report = json_object_ref (json_node_get_object (json_parser_get_root (parser)));
  }
  return WEXITSTATUS (status);
}

static gint64
hand_count (JsonObject *report, const char *hand, const char *name)
{
  JsonObject *hands = json_object_get_object_member (report, "hands");

  if (!json_object_has_member (hands, hand))
    return 0;
  return json_object_get_int_member (json_object_get_object_member (hands, hand), name);
}

static void
test_send (gconstpointer data)
{
  static const char faults[] =
      "loss:p=0.05,duplicate:p=0.05,reorder:p=0.05:by=2,stall:at=50:n=5,malformed:p=0.1,"
      "foreign:p=0.1,burst:at=100:n=10,mode:at=120,index-conflict:at=10000,jump:at=80:by=5";
  const char *address = data;
  g_autoptr (JsonObject) report = NULL;
  g_autofree char *port = NULL, *errors = NULL;
  Receiver receiver;

  if (!receiver_open (&receiver, address)) {
    g_test_skip ("this machine has no such address");
    return;
  }
  port = g_strdup_printf ("%u", receiver.port);
  g_assert_cmpint (run (&report, &errors,
                        (const char *[]){ "fsnh", "--host", address, "--port", port, "--interface",
                                          "lo", "--rate", "2000", "-n", "300", "--faults", faults,
                                          "-q", "-r", "-", NULL }),
                   ==, 0);
  g_assert_cmpstr (errors, ==, "");
  receiver_drain (&receiver);
  g_assert_cmpuint (receiver.datagrams, >, 500);
  g_assert_cmpint (json_object_get_int_member (report, "datagrams"), ==,
                   (gint64) receiver.datagrams);
  g_assert_cmpint (json_object_get_int_member (report, "bytes"), ==, (gint64) receiver.bytes);
  g_assert_cmpint (hand_count (report, "left", "accepted"), ==, (gint64) receiver.valid[0]);
  g_assert_cmpint (hand_count (report, "right", "accepted"), ==, (gint64) receiver.valid[1]);
  g_assert_cmpint (json_object_get_int_member (report, "nobody_listening"), ==, 0);
  g_object_unref (receiver.socket);
}

static void
test_senders (void)
{
  g_autoptr (JsonObject) report = NULL;
  g_autofree char *port = NULL, *errors = NULL;
  Receiver receiver;

  g_assert_true (receiver_open (&receiver, "127.0.0.1"));
  port = g_strdup_printf ("%u", receiver.port);
  g_assert_cmpint (
      run (&report, &errors,
           (const char *[]){ "fsnh", "-p", port, "--hands", "left", "--as-fast-as-possible", "-n",
                             "100", "--faults", "wrong-source:every=10,sender:at=50:n=7", "-q",
                             "-r", "-", NULL }),
      ==, 0);
  receiver_drain (&receiver);
  g_assert_cmpuint (receiver.datagrams, ==, 109);
  g_assert_cmpuint (receiver.wrong_source, ==, 9);
  g_assert_cmpuint (receiver.second_port, ==, 7);
  g_assert_cmpuint (receiver.valid[0], ==, 100);
  g_assert_cmpuint (receiver.valid[1], ==, 0);
  g_assert_cmpint (json_object_get_int_member (report, "wrong_source"), ==, 9);
  g_object_unref (receiver.socket);
}

/* The pace: as many beats as the time holds, and not before their time. */
static void
test_pace (void)
{
  g_autoptr (JsonObject) report = NULL;
  g_autofree char *port = NULL, *errors = NULL;
  gint64 start = g_get_monotonic_time ();
  Receiver receiver;

  g_assert_true (receiver_open (&receiver, "127.0.0.1"));
  port = g_strdup_printf ("%u", receiver.port);
  g_assert_cmpint (
      run (&report, &errors,
           (const char *[]){ "fsnh", "-p", port, "--rate", "100", "-d", "250ms", "-r", "-", NULL }),
      ==, 0);
  g_assert_cmpint (g_get_monotonic_time () - start, >=, 245000);
  receiver_drain (&receiver);
  g_assert_cmpuint (receiver.valid[0], ==, 25);
  g_assert_cmpuint (receiver.valid[1], ==, 25);
  g_assert_cmpint (hand_count (report, "left", "last_timestamp_ns") -
                       hand_count (report, "left", "first_timestamp_ns"),
                   ==, 240000000);
  g_assert_nonnull (strstr (errors, "sending both hands (wrist, 21 joints) to udp 127.0.0.1:"));
  g_assert_nonnull (strstr (errors, "50 datagrams in "));
  g_object_unref (receiver.socket);
}

/* Nobody listens: that is said, and every datagram is still counted as sent. */
static void
test_refused (void)
{
  g_autoptr (JsonObject) report = NULL;
  g_autofree char *port = NULL, *errors = NULL;
  Receiver receiver;

  g_assert_true (receiver_open (&receiver, "127.0.0.1"));
  port = g_strdup_printf ("%u", receiver.port);
  g_object_unref (receiver.socket);
  g_assert_cmpint (
      run (&report, &errors,
           (const char *[]){ "fsnh", "-p", port, "-n", "5", "--rate", "1000", "-r", "-", NULL }),
      ==, 0);
  g_assert_cmpint (json_object_get_int_member (report, "datagrams"), ==, 10);
  g_assert_cmpint (json_object_get_int_member (report, "nobody_listening"), >, 0);
  g_assert_nonnull (strstr (errors, "nobody was listening"));
}

static void
test_usage (void)
{
  static const struct {
    const char *arguments[4];
    int status;
    const char *message;
  } cases[] = {
    { { "fsnh", "--hands", "three" }, 2, "--hands is \"three\"; allowed: both, left, right" },
    { { "fsnh", "--mode=x" }, 2, "--mode is \"x\"; allowed: wrist, forearm" },
    { { "fsnh", "--port=0" }, 2, "--port is 0; allowed: 1 to 65535" },
    { { "fsnh", "--rate=0" }, 2, "--rate is 0; allowed: 0.01 to 1e+06" },
    { { "fsnh", "--magic=zz" }, 2, "--magic is \"zz\"" },
    { { "fsnh", "--timestamp=-1" }, 2, "--timestamp is \"-1\"" },
    { { "fsnh", "--faults", "loss" }, 2, "fault loss needs one of" },
    { { "fsnh", "--faults=wrong-source:at=1", "--host=::1" }, 2, "needs --wrong-source" },
    { { "fsnh", "--host=224.0.0.251", "--interface=nosuch0" }, 1, "nosuch0" },
    { { "nothing" }, 2, "there is no device \"nothing\"" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *errors = NULL;

    g_assert_cmpint (run (NULL, &errors, cases[i].arguments), ==, cases[i].status);
    if (strstr (errors, cases[i].message) == NULL)
      g_error ("\"%s\" is not in \"%s\"", cases[i].message, errors);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/sim/fsnh/program/ipv4", "127.0.0.1", test_send);
  g_test_add_data_func ("/sim/fsnh/program/ipv6", "::1", test_send);
  g_test_add_data_func ("/sim/fsnh/program/multicast", "239.255.77.12", test_send);
  g_test_add_func ("/sim/fsnh/program/senders", test_senders);
  g_test_add_func ("/sim/fsnh/program/pace", test_pace);
  g_test_add_func ("/sim/fsnh/program/refused", test_refused);
  g_test_add_func ("/sim/fsnh/program/usage", test_usage);
  return g_test_run ();
}
