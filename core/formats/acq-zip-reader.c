/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-crc32-private.h"
#include "formats/acq-zip-private.h"

#include <acq/acq-error.h>

#include <errno.h>
#include <isa-l.h>

/* Deflate cannot do better than 1032 : 1; a claim above that is a trap. */
#define MAX_RATIO 1032

struct _AcqZipReader {
  GBytes *bytes;
  const guint8 *data;
  gsize size;
  GArray *entries; /* of AcqZipEntry */
  GHashTable *by_name;
  GStringChunk *names;
};

/* Where the directory is, from the end records. */
typedef struct {
  guint64 n;
  guint64 offset;
  guint64 size;
  guint64 end; /* of the last byte that belongs to members and directory */
} Directory;

/* One record of the directory, before it is believed. */
typedef struct {
  AcqZipEntry entry;
  guint64 local_offset;
  guint flags;
  gsize name_length;
} Central;

static gboolean G_GNUC_PRINTF (2, 3) fail (GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "bad ZIP archive: %s", what);
  return FALSE;
}

static gboolean
read_end64 (AcqZipReader *self, gsize end_offset, Directory *dir, GError **error)
{
  const guint8 *locator, *end64;
  guint64 offset;

  if (end_offset < ZIP_LOCATOR64_SIZE + ZIP_END64_SIZE)
    return fail (error, "the ZIP64 end record is missing");
  locator = self->data + end_offset - ZIP_LOCATOR64_SIZE;
  offset = zip_get64 (locator + 8);
  if (zip_get32 (locator) != ZIP_LOCATOR64_MAGIC || zip_get32 (locator + 4) != 0 ||
      zip_get32 (locator + 16) != 1 || offset != end_offset - ZIP_LOCATOR64_SIZE - ZIP_END64_SIZE)
    return fail (error, "the ZIP64 locator does not point to the record before it");
  end64 = self->data + offset;
  if (zip_get32 (end64) != ZIP_END64_MAGIC || zip_get64 (end64 + 4) != ZIP_END64_SIZE - 12 ||
      zip_get32 (end64 + 16) != 0 || zip_get32 (end64 + 20) != 0 ||
      zip_get64 (end64 + 24) != zip_get64 (end64 + 32))
    return fail (error, "the ZIP64 end record is not one of a single volume");
  dir->n = zip_get64 (end64 + 32);
  dir->size = zip_get64 (end64 + 40);
  dir->offset = zip_get64 (end64 + 48);
  dir->end = offset;
  return TRUE;
}

static gboolean
read_end (AcqZipReader *self, Directory *dir, GError **error)
{
  gsize offset = self->size - MIN (self->size, ZIP_END_SIZE);
  const guint8 *end = self->data + offset;

  if (self->size < ZIP_END_SIZE || zip_get32 (end) != ZIP_END_MAGIC || zip_get16 (end + 20) != 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED,
                 "no ZIP end record in the last %d of %" G_GSIZE_FORMAT
                 " bytes: the archive is not finished, or is none",
                 ZIP_END_SIZE, self->size);
    return FALSE;
  }
  if (zip_get16 (end + 4) != 0 || zip_get16 (end + 6) != 0 ||
      zip_get16 (end + 8) != zip_get16 (end + 10))
    return fail (error, "it is a part of several volumes");
  dir->n = zip_get16 (end + 10);
  dir->size = zip_get32 (end + 12);
  dir->offset = zip_get32 (end + 16);
  dir->end = offset;
  if (dir->n == G_MAXUINT16 || dir->size == G_MAXUINT32 || dir->offset == G_MAXUINT32)
    if (!read_end64 (self, offset, dir, error))
      return FALSE;
  if (dir->offset > dir->end || dir->size != dir->end - dir->offset ||
      dir->n > dir->size / ZIP_CENTRAL_SIZE)
    return fail (error,
                 "the directory (%" G_GUINT64_FORMAT " bytes at %" G_GUINT64_FORMAT
                 ") does not end where its end record begins",
                 dir->size, dir->offset);
  return TRUE;
}

/* Finds an extra field; FALSE when the fields do not fill the space exactly. */
static gboolean
find_extra (const guint8 *p, gsize n, guint id, const guint8 **ret_data, gsize *ret_size)
{
  *ret_data = NULL;
  *ret_size = 0;
  while (n >= 4) {
    gsize size = zip_get16 (p + 2);

    if (size > n - 4)
      return FALSE;
    if (zip_get16 (p) == id && *ret_data != NULL)
      return FALSE;
    if (zip_get16 (p) == id) {
      *ret_data = p + 4;
      *ret_size = size;
    }
    p += 4 + size;
    n -= 4 + size;
  }
  return n == 0;
}

