/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-crc32-private.h"
#include "formats/acq-zip-private.h"

#include "base/acq-io-private.h"

#include <acq/acq-error.h>

#include <fcntl.h>
#include <isa-l.h>

/*
 * Bytes are collected in one staging buffer, which always ends where the archive
 * ends; pieces as large as the buffer pass by it. Local headers always carry the
 * ZIP64 sizes, since a streamed member's size is not known when its header is
 * written: sizes and CRC are patched at its end. The directory has ZIP64 fields
 * only where the 32-bit ones do not suffice.
 */

#define STAGE_SIZE (1u << 20)

/* How much may be dirty before we ask the kernel to begin writing it. */
#define WRITEBACK_WINDOW (4u << 20)

/* The ZIP64 field and, at least, the head of the alignment field and its own 2 bytes. */
#define LOCAL_EXTRA_MIN (20 + 6)

typedef struct {
  char *name;
  AcqZipMethod method;
  guint32 crc;
  guint32 dos_time;
  guint64 size;
  guint64 stored_size;
  guint64 offset; /* of the local header */
} Member;

struct _AcqZipWriter {
  int fd;
  char *path;
  guint8 *stage;
  gsize n_staged;
  guint64 n_flushed;   /* the stage begins here */
  guint64 n_submitted; /* the kernel was asked to write back so far */
  guint32 dos_time;

  GArray *members; /* of Member; the last one is open if @is_open */
  GHashTable *names;
  gboolean is_open;
  gboolean failed;
  gboolean finished;

  struct isal_zstream *deflate; /* allocated at the first use */
  guint8 *deflate_level_buffer;
};

