/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vendor libraries, loaded at run time: once per process and file, and for good,
 * since nobody knows what threads they leave behind. A file is known by device
 * and inode, so that two names of one file give one library and one init.
 */
#include <acq/acq-vendor-library.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <acq/acq-error.h>

#include "pipeline/acq-jsonc-private.h"
#include "plugin/acq-elf-private.h"

struct _AcqVendorLibrary {
  /* Fixed. */
  gpointer handle;
  char *path;
  dev_t device;
  ino_t inode;

  pthread_mutex_t lock;
  /* Under lock: */
  char *sha256;
  gboolean is_initialised;
  GError *init_error;
};

static pthread_mutex_t libraries_lock = PTHREAD_MUTEX_INITIALIZER;
static GPtrArray *libraries; /* under libraries_lock; never freed */

static AcqVendorLibrary *
find_by_file (const struct stat *st)
{
  for (guint i = 0; libraries != NULL && i < libraries->len; i++) {
    AcqVendorLibrary *self = libraries->pdata[i];

    if (self->device == st->st_dev && self->inode == st->st_ino)
      return self;
  }
  return NULL;
}

static AcqVendorLibrary *
remember (gpointer handle, const char *path, const struct stat *st)
{
  AcqVendorLibrary *self = g_new0 (AcqVendorLibrary, 1);

  self->handle = handle;
  self->path = g_canonicalize_filename (path, NULL);
  self->device = st->st_dev;
  self->inode = st->st_ino;
  pthread_mutex_init (&self->lock, NULL);
  if (libraries == NULL)
    libraries = g_ptr_array_new ();
  g_ptr_array_add (libraries, self);
  return self;
}

static gpointer
load (const char *name)
{
  /* Everything is resolved now: a missing symbol must not end a recording later. */
  return dlopen (name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* A file that somebody named: nothing else will do, so every reason is worth telling. */
static AcqVendorLibrary *
open_file (const char *path, GError **error)
{
  struct stat st;

  if (!acq_elf_check_file (path, acq_elf_own_target (), error))
    return NULL;
  if (stat (path, &st) != 0) {
    acq_set_error_errno (error, errno, "cannot look at %s", path);
    return NULL;
  }
  AcqVendorLibrary *known = find_by_file (&st);
  if (known != NULL)
    return known;
  gpointer handle = load (path);
  if (handle == NULL) {
    g_autofree char *why = acq_elf_explain (path, dlerror ());

    g_set_error_literal (error, ACQ_ERROR, ACQ_ERROR_PLUGIN, why);
    return NULL;
  }
  return remember (handle, path, &st);
}

/*
 * A name for the dynamic linker, which searches LD_LIBRARY_PATH and the system's
 * folders. @ret_why: why not, or NULL when there simply is none.
 */
static AcqVendorLibrary *
open_name (const char *name, char **ret_why)
{
  struct link_map *map = NULL;
  struct stat st;
  gpointer handle = load (name);

  if (handle == NULL) {
    const char *message = dlerror ();
    g_autofree char *absent = g_strconcat (name, ": cannot open shared object file: No such", NULL);

    *ret_why = g_str_has_prefix (message, absent) ? NULL : acq_elf_explain (name, message);
    return NULL;
  }
  *ret_why = NULL;
  if (dlinfo (handle, RTLD_DI_LINKMAP, &map) != 0 || stat (map->l_name, &st) != 0) {
    *ret_why = g_strdup_printf ("%s was loaded, but its file cannot be found", name);
    return NULL;
  }
  AcqVendorLibrary *known = find_by_file (&st);
  return known != NULL ? known : remember (handle, map->l_name, &st);
}

static AcqVendorLibrary *
open_names (const char *const *names, const char *env, GError **error)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; names != NULL && names[i] != NULL; i++) {
    char *why;
    AcqVendorLibrary *self = open_name (names[i], &why);

    if (self != NULL)
      return self;
    if (why != NULL)
      g_ptr_array_add (reasons, why);
  }
  if (reasons->len > 0) {
    g_ptr_array_add (reasons, NULL);
    g_autofree char *all = g_strjoinv ("; ", (char **) reasons->pdata);
    g_set_error_literal (error, ACQ_ERROR, ACQ_ERROR_PLUGIN, all);
    return NULL;
  }
  g_autofree char *list = g_strjoinv (" or ", names != NULL ? (char **) names : (char *[]){ NULL });
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN,
               "the library %s is not installed where the system looks for libraries: name its "
               "file in the option%s%s, or add its folder to LD_LIBRARY_PATH",
               list, env != NULL ? ", or in the environment variable " : "",
               env != NULL ? env : "");
  return NULL;
}

