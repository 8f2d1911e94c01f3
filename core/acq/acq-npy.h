/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-macros.h>

/*
 * NPY, NumPy's file format for one array: a header in the form of a Python
 * literal, padded so that the data begins on 64 bytes, then the bytes. Never
 * object arrays: they need pickle.
 *
 * A table is an array of one axis whose dtype has named fields; a row is packed.
 * A spool is a table on disk that grows by rows.
 */

#define ACQ_NPY_MAX_DIMS 8

/**
 * AcqNpyField:
 * @name: a column of a table; %NULL for an array that is not one; "" is padding
 * @descr: NumPy's type string, for example `<f4`, `<i8`, `|b1`, `<U16`, `|S64`
 * @n_dims: axes inside one row
 * @dims: their lengths
 * @offset: where it begins in the row
 * @size: bytes in the row
 *
 * Strings are not owned. @offset and @size are filled in by acq_npy_layout().
 */
typedef struct {
  const char *name;
  const char *descr;
  guint n_dims;
  guint64 dims[ACQ_NPY_MAX_DIMS];
  gsize offset;
  gsize size;
} AcqNpyField;

/**
 * AcqNpyHeader:
 * @fields: columns of a table, or the one field (without name and axes) of a plain array
 * @n_fields: how many
 * @n_dims: axes of the array; a table has one, a scalar none
 * @shape: their lengths
 * @fortran_order: the first axis varies fastest
 * @row_size: bytes of one item
 * @n_items: product of @shape
 * @data_offset: where the data begins in the file
 *
 * What an NPY file says about itself. To encode one, fill @fields, @n_fields,
 * @n_dims and @shape; the rest comes from acq_npy_header_parse().
 */
typedef struct {
  AcqNpyField *fields;
  guint n_fields;
  guint n_dims;
  guint64 shape[ACQ_NPY_MAX_DIMS];
  gboolean fortran_order;
  gsize row_size;
  guint64 n_items;
  gsize data_offset;
  /*< private >*/
  GStringChunk *strings;
} AcqNpyHeader;

/**
 * acq_npy_descr_size:
 * @descr: a type string
 *
 * Returns: bytes of one item, or 0 if NumPy would not read @descr without pickle
 */
ACQ_API gsize acq_npy_descr_size (const char *descr);

/**
 * acq_npy_layout:
 * @fields: (array length=n_fields): columns; @offset and @size are set
 * @n_fields: how many
 * @ret_row_size: (out): bytes of a row
 * @error: %ACQ_ERROR_FORMAT when a type or a name cannot be written
 *
 * Lays the columns out one behind the other, without padding, as NumPy does.
 * Names are printable ASCII without quotes and backslashes, and unique.
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_npy_layout (AcqNpyField *fields, guint n_fields, gsize *ret_row_size,
                                 GError **error);

/**
 * acq_npy_header_encode:
 * @self: a header
 * @error: %ACQ_ERROR_FORMAT when it cannot be written
 *
 * Version 1.0, or 2.0 when it is longer than that allows. The result has room
 * for any length of the first axis, so a later encoding with another one has the
 * same size and can be written over it.
 *
 * Returns: (transfer full) (nullable): the bytes, a multiple of 64
 */
ACQ_API GBytes *acq_npy_header_encode (const AcqNpyHeader *self, GError **error);

/**
 * acq_npy_header_parse:
 * @data: (array length=size): the beginning of a file
 * @size: how much of it there is
 * @ret_header: (out caller-allocates): acq_npy_header_clear() it
 * @error: %ACQ_ERROR_TRUNCATED when @size is too small, %ACQ_ERROR_FORMAT when it is not NPY, or
 *   when it needs pickle, nested records, or more than %ACQ_NPY_MAX_DIMS axes
 *
 * Strict: whatever it accepts, NumPy does too and reads in the same way (headers of more than
 * 10,000 bytes only when `max_header_size` is raised).
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_npy_header_parse (const guint8 *data, gsize size, AcqNpyHeader *ret_header,
                                       GError **error);

/**
 * acq_npy_header_size:
 * @data: (array length=size): the beginning of a file
 * @size: at least 12
 * @error: as acq_npy_header_parse()
 *
 * Returns: the bytes that acq_npy_header_parse() needs, or 0 on error
 */
ACQ_API gsize acq_npy_header_size (const guint8 *data, gsize size, GError **error);

ACQ_API void acq_npy_header_clear (AcqNpyHeader *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AcqNpyHeader, acq_npy_header_clear)

/**
 * acq_npy_text_encode:
 * @text: UTF-8
 * @ret_length: (out): code points, the n of the type `<U{n}`
 * @error: %ACQ_ERROR_FORMAT when @text is not UTF-8
 *
 * The data of an array of text without axes: UTF-32, little endian. The empty
 * text is one zero, since NumPy has no use for `<U0`.
 *
 * Returns: (transfer full) (nullable): the bytes
 */
ACQ_API GBytes *acq_npy_text_encode (const char *text, gsize *ret_length, GError **error);

