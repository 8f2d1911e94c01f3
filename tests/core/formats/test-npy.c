/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-npy.h>

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Types */

static void
test_descr_size (void)
{
  static const struct {
    const char *descr;
    gsize size;
  } cases[] = {
    { "<f4", 4 },
    { "<f8", 8 },
    { "<f2", 2 },
    { "<i8", 8 },
    { "<u2", 2 },
    { "|u1", 1 },
    { "|i1", 1 },
    { "|b1", 1 },
    { "<c8", 8 },
    { "<c16", 16 },
    { "|S12", 12 },
    { "<U3", 12 },
    { "|V4", 4 },
    { ">f4", 4 },
    { "<M8[us]", 8 },
    { "<m8[25us]", 8 },
    { "<M8", 8 },
    { "|O", 0 },
    { "|O8", 0 },
    { "", 0 },
    { "<", 0 },
    { "f4", 0 },
    { "<f3", 0 },
    { "|f4", 0 },
    { "<u1", 0 },
    { "<S4", 0 },
    { "|U4", 0 },
    { "<U0", 0 },
    { "<f04", 0 },
    { "<f4 ", 0 },
    { "<M8[]", 0 },
    { "<M8[xs]", 0 },
    { "<M8[us", 0 },
    { "<f8[us]", 0 },
    { "=f4", 0 },
    { "<M8[0us]", 0 },
    { "<U999999999999", 0 },
  };

  g_assert_cmpuint (acq_npy_descr_size (NULL), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%s", cases[i].descr);
    g_assert_cmpuint (acq_npy_descr_size (cases[i].descr), ==, cases[i].size);
  }
}

static void
test_layout (void)
{
  AcqNpyField fields[] = {
    { .name = "g__t_us", .descr = "<i8" },
    { .name = "g", .descr = "<f4", .n_dims = 2, .dims = { 21, 7 } },
    { .name = "g__valid", .descr = "|b1" },
    { .name = "g.empty", .descr = "<f8", .n_dims = 1, .dims = { 0 } },
    { .name = "g.name", .descr = "<U5" },
  };
  AcqNpyField twice[] = { { .name = "a", .descr = "<i8" }, { .name = "a", .descr = "<f4" } };
  AcqNpyField quoted[] = { { .name = "it's", .descr = "<i8" } };
  AcqNpyField object[] = { { .name = "a", .descr = "|O" } };
  AcqNpyField huge[] = { { .name = "a", .descr = "<i8", .n_dims = 2, .dims = { 1u << 31, 9 } } };
  gsize row_size = 0;

  g_assert_true (acq_npy_layout (fields, G_N_ELEMENTS (fields), &row_size, NULL));
  g_assert_cmpuint (row_size, ==, 8 + 588 + 1 + 0 + 20);
  g_assert_cmpuint (fields[2].offset, ==, 596);
  g_assert_cmpuint (fields[4].offset, ==, 597);
  g_assert_cmpuint (fields[1].size, ==, 588);

  g_assert_false (acq_npy_layout (twice, 2, &row_size, NULL));
  g_assert_false (acq_npy_layout (quoted, 1, &row_size, NULL));
  g_assert_false (acq_npy_layout (object, 1, &row_size, NULL));
  g_assert_false (acq_npy_layout (huge, 1, &row_size, NULL));
}

/* Header */

static void
assert_header (const AcqNpyHeader *header, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = acq_npy_header_encode (header, &error);
  gsize size, length;
  const guint8 *data;

  g_assert_no_error (error);
  data = g_bytes_get_data (bytes, &size);
  g_assert_cmpuint (size % 64, ==, 0);
  g_assert_cmpmem (data, 8, "\x93NUMPY\x01\x00", 8);
  length = data[8] | (gsize) data[9] << 8;
  g_assert_cmpuint (length, ==, size - 10);
  g_assert_cmpmem (data + 10, strlen (expected), expected, strlen (expected));
  for (gsize i = 10 + strlen (expected); i < size - 1; i++)
    g_assert_cmpint (data[i], ==, ' ');
  g_assert_cmpint (data[size - 1], ==, '\n');
}

