/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-zip.h>

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int
memory_file (void)
{
  int fd = memfd_create ("test-zip", MFD_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  return fd;
}

/* Takes the descriptor. */
static GBytes *
read_back (int fd)
{
  struct stat st;
  guint8 *data;

  g_assert_cmpint (fstat (fd, &st), ==, 0);
  data = g_malloc ((gsize) st.st_size + 1);
  g_assert_cmpint (pread (fd, data, (gsize) st.st_size, 0), ==, st.st_size);
  close (fd);
  return g_bytes_new_take (data, (gsize) st.st_size);
}

/* Compressible, and every place of it is different. */
static guint8 *
make_content (gsize size)
{
  guint8 *data = g_malloc (size + 1);

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) ((i % 7 == 0 ? i >> 8 : i) & 0x3f);
  return data;
}

static void
put_member (AcqZipWriter *zip, const char *name, AcqZipMethod method, const guint8 *data,
            gsize size, gsize piece)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (acq_zip_writer_begin (zip, name, method, &error));
  for (gsize i = 0; i < size; i += piece)
    g_assert_true (acq_zip_writer_write (zip, data + i, MIN (piece, size - i), &error));
  g_assert_true (acq_zip_writer_end (zip, &error));
  g_assert_no_error (error);
}

static const struct {
  const char *name;
  AcqZipMethod method;
  gsize size;
  gsize piece;
} members[] = {
  { "meta.npy", ACQ_ZIP_STORED, 200, 200 },
  { "empty.npy", ACQ_ZIP_STORED, 0, 1 },
  { "empty-deflated.npy", ACQ_ZIP_DEFLATED, 0, 1 },
  { "one.npy", ACQ_ZIP_DEFLATED, 1, 1 },
  { "deflated.npy", ACQ_ZIP_DEFLATED, 3000000, 65537 },
  { "large.npy", ACQ_ZIP_STORED, 5000003, 1 << 20 },
  { "small-pieces.npy", ACQ_ZIP_STORED, 1500000, 999 },
  { "whole.npy", ACQ_ZIP_DEFLATED, 2500000, 2500000 },
  { "sub/dir/\xe6\x89\x8b.npy", ACQ_ZIP_STORED, 77, 7 },
};

static GBytes *
make_archive (void)
{
  int fd = memory_file ();
  g_autoptr (AcqZipWriter) zip = acq_zip_writer_new (fd, "memory");
  g_autoptr (GError) error = NULL;

  acq_zip_writer_set_time (zip, 1767225600);
  for (guint i = 0; i < G_N_ELEMENTS (members); i++) {
    g_autofree guint8 *data = make_content (members[i].size);

    put_member (zip, members[i].name, members[i].method, data, members[i].size, members[i].piece);
  }
  g_assert_true (acq_zip_writer_finish (zip, &error));
  g_assert_no_error (error);
  return read_back (fd);
}

