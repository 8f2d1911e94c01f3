/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the things of this tree are, built or installed, found from the place of
 * the library: an installed tree may be moved anywhere.
 */
#include <acq/acq-registry.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <json-glib/json-glib.h>

/* The file that holds this very function: libacq, or a program that it is linked into. */
static char *
own_file (void)
{
  Dl_info info;
  char *real;

  if (dladdr ((gpointer) acq_install_path, &info) == 0 || info.dli_fname == NULL)
    return g_file_read_link ("/proc/self/exe", NULL);
  real = realpath (info.dli_fname, NULL);
  if (real == NULL)
    return g_file_read_link ("/proc/self/exe", NULL);
  char *copy = g_strdup (real);
  free (real);
  return copy;
}

/* meson keeps the place of the sources beside the build. */
static char *
source_root_of (const char *build_root)
{
  g_autofree char *path = g_build_filename (build_root, "meson-info", "meson-info.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();

  if (!json_parser_load_from_file (parser, path, NULL))
    return NULL;
  g_autoptr (JsonNode) found =
      json_path_query ("$.directories.source", json_parser_get_root (parser), NULL);
  if (found == NULL || json_array_get_length (json_node_get_array (found)) != 1)
    return NULL;
  return g_strdup (json_array_get_string_element (json_node_get_array (found), 0));
}

static char *
in_build_tree (const char *build_root, const char *what)
{
  if (strcmp (what, "schemas") == 0) {
    g_autofree char *source_root = source_root_of (build_root);

    return source_root != NULL ? g_build_filename (source_root, "schemas", NULL) : NULL;
  }
  if (strcmp (what, "sim") == 0)
    return g_build_filename (build_root, "apps", "acq-sim", NULL);
  return g_build_filename (build_root, what, NULL);
}

/* The prefix is as many folders up as the library's folder is deep. */
static char *
in_installed_tree (const char *folder, const char *what)
{
  if (strcmp (what, "schemas") != 0)
    return g_build_filename (folder, "acq", what, NULL);

  g_autofree char *prefix = g_strdup (folder);
  for (const char *p = ACQ_LIBDIR; p != NULL; p = strchr (p, '/')) {
    g_autofree char *up = g_path_get_dirname (prefix);

    p += *p == '/';
    g_free (g_steal_pointer (&prefix));
    prefix = g_steal_pointer (&up);
  }
  return g_build_filename (prefix, ACQ_DATADIR, what, NULL);
}

char *
acq_install_path (const char *what)
{
  g_autofree char *file = own_file ();
  g_autofree char *folder = file != NULL ? g_path_get_dirname (file) : g_strdup ("/");
  g_autofree char *installed = g_build_filename (folder, "acq", "plugins", NULL);

  /* First, because a tree may be installed somewhere below a build tree. */
  if (g_file_test (installed, G_FILE_TEST_IS_DIR))
    return in_installed_tree (folder, what);

  /* A test or tool may lie deep in the build tree. */
  for (g_autofree char *up = g_strdup (folder); strcmp (up, "/") != 0 && strcmp (up, ".") != 0;) {
    g_autofree char *mark = g_build_filename (up, "meson-info", "meson-info.json", NULL);
    g_autofree char *next = g_path_get_dirname (up);

    if (g_file_test (mark, G_FILE_TEST_EXISTS))
      return in_build_tree (up, what);
    g_free (g_steal_pointer (&up));
    up = g_steal_pointer (&next);
  }
  return in_installed_tree (folder, what);
}
