/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-output-private.h"

#include <acq/acq-error.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Space is taken from the file system in steps: fewer calls, longer extents. */
#define RESERVE_STEP (32 * 1024 * 1024)

struct _AcqMcapOutput {
  const AcqMcapOutputFuncs *funcs;
  gpointer data;
};

AcqMcapOutput *
acq_mcap_output_new (const AcqMcapOutputFuncs *funcs, gpointer data)
{
  AcqMcapOutput *self = g_new0 (AcqMcapOutput, 1);

  self->funcs = funcs;
  self->data = data;
  return self;
}

void
acq_mcap_output_free (AcqMcapOutput *self)
{
  if (self == NULL)
    return;
  if (self->funcs->free != NULL)
    self->funcs->free (self->data);
  g_free (self);
}

gboolean
acq_mcap_output_write (AcqMcapOutput *self, struct iovec *iov, guint n_iov, GError **error)
{
  return self->funcs->write (self->data, iov, n_iov, error);
}

gboolean
acq_mcap_output_reserve (AcqMcapOutput *self, guint64 size, GError **error)
{
  return self->funcs->reserve == NULL || self->funcs->reserve (self->data, size, error);
}

gboolean
acq_mcap_output_truncate (AcqMcapOutput *self, guint64 size, GError **error)
{
  if (self->funcs->truncate != NULL)
    return self->funcs->truncate (self->data, size, error);
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "this output cannot be cut back");
  return FALSE;
}

gboolean
acq_mcap_output_sync (AcqMcapOutput *self, GError **error)
{
  return self->funcs->sync == NULL || self->funcs->sync (self->data, error);
}

gboolean
acq_mcap_output_check (AcqMcapOutput *self, GError **error)
{
  return self->funcs->check == NULL || self->funcs->check (self->data, error);
}

gboolean
acq_mcap_output_publish (AcqMcapOutput *self, GError **error)
{
  return self->funcs->publish == NULL || self->funcs->publish (self->data, error);
}

/* --- a file ------------------------------------------------------------- */

typedef struct {
  int fd;
  char *name;        /* for messages */
  AcqPartFile *part; /* (nullable): owns fd and gives it its final name */
  guint64 base;
  guint64 position;  /* end of what was written, from base */
  guint64 allocated; /* end of what the file system promised, from base */
  gboolean is_regular;
  gboolean can_reserve;
} FileOutput;

/* Drops the first @n_bytes of *inout_iov. */
static void
advance (struct iovec **inout_iov, guint *inout_n, gsize n_bytes)
{
  struct iovec *iov = *inout_iov;
  guint n = *inout_n;

  while (n != 0 && n_bytes >= iov->iov_len) {
    n_bytes -= iov->iov_len;
    iov++;
    n--;
  }
  if (n != 0) {
    iov->iov_base = (char *) iov->iov_base + n_bytes;
    iov->iov_len -= n_bytes;
  }
  *inout_iov = iov;
  *inout_n = n;
}

static gboolean
file_write (gpointer data, struct iovec *iov, guint n_iov, GError **error)
{
  FileOutput *self = data;

  advance (&iov, &n_iov, 0);
  while (n_iov != 0) {
    ssize_t n = writev (self->fd, iov, MIN (n_iov, IOV_MAX));

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN) {
      poll (&(struct pollfd){ .fd = self->fd, .events = POLLOUT }, 1, -1);
      continue;
    }
    if (n <= 0) {
      acq_set_error_errno (error, n == 0 ? ENOSPC : errno, "cannot write '%s'", self->name);
      return FALSE;
    }
    self->position += n;
    advance (&iov, &n_iov, n);
  }
  return TRUE;
}

static int
allocate (FileOutput *self, guint64 end)
{
  int result;

  do
    result = fallocate (self->fd, FALLOC_FL_KEEP_SIZE, self->base + self->allocated,
                        end - self->allocated);
  while (result < 0 && errno == EINTR);
  if (result < 0)
    return errno;
  self->allocated = end;
  return 0;
}

