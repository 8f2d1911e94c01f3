/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-part-file.h>

#include <sys/uio.h>

/*
 * Where the bytes of a growing file go. Bytes are appended in order; a failed
 * write never leaves more than its own bytes in doubt, since the caller cuts
 * the file back to the last good length.
 */
typedef struct _AcqMcapOutput AcqMcapOutput;

/**
 * AcqMcapOutputFuncs:
 * @write: appends all bytes of @iov (which may be modified), or fails
 * @reserve: (nullable): makes sure that @size bytes fit behind the current end, without growing
 *   the file; fails with %ACQ_ERROR_NO_SPACE when they do not
 * @truncate: (nullable): cuts the output to @size bytes
 * @sync: (nullable): waits until all bytes are on the disk; called from any thread, also while
 *   @write runs
 * @publish: (nullable): the output is whole: give back what was reserved, sync, take the final
 *   name
 * @free: (nullable): closes
 * @check: (nullable): whether what is written still has a place, for example a name in a folder;
 *   called as @sync is
 *
 * What an output does. Calls come from one thread at a time, except @sync and @check.
 */
typedef struct {
  gboolean (*write) (gpointer data, struct iovec *iov, guint n_iov, GError **error);
  gboolean (*reserve) (gpointer data, guint64 size, GError **error);
  gboolean (*truncate) (gpointer data, guint64 size, GError **error);
  gboolean (*sync) (gpointer data, GError **error);
  gboolean (*publish) (gpointer data, GError **error);
  void (*free) (gpointer data);
  gboolean (*check) (gpointer data, GError **error);
} AcqMcapOutputFuncs;

/**
 * acq_mcap_output_new:
 * @funcs: what to call; must live as long as the output
 * @data: first argument of every call
 *
 * Returns: (transfer full): an output
 */
ACQ_API AcqMcapOutput *acq_mcap_output_new (const AcqMcapOutputFuncs *funcs, gpointer data);

/**
 * acq_mcap_output_new_for_part:
 * @part: (transfer full): an empty file, which is published with the output
 *
 * Space is reserved ahead of the end of the file where the file system can do
 * that, and given back at the end.
 *
 * Returns: (transfer full): an output
 */
ACQ_API AcqMcapOutput *acq_mcap_output_new_for_part (AcqPartFile *part);

/**
 * acq_mcap_output_new_for_path:
 * @path: the final name
 * @error: %ACQ_ERROR_IO, %ACQ_ERROR_NO_SPACE
 *
 * Makes a new part file; what is no regular file (`/dev/null`, a pipe) is
 * written directly.
 *
 * Returns: (transfer full): an output
 */
ACQ_API AcqMcapOutput *acq_mcap_output_new_for_path (const char *path, GError **error);

/**
 * acq_mcap_output_new_for_fd:
 * @fd: (transfer full): where to write, at its current position
 * @name: for error messages
 *
 * Returns: (transfer full): an output
 */
ACQ_API AcqMcapOutput *acq_mcap_output_new_for_fd (int fd, const char *name);

/**
 * acq_mcap_output_new_for_memory:
 * @bytes: grows; the output takes a reference
 *
 * Returns: (transfer full): an output
 */
ACQ_API AcqMcapOutput *acq_mcap_output_new_for_memory (GByteArray *bytes);

/**
 * acq_mcap_output_new_null:
 *
 * Returns: (transfer full): an output that forgets all bytes
 */
ACQ_API AcqMcapOutput *acq_mcap_output_new_null (void);

/**
 * acq_mcap_output_free:
 * @self: (nullable) (transfer full): an output
 *
 * Closes. What was not published keeps its `.part` name.
 */
ACQ_API void acq_mcap_output_free (AcqMcapOutput *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqMcapOutput, acq_mcap_output_free)
