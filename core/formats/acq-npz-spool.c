/* SPDX-License-Identifier: Apache-2.0 */
#include "base/acq-io-private.h"
#include "formats/acq-npz-private.h"
#include "formats/acq-npz-spool-private.h"

#include <acq/acq-error.h>

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct _AcqNpzSpool {
  char *path;
  char *directory;
  int fd; /* of the directory, locked */
};

/* @directory is transferred. */
static AcqNpzSpool *
lock_directory (char *directory, GError **error)
{
  g_autoptr (AcqNpzSpool) self = g_new0 (AcqNpzSpool, 1);

  self->directory = directory;
  self->path = g_strndup (directory, strlen (directory) - strlen (ACQ_NPZ_SPOOL_SUFFIX));
  self->fd = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (self->fd < 0) {
    acq_set_error_errno (error, errno, "cannot open the spool %s", directory);
    return NULL;
  }
  if (flock (self->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO,
                 "%s is in use: a process is recording into it, or finishing it", directory);
    return NULL;
  }
  return g_steal_pointer (&self);
}

AcqNpzSpool *
acq_npz_spool_new (const char *path, GError **error)
{
  char *directory = g_strconcat (path, ACQ_NPZ_SPOOL_SUFFIX, NULL);

  if (g_mkdir (directory, 0755) < 0) {
    acq_set_error_errno (error, errno, "cannot create the spool %s", directory);
    g_free (directory);
    return NULL;
  }
  return lock_directory (directory, error);
}

AcqNpzSpool *
acq_npz_spool_open (const char *directory, GError **error)
{
  g_autofree char *name = g_path_get_basename (directory);
  g_autofree char *parent = g_path_get_dirname (directory);

  /* A name that ends in '/' is a directory, too. */
  if (g_str_has_suffix (directory, G_DIR_SEPARATOR_S))
    return acq_npz_spool_open (parent, error);
  if (!g_str_has_suffix (name, ACQ_NPZ_SPOOL_SUFFIX) ||
      strlen (name) == strlen (ACQ_NPZ_SPOOL_SUFFIX)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "%s is not called like a spool: <name>.npz" ACQ_NPZ_SPOOL_SUFFIX, directory);
    return NULL;
  }
  return lock_directory (g_strdup (directory), error);
}

const char *
acq_npz_spool_get_directory (AcqNpzSpool *self)
{
  return self->directory;
}

const char *
acq_npz_spool_get_path (AcqNpzSpool *self)
{
  return self->path;
}

void
acq_npz_spool_set_path (AcqNpzSpool *self, const char *path)
{
  g_free (self->path);
  self->path = g_strdup (path);
}

gboolean
acq_npz_spool_check (AcqNpzSpool *self, GError **error)
{
  return acq_io_check_linked (self->fd, self->directory, error);
}

/* A file of the spool; NULL when the name would leave it. */
static char *
build_path (AcqNpzSpool *self, const char *stem, const char *suffix, GError **error)
{
  g_autofree char *name = g_strconcat (stem, suffix, NULL);

  if (*stem == '\0' || *stem == '.' || strchr (stem, '/') != NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "'%s' cannot be the name of an array: no '/', and no '.' in front", stem);
    return NULL;
  }
  return g_build_filename (self->directory, name, NULL);
}

AcqNpySpool *
acq_npz_spool_add_table (AcqNpzSpool *self, const char *stem, const AcqNpyField *columns,
                         guint n_columns, gsize buffer_size, GError **error)
{
  g_autofree char *path = build_path (self, stem, ".npy", error);

  return path != NULL ? acq_npy_spool_new (path, columns, n_columns, buffer_size, error) : NULL;
}

gboolean
acq_npz_spool_set_text (AcqNpzSpool *self, const char *key, const char *json, GError **error)
{
  g_autofree char *path = build_path (self, key, ".json", error);
  g_autofree char *temporary = NULL;
  gboolean ok = FALSE;
  int fd;

  if (path == NULL)
    return FALSE;
  temporary = g_strconcat (path, ".part", NULL);
  fd = open (temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) {
    acq_set_error_errno (error, errno, "cannot create %s", temporary);
    return FALSE;
  }
  ok = acq_io_pwrite (fd, json, strlen (json), 0, temporary, error);
  close (fd);
  if (ok && rename (temporary, path) < 0) {
    acq_set_error_errno (error, errno, "cannot rename %s", temporary);
    ok = FALSE;
  }
  if (!ok)
    unlink (temporary);
  return ok;
}

