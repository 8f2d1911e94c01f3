/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-part-file.h>

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  char *dir;
  char *path;
  char *part;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->dir = g_dir_make_tmp ("acq-part-XXXXXX", NULL);
  f->path = g_build_filename (f->dir, "take.npz", NULL);
  f->part = g_strconcat (f->path, ".part", NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_unlink (f->path);
  g_unlink (f->part);
  g_assert_cmpint (g_rmdir (f->dir), ==, 0);
  g_free (f->dir);
  g_free (f->path);
  g_free (f->part);
}

static void
put (const char *path, const char *text)
{
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
assert_content (const char *path, const char *expected)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
}

static void
test_publish (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqPartFile) file = acq_part_file_new (f->path, ACQ_PART_FILE_NEW, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (acq_part_file_get_path (file), ==, f->path);
  g_assert_cmpstr (acq_part_file_get_part_path (file), ==, f->part);
  g_assert_cmpint (write (acq_part_file_get_fd (file), "whole", 5), ==, 5);
  g_assert_false (g_file_test (f->path, G_FILE_TEST_EXISTS));

  g_assert_true (acq_part_file_publish (file, &error));
  g_assert_no_error (error);
  assert_content (f->path, "whole");
  g_assert_false (g_file_test (f->part, G_FILE_TEST_EXISTS));
}

static void
test_keep_or_discard (Fixture *f, gconstpointer data)
{
  AcqPartFile *file = acq_part_file_new (f->path, ACQ_PART_FILE_NEW, NULL);

  g_assert_cmpint (write (acq_part_file_get_fd (file), "half", 4), ==, 4);
  acq_part_file_free (file);
  assert_content (f->part, "half");

  file = acq_part_file_new (f->path, ACQ_PART_FILE_REPLACE, NULL);
  assert_content (f->part, "");
  acq_part_file_discard (file);
  g_assert_false (g_file_test (f->part, G_FILE_TEST_EXISTS));
}

static void
test_left_over_is_not_lost (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  put (f->part, "half a recording");
  g_assert_null (acq_part_file_new (f->path, ACQ_PART_FILE_NEW, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "acq-recover"));
  assert_content (f->part, "half a recording");
}

static void
test_existing_is_not_replaced (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqPartFile) file = acq_part_file_new (f->path, ACQ_PART_FILE_NEW, &error);

  /* It appears after we looked: the rename itself must refuse. */
  put (f->path, "somebody else's");
  g_assert_false (acq_part_file_publish (file, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  assert_content (f->path, "somebody else's");
  g_clear_error (&error);

  g_assert_null (acq_part_file_new (f->path, ACQ_PART_FILE_REPLACE, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
}

static void
test_second_writer (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqPartFile) file = acq_part_file_new (f->path, ACQ_PART_FILE_NEW, &error);

  g_assert_cmpint (write (acq_part_file_get_fd (file), "mine", 4), ==, 4);
  g_assert_null (acq_part_file_new (f->path, ACQ_PART_FILE_REPLACE, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  assert_content (f->part, "mine");
}

static void
test_no_directory (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (f->dir, "missing", "take.npz", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (acq_part_file_new (path, ACQ_PART_FILE_NEW, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  g_assert_nonnull (strstr (error->message, path));
}

/* Writing to it goes on without an error: only its links tell. */
static void
test_deleted (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqPartFile) file = acq_part_file_new (f->path, ACQ_PART_FILE_NEW, &error);

  g_assert_true (acq_part_file_check (file, &error));
  g_assert_cmpint (g_unlink (f->part), ==, 0);
  g_assert_cmpint (write (acq_part_file_get_fd (file), "mine", 4), ==, 4);
  g_assert_false (acq_part_file_check (file, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  g_assert_nonnull (strstr (error->message, f->part));
  g_clear_error (&error);
  g_assert_false (acq_part_file_publish (file, &error));
  g_assert_nonnull (strstr (error->message, "was deleted"));
}

#define ADD(name, func) g_test_add ("/part-file/" name, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("publish", test_publish);
  ADD ("keep-or-discard", test_keep_or_discard);
  ADD ("left-over-is-not-lost", test_left_over_is_not_lost);
  ADD ("existing-is-not-replaced", test_existing_is_not_replaced);
  ADD ("second-writer", test_second_writer);
  ADD ("no-directory", test_no_directory);
  ADD ("deleted", test_deleted);
  return g_test_run ();
}
