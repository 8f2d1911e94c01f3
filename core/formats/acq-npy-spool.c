/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-npy-private.h"

#include "base/acq-io-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct _AcqNpySpool {
  char *path;
  int fd;
  AcqNpyHeader header; /* owns nothing but its copies of the columns */
  char **texts;
  gsize header_size;
  gsize row_size;
  guint8 *buffer;
  gsize capacity; /* rows in the buffer at most */
  gsize n_buffered;
  guint64 n_written;
  gboolean failed;
};

static void
copy_fields (AcqNpySpool *self, const AcqNpyField *fields, guint n_fields)
{
  self->header.fields = g_memdup2 (fields, n_fields * sizeof *fields);
  self->header.n_fields = n_fields;
  self->header.n_dims = 1;
  self->texts = g_new0 (char *, 2 * n_fields + 1);
  for (guint i = 0; i < n_fields; i++) {
    self->texts[2 * i] = g_strdup (fields[i].name != NULL ? fields[i].name : "");
    self->texts[2 * i + 1] = g_strdup (fields[i].descr != NULL ? fields[i].descr : "");
    self->header.fields[i].name = self->texts[2 * i];
    self->header.fields[i].descr = self->texts[2 * i + 1];
  }
}

/* The header of so many rows, over the one that is there. */
static gboolean
write_header (AcqNpySpool *self, guint64 n_rows, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  gconstpointer data;

  self->header.shape[0] = n_rows;
  bytes = acq_npy_header_encode (&self->header, error);
  if (bytes == NULL)
    return FALSE;
  data = g_bytes_get_data (bytes, &self->header_size);
  return acq_io_pwrite (self->fd, data, self->header_size, 0, self->path, error);
}

AcqNpySpool *
acq_npy_spool_new (const char *path, const AcqNpyField *fields, guint n_fields, gsize buffer_size,
                   GError **error)
{
  g_autoptr (AcqNpySpool) self = g_new0 (AcqNpySpool, 1);

  self->fd = -1;
  self->path = g_strdup (path);
  copy_fields (self, fields, n_fields);
  if (!acq_npy_layout (self->header.fields, n_fields, &self->row_size, error))
    return NULL;
  if (self->row_size == 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "%s: a table needs a column with a size",
                 path);
    return NULL;
  }

  self->fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (self->fd < 0) {
    acq_set_error_errno (error, errno, "cannot create %s", path);
    return NULL;
  }
  if (!write_header (self, 0, error)) {
    unlink (path);
    return NULL;
  }
  self->capacity = MAX (buffer_size / self->row_size, 1);
  self->buffer = g_malloc (self->capacity * self->row_size);
  return g_steal_pointer (&self);
}

guint8 *
acq_npy_spool_begin_row (AcqNpySpool *self)
{
  g_return_val_if_fail (self->n_buffered < self->capacity, self->buffer);

  return self->buffer + self->n_buffered * self->row_size;
}

/* After a failed write the file says itself how many whole rows it got. */
static void
find_what_was_written (AcqNpySpool *self)
{
  struct stat st;

  if (fstat (self->fd, &st) == 0 && (guint64) st.st_size >= self->header_size) {
    guint64 rows = ((guint64) st.st_size - self->header_size) / self->row_size;

    self->n_written = CLAMP (rows, self->n_written, self->n_written + self->n_buffered);
  }
}

gboolean
acq_npy_spool_flush (AcqNpySpool *self, GError **error)
{
  guint64 offset = self->header_size + self->n_written * self->row_size;

  if (self->failed) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "%s could not be written before", self->path);
    return FALSE;
  }
  if (self->n_buffered == 0)
    return TRUE;
  if (!acq_io_check_linked (self->fd, self->path, error) ||
      !acq_io_pwrite (self->fd, self->buffer, self->n_buffered * self->row_size, offset, self->path,
                      error)) {
    self->failed = TRUE;
    find_what_was_written (self);
    self->n_buffered = 0;
    write_header (self, self->n_written, NULL); /* overwrites in place: a full disk allows it */
    return FALSE;
  }
  self->n_written += self->n_buffered;
  self->n_buffered = 0;
  if (!write_header (self, self->n_written, error)) {
    self->failed = TRUE;
    return FALSE;
  }
  return TRUE;
}

gboolean
acq_npy_spool_commit_row (AcqNpySpool *self, GError **error)
{
  if (self->failed)
    return acq_npy_spool_flush (self, error);
  if (++self->n_buffered < self->capacity)
    return TRUE;
  return acq_npy_spool_flush (self, error);
}

guint64
acq_npy_spool_get_n_rows (AcqNpySpool *self)
{
  return self->n_written + self->n_buffered;
}

guint64
acq_npy_spool_get_n_written (AcqNpySpool *self)
{
  return self->n_written;
}

gsize
acq_npy_spool_get_row_size (AcqNpySpool *self)
{
  return self->row_size;
}

const char *
acq_npy_spool_get_path (AcqNpySpool *self)
{
  return self->path;
}

void
acq_npy_spool_free (AcqNpySpool *self)
{
  if (self == NULL)
    return;
  if (self->fd >= 0)
    close (self->fd);
  acq_npy_header_clear (&self->header);
  g_strfreev (self->texts);
  g_free (self->buffer);
  g_free (self->path);
  g_free (self);
}
