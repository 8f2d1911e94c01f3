/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-npz-spool-private.h"

#include <acq/acq-error.h>
#include <acq/acq-json.h>

#include <errno.h>
#include <json-glib/json-glib.h>
#include <string.h>

static void
free_text (gpointer data)
{
  AcqNpzText *text = data;

  g_free (text->key);
  g_free (text->json);
  g_free (text);
}

void
acq_npz_content_clear (AcqNpzContent *self)
{
  g_clear_pointer (&self->tables, g_ptr_array_unref);
  g_clear_pointer (&self->texts, g_ptr_array_unref);
}

char *
acq_npz_table_dup_stem (AcqNpyTable *table)
{
  g_autofree char *name = g_path_get_basename (acq_npy_table_get_path (table));

  return g_strndup (name, strlen (name) - strlen (".npy"));
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static GPtrArray *
list_directory (const char *directory, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GDir) dir = g_dir_open (directory, 0, &local_error);
  GPtrArray *names;
  const char *name;

  if (dir == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "%s", local_error->message);
    return NULL;
  }
  names = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

static gboolean
load_table (AcqNpzContent *self, const char *path, AcqNpzReport *report, GError **error)
{
  AcqNpyTable *table = acq_npy_table_open (path, error);
  guint64 rows, promised;

  if (table == NULL)
    return FALSE;
  g_ptr_array_add (self->tables, table);
  rows = acq_npy_table_get_n_rows (table);
  promised = acq_npy_table_get_n_promised (table);
  report->tables++;
  report->rows += rows;
  report->late_rows += rows > promised ? rows - promised : 0;
  report->missing_rows += promised > rows ? promised - rows : 0;
  report->cut_bytes += acq_npy_table_get_cut_bytes (table);
  return TRUE;
}

static gboolean
load_text (AcqNpzContent *self, const char *path, const char *name, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autofree char *json = NULL;
  AcqNpzText *text;
  gsize size;

  if (!g_file_get_contents (path, &json, &size, &local_error) ||
      !g_utf8_validate_len (json, size, NULL)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "cannot read %s: %s", path,
                 local_error != NULL ? local_error->message : "not UTF-8");
    return FALSE;
  }
  text = g_new0 (AcqNpzText, 1);
  text->key = g_strndup (name, strlen (name) - strlen (".json"));
  text->json = g_steal_pointer (&json);
  g_ptr_array_insert (self->texts, g_str_equal (text->key, "meta") ? 0 : -1, text);
  return TRUE;
}

gboolean
acq_npz_content_load (AcqNpzContent *self, const char *directory, AcqNpzSpoolFlags flags,
                      AcqNpzReport *report, GError **error)
{
  g_autoptr (GPtrArray) names = list_directory (directory, error);

  self->tables = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_npy_table_free);
  self->texts = g_ptr_array_new_with_free_func (free_text);
  if (names == NULL)
    return FALSE;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    g_autofree char *path = g_build_filename (directory, name, NULL);
    g_autoptr (GError) local_error = NULL;
    gboolean ok = TRUE;

    if (g_str_has_suffix (name, ".npy"))
      ok = load_table (self, path, report, &local_error);
    else if (g_str_has_suffix (name, ".json"))
      ok = load_text (self, path, name, &local_error);
    if (!ok && !(flags & ACQ_NPZ_SPOOL_RECOVER)) {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
    report->unreadable += !ok;
  }
  if (!(flags & ACQ_NPZ_SPOOL_RECOVER) &&
      report->late_rows + report->missing_rows + report->cut_bytes > 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "%s was not closed properly: finish it with acq-recover", directory);
    return FALSE;
  }
  return TRUE;
}

