/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Modules of the build, and changed copies of them in a folder of the test's own. */

#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

static inline char *
built_file (const char *name)
{
  return g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "tests", "core", "plugin", "modules", name,
                           NULL);
}

static inline char *
make_folder (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("acq-test-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

static inline char *
write_file (const char *folder, const char *name, const char *bytes, gsize n)
{
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (folder, name, NULL);

  g_file_set_contents (path, bytes, (gssize) n, &error);
  g_assert_no_error (error);
  return path;
}

static inline void
read_built (const char *name, char **ret_bytes, gsize *ret_n)
{
  g_autofree char *path = built_file (name);
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, ret_bytes, ret_n, &error);
  g_assert_no_error (error);
}

static inline char *
copy_built (const char *name, const char *folder, const char *new_name)
{
  g_autofree char *bytes = NULL;
  gsize n;

  read_built (name, &bytes, &n);
  return write_file (folder, new_name, bytes, n);
}

/* Flat folders only. */
static inline void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
  }
  g_rmdir (folder);
}
