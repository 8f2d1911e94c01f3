/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-npy.h>

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
  AcqNpyField type = { .descr = "<f4" };
  AcqNpyHeader array = { .fields = &type, .n_fields = 1, .n_dims = 1 };
  g_autoptr (GBytes) plain = acq_npy_header_encode (&array, NULL);

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

#define ADD(name, func) g_test_add ("/npy-spool/" name, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("rows", test_spool);
  ADD ("full", test_spool_full);
  ADD ("table-of-a-crash", test_table_of_a_crash);
  ADD ("table-is-strict", test_table_is_strict);
  return g_test_run ();
}
