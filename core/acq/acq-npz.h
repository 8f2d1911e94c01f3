/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-npy.h>
#include <acq/acq-zip.h>
#include <gio/gio.h>

/*
 * NPZ, NumPy's archive of arrays: a ZIP file whose members are `<key>.npy`.
 *
 * Since members cannot grow side by side, a recording first goes to a spool: a
 * directory with one table (AcqNpySpool) per stream. At the end the tables are
 * taken apart into columns, each of them an array of the archive. The columns of
 * a table are named by the keys of their arrays, so a spool explains itself, and
 * what a crash leaves behind is finished by the same code.
 */

/**
 * AcqNpzProgress:
 * @done: bytes of arrays written
 * @total: bytes of arrays there are, or 0 when nobody said
 * @data: from acq_npz_writer_set_progress()
 *
 * Called every few megabytes, on the thread that writes.
 */
typedef void (*AcqNpzProgress) (guint64 done, guint64 total, gpointer data);

/**
 * AcqNpzWriter:
 *
 * Writes an archive of arrays. It is `<path>.part` until it is published.
 *
 * Thread: one at a time.
 */
typedef struct _AcqNpzWriter AcqNpzWriter;

/**
 * acq_npz_writer_new:
 * @path: the final name; a left-over `.part` is replaced
 * @method: how arrays are kept
 * @cancellable: (nullable): gives up between blocks, with %ACQ_ERROR_CANCELLED
 * @error: as acq_part_file_new()
 *
 * Returns: (transfer full) (nullable): a writer
 */
ACQ_API AcqNpzWriter *acq_npz_writer_new (const char *path, AcqZipMethod method,
                                          GCancellable *cancellable, GError **error);

/**
 * acq_npz_writer_set_progress:
 * @self: a writer
 * @func: (nullable) (scope forever): called now and then
 * @data: its data
 * @total: bytes of all arrays to come, for @func
 */
ACQ_API void acq_npz_writer_set_progress (AcqNpzWriter *self, AcqNpzProgress func, gpointer data,
                                          guint64 total);

/**
 * acq_npz_writer_add_array:
 * @self: a writer
 * @key: what NumPy calls it
 * @descr: type, for example `<f4`
 * @n_dims: axes; 0 is a scalar
 * @shape: (array length=n_dims) (nullable): their lengths
 * @data: all of it, in C order
 * @error: %ACQ_ERROR_FORMAT, %ACQ_ERROR_IO, %ACQ_ERROR_NO_SPACE
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_npz_writer_add_array (AcqNpzWriter *self, const char *key, const char *descr,
                                           guint n_dims, const guint64 *shape, const void *data,
                                           GError **error);

/**
 * acq_npz_writer_add_text:
 * @self: a writer
 * @key: what NumPy calls it
 * @text: UTF-8, for example JSON
 * @error: as acq_npz_writer_add_array()
 *
 * An array without axes: `str (z[key])` is the text.
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_npz_writer_add_text (AcqNpzWriter *self, const char *key, const char *text,
                                          GError **error);

/**
 * acq_npz_writer_add_table:
 * @self: a writer
 * @table: rows
 * @columns: (array length=n_columns) (nullable): which parts of a row become arrays, under which
 *   keys: name, type, axes, offset and size; %NULL takes all columns of @table
 * @n_columns: how many
 * @error: as acq_npz_writer_add_array(), and those of reading
 *
 * Takes a table apart: each column becomes an array of shape (rows, axes…). Memory
 * is bounded whatever the size; the table is read once, and again only for columns
 * that are each larger than 32 MiB.
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_npz_writer_add_table (AcqNpzWriter *self, AcqNpyTable *table,
                                           const AcqNpyField *columns, guint n_columns,
                                           GError **error);

/**
 * acq_npz_writer_publish:
 * @self: a writer
 * @ret_size: (out) (optional): bytes of the file
 * @error: as acq_part_file_publish()
 *
 * Finishes the archive and gives it its name.
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_npz_writer_publish (AcqNpzWriter *self, guint64 *ret_size, GError **error);

/**
 * acq_npz_writer_free:
 * @self: (nullable) (transfer full): a writer
 *
 * What was not published is removed: it is no archive, and there is a spool.
 */
ACQ_API void acq_npz_writer_free (AcqNpzWriter *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqNpzWriter, acq_npz_writer_free)

/**
 * acq_npz_read:
 * @zip: an archive
 * @key: an array's key, without `.npy`
 * @ret_header: (out caller-allocates): what it is; acq_npy_header_clear() it
 * @error: %ACQ_ERROR_FORMAT when there is no such array or it is damaged
 *
 * Returns: (transfer full) (nullable): exactly the data of the array
 */
ACQ_API GBytes *acq_npz_read (AcqZipReader *zip, const char *key, AcqNpyHeader *ret_header,
                              GError **error);

/** acq_npz_read_text: Returns: (transfer full) (nullable): the text of an array without axes */
ACQ_API char *acq_npz_read_text (AcqZipReader *zip, const char *key, GError **error);

/**
 * AcqNpzSpool:
 *
 * The directory `<path>.spool` of an archive that is being recorded: tables, and
 * texts in files `<key>.json`. A process that has it keeps it locked.
 *
 * Thread: one at a time.
 */
typedef struct _AcqNpzSpool AcqNpzSpool;