/**
 * acq_npy_text_decode:
 * @data: (array length=size): UTF-32, little endian
 * @size: bytes, a multiple of 4
 * @error: %ACQ_ERROR_FORMAT when it is not text
 *
 * Returns: (transfer full) (nullable): UTF-8, trailing zeros removed
 */
ACQ_API char *acq_npy_text_decode (const guint8 *data, gsize size, GError **error);

/**
 * AcqNpySpool:
 *
 * A table that grows on disk. Rows are collected in memory and written in blocks;
 * each flush also patches the row count in the header, so that the file opens in
 * NumPy at any moment, also after a crash.
 *
 * Thread: one at a time.
 */
typedef struct _AcqNpySpool AcqNpySpool;

/**
 * acq_npy_spool_new:
 * @path: the file; must not exist
 * @fields: (array length=n_fields): the columns, copied; laid out by acq_npy_layout()
 * @n_fields: how many
 * @buffer_size: bytes collected before they are written; raised to one row
 * @error: set on failure
 *
 * Returns: (transfer full) (nullable): an empty table
 */
ACQ_API AcqNpySpool *acq_npy_spool_new (const char *path, const AcqNpyField *fields, guint n_fields,
                                        gsize buffer_size, GError **error);

/**
 * acq_npy_spool_begin_row:
 * @self: a spool
 *
 * Returns: (transfer none): where the next row goes, not zeroed, without alignment; nothing
 *   happened until acq_npy_spool_commit_row()
 */
ACQ_API guint8 *acq_npy_spool_begin_row (AcqNpySpool *self);

/**
 * acq_npy_spool_commit_row:
 * @self: a spool
 * @error: as acq_npy_spool_flush()
 *
 * The row is filled. No system call unless the buffer is full.
 *
 * Returns: %FALSE when the rows could not be written
 */
ACQ_API gboolean acq_npy_spool_commit_row (AcqNpySpool *self, GError **error);

/**
 * acq_npy_spool_flush:
 * @self: a spool
 * @error: %ACQ_ERROR_NO_SPACE or %ACQ_ERROR_IO; the spool takes no more rows then, and the file
 *   holds acq_npy_spool_get_n_written() whole rows
 *
 * Hands the collected rows to the system.
 *
 * Returns: %TRUE if everything is written
 */
ACQ_API gboolean acq_npy_spool_flush (AcqNpySpool *self, GError **error);

/** acq_npy_spool_get_n_rows: Returns: rows committed */
ACQ_API guint64 acq_npy_spool_get_n_rows (AcqNpySpool *self);
/** acq_npy_spool_get_n_written: Returns: rows that the system has */
ACQ_API guint64 acq_npy_spool_get_n_written (AcqNpySpool *self);
ACQ_API gsize acq_npy_spool_get_row_size (AcqNpySpool *self);
ACQ_API const char *acq_npy_spool_get_path (AcqNpySpool *self);

/**
 * acq_npy_spool_free:
 * @self: (nullable) (transfer full): a spool
 *
 * Closes the file and leaves it. What was not flushed is lost: flush first.
 */
ACQ_API void acq_npy_spool_free (AcqNpySpool *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqNpySpool, acq_npy_spool_free)

/**
 * AcqNpyTable:
 *
 * A table on disk, for reading. A spool whose writer died is read as far as it
 * holds whole rows, whatever its header says.
 *
 * Thread: any; reads do not disturb each other.
 */
typedef struct _AcqNpyTable AcqNpyTable;

/**
 * acq_npy_table_open:
 * @path: an NPY file with one axis and named fields
 * @error: %ACQ_ERROR_IO, %ACQ_ERROR_FORMAT, %ACQ_ERROR_TRUNCATED
 *
 * Returns: (transfer full) (nullable): the table
 */
ACQ_API AcqNpyTable *acq_npy_table_open (const char *path, GError **error);

ACQ_API const AcqNpyHeader *acq_npy_table_get_header (AcqNpyTable *self);
ACQ_API const char *acq_npy_table_get_path (AcqNpyTable *self);

/**
 * acq_npy_table_get_n_rows:
 * @self: a table
 *
 * Rows behind what the header promises count when they are whole; zeros at the
 * end, which a file system can leave after a power failure, do not.
 *
 * Returns: whole rows in the file
 */
ACQ_API guint64 acq_npy_table_get_n_rows (AcqNpyTable *self);

/** acq_npy_table_get_n_promised: Returns: rows that the header promises */
ACQ_API guint64 acq_npy_table_get_n_promised (AcqNpyTable *self);

/** acq_npy_table_get_cut_bytes: Returns: bytes behind the last whole row, which are ignored */
ACQ_API guint64 acq_npy_table_get_cut_bytes (AcqNpyTable *self);

/**
 * acq_npy_table_read:
 * @self: a table
 * @first: first row
 * @n: how many; @first + @n is not above acq_npy_table_get_n_rows()
 * @dest: (out caller-allocates): @n rows
 * @error: %ACQ_ERROR_IO or %ACQ_ERROR_TRUNCATED
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_npy_table_read (AcqNpyTable *self, guint64 first, guint64 n, void *dest,
                                     GError **error);

ACQ_API void acq_npy_table_free (AcqNpyTable *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqNpyTable, acq_npy_table_free)