gboolean
acq_zip_is_name (const char *name, gsize length)
{
  g_autofree char *copy = NULL;
  g_auto (GStrv) parts = NULL;

  if (length == 0 || length > G_MAXINT16 || !g_utf8_validate_len (name, length, NULL))
    return FALSE;
  copy = g_strndup (name, length);
  for (const char *s = copy; *s != '\0'; s++)
    if ((guint8) *s < ' ' || *s == '\\' || *s == 0x7f)
      return FALSE;
  parts = g_strsplit (copy, "/", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (g_str_equal (parts[i], "") || g_str_equal (parts[i], ".") || g_str_equal (parts[i], ".."))
      return FALSE;
  return TRUE;
}

static void
clear_member (gpointer data)
{
  g_free (((Member *) data)->name);
}

AcqZipWriter *
acq_zip_writer_new (int fd, const char *path)
{
  AcqZipWriter *self = g_new0 (AcqZipWriter, 1);

  self->fd = fd;
  self->path = g_strdup (path);
  self->stage = g_malloc (STAGE_SIZE);
  self->members = g_array_new (FALSE, TRUE, sizeof (Member));
  g_array_set_clear_func (self->members, clear_member);
  self->names = g_hash_table_new (g_str_hash, g_str_equal);
  acq_zip_writer_set_time (self, g_get_real_time () / G_USEC_PER_SEC);
  return self;
}

void
acq_zip_writer_set_time (AcqZipWriter *self, gint64 unix_seconds)
{
  g_autoptr (GDateTime) t = g_date_time_new_from_unix_local (unix_seconds);
  guint year = t != NULL ? (guint) g_date_time_get_year (t) : 0;

  self->dos_time = 1 << 21 | 1 << 16; /* 1980-01-01 00:00:00, month and day count from 1 */
  if (year < 1980 || year > 2107)
    return;
  self->dos_time =
      (year - 1980) << 25 | (guint32) g_date_time_get_month (t) << 21 |
      (guint32) g_date_time_get_day_of_month (t) << 16 | (guint32) g_date_time_get_hour (t) << 11 |
      (guint32) g_date_time_get_minute (t) << 5 | (guint32) g_date_time_get_second (t) / 2;
}

static Member *
last_member (AcqZipWriter *self)
{
  return &g_array_index (self->members, Member, self->members->len - 1);
}

/* Straight to the file, at the end of it. */
static gboolean
put_out (AcqZipWriter *self, const void *data, gsize size, GError **error)
{
  if (!acq_io_pwrite (self->fd, data, size, self->n_flushed, self->path, error)) {
    self->failed = TRUE;
    return FALSE;
  }
  self->n_flushed += size;

  /* Writing back while we go on makes the fsync at the end short. Only a hint: not checked. */
  if (self->n_flushed - self->n_submitted >= WRITEBACK_WINDOW) {
    sync_file_range (self->fd, (off_t) self->n_submitted,
                     (off_t) (self->n_flushed - self->n_submitted), SYNC_FILE_RANGE_WRITE);
    self->n_submitted = self->n_flushed;
  }
  return TRUE;
}

static gboolean
flush_stage (AcqZipWriter *self, GError **error)
{
  gsize n = self->n_staged;

  self->n_staged = 0;
  return n == 0 || put_out (self, self->stage, n, error);
}

static gboolean
append (AcqZipWriter *self, const void *data, gsize size, GError **error)
{
  if (self->n_staged + size > STAGE_SIZE && !flush_stage (self, error))
    return FALSE;
  if (size >= STAGE_SIZE)
    return put_out (self, data, size, error);
  memcpy (self->stage + self->n_staged, data, size);
  self->n_staged += size;
  return TRUE;
}

/* Over bytes that were written before: in the stage, in the file, or partly in each. */
static gboolean
patch (AcqZipWriter *self, const guint8 *data, gsize size, guint64 offset, GError **error)
{
  gsize in_file = offset < self->n_flushed ? MIN (size, self->n_flushed - offset) : 0;

  if (in_file < size)
    memcpy (self->stage + (offset + in_file - self->n_flushed), data + in_file, size - in_file);
  if (in_file > 0 && !acq_io_pwrite (self->fd, data, in_file, offset, self->path, error)) {
    self->failed = TRUE;
    return FALSE;
  }
  return TRUE;
}

guint64
acq_zip_writer_get_size (AcqZipWriter *self)
{
  return self->n_flushed + self->n_staged;
}

static guint
name_flags (const char *name)
{
  return g_str_is_ascii (name) ? 0 : ZIP_FLAG_UTF8;
}

/* @buffer has room for the longest name and extra fields; returns the bytes of the header. */
static gsize
encode_local (const Member *m, guint8 *buffer)
{
  gsize name_length = strlen (m->name);
  gsize plain = ZIP_LOCAL_SIZE + name_length + LOCAL_EXTRA_MIN;
  gsize padding = (ACQ_ZIP_ALIGN - (m->offset + plain) % ACQ_ZIP_ALIGN) % ACQ_ZIP_ALIGN;
  guint8 *p = buffer;

  p = zip_put32 (p, ZIP_LOCAL_MAGIC);
  p = zip_put16 (p, ZIP_VERSION);
  p = zip_put16 (p, name_flags (m->name));
  p = zip_put16 (p, m->method);
  p = zip_put32 (p, m->dos_time);
  p = zip_put32 (p, m->crc);
  p = zip_put32 (p, G_MAXUINT32);
  p = zip_put32 (p, G_MAXUINT32);
  p = zip_put16 (p, (guint) name_length);
  p = zip_put16 (p, (guint) (LOCAL_EXTRA_MIN + padding));
  memcpy (p, m->name, name_length);
  p += name_length;

  p = zip_put16 (p, ZIP_EXTRA_ZIP64);
  p = zip_put16 (p, 16);
  p = zip_put64 (p, m->size);
  p = zip_put64 (p, m->stored_size);

  p = zip_put16 (p, ZIP_EXTRA_ALIGN);
  p = zip_put16 (p, (guint) (2 + padding));
  p = zip_put16 (p, ACQ_ZIP_ALIGN);
  memset (p, 0, padding);
  return plain + padding;
}

/* Every call that a failure or a wrong order makes senseless begins with this. */
static gboolean
check_state (AcqZipWriter *self, gboolean inside, GError **error)
{
  if (self->failed) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "%s could not be written before", self->path);
    return FALSE;
  }
  g_return_val_if_fail (!self->finished, FALSE);
  g_return_val_if_fail (self->is_open == inside, FALSE);
  return TRUE;
}

