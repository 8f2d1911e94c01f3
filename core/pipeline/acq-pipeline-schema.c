/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON Schema (draft 7, which editors know) of pipeline files, from the option tables. */
#include <string.h>

#include "graph/acq-node-options-private.h"
#include "pipeline/acq-jsonc-private.h"
#include "pipeline/acq-pipeline-private.h"
#include "plugin/acq-option-private.h"

#define ID_PATTERN "^[a-z][a-z0-9]*(_[a-z0-9]+)*$"
#define INPUT_PATTERN "^!?[^. ]+([.][^. ]+)?$"
#define BYTES_PATTERN "^[0-9]+([.][0-9]+)? ?([KMGT]iB|[kKMGT]?B)?$"
#define DURATION_PATTERN "^[0-9]+([.][0-9]+)? ?(ns|us|µs|ms|s|min|h|d)?$"

/* A small language: objects of text and of each other. All take over what they are given. */

static JsonObject *
typed (const char *type)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "type", type);
  return object;
}

static JsonObject *
with_text (JsonObject *object, const char *key, const char *text)
{
  json_object_set_string_member (object, key, text);
  return object;
}

static JsonObject *
with_object (JsonObject *object, const char *key, JsonObject *value)
{
  json_object_set_object_member (object, key, value);
  return object;
}

static JsonObject *
ref_to (const char *definition)
{
  g_autofree char *path = g_strconcat ("#/definitions/", definition, NULL);

  return with_text (json_object_new (), "$ref", path);
}

static JsonArray *
words_array (const char *const *words)
{
  JsonArray *array = json_array_new ();

  for (gsize i = 0; words[i] != NULL; i++)
    json_array_add_string_element (array, words[i]);
  return array;
}

static JsonObject *
any_of (JsonObject *a, JsonObject *b)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();

  json_array_add_object_element (array, a);
  json_array_add_object_element (array, b);
  json_object_set_array_member (object, "anyOf", array);
  return object;
}

