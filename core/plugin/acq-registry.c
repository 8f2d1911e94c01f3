/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-registry.h>

#include <string.h>

#include <acq/acq-error.h>

#include "graph/acq-node-private.h"
#include "plugin/acq-module-private.h"
#include "plugin/acq-option-private.h"

struct _AcqRegistry {
  GObject parent_instance;
  GPtrArray *directories; /* of text, NULL at the end: absolute, each once, in search order */
  GPtrArray *modules;     /* of AcqModule */
};

G_DEFINE_FINAL_TYPE (AcqRegistry, acq_registry, G_TYPE_OBJECT)

static void
add_directory (AcqRegistry *self, const char *path)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);

  for (guint i = 0; i + 1 < self->directories->len; i++)
    if (strcmp (self->directories->pdata[i], absolute) == 0)
      return;
  g_ptr_array_insert (self->directories, (gint) self->directories->len - 1,
                      g_steal_pointer (&absolute));
}

static void
add_search_path (AcqRegistry *self, const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path != NULL ? path : "", G_SEARCHPATH_SEPARATOR_S, -1);

  for (gsize i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      add_directory (self, parts[i]);
}

static int
compare_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names in a folder, sorted: what is found must not depend on the disk. */
static char **
list_sorted (const char *folder)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_text);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/* An install tree holds modules; a build tree holds a folder for each vendor. */
static void
add_own_directories (AcqRegistry *self)
{
  g_autofree char *root = acq_install_path ("plugins");
  g_auto (GStrv) names = list_sorted (root);

  add_directory (self, root);
  for (gsize i = 0; names[i] != NULL; i++) {
    g_autofree char *folder = g_build_filename (root, names[i], NULL);

    if (acq_name_is_valid (names[i], '-') && g_file_test (folder, G_FILE_TEST_IS_DIR))
      add_directory (self, folder);
  }
}

AcqRegistry *
acq_registry_new (const char *extra_path)
{
  AcqRegistry *self = g_object_new (ACQ_TYPE_REGISTRY, NULL);

  add_search_path (self, extra_path);
  add_search_path (self, g_getenv ("ACQ_PLUGIN_PATH"));
  add_own_directories (self);
  return self;
}

static AcqModule *
find_module (AcqRegistry *self, const char *name)
{
  for (guint i = 0; i < self->modules->len; i++) {
    AcqModule *module = self->modules->pdata[i];

    if (!module->shadowed && strcmp (module->name, name) == 0)
      return module;
  }
  return NULL;
}