static void
start_deflate (AcqZipWriter *self)
{
  if (self->deflate == NULL) {
    self->deflate = g_new0 (struct isal_zstream, 1);
    self->deflate_level_buffer = g_malloc (ISAL_DEF_LVL2_DEFAULT);
  }
  isal_deflate_init (self->deflate);
  self->deflate->level = 2; /* docs/decisions.md has the comparison */
  self->deflate->level_buf = self->deflate_level_buffer;
  self->deflate->level_buf_size = ISAL_DEF_LVL2_DEFAULT;
  self->deflate->flush = NO_FLUSH;
}

gboolean
acq_zip_writer_begin (AcqZipWriter *self, const char *name, AcqZipMethod method, GError **error)
{
  g_autofree guint8 *header = NULL;
  Member member = { .method = method, .dos_time = self->dos_time };

  if (!check_state (self, FALSE, error))
    return FALSE;
  if (!acq_zip_is_name (name, strlen (name)) || g_hash_table_contains (self->names, name)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "'%s' cannot be a member of %s: names are relative paths in UTF-8, each once",
                 name, self->path);
    return FALSE;
  }

  member.name = g_strdup (name);
  member.offset = acq_zip_writer_get_size (self);
  g_array_append_val (self->members, member);
  g_hash_table_add (self->names, member.name);
  self->is_open = TRUE;
  if (method == ACQ_ZIP_DEFLATED)
    start_deflate (self);
  header = g_malloc (ZIP_LOCAL_SIZE + strlen (name) + LOCAL_EXTRA_MIN + ACQ_ZIP_ALIGN);
  return append (self, header, encode_local (&member, header), error);
}

/* The compressor works straight into the stage. */
static gboolean
write_deflated (AcqZipWriter *self, const guint8 *data, gsize size, gboolean last, GError **error)
{
  struct isal_zstream *z = self->deflate;

  do {
    gsize piece = MIN (size, 1u << 30);

    z->next_in = (guint8 *) data;
    z->avail_in = (guint32) piece;
    z->end_of_stream = last && piece == size;
    data += piece;
    size -= piece;
    do {
      gsize room;

      if (self->n_staged > STAGE_SIZE - STAGE_SIZE / 8 && !flush_stage (self, error))
        return FALSE;
      room = STAGE_SIZE - self->n_staged;
      z->next_out = self->stage + self->n_staged;
      z->avail_out = (guint32) room;
      if (isal_deflate (z) != COMP_OK) {
        self->failed = TRUE;
        g_set_error (error, ACQ_ERROR, ACQ_ERROR_FAILED, "%s: the compressor failed", self->path);
        return FALSE;
      }
      self->n_staged += room - z->avail_out;
      last_member (self)->stored_size += room - z->avail_out;
    } while (z->avail_in > 0 || z->avail_out == 0 ||
             (z->end_of_stream && z->internal_state.state != ZSTATE_END));
  } while (size > 0);
  return TRUE;
}

gboolean
acq_zip_writer_write (AcqZipWriter *self, const void *data, gsize size, GError **error)
{
  Member *m;

  if (!check_state (self, TRUE, error))
    return FALSE;
  if (size == 0)
    return TRUE;
  m = last_member (self);
  m->crc = acq_crc32 (m->crc, data, size);
  m->size += size;
  if (m->method == ACQ_ZIP_DEFLATED)
    return write_deflated (self, data, size, FALSE, error);
  m->stored_size += size;
  return append (self, data, size, error);
}

gboolean
acq_zip_writer_end (AcqZipWriter *self, GError **error)
{
  g_autofree guint8 *header = NULL;
  Member *m;

  if (!check_state (self, TRUE, error))
    return FALSE;
  m = last_member (self);
  if (m->method == ACQ_ZIP_DEFLATED && !write_deflated (self, (const guint8 *) "", 0, TRUE, error))
    return FALSE;
  self->is_open = FALSE;
  header = g_malloc (ZIP_LOCAL_SIZE + strlen (m->name) + LOCAL_EXTRA_MIN + ACQ_ZIP_ALIGN);
  return patch (self, header, encode_local (m, header), m->offset, error);
}