static void
test_header_encode (void)
{
  AcqNpyField f4 = { .descr = "<f4" }, text = { .descr = "<U12" };
  AcqNpyField columns[] = { { .name = "t", .descr = "<i8" },
                            { .name = "q", .descr = "<f4", .n_dims = 1, .dims = { 4 } } };
  AcqNpyHeader h = { .fields = &f4, .n_fields = 1, .n_dims = 3, .shape = { 720, 21, 7 } };

  assert_header (&h, "{'descr': '<f4', 'fortran_order': False, 'shape': (720, 21, 7), }");
  h.n_dims = 1;
  h.shape[0] = 0;
  assert_header (&h, "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }");
  h.fields = &text;
  h.n_dims = 0;
  assert_header (&h, "{'descr': '<U12', 'fortran_order': False, 'shape': (), }");
  h = (AcqNpyHeader){ .fields = columns, .n_fields = 2, .n_dims = 1, .shape = { 5 } };
  assert_header (&h, "{'descr': [('t', '<i8'), ('q', '<f4', (4,))], 'fortran_order': False, "
                     "'shape': (5,), }");
}

static void
test_header_can_be_patched (void)
{
  AcqNpyField f8 = { .descr = "<f8" };
  AcqNpyHeader h = { .fields = &f8, .n_fields = 1, .n_dims = 2, .shape = { 0, 3 } };
  g_autoptr (GBytes) empty = acq_npy_header_encode (&h, NULL);
  g_autoptr (GBytes) full = NULL;

  h.shape[0] = G_MAXINT64 / 24;
  full = acq_npy_header_encode (&h, NULL);
  g_assert_cmpuint (g_bytes_get_size (empty), ==, g_bytes_get_size (full));
}

/* More columns than version 1.0 has room for. */
static void
test_header_version_2 (void)
{
  guint n = 2000;
  g_autofree AcqNpyField *fields = g_new0 (AcqNpyField, n);
  g_autoptr (GStringChunk) names = g_string_chunk_new (1024);
  AcqNpyHeader h = { .fields = fields, .n_fields = n, .n_dims = 1, .shape = { 7 } };
  g_auto (AcqNpyHeader) parsed = { 0 };
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *data;
  gsize size;

  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf ("a_column_with_a_long_name_%u", i);

    fields[i].name = g_string_chunk_insert (names, name);
    fields[i].descr = "<f4";
  }
  bytes = acq_npy_header_encode (&h, NULL);
  data = g_bytes_get_data (bytes, &size);
  g_assert_cmpuint (size % 64, ==, 0);
  g_assert_cmpint (data[6], ==, 2);
  g_assert_true (acq_npy_header_parse (data, size, &parsed, NULL));
  g_assert_cmpuint (parsed.n_fields, ==, n);
  g_assert_cmpuint (parsed.data_offset, ==, size);
  g_assert_cmpuint (parsed.row_size, ==, n * 4);
  g_assert_cmpstr (parsed.fields[1999].name, ==, "a_column_with_a_long_name_1999");
}

static GBytes *
make_header (const char *text, guint8 version)
{
  GString *s = g_string_new (NULL);
  gsize n = strlen (text);

  g_string_append_len (s, "\x93NUMPY", 6);
  g_string_append_c (s, (char) version);
  g_string_append_c (s, 0);
  g_string_append_c (s, (char) (n & 0xff));
  g_string_append_c (s, (char) (n >> 8));
  if (version > 1)
    g_string_append_len (s, "\0\0", 2);
  g_string_append (s, text);
  return g_string_free_to_bytes (s);
}