static gboolean
knows_path (AcqRegistry *self, const char *path)
{
  for (guint i = 0; i < self->modules->len; i++)
    if (strcmp (((AcqModule *) self->modules->pdata[i])->path, path) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_module_name (const char *file)
{
  g_autofree char *name = NULL;

  if (!g_str_has_suffix (file, ".so"))
    return FALSE;
  name = g_strndup (file, strlen (file) - strlen (".so"));
  return acq_name_is_valid (name, '-');
}

/* Every module of a directory that is not known yet, loaded or shadowed. */
static void
scan_directory (AcqRegistry *self, const char *directory)
{
  g_auto (GStrv) files = list_sorted (directory);

  for (gsize i = 0; files[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (directory, files[i], NULL);

    if (!is_module_name (files[i]) || !g_file_test (path, G_FILE_TEST_IS_REGULAR) ||
        knows_path (self, path))
      continue;
    AcqModule *module = acq_module_new (path);
    const AcqModule *earlier = find_module (self, module->name);

    if (earlier != NULL) {
      module->shadowed = TRUE;
      module->problem = g_strdup_printf ("shadowed by %s", earlier->path);
    }
    g_ptr_array_add (self->modules, module);
  }
}

static int
compare_modules (gconstpointer a, gconstpointer b)
{
  const AcqModule *const *x = a, *const *y = b;
  int order = strcmp ((*x)->name, (*y)->name);

  return order != 0 ? order : (*x)->shadowed - (*y)->shadowed;
}

GPtrArray *
acq_registry_list (AcqRegistry *self)
{
  for (guint i = 0; i + 1 < self->directories->len; i++)
    scan_directory (self, self->directories->pdata[i]);
  for (guint i = 0; i < self->modules->len; i++)
    acq_module_load (self->modules->pdata[i]);
  g_ptr_array_sort (self->modules, compare_modules);
  return self->modules;
}

const char *const *
acq_registry_list_directories (AcqRegistry *self)
{
  return (const char *const *) self->directories->pdata;
}

gboolean
acq_registry_add (AcqRegistry *self, const AcqPlugin *plugin, GError **error)
{
  g_autofree char *problem = acq_plugin_find_problem (plugin, plugin->name);
  const AcqModule *earlier = problem == NULL ? find_module (self, plugin->name) : NULL;

  if (earlier != NULL)
    problem = g_strdup_printf ("there is already %s", earlier->path);
  if (problem != NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN, "plugin \"%s\" is refused: %s",
                 plugin->name != NULL ? plugin->name : "", problem);
    return FALSE;
  }
  AcqModule *module = g_new0 (AcqModule, 1);
  module->name = g_strdup (plugin->name);
  module->path = g_strdup ("built in");
  module->plugin = plugin;
  g_ptr_array_add (self->modules, module);
  return TRUE;
}

/* The names that could have been meant: of files, which are not opened for this. */
static GPtrArray *
list_names (AcqRegistry *self)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < self->modules->len; i++)
    g_ptr_array_add (names, g_strdup (((AcqModule *) self->modules->pdata[i])->name));
  for (guint i = 0; i + 1 < self->directories->len; i++) {
    g_auto (GStrv) files = list_sorted (self->directories->pdata[i]);

    for (gsize j = 0; files[j] != NULL; j++)
      if (is_module_name (files[j]))
        g_ptr_array_add (names, g_strndup (files[j], strlen (files[j]) - strlen (".so")));
  }
  g_ptr_array_sort (names, compare_text);
  for (guint i = names->len; i-- > 1;)
    if (strcmp (names->pdata[i], names->pdata[i - 1]) == 0)
      g_ptr_array_remove_index (names, i);
  return names;
}

static void
set_unknown (AcqRegistry *self, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = list_names (self);
  const char *const *words = (const char *const *) names->pdata;
  g_autofree char *hint = acq_did_you_mean (name, words, names->len);
  g_autofree char *known = acq_words_to_text (words, names->len);

  if (names->len == 0) {
    g_autofree char *places = g_strjoinv (", ", (char **) self->directories->pdata);

    g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN,
                 "there is no plugin \"%s\"; no plugin at all was found in %s", name,
                 *places != '\0' ? places : "no folder");
  } else {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN, "there is no plugin \"%s\"%s%s%s", name, hint,
                 *hint == '\0' ? "; there is " : " There is ", known);
  }
}

const AcqPlugin *
acq_registry_find (AcqRegistry *self, const char *name, GError **error)
{
  AcqModule *module = find_module (self, name);

  for (guint i = 0;
       module == NULL && acq_name_is_valid (name, '-') && i + 1 < self->directories->len; i++) {
    g_autofree char *file = g_strconcat (name, ".so", NULL);
    g_autofree char *path = g_build_filename (self->directories->pdata[i], file, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
      module = acq_module_new (path);
      g_ptr_array_add (self->modules, module);
    }
  }
  if (module == NULL) {
    set_unknown (self, name, error);
    return NULL;
  }
  acq_module_load (module);
  if (module->plugin == NULL)
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN, "plugin \"%s\" is refused: %s", name,
                 module->problem);
  return module->plugin;
}

AcqNode *
acq_registry_create (AcqRegistry *self, const char *plugin, const char *id, GError **error)
{
  const AcqPlugin *found = acq_registry_find (self, plugin, error);

  if (found == NULL)
    return NULL;
  AcqNode *node = g_object_new (found->get_type (), NULL);
  acq_node_set_identity (node, id, found);
  return node;
}

static void
acq_registry_finalize (GObject *object)
{
  AcqRegistry *self = ACQ_REGISTRY (object);

  g_ptr_array_unref (self->directories);
  g_ptr_array_unref (self->modules);
  G_OBJECT_CLASS (acq_registry_parent_class)->finalize (object);
}

static void
acq_registry_class_init (AcqRegistryClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acq_registry_finalize;
}

static void
acq_registry_init (AcqRegistry *self)
{
  self->directories = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->directories, NULL);
  self->modules = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_module_free);
}