static gboolean
write_central (AcqZipWriter *self, const Member *m, GError **error)
{
  guint8 fixed[ZIP_CENTRAL_SIZE], extra[4 + 24];
  guint8 *p = fixed, *x = extra + 4;
  const guint64 wide[] = { m->size, m->stored_size, m->offset };
  gsize name_length = strlen (m->name);

  for (guint i = 0; i < G_N_ELEMENTS (wide); i++)
    if (wide[i] >= G_MAXUINT32)
      x = zip_put64 (x, wide[i]);
  zip_put16 (extra, ZIP_EXTRA_ZIP64);
  zip_put16 (extra + 2, (guint) (x - extra - 4));
  if (x == extra + 4)
    x = extra; /* nothing needs it */

  p = zip_put32 (p, ZIP_CENTRAL_MAGIC);
  p = zip_put16 (p, ZIP_MADE_BY);
  p = zip_put16 (p, ZIP_VERSION);
  p = zip_put16 (p, name_flags (m->name));
  p = zip_put16 (p, m->method);
  p = zip_put32 (p, m->dos_time);
  p = zip_put32 (p, m->crc);
  p = zip_put32 (p, (guint32) MIN (m->stored_size, G_MAXUINT32));
  p = zip_put32 (p, (guint32) MIN (m->size, G_MAXUINT32));
  p = zip_put16 (p, (guint) name_length);
  p = zip_put16 (p, (guint) (x - extra));
  p = zip_put16 (p, 0);                        /* comment */
  p = zip_put16 (p, 0);                        /* volume */
  p = zip_put16 (p, 0);                        /* internal attributes */
  p = zip_put32 (p, (guint32) 0100644u << 16); /* external: a regular file */
  zip_put32 (p, (guint32) MIN (m->offset, G_MAXUINT32));

  return append (self, fixed, sizeof fixed, error) && append (self, m->name, name_length, error) &&
         append (self, extra, (gsize) (x - extra), error);
}

static gboolean
write_end (AcqZipWriter *self, guint64 offset, guint64 size, GError **error)
{
  guint8 buffer[ZIP_END64_SIZE + ZIP_LOCATOR64_SIZE + ZIP_END_SIZE];
  guint8 *p = buffer;
  guint64 n = self->members->len;

  if (n >= G_MAXUINT16 || offset >= G_MAXUINT32 || size >= G_MAXUINT32) {
    p = zip_put32 (p, ZIP_END64_MAGIC);
    p = zip_put64 (p, ZIP_END64_SIZE - 12);
    p = zip_put16 (p, ZIP_MADE_BY);
    p = zip_put16 (p, ZIP_VERSION);
    p = zip_put32 (p, 0); /* this volume */
    p = zip_put32 (p, 0); /* the directory's volume */
    p = zip_put64 (p, n);
    p = zip_put64 (p, n);
    p = zip_put64 (p, size);
    p = zip_put64 (p, offset);

    p = zip_put32 (p, ZIP_LOCATOR64_MAGIC);
    p = zip_put32 (p, 0);
    p = zip_put64 (p, offset + size);
    p = zip_put32 (p, 1);
  }
  p = zip_put32 (p, ZIP_END_MAGIC);
  p = zip_put16 (p, 0);
  p = zip_put16 (p, 0);
  p = zip_put16 (p, (guint) MIN (n, G_MAXUINT16));
  p = zip_put16 (p, (guint) MIN (n, G_MAXUINT16));
  p = zip_put32 (p, (guint32) MIN (size, G_MAXUINT32));
  p = zip_put32 (p, (guint32) MIN (offset, G_MAXUINT32));
  p = zip_put16 (p, 0);
  return append (self, buffer, (gsize) (p - buffer), error);
}

gboolean
acq_zip_writer_finish (AcqZipWriter *self, GError **error)
{
  guint64 offset;

  if (!check_state (self, FALSE, error))
    return FALSE;
  offset = acq_zip_writer_get_size (self);
  for (guint i = 0; i < self->members->len; i++)
    if (!write_central (self, &g_array_index (self->members, Member, i), error))
      return FALSE;
  if (!write_end (self, offset, acq_zip_writer_get_size (self) - offset, error) ||
      !flush_stage (self, error))
    return FALSE;
  self->finished = TRUE;
  return TRUE;
}

void
acq_zip_writer_free (AcqZipWriter *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->names);
  g_array_unref (self->members);
  g_free (self->deflate);
  g_free (self->deflate_level_buffer);
  g_free (self->stage);
  g_free (self->path);
  g_free (self);
}
