/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-macros.h>

/*
 * ZIP archives as NPZ needs them: members stored or deflated, of any size
 * (ZIP64), their data aligned to 64 bytes so that a stored array can be mapped.
 */

#define ACQ_ZIP_ALIGN 64

/**
 * AcqZipMethod:
 * @ACQ_ZIP_STORED: as it is
 * @ACQ_ZIP_DEFLATED: compressed, fast rather than small
 */
typedef enum {
  ACQ_ZIP_STORED = 0,
  ACQ_ZIP_DEFLATED = 8,
} AcqZipMethod;

/**
 * AcqZipWriter:
 *
 * Writes an archive member by member. Sizes need not be known: the local header
 * is patched when a member ends. Any failure is final; what is in the file then
 * is not an archive.
 *
 * Thread: one at a time.
 */
typedef struct _AcqZipWriter AcqZipWriter;

/**
 * acq_zip_writer_new:
 * @fd: an empty file, open for writing at any place; stays owned by the caller
 * @path: what to call it in errors
 *
 * Returns: (transfer full): a writer
 */
ACQ_API AcqZipWriter *acq_zip_writer_new (int fd, const char *path);

/**
 * acq_zip_writer_set_time:
 * @self: a writer
 * @unix_seconds: the modification time of the members to come; now unless set. Shown in local
 *   time, and not before 1980, which is the first year of the format
 */
ACQ_API void acq_zip_writer_set_time (AcqZipWriter *self, gint64 unix_seconds);

/**
 * acq_zip_writer_begin:
 * @self: a writer, between members
 * @name: a relative path with `/`, in UTF-8, not yet in the archive
 * @method: how to keep it
 * @error: %ACQ_ERROR_FORMAT for a bad name, %ACQ_ERROR_IO, %ACQ_ERROR_NO_SPACE
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_zip_writer_begin (AcqZipWriter *self, const char *name, AcqZipMethod method,
                                       GError **error);

/**
 * acq_zip_writer_write:
 * @self: a writer, inside a member
 * @data: (array length=size): bytes; large pieces go to the system without a copy
 * @size: how many
 * @error: %ACQ_ERROR_IO, %ACQ_ERROR_NO_SPACE
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_zip_writer_write (AcqZipWriter *self, const void *data, gsize size,
                                       GError **error);

/** acq_zip_writer_end: ends the member */
ACQ_API gboolean acq_zip_writer_end (AcqZipWriter *self, GError **error);

/**
 * acq_zip_writer_finish:
 * @self: a writer, between members
 * @error: %ACQ_ERROR_IO, %ACQ_ERROR_NO_SPACE
 *
 * Writes the directory. Only now it is an archive.
 *
 * Returns: %TRUE on success
 */
ACQ_API gboolean acq_zip_writer_finish (AcqZipWriter *self, GError **error);

/** acq_zip_writer_get_size: Returns: bytes of the archive so far */
ACQ_API guint64 acq_zip_writer_get_size (AcqZipWriter *self);

ACQ_API void acq_zip_writer_free (AcqZipWriter *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqZipWriter, acq_zip_writer_free)

/**
 * AcqZipEntry:
 * @name: UTF-8
 * @method: %ACQ_ZIP_STORED or %ACQ_ZIP_DEFLATED
 * @crc: of the content
 * @size: of the content
 * @stored_size: in the archive
 * @data_offset: where the bytes begin in the archive
 */
typedef struct {
  const char *name;
  AcqZipMethod method;
  guint32 crc;
  guint64 size;
  guint64 stored_size;
  guint64 data_offset;
} AcqZipEntry;

/**
 * AcqZipReader:
 *
 * Reads archives strictly: local headers must agree with the directory, members
 * must not overlap, names must be unique relative paths, and there are no
 * comments, encryption, volumes or other methods.
 *
 * Thread: any, after creation.
 */
typedef struct _AcqZipReader AcqZipReader;

/**
 * acq_zip_reader_new:
 * @bytes: an archive; referenced
 * @error: %ACQ_ERROR_TRUNCATED when it has no end record, %ACQ_ERROR_FORMAT
 *
 * Returns: (transfer full) (nullable): a reader
 */
ACQ_API AcqZipReader *acq_zip_reader_new (GBytes *bytes, GError **error);

/**
 * acq_zip_reader_open:
 * @path: an archive; mapped, so it must not shrink while the reader lives
 * @error: as acq_zip_reader_new(), or %ACQ_ERROR_IO
 *
 * Returns: (transfer full) (nullable): a reader
 */
ACQ_API AcqZipReader *acq_zip_reader_open (const char *path, GError **error);

ACQ_API guint acq_zip_reader_get_n_entries (AcqZipReader *self);
/** acq_zip_reader_get_entry: Returns: (transfer none): entry @i, in the order of the directory */
ACQ_API const AcqZipEntry *acq_zip_reader_get_entry (AcqZipReader *self, guint i);
/** acq_zip_reader_lookup: Returns: (transfer none) (nullable): the entry called @name */
ACQ_API const AcqZipEntry *acq_zip_reader_lookup (AcqZipReader *self, const char *name);

/**
 * acq_zip_reader_read:
 * @self: a reader
 * @entry: one of its entries
 * @error: %ACQ_ERROR_FORMAT when the bytes do not match size or CRC
 *
 * Returns: (transfer full) (nullable): the content; not copied when it is stored
 */
ACQ_API GBytes *acq_zip_reader_read (AcqZipReader *self, const AcqZipEntry *entry, GError **error);

ACQ_API void acq_zip_reader_free (AcqZipReader *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqZipReader, acq_zip_reader_free)