static void
test_header_parse (void)
{
  static const struct {
    const char *text;
    guint8 version;
    int n_dims; /* -1: must be refused */
    guint n_fields;
    guint64 row_size;
    guint64 n_items;
  } cases[] = {
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  \n", 1, 2, 1, 4, 12 },
    { "{'shape': (3,), 'fortran_order': True, \"descr\": \"<f8\"}", 1, 1, 1, 8, 3 },
    { "{'descr': '<U5', 'fortran_order': False, 'shape': ()}\n", 3, 0, 1, 20, 1 },
    { "{'descr': [('a', '<i8'), ('b', '<f4', (21, 7)), ], 'fortran_order': False, "
      "'shape': (9,)}\n",
      2, 1, 2, 596, 9 },
    { "{'descr': [('a', '<i8'), ('', '|V4')], 'fortran_order': False, 'shape': (9,)}", 1, 1, 2, 12,
      9 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9999999999, 9999999999)}", 1, 3, 1, 4,
      0 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': false, 'shape': (3,)}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': False}", 1, -1 },
    { "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}", 1, -1 },
    { "{'descr': '|O', 'fortran_order': False, 'shape': ()}", 1, -1 },
    { "{'descr': [], 'fortran_order': False, 'shape': ()}", 1, -1 },
    { "{'descr': [('a', '<i8'), ('a', '<i8')], 'fortran_order': False, 'shape': ()}", 1, -1 },
    { "{'descr': [('a', [('b', '<i8')])], 'fortran_order': False, 'shape': ()}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (01,)}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,2,3,4,5,6,7,8,9)}", 1, -1 },
    { "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", 1, -1 },
    { "{'descr': '<f\\x34', 'fortran_order': False, 'shape': ()}", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': ()", 1, -1 },
    { "{'descr': '<f4", 1, -1 },
    { "", 1, -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4, -1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GBytes) bytes = make_header (cases[i].text, cases[i].version);
    g_auto (AcqNpyHeader) h = { 0 };
    g_autoptr (GError) error = NULL;
    gsize size;
    const guint8 *data = g_bytes_get_data (bytes, &size);

    g_test_message ("%s", cases[i].text);
    if (cases[i].n_dims < 0) {
      g_assert_false (acq_npy_header_parse (data, size, &h, &error));
      g_assert_true (error->domain == ACQ_ERROR);
      g_assert_null (h.fields);
      continue;
    }
    g_assert_true (acq_npy_header_parse (data, size, &h, &error));
    g_assert_no_error (error);
    g_assert_cmpint (h.n_dims, ==, cases[i].n_dims);
    g_assert_cmpuint (h.n_fields, ==, cases[i].n_fields);
    g_assert_cmpuint (h.row_size, ==, cases[i].row_size);
    g_assert_cmpuint (h.n_items, ==, cases[i].n_items);
    g_assert_cmpuint (h.data_offset, ==, size);

    /* Any shorter beginning is truncated, not wrong. */
    for (gsize n = 0; n < size; n++) {
      g_autoptr (GError) cut = NULL;
      g_auto (AcqNpyHeader) none = { 0 };

      g_assert_false (acq_npy_header_parse (data, n, &none, &cut));
      g_assert_error (cut, ACQ_ERROR, ACQ_ERROR_TRUNCATED);
    }
  }
}

/* Whatever is accepted must be consistent and encode to the same meaning. */
static void
test_header_mutations (void)
{
  static const char seed[] = "{'descr': [('a__t_us', '<i8'), ('a', '<f4', (21, 7)), ('b', '|S8')], "
                             "'fortran_order': False, 'shape': (123,), }      \n";
  g_autoptr (GRand) rand = g_rand_new_with_seed (20260101);
  guint n_accepted = 0;

  for (guint round = 0; round < 20000; round++) {
    g_autofree char *text = g_strdup (seed);
    g_autoptr (GBytes) bytes = NULL, again = NULL;
    g_auto (AcqNpyHeader) h = { 0 };
    g_auto (AcqNpyHeader) h2 = { 0 };
    static const char alphabet[] = "{}()[]',: <>|0123456789abfiuSUVMtrueFalse\n\xff";

    for (int k = g_rand_int_range (rand, 1, 4); k > 0; k--)
      text[g_rand_int_range (rand, 0, sizeof seed - 1)] =
          alphabet[g_rand_int_range (rand, 0, sizeof alphabet - 1)];
    bytes = make_header (text, 1);
    if (!acq_npy_header_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &h, NULL))
      continue;
    n_accepted++;
    again = acq_npy_header_encode (&h, NULL);
    g_assert_nonnull (again);
    g_assert_true (
        acq_npy_header_parse (g_bytes_get_data (again, NULL), g_bytes_get_size (again), &h2, NULL));
    g_assert_cmpuint (h2.row_size, ==, h.row_size);
    g_assert_cmpuint (h2.n_items, ==, h.n_items);
    g_assert_cmpuint (h2.n_fields, ==, h.n_fields);
  }
  g_assert_cmpuint (n_accepted, >, 100);
  g_assert_cmpuint (n_accepted, <, 19000);
}

