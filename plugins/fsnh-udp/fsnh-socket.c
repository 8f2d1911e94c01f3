/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-socket.h"

#include "fsnh-allow.h"
#include "fsnh-owner.h"

#include <acq/acq.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

gboolean
fsnh_socket_check (const FsnhSocketConfig *config, GError **error)
{
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (config->address);

  if (address == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "address is \"%s\"; it takes an IP address: 0.0.0.0 or :: for all of this "
                 "machine's, one of them, or a multicast group",
                 config->address);
    return FALSE;
  }
  return TRUE;
}

char *
fsnh_socket_name (const FsnhSocketConfig *config)
{
  return g_strdup_printf (strchr (config->address, ':') ? "udp [%s]:%u" : "udp %s:%u",
                          config->address, config->port);
}

static gboolean
fail (const FsnhSocketConfig *config, const char *what, GError **error)
{
  int saved = errno;

  g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE, "cannot %s %s port %u: %s", what,
               config->address, config->port, g_strerror (saved));
  return FALSE;
}

static char *
owner_of (const struct sockaddr_storage *native, guint16 port)
{
  const struct sockaddr_in *in4 = (const struct sockaddr_in *) native;
  FsnhSource wanted;

  fsnh_source_from_sockaddr (native, &wanted);
  if (native->ss_family == AF_INET && in4->sin_addr.s_addr == INADDR_ANY)
    memset (wanted.address, 0, sizeof wanted.address);
  return fsnh_port_owner (wanted.address, port);
}

/* A socket of ours alone: without SO_REUSEADDR and SO_REUSEPORT a second program is refused,
 * where with them it would silently take our datagrams. */
static gboolean
bind_socket (int fd, const FsnhSocketConfig *config, GSocketAddress *address, GError **error)
{
  struct sockaddr_storage native = { 0 };
  gssize size = g_socket_address_get_native_size (address);
  g_autofree char *owner = NULL;

  if (!g_socket_address_to_native (address, &native, sizeof native, error))
    return FALSE;
  if (native.ss_family == AF_INET6 && config->interface != NULL)
    ((struct sockaddr_in6 *) &native)->sin6_scope_id = if_nametoindex (config->interface);
  if (bind (fd, (struct sockaddr *) &native, (socklen_t) size) == 0)
    return TRUE;
  if (errno == EADDRNOTAVAIL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "address %s is not one of this machine's; 0.0.0.0 stands for all of them",
                 config->address);
    return FALSE;
  }
  if (errno != EADDRINUSE)
    return fail (config, "bind", error);
  owner = owner_of (&native, config->port);
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE,
               "UDP port %u is taken by %s; end it, or let the glove's software send to another "
               "port and set \"port\"",
               config->port, owner != NULL ? owner : "another program");
  return FALSE;
}

static gboolean
join_group (int fd, const FsnhSocketConfig *config, GInetAddress *group, GError **error)
{
  gboolean v6 = g_inet_address_get_family (group) == G_SOCKET_FAMILY_IPV6;
  guint index = config->interface != NULL ? if_nametoindex (config->interface) : 0;
  struct ip_mreqn join4 = { .imr_ifindex = (int) index };
  struct ipv6_mreq join6 = { .ipv6mr_interface = index };
  int off = 0;
  int result;

  if (v6) {
    memcpy (&join6.ipv6mr_multiaddr, g_inet_address_to_bytes (group), 16);
    result = setsockopt (fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &join6, sizeof join6);
  } else {
    memcpy (&join4.imr_multiaddr, g_inet_address_to_bytes (group), 4);
    setsockopt (fd, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof off);
    result = setsockopt (fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join4, sizeof join4);
  }
  return result == 0 || fail (config, "join the group", error);
}

static guint64
set_receive_buffer (int fd, guint64 wanted)
{
  int bytes = (int) MIN (wanted, (guint64) G_MAXINT / 2);
  socklen_t size = sizeof bytes;

  if (setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) < 0)
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  if (getsockopt (fd, SOL_SOCKET, SO_RCVBUF, &bytes, &size) < 0)
    return 0;
  return (guint64) bytes / 2; /* the kernel doubles it for its own use, and tells the double */
}

static gboolean
set_up (int fd, const FsnhSocketConfig *config, GInetAddress *address, GError **error)
{
  g_autoptr (GSocketAddress) wanted = g_inet_socket_address_new (address, config->port);
  int on = 1, off = 0;

  if (g_inet_address_get_family (address) == G_SOCKET_FAMILY_IPV6)
    setsockopt (fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (setsockopt (fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0 ||
      setsockopt (fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on) < 0)
    return fail (config, "set up", error);
  if (!bind_socket (fd, config, wanted, error))
    return FALSE;
  return !g_inet_address_get_is_multicast (address) || join_group (fd, config, address, error);
}

int
fsnh_socket_open (const FsnhSocketConfig *config, guint64 *ret_granted, GError **error)
{
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (config->address);
  int fd;

  if (config->interface != NULL && if_nametoindex (config->interface) == 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE, "there is no network interface \"%s\"",
                 config->interface);
    return -1;
  }
  fd = socket ((int) g_inet_address_get_family (address), SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
               0);
  if (fd < 0) {
    fail (config, "open a socket for", error);
    return -1;
  }
  *ret_granted = set_receive_buffer (fd, config->receive_buffer);
  if (!set_up (fd, config, address, error)) {
    close (fd);
    return -1;
  }
  return fd;
}

guint32
fsnh_socket_drops (int fd)
{
  guint32 info[SK_MEMINFO_VARS] = { 0 };
  socklen_t size = sizeof info;

  getsockopt (fd, SOL_SOCKET, SO_MEMINFO, info, &size);
  return info[SK_MEMINFO_DROPS];
}