AcqVendorLibrary *
acq_vendor_library_open (const char *explicit_path, const char *env, const char *const *names,
                         GError **error)
{
  const char *from_env = env != NULL ? g_getenv (env) : NULL;
  AcqVendorLibrary *self;

  pthread_mutex_lock (&libraries_lock);
  if (explicit_path != NULL && *explicit_path != '\0') {
    g_autofree char *path = acq_expand_path (explicit_path);

    self = open_file (path, error);
  } else if (from_env != NULL && *from_env != '\0') {
    g_autofree char *path = acq_expand_path (from_env);

    self = open_file (path, error);
    if (self == NULL)
      g_prefix_error (error, "environment variable %s: ", env);
  } else {
    self = open_names (names, env, error);
  }
  pthread_mutex_unlock (&libraries_lock);
  return self;
}

gboolean
acq_vendor_library_bind (AcqVendorLibrary *self, const AcqVendorSymbol *symbols, gsize n,
                         gpointer table, GError **error)
{
  g_autofree gpointer *found = g_new (gpointer, n + 1);
  g_autoptr (GString) missing = g_string_new (NULL);
  guint n_missing = 0;

  for (gsize i = 0; i < n; i++) {
    found[i] = dlsym (self->handle, symbols[i].name);
    if (found[i] != NULL || !symbols[i].required)
      continue;
    g_string_append_printf (missing, "%s%s", n_missing++ > 0 ? ", " : "", symbols[i].name);
  }
  if (n_missing > 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN,
                 "%s lacks %u of the %u functions that are needed: %s; it is another library, or a "
                 "release that does not fit",
                 self->path, n_missing, (guint) n, missing->str);
    return FALSE;
  }
  for (gsize i = 0; i < n; i++)
    memcpy ((guint8 *) table + symbols[i].offset, &found[i], sizeof found[i]);
  return TRUE;
}

gboolean
acq_vendor_library_init_once (AcqVendorLibrary *self, gboolean (*init) (gpointer data, GError **),
                              gpointer data, GError **error)
{
  gboolean ok;

  pthread_mutex_lock (&self->lock);
  if (!self->is_initialised) {
    self->is_initialised = TRUE;
    if (!init (data, &self->init_error) && self->init_error == NULL)
      self->init_error =
          g_error_new (ACQ_ERROR, ACQ_ERROR_FAILED, "%s could not be initialised", self->path);
  }
  ok = self->init_error == NULL;
  if (!ok && error != NULL)
    *error = g_error_copy (self->init_error);
  pthread_mutex_unlock (&self->lock);
  return ok;
}

const char *
acq_vendor_library_get_path (AcqVendorLibrary *self)
{
  return self->path;
}

static char *
hash_file (const char *path)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *block = g_malloc (1 << 16);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t n = -1;

  while (fd >= 0 && ((n = read (fd, block, 1 << 16)) > 0 || (n < 0 && errno == EINTR)))
    if (n > 0)
      g_checksum_update (sum, block, n);
  if (fd >= 0)
    close (fd);
  return g_strdup (n == 0 ? g_checksum_get_string (sum) : "");
}

const char *
acq_vendor_library_get_sha256 (AcqVendorLibrary *self)
{
  pthread_mutex_lock (&self->lock);
  if (self->sha256 == NULL)
    self->sha256 = hash_file (self->path);
  pthread_mutex_unlock (&self->lock);
  return self->sha256;
}
