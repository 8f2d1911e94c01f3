/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect.h"

#include <string.h>

#include <acq/acq-schema.h>
#include <acq/acq-sink.h>
#include <acq/acq-source.h>
#include <acq/acq-transform.h>

/* Keys that the pipeline loader reads itself; every node of a kind has them. */
typedef struct {
  const char *name;
  const char *type;
  const char *def;
  const char *range;
  const char *help;
  gboolean consumers_only;
} CommonKey;

static const CommonKey common_keys[] = {
  { "enabled", "bool", "true", "true or false",
    "false leaves the node out, as if it were not written", FALSE },
  { "label", "string", "null", "a text", "A name for people", FALSE },
  { "inputs", "list", "null", "node, node.stream, globs of both, !… to leave out",
    "What it takes; a sink without it takes everything", TRUE },
  { "queue", "object", "null", "seconds, memory, when-full",
    "How its queues behave: see docs/write-a-pipeline.md", TRUE },
};

static const char *
kind_of (GType type)
{
  if (g_type_is_a (type, ACQ_TYPE_SOURCE))
    return "source";
  return g_type_is_a (type, ACQ_TYPE_SINK) ? "sink" : "transform";
}

static void
set_text (JsonObject *object, const char *name, const char *text)
{
  if (text != NULL)
    json_object_set_string_member (object, name, text);
}

/* Options */

static JsonObject *
option_object (const AcqOption *option, gboolean common)
{
  JsonObject *object = json_object_new ();
  gboolean required = (option->flags & ACQ_OPTION_REQUIRED) != 0;
  g_autofree char *def = acq_option_default_to_string (option);
  g_autofree char *range = acq_option_range_to_string (option);
  JsonNode *value = required ? NULL : json_from_string (def, NULL);

  json_object_set_string_member (object, "name", option->name);
  json_object_set_string_member (object, "type", acq_option_type_to_string (option->type));
  json_object_set_boolean_member (object, "required", required);
  if (value != NULL)
    json_object_set_member (object, "default", value);
  json_object_set_string_member (object, "range", range);
  if (option->words != NULL) {
    JsonArray *words = json_array_new ();

    for (const char *const *word = option->words; *word != NULL; word++)
      json_array_add_string_element (words, *word);
    json_object_set_array_member (object, "words", words);
  }
  set_text (object, "unit", option->unit);
  set_text (object, "help", option->help);
  json_object_set_boolean_member (object, "advanced", (option->flags & ACQ_OPTION_ADVANCED) != 0);
  json_object_set_boolean_member (object, "common", common);
  return object;
}

static void
add_class_options (JsonArray *array, gpointer klass, gboolean common, gboolean advanced)
{
  guint n;
  const AcqOption *options = acq_node_class_list_options (klass, &n);

  for (guint i = 0; i < n; i++) {
    if (((options[i].flags & ACQ_OPTION_ADVANCED) != 0) == advanced)
      json_array_add_object_element (array, option_object (&options[i], common));
  }
}

static void
add_common_keys (JsonArray *array, gboolean consumer)
{
  for (gsize i = 0; i < G_N_ELEMENTS (common_keys); i++) {
    const CommonKey *key = &common_keys[i];
    JsonObject *object;

    if (key->consumers_only && !consumer)
      continue;
    object = json_object_new ();
    json_object_set_string_member (object, "name", key->name);
    json_object_set_string_member (object, "type", key->type);
    json_object_set_boolean_member (object, "required", FALSE);
    json_object_set_member (object, "default", json_from_string (key->def, NULL));
    json_object_set_string_member (object, "range", key->range);
    json_object_set_string_member (object, "help", key->help);
    json_object_set_boolean_member (object, "advanced", FALSE);
    json_object_set_boolean_member (object, "common", TRUE);
    json_array_add_object_element (array, object);
  }
}

/* Its own first, then what it shares with its kind; advanced ones last of each. */
static JsonArray *
options_array (GType type)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (type);
  JsonArray *array = json_array_new ();

  for (int common = 0; common <= 1; common++) {
    if (common)
      add_common_keys (array, !g_type_is_a (type, ACQ_TYPE_SOURCE));
    for (int advanced = 0; advanced <= 1; advanced++) {
      for (gpointer k = klass; k != NULL && G_TYPE_CHECK_CLASS_TYPE (k, ACQ_TYPE_NODE);
           k = g_type_class_peek_parent (k)) {
        GType own = G_TYPE_FROM_CLASS (k);
        gboolean base = own == ACQ_TYPE_SOURCE || own == ACQ_TYPE_TRANSFORM ||
                        own == ACQ_TYPE_SINK || own == ACQ_TYPE_NODE;

        if (base == common)
          add_class_options (array, k, common, advanced);
      }
    }
  }
  return array;
}

/* Plugins */

static JsonArray *
streams_array (const AcqPlugin *plugin)
{
  JsonArray *array = json_array_new ();

  for (const AcqStreamTemplate *t = plugin->streams; t != NULL && t->name != NULL; t++) {
    JsonObject *object = json_object_new ();

    json_object_set_string_member (object, "name", t->name);
    json_object_set_string_member (object, "schema", t->schema->name);
    json_object_set_boolean_member (object, "optional", t->optional);
    set_text (object, "help", t->help);
    json_array_add_object_element (array, object);
  }
  return array;
}

