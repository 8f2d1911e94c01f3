/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-owner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Adds the names of the links that /proc/PID/fd has for sockets on @port: "socket:[INODE]". */
static void
find_links (const char *table, guint16 port, GHashTable *links)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (table, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    unsigned long inode;
    unsigned found;

    if (sscanf (*line, " %*d: %*[0-9A-F]:%x %*s %*s %*s %*s %*s %*s %*s %lu", &found, &inode) ==
            2 &&
        found == port)
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
fsnh_port_owner (guint16 port)
{
  g_autoptr (GHashTable) links = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;

  find_links ("/proc/net/udp", port, links);
  find_links ("/proc/net/udp6", port, links);
  while (g_hash_table_size (links) > 0 && dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_ascii_isdigit (name[0]) && has_link (name, links))
      return describe (name);
  return NULL;
}
