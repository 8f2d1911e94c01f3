/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect.h"

#include <string.h>

#include <acq/acq-error.h>

static gboolean
apply_sets (AcqNode *node, char *const *sets, GError **error)
{
  for (; sets != NULL && *sets != NULL; sets++) {
    const char *equals = strchr (*sets, '=');
    g_autofree char *name = NULL;

    if (equals == NULL) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                   "--set is \"%s\"; allowed: an option and a value, such as timeout=5s", *sets);
      return FALSE;
    }
    name = g_strndup (*sets, equals - *sets);
    if (!acq_node_set_option_text (node, name, equals + 1, error))
      return FALSE;
  }
  return TRUE;
}

static char **
scan_plugin (AcqRegistry *registry, const AcqPlugin *plugin, char *const *sets, GError **error)
{
  g_autoptr (AcqNode) node = acq_registry_create (registry, plugin->name, "scan", error);

  if (node == NULL || !apply_sets (node, sets, error))
    return NULL;
  return plugin->scan (node, error);
}

static void
add_result (JsonObject *object, const char *name, char **devices, const GError *error)
{
  JsonObject *result = json_object_new ();

  if (devices != NULL) {
    JsonArray *array = json_array_new ();

    for (char **device = devices; *device != NULL; device++)
      json_array_add_string_element (array, *device);
    json_object_set_array_member (result, "devices", array);
  } else
    json_object_set_string_member (result, "problem", error->message);
  json_object_set_object_member (object, name, result);
}

JsonObject *
inspect_scan (AcqRegistry *registry, const char *name, char *const *sets, GError **error)
{
  g_autoptr (JsonObject) object = json_object_new ();
  GPtrArray *modules;
  const AcqPlugin *plugin = NULL;

  if (name != NULL) {
    g_auto (GStrv) devices = NULL;

    plugin = acq_registry_find (registry, name, error);
    if (plugin == NULL)
      return NULL;
    if (plugin->scan == NULL) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN, "%s cannot look for devices", name);
      return NULL;
    }
    devices = scan_plugin (registry, plugin, sets, error);
    if (devices == NULL)
      return NULL;
    add_result (object, name, devices, NULL);
    return g_steal_pointer (&object);
  }
  modules = acq_registry_list (registry);
  for (guint i = 0; i < modules->len; i++) {
    g_autoptr (GError) problem = NULL;
    g_auto (GStrv) devices = NULL;

    plugin = ((AcqModule *) modules->pdata[i])->plugin;
    if (plugin == NULL || plugin->scan == NULL)
      continue;
    devices = scan_plugin (registry, plugin, NULL, &problem);
    add_result (object, plugin->name, devices, problem);
  }
  return g_steal_pointer (&object);
}
