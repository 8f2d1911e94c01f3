/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-macros.h>

/**
 * AcqPartFile:
 *
 * A file that is called `<path>.part` while it grows and gets its name when it
 * is whole: by fsync, rename and fsync of the directory. A name without `.part`
 * is therefore a promise. An existing file is never replaced.
 *
 * Thread: one at a time.
 */
typedef struct _AcqPartFile AcqPartFile;

/**
 * AcqPartFileFlags:
 * @ACQ_PART_FILE_NEW: a left-over `.part` is an error, since it may be all that is left of a
 *   recording
 * @ACQ_PART_FILE_REPLACE: a left-over `.part` is thrown away; for files that are made from others
 */
typedef enum {
  ACQ_PART_FILE_NEW = 0,
  ACQ_PART_FILE_REPLACE = 1 << 0,
} AcqPartFileFlags;

/**
 * acq_part_file_new:
 * @path: the final name
 * @flags: what to do with a left-over `.part`
 * @error: %ACQ_ERROR_IO or %ACQ_ERROR_NO_SPACE; also when @path exists, or when another process
 *   is writing the same file
 *
 * Creates an empty `<path>.part`, locked against other writers.
 *
 * Returns: (transfer full) (nullable): the file
 */
ACQ_API AcqPartFile *acq_part_file_new (const char *path, AcqPartFileFlags flags, GError **error);

/**
 * acq_part_file_get_fd:
 * @self: a file
 *
 * Returns: the descriptor, open for reading and writing; it stays owned by @self
 */
ACQ_API int acq_part_file_get_fd (AcqPartFile *self);

/**
 * acq_part_file_get_path:
 * @self: a file
 *
 * Returns: (transfer none): the final name
 */
ACQ_API const char *acq_part_file_get_path (AcqPartFile *self);

/**
 * acq_part_file_get_part_path:
 * @self: a file
 *
 * Returns: (transfer none): the name while growing
 */
ACQ_API const char *acq_part_file_get_part_path (AcqPartFile *self);

/**
 * acq_part_file_check:
 * @self: a file that is not published
 * @error: %ACQ_ERROR_IO when somebody deleted it
 *
 * A deleted file can be written without any error, and is gone when it is closed.
 *
 * Thread: any. Returns: %TRUE if the file still has a name
 */
ACQ_API gboolean acq_part_file_check (AcqPartFile *self, GError **error);

/**
 * acq_part_file_publish:
 * @self: a file, whole
 * @error: set on failure; then the `.part` stays
 *
 * Gives the file its name. After success nothing may be written any more.
 *
 * Returns: %TRUE if the file has its name and survives a power failure
 */
ACQ_API gboolean acq_part_file_publish (AcqPartFile *self, GError **error);

/**
 * acq_part_file_free:
 * @self: (nullable) (transfer full): a file
 *
 * Closes. What was not published stays as `.part`, to be recovered.
 */
ACQ_API void acq_part_file_free (AcqPartFile *self);

/**
 * acq_part_file_discard:
 * @self: (nullable) (transfer full): a file
 *
 * Closes, and removes what was not published.
 */
ACQ_API void acq_part_file_discard (AcqPartFile *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqPartFile, acq_part_file_free)
