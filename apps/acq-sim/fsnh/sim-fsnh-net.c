/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-fsnh-net.h"

#include "sim-pace.h"

#include <errno.h>
#include <gio/gio.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH 64

struct _SimFsnhNet {
  int fds[SIM_FSNH_N_SENDERS];
  char *target;
  char *sources[SIM_FSNH_N_SENDERS];
  guint64 refused;
  guint n;
  guint8 senders[BATCH];
  struct mmsghdr headers[BATCH];
  struct iovec pieces[BATCH];
  guint8 bytes[BATCH][SIM_FSNH_MAX_DATAGRAM];
};

static gboolean
fail (GError **error, const char *what, const char *where)
{
  int saved = errno;

  g_set_error (error, G_IO_ERROR, (int) g_io_error_from_errno (saved), "cannot %s %s: %s", what,
               where, g_strerror (saved));
  return FALSE;
}

static struct addrinfo *
resolve (const char *host, int family, guint16 port, GError **error)
{
  const struct addrinfo hints = { .ai_family = family, .ai_socktype = SOCK_DGRAM };
  g_autofree char *service = g_strdup_printf ("%u", port);
  struct addrinfo *found = NULL;
  int status = getaddrinfo (host, service, &hints, &found);

  if (status != 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_HOST_NOT_FOUND, "cannot find \"%s\": %s", host,
                 gai_strerror (status));
    return NULL;
  }
  return found;
}