/* The first and the last host time of a table whose layout has one. */
static gboolean
read_time_range (AcqNpyTable *table, const char *stem, gint64 range[2])
{
  const AcqNpyHeader *header = acq_npy_table_get_header (table);
  guint64 n = acq_npy_table_get_n_rows (table);
  g_autofree char *key = g_strconcat (stem, "__t_host_us", NULL);
  g_autofree guint8 *row = g_malloc (header->row_size);

  for (guint i = 0; i < header->n_fields && n > 0; i++) {
    const AcqNpyField *f = &header->fields[i];

    if (!g_str_equal (f->name, key) || !g_str_equal (f->descr, "<i8") || f->size != 8)
      continue;
    for (guint k = 0; k < 2; k++) {
      if (!acq_npy_table_read (table, k == 0 ? 0 : n - 1, 1, row, NULL))
        return FALSE;
      memcpy (&range[k], row + f->offset, 8);
      range[k] = GINT64_FROM_LE (range[k]);
    }
    return TRUE;
  }
  return FALSE;
}

static void
complete_stream (JsonObject *streams, AcqNpyTable *table)
{
  g_autofree char *stem = acq_npz_table_dup_stem (table);
  JsonObject *stream;
  guint64 n_rows = acq_npy_table_get_n_rows (table);
  JsonNode *node;
  gint64 range[2];

  node = json_object_get_member (streams, stem);
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    json_object_set_object_member (streams, stem, json_object_new ());
  stream = json_object_get_object_member (streams, stem);
  json_object_set_int_member (stream, "frames", (gint64) n_rows);
  json_object_set_boolean_member (stream, "empty", n_rows == 0);
  if (read_time_range (table, stem, range)) {
    JsonArray *array = json_array_new ();

    json_array_add_int_element (array, range[0]);
    json_array_add_int_element (array, range[1]);
    json_object_set_array_member (stream, "t_host_us_range", array);
    json_object_set_double_member (stream, "duration_s",
                                   ((double) range[1] - (double) range[0]) / 1e6);
  }
}

static void
add_recovery (JsonObject *meta, const AcqNpzReport *report)
{
  JsonObject *o = json_object_new ();

  json_object_set_int_member (o, "rows", (gint64) report->rows);
  json_object_set_int_member (o, "late_rows", (gint64) report->late_rows);
  json_object_set_int_member (o, "missing_rows", (gint64) report->missing_rows);
  json_object_set_int_member (o, "cut_bytes", (gint64) report->cut_bytes);
  json_object_set_int_member (o, "unreadable", report->unreadable);
  json_object_set_object_member (meta, "recovered", o);
}

static AcqNpzText *
find_meta (AcqNpzContent *self)
{
  AcqNpzText *text = self->texts->len > 0 ? g_ptr_array_index (self->texts, 0) : NULL;

  if (text == NULL || !g_str_equal (text->key, "meta")) {
    text = g_new0 (AcqNpzText, 1);
    text->key = g_strdup ("meta");
    text->json = g_strdup ("{}");
    g_ptr_array_insert (self->texts, 0, text);
  }
  return text;
}

gboolean
acq_npz_content_complete_meta (AcqNpzContent *self, AcqNpzSpoolFlags flags,
                               const AcqNpzReport *report, GError **error)
{
  AcqNpzText *text = find_meta (self);
  g_autoptr (JsonNode) root = json_from_string (text->json, NULL);
  JsonObject *meta, *streams;
  JsonNode *node;

  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root)) {
    if (!(flags & ACQ_NPZ_SPOOL_RECOVER)) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "meta.json of a spool is not a JSON object");
      return FALSE;
    }
    g_clear_pointer (&root, json_node_unref);
    root = json_node_init_object (json_node_alloc (), NULL);
    json_node_take_object (root, json_object_new ());
  }
  meta = json_node_get_object (root);
  node = json_object_get_member (meta, "streams");
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    json_object_set_object_member (meta, "streams", json_object_new ());
  streams = json_object_get_object_member (meta, "streams");
  for (guint i = 0; i < self->tables->len; i++)
    complete_stream (streams, g_ptr_array_index (self->tables, i));
  if (flags & ACQ_NPZ_SPOOL_RECOVER)
    add_recovery (meta, report);

  g_free (text->json);
  text->json = acq_json_print (root, FALSE);
  return TRUE;
}
