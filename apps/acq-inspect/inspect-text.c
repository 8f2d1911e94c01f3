/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect.h"

#include <acq/acq-json.h>
#include <acq/acq-schema.h>

static const char *
text_of (JsonObject *object, const char *name)
{
  return json_object_get_string_member_with_default (object, name, "");
}

static void
append_problems (GString *text, const char *title, JsonArray *array)
{
  if (json_array_get_length (array) == 0)
    return;
  g_string_append_printf (text, "\n%s\n", title);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonObject *module = json_array_get_object_element (array, i);

    const char *path = text_of (module, "path");
    const char *reason = text_of (module, "reason");

    /* Most reasons begin with the path. */
    if (g_str_has_prefix (reason, path))
      g_string_append_printf (text, "  %s\n", reason);
    else
      g_string_append_printf (text, "  %s: %s\n", path, reason);
  }
}

static void
append_kind (GString *text, JsonArray *plugins, const char *kind, const char *title)
{
  gboolean any = FALSE;

  for (guint i = 0; i < json_array_get_length (plugins); i++) {
    JsonObject *plugin = json_array_get_object_element (plugins, i);

    if (!g_str_equal (text_of (plugin, "kind"), kind))
      continue;
    if (!any)
      g_string_append_printf (text, "%s%s\n", text->len > 0 ? "\n" : "", title);
    any = TRUE;
    g_string_append_printf (text, "  %-16s %s\n  %-16s %s\n", text_of (plugin, "name"),
                            text_of (plugin, "summary"), "", text_of (plugin, "path"));
  }
}

char *
inspect_registry_text (JsonObject *object)
{
  GString *text = g_string_new (NULL);
  JsonArray *plugins = json_object_get_array_member (object, "plugins");
  JsonArray *directories = json_object_get_array_member (object, "directories");

  append_kind (text, plugins, "source", "Sources");
  append_kind (text, plugins, "transform", "Transforms");
  append_kind (text, plugins, "sink", "Sinks");
  if (json_array_get_length (plugins) == 0)
    g_string_append (text, "No plugin was found.\n");
  append_problems (text, "Refused", json_object_get_array_member (object, "refused"));
  append_problems (text, "Shadowed", json_object_get_array_member (object, "shadowed"));
  g_string_append (text, "\nLooked for in\n");
  for (guint i = 0; i < json_array_get_length (directories); i++)
    g_string_append_printf (text, "  %s\n", json_array_get_string_element (directories, i));
  g_string_append (text, "\n'acq-inspect PLUGIN' shows its streams and options, "
                         "'acq-inspect TYPE' a message type.\n");
  return g_string_free (text, FALSE);
}

static void
append_option (GString *text, JsonObject *option)
{
  g_autofree char *def = json_object_has_member (option, "default")
                             ? acq_json_print (json_object_get_member (option, "default"), FALSE)
                             : NULL;

  g_string_append_printf (text, "  %-22s %s", text_of (option, "name"), text_of (option, "range"));
  if (json_object_get_boolean_member (option, "required"))
    g_string_append (text, "; required");
  else if (def != NULL && !g_str_equal (def, "null"))
    g_string_append_printf (text, "; default %s", def);
  g_string_append_printf (text, "\n  %-22s %s\n", "", text_of (option, "help"));
}

/* Three groups, the last two with a title of their own. */
static void
append_options (GString *text, JsonArray *options)
{
  static const struct {
    const char *title;
    gboolean common;
    gboolean advanced;
  } groups[] = {
    { "Options", FALSE, FALSE },
    { "Options that are seldom needed", FALSE, TRUE },
    { "Keys of every node of this kind", TRUE, FALSE },
    { "Keys of every node of this kind that are seldom needed", TRUE, TRUE },
  };

  for (gsize g = 0; g < G_N_ELEMENTS (groups); g++) {
    gboolean any = FALSE;

    for (guint i = 0; i < json_array_get_length (options); i++) {
      JsonObject *option = json_array_get_object_element (options, i);

      if (json_object_get_boolean_member (option, "common") != groups[g].common ||
          json_object_get_boolean_member (option, "advanced") != groups[g].advanced)
        continue;
      if (!any)
        g_string_append_printf (text, "\n%s\n", groups[g].title);
      any = TRUE;
      append_option (text, option);
    }
  }
}