/* Replaces those of @values that are 0xffffffff by the ZIP64 field's, in its order. */
static gboolean
apply_central_zip64 (const guint8 *extra, gsize extra_size, guint64 *values[], guint n)
{
  const guint8 *p;
  gsize size;

  if (!find_extra (extra, extra_size, ZIP_EXTRA_ZIP64, &p, &size))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (*values[i] != G_MAXUINT32)
      continue;
    if (size < 8)
      return FALSE;
    *values[i] = zip_get64 (p);
    p += 8;
    size -= 8;
  }
  return size == 0;
}

/* Reads the record at *@pos of the directory and moves *@pos behind it. */
static gboolean
read_central (AcqZipReader *self, guint64 *pos, guint64 end, Central *ret, GError **error)
{
  const guint8 *p = self->data + *pos;
  guint64 *wide[] = { &ret->entry.size, &ret->entry.stored_size, &ret->local_offset };
  gsize extra_size, total;

  if (end - *pos < ZIP_CENTRAL_SIZE || zip_get32 (p) != ZIP_CENTRAL_MAGIC)
    return fail (error, "no directory record at %" G_GUINT64_FORMAT, *pos);
  ret->flags = zip_get16 (p + 8);
  ret->entry.method = (AcqZipMethod) zip_get16 (p + 10);
  ret->entry.crc = zip_get32 (p + 16);
  ret->entry.stored_size = zip_get32 (p + 20);
  ret->entry.size = zip_get32 (p + 24);
  ret->name_length = zip_get16 (p + 28);
  extra_size = zip_get16 (p + 30);
  ret->local_offset = zip_get32 (p + 42);
  total = ZIP_CENTRAL_SIZE + ret->name_length + extra_size;
  if (end - *pos < total || zip_get16 (p + 32) != 0 || zip_get16 (p + 34) != 0)
    return fail (
        error, "the directory record at %" G_GUINT64_FORMAT " is too long, or has a comment", *pos);
  if (!apply_central_zip64 (p + ZIP_CENTRAL_SIZE + ret->name_length, extra_size, wide, 3))
    return fail (error, "the directory record at %" G_GUINT64_FORMAT " has bad extra fields", *pos);

  if (!acq_zip_is_name ((const char *) p + ZIP_CENTRAL_SIZE, ret->name_length))
    return fail (error,
                 "the directory record at %" G_GUINT64_FORMAT
                 " has a name that is not a relative path in UTF-8",
                 *pos);
  ret->entry.name = g_string_chunk_insert_len (self->names, (const char *) p + ZIP_CENTRAL_SIZE,
                                               (gssize) ret->name_length);
  *pos += total;
  return TRUE;
}

static gboolean
check_entry (AcqZipReader *self, const Central *c, GError **error)
{
  const AcqZipEntry *e = &c->entry;

  if (e->method != ACQ_ZIP_STORED && e->method != ACQ_ZIP_DEFLATED)
    return fail (error, "'%s' uses method %d; 0 (stored) and 8 (deflate) are known", e->name,
                 e->method);
  /* Bits 1 and 2 say how hard the compressor tried, bit 3 that the sizes come behind the data. */
  if ((c->flags & ~(guint) (ZIP_FLAG_UTF8 | 0xe)) != 0)
    return fail (error, "'%s' is encrypted or has flags 0x%04x that are not known", e->name,
                 c->flags);
  if (e->method == ACQ_ZIP_STORED && e->size != e->stored_size)
    return fail (error, "'%s' is stored, but its two sizes differ", e->name);
  if (g_hash_table_contains (self->by_name, e->name))
    return fail (error, "'%s' is there twice", e->name);
  return TRUE;
}

/*
 * In a local header the ZIP64 field has both sizes. Python repeats them there even where the
 * 32-bit ones suffice; then they must agree.
 */