static void
test_round_trip (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = make_archive ();
  g_autoptr (AcqZipReader) zip = acq_zip_reader_new (bytes, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (acq_zip_reader_get_n_entries (zip), ==, G_N_ELEMENTS (members));
  for (guint i = 0; i < G_N_ELEMENTS (members); i++) {
    const AcqZipEntry *e = acq_zip_reader_get_entry (zip, i);
    g_autofree guint8 *expected = make_content (members[i].size);
    g_autoptr (GBytes) content = acq_zip_reader_read (zip, e, &error);

    g_assert_no_error (error);
    g_assert_cmpstr (e->name, ==, members[i].name);
    g_assert_true (acq_zip_reader_lookup (zip, members[i].name) == e);
    g_assert_cmpint (e->method, ==, members[i].method);
    g_assert_cmpuint (e->data_offset % 64, ==, 0);
    if (e->size > 1000 && e->method == ACQ_ZIP_DEFLATED)
      g_assert_cmpuint (e->stored_size, <, e->size);
    g_assert_cmpmem (g_bytes_get_data (content, NULL), g_bytes_get_size (content), expected,
                     members[i].size);
  }
  g_assert_null (acq_zip_reader_lookup (zip, "none.npy"));
}

/* The bytes that others rely on, by their places in the specification. */
static void
test_records (void)
{
  int fd = memory_file ();
  g_autoptr (AcqZipWriter) zip = acq_zip_writer_new (fd, "memory");
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *p;
  gsize size;

  acq_zip_writer_set_time (zip, 0); /* before the format begins */
  put_member (zip, "a.npy", ACQ_ZIP_STORED, (const guint8 *) "123456789", 9, 9);
  g_assert_true (acq_zip_writer_finish (zip, NULL));
  bytes = read_back (fd);
  p = g_bytes_get_data (bytes, &size);
  g_assert_cmpuint (size, ==, acq_zip_writer_get_size (zip));

  g_assert_cmpmem (p, 4, "PK\3\4", 4);
  g_assert_cmpmem (p + 4, 2, "\x2d\0", 2);            /* version 4.5 */
  g_assert_cmpmem (p + 10, 4, "\0\0\x21\0", 4);       /* 1980-01-01 */
  g_assert_cmpmem (p + 14, 4, "\x26\x39\xf4\xcb", 4); /* the check value of CRC-32 */
  g_assert_cmpmem (p + 18, 8, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
  g_assert_cmpmem (p + 30, 5, "a.npy", 5);
  g_assert_cmpmem (p + 35, 4, "\1\0\x10\0", 4);
  g_assert_cmpmem (p + 39, 16, "\x09\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\0", 16);
  g_assert_cmpmem (p + 55, 2, "\x35\xd9", 2);
  g_assert_cmpmem (p + 64, 9, "123456789", 9);

  p += 73;
  g_assert_cmpmem (p, 4, "PK\1\2", 4);
  g_assert_cmpmem (p + 16, 4, "\x26\x39\xf4\xcb", 4);
  g_assert_cmpmem (p + 20, 8, "\x09\0\0\0\x09\0\0\0", 8);
  g_assert_cmpmem (p + 28, 4, "\5\0\0\0", 4); /* no extra field */
  p += 46 + 5;
  g_assert_cmpmem (p, 22, "PK\5\6\0\0\0\0\1\0\1\0\x33\0\0\0\x49\0\0\0\0\0", 22);
}

static void
test_bad_names (void)
{
  static const char *const names[] = { "",         "/abs.npy", "../up.npy", "a/../b.npy",
                                       "a//b.npy", "a/",       "./a.npy",   "a\\b.npy",
                                       "a\nb.npy", "\xff.npy", "dup.npy" };
  int fd = memory_file ();
  g_autoptr (AcqZipWriter) zip = acq_zip_writer_new (fd, "memory");

  put_member (zip, "dup.npy", ACQ_ZIP_STORED, NULL, 0, 1);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (acq_zip_writer_begin (zip, names[i], ACQ_ZIP_STORED, &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
  }
  /* A refused name harms nothing. */
  g_assert_true (acq_zip_writer_finish (zip, NULL));
  close (fd);
}

static void
test_no_space (void)
{
  int fd = open ("/dev/full", O_RDWR | O_CLOEXEC);
  g_autoptr (AcqZipWriter) zip = acq_zip_writer_new (fd, "/dev/full");
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *data = make_content (3 << 20);

  g_assert_true (acq_zip_writer_begin (zip, "a.npy", ACQ_ZIP_STORED, &error));
  g_assert_false (acq_zip_writer_write (zip, data, 3 << 20, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_NO_SPACE);
  g_assert_nonnull (strstr (error->message, "/dev/full"));
  g_clear_error (&error);
  g_assert_false (acq_zip_writer_end (zip, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (acq_zip_writer_finish (zip, &error));
  close (fd);
}

static void
test_many_members (void)
{
  guint n = 65600;
  int fd = memory_file ();
  g_autoptr (AcqZipWriter) writer = acq_zip_writer_new (fd, "memory");
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (GBytes) bytes = NULL, content = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++) {
    char name[16];

    g_snprintf (name, sizeof name, "%u.npy", i);
    put_member (writer, name, ACQ_ZIP_STORED, (const guint8 *) name, strlen (name), 16);
  }
  g_assert_true (acq_zip_writer_finish (writer, &error));
  bytes = read_back (fd);
  zip = acq_zip_reader_new (bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (acq_zip_reader_get_n_entries (zip), ==, n);
  content = acq_zip_reader_read (zip, acq_zip_reader_lookup (zip, "65599.npy"), &error);
  g_assert_cmpmem (g_bytes_get_data (content, NULL), g_bytes_get_size (content), "65599.npy", 9);
}

static void
test_truncated (void)
{
  g_autoptr (GBytes) bytes = make_archive ();
  gsize size = g_bytes_get_size (bytes);

  for (gsize n = size - 3000; n < size; n++) {
    g_autoptr (GBytes) part = g_bytes_new_from_bytes (bytes, 0, n);
    g_autoptr (GError) error = NULL;

    g_assert_null (acq_zip_reader_new (part, &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED);
  }
  for (gsize n = 0; n < 64; n++) {
    g_autoptr (GBytes) part = g_bytes_new_from_bytes (bytes, 0, n);

    g_assert_null (acq_zip_reader_new (part, NULL));
  }
}

/* A small archive, all of whose bytes are worth damaging. */
static GBytes *
make_small (void)
{
  int fd = memory_file ();
  g_autoptr (AcqZipWriter) zip = acq_zip_writer_new (fd, "memory");
  g_autofree guint8 *data = make_content (900);

  put_member (zip, "a.npy", ACQ_ZIP_STORED, data, 100, 100);
  put_member (zip, "b.npy", ACQ_ZIP_DEFLATED, data, 900, 100);
  put_member (zip, "c.npy", ACQ_ZIP_STORED, data, 0, 1);
  g_assert_true (acq_zip_writer_finish (zip, NULL));
  return read_back (fd);
}

/* A member inside another one: the same bytes under two names, a bomb when done often enough. */
static void
test_overlap (void)
{
  int inner_fd = memory_file (), fd = memory_file ();
  g_autoptr (AcqZipWriter) inner = acq_zip_writer_new (inner_fd, "inner");
  g_autoptr (AcqZipWriter) outer = acq_zip_writer_new (fd, "outer");
  g_autoptr (GBytes) inner_bytes = NULL, bytes = NULL, honest = NULL;
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (GError) error = NULL;
  guint8 *copy;
  gsize size;

  acq_zip_writer_set_time (inner, 1767225600);
  acq_zip_writer_set_time (outer, 1767225600);
  put_member (inner, "b.npy", ACQ_ZIP_STORED, (const guint8 *) "123456789", 9, 9);
  g_assert_true (acq_zip_writer_finish (inner, NULL));
  inner_bytes = read_back (inner_fd);
  put_member (outer, "a.npy", ACQ_ZIP_STORED, g_bytes_get_data (inner_bytes, NULL), 73, 73);
  put_member (outer, "b.npy", ACQ_ZIP_STORED, (const guint8 *) "123456789", 9, 9);
  g_assert_true (acq_zip_writer_finish (outer, NULL));
  honest = read_back (fd);
  zip = acq_zip_reader_new (honest, &error);
  g_assert_no_error (error);

  /* The last directory record's offset, to the copy inside a.npy, whose data begins at 64. */
  copy = g_memdup2 (g_bytes_get_data (honest, &size), g_bytes_get_size (honest));
  copy[size - 22 - 5 - 46 + 42] = 64;
  bytes = g_bytes_new_take (copy, size);
  g_assert_null (acq_zip_reader_new (bytes, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "overlap"));
}

/* Whatever is accepted reads back as it was, or is refused by its CRC. */
static void
test_mutations (void)
{
  g_autoptr (GBytes) bytes = make_small ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (15);
  g_autofree guint8 *expected = make_content (900);
  gsize size = g_bytes_get_size (bytes);
  guint n_opened = 0;

  for (guint round = 0; round < 20000; round++) {
    guint8 *copy = g_memdup2 (g_bytes_get_data (bytes, NULL), size);
    g_autoptr (GBytes) damaged = NULL;
    g_autoptr (AcqZipReader) zip = NULL;

    for (int k = g_rand_int_range (rand, 1, 4); k > 0; k--)
      copy[g_rand_int_range (rand, 0, (gint32) size)] = (guint8) g_rand_int (rand);
    damaged = g_bytes_new_take (copy, size);
    zip = acq_zip_reader_new (damaged, NULL);
    if (zip == NULL)
      continue;
    n_opened++;
    for (guint i = 0; i < acq_zip_reader_get_n_entries (zip); i++) {
      const AcqZipEntry *e = acq_zip_reader_get_entry (zip, i);
      g_autoptr (GBytes) content = acq_zip_reader_read (zip, e, NULL);

      if (content != NULL)
        g_assert_cmpmem (g_bytes_get_data (content, NULL), g_bytes_get_size (content), expected,
                         g_bytes_get_size (content));
    }
  }
  g_assert_cmpuint (n_opened, >, 1000);
  g_assert_cmpuint (n_opened, <, 18000);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zip/round-trip", test_round_trip);
  g_test_add_func ("/zip/records", test_records);
  g_test_add_func ("/zip/bad-names", test_bad_names);
  g_test_add_func ("/zip/no-space", test_no_space);
  g_test_add_func ("/zip/many-members", test_many_members);
  g_test_add_func ("/zip/truncated", test_truncated);
  g_test_add_func ("/zip/overlap", test_overlap);
  g_test_add_func ("/zip/mutations", test_mutations);
  return g_test_run ();
}
