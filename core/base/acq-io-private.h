/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-error.h>

/*
 * Whole reads and writes at a place. Short transfers and EINTR are dealt with
 * here; what is left is an error that names the file.
 */

gboolean acq_io_pwrite (int fd, const void *data, gsize size, guint64 offset, const char *path,
                        GError **error);

/* ACQ_ERROR_TRUNCATED when the file ends first. */
gboolean acq_io_pread (int fd, void *data, gsize size, guint64 offset, const char *path,
                       GError **error);

/* Makes the directory entry of @path durable. */
gboolean acq_io_sync_directory_of (const char *path, GError **error);

/* Whether an open file or directory still has a name; @path is for the error. */
gboolean acq_io_check_linked (int fd, const char *path, GError **error);
