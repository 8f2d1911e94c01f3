/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/acq-elf-private.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include <acq/acq-error.h>

#define LFS_MAGIC "version https://git-lfs.github.com/spec/"
#define HEAD_SIZE 512

AcqElfTarget
acq_elf_own_target (void)
{
  AcqElfTarget own = {
    .is_64 = sizeof (void *) == 8,
    .is_little_endian = G_BYTE_ORDER == G_LITTLE_ENDIAN,
#if defined(__x86_64__)
    .machine = EM_X86_64,
#elif defined(__aarch64__)
    .machine = EM_AARCH64,
#elif defined(__arm__)
    .machine = EM_ARM,
#elif defined(__i386__)
    .machine = EM_386,
#elif defined(__riscv)
    .machine = EM_RISCV,
#endif
  };

  return own;
}

static const char *
machine_name (AcqElfTarget target)
{
  switch (target.machine) {
  case EM_X86_64:
    return target.is_64 ? "x86-64" : "x32";
  case EM_AARCH64:
    return "aarch64";
  case EM_ARM:
    return "32-bit ARM";
  case EM_386:
    return "32-bit x86";
  case EM_RISCV:
    return target.is_64 ? "64-bit RISC-V" : "32-bit RISC-V";
  case EM_PPC64:
    return "64-bit PowerPC";
  default:
    return "another machine";
  }
}

static gboolean refuse (GError **error, const char *path, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
refuse (GError **error, const char *path, const char *format, ...)
{
  g_autofree char *why = NULL;
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN, "%s %s", path, why);
  return FALSE;
}

/* The first bytes of a regular file, and its size. */
static gboolean
read_head (const char *path, guint8 head[HEAD_SIZE], gsize *ret_n, guint64 *ret_size,
           GError **error)
{
  struct stat st;
  ssize_t n;
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return errno == ENOENT ? refuse (error, path, "does not exist")
                           : refuse (error, path, "cannot be opened: %s", g_strerror (errno));
  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode)) {
    close (fd);
    return refuse (error, path, "is not a file");
  }
  do
    n = read (fd, head, HEAD_SIZE);
  while (n < 0 && errno == EINTR);
  int saved_errno = errno;
  close (fd);
  if (n < 0)
    return refuse (error, path, "cannot be read: %s", g_strerror (saved_errno));
  *ret_n = (gsize) n;
  *ret_size = (guint64) st.st_size;
  return TRUE;
}

static gboolean
refuse_lfs_pointer (const char *path, const guint8 *head, gsize n, GError **error)
{
  g_autofree char *text = g_strndup ((const char *) head, n);
  const char *size = strstr (text, "\nsize ");
  guint64 bytes = size != NULL ? g_ascii_strtoull (size + 6, NULL, 10) : 0;

  return refuse (error, path,
                 "is a Git LFS pointer, not the library itself (%" G_GUINT64_FORMAT
                 " bytes): run \"git lfs pull\" in the repository that it came with",
                 bytes);
}

static guint64
get_number (const guint8 *at, gsize n, gboolean little_endian)
{
  guint64 value = 0;

  for (gsize i = 0; i < n; i++)
    value |= (guint64) at[little_endian ? i : n - 1 - i] << (8 * i);
  return value;
}

/* The section table stands last, as a rule: a download that broke off lacks it. */
static gboolean
check_whole (const char *path, const guint8 *head, AcqElfTarget target, guint64 size,
             GError **error)
{
  gsize word = target.is_64 ? 8 : 4;
  gsize at =
      target.is_64 ? G_STRUCT_OFFSET (Elf64_Ehdr, e_shoff) : G_STRUCT_OFFSET (Elf32_Ehdr, e_shoff);
  gsize counts = target.is_64 ? G_STRUCT_OFFSET (Elf64_Ehdr, e_shentsize)
                              : G_STRUCT_OFFSET (Elf32_Ehdr, e_shentsize);
  guint64 offset = get_number (head + at, word, target.is_little_endian);
  guint64 each = get_number (head + counts, 2, target.is_little_endian);
  guint64 count = get_number (head + counts + 2, 2, target.is_little_endian);

  if (offset <= size && each * count <= size - offset)
    return TRUE;
  return refuse (error, path,
                 "is cut off after %" G_GUINT64_FORMAT " bytes: copy or download it again", size);
}