JsonObject *
inspect_plugin (const AcqPlugin *plugin, const char *path)
{
  JsonObject *object = json_object_new ();
  GType type = plugin->get_type ();

  json_object_set_string_member (object, "name", plugin->name);
  json_object_set_string_member (object, "kind", kind_of (type));
  set_text (object, "summary", plugin->summary);
  set_text (object, "version", plugin->version);
  set_text (object, "licence", plugin->licence);
  set_text (object, "path", path);
  json_object_set_boolean_member (object, "can_scan", plugin->scan != NULL);
  json_object_set_array_member (object, "streams", streams_array (plugin));
  json_object_set_array_member (object, "options", options_array (type));
  return object;
}

static JsonObject *
problem_object (const AcqModule *module)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "name", module->name);
  json_object_set_string_member (object, "path", module->path);
  set_text (object, "reason", module->problem);
  return object;
}

JsonObject *
inspect_registry (AcqRegistry *registry)
{
  JsonObject *object = json_object_new ();
  GPtrArray *modules = acq_registry_list (registry);
  JsonArray *plugins = json_array_new ();
  JsonArray *refused = json_array_new ();
  JsonArray *shadowed = json_array_new ();
  JsonArray *directories = json_array_new ();

  for (guint i = 0; i < modules->len; i++) {
    const AcqModule *module = modules->pdata[i];

    if (module->shadowed)
      json_array_add_object_element (shadowed, problem_object (module));
    else if (module->plugin == NULL)
      json_array_add_object_element (refused, problem_object (module));
    else
      json_array_add_object_element (plugins, inspect_plugin (module->plugin, module->path));
  }
  for (const char *const *dir = acq_registry_list_directories (registry); *dir != NULL; dir++)
    json_array_add_string_element (directories, *dir);
  json_object_set_array_member (object, "plugins", plugins);
  json_object_set_array_member (object, "refused", refused);
  json_object_set_array_member (object, "shadowed", shadowed);
  json_object_set_array_member (object, "directories", directories);
  return object;
}

/* Types */

static int
compare_types (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const AcqSchema *const *) a)->name, (*(const AcqSchema *const *) b)->name);
}

static void
add_type (GPtrArray *types, const AcqSchema *schema)
{
  for (guint i = 0; i < types->len; i++) {
    if (strcmp (((const AcqSchema *) types->pdata[i])->name, schema->name) == 0)
      return;
  }
  g_ptr_array_add (types, (gpointer) schema);
}

GPtrArray *
inspect_list_types (AcqRegistry *registry)
{
  GPtrArray *types = g_ptr_array_new ();
  GPtrArray *modules = acq_registry_list (registry);
  guint n;
  const AcqSchema *const *own = acq_schema_list (&n);

  for (guint i = 0; i < n; i++)
    add_type (types, own[i]);
  for (guint i = 0; i < modules->len; i++) {
    const AcqPlugin *plugin = ((AcqModule *) modules->pdata[i])->plugin;

    for (const AcqStreamTemplate *t = plugin != NULL ? plugin->streams : NULL;
         t != NULL && t->name != NULL; t++)
      add_type (types, t->schema);
  }
  g_ptr_array_sort (types, compare_types);
  return types;
}

const AcqSchema *
inspect_find_type (AcqRegistry *registry, const char *name)
{
  g_autoptr (GPtrArray) types = inspect_list_types (registry);

  for (guint i = 0; i < types->len; i++) {
    const AcqSchema *schema = types->pdata[i];
    const char *short_name = strrchr (schema->name, '/') + 1;
    g_autofree char *package = g_strndup (schema->name, strchr (schema->name, '/') - schema->name);
    g_autofree char *ros1_name = g_strconcat (package, "/", short_name, NULL);

    if (g_str_equal (name, schema->name) || g_str_equal (name, short_name) ||
        g_str_equal (name, ros1_name))
      return schema;
  }
  return NULL;
}

static char *
field_type (const AcqField *field)
{
  const char *name = field->type != NULL ? field->type->name : acq_kind_name (field->kind);

  if (field->arity == ACQ_ARITY_ONE)
    return g_strdup (name);
  if (field->arity == ACQ_ARITY_FIXED)
    return g_strdup_printf ("%s[%u]", name, field->max);
  return g_strconcat (name, "[]", NULL);
}

static JsonObject *
field_object (const AcqField *field)
{
  static const char *const interps[] = { "hold", "linear", "slerp" };
  JsonObject *object = json_object_new ();
  g_autofree char *type = field_type (field);

  json_object_set_string_member (object, "name", field->name);
  json_object_set_string_member (object, "type", type);
  if (field->arity == ACQ_ARITY_SEQUENCE && (field->flags & ACQ_FIELD_TAIL) == 0)
    json_object_set_int_member (object, "at_most", field->max);
  set_text (object, "unit", field->unit);
  json_object_set_string_member (object, "between_samples", interps[field->interp]);
  if ((field->flags & ACQ_FIELD_HAS_INVALID) != 0)
    json_object_set_double_member (object, "invalid", field->invalid);
  json_object_set_boolean_member (object, "constant", (field->flags & ACQ_FIELD_CONSTANT) != 0);
  json_object_set_boolean_member (object, "tail", (field->flags & ACQ_FIELD_TAIL) != 0);
  set_text (object, "help", field->doc);
  return object;
}

JsonObject *
inspect_type (const AcqSchema *schema)
{
  JsonObject *object = json_object_new ();
  JsonArray *fields = json_array_new ();

  json_object_set_string_member (object, "name", schema->name);
  set_text (object, "help", schema->doc);
  json_object_set_int_member (object, "size", schema->size);
  json_object_set_boolean_member (object, "has_header", schema->has_header);
  for (guint i = 0; i < schema->n_fields; i++)
    json_array_add_object_element (fields, field_object (&schema->fields[i]));
  json_object_set_array_member (object, "fields", fields);
  json_object_set_string_member (object, "ros2msg", schema->text);
  return object;
}
