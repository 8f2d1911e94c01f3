/* SPDX-License-Identifier: Apache-2.0 */
#include "recover.h"

#include <string.h>

#include <acq/acq-error.h>
#include <acq/acq-npz.h>

/* A folder of takes, and a take's folder in it; nobody wants a whole disk searched. */
#define MAX_DEPTH 3

static gboolean
is_leftover (const char *path, gboolean folder)
{
  return folder ? g_str_has_suffix (path, ACQ_NPZ_SPOOL_SUFFIX)
                : g_str_has_suffix (path, ".mcap.part");
}

static void
search_folder (GPtrArray *found, const char *folder, guint depth)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);

    if (is_leftover (path, is_folder))
      g_ptr_array_add (found, g_steal_pointer (&path));
    else if (is_folder && depth < MAX_DEPTH && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      search_folder (found, path, depth + 1);
  }
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
recover_find (const char *path, GError **error)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  gboolean folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  /* Without the slash that completion appends. */
  g_autofree char *plain = g_canonicalize_filename (path, NULL);

  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "%s does not exist", path);
    return NULL;
  }
  if (is_leftover (plain, folder) || (!folder && g_str_has_suffix (plain, ".mcap")))
    g_ptr_array_add (found, g_steal_pointer (&plain));
  else if (folder)
    search_folder (found, plain, 1);
  else {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "%s is nothing that can be recovered; that is a .mcap.part, a damaged .mcap, a "
                 "folder .npz.spool, or a folder with such things in it",
                 path);
    return NULL;
  }
  g_ptr_array_sort (found, compare_paths);
  return g_steal_pointer (&found);
}