/* Limits as the numbers of the schema; bytes and durations have them on the number only. */
static JsonObject *
with_limits (JsonObject *object, const AcqOption *option)
{
  gboolean limited = option->min != 0 || option->max != 0;
  gboolean is_whole = option->type == ACQ_OPTION_INT || option->type == ACQ_OPTION_BYTES;
  const struct {
    const char *key;
    double value;
    gboolean given;
  } limits[] = {
    { "minimum", option->min, limited },
    { "maximum", option->max, limited && option->max >= option->min && option->max < 0x1p53 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    if (limits[i].given && is_whole)
      json_object_set_int_member (object, limits[i].key, (gint64) limits[i].value);
    else if (limits[i].given)
      json_object_set_double_member (object, limits[i].key, limits[i].value);
  return object;
}

static JsonObject *
stream_items (const AcqPlugin *plugin)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  JsonObject *known = json_object_new ();

  for (const AcqStreamTemplate *t = plugin->streams; t != NULL && t->name != NULL; t++)
    g_ptr_array_add (names, (gpointer) t->name);
  g_ptr_array_add (names, NULL);
  json_object_set_array_member (known, "enum", words_array ((const char *const *) names->pdata));
  return any_of (known, with_text (typed ("string"), "pattern", "[*?]"));
}

static JsonObject *
option_type_schema (const AcqOption *option, const AcqPlugin *plugin)
{
  JsonObject *object;

  switch (option->type) {
  case ACQ_OPTION_BOOL:
    return typed ("boolean");
  case ACQ_OPTION_INT:
    return with_limits (typed ("integer"), option);
  case ACQ_OPTION_DOUBLE:
    return with_limits (typed ("number"), option);
  case ACQ_OPTION_ENUM:
    object = json_object_new ();
    json_object_set_array_member (object, "enum", words_array (option->words));
    return object;
  case ACQ_OPTION_STRING:
    return typed ("string");
  case ACQ_OPTION_STRV:
    return with_object (typed ("array"), "items",
                        (option->flags & ACQ_OPTION_STREAMS) != 0 && plugin != NULL
                            ? stream_items (plugin)
                            : typed ("string"));
  case ACQ_OPTION_BYTES:
    return any_of (with_limits (typed ("integer"), option),
                   with_text (typed ("string"), "pattern", BYTES_PATTERN));
  case ACQ_OPTION_DURATION:
    return any_of (with_limits (typed ("number"), option),
                   with_text (typed ("string"), "pattern", DURATION_PATTERN));
  }
  g_return_val_if_reached (NULL);
}

static JsonObject *
option_schema (const AcqOption *option, const AcqPlugin *plugin)
{
  JsonObject *object = option_type_schema (option, plugin);
  g_autofree char *range = acq_option_range_to_string (option);
  g_autofree char *help =
      g_strdup_printf ("%s (%s)", option->help != NULL ? option->help : "", range);
  AcqOptionValue value;

  json_object_set_string_member (object, "description", help);
  if ((option->flags & ACQ_OPTION_REQUIRED) == 0) {
    acq_option_get_default (option, &value);
    JsonNode *def = acq_option_value_to_json (option, &value);

    acq_option_value_clear (option, &value);
    if (JSON_NODE_HOLDS_NULL (def))
      json_node_unref (def);
    else
      json_object_set_member (object, "default", def);
  }
  return object;
}

static JsonObject *
described (JsonObject *object, const char *text)
{
  return with_text (object, "description", text);
}

/* Nothing but what is named. */
static JsonObject *
closed_object (JsonObject *properties)
{
  JsonObject *object = with_object (typed ("object"), "properties", properties);

  json_object_set_boolean_member (object, "additionalProperties", FALSE);
  return object;
}

static JsonObject *
table_schema (const AcqOption *options, guint n)
{
  JsonObject *properties = json_object_new ();

  for (guint i = 0; i < n; i++) {
    JsonObject *option = option_schema (&options[i], NULL);

    /* What is not given depends on the consumer, or is not checked at all. */
    json_object_remove_member (option, "default");
    with_object (properties, options[i].name, option);
  }
  return closed_object (properties);
}

static JsonObject *
plugin_schema (const AcqPlugin *plugin, AcqSection section)
{
  JsonObject *properties = json_object_new ();
  JsonArray *required = json_array_new ();
  g_autoptr (GTypeClass) klass = g_type_class_ref (plugin->get_type ());
  g_autoptr (GPtrArray) options = acq_node_class_list_all_options (ACQ_NODE_CLASS (klass));

  json_array_add_string_element (required, "plugin");
  with_object (properties, "plugin",
               with_text (described (json_object_new (), plugin->summary), "const", plugin->name));
  with_object (properties, "enabled",
               described (typed ("boolean"), "false leaves the node out (default true)"));
  with_object (properties, "label", described (typed ("string"), "A name for people"));
  if (section != ACQ_SECTION_SOURCES) {
    with_object (properties, "inputs", ref_to ("inputs"));
    with_object (properties, "queue", ref_to ("queue"));
  }
  if (section == ACQ_SECTION_TRANSFORMS)
    json_array_add_string_element (required, "inputs");
  for (guint i = 0; i < options->len; i++) {
    const AcqOption *option = options->pdata[i];

    with_object (properties, option->name, option_schema (option, plugin));
    if ((option->flags & ACQ_OPTION_REQUIRED) != 0)
      json_array_add_string_element (required, option->name);
  }
  JsonObject *object = described (closed_object (properties), plugin->summary);
  json_object_set_array_member (object, "required", required);
  return object;
}

/* A node of a section: one of its plugins, and then what that plugin has. */
static JsonObject *
section_schema (GPtrArray *modules, AcqSection section, JsonObject *definitions)
{
  JsonObject *node = typed ("object");
  JsonArray *plugins = json_array_new ();
  JsonArray *branches = json_array_new ();
  JsonArray *required = json_array_new ();
  JsonObject *word = json_object_new ();

  for (guint i = 0; i < modules->len; i++) {
    const AcqPlugin *plugin = ((AcqModule *) modules->pdata[i])->plugin;

    if (plugin == NULL || !g_type_is_a (plugin->get_type (), acq_section_type (section)))
      continue;
    g_autofree char *name = g_strconcat ("plugin-", plugin->name, NULL);
    JsonObject *is_it =
        with_object (json_object_new (), "properties",
                     with_object (json_object_new (), "plugin",
                                  with_text (json_object_new (), "const", plugin->name)));
    JsonObject *branch = with_object (json_object_new (), "if", is_it);

    with_object (branch, "then", ref_to (name));
    json_array_add_object_element (branches, branch);
    json_array_add_string_element (plugins, plugin->name);
    with_object (definitions, name, plugin_schema (plugin, section));
  }
  json_object_set_array_member (word, "enum", plugins);
  with_object (node, "properties", with_object (json_object_new (), "plugin", word));
  json_array_add_string_element (required, "plugin");
  json_object_set_array_member (node, "required", required);
  if (json_array_get_length (branches) > 0)
    json_object_set_array_member (node, "allOf", branches);
  else
    json_array_unref (branches);

  JsonObject *object = with_object (typed ("object"), "additionalProperties", node);
  return with_object (object, "propertyNames",
                      with_text (json_object_new (), "pattern", ID_PATTERN));
}

static JsonObject *
inputs_schema (void)
{
  JsonObject *text = with_text (typed ("string"), "pattern", INPUT_PATTERN);
  JsonObject *properties = json_object_new ();
  JsonArray *required = json_array_new ();

  with_object (properties, "from", with_text (typed ("string"), "pattern", INPUT_PATTERN));
  with_object (properties, "queue", ref_to ("queue"));
  json_array_add_string_element (required, "from");
  JsonObject *object = closed_object (properties);
  json_object_set_array_member (object, "required", required);
  JsonObject *list = with_object (typed ("array"), "items", any_of (text, object));
  return described (list, "What it takes: \"node\", \"node.stream\", globs of both, and \"!\" in "
                          "front to leave out; later entries win");
}

static JsonObject *
recording_schema (void)
{
  static const char *const facts[][2] = {
    { "directory", "Takes are made below it; ~ is your home" },
    { "task", "What is done; last part of the folder's name" },
    { "instruction", "In a sentence" },
    { "operator", "Who does it" },
  };
  JsonObject *properties = json_object_new ();
  JsonObject *any = json_object_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    with_object (properties, facts[i][0], described (typed ("string"), facts[i][1]));
  json_object_set_array_member (
      any, "type", words_array ((const char *const[]){ "string", "number", "boolean", NULL }));
  JsonObject *object = with_object (typed ("object"), "properties", properties);
  with_object (object, "additionalProperties", any);
  return described (object, "Where to, and what is worth keeping with it");
}

char *
acq_pipeline_schema (AcqRegistry *registry)
{
  static const char *const help[ACQ_N_SECTIONS] = { "What measures, by node id",
                                                    "What makes streams out of streams, by node id",
                                                    "What keeps or shows, by node id" };
  GPtrArray *modules = acq_registry_list (registry);
  JsonObject *root = json_object_new ();
  JsonObject *definitions = json_object_new ();
  JsonObject *properties = json_object_new ();

  with_text (root, "$schema", "http://json-schema.org/draft-07/schema#");
  with_text (root, "title", "acq pipeline file");
  with_text (root, "type", "object");
  with_object (properties, "$schema", typed ("string"));
  with_object (properties, "recording", recording_schema ());
  for (AcqSection section = 0; section < ACQ_N_SECTIONS; section++)
    with_object (properties, acq_section_names[section],
                 described (section_schema (modules, section, definitions), help[section]));
  with_object (
      properties, "expect",
      described (with_object (typed ("object"), "additionalProperties", ref_to ("expectation")),
                 "What must hold, by a pattern of streams"));
  with_object (definitions, "inputs", inputs_schema ());
  with_object (definitions, "queue",
               table_schema (acq_queue_options, G_N_ELEMENTS (acq_queue_options)));
  with_object (definitions, "expectation", table_schema (acq_expect_options, ACQ_EXPECT_N));
  with_object (root, "properties", properties);
  json_object_set_boolean_member (root, "additionalProperties", FALSE);
  with_object (root, "definitions", definitions);

  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  json_node_take_object (node, root);
  return acq_json_print (node, TRUE);
}