/* Only files that are a spool's; anything else keeps the directory. */
static gboolean
remove_spool (AcqNpzSpool *self, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (self->directory, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".npy") || g_str_has_suffix (name, ".json") ||
        g_str_has_suffix (name, ".json.part"))
      unlinkat (self->fd, name, 0);
  if (g_rmdir (self->directory) < 0) {
    acq_set_error_errno (error, errno, "%s is whole, but its spool %s cannot be removed",
                         self->path, self->directory);
    return FALSE;
  }
  return TRUE;
}

/* Whether an archive that is there already holds all of the spool. */
static gboolean
is_complete (const char *path, const AcqNpzContent *content)
{
  g_autoptr (AcqZipReader) zip = acq_zip_reader_open (path, NULL);

  if (zip == NULL)
    return FALSE;
  for (guint i = 0; i < content->tables->len; i++) {
    AcqNpyTable *table = g_ptr_array_index (content->tables, i);
    const AcqNpyHeader *columns = acq_npy_table_get_header (table);

    for (guint k = 0; k < columns->n_fields; k++) {
      g_auto (AcqNpyHeader) header = { 0 };
      g_autoptr (GBytes) data = NULL;

      if (columns->fields[k].name[0] == '\0')
        continue;
      data = acq_npz_read (zip, columns->fields[k].name, &header, NULL);
      if (data == NULL || header.n_dims == 0 || header.shape[0] != acq_npy_table_get_n_rows (table))
        return FALSE;
    }
  }
  return TRUE;
}

static guint64
count_bytes (const AcqNpzContent *content)
{
  guint64 total = 0;

  for (guint i = 0; i < content->tables->len; i++) {
    AcqNpyTable *table = g_ptr_array_index (content->tables, i);

    total += acq_npy_table_get_n_rows (table) * acq_npy_table_get_header (table)->row_size;
  }
  return total;
}

static gboolean
write_content (AcqNpzWriter *writer, const AcqNpzContent *content, AcqNpzReport *report,
               GError **error)
{
  for (guint i = 0; i < content->texts->len; i++) {
    const AcqNpzText *text = g_ptr_array_index (content->texts, i);

    if (!acq_npz_writer_add_text (writer, text->key, text->json, error))
      return FALSE;
    report->arrays++;
  }
  for (guint i = 0; i < content->tables->len; i++) {
    AcqNpyTable *table = g_ptr_array_index (content->tables, i);
    const AcqNpyHeader *header = acq_npy_table_get_header (table);

    if (!acq_npz_writer_add_table (writer, table, NULL, 0, error))
      return FALSE;
    for (guint k = 0; k < header->n_fields; k++)
      report->arrays += header->fields[k].name[0] != '\0';
  }
  return acq_npz_writer_publish (writer, &report->bytes, error);
}

gboolean
acq_npz_spool_assemble (AcqNpzSpool *self, AcqZipMethod method, AcqNpzSpoolFlags flags,
                        GCancellable *cancellable, AcqNpzProgress progress, gpointer progress_data,
                        AcqNpzReport *ret_report, GError **error)
{
  g_auto (AcqNpzContent) content = { 0 };
  g_autoptr (AcqNpzWriter) writer = NULL;
  AcqNpzReport report = { 0 };

  if (!acq_npz_content_load (&content, self->directory, flags, &report, error))
    return FALSE;
  report.was_complete = (flags & ACQ_NPZ_SPOOL_RECOVER) && is_complete (self->path, &content);
  if (!report.was_complete) {
    if (!acq_npz_content_complete_meta (&content, flags, &report, error))
      return FALSE;
    writer = acq_npz_writer_new (self->path, method, cancellable, error);
    if (writer == NULL)
      return FALSE;
    acq_npz_writer_set_progress (writer, progress, progress_data, count_bytes (&content));
    if (!write_content (writer, &content, &report, error))
      return FALSE;
  }
  if (!(flags & ACQ_NPZ_SPOOL_KEEP) && !remove_spool (self, error))
    return FALSE;
  if (ret_report != NULL)
    *ret_report = report;
  return TRUE;
}

void
acq_npz_spool_free (AcqNpzSpool *self)
{
  if (self == NULL)
    return;
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->directory);
  g_free (self->path);
  g_free (self);
}
