/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-npz-private.h"

#include <acq/acq-error.h>

#include <string.h>

/*
 * From rows to columns. A member of an archive cannot grow beside another, so a
 * pass over the table writes one column while it collects the others in memory,
 * as far as they fit; what is left waits for the next pass. The largest column is
 * the one to be written straight, which makes one pass enough for anything but
 * very long recordings.
 */

/* Rows read at once: small enough to be in the cache when they are taken apart. */
#define BLOCK_SIZE (512u << 10)

/* Pieces of the straight column: large enough to pass by the archive's own buffer. */
#define PIECE_SIZE (1u << 20)

/* Columns collected beside the straight one. */
#define MEMORY_SIZE (32u << 20)

typedef struct {
  const AcqNpyField *field;
  guint8 *data; /* where it is collected in this pass; NULL outside of it */
  gsize n_bytes;
  gboolean done;
} Column;

typedef struct {
  AcqNpzWriter *writer;
  AcqNpyTable *table;
  guint64 n_rows;
  gsize row_size;
  Column *columns;
  guint n_columns;
  guint8 *block;
  guint64 block_rows;
  Column *straight;
  guint8 *piece;
} Scatter;

/* Fixed sizes become moves; the others are memcpy's business. */
static void
gather (guint8 *dest, const guint8 *src, gsize size, gsize stride, guint64 n)
{
  switch (size) {
  case 1:
    for (guint64 i = 0; i < n; i++)
      dest[i] = src[i * stride];
    break;
  case 4:
    for (guint64 i = 0; i < n; i++)
      memcpy (dest + i * 4, src + i * stride, 4);
    break;
  case 8:
    for (guint64 i = 0; i < n; i++)
      memcpy (dest + i * 8, src + i * stride, 8);
    break;
  default:
    for (guint64 i = 0; i < n; i++)
      memcpy (dest + i * size, src + i * stride, size);
  }
}

static gboolean
begin_column (Scatter *self, const Column *column, GError **error)
{
  AcqNpyField type = { .descr = column->field->descr };
  AcqNpyHeader header = { .fields = &type, .n_fields = 1, .n_dims = 1 + column->field->n_dims };

  header.shape[0] = self->n_rows;
  if (header.n_dims > ACQ_NPY_MAX_DIMS) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "array '%s' has more than %d axes",
                 column->field->name, ACQ_NPY_MAX_DIMS);
    return FALSE;
  }
  for (guint i = 0; i < column->field->n_dims; i++)
    header.shape[1 + i] = column->field->dims[i];
  return acq_npz_writer_begin (self->writer, column->field->name, &header, error);
}

/* Who is written in this pass, and who is collected. */
static void
plan_pass (Scatter *self)
{
  gsize room = MEMORY_SIZE;

  self->straight = NULL;
  for (guint i = 0; i < self->n_columns; i++) {
    Column *c = &self->columns[i];

    if (!c->done && (self->straight == NULL || c->field->size > self->straight->field->size))
      self->straight = c;
  }
  for (guint i = 0; self->straight != NULL && i < self->n_columns; i++) {
    Column *c = &self->columns[i];
    guint64 bytes = self->n_rows * c->field->size;

    if (c->done || c == self->straight || bytes > room)
      continue;
    c->data = g_malloc (MAX (bytes, 1));
    c->n_bytes = 0;
    room -= bytes;
  }
}

/* Hands the straight column's part of the block to the archive, in large pieces. */
static gboolean
take_straight (Scatter *self, guint64 n, gboolean last, GError **error)
{
  Column *c = self->straight;
  gsize size = c->field->size;
  gsize rows_per_piece = size > 0 ? MAX (PIECE_SIZE / size, 1) : 0;

  if (size == 0)
    return TRUE; /* an axis of no length: an array without data */

  for (guint64 i = 0; i < n;) {
    guint64 part = MIN (n - i, rows_per_piece - c->n_bytes / size);

    gather (self->piece + c->n_bytes, self->block + i * self->row_size + c->field->offset, size,
            self->row_size, part);
    c->n_bytes += part * size;
    i += part;
    if (c->n_bytes == rows_per_piece * size || (last && i == n)) {
      if (!acq_npz_writer_put (self->writer, self->piece, c->n_bytes, error))
        return FALSE;
      c->n_bytes = 0;
    }
  }
  return TRUE;
}

