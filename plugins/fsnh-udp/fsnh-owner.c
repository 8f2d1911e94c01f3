/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-owner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const guint8 any[16];

/* The kernel prints an address as words of 8 hexadecimal digits, in the machine's own byte
 * order: one word for IPv4, four for IPv6. */
static gboolean
parse_address (const char *hex, guint8 address[16])
{
  gsize n_words = strlen (hex) / 8;
  guint8 *at = address + 16 - 4 * n_words;

  if (n_words != 1 && n_words != 4)
    return FALSE;
  memset (address, 0, 16);
  for (gsize i = 0; i < n_words; i++) {
    unsigned word;

    if (sscanf (hex + 8 * i, "%8x", &word) != 1)
      return FALSE;
    memcpy (at + 4 * i, &word, 4);
  }
  if (n_words == 1 && memcmp (address, any, 16) != 0)
    memset (address + 10, 0xFF, 2); /* IPv4, mapped */
  return TRUE;
}

/* All addresses are in the way of each one. */
static gboolean
in_the_way (const guint8 *a, const guint8 *b)
{
  return memcmp (a, any, 16) == 0 || memcmp (b, any, 16) == 0 || memcmp (a, b, 16) == 0;
}

/* Adds the names of the links that /proc/PID/fd has for sockets on the port: "socket:[INODE]". */
static void
find_links (const char *table, const guint8 *address, guint16 port, GHashTable *links)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (table, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    char hex[33];
    guint8 found[16];
    unsigned long inode;
    unsigned found_port;

    if (sscanf (*line, " %*d: %32[0-9A-F]:%x %*s %*s %*s %*s %*s %*s %*s %lu", hex, &found_port,
                &inode) == 3 &&
        found_port == port && parse_address (hex, found) && in_the_way (found, address))
      g_hash_table_add (links, g_strdup_printf ("socket:[%lu]", inode));
  }
}

static gboolean
has_link (const char *pid, GHashTable *links)
{
  g_autofree char *folder = g_build_filename ("/proc", pid, "fd", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    char target[64];
    gssize n = readlink (path, target, sizeof target - 1);

    if (n <= 0)
      continue;
    target[n] = '\0';
    if (g_hash_table_contains (links, target))
      return TRUE;
  }
  return FALSE;
}

static char *
describe (const char *pid)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "comm", NULL);
  g_autofree char *name = NULL;

  if (g_ascii_strtoll (pid, NULL, 10) == getpid ())
    return g_strdup ("this program itself (another node with another address?)");
  if (!g_file_get_contents (path, &name, NULL, NULL))
    return g_strdup_printf ("process %s", pid);
  return g_strdup_printf ("%s (process %s)", g_strstrip (name), pid);
}

char *
fsnh_port_owner (const guint8 address[16], guint16 port)
{
  g_autoptr (GHashTable) links = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;

  find_links ("/proc/net/udp", address, port, links);
  find_links ("/proc/net/udp6", address, port, links);
  while (g_hash_table_size (links) > 0 && dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_ascii_isdigit (name[0]) && has_link (name, links))
      return describe (name);
  return NULL;
}