static void
append_streams (GString *text, JsonArray *streams)
{
  if (json_array_get_length (streams) == 0)
    return;
  g_string_append (text, "\nStreams\n");
  for (guint i = 0; i < json_array_get_length (streams); i++) {
    JsonObject *stream = json_array_get_object_element (streams, i);
    gboolean optional = json_object_get_boolean_member (stream, "optional");

    g_string_append_printf (
        text, "  %-22s %s%s\n  %-22s %s\n", text_of (stream, "name"), text_of (stream, "schema"),
        optional ? "; only when 'streams' names it" : "", "", text_of (stream, "help"));
  }
}

char *
inspect_plugin_text (JsonObject *object)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s (%s): %s\n", text_of (object, "name"), text_of (object, "kind"),
                          text_of (object, "summary"));
  g_string_append_printf (text, "version %s, %s\n%s\n", text_of (object, "version"),
                          text_of (object, "licence"), text_of (object, "path"));
  append_streams (text, json_object_get_array_member (object, "streams"));
  append_options (text, json_object_get_array_member (object, "options"));
  return g_string_free (text, FALSE);
}

static void
append_field (GString *text, JsonObject *field)
{
  g_string_append_printf (text, "  %-22s %s", text_of (field, "name"), text_of (field, "type"));
  if (json_object_has_member (field, "at_most"))
    g_string_append_printf (text, ", at most %d",
                            (int) json_object_get_int_member (field, "at_most"));
  if (json_object_has_member (field, "unit"))
    g_string_append_printf (text, ", %s", text_of (field, "unit"));
  if (json_object_has_member (field, "invalid"))
    g_string_append_printf (text, ", %g is invalid",
                            json_object_get_double_member (field, "invalid"));
  if (json_object_get_boolean_member (field, "constant"))
    g_string_append (text, ", constant");
  g_string_append_printf (text, "; %s\n", text_of (field, "between_samples"));
  if (json_object_has_member (field, "help"))
    g_string_append_printf (text, "  %-22s %s\n", "", text_of (field, "help"));
}

char *
inspect_type_text (JsonObject *object)
{
  GString *text = g_string_new (NULL);
  JsonArray *fields = json_object_get_array_member (object, "fields");

  g_string_append_printf (text, "%s\n%s\n\n", text_of (object, "name"), text_of (object, "help"));
  if (json_object_get_boolean_member (object, "has_header"))
    g_string_append_printf (text, "  %-22s %s\n", "header", "std_msgs/msg/Header; from the frame");
  for (guint i = 0; i < json_array_get_length (fields); i++)
    append_field (text, json_array_get_object_element (fields, i));
  g_string_append_printf (text, "\nAs it is written into files (ros2msg)\n\n%s",
                          text_of (object, "ros2msg"));
  if (!g_str_has_suffix (text->str, "\n"))
    g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

char *
inspect_types_text (GPtrArray *types)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < types->len; i++) {
    const AcqSchema *schema = types->pdata[i];
    g_auto (GStrv) lines = g_strsplit (schema->doc != NULL ? schema->doc : "", "\n", 2);

    g_string_append_printf (text, "%-40s %s\n", schema->name, lines[0] != NULL ? lines[0] : "");
  }
  return g_string_free (text, FALSE);
}

char *
inspect_scan_text (JsonObject *object)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GList) names = json_object_get_members (object);

  for (GList *l = names; l != NULL; l = l->next) {
    JsonObject *result = json_object_get_object_member (object, l->data);
    JsonArray *devices = json_object_has_member (result, "devices")
                             ? json_object_get_array_member (result, "devices")
                             : NULL;

    g_string_append_printf (text, "%s\n", (const char *) l->data);
    for (guint i = 0; devices != NULL && i < json_array_get_length (devices); i++)
      g_string_append_printf (text, "  %s\n", json_array_get_string_element (devices, i));
    if (devices == NULL)
      g_string_append_printf (text, "  %s\n", text_of (result, "problem"));
    else if (json_array_get_length (devices) == 0)
      g_string_append (text, "  no device answers\n");
  }
  if (names == NULL)
    g_string_append (text, "No plugin that was found can look for devices.\n");
  return g_string_free (text, FALSE);
}
