/* SPDX-License-Identifier: Apache-2.0 */

/* What the plugin says when it cannot do what it was told. */

#include "fsnh-allow.h"
#include "fsnh-fixture.h"

#include <arpa/inet.h>
#include <string.h>

static void
test_options (void)
{
  static const struct {
    const char *option, *value, *message;
  } cases[] = {
    { "address", "localhost", "address is \"localhost\"; it takes an IP address" },
    { "allow", "[\"10.0.0.0/33\"]", "allow has \"10.0.0.0/33\"" },
    { "allow", "[\"10.0.0.1:0\"]", "allow has \"10.0.0.1:0\"" },
    { "allow", "[\"glove\"]", "allow has \"glove\"; it takes addresses, networks" },
    { "magic", "FSNH", "magic is \"FSNH\"; it takes a number of 32 bits" },
    { "quat-order", "0x1FFFFFFFF", "quat-order is \"0x1FFFFFFFF\"" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (FsnhFixture) f =
        fsnh_fixture_new (NULL, (const char *[]){ cases[i].option, cases[i].value, NULL });
    g_autoptr (GError) error = NULL;

    g_assert_false (acq_node_check (acq_harness_get_node (f->harness), &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_OPTION);
    if (strstr (error->message, cases[i].message) == NULL)
      g_error ("\"%s\" is not in \"%s\"", cases[i].message, error->message);
  }
}

static void
assert_start_fails (FsnhFixture *f, const char *wanted)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (acq_harness_start (f->harness, &error));
  if (strstr (error->message, wanted) == NULL)
    g_error ("\"%s\" is not in \"%s\"", wanted, error->message);
}

/* The port is taken: the error says by whom. Here that is this very program. */
static void
test_taken (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, NULL);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string (f->address, 15001);
  g_autoptr (GSocket) owner =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);

  /* Even where the owner would share it, we do not. */
  g_assert_true (g_socket_bind (owner, address, TRUE, NULL));
  assert_start_fails (f, "UDP port 15001 is taken by this program itself");
}

static void
test_no_such (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new ("192.0.2.77", NULL);
  g_autoptr (FsnhFixture) g =
      fsnh_fixture_new (NULL, (const char *[]){ "interface", "nosuch0", NULL });

  assert_start_fails (f, "address 192.0.2.77 is not one of this machine's");
  assert_start_fails (g, "there is no network interface \"nosuch0\"");
}

static void
test_same_side (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, NULL);

  fsnh_fixture_add (f, "second", NULL);
  assert_start_fails (f, "one of the two nodes should have the other \"side\"");
}

static void
test_disagree (void)
{
  static const char *const differences[][2] = {
    { "allow", "[\"10.0.0.1\"]" },
    { "magic", "0x484E5346" },
    { "quat-order", "0x7A797877" },
    { "receive-buffer", "1MiB" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (differences); i++) {
    g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, NULL);
    g_autofree char *wanted = g_strdup_printf ("differ in \"%s\"", differences[i][0]);

    fsnh_fixture_add (
        f, "right_hand",
        (const char *[]){ "side", "right", differences[i][0], differences[i][1], NULL });
    assert_start_fails (f, wanted);
  }
}

static FsnhSource
source_of (const char *address, guint16 port)
{
  struct sockaddr_storage native = { 0 };
  FsnhSource source;

  if (strchr (address, ':')) {
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *) &native;

    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons (port);
    g_assert_cmpint (inet_pton (AF_INET6, address, &in6->sin6_addr), ==, 1);
  } else {
    struct sockaddr_in *in4 = (struct sockaddr_in *) &native;

    in4->sin_family = AF_INET;
    in4->sin_port = htons (port);
    g_assert_cmpint (inet_pton (AF_INET, address, &in4->sin_addr), ==, 1);
  }
  fsnh_source_from_sockaddr (&native, &source);
  return source;
}

static void
test_allow (void)
{
  static const struct {
    const char *allow, *sender;
    guint16 port;
    gboolean lets_in;
  } cases[] = {
    { NULL, "10.1.2.3", 1, TRUE },
    { "10.1.2.3", "10.1.2.3", 1, TRUE },
    { "10.1.2.3", "10.1.2.4", 1, FALSE },
    { "10.1.2.3:77", "10.1.2.3", 77, TRUE },
    { "10.1.2.3:77", "10.1.2.3", 78, FALSE },
    { "10.1.2.0/23", "10.1.3.255", 1, TRUE },
    { "10.1.2.0/23", "10.1.4.0", 1, FALSE },
    { "0.0.0.0/0", "10.1.4.0", 1, TRUE },
    { "0.0.0.0/0", "fe80::1", 1, FALSE },
    { "10.1.2.3", "::ffff:10.1.2.3", 1, TRUE }, /* what a socket for both says */
    { "fe80::1", "fe80::1", 1, TRUE },
    { "fe80::/10", "febf::1", 1, TRUE },
    { "fe80::/10", "fec0::1", 1, FALSE },
    { "[fe80::1]:5", "fe80::1", 5, TRUE },
    { "[fe80::1]:5", "fe80::1", 6, FALSE },
    { "::/0", "10.1.2.3", 1, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    char *entries[] = { (char *) cases[i].allow, NULL };
    FsnhSource source = source_of (cases[i].sender, cases[i].port);
    g_autoptr (GError) error = NULL;
    g_autoptr (FsnhAllow) allow = fsnh_allow_new (entries, &error);

    g_assert_no_error (error);
    g_test_message ("%s from %s:%u", cases[i].allow, cases[i].sender, cases[i].port);
    g_assert_cmpint (fsnh_allow_lets_in (allow, &source), ==, cases[i].lets_in);
  }
}

static void
test_source_text (void)
{
  char text[FSNH_SOURCE_TEXT];
  FsnhSource source = source_of ("10.1.2.3", 4000);

  fsnh_source_to_text (&source, text);
  g_assert_cmpstr (text, ==, "10.1.2.3:4000");
  source = source_of ("fe80::1", 65535);
  fsnh_source_to_text (&source, text);
  g_assert_cmpstr (text, ==, "[fe80::1]:65535");
  source.scope = 3;
  fsnh_source_to_text (&source, text);
  g_assert_cmpstr (text, ==, "[fe80::1%3]:65535");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fsnh/config/options", test_options);
  g_test_add_func ("/fsnh/config/taken", test_taken);
  g_test_add_func ("/fsnh/config/no-such", test_no_such);
  g_test_add_func ("/fsnh/config/same-side", test_same_side);
  g_test_add_func ("/fsnh/config/disagree", test_disagree);
  g_test_add_func ("/fsnh/config/allow", test_allow);
  g_test_add_func ("/fsnh/config/source-text", test_source_text);
  return g_test_run ();
}
