/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-npy.h>

#include <string.h>

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
  return g_test_run ();
}
