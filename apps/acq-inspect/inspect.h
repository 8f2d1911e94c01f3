/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <json-glib/json-glib.h>

#include <acq/acq-registry.h>

/*
 * What acq-inspect shows. Everything is made as JSON first; the text is made
 * from the same JSON, so that both always say the same.
 */

/** inspect_registry: Returns: (transfer full): `plugins`, `refused`, `shadowed`, `directories` */
JsonObject *inspect_registry (AcqRegistry *registry);

/** inspect_plugin: Returns: (transfer full): one plugin with streams and options */
JsonObject *inspect_plugin (const AcqPlugin *plugin, const char *path);

/** inspect_type: Returns: (transfer full): one message type with its fields */
JsonObject *inspect_type (const AcqSchema *schema);

/** inspect_list_types: Returns: (transfer container): types that ship, and those of plugins */
GPtrArray *inspect_list_types (AcqRegistry *registry);

/** inspect_find_type: by `package/msg/Type`, `package/Type` or `Type` */
const AcqSchema *inspect_find_type (AcqRegistry *registry, const char *name);

/**
 * inspect_scan:
 * @registry: where the plugins come from
 * @name: (nullable): one plugin, %NULL is all that can
 * @sets: (nullable): `option=value` for that plugin
 * @error: only when @name is given: why it cannot be scanned
 *
 * Returns: (transfer full): `plugin name`: { `devices`: […] } or { `problem`: … }
 */
JsonObject *inspect_scan (AcqRegistry *registry, const char *name, char *const *sets,
                          GError **error);

/* The same as text for people. All return (transfer full). */
char *inspect_registry_text (JsonObject *object);
char *inspect_plugin_text (JsonObject *object);
char *inspect_type_text (JsonObject *object);
char *inspect_types_text (GPtrArray *types);
char *inspect_scan_text (JsonObject *object);