/**
 * AcqNpzReport:
 * @tables: how many tables there were
 * @arrays: arrays written, texts included
 * @rows: rows of all tables
 * @late_rows: of these, rows that were whole behind what the header of their table promised
 * @missing_rows: rows that a header promised and that are not there
 * @cut_bytes: bytes of rows that were not whole
 * @unreadable: tables and texts that could not be read at all
 * @bytes: size of the archive
 * @was_complete: the archive was there already, whole: only the spool was left to remove
 *
 * What acq_npz_spool_assemble() did.
 */
typedef struct {
  guint tables;
  guint arrays;
  guint64 rows;
  guint64 late_rows;
  guint64 missing_rows;
  guint64 cut_bytes;
  guint unreadable;
  guint64 bytes;
  gboolean was_complete;
} AcqNpzReport;

/**
 * AcqNpzSpoolFlags:
 * @ACQ_NPZ_SPOOL_RECOVER: take what can be read, count the rest, and say so in `meta`; otherwise
 *   a damaged spool is an error
 * @ACQ_NPZ_SPOOL_KEEP: leave the spool where it is
 */
typedef enum {
  ACQ_NPZ_SPOOL_NONE = 0,
  ACQ_NPZ_SPOOL_RECOVER = 1 << 0,
  ACQ_NPZ_SPOOL_KEEP = 1 << 1,
} AcqNpzSpoolFlags;

#define ACQ_NPZ_SPOOL_SUFFIX ".spool"

/**
 * acq_npz_spool_new:
 * @path: the archive to come; the directory is `<path>.spool` and must not exist
 * @error: %ACQ_ERROR_IO, %ACQ_ERROR_NO_SPACE
 *
 * Returns: (transfer full) (nullable): an empty spool
 */
ACQ_API AcqNpzSpool *acq_npz_spool_new (const char *path, GError **error);

/**
 * acq_npz_spool_open:
 * @directory: a left-over `<path>.spool`
 * @error: %ACQ_ERROR_IO; also when a process is still recording into it
 *
 * Returns: (transfer full) (nullable): the spool
 */
ACQ_API AcqNpzSpool *acq_npz_spool_open (const char *directory, GError **error);

ACQ_API const char *acq_npz_spool_get_directory (AcqNpzSpool *self);
/** acq_npz_spool_get_path: Returns: (transfer none): of the archive */
ACQ_API const char *acq_npz_spool_get_path (AcqNpzSpool *self);

/**
 * acq_npz_spool_set_path:
 * @self: a spool
 * @path: of the archive, when it is to be made somewhere else
 */
ACQ_API void acq_npz_spool_set_path (AcqNpzSpool *self, const char *path);

/**
 * acq_npz_spool_check:
 * @self: a spool
 * @error: %ACQ_ERROR_IO when somebody deleted it
 *
 * Files in a deleted directory can be written without any error, and are gone when they are closed.
 *
 * Returns: %TRUE if the spool is still there
 */
ACQ_API gboolean acq_npz_spool_check (AcqNpzSpool *self, GError **error);

/**
 * acq_npz_spool_add_table:
 * @self: a spool
 * @stem: the prefix that the keys of its columns share, for example `glove_0__hand_skeleton`
 * @columns: (array length=n_columns): named by the keys of their arrays
 * @n_columns: how many
 * @buffer_size: as acq_npy_spool_new()
 * @error: as acq_npy_spool_new()
 *
 * Returns: (transfer full) (nullable): a table to fill, flush and free before assembly
 */
ACQ_API AcqNpySpool *acq_npz_spool_add_table (AcqNpzSpool *self, const char *stem,
                                              const AcqNpyField *columns, guint n_columns,
                                              gsize buffer_size, GError **error);

/**
 * acq_npz_spool_set_text:
 * @self: a spool
 * @key: an array's key
 * @json: JSON
 * @error: %ACQ_ERROR_IO, %ACQ_ERROR_NO_SPACE
 *
 * Sets a text that becomes an array of its own. It can be set again; a crash
 * leaves the one or the other. In `meta` an object `streams` may have a member for
 * each stem: assembly adds to it what only the tables know, `frames`, `empty`, and, when
 * there are `<stem>__t_host_us` times, `t_host_us_range` and `duration_s`.
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_npz_spool_set_text (AcqNpzSpool *self, const char *key, const char *json,
                                         GError **error);

/**
 * acq_npz_spool_assemble:
 * @self: a spool whose tables are flushed and freed
 * @method: how arrays are kept
 * @flags: what to do with damage, and with the spool
 * @cancellable: (nullable): gives up between blocks
 * @progress: (nullable) (scope call): told how far it is
 * @progress_data: its data
 * @ret_report: (out) (optional): what was done
 * @error: set on failure; then the spool stays as it is, for another try
 *
 * Makes the archive, publishes it and removes the spool.
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_npz_spool_assemble (AcqNpzSpool *self, AcqZipMethod method,
                                         AcqNpzSpoolFlags flags, GCancellable *cancellable,
                                         AcqNpzProgress progress, gpointer progress_data,
                                         AcqNpzReport *ret_report, GError **error);

/**
 * acq_npz_spool_free:
 * @self: (nullable) (transfer full): a spool
 *
 * Unlocks. A spool that was not assembled stays, to be recovered.
 */
ACQ_API void acq_npz_spool_free (AcqNpzSpool *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqNpzSpool, acq_npz_spool_free)