static char *
address_text (const struct sockaddr *address, socklen_t size)
{
  char host[NI_MAXHOST], service[NI_MAXSERV];

  if (getnameinfo (address, size, host, sizeof host, service, sizeof service,
                   NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return g_strdup ("?");
  return g_strdup_printf (address->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, service);
}

static gboolean
is_multicast (const struct addrinfo *to)
{
  if (to->ai_family == AF_INET6)
    return IN6_IS_ADDR_MULTICAST (&((const struct sockaddr_in6 *) to->ai_addr)->sin6_addr);
  return IN_MULTICAST (ntohl (((const struct sockaddr_in *) to->ai_addr)->sin_addr.s_addr));
}

static gboolean
set_multicast (int fd, const struct addrinfo *to, const SimFsnhTarget *target, GError **error)
{
  int level = to->ai_family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
  int hops = to->ai_family == AF_INET6 ? IPV6_MULTICAST_HOPS : IP_MULTICAST_TTL;
  guint index = target->interface != NULL ? if_nametoindex (target->interface) : 0;
  struct ip_mreqn on4 = { .imr_ifindex = (int) index };
  int result;

  if (target->interface != NULL && index == 0)
    return fail (error, "use interface", target->interface);
  if (!is_multicast (to))
    return TRUE;
  if (setsockopt (fd, level, hops, &target->hops, sizeof target->hops) < 0)
    return fail (error, "set the hops to", target->host);
  if (index == 0)
    return TRUE;
  if (to->ai_family == AF_INET6)
    result = setsockopt (fd, level, IPV6_MULTICAST_IF, &index, sizeof index);
  else
    result = setsockopt (fd, level, IP_MULTICAST_IF, &on4, sizeof on4);
  return result == 0 || fail (error, "use interface", target->interface);
}

static gboolean
bind_to (int fd, const char *address, int family, GError **error)
{
  struct addrinfo *own = resolve (address, family, 0, error);
  gboolean ok;

  if (own == NULL)
    return FALSE;
  ok = bind (fd, own->ai_addr, own->ai_addrlen) == 0 || fail (error, "send from", address);
  freeaddrinfo (own);
  return ok;
}

static gboolean
open_sender (SimFsnhNet *self, SimFsnhSender sender, const struct addrinfo *to,
             const SimFsnhTarget *target, GError **error)
{
  const char *own = sender == SIM_FSNH_FROM_WRONG ? target->wrong : target->bind;
  struct sockaddr_storage name;
  socklen_t size = sizeof name;
  int buffer = 4 << 20;
  int fd = socket (to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  self->fds[sender] = fd;
  if (fd < 0)
    return fail (error, "open a socket to", target->host);
  setsockopt (fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
  if (own != NULL && !bind_to (fd, own, to->ai_family, error))
    return FALSE;
  if (!set_multicast (fd, to, target, error))
    return FALSE;
  if (connect (fd, to->ai_addr, to->ai_addrlen) < 0)
    return fail (error, "send to", target->host);
  if (getsockname (fd, (struct sockaddr *) &name, &size) == 0)
    self->sources[sender] = address_text ((struct sockaddr *) &name, size);
  return TRUE;
}

static gboolean
open_all (SimFsnhNet *self, struct addrinfo *to, SimFsnhTarget *target, GError **error)
{
  if (to->ai_family == AF_INET6 && target->interface != NULL)
    ((struct sockaddr_in6 *) to->ai_addr)->sin6_scope_id = if_nametoindex (target->interface);
  if (target->wrong == NULL && to->ai_family == AF_INET)
    target->wrong = "127.0.0.2";
  if (target->needs_wrong && target->wrong == NULL) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "the fault wrong-source over IPv6 needs --wrong-source, another address of this "
                 "machine");
    return FALSE;
  }
  self->target = address_text (to->ai_addr, to->ai_addrlen);
  return open_sender (self, SIM_FSNH_FROM_MAIN, to, target, error) &&
         open_sender (self, SIM_FSNH_FROM_SECOND, to, target, error) &&
         (!target->needs_wrong || open_sender (self, SIM_FSNH_FROM_WRONG, to, target, error));
}

SimFsnhNet *
sim_fsnh_net_open (const SimFsnhTarget *target, GError **error)
{
  g_autoptr (SimFsnhNet) self = g_new0 (SimFsnhNet, 1);
  SimFsnhTarget wanted = *target;
  struct addrinfo *to;
  gboolean ok;

  for (guint i = 0; i < SIM_FSNH_N_SENDERS; i++)
    self->fds[i] = -1;
  for (guint i = 0; i < BATCH; i++) {
    self->pieces[i].iov_base = self->bytes[i];
    self->headers[i].msg_hdr = (struct msghdr){ .msg_iov = &self->pieces[i], .msg_iovlen = 1 };
  }
  to = resolve (target->host, AF_UNSPEC, target->port, error);
  if (to == NULL)
    return NULL;
  ok = open_all (self, to, &wanted, error);
  freeaddrinfo (to);
  return ok ? g_steal_pointer (&self) : NULL;
}

void
sim_fsnh_net_close (SimFsnhNet *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < SIM_FSNH_N_SENDERS; i++) {
    if (self->fds[i] >= 0)
      close (self->fds[i]);
    g_free (self->sources[i]);
  }
  g_free (self->target);
  g_free (self);
}

/* Sends datagrams i … end - 1, which have one sender. */
static gboolean
send_run (SimFsnhNet *self, guint i, guint end, GError **error)
{
  int fd = self->fds[self->senders[i]];

  while (i < end) {
    int n = sendmmsg (fd, &self->headers[i], end - i, 0);

    if (n > 0)
      i += (guint) n;
    else if (errno == ECONNREFUSED) /* the answer to an earlier one; this one was not sent yet */
      self->refused++;
    else if (errno == ENOBUFS || errno == EAGAIN)
      sim_pace_wait (sim_now_ns () + 1000000);
    else if (errno != EINTR)
      return fail (error, "send to", self->target);
  }
  return TRUE;
}

gboolean
sim_fsnh_net_flush (SimFsnhNet *self, GError **error)
{
  guint begin = 0;
  gboolean ok = TRUE;

  for (guint i = 1; ok && i <= self->n; i++) {
    if (i < self->n && self->senders[i] == self->senders[begin])
      continue;
    ok = send_run (self, begin, i, error);
    begin = i;
  }
  self->n = 0;
  return ok;
}

gboolean
sim_fsnh_net_send (SimFsnhNet *self, const SimFsnhDatagram *datagram, GError **error)
{
  guint i = self->n++;

  memcpy (self->bytes[i], datagram->bytes, datagram->length);
  self->pieces[i].iov_len = datagram->length;
  self->senders[i] = (guint8) datagram->sender;
  return self->n < BATCH || sim_fsnh_net_flush (self, error);
}

const char *
sim_fsnh_net_get_target (const SimFsnhNet *self)
{
  return self->target;
}

const char *
sim_fsnh_net_get_source (const SimFsnhNet *self, SimFsnhSender sender)
{
  return self->sources[sender];
}

guint64
sim_fsnh_net_get_refused (const SimFsnhNet *self)
{
  return self->refused;
}