static void
test_text (void)
{
  static const struct {
    const char *text;
    gsize length;
  } cases[] = {
    { "", 1 },
    { "a", 1 },
    { "{\"task\": \"倒水\"}", 14 },
    { "\xf0\x9f\xa7\xa4 glove", 7 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gsize length, size;
    g_autoptr (GBytes) bytes = acq_npy_text_encode (cases[i].text, &length, NULL);
    const guint8 *data = g_bytes_get_data (bytes, &size);
    g_autofree char *back = acq_npy_text_decode (data, size, NULL);

    g_assert_cmpuint (length, ==, cases[i].length);
    g_assert_cmpuint (size, ==, 4 * length);
    g_assert_cmpstr (back, ==, cases[i].text);
  }
  {
    gsize length;
    g_autoptr (GBytes) glove = acq_npy_text_encode ("\xf0\x9f\xa7\xa4", &length, NULL);

    g_assert_cmpmem (g_bytes_get_data (glove, NULL), 4, "\xe4\xf9\x01\x00", 4);
    g_assert_null (acq_npy_text_encode ("\xff", &length, NULL));
    g_assert_null (acq_npy_text_decode ((const guint8 *) "\x00\xd8\x00\x00", 4, NULL));
  }
}

/* Spool and table */

typedef struct {
  char *dir;
  char *path;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->dir = g_dir_make_tmp ("acq-npy-XXXXXX", NULL);
  f->path = g_build_filename (f->dir, "stream.npy", NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_unlink (f->path);
  g_assert_cmpint (g_rmdir (f->dir), ==, 0);
  g_free (f->dir);
  g_free (f->path);
}

/* A row of 11 bytes: nothing in it is aligned. */
static const AcqNpyField columns[] = {
  { .name = "s__t_us", .descr = "<i8" },
  { .name = "s", .descr = "|u1", .n_dims = 1, .dims = { 3 } },
};

static gboolean
put_row (AcqNpySpool *spool, gint64 i, GError **error)
{
  gint64 le = GINT64_TO_LE (i + 1);
  guint8 *row = acq_npy_spool_begin_row (spool);

  memcpy (row, &le, 8);
  row[8] = (guint8) i;
  row[9] = (guint8) (i >> 8);
  row[10] = 0xaa;
  return acq_npy_spool_commit_row (spool, error);
}

static void
assert_rows (const char *path, guint64 n, guint64 promised, guint64 cut)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqNpyTable) table = acq_npy_table_open (path, &error);
  g_autofree guint8 *rows = g_malloc (11 * n + 1);

  g_assert_no_error (error);
  g_assert_cmpuint (acq_npy_table_get_n_rows (table), ==, n);
  g_assert_cmpuint (acq_npy_table_get_n_promised (table), ==, promised);
  g_assert_cmpuint (acq_npy_table_get_cut_bytes (table), ==, cut);
  g_assert_true (acq_npy_table_read (table, 0, n, rows, &error));
  for (guint64 i = 0; i < n; i++) {
    gint64 le;

    memcpy (&le, rows + 11 * i, 8);
    g_assert_cmpint (GINT64_FROM_LE (le), ==, i + 1);
    g_assert_cmpint (rows[11 * i + 8], ==, (guint8) i);
    g_assert_cmpint (rows[11 * i + 10], ==, 0xaa);
  }
}

