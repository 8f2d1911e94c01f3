/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-fixture.h"

#include <gio/gio.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* The whole of 127/8 is this machine: tests that run side by side get addresses of their own. */
static char *
own_address (void)
{
  static guint n = 0;

  return g_strdup_printf ("127.%u.%u.%u", 100 + n++ % 100, (guint) getpid () >> 8 & 255,
                          (guint) getpid () & 255);
}

static void
set_options (AcqNode *node, const char *const *options)
{
  g_autoptr (GError) error = NULL;

  for (; options != NULL && options[0] != NULL; options += 2) {
    acq_node_set_option_text (node, options[0], options[1], &error);
    g_assert_no_error (error);
  }
}

static AcqNode *
create (FsnhFixture *self, const char *id, const char *const *options)
{
  g_autoptr (GError) error = NULL;
  AcqNode *node = acq_registry_create (self->registry, "fsnh-udp", id, &error);
  g_autofree char *port = g_strdup_printf ("%u", self->udp_port);

  g_assert_no_error (error);
  set_options (node,
               (const char *[]){ "side", "left", "address", self->address, "port", port, NULL });
  set_options (node, options);
  return node;
}

FsnhFixture *
fsnh_fixture_new (const char *address, const char *const *options)
{
  g_autofree char *plugins =
      g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "plugins/fsnh-udp", NULL);
  FsnhFixture *self = g_new0 (FsnhFixture, 1);

  self->address = address != NULL ? g_strdup (address) : own_address ();
  self->udp_port = address == NULL ? 15001 : 20000 + (guint) getpid () % 30000;
  self->port = g_strdup_printf (strchr (self->address, ':') ? "udp [%s]:%u" : "udp %s:%u",
                                self->address, self->udp_port);
  self->registry = acq_registry_new (plugins);
  self->harness = acq_harness_new (create (self, "left_hand", options), "left_hand");
  acq_harness_set_live (self->harness);
  self->writer = sim_fsnh_writer_new (0x464E4853, 0x77787A79);
  self->target = g_inet_socket_address_new_from_string (self->address, self->udp_port);
  fsnh_fixture_change_sender (self);
  return self;
}

void
fsnh_fixture_free (FsnhFixture *self)
{
  if (self == NULL)
    return;
  acq_harness_free (self->harness);
  g_clear_pointer (&self->writer, sim_fsnh_writer_free);
  g_clear_object (&self->registry);
  g_clear_object (&self->sender);
  g_clear_object (&self->other);
  g_clear_object (&self->target);
  g_free (self->port);
  g_free (self->address);
  g_free (self);
}

void
fsnh_fixture_add (FsnhFixture *self, const char *id, const char *const *options)
{
  g_autoptr (AcqNode) node = create (self, id, options);

  acq_harness_add_node (self->harness, node, id);
}

void
fsnh_fixture_start (FsnhFixture *self)
{
  g_autoptr (GError) error = NULL;

  acq_harness_start (self->harness, &error);
  g_assert_no_error (error);
}

void
fsnh_fixture_change_sender (FsnhFixture *self)
{
  g_autoptr (GError) error = NULL;
  GInetAddress *to = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (self->target));
  const struct ip_mreqn loopback = { .imr_ifindex = (int) if_nametoindex ("lo") };

  g_clear_object (&self->sender);
  self->sender = g_socket_new (g_socket_address_get_family (self->target), G_SOCKET_TYPE_DATAGRAM,
                               G_SOCKET_PROTOCOL_UDP, &error);
  g_assert_no_error (error);
  g_socket_set_option (self->sender, SOL_SOCKET, SO_SNDBUF, 4 << 20, NULL);
  if (g_inet_address_get_is_multicast (to))
    setsockopt (g_socket_get_fd (self->sender), IPPROTO_IP, IP_MULTICAST_IF, &loopback,
                sizeof loopback);
}

void
fsnh_fixture_swap_sender (FsnhFixture *self)
{
  GSocket *before = g_steal_pointer (&self->sender);

  self->sender = g_steal_pointer (&self->other);
  if (self->sender == NULL)
    fsnh_fixture_change_sender (self);
  self->other = before;
}

void
fsnh_fixture_send_bytes (FsnhFixture *self, const guint8 *bytes, gsize length)
{
  g_autoptr (GError) error = NULL;

  g_socket_send_to (self->sender, self->target, (const char *) bytes, length, NULL, &error);
  g_assert_no_error (error);
}

void
fsnh_fixture_send (FsnhFixture *self, SimFsnhHand hand, SimFsnhMode mode, guint32 index,
                   gboolean solved)
{
  const SimFsnhHead head = { hand,   mode, index, G_GUINT64_CONSTANT (8333333) * (1000 + index),
                             solved, TRUE };
  guint8 bytes[SIM_FSNH_MAX_PACKET];
  gsize length = sim_fsnh_write (self->writer, &head, bytes);

  fsnh_fixture_send_bytes (self, bytes, length);
}

void
fsnh_fixture_wait_packets (FsnhFixture *self, guint64 n)
{
  gint64 until = g_get_monotonic_time () + 10 * G_TIME_SPAN_SECOND;

  for (;;) {
    g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (self->harness);
    const AcqPortSnapshot *port = acq_snapshot_find_port (snapshot, self->port);

    if (port != NULL && port->packets >= n)
      return;
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (500);
  }
}

const AcqEvent *
fsnh_fixture_wait_event (FsnhFixture *self, const char *name)
{
  const AcqEvent *event = acq_harness_wait_event (self->harness, name, 10);

  if (event == NULL)
    g_error ("the event \"%s\" did not come", name);
  return event;
}