static gboolean
apply_local_zip64 (const guint8 *extra, gsize extra_size, guint64 *size, guint64 *stored_size)
{
  const guint8 *p;
  gsize n;

  if (!find_extra (extra, extra_size, ZIP_EXTRA_ZIP64, &p, &n))
    return FALSE;
  if (p == NULL)
    return *size != G_MAXUINT32 && *stored_size != G_MAXUINT32;
  if (n != 16 || (*size != G_MAXUINT32 && *size != zip_get64 (p)) ||
      (*stored_size != G_MAXUINT32 && *stored_size != zip_get64 (p + 8)))
    return FALSE;
  *size = zip_get64 (p);
  *stored_size = zip_get64 (p + 8);
  return TRUE;
}

/* The local header must say what the directory says; then *@ret_end is where the data ends. */
static gboolean
check_local (AcqZipReader *self, Central *c, guint64 limit, guint64 *ret_end, GError **error)
{
  AcqZipEntry *e = &c->entry;
  const guint8 *p = self->data + MIN (c->local_offset, limit);
  gboolean streamed = (c->flags & 8) != 0;
  guint64 size, stored_size;
  gsize extra_size;

  if (c->local_offset > limit || limit - c->local_offset < ZIP_LOCAL_SIZE + c->name_length ||
      zip_get32 (p) != ZIP_LOCAL_MAGIC)
    return fail (error, "'%s' has no local header at %" G_GUINT64_FORMAT, e->name, c->local_offset);
  stored_size = zip_get32 (p + 18);
  size = zip_get32 (p + 22);
  extra_size = zip_get16 (p + 28);
  e->data_offset = c->local_offset + ZIP_LOCAL_SIZE + c->name_length + extra_size;
  if (zip_get16 (p + 26) != c->name_length ||
      memcmp (p + ZIP_LOCAL_SIZE, e->name, c->name_length) != 0)
    return fail (error, "'%s' has another name in its local header", e->name);
  if (e->data_offset > limit || e->stored_size > limit - e->data_offset)
    return fail (error, "'%s' reaches into the directory", e->name);
  if (!apply_local_zip64 (p + ZIP_LOCAL_SIZE + c->name_length, extra_size, &size, &stored_size))
    return fail (error, "'%s' has bad extra fields in its local header", e->name);
  if (zip_get16 (p + 6) != c->flags || zip_get16 (p + 8) != (guint) e->method ||
      (!streamed &&
       (zip_get32 (p + 14) != e->crc || size != e->size || stored_size != e->stored_size)))
    return fail (error, "'%s' has a local header that differs from the directory", e->name);
  *ret_end = e->data_offset + e->stored_size;
  return TRUE;
}

typedef struct {
  guint64 from;
  guint64 to;
} Extent;

static int
compare_extents (gconstpointer a, gconstpointer b)
{
  const Extent *x = a, *y = b;

  return x->from < y->from ? -1 : x->from > y->from;
}

static gboolean
read_directory (AcqZipReader *self, GError **error)
{
  g_autoptr (GArray) extents = g_array_new (FALSE, FALSE, sizeof (Extent));
  Directory dir = { 0 };
  guint64 pos;

  if (!read_end (self, &dir, error))
    return FALSE;
  pos = dir.offset;
  for (guint64 i = 0; i < dir.n; i++) {
    Central c = { 0 };
    Extent extent;

    if (!read_central (self, &pos, dir.end, &c, error) || !check_entry (self, &c, error) ||
        !check_local (self, &c, dir.offset, &extent.to, error))
      return FALSE;
    extent.from = c.local_offset;
    g_array_append_val (extents, extent);
    g_array_append_val (self->entries, c.entry);
    g_hash_table_insert (self->by_name, (gpointer) c.entry.name,
                         GUINT_TO_POINTER (self->entries->len));
  }
  if (pos != dir.end)
    return fail (error, "the directory has more bytes than its %" G_GUINT64_FORMAT " records",
                 dir.n);

  g_array_sort (extents, compare_extents);
  for (guint i = 1; i < extents->len; i++)
    if (g_array_index (extents, Extent, i).from < g_array_index (extents, Extent, i - 1).to)
      return fail (error, "two members overlap at %" G_GUINT64_FORMAT,
                   g_array_index (extents, Extent, i).from);
  return TRUE;
}

