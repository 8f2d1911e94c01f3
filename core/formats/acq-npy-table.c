/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-npy-private.h"

#include "base/acq-io-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct _AcqNpyTable {
  char *path;
  int fd;
  AcqNpyHeader header;
  guint64 n_rows;
  guint64 cut_bytes;
};

static gboolean
read_header (AcqNpyTable *self, guint64 file_size, GError **error)
{
  g_autofree guint8 *head = NULL;
  guint8 first[12];
  gsize size;

  if (!acq_io_pread (self->fd, first, MIN (sizeof first, file_size), 0, self->path, error))
    return FALSE;
  size = acq_npy_header_size (first, MIN (sizeof first, file_size), error);
  if (size == 0)
    return FALSE;
  head = g_malloc (size);
  return acq_io_pread (self->fd, head, size, 0, self->path, error) &&
         acq_npy_header_parse (head, size, &self->header, error);
}

static gboolean
is_zero (const guint8 *data, gsize size)
{
  return size == 0 || (data[0] == 0 && memcmp (data, data + 1, size - 1) == 0);
}

/*
 * Rows of nothing but zeros behind what the header promises: the file system
 * made the file longer and then lost power. Rows of ours hold a time.
 */
static gboolean
drop_zero_rows (AcqNpyTable *self, GError **error)
{
  g_autofree guint8 *row = g_malloc (self->header.row_size);

  while (self->n_rows > self->header.n_items) {
    if (!acq_npy_table_read (self, self->n_rows - 1, 1, row, error))
      return FALSE;
    if (!is_zero (row, self->header.row_size))
      break;
    self->n_rows--;
    self->cut_bytes += self->header.row_size;
  }
  return TRUE;
}

static gboolean
find_rows (AcqNpyTable *self, guint64 file_size, GError **error)
{
  guint64 data_size = file_size - self->header.data_offset;

  if (self->header.n_dims != 1 || self->header.fields[0].name == NULL ||
      self->header.row_size == 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "%s is an array of %u axes, not a table of rows with named columns", self->path,
                 self->header.n_dims);
    return FALSE;
  }
  self->n_rows = data_size / self->header.row_size;
  self->cut_bytes = data_size % self->header.row_size;
  return drop_zero_rows (self, error);
}

AcqNpyTable *
acq_npy_table_open (const char *path, GError **error)
{
  g_autoptr (AcqNpyTable) self = g_new0 (AcqNpyTable, 1);
  struct stat st;

  self->path = g_strdup (path);
  self->fd = open (path, O_RDONLY | O_CLOEXEC);
  if (self->fd < 0 || fstat (self->fd, &st) < 0) {
    acq_set_error_errno (error, errno, "cannot open %s", path);
    return NULL;
  }
  if (!read_header (self, (guint64) st.st_size, error) ||
      !find_rows (self, (guint64) st.st_size, error)) {
    g_prefix_error (error, "%s: ", path);
    return NULL;
  }
  posix_fadvise (self->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return g_steal_pointer (&self);
}

const AcqNpyHeader *
acq_npy_table_get_header (AcqNpyTable *self)
{
  return &self->header;
}

const char *
acq_npy_table_get_path (AcqNpyTable *self)
{
  return self->path;
}

guint64
acq_npy_table_get_n_rows (AcqNpyTable *self)
{
  return self->n_rows;
}

guint64
acq_npy_table_get_n_promised (AcqNpyTable *self)
{
  return self->header.n_items;
}

guint64
acq_npy_table_get_cut_bytes (AcqNpyTable *self)
{
  return self->cut_bytes;
}

gboolean
acq_npy_table_read (AcqNpyTable *self, guint64 first, guint64 n, void *dest, GError **error)
{
  gsize row_size = self->header.row_size;

  g_return_val_if_fail (first + n <= self->n_rows, FALSE);

  return acq_io_pread (self->fd, dest, n * row_size, self->header.data_offset + first * row_size,
                       self->path, error);
}

void
acq_npy_table_free (AcqNpyTable *self)
{
  if (self == NULL)
    return;
  if (self->fd >= 0)
    close (self->fd);
  acq_npy_header_clear (&self->header);
  g_free (self->path);
  g_free (self);
}