/* A limit on the size of files does not count for allocate(), but for writes. */
static gboolean
is_within_limit (guint64 end)
{
  struct rlimit limit;

  return getrlimit (RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
         end <= limit.rlim_cur;
}

static gboolean
file_reserve (gpointer data, guint64 size, GError **error)
{
  FileOutput *self = data;
  guint64 needed = self->position + size;
  int failure;

  if (self->is_regular && !is_within_limit (self->base + needed)) {
    acq_set_error_errno (error, EFBIG, "cannot reserve space for '%s'", self->name);
    return FALSE;
  }
  if (!self->can_reserve || needed <= self->allocated)
    return TRUE;
  if (self->allocated < self->position)
    self->allocated = self->position;
  failure = allocate (self, needed + RESERVE_STEP);
  if (failure == ENOSPC || failure == EDQUOT || failure == EFBIG)
    failure = allocate (self, needed);
  if (failure == 0)
    return TRUE;
  if (failure == ENOSPC || failure == EDQUOT || failure == EFBIG || failure == EIO) {
    acq_set_error_errno (error, failure, "cannot reserve space for '%s'", self->name);
    return FALSE;
  }
  self->can_reserve = FALSE; /* this file system has no promises to make */
  return TRUE;
}

/* Some file systems keep blocks behind the end when the size does not change. */
static gboolean
cut (FileOutput *self, guint64 size)
{
  struct stat info;
  off_t end = self->base + size;

  if (ftruncate (self->fd, end) < 0)
    return FALSE;
  if (self->allocated > size && fstat (self->fd, &info) == 0 &&
      (guint64) info.st_blocks * 512 > (guint64) end + RESERVE_STEP / 2)
    return ftruncate (self->fd, end + 1) == 0 && ftruncate (self->fd, end) == 0;
  return TRUE;
}

static gboolean
file_truncate (gpointer data, guint64 size, GError **error)
{
  FileOutput *self = data;

  if (ftruncate (self->fd, self->base + size) < 0 ||
      lseek (self->fd, self->base + size, SEEK_SET) < 0) {
    acq_set_error_errno (error, errno, "cannot cut '%s' back", self->name);
    return FALSE;
  }
  self->position = size;
  self->allocated = size; /* the cut gave back what was promised behind it */
  return TRUE;
}

static gboolean
file_sync (gpointer data, GError **error)
{
  FileOutput *self = data;

  if (!self->is_regular || fdatasync (self->fd) == 0)
    return TRUE;
  acq_set_error_errno (error, errno, "cannot sync '%s'", self->name);
  return FALSE;
}

static gboolean
file_check (gpointer data, GError **error)
{
  FileOutput *self = data;

  return self->part == NULL || acq_part_file_check (self->part, error);
}

static gboolean
file_publish (gpointer data, GError **error)
{
  FileOutput *self = data;

  if (!self->is_regular)
    return TRUE;
  if (!cut (self, self->position) || (self->part == NULL && fsync (self->fd) < 0)) {
    acq_set_error_errno (error, errno, "cannot finish '%s'", self->name);
    return FALSE;
  }
  return self->part == NULL || acq_part_file_publish (self->part, error);
}

static void
file_free (gpointer data)
{
  FileOutput *self = data;

  if (self->is_regular)
    cut (self, self->position);
  if (self->part != NULL)
    acq_part_file_free (self->part);
  else
    close (self->fd);
  g_free (self->name);
  g_free (self);
}

static const AcqMcapOutputFuncs file_funcs = {
  .write = file_write,
  .reserve = file_reserve,
  .truncate = file_truncate,
  .sync = file_sync,
  .check = file_check,
  .publish = file_publish,
  .free = file_free,
};

static FileOutput *
file_output_new (int fd, const char *name)
{
  FileOutput *self = g_new0 (FileOutput, 1);
  struct stat info;
  off_t base = lseek (fd, 0, SEEK_CUR);

  self->fd = fd;
  self->name = g_strdup (name);
  self->is_regular = fstat (fd, &info) == 0 && S_ISREG (info.st_mode);
  self->can_reserve = self->is_regular;
  self->base = base > 0 ? base : 0;
  return self;
}

AcqMcapOutput *
acq_mcap_output_new_for_fd (int fd, const char *name)
{
  return acq_mcap_output_new (&file_funcs, file_output_new (fd, name));
}

AcqMcapOutput *
acq_mcap_output_new_for_part (AcqPartFile *part)
{
  FileOutput *file =
      file_output_new (acq_part_file_get_fd (part), acq_part_file_get_part_path (part));

  file->part = part;
  return acq_mcap_output_new (&file_funcs, file);
}

AcqMcapOutput *
acq_mcap_output_new_for_path (const char *path, GError **error)
{
  struct stat info;
  AcqPartFile *part;
  int fd;

  if (stat (path, &info) == 0 && !S_ISREG (info.st_mode)) {
    fd = open (path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
      return acq_mcap_output_new_for_fd (fd, path);
    acq_set_error_errno (error, errno, "cannot open '%s'", path);
    return NULL;
  }
  part = acq_part_file_new (path, ACQ_PART_FILE_NEW, error);
  return part != NULL ? acq_mcap_output_new_for_part (part) : NULL;
}

/* --- memory and nothing ------------------------------------------------- */

static gboolean
memory_write (gpointer data, struct iovec *iov, guint n_iov, GError **error)
{
  for (guint i = 0; i < n_iov; i++)
    if (iov[i].iov_len != 0)
      g_byte_array_append (data, iov[i].iov_base, iov[i].iov_len);
  return TRUE;
}

static gboolean
memory_truncate (gpointer data, guint64 size, GError **error)
{
  g_byte_array_set_size (data, size);
  return TRUE;
}

static void
memory_free (gpointer data)
{
  g_byte_array_unref (data);
}

static gboolean
null_write (gpointer data, struct iovec *iov, guint n_iov, GError **error)
{
  return TRUE;
}

AcqMcapOutput *
acq_mcap_output_new_for_memory (GByteArray *bytes)
{
  static const AcqMcapOutputFuncs funcs = {
    .write = memory_write,
    .truncate = memory_truncate,
    .free = memory_free,
  };

  return acq_mcap_output_new (&funcs, g_byte_array_ref (bytes));
}

AcqMcapOutput *
acq_mcap_output_new_null (void)
{
  static const AcqMcapOutputFuncs funcs = { .write = null_write };

  return acq_mcap_output_new (&funcs, NULL);
}
