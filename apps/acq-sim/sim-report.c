/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-report.h"

#include <stdio.h>
#include <string.h>

void
sim_report_count (JsonBuilder *builder, const char *name, guint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64) value);
}

void
sim_report_counts (JsonBuilder *builder, const char *name, const char *const *names,
                   const guint64 *counts, gsize n)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
  for (gsize i = 0; i < n; i++)
    if (names[i] != NULL && counts[i] != 0)
      sim_report_count (builder, names[i], counts[i]);
  json_builder_end_object (builder);
}

gboolean
sim_report_write (JsonBuilder *builder, const char *path, GError **error)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = json_to_string (root, TRUE);
  g_autofree char *line = g_strconcat (text, "\n", NULL);

  gboolean special =
      g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR);

  /* A pipe or a device is written to; a file is replaced when it is whole. */
  if (strcmp (path, "-") != 0)
    return g_file_set_contents_full (
        path, line, -1, special ? G_FILE_SET_CONTENTS_NONE : G_FILE_SET_CONTENTS_CONSISTENT, 0666,
        error);
  /* Whether all of it was written, the end of the program finds out. */
  fputs (line, stdout);
  return TRUE;
}
