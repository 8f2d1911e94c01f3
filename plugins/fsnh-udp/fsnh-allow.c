/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-allow.h"

#include <acq/acq.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

typedef struct {
  guint8 address[16];
  guint bits;
  guint32 port; /* 0: any */
} Entry;

struct _FsnhAllow {
  guint n;
  Entry entries[];
};

static const guint8 mapped_prefix[12] = { [10] = 0xFF, [11] = 0xFF };

static void
set_address (Entry *entry, GInetAddress *address, guint bits)
{
  gsize size = g_inet_address_get_native_size (address);

  memset (entry->address, 0, sizeof entry->address);
  if (size == 4)
    memcpy (entry->address, mapped_prefix, sizeof mapped_prefix);
  memcpy (entry->address + 16 - size, g_inet_address_to_bytes (address), size);
  entry->bits = bits + (size == 4 ? 96 : 0);
}

/* ADDRESS:PORT and [ADDRESS]:PORT; a bare IPv6 address has more than one colon. */
static gboolean
parse_with_port (const char *text, Entry *entry)
{
  const char *colon = strrchr (text, ':');
  g_autofree char *host = NULL;
  g_autoptr (GInetAddress) address = NULL;
  guint64 port;

  if (colon == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 1, 65535, &port, NULL))
    return FALSE;
  if (text[0] == '[' && colon[-1] == ']')
    host = g_strndup (text + 1, (gsize) (colon - text) - 2);
  else if (strchr (text, ':') == colon)
    host = g_strndup (text, (gsize) (colon - text));
  else
    return FALSE;
  address = g_inet_address_new_from_string (host);
  if (address == NULL)
    return FALSE;
  set_address (entry, address, (guint) g_inet_address_get_native_size (address) * 8);
  entry->port = (guint32) port;
  return TRUE;
}

static gboolean
parse_entry (const char *text, Entry *entry)
{
  g_autoptr (GInetAddressMask) mask = NULL;

  if (parse_with_port (text, entry))
    return TRUE;
  mask = g_inet_address_mask_new_from_string (text, NULL);
  if (mask == NULL)
    return FALSE;
  set_address (entry, g_inet_address_mask_get_address (mask),
               g_inet_address_mask_get_length (mask));
  entry->port = 0;
  return TRUE;
}

FsnhAllow *
fsnh_allow_new (char *const *entries, GError **error)
{
  guint n = entries != NULL ? g_strv_length ((char **) entries) : 0;
  g_autoptr (FsnhAllow) self = g_malloc0 (sizeof (FsnhAllow) + n * sizeof (Entry));

  self->n = n;
  for (guint i = 0; i < n; i++)
    if (!parse_entry (entries[i], &self->entries[i])) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                   "allow has \"%s\"; it takes addresses, networks, and addresses with a port, "
                   "like 192.168.1.7, 192.168.1.0/24 or 192.168.1.7:4000",
                   entries[i]);
      return NULL;
    }
  return g_steal_pointer (&self);
}

void
fsnh_allow_free (FsnhAllow *self)
{
  g_free (self);
}

static gboolean
same_prefix (const guint8 *a, const guint8 *b, guint bits)
{
  guint bytes = bits / 8, rest = bits % 8;

  if (memcmp (a, b, bytes) != 0)
    return FALSE;
  return rest == 0 || ((a[bytes] ^ b[bytes]) >> (8 - rest)) == 0;
}

gboolean
fsnh_allow_lets_in (const FsnhAllow *self, const FsnhSource *source)
{
  for (guint i = 0; i < self->n; i++) {
    const Entry *entry = &self->entries[i];

    if ((entry->port == 0 || entry->port == source->port) &&
        same_prefix (entry->address, source->address, entry->bits))
      return TRUE;
  }
  return self->n == 0;
}

gboolean
fsnh_allow_equal (const FsnhAllow *a, const FsnhAllow *b)
{
  return a->n == b->n && memcmp (a->entries, b->entries, a->n * sizeof (Entry)) == 0;
}

void
fsnh_source_from_sockaddr (const struct sockaddr_storage *address, FsnhSource *ret_source)
{
  memset (ret_source, 0, sizeof *ret_source);
  if (address->ss_family == AF_INET) {
    const struct sockaddr_in *in4 = (const struct sockaddr_in *) address;

    memcpy (ret_source->address, mapped_prefix, sizeof mapped_prefix);
    memcpy (ret_source->address + 12, &in4->sin_addr, 4);
    ret_source->port = ntohs (in4->sin_port);
  } else if (address->ss_family == AF_INET6) {
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *) address;

    memcpy (ret_source->address, &in6->sin6_addr, 16);
    ret_source->port = ntohs (in6->sin6_port);
    ret_source->scope = in6->sin6_scope_id;
  }
}

void
fsnh_source_to_text (const FsnhSource *source, char text[FSNH_SOURCE_TEXT])
{
  char host[INET6_ADDRSTRLEN];
  gboolean mapped = memcmp (source->address, mapped_prefix, sizeof mapped_prefix) == 0;

  inet_ntop (mapped ? AF_INET : AF_INET6, source->address + (mapped ? 12 : 0), host, sizeof host);
  if (mapped)
    g_snprintf (text, FSNH_SOURCE_TEXT, "%s:%u", host, source->port);
  else if (source->scope != 0)
    g_snprintf (text, FSNH_SOURCE_TEXT, "[%s%%%u]:%u", host, source->scope, source->port);
  else
    g_snprintf (text, FSNH_SOURCE_TEXT, "[%s]:%u", host, source->port);
}