AcqZipReader *
acq_zip_reader_new (GBytes *bytes, GError **error)
{
  g_autoptr (AcqZipReader) self = g_new0 (AcqZipReader, 1);

  self->bytes = g_bytes_ref (bytes);
  self->data = g_bytes_get_data (bytes, &self->size);
  if (self->data == NULL)
    self->data = (const guint8 *) ""; /* of no bytes GLib has no address */
  self->entries = g_array_new (FALSE, FALSE, sizeof (AcqZipEntry));
  self->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self->names = g_string_chunk_new (1024);
  return read_directory (self, error) ? g_steal_pointer (&self) : NULL;
}

AcqZipReader *
acq_zip_reader_open (const char *path, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, &local_error);
  g_autoptr (GBytes) bytes = NULL;
  AcqZipReader *self;

  if (file == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "cannot open %s: %s", path, local_error->message);
    return NULL;
  }
  bytes = g_mapped_file_get_bytes (file);
  self = acq_zip_reader_new (bytes, error);
  if (self == NULL)
    g_prefix_error (error, "%s: ", path);
  return self;
}

guint
acq_zip_reader_get_n_entries (AcqZipReader *self)
{
  return self->entries->len;
}

const AcqZipEntry *
acq_zip_reader_get_entry (AcqZipReader *self, guint i)
{
  g_return_val_if_fail (i < self->entries->len, NULL);

  return &g_array_index (self->entries, AcqZipEntry, i);
}

const AcqZipEntry *
acq_zip_reader_lookup (AcqZipReader *self, const char *name)
{
  guint i = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, name));

  return i > 0 ? acq_zip_reader_get_entry (self, i - 1) : NULL;
}

/* Bytes that belong to the stream so far; the decoder reads some ahead. */
static gsize
consumed (const struct inflate_state *z, const guint8 *data)
{
  return (gsize) (z->next_in - data) - (gsize) MAX (z->read_in_length, 0) / 8;
}

/* Exactly @out_size bytes from exactly @size bytes. */
static gboolean
inflate_all (const guint8 *data, gsize size, guint8 *out, gsize out_size)
{
  g_autofree struct inflate_state *z = g_new0 (struct inflate_state, 1);
  gsize produced = 0;
  guint8 beyond;

  isal_inflate_init (z);
  z->next_in = (guint8 *) data;
  while (TRUE) {
    gsize before = (gsize) (z->next_in - data);
    /* When all is there, the end of the stream may still be to come; another byte may not. */
    gboolean full = produced == out_size;
    guint32 room = full ? 1 : (guint32) MIN (out_size - produced, 1u << 30);

    z->avail_in = (guint32) MIN (size - before, 1u << 30);
    z->next_out = full ? &beyond : out + produced;
    z->avail_out = room;
    if (isal_inflate (z) != ISAL_DECOMP_OK || (full && z->avail_out == 0))
      return FALSE;
    produced += room - z->avail_out;
    if (z->block_state == ISAL_BLOCK_FINISH)
      return produced == out_size && consumed (z, data) == size;
    if (before == (gsize) (z->next_in - data) && z->avail_out == room)
      return FALSE; /* the stream goes on, the input does not */
  }
}

GBytes *
acq_zip_reader_read (AcqZipReader *self, const AcqZipEntry *entry, GError **error)
{
  const guint8 *data = self->data + entry->data_offset;
  g_autoptr (GBytes) content = NULL;

  if (entry->method == ACQ_ZIP_STORED) {
    content = g_bytes_new_from_bytes (self->bytes, entry->data_offset, entry->size);
  } else {
    guint8 *out;

    out =
        entry->size / MAX_RATIO <= entry->stored_size ? g_try_malloc (MAX (entry->size, 1)) : NULL;
    if (out == NULL) {
      fail (error, "'%s' claims %" G_GUINT64_FORMAT " bytes", entry->name, entry->size);
      return NULL;
    }
    content = g_bytes_new_take (out, entry->size);
    if (!inflate_all (data, entry->stored_size, out, entry->size)) {
      fail (error, "'%s' does not decompress to its %" G_GUINT64_FORMAT " bytes", entry->name,
            entry->size);
      return NULL;
    }
  }
  if (acq_crc32 (0, g_bytes_get_data (content, NULL), g_bytes_get_size (content)) != entry->crc) {
    fail (error, "'%s' has another CRC than its directory record says", entry->name);
    return NULL;
  }
  return g_steal_pointer (&content);
}

void
acq_zip_reader_free (AcqZipReader *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->entries);
  g_hash_table_unref (self->by_name);
  g_string_chunk_free (self->names);
  g_bytes_unref (self->bytes);
  g_free (self);
}
