/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-robot-ws.h"

#include <string.h>

gsize
sim_ws_parse (guint8 *bytes, gsize size, SimWsFrame *ret)
{
  static const guint8 no_mask[4] = { 0 };
  const guint8 *mask = no_mask;
  gsize header = 2;
  guint64 length;

  if (size < 2)
    return 0;
  length = bytes[1] & 0x7F;
  if (length == 126)
    header = 4;
  else if (length == 127)
    header = 10;
  if (size < header + (bytes[1] & 0x80 ? 4 : 0))
    return 0;
  if (header > 2) {
    length = 0;
    for (gsize i = 2; i < header; i++)
      length = length << 8 | bytes[i];
  }
  ret->masked = (bytes[1] & 0x80) != 0;
  if (ret->masked) {
    mask = bytes + header;
    header += 4;
  }
  if (length > size - header)
    return 0;
  ret->fin = (bytes[0] & 0x80) != 0;
  ret->rsv = bytes[0] >> 4 & 7;
  ret->opcode = bytes[0] & 0xF;
  ret->payload = bytes + header;
  ret->length = (gsize) length;
  for (gsize i = 0; i < ret->length; i++)
    ret->payload[i] ^= mask[i % 4];
  return header + ret->length;
}

void
sim_ws_append (GByteArray *out, gboolean fin, guint8 rsv, guint8 opcode, gboolean mask,
               const void *payload, gsize length)
{
  static const guint8 key[4] = { 0x12, 0x34, 0x56, 0x78 };
  guint8 header[14] = { (guint8) ((fin ? 0x80 : 0) | rsv << 4 | opcode) };
  guint n = 2;
  gsize begin;

  if (length < 126) {
    header[1] = (guint8) length;
  } else {
    guint bytes = length < 65536 ? 2 : 8;

    header[1] = bytes == 2 ? 126 : 127;
    for (guint i = 0; i < bytes; i++)
      header[n++] = (guint8) ((guint64) length >> 8 * (bytes - 1 - i));
  }
  if (mask) {
    header[1] |= 0x80;
    memcpy (header + n, key, sizeof key);
    n += sizeof key;
  }
  g_byte_array_append (out, header, n);
  begin = out->len;
  g_byte_array_append (out, payload, (guint) length);
  for (gsize i = 0; mask && i < length; i++)
    out->data[begin + i] ^= key[i % 4];
}

static char *
accept_key (const char *key)
{
  g_autoptr (GChecksum) sha1 = g_checksum_new (G_CHECKSUM_SHA1);
  guint8 digest[20];
  gsize length = sizeof digest;

  g_checksum_update (sha1, (const guchar *) key, -1);
  g_checksum_update (sha1, (const guchar *) "258EAFA5-E914-47DA-95CA-C5AB0DC85B11", -1);
  g_checksum_get_digest (sha1, digest, &length);
  return g_base64_encode (digest, length);
}

static char *
find_header (char **lines, const char *name)
{
  for (guint i = 1; lines[i] != NULL; i++) {
    char *colon = strchr (lines[i], ':');

    if (colon != NULL && (gsize) (colon - lines[i]) == strlen (name) &&
        g_ascii_strncasecmp (lines[i], name, strlen (name)) == 0)
      return g_strstrip (g_strdup (colon + 1));
  }
  return NULL;
}

static gboolean
contains_word (const char *list, const char *word)
{
  g_auto (GStrv) words = g_strsplit_set (list != NULL ? list : "", ", ", -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], word) == 0)
      return TRUE;
  return FALSE;
}

gssize
sim_ws_parse_request (const char *bytes, gsize size, char **ret_accept, const char **ret_problem)
{
  const char *end = g_strstr_len (bytes, (gssize) size, "\r\n\r\n");
  g_autofree char *text = NULL, *upgrade = NULL, *connection = NULL, *key = NULL, *version = NULL;
  g_auto (GStrv) lines = NULL;

  *ret_problem = NULL;
  if (end == NULL) {
    if (size < 16384)
      return 0;
    *ret_problem = "a request of more than 16 KiB";
    return -1;
  }
  text = g_strndup (bytes, (gsize) (end - bytes));
  lines = g_strsplit (text, "\r\n", -1);
  upgrade = find_header (lines, "Upgrade");
  connection = find_header (lines, "Connection");
  key = find_header (lines, "Sec-WebSocket-Key");
  version = find_header (lines, "Sec-WebSocket-Version");
  if (!g_str_has_prefix (lines[0], "GET ") || !g_str_has_suffix (lines[0], " HTTP/1.1"))
    *ret_problem = "no GET request of HTTP/1.1";
  else if (!contains_word (upgrade, "websocket") || !contains_word (connection, "upgrade"))
    *ret_problem = "no upgrade to websocket";
  else if (key == NULL || g_strcmp0 (version, "13") != 0)
    *ret_problem = "no Sec-WebSocket-Key, or another version than 13";
  if (*ret_problem != NULL)
    return -1;
  *ret_accept = accept_key (key);
  return end - bytes + 4;
}
