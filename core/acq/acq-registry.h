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
 * acq_registry_create:
 * @self: a registry
 * @plugin: the name of a plugin
 * @id: of the node
 *
 * Returns: (transfer full): a node
 */
ACQ_API AcqNode *acq_registry_create (AcqRegistry *self, const char *plugin, const char *id,
                                      GError **error);

/** acq_install_path: a place of the installed or build tree, found from the executable or library
 * @what: `plugins`, `schemas`, `sim` */
ACQ_API char *acq_install_path (const char *what);
