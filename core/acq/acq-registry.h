/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-plugin.h>

/**
 * AcqRegistry:
 *
 * Finds plugins by name. Directories in order: those given, `ACQ_PLUGIN_PATH`,
 * the build tree, the install directory. A broken or foreign module is refused
 * by name and reason; a name already seen is shadowed by the earlier directory.
 * Neither is fatal for the others. Thread: main.
 */
#define ACQ_TYPE_REGISTRY (acq_registry_get_type ())
ACQ_API GType acq_registry_get_type (void);
G_DECLARE_FINAL_TYPE (AcqRegistry, acq_registry, ACQ, REGISTRY, GObject)

/**
 * AcqModule:
 * @name: from the file name
 * @path: absolute
 * @plugin: (nullable): once loaded
 * @problem: (nullable): why it is refused, or that it is shadowed and by what
 * @shadowed: an earlier directory has the name
 */
typedef struct {
  char *name;
  char *path;
  const AcqPlugin *plugin;
  char *problem;
  gboolean shadowed;
} AcqModule;

/**
 * acq_registry_new:
 * @extra_path: (nullable): directories separated by colons, searched first
 */
ACQ_API AcqRegistry *acq_registry_new (const char *extra_path);

/** acq_registry_list: loads all. Returns: (transfer none) (element-type AcqModule): sorted by name
 */
ACQ_API GPtrArray *acq_registry_list (AcqRegistry *self);

/** acq_registry_list_directories: Returns: (transfer none): in search order */
ACQ_API const char *const *acq_registry_list_directories (AcqRegistry *self);

/** acq_registry_find: loads that one only. The error names the nearest right word */
ACQ_API const AcqPlugin *acq_registry_find (AcqRegistry *self, const char *name, GError **error);

/**
 * acq_registry_add:
 * @self: a registry
 * @plugin: static descriptor of a plugin that is not in a module: tests, programs of one's own
 *
 * Returns: %FALSE when the descriptor is wrong, or the name is taken
 */
ACQ_API gboolean acq_registry_add (AcqRegistry *self, const AcqPlugin *plugin, GError **error);

/**
 * acq_registry_create:
 * @self: a registry
 * @plugin: the name of a plugin
 * @id: of the node
 *
 * Returns: (transfer full): a node
 */
ACQ_API AcqNode *acq_registry_create (AcqRegistry *self, const char *plugin, const char *id,
                                      GError **error);

/**
 * acq_install_path:
 * @what: `plugins`, `schemas`, `sim`
 *
 * A place of the installed or the build tree, found from where the library is.
 *
 * Returns: (transfer full) (nullable): an absolute path, which need not exist
 */
ACQ_API char *acq_install_path (const char *what);
