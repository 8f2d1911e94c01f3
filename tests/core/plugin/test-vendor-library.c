/* SPDX-License-Identifier: Apache-2.0 */
/* Vendor libraries: one per file, one init, and refusals that say what to do. */
#include <unistd.h>

#include <gnu/libc-version.h>

#include <acq/acq-error.h>
#include <acq/acq-vendor-library.h>

#include "test-files.h"

typedef struct {
  int (*version) (void);
  int (*count) (void);
  int (*newer) (void);
} Vendor;

static const AcqVendorSymbol symbols[] = {
  { "vendor_version", G_STRUCT_OFFSET (Vendor, version), TRUE },
  { "vendor_count", G_STRUCT_OFFSET (Vendor, count), TRUE },
  { "vendor_newer", G_STRUCT_OFFSET (Vendor, newer), FALSE },
};

static const char *const nowhere[] = { "libacq-vendor-nowhere.so.7", "libacq-vendor-nowhere.so",
                                       NULL };
static char *folder;

static void
test_same_file (void)
{
  g_autofree char *path = built_file ("vendor.so");
  g_autofree char *link = g_build_filename (folder, "link.so", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (symlink (path, link), ==, 0);
  AcqVendorLibrary *self = acq_vendor_library_open (path, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (self == acq_vendor_library_open (link, NULL, NULL, &error));
  g_assert_cmpstr (acq_vendor_library_get_path (self), ==, path);

  /* The environment names it, unless an option does; names come last. */
  g_setenv ("ACQ_TEST_VENDOR", link, TRUE);
  g_assert_true (self == acq_vendor_library_open (NULL, "ACQ_TEST_VENDOR", nowhere, &error));
  g_assert_true (self == acq_vendor_library_open ("", "ACQ_TEST_VENDOR", nowhere, &error));
  g_unsetenv ("ACQ_TEST_VENDOR");

  Vendor vendor;
  g_assert_true (acq_vendor_library_bind (self, symbols, G_N_ELEMENTS (symbols), &vendor, &error));
  g_assert_cmpint (vendor.version (), ==, 12);
  g_assert_cmpint (vendor.count (), ==, 1);
  g_assert_null (vendor.newer);

  /* A copy is another library, with state of its own. */
  g_autofree char *copy = copy_built ("vendor.so", folder, "copy.so");
  AcqVendorLibrary *other = acq_vendor_library_open (copy, NULL, NULL, &error);
  g_assert_true (other != self);
  g_assert_true (acq_vendor_library_bind (other, symbols, G_N_ELEMENTS (symbols), &vendor, &error));
  g_assert_cmpint (vendor.count (), ==, 1);
}

static void
test_system_name (void)
{
  static const char *const names[] = { "libacq-vendor-nowhere.so", "libm.so.6", NULL };
  g_autoptr (GError) error = NULL;
  AcqVendorLibrary *self = acq_vendor_library_open (NULL, NULL, names, &error);

  g_assert_no_error (error);
  g_assert_true (g_path_is_absolute (acq_vendor_library_get_path (self)));
  g_assert_true (self ==
                 acq_vendor_library_open (acq_vendor_library_get_path (self), NULL, NULL, &error));
}

static void
test_missing_symbols (void)
{
  static const AcqVendorSymbol wanted[] = {
    { "vendor_version", G_STRUCT_OFFSET (Vendor, version), TRUE },
    { "vendor_open", G_STRUCT_OFFSET (Vendor, count), TRUE },
    { "vendor_close", G_STRUCT_OFFSET (Vendor, newer), TRUE },
  };
  g_autofree char *path = built_file ("vendor.so");
  g_autoptr (GError) error = NULL;
  AcqVendorLibrary *self = acq_vendor_library_open (path, NULL, NULL, &error);
  Vendor vendor = { 0 };
  g_autofree char *message =
      g_strdup_printf ("%s lacks 2 of the 3 functions that are needed: vendor_open, vendor_close; "
                       "it is another library, or a release that does not fit",
                       path);

  g_assert_false (acq_vendor_library_bind (self, wanted, G_N_ELEMENTS (wanted), &vendor, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN);
  g_assert_cmpstr (error->message, ==, message);
  g_assert_null (vendor.version);
}

static gboolean
count_init (gpointer data, GError **error)
{
  int *n = data;

  ++*n;
  return TRUE;
}

static gboolean
fail_init (gpointer data, GError **error)
{
  int *n = data;

  g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE, "no licence, attempt %d", ++*n);
  return FALSE;
}

static gpointer
init_thread (gpointer data)
{
  g_autofree char *path = built_file ("vendor.so");
  AcqVendorLibrary *self = acq_vendor_library_open (path, NULL, NULL, NULL);

  g_assert_true (acq_vendor_library_init_once (self, count_init, data, NULL));
  return NULL;
}

static void
test_init_once (void)
{
  GThread *threads[4];
  int n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("init", init_thread, &n);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (n, ==, 1);

  /* A failure is remembered too. */
  g_autofree char *copy = copy_built ("vendor.so", folder, "failing.so");
  AcqVendorLibrary *other = acq_vendor_library_open (copy, NULL, NULL, NULL);
  n = 0;
  for (int i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (acq_vendor_library_init_once (other, fail_init, &n, &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE);
    g_assert_cmpstr (error->message, ==, "no licence, attempt 1");
  }
}

static void
test_sha256 (void)
{
  g_autofree char *path = built_file ("vendor.so");
  g_autofree char *bytes = NULL;
  gsize n;
  AcqVendorLibrary *self = acq_vendor_library_open (path, NULL, NULL, NULL);

  read_built ("vendor.so", &bytes, &n);
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guchar *) bytes, n);
  g_assert_cmpstr (acq_vendor_library_get_sha256 (self), ==, sum);
}

static void
assert_refused (const char *path, const char *env, const char *const *names, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (acq_vendor_library_open (path, env, names, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_absent (void)
{
  assert_refused ("/nowhere/libx.so", "ACQ_TEST_VENDOR", nowhere,
                  "/nowhere/libx.so does not exist");
  g_setenv ("ACQ_TEST_VENDOR", "/nowhere/liby.so", TRUE);
  assert_refused (NULL, "ACQ_TEST_VENDOR", nowhere,
                  "environment variable ACQ_TEST_VENDOR: /nowhere/liby.so does not exist");
  g_unsetenv ("ACQ_TEST_VENDOR");
  assert_refused (NULL, "ACQ_TEST_VENDOR", nowhere,
                  "the library libacq-vendor-nowhere.so.7 or libacq-vendor-nowhere.so is not "
                  "installed where the system looks for libraries: name its file in the option, or "
                  "in the environment variable ACQ_TEST_VENDOR, or add its folder to "
                  "LD_LIBRARY_PATH");
}

static void
test_dependency (void)
{
  g_autofree char *bytes = NULL;
  gsize n;

  /* A real library that asks for another one, whose name is changed to one that is nowhere. */
  read_built ("vendor-child.so", &bytes, &n);
  for (char *at = bytes;
       (at = memmem (at, n - (gsize) (at - bytes), "acq-test-vendor.so", 18)) != NULL;)
    memcpy (at, "acq-test-nobody.so", 18);
  g_autofree char *path = write_file (folder, "child.so", bytes, n);
  g_autofree char *message =
      g_strdup_printf ("%s needs acq-test-nobody.so, which is not found: install it, or add its "
                       "folder to LD_LIBRARY_PATH",
                       path);

  assert_refused (path, NULL, NULL, message);
}

static guint32
version_hash (const char *name)
{
  guint32 h = 0;

  for (; *name != '\0'; name++) {
    h = (h << 4) + (guchar) *name;
    h = (h ^ ((h & 0xf0000000) >> 24)) & 0x0fffffff;
  }
  return h;
}

/* A library that wants a glibc of the far future: a real one, its wishes rewritten. */
static void
test_glibc (void)
{
  g_autofree char *bytes = NULL;
  gsize n;
  guint n_changed = 0;

  read_built ("vendor.so", &bytes, &n);
  for (char *at = bytes; (at = memmem (at, n - (gsize) (at - bytes), "GLIBC_2.", 8)) != NULL;) {
    guint32 before = version_hash (at);
    at[6] = '9';
    guint32 after = version_hash (at);

    for (gsize i = 0; i + 4 <= n; i += 4)
      if (memcmp (bytes + i, &before, 4) == 0) {
        memcpy (bytes + i, &after, 4);
        n_changed++;
      }
  }
  g_assert_cmpuint (n_changed, >, 0);
  g_autofree char *path = write_file (folder, "future.so", bytes, n);
  g_autoptr (GError) error = NULL;
  g_autofree char *begin = g_strdup_printf ("%s needs glibc 9.", path);
  g_autofree char *has = g_strdup_printf ("this system has %s", gnu_get_libc_version ());

  g_assert_null (acq_vendor_library_open (path, NULL, NULL, &error));
  g_assert_true (g_str_has_prefix (error->message, begin));
  g_assert_nonnull (strstr (error->message, has));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = make_folder ();
  g_test_add_func ("/vendor-library/same-file", test_same_file);
  g_test_add_func ("/vendor-library/system-name", test_system_name);
  g_test_add_func ("/vendor-library/missing-symbols", test_missing_symbols);
  g_test_add_func ("/vendor-library/init-once", test_init_once);
  g_test_add_func ("/vendor-library/sha256", test_sha256);
  g_test_add_func ("/vendor-library/absent", test_absent);
  g_test_add_func ("/vendor-library/dependency", test_dependency);
  g_test_add_func ("/vendor-library/glibc", test_glibc);
  int result = g_test_run ();
  remove_folder (folder);
  g_free (folder);
  return result;
}