gboolean
acq_elf_check_file (const char *path, AcqElfTarget target, GError **error)
{
  guint8 head[HEAD_SIZE];
  gsize n = 0;
  guint64 size = 0;

  if (!read_head (path, head, &n, &size, error))
    return FALSE;
  if (n == 0)
    return refuse (error, path, "is empty");
  if (n >= strlen (LFS_MAGIC) && memcmp (head, LFS_MAGIC, strlen (LFS_MAGIC)) == 0)
    return refuse_lfs_pointer (path, head, n, error);
  if (n < SELFMAG || memcmp (head, ELFMAG, SELFMAG) != 0)
    return refuse (error, path, "is not a shared library (no ELF file)");
  if (n < sizeof (Elf64_Ehdr))
    return refuse (error, path, "is cut off after %" G_GUINT64_FORMAT " bytes", size);

  AcqElfTarget found = {
    .is_64 = head[EI_CLASS] == ELFCLASS64,
    .is_little_endian = head[EI_DATA] == ELFDATA2LSB,
  };
  gsize machine_at = G_STRUCT_OFFSET (Elf64_Ehdr, e_machine);
  gsize type_at = G_STRUCT_OFFSET (Elf64_Ehdr, e_type);
  found.machine = (guint16) get_number (head + machine_at, 2, found.is_little_endian);
  if (found.is_64 != target.is_64 || found.is_little_endian != target.is_little_endian ||
      found.machine != target.machine)
    return refuse (error, path, "was built for %s, but this is %s: use the build for %s",
                   machine_name (found), machine_name (target), machine_name (target));
  if (get_number (head + type_at, 2, found.is_little_endian) != ET_DYN)
    return refuse (error, path, "is an ELF file, but not a shared library");
  return check_whole (path, head, found, size, error);
}

/* "version `GLIBC_2.38' not found (required by …)": the version, if it is of @prefix. */
static char *
find_version (const char *message, const char *prefix)
{
  const char *at = strstr (message, "version `");

  if (at == NULL || !g_str_has_prefix (at + 9, prefix) || strstr (at, "not found") == NULL)
    return NULL;
  at += 9 + strlen (prefix);
  return g_strndup (at, strcspn (at, "'"));
}

/* "libx.so.1: cannot open shared object file: …": another file that is missing. */
static char *
find_missing_file (const char *path, const char *message)
{
  const char *end = strstr (message, ": cannot open shared object file");

  if (end == NULL)
    return NULL;
  const char *start = end;
  while (start > message && start[-1] != ' ')
    start--;
  g_autofree char *missing = g_strndup (start, end - start);
  return strcmp (missing, path) != 0 ? g_steal_pointer (&missing) : NULL;
}

char *
acq_elf_explain (const char *path, const char *dl_message)
{
  static const char undefined[] = "undefined symbol: ";
  g_autofree char *glibc = find_version (dl_message, "GLIBC_");
  g_autofree char *glibcxx = find_version (dl_message, "GLIBCXX_");
  g_autofree char *cxxabi = find_version (dl_message, "CXXABI_");
  g_autofree char *missing = find_missing_file (path, dl_message);
  const char *symbol = strstr (dl_message, undefined);

  if (glibc != NULL)
    return g_strdup_printf ("%s needs glibc %s, this system has %s: use an older release of it, or "
                            "a newer system",
                            path, glibc, gnu_get_libc_version ());
  if (glibcxx != NULL || cxxabi != NULL)
    return g_strdup_printf ("%s needs a newer libstdc++ (%s%s): install that of a newer compiler, "
                            "or use an older release of it",
                            path, glibcxx != NULL ? "GLIBCXX_" : "CXXABI_",
                            glibcxx != NULL ? glibcxx : cxxabi);
  if (missing != NULL)
    return g_strdup_printf ("%s needs %s, which is not found: install it, or add its folder to "
                            "LD_LIBRARY_PATH",
                            path, missing);
  if (symbol != NULL)
    return g_strdup_printf ("%s uses the symbol %.*s, which nothing defines: it was built against "
                            "other libraries than those here",
                            path, (int) strcspn (symbol + strlen (undefined), " (,"),
                            symbol + strlen (undefined));
  /* The linker begins with the file's name, as a rule. */
  if (g_str_has_prefix (dl_message, path))
    return g_strdup (dl_message);
  return g_strdup_printf ("%s: %s", path, dl_message);
}
