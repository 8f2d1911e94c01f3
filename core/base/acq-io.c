/* SPDX-License-Identifier: Apache-2.0 */
#include "base/acq-io-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
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
acq_io_check_linked (int fd, const char *path, GError **error)
{
  struct stat info, named;

  if (fstat (fd, &info) < 0) {
    acq_set_error_errno (error, errno, "cannot look at %s", path);
    return FALSE;
  }
  /* Not every file system counts links; there the name has to do. */
  if (info.st_nlink > 0 ||
      (stat (path, &named) == 0 && named.st_dev == info.st_dev && named.st_ino == info.st_ino))
    return TRUE;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO,
               "%s was deleted while it was being written, and what was in it is lost: start "
               "again, and leave its folder alone until the end",
               path);
  return FALSE;
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
