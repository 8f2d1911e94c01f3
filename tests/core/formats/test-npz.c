/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-npz.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  char *dir;
  char *path;  /* of the archive */
  char *spool; /* its spool */
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->dir = g_dir_make_tmp ("acq-npz-XXXXXX", NULL);
  f->path = g_build_filename (f->dir, "take.npz", NULL);
  f->spool = g_strconcat (f->path, ".spool", NULL);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    remove_tree (child);
  }
  g_assert_cmpint (g_remove (path), ==, 0);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  remove_tree (f->dir);
  g_free (f->dir);
  g_free (f->path);
  g_free (f->spool);
}

static gboolean
exists (const char *path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* What the tables hold, in closed form: byte @b of row @i of column @c. */
static guint8
byte_of (guint c, guint64 i, gsize b)
{
  return (guint8) (c * 31 + i * 7 + (i >> 8) + b * 3 + (b >> 8));
}

static void
fill_table (AcqNpySpool *spool, AcqNpyField *columns, guint n_columns, guint64 n_rows)
{
  gsize row_size;

  g_assert_true (acq_npy_layout (columns, n_columns, &row_size, NULL));
  g_assert_cmpuint (acq_npy_spool_get_row_size (spool), ==, row_size);
  for (guint64 i = 0; i < n_rows; i++) {
    guint8 *row = acq_npy_spool_begin_row (spool);

    for (guint c = 0; c < n_columns; c++)
      for (gsize b = 0; b < columns[c].size; b++)
        row[columns[c].offset + b] = byte_of (c, i, b);
    g_assert_true (acq_npy_spool_commit_row (spool, NULL));
  }
  g_assert_true (acq_npy_spool_flush (spool, NULL));
}

static void
assert_column (AcqZipReader *zip, const AcqNpyField *column, guint c, guint64 n_rows)
{
  g_autoptr (GError) error = NULL;
  g_auto (AcqNpyHeader) header = { 0 };
  g_autoptr (GBytes) data = acq_npz_read (zip, column->name, &header, &error);
  const guint8 *p;

  g_assert_no_error (error);
  g_assert_null (header.fields[0].name);
  g_assert_cmpstr (header.fields[0].descr, ==, column->descr);
  g_assert_cmpuint (header.n_dims, ==, 1 + column->n_dims);
  g_assert_cmpuint (header.shape[0], ==, n_rows);
  for (guint i = 0; i < column->n_dims; i++)
    g_assert_cmpuint (header.shape[1 + i], ==, column->dims[i]);
  g_assert_cmpuint (g_bytes_get_size (data), ==, n_rows * column->size);
  p = g_bytes_get_data (data, NULL);
  for (guint64 i = 0; i < n_rows; i++)
    for (gsize b = 0; b < column->size; b++)
      if (*p++ != byte_of (c, i, b))
        g_error ("%s: row %" G_GUINT64_FORMAT ", byte %" G_GSIZE_FORMAT, column->name, i, b);
}

static const AcqNpyField skeleton_columns[] = {
  { .name = "glove_0__hand_skeleton__t_us", .descr = "<i8" },
  { .name = "glove_0__hand_skeleton__t_host_us", .descr = "<i8" },
  { .name = "glove_0__hand_skeleton", .descr = "<f4", .n_dims = 2, .dims = { 21, 7 } },
  { .name = "glove_0__hand_skeleton.confidence", .descr = "<f4" },
  { .name = "glove_0__hand_skeleton.valid", .descr = "|b1" },
  { .name = "glove_0__hand_skeleton.code", .descr = "<u2", .n_dims = 1, .dims = { 3 } },
  { .name = "glove_0__hand_skeleton.none", .descr = "<f8", .n_dims = 1, .dims = { 0 } },
};
#define N_SKELETON G_N_ELEMENTS (skeleton_columns)

static AcqNpzSpool *
make_spool (Fixture *f, guint64 n_rows)
{
  g_autoptr (GError) error = NULL;
  AcqNpzSpool *spool = acq_npz_spool_new (f->path, &error);
  AcqNpyField *columns = g_memdup2 (skeleton_columns, sizeof skeleton_columns);
  AcqNpyField imu[] = { { .name = "imu__t_host_us", .descr = "<i8" } };
  g_autoptr (AcqNpySpool) a = NULL, b = NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (acq_npz_spool_get_directory (spool), ==, f->spool);
  g_assert_cmpstr (acq_npz_spool_get_path (spool), ==, f->path);
  a = acq_npz_spool_add_table (spool, "glove_0__hand_skeleton", columns, N_SKELETON, 10000, &error);
  g_assert_no_error (error);
  b = acq_npz_spool_add_table (spool, "imu", imu, 1, 10000, &error);
  g_assert_no_error (error);
  fill_table (a, columns, N_SKELETON, n_rows);
  g_free (columns);
  g_assert_true (acq_npz_spool_set_text (spool, "meta", "{\"old\":1}", &error));
  g_assert_true (acq_npz_spool_set_text (
      spool, "meta", "{\"task\":\"\xe5\x80\x92\xe6\xb0\xb4\",\"streams\":{\"imu\":{\"rate\":800}}}",
      &error));
  g_assert_no_error (error);
  return spool;
}

static JsonObject *
read_meta (AcqZipReader *zip, JsonNode **ret_root)
{
  g_autofree char *text = acq_npz_read_text (zip, "meta", NULL);

  *ret_root = json_from_string (text, NULL);
  g_assert_nonnull (*ret_root);
  return json_node_get_object (*ret_root);
}

static void
check_archive (Fixture *f, guint64 n_rows)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqZipReader) zip = acq_zip_reader_open (f->path, &error);
  g_autoptr (JsonNode) root = NULL;
  AcqNpyField *columns = g_memdup2 (skeleton_columns, sizeof skeleton_columns);
  AcqNpyField imu = { .name = "imu__t_host_us", .descr = "<i8", .size = 8 };
  JsonObject *meta, *streams;
  gsize row_size;

  g_assert_no_error (error);
  g_assert_cmpuint (acq_zip_reader_get_n_entries (zip), ==, N_SKELETON + 2);
  g_assert_true (acq_npy_layout (columns, N_SKELETON, &row_size, NULL));
  for (guint c = 0; c < N_SKELETON; c++)
    assert_column (zip, &columns[c], c, n_rows);
  assert_column (zip, &imu, 0, 0);
  g_free (columns);

  meta = read_meta (zip, &root);
  g_assert_false (json_object_has_member (meta, "old"));
  g_assert_cmpstr (json_object_get_string_member (meta, "task"), ==, "\xe5\x80\x92\xe6\xb0\xb4");
  streams = json_object_get_object_member (meta, "streams");
  g_assert_cmpint (json_object_get_int_member (
                       json_object_get_object_member (streams, "glove_0__hand_skeleton"), "frames"),
                   ==, n_rows);
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (streams, "imu"), "frames"), ==, 0);
  g_assert_true (
      json_object_get_boolean_member (json_object_get_object_member (streams, "imu"), "empty"));
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (streams, "imu"), "rate"), ==, 800);
}