static void
test_spool (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqNpySpool) spool = acq_npy_spool_new (f->path, columns, 2, 110, &error);

  g_assert_no_error (error);
  assert_rows (f->path, 0, 0, 0);
  for (guint i = 0; i < 9; i++)
    g_assert_true (put_row (spool, i, &error));
  g_assert_cmpuint (acq_npy_spool_get_n_written (spool), ==, 0);
  g_assert_cmpuint (acq_npy_spool_get_n_rows (spool), ==, 9);
  assert_rows (f->path, 0, 0, 0);
  g_assert_true (put_row (spool, 9, &error));
  g_assert_cmpuint (acq_npy_spool_get_n_written (spool), ==, 10);
  assert_rows (f->path, 10, 10, 0);

  for (guint i = 10; i < 1234; i++)
    g_assert_true (put_row (spool, i, &error));
  g_assert_true (acq_npy_spool_flush (spool, &error));
  g_assert_true (acq_npy_spool_flush (spool, &error));
  assert_rows (f->path, 1234, 1234, 0);

  /* Nobody's recording is overwritten. */
  g_assert_null (acq_npy_spool_new (f->path, columns, 2, 110, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
}

static void
append_bytes (const char *path, const void *bytes, gsize n)
{
  FILE *file = fopen (path, "ab");

  g_assert_cmpuint (fwrite (bytes, 1, n, file), ==, n);
  g_assert_cmpint (fclose (file), ==, 0);
}

/* Killed between the rows and the header, and in the middle of a row. */
static void
test_table_of_a_crash (Fixture *f, gconstpointer data)
{
  AcqNpySpool *spool = acq_npy_spool_new (f->path, columns, 2, 1, NULL);
  guint8 row[11] = { 4, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0xaa }, zeros[33] = { 0 };

  for (guint i = 0; i < 3; i++)
    g_assert_true (put_row (spool, i, NULL));
  acq_npy_spool_free (spool);
  append_bytes (f->path, row, 11);
  assert_rows (f->path, 4, 3, 0);
  append_bytes (f->path, row, 10);
  assert_rows (f->path, 4, 3, 10);
  g_assert_cmpint (truncate (f->path, 128 + 4 * 11), ==, 0);
  append_bytes (f->path, zeros, sizeof zeros);
  assert_rows (f->path, 4, 3, 33);

  /* Cut below what the header promises. */
  g_assert_cmpint (truncate (f->path, 128 + 2 * 11 + 5), ==, 0);
  assert_rows (f->path, 2, 3, 5);
}

static void
test_table_is_strict (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) plain =
      make_header ("{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", 1);

  g_assert_null (acq_npy_table_open (f->path, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (f->path, "", 0, NULL));
  g_assert_null (acq_npy_table_open (f->path, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED);
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (f->path, g_bytes_get_data (plain, NULL),
                                      (gssize) g_bytes_get_size (plain), NULL));
  g_assert_null (acq_npy_table_open (f->path, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, f->path));
}

/* The limit on file size gives a short write first, then an error, as a full disk does. */
static void
test_spool_full (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqNpySpool) spool = acq_npy_spool_new (f->path, columns, 2, 55, &error);
  struct rlimit before, limit;
  guint64 n_ok = 0;

  getrlimit (RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = 128 + 11 * 12 + 4;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  while (n_ok < 100 && put_row (spool, (gint64) n_ok, &error))
    n_ok++;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);

  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  g_assert_cmpuint (n_ok, ==, 14);
  g_assert_cmpuint (acq_npy_spool_get_n_written (spool), ==, 12);
  g_assert_cmpuint (acq_npy_spool_get_n_rows (spool), ==, 12);
  assert_rows (f->path, 12, 12, 4);

  /* Failure is final: no hole in the middle of a table. */
  g_clear_error (&error);
  g_assert_false (put_row (spool, 12, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  assert_rows (f->path, 12, 12, 4);
}

#define ADD(name, func) g_test_add ("/npy/" name, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/npy/descr-size", test_descr_size);
  g_test_add_func ("/npy/layout", test_layout);
  g_test_add_func ("/npy/header/encode", test_header_encode);
  g_test_add_func ("/npy/header/can-be-patched", test_header_can_be_patched);
  g_test_add_func ("/npy/header/version-2", test_header_version_2);
  g_test_add_func ("/npy/header/parse", test_header_parse);
  g_test_add_func ("/npy/header/mutations", test_header_mutations);
  g_test_add_func ("/npy/text", test_text);
  ADD ("spool", test_spool);
  ADD ("spool-full", test_spool_full);
  ADD ("table-of-a-crash", test_table_of_a_crash);
  ADD ("table-is-strict", test_table_is_strict);
  return g_test_run ();
}
