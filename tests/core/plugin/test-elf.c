/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about files that cannot be loaded. */
#include <elf.h>
#include <gnu/libc-version.h>

#include <acq/acq-error.h>

#include "plugin/acq-elf-private.h"
#include "test-files.h"

static char *folder;

static void
assert_refused (const char *path, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = g_strdup_printf ("%s %s", path, message);

  g_assert_false (acq_elf_check_file (path, acq_elf_own_target (), &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN);
  g_assert_cmpstr (error->message, ==, whole);
}

static void
test_good (void)
{
  g_autofree char *path = built_file ("vendor.so");
  g_autoptr (GError) error = NULL;

  g_assert_true (acq_elf_check_file (path, acq_elf_own_target (), &error));
  g_assert_no_error (error);
}

static void
test_texts (void)
{
  static const struct {
    const char *bytes;
    const char *message;
  } cases[] = {
    { "", "is empty" },
    { "hello", "is not a shared library (no ELF file)" },
    { "\177ELF", "is cut off after 4 bytes" },
    { "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n",
      "is a Git LFS pointer, not the library itself (12345 bytes): run \"git lfs pull\" in the "
      "repository that it came with" },
    { "version https://git-lfs.github.com/spec/v1",
      "is a Git LFS pointer, not the library itself (0 bytes): run \"git lfs pull\" in the "
      "repository that it came with" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = write_file (folder, "x", cases[i].bytes, strlen (cases[i].bytes));

    assert_refused (path, cases[i].message);
  }
}

static void
test_places (void)
{
  g_autofree char *nowhere = g_build_filename (folder, "nowhere.so", NULL);

  assert_refused (nowhere, "does not exist");
  assert_refused (folder, "is not a file");
}

/* A real library whose head is changed. */
static void
test_changed (void)
{
  g_autofree char *bytes = NULL;
  gsize n;
  AcqElfTarget own = acq_elf_own_target ();
  const char *here = own.machine == EM_X86_64 ? "x86-64" : "aarch64";
  guint8 other = own.machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
  const char *there = own.machine == EM_X86_64 ? "aarch64" : "x86-64";
  g_autofree char *foreign =
      g_strdup_printf ("was built for %s, but this is %s: use the build for %s", there, here, here);

  read_built ("vendor.so", &bytes, &n);
  char machine = bytes[18];
  bytes[18] = (char) other;
  g_autofree char *path = write_file (folder, "x", bytes, n);
  assert_refused (path, foreign);
  bytes[18] = machine;
  bytes[16] = ET_REL;
  g_free (write_file (folder, "x", bytes, n));
  assert_refused (path, "is an ELF file, but not a shared library");
  bytes[16] = ET_DYN;
  g_autofree char *cut = g_strdup_printf (
      "is cut off after %" G_GSIZE_FORMAT " bytes: copy or download it again", n - 1);
  g_free (write_file (folder, "x", bytes, n - 1));
  assert_refused (path, cut);
}

static void
test_explain (void)
{
  g_autofree char *glibc =
      g_strdup_printf ("/opt/libv.so needs glibc 2.38, this system has %s: use "
                       "an older release of it, or a newer system",
                       gnu_get_libc_version ());
  const struct {
    const char *said;
    const char *explained;
  } cases[] = {
    { "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by /opt/libv.so)",
      glibc },
    { "/lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /opt/libv.so)",
      "/opt/libv.so needs a newer libstdc++ (GLIBCXX_3.4.32): install that of a newer compiler, or "
      "use an older release of it" },
    { "/lib/libstdc++.so.6: version `CXXABI_1.3.14' not found (required by /opt/libv.so)",
      "/opt/libv.so needs a newer libstdc++ (CXXABI_1.3.14): install that of a newer compiler, or "
      "use an older release of it" },
    { "libusb-1.0.so.0: cannot open shared object file: No such file or directory",
      "/opt/libv.so needs libusb-1.0.so.0, which is not found: install it, or add its folder to "
      "LD_LIBRARY_PATH" },
    { "/opt/libv.so: undefined symbol: foo, version FOO_1",
      "/opt/libv.so uses the symbol foo, which nothing defines: it was built against other "
      "libraries "
      "than those here" },
    { "/opt/libv.so: file too short", "/opt/libv.so: file too short" },
    { "something odd", "/opt/libv.so: something odd" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *explained = acq_elf_explain ("/opt/libv.so", cases[i].said);

    g_assert_cmpstr (explained, ==, cases[i].explained);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = make_folder ();
  g_test_add_func ("/elf/good", test_good);
  g_test_add_func ("/elf/texts", test_texts);
  g_test_add_func ("/elf/places", test_places);
  g_test_add_func ("/elf/changed", test_changed);
  g_test_add_func ("/elf/explain", test_explain);
  int result = g_test_run ();
  remove_folder (folder);
  g_free (folder);
  return result;
}
