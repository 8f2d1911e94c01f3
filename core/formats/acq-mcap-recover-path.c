/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-mcap-recover.h>

#include "base/acq-io-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  int fd;
} Source;

static void
source_clear (Source *self)
{
  if (self->fd >= 0)
    close (self->fd);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Source, source_clear)

/* Who writes a part file holds a lock on it. */
static gboolean
source_open (Source *self, const char *path, GError **error)
{
  self->fd = open (path, O_RDONLY | O_CLOEXEC);
  if (self->fd < 0) {
    acq_set_error_errno (error, errno, "cannot read %s", path);
    return FALSE;
  }
  if (flock (self->fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO,
                 "%s is still being written: stop that recorder first", path);
    return FALSE;
  }
  return TRUE;
}

static gboolean
is_same_file (int fd, const char *path)
{
  struct stat a, b;

  return fstat (fd, &a) == 0 && stat (path, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

static gboolean
recover_into (Source *source, const char *from, const char *to, AcqMcapRecoverFlags flags,
              AcqMcapRecovery *ret_recovery, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GMappedFile) map = g_mapped_file_new_from_fd (source->fd, FALSE, &local_error);
  AcqPartFile *part;
  AcqMcapSpan file;

  if (map == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "cannot read %s: %s", from, local_error->message);
    return FALSE;
  }
  file.data = (const guint8 *) g_mapped_file_get_contents (map);
  file.size = g_mapped_file_get_length (map);
  part = acq_part_file_new (to, ACQ_PART_FILE_REPLACE, error);
  if (part == NULL)
    return FALSE;
  if (acq_mcap_recover (file, acq_mcap_output_new_for_part (part), flags, ret_recovery, error))
    return TRUE;
  g_prefix_error (error, "%s: ", from);
  return FALSE;
}

gboolean
acq_mcap_recover_path (const char *from, const char *to, AcqMcapRecoverFlags flags,
                       AcqMcapRecovery *ret_recovery, GError **error)
{
  g_auto (Source) source = { -1 };
  g_autofree char *part = g_strconcat (to, ".part", NULL);
  g_autofree char *between = g_strconcat (to, ".recovered", NULL);
  AcqMcapRecovery recovery;

  if (!source_open (&source, from, error))
    return FALSE;
  if (!is_same_file (source.fd, part))
    return recover_into (&source, from, to, flags, ret_recovery, error);

  /* The usual name of the growing file is taken by the source itself. */
  if (g_file_test (to, G_FILE_TEST_EXISTS)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "%s exists and is not replaced", to);
    return FALSE;
  }
  if (!recover_into (&source, from, between, flags, &recovery, error))
    return FALSE;
  if (rename (between, to) < 0) {
    acq_set_error_errno (error, errno, "cannot rename %s to %s", between, to);
    return FALSE;
  }
  *ret_recovery = recovery;
  return acq_io_sync_directory_of (to, error);
}
