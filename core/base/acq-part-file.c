/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-part-file.h>

#include "base/acq-io-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct _AcqPartFile {
  char *path;
  char *part_path;
  int fd;
  gboolean published;
};

static void
close_and_free (AcqPartFile *self)
{
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->path);
  g_free (self->part_path);
  g_free (self);
}

/* The lock is taken before anything is cut off: a second writer must not harm the first. */
static gboolean
take_over (AcqPartFile *self, AcqPartFileFlags flags, GError **error)
{
  struct stat st;

  if (flock (self->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "%s is being written by another process",
                 self->part_path);
    return FALSE;
  }
  if (fstat (self->fd, &st) < 0) {
    acq_set_error_errno (error, errno, "cannot look at %s", self->part_path);
    return FALSE;
  }
  if (st.st_size > 0 && !(flags & ACQ_PART_FILE_REPLACE)) {
    g_set_error (
        error, ACQ_ERROR, ACQ_ERROR_IO,
        "%s is left over from an earlier run: recover it with acq-recover, or move it away",
        self->part_path);
    return FALSE;
  }
  if (st.st_size > 0 && ftruncate (self->fd, 0) < 0) {
    acq_set_error_errno (error, errno, "cannot empty %s", self->part_path);
    return FALSE;
  }
  return TRUE;
}

AcqPartFile *
acq_part_file_new (const char *path, AcqPartFileFlags flags, GError **error)
{
  AcqPartFile *self;

  if (g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "%s exists and is not replaced", path);
    return NULL;
  }

  self = g_new0 (AcqPartFile, 1);
  self->path = g_strdup (path);
  self->part_path = g_strconcat (path, ".part", NULL);
  self->fd = open (self->part_path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (self->fd < 0) {
    acq_set_error_errno (error, errno, "cannot create %s", self->part_path);
    close_and_free (self);
    return NULL;
  }
  if (!take_over (self, flags, error)) {
    close_and_free (self);
    return NULL;
  }
  return self;
}

int
acq_part_file_get_fd (AcqPartFile *self)
{
  return self->fd;
}

const char *
acq_part_file_get_path (AcqPartFile *self)
{
  return self->path;
}

const char *
acq_part_file_get_part_path (AcqPartFile *self)
{
  return self->part_path;
}

/* Not every file system knows RENAME_NOREPLACE; there a look beforehand has to do. */
static int
rename_no_replace (const char *from, const char *to)
{
  if (renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return -1;
  if (access (to, F_OK) == 0) {
    errno = EEXIST;
    return -1;
  }
  return rename (from, to);
}

gboolean
acq_part_file_check (AcqPartFile *self, GError **error)
{
  return acq_io_check_linked (self->fd, self->part_path, error);
}

gboolean
acq_part_file_publish (AcqPartFile *self, GError **error)
{
  g_return_val_if_fail (!self->published, FALSE);

  if (!acq_part_file_check (self, error))
    return FALSE;
  if (fsync (self->fd) < 0) {
    acq_set_error_errno (error, errno, "cannot sync %s", self->part_path);
    return FALSE;
  }
  if (rename_no_replace (self->part_path, self->path) < 0) {
    acq_set_error_errno (error, errno, "cannot rename %s to %s", self->part_path, self->path);
    return FALSE;
  }
  self->published = TRUE;
  return acq_io_sync_directory_of (self->path, error);
}

void
acq_part_file_free (AcqPartFile *self)
{
  if (self != NULL)
    close_and_free (self);
}

void
acq_part_file_discard (AcqPartFile *self)
{
  if (self == NULL)
    return;
  if (!self->published)
    unlink (self->part_path);
  close_and_free (self);
}
