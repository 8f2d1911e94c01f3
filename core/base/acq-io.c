/* SPDX-License-Identifier: Apache-2.0 */
#include "base/acq-io-private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

gboolean
acq_io_pwrite (int fd, const void *data, gsize size, guint64 offset, const char *path,
               GError **error)
{
  const guint8 *bytes = data;
  gsize done = 0;

  while (done < size) {
    gssize n = pwrite (fd, bytes + done, size - done, (off_t) (offset + done));

    if (n > 0) {
      done += (gsize) n;
    } else if (n == 0 || errno != EINTR) {
      /* A write of nothing that claims success would loop for ever. */
      acq_set_error_errno (error, n == 0 ? EIO : errno,
                           "cannot write %s (%" G_GSIZE_FORMAT " bytes at %" G_GUINT64_FORMAT
                           ", %" G_GSIZE_FORMAT " went out)",
                           path, size, offset, done);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
acq_io_pread (int fd, void *data, gsize size, guint64 offset, const char *path, GError **error)
{
  guint8 *bytes = data;
  gsize done = 0;

  while (done < size) {
    gssize n = pread (fd, bytes + done, size - done, (off_t) (offset + done));

    if (n > 0) {
      done += (gsize) n;
    } else if (n == 0) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED,
                   "%s ends at byte %" G_GUINT64_FORMAT ", wanted %" G_GSIZE_FORMAT
                   " bytes at %" G_GUINT64_FORMAT,
                   path, offset + done, size, offset);
      return FALSE;
    } else if (errno != EINTR) {
      acq_set_error_errno (error, errno, "cannot read %s", path);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
acq_io_sync_directory_of (const char *path, GError **error)
{
  g_autofree char *directory = g_path_get_dirname (path);
  int fd = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int saved_errno = errno;
  gboolean ok = fd >= 0;

  /* Some file systems cannot sync a directory and say EINVAL: nothing to wait for. */
  if (ok && fsync (fd) < 0 && errno != EINVAL) {
    saved_errno = errno;
    ok = FALSE;
  }
  if (fd >= 0)
    close (fd);
  if (!ok)
    acq_set_error_errno (error, saved_errno, "cannot sync the directory %s", directory);
  return ok;
}