/* Returns the bytes taken from each row in this pass. */
static gsize
take_collected (Scatter *self, guint64 n)
{
  gsize per_row = self->straight->field->size;

  for (guint k = 0; k < self->n_columns; k++) {
    Column *c = &self->columns[k];

    if (c->data == NULL)
      continue;
    gather (c->data + c->n_bytes, self->block + c->field->offset, c->field->size, self->row_size,
            n);
    c->n_bytes += n * c->field->size;
    per_row += c->field->size;
  }
  return per_row;
}

static gboolean
run_blocks (Scatter *self, GError **error)
{
  for (guint64 row = 0; row < self->n_rows;) {
    guint64 n = MIN (self->block_rows, self->n_rows - row);
    gsize per_row;

    if (!acq_npy_table_read (self->table, row, n, self->block, error))
      return FALSE;
    row += n;
    per_row = take_collected (self, n);
    if (!take_straight (self, n, row == self->n_rows, error) ||
        !acq_npz_writer_step (self->writer, n * per_row, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
run_pass (Scatter *self, GError **error)
{
  if (self->straight->field->size > PIECE_SIZE)
    self->piece = g_realloc (self->piece, self->straight->field->size);
  self->straight->n_bytes = 0;
  if (!begin_column (self, self->straight, error) || !run_blocks (self, error) ||
      !acq_npz_writer_end (self->writer, error))
    return FALSE;
  self->straight->done = TRUE;

  for (guint i = 0; i < self->n_columns; i++) {
    Column *c = &self->columns[i];

    if (c->data == NULL)
      continue;
    if (!begin_column (self, c, error) ||
        !acq_npz_writer_put (self->writer, c->data, c->n_bytes, error) ||
        !acq_npz_writer_end (self->writer, error))
      return FALSE;
    g_clear_pointer (&c->data, g_free);
    c->done = TRUE;
  }
  return TRUE;
}

static gboolean
check_columns (AcqNpyTable *table, const AcqNpyField *columns, guint n_columns, GError **error)
{
  gsize row_size = acq_npy_table_get_header (table)->row_size;

  for (guint i = 0; i < n_columns; i++) {
    AcqNpyField copy = columns[i];
    gsize size;

    if (!acq_npy_layout (&copy, 1, &size, error))
      return FALSE;
    if (size != columns[i].size || size > row_size || columns[i].offset > row_size - size) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                   "column '%s' (%" G_GSIZE_FORMAT " bytes at %" G_GSIZE_FORMAT
                   ") is not inside the rows of %" G_GSIZE_FORMAT " bytes of %s",
                   columns[i].name, columns[i].size, columns[i].offset, row_size,
                   acq_npy_table_get_path (table));
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
acq_npz_writer_add_table (AcqNpzWriter *self, AcqNpyTable *table, const AcqNpyField *columns,
                          guint n_columns, GError **error)
{
  const AcqNpyHeader *header = acq_npy_table_get_header (table);
  Scatter s = { .writer = self, .table = table };
  gboolean ok = TRUE;

  if (columns == NULL) {
    columns = header->fields;
    n_columns = header->n_fields;
  }
  if (!check_columns (table, columns, n_columns, error))
    return FALSE;

  s.n_rows = acq_npy_table_get_n_rows (table);
  s.row_size = header->row_size;
  s.block_rows = MAX (BLOCK_SIZE / s.row_size, 1);
  s.block = g_malloc (s.block_rows * s.row_size);
  s.piece = g_malloc (PIECE_SIZE);
  s.columns = g_new0 (Column, n_columns);
  for (guint i = 0; i < n_columns; i++)
    if (columns[i].name[0] != '\0') /* padding is no array */
      s.columns[s.n_columns++].field = &columns[i];

  for (plan_pass (&s); ok && s.straight != NULL; plan_pass (&s))
    ok = run_pass (&s, error);

  for (guint i = 0; i < s.n_columns; i++)
    g_free (s.columns[i].data);
  g_free (s.columns);
  g_free (s.piece);
  g_free (s.block);
  return ok;
}