typedef struct {
  guint64 done;
  guint64 total;
  guint calls;
} Seen;

static void
see_progress (guint64 done, guint64 total, gpointer data)
{
  Seen *seen = data;

  g_assert_cmpuint (done, >=, seen->done);
  *seen = (Seen){ done, total, seen->calls + 1 };
}

static void
test_assemble (Fixture *f, gconstpointer data)
{
  AcqZipMethod method = (AcqZipMethod) GPOINTER_TO_INT (data);
  guint64 n_rows = 5000; /* 3 MB: several blocks and pieces, the last ones not full */
  g_autoptr (AcqNpzSpool) spool = make_spool (f, n_rows);
  g_autoptr (GError) error = NULL;
  AcqNpzReport report;
  Seen seen = { 0 };

  g_assert_true (acq_npz_spool_assemble (spool, method, ACQ_NPZ_SPOOL_NONE, NULL, see_progress,
                                         &seen, &report, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (report.tables, ==, 2);
  g_assert_cmpuint (report.arrays, ==, N_SKELETON + 2);
  g_assert_cmpuint (report.rows, ==, n_rows);
  g_assert_cmpuint (report.late_rows + report.missing_rows + report.cut_bytes, ==, 0);
  g_assert_cmpuint (report.bytes, >, 1000);
  g_assert_cmpuint (seen.total, ==, n_rows * 615);
  g_assert_cmpuint (seen.done, >=, seen.total);
  g_assert_cmpuint (seen.calls, >, 3);
  g_assert_false (exists (f->spool));
  check_archive (f, n_rows);
}

static void
test_empty (Fixture *f, gconstpointer data)
{
  g_autoptr (AcqNpzSpool) spool = make_spool (f, 0);

  g_assert_true (acq_npz_spool_assemble (spool, ACQ_ZIP_STORED, ACQ_NPZ_SPOOL_NONE, NULL, NULL,
                                         NULL, NULL, NULL));
  check_archive (f, 0);
}

/* More columns than the memory of one pass takes: 6 of 12 MB. */
static void
test_several_passes (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (f->dir, "wide.npy", NULL);
  AcqNpyField columns[6] = { { 0 } };
  static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
  guint64 n_rows = 400;
  Seen seen = { 0 };
  g_autoptr (AcqNpySpool) spool = NULL;
  g_autoptr (AcqNpyTable) table = NULL;
  g_autoptr (AcqNpzWriter) writer = NULL;
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (GError) error = NULL;
  guint64 size;

  for (guint c = 0; c < 6; c++)
    columns[c] = (AcqNpyField){ .name = names[c], .descr = "<f4", .n_dims = 1, .dims = { 7500 } };
  spool = acq_npy_spool_new (path, columns, 6, 1, &error);
  g_assert_no_error (error);
  fill_table (spool, columns, 6, n_rows);
  table = acq_npy_table_open (path, &error);

  writer = acq_npz_writer_new (f->path, ACQ_ZIP_STORED, NULL, &error);
  acq_npz_writer_set_progress (writer, see_progress, &seen, n_rows * 180000);
  g_assert_true (acq_npz_writer_add_table (writer, table, NULL, 0, &error));
  g_assert_true (acq_npz_writer_publish (writer, &size, &error));
  g_assert_cmpuint (seen.done, ==, seen.total);
  g_assert_cmpuint (seen.calls, ==, 2 * n_rows / 2); /* two passes, blocks of two rows */
  g_assert_no_error (error);
  zip = acq_zip_reader_open (f->path, &error);
  g_assert_cmpuint (acq_zip_reader_get_n_entries (zip), ==, 6);
  for (guint c = 0; c < 6; c++)
    assert_column (zip, &columns[c], c, n_rows);
}

/* Columns need not be those of the table: another name, a part, a view. */
static void
test_chosen_columns (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (f->dir, "t.npy", NULL);
  AcqNpyField row = { .name = "x", .descr = "<f4", .n_dims = 1, .dims = { 10 } };
  AcqNpyField view = { .name = "renamed.part", .descr = "<f4", .n_dims = 2, .dims = { 2, 2 } };
  AcqNpyField beyond = { .name = "y", .descr = "<f4", .offset = 40, .size = 4 };
  g_autoptr (AcqNpySpool) spool = acq_npy_spool_new (path, &row, 1, 1, NULL);
  g_autoptr (AcqNpyTable) table = NULL;
  g_autoptr (AcqNpzWriter) writer = acq_npz_writer_new (f->path, ACQ_ZIP_DEFLATED, NULL, NULL);
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (AcqNpyHeader) header = { 0 };
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *p;

  fill_table (spool, &row, 1, 30);
  table = acq_npy_table_open (path, NULL);
  view.offset = 8;
  view.size = 16;
  g_assert_false (acq_npz_writer_add_table (writer, table, &beyond, 1, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
  g_clear_error (&error);
  g_assert_true (acq_npz_writer_add_table (writer, table, &view, 1, &error));
  g_assert_true (acq_npz_writer_publish (writer, NULL, &error));
  zip = acq_zip_reader_open (f->path, &error);
  bytes = acq_npz_read (zip, "renamed.part", &header, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (header.n_dims, ==, 3);
  p = g_bytes_get_data (bytes, NULL);
  for (guint64 i = 0; i < 30; i++)
    for (gsize b = 0; b < 16; b++)
      g_assert_cmpint (*p++, ==, byte_of (0, i, 8 + b));
}

static void
test_arrays (Fixture *f, gconstpointer data)
{
  static const double values[6] = { 1, 2, 3, 4, 5, 6 };
  static const guint64 shape[2] = { 2, 3 }, many[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqNpzWriter) writer = acq_npz_writer_new (f->path, ACQ_ZIP_STORED, NULL, &error);
  g_autoptr (AcqZipReader) zip = NULL;
  g_auto (AcqNpyHeader) header = { 0 };
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *text = NULL;

  g_assert_true (acq_npz_writer_add_array (writer, "m", "<f8", 2, shape, values, &error));
  g_assert_true (acq_npz_writer_add_array (writer, "fps", "<f8", 0, NULL, values, &error));
  g_assert_true (acq_npz_writer_add_text (writer, "mode", "capture-vfr", &error));
  g_assert_false (acq_npz_writer_add_array (writer, "o", "|O8", 0, NULL, values, &error));
  g_clear_error (&error);
  g_assert_false (acq_npz_writer_add_array (writer, "d", "<f8", 9, many, values, &error));
  g_clear_error (&error);
  g_assert_true (acq_npz_writer_publish (writer, NULL, &error));

  zip = acq_zip_reader_open (f->path, &error);
  bytes = acq_npz_read (zip, "m", &header, &error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), values, sizeof values);
  /* So that it can be mapped and used in place. */
  g_assert_cmpuint ((gsize) g_bytes_get_data (bytes, NULL) % 64, ==, 0);
  text = acq_npz_read_text (zip, "mode", &error);
  g_assert_cmpstr (text, ==, "capture-vfr");
  g_assert_null (acq_npz_read_text (zip, "m", &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
}

static void
test_cancel (Fixture *f, gconstpointer data)
{
  g_autoptr (AcqNpzSpool) spool = make_spool (f, 100);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *part = g_strconcat (f->path, ".part", NULL);

  g_cancellable_cancel (cancellable);
  g_assert_false (acq_npz_spool_assemble (spool, ACQ_ZIP_STORED, ACQ_NPZ_SPOOL_NONE, cancellable,
                                          NULL, NULL, NULL, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_CANCELLED);
  g_assert_false (exists (f->path));
  g_assert_false (exists (part));
  g_assert_true (exists (f->spool));

  /* And nothing is lost by it. */
  g_assert_true (acq_npz_spool_assemble (spool, ACQ_ZIP_STORED, ACQ_NPZ_SPOOL_NONE, NULL, NULL,
                                         NULL, NULL, NULL));
  check_archive (f, 100);
}

static void
append_to (Fixture *f, const char *name, const void *bytes, gsize n)
{
  g_autofree char *path = g_build_filename (f->spool, name, NULL);
  FILE *file = fopen (path, "ab");

  g_assert_cmpuint (fwrite (bytes, 1, n, file), ==, n);
  g_assert_cmpint (fclose (file), ==, 0);
}

/* As after kill -9: rows without a header that knows them, half a row, an unborn table. */
static void
test_recover (Fixture *f, gconstpointer data)
{
  guint64 n_rows = 300;
  AcqNpzSpool *crashed = make_spool (f, n_rows);
  AcqNpyField *columns = g_memdup2 (skeleton_columns, sizeof skeleton_columns);
  g_autoptr (AcqNpzSpool) spool = NULL;
  g_autoptr (AcqZipReader) zip = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autofree guint8 *row = NULL;
  AcqNpzReport report;
  JsonObject *recovered;
  gsize row_size;

  g_assert_null (acq_npz_spool_open (f->spool, &error)); /* its recorder lives */
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  g_clear_error (&error);
  acq_npz_spool_free (crashed);

  g_assert_true (acq_npy_layout (columns, N_SKELETON, &row_size, NULL));
  row = g_malloc (row_size);
  for (guint c = 0; c < N_SKELETON; c++)
    for (gsize b = 0; b < columns[c].size; b++)
      row[columns[c].offset + b] = byte_of (c, n_rows, b);
  append_to (f, "glove_0__hand_skeleton.npy", row, row_size);
  append_to (f, "glove_0__hand_skeleton.npy", row, row_size - 1);
  append_to (f, "unborn.npy", "", 0);
  append_to (f, "meta.json.part", "{", 1);

  spool = acq_npz_spool_open (f->spool, &error);
  g_assert_no_error (error);
  g_assert_false (acq_npz_spool_assemble (spool, ACQ_ZIP_STORED, ACQ_NPZ_SPOOL_NONE, NULL, NULL,
                                          NULL, NULL, &error));
  g_clear_error (&error);
  g_assert_true (acq_npz_spool_assemble (spool, ACQ_ZIP_STORED, ACQ_NPZ_SPOOL_RECOVER, NULL, NULL,
                                         NULL, &report, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (report.rows, ==, n_rows + 1);
  g_assert_cmpuint (report.late_rows, ==, 1);
  g_assert_cmpuint (report.cut_bytes, ==, row_size - 1);
  g_assert_cmpuint (report.unreadable, ==, 1);
  g_assert_false (report.was_complete);
  g_assert_false (exists (f->spool));
  check_archive (f, n_rows + 1);

  zip = acq_zip_reader_open (f->path, &error);
  recovered = json_object_get_object_member (read_meta (zip, &root), "recovered");
  g_assert_cmpint (json_object_get_int_member (recovered, "cut_bytes"), ==, row_size - 1);
  g_free (columns);
}

/* Killed after the archive got its name, before the spool was gone. */
static void
test_recover_complete (Fixture *f, gconstpointer data)
{
  g_autoptr (AcqNpzSpool) spool = make_spool (f, 50);
  g_autoptr (GError) error = NULL;
  AcqNpzReport report;

  g_assert_true (acq_npz_spool_assemble (spool, ACQ_ZIP_STORED, ACQ_NPZ_SPOOL_KEEP, NULL, NULL,
                                         NULL, NULL, NULL));
  g_assert_true (exists (f->spool));
  g_assert_true (acq_npz_spool_assemble (spool, ACQ_ZIP_STORED, ACQ_NPZ_SPOOL_RECOVER, NULL, NULL,
                                         NULL, &report, &error));
  g_assert_no_error (error);
  g_assert_true (report.was_complete);
  g_assert_false (exists (f->spool));
  check_archive (f, 50);
}

/* An archive of something else is not touched, and the spool stays. */
static void
test_recover_does_not_replace (Fixture *f, gconstpointer data)
{
  g_autoptr (AcqNpzSpool) spool = make_spool (f, 50);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  g_assert_true (g_file_set_contents (f->path, "mine", -1, NULL));
  g_assert_false (acq_npz_spool_assemble (spool, ACQ_ZIP_STORED, ACQ_NPZ_SPOOL_RECOVER, NULL, NULL,
                                          NULL, NULL, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  g_assert_true (exists (f->spool));
  g_assert_true (g_file_get_contents (f->path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "mine");
}

static void
test_bad_spool_names (Fixture *f, gconstpointer data)
{
  static const char *const stems[] = { "", ".hidden", "../up", "a/b" };
  g_autoptr (AcqNpzSpool) spool = acq_npz_spool_new (f->path, NULL);
  AcqNpyField column = { .name = "x", .descr = "<f4" };

  for (guint i = 0; i < G_N_ELEMENTS (stems); i++) {
    g_assert_null (acq_npz_spool_add_table (spool, stems[i], &column, 1, 1, NULL));
    g_assert_false (acq_npz_spool_set_text (spool, stems[i], "{}", NULL));
  }
  g_assert_null (acq_npz_spool_new (f->path, NULL));
  g_assert_null (acq_npz_spool_open (f->dir, NULL));
}

#define ADD(name, func, data)                                                                      \
  g_test_add ("/npz/" name, Fixture, GINT_TO_POINTER (data), set_up, func, tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("assemble/stored", test_assemble, ACQ_ZIP_STORED);
  ADD ("assemble/deflated", test_assemble, ACQ_ZIP_DEFLATED);
  ADD ("assemble/empty", test_empty, 0);
  ADD ("assemble/cancel", test_cancel, 0);
  ADD ("several-passes", test_several_passes, 0);
  ADD ("chosen-columns", test_chosen_columns, 0);
  ADD ("arrays", test_arrays, 0);
  ADD ("recover/crash", test_recover, 0);
  ADD ("recover/complete", test_recover_complete, 0);
  ADD ("recover/does-not-replace", test_recover_does_not_replace, 0);
  ADD ("spool/bad-names", test_bad_spool_names, 0);
  return g_test_run ();
}
