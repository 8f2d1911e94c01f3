/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-npy-private.h"
#include "formats/acq-npz-private.h"

#include <acq/acq-error.h>
#include <acq/acq-part-file.h>

struct _AcqNpzWriter {
  AcqPartFile *file;
  AcqZipWriter *zip;
  AcqZipMethod method;
  GCancellable *cancellable;
  AcqNpzProgress progress;
  gpointer progress_data;
  guint64 total;
  guint64 done;
  gboolean published;
};

AcqNpzWriter *
acq_npz_writer_new (const char *path, AcqZipMethod method, GCancellable *cancellable,
                    GError **error)
{
  AcqPartFile *file = acq_part_file_new (path, ACQ_PART_FILE_REPLACE, error);
  AcqNpzWriter *self;

  if (file == NULL)
    return NULL;
  self = g_new0 (AcqNpzWriter, 1);
  self->file = file;
  self->zip = acq_zip_writer_new (acq_part_file_get_fd (file), acq_part_file_get_part_path (file));
  self->method = method;
  g_set_object (&self->cancellable, cancellable);
  return self;
}

void
acq_npz_writer_set_progress (AcqNpzWriter *self, AcqNpzProgress func, gpointer data, guint64 total)
{
  self->progress = func;
  self->progress_data = data;
  self->total = total;
}

gboolean
acq_npz_writer_step (AcqNpzWriter *self, guint64 bytes, GError **error)
{
  if (self->cancellable != NULL && g_cancellable_is_cancelled (self->cancellable)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_CANCELLED, "writing %s was cancelled",
                 acq_part_file_get_path (self->file));
    return FALSE;
  }
  self->done += bytes;
  if (self->progress != NULL)
    self->progress (self->done, self->total, self->progress_data);
  return TRUE;
}

gboolean
acq_npz_writer_begin (AcqNpzWriter *self, const char *key, const AcqNpyHeader *header,
                      GError **error)
{
  g_autofree char *name = g_strconcat (key, ".npy", NULL);
  g_autoptr (GBytes) bytes = acq_npy_header_encode (header, error);
  gconstpointer data;
  gsize size;

  if (bytes == NULL) {
    g_prefix_error (error, "array '%s': ", key);
    return FALSE;
  }
  data = g_bytes_get_data (bytes, &size);
  return acq_zip_writer_begin (self->zip, name, self->method, error) &&
         acq_zip_writer_write (self->zip, data, size, error);
}

gboolean
acq_npz_writer_put (AcqNpzWriter *self, const void *data, gsize size, GError **error)
{
  return acq_zip_writer_write (self->zip, data, size, error);
}

gboolean
acq_npz_writer_end (AcqNpzWriter *self, GError **error)
{
  return acq_zip_writer_end (self->zip, error);
}

gboolean
acq_npz_writer_add_array (AcqNpzWriter *self, const char *key, const char *descr, guint n_dims,
                          const guint64 *shape, const void *data, GError **error)
{
  AcqNpyField field = { .descr = descr };
  AcqNpyHeader header = { .fields = &field, .n_fields = 1, .n_dims = n_dims };
  guint64 size;

  for (guint i = 0; i < MIN (n_dims, ACQ_NPY_MAX_DIMS); i++)
    header.shape[i] = shape[i];
  if (!acq_npz_writer_begin (self, key, &header, error))
    return FALSE;
  /* The header was accepted, so the size exists. */
  acq_npy_product (shape, n_dims, acq_npy_descr_size (descr), &size);
  return acq_npz_writer_put (self, data, size, error) && acq_npz_writer_end (self, error) &&
         acq_npz_writer_step (self, size, error);
}

gboolean
acq_npz_writer_add_text (AcqNpzWriter *self, const char *key, const char *text, GError **error)
{
  gsize length;
  g_autoptr (GBytes) wide = acq_npy_text_encode (text, &length, error);
  g_autofree char *descr = NULL;

  if (wide == NULL)
    return FALSE;
  descr = g_strdup_printf ("<U%" G_GSIZE_FORMAT, length);
  return acq_npz_writer_add_array (self, key, descr, 0, NULL, g_bytes_get_data (wide, NULL), error);
}

gboolean
acq_npz_writer_publish (AcqNpzWriter *self, guint64 *ret_size, GError **error)
{
  if (!acq_zip_writer_finish (self->zip, error) || !acq_part_file_publish (self->file, error))
    return FALSE;
  self->published = TRUE;
  if (ret_size != NULL)
    *ret_size = acq_zip_writer_get_size (self->zip);
  return TRUE;
}

void
acq_npz_writer_free (AcqNpzWriter *self)
{
  if (self == NULL)
    return;
  acq_zip_writer_free (self->zip);
  acq_part_file_discard (self->file);
  g_clear_object (&self->cancellable);
  g_free (self);
}
