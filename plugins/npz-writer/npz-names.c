/* SPDX-License-Identifier: Apache-2.0 */
#include "npz-names.h"

#include <string.h>

/* [a-z][a-z0-9]*(_[a-z0-9]+)*, as all names that become part of a key. */
static gboolean
is_name (const char *s, gsize n)
{
  gboolean may_end = FALSE;

  if (n == 0 || !g_ascii_islower (s[0]))
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    gboolean word = g_ascii_islower (s[i]) || g_ascii_isdigit (s[i]);

    if (!word && (s[i] != '_' || !may_end))
      return FALSE;
    may_end = word;
  }
  return may_end;
}

gboolean
npz_names_check (char **words, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (char **word = words; word != NULL && *word != NULL; word++) {
    const char *name = strchr (*word, '=');
    char *node;

    if (name == NULL || !is_name (*word, (gsize) (name - *word)) ||
        !is_name (name + 1, strlen (name + 1))) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                   "'%s' is no device name; it is written <node id>=<name>, for example "
                   "left_glove=glove_0, both of small letters, digits and single '_' between them",
                   *word);
      return FALSE;
    }
    node = g_strndup (*word, (gsize) (name - *word));
    if (!g_hash_table_add (seen, node) || !g_hash_table_add (seen, g_strdup (name))) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                   "'%s': every node is named once, and every name is given once", *word);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
npz_names_check_nodes (char **words, AcqGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (graph);
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    g_ptr_array_add (ids, (gpointer) acq_node_get_id (nodes->pdata[i]));
  for (char **word = words; word != NULL && *word != NULL; word++) {
    g_autofree char *node = g_strndup (*word, strcspn (*word, "="));
    const char *near = acq_nearest_word (node, (const char *const *) ids->pdata, ids->len);

    if (g_ptr_array_find_with_equal_func (ids, node, g_str_equal, NULL))
      continue;
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION, "device-names: there is no node '%s'%s%s%s",
                 node, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                 near != NULL ? "'?" : "");
    return FALSE;
  }
  return TRUE;
}

const char *
npz_names_lookup (char **words, const char *node)
{
  gsize n = strlen (node);

  for (char **word = words; word != NULL && *word != NULL; word++)
    if (strncmp (*word, node, n) == 0 && (*word)[n] == '=')
      return *word + n + 1;
  return node;
}

/* `imu/palm` becomes `imu_palm`, or `imu__palm` where a stream is called that already. */
char *
npz_names_make_stem (char **words, AcqStream *stream, GHashTable *taken)
{
  const char *device = npz_names_lookup (words, acq_node_get_id (acq_stream_get_node (stream)));
  g_auto (GStrv) segments = g_strsplit (acq_stream_get_name (stream), "/", -1);
  g_autofree char *plain = g_strjoinv ("_", segments);
  g_autofree char *wide = g_strjoinv ("__", segments);
  char *stem = g_strconcat (device, "__", plain, NULL);

  if (!g_hash_table_contains (taken, stem))
    return stem;
  g_free (stem);
  return g_strconcat (device, "__", wide, NULL);
}
