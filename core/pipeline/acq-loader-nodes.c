/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of nodes: ids, plugins, options. */
#include <string.h>

#include <acq/acq-error.h>

#include "graph/acq-node-options-private.h"
#include "pipeline/acq-loader-private.h"
#include "plugin/acq-module-private.h"

const char *const acq_section_names[ACQ_N_SECTIONS] = { "sources", "transforms", "sinks" };
static const char *const kind_names[ACQ_N_SECTIONS] = { "source", "transform", "sink" };

/* Keys that are not options of a plugin. */
static const AcqOption plugin_key = { .name = "plugin",
                                      .type = ACQ_OPTION_STRING,
                                      .flags = ACQ_OPTION_REQUIRED };
static const AcqOption enabled_key = { .name = "enabled", .type = ACQ_OPTION_BOOL };
static const AcqOption label_key = { .name = "label", .type = ACQ_OPTION_STRING };

static const char *const reserved_keys[] = { "name", "id", "expect" };

GType
acq_section_type (AcqSection section)
{
  switch (section) {
  case ACQ_SECTION_SOURCES:
    return ACQ_TYPE_SOURCE;
  case ACQ_SECTION_TRANSFORMS:
    return ACQ_TYPE_TRANSFORM;
  default:
    return ACQ_TYPE_SINK;
  }
}

static AcqSection
section_of_type (GType type)
{
  AcqSection section = 0;

  while (section < ACQ_SECTION_SINKS && !g_type_is_a (type, acq_section_type (section)))
    section++;
  return section;
}

/* "Left-Glove" → "left_glove": what the id could be. */
static char *
suggest_id (const char *id)
{
  GString *good = g_string_new (NULL);

  for (const char *p = id; *p != '\0'; p++) {
    if (g_ascii_isalnum (*p))
      g_string_append_c (good, g_ascii_tolower (*p));
    else if (good->len > 0 && good->str[good->len - 1] != '_')
      g_string_append_c (good, '_');
  }
  while (good->len > 0 && good->str[good->len - 1] == '_')
    g_string_truncate (good, good->len - 1);
  return g_string_free (good, FALSE);
}

static void
check_id (AcqLoader *self, const char *id, JsonNode *json)
{
  const AcqPlannedNode *twin = acq_pipeline_find_node (self->pipeline, id);

  if (!acq_name_is_valid (id, '_')) {
    g_autofree char *good = suggest_id (id);

    if (acq_name_is_valid (good, '_'))
      acq_loader_report_key (self, json,
                             "\"%s\" is no node id: allowed are small letters, digits and single "
                             "\"_\" between them, for example \"%s\"",
                             id, good);
    else
      acq_loader_report_key (self, json,
                             "\"%s\" is no node id: allowed are small letters, digits and single "
                             "\"_\" between them, beginning with a letter",
                             id);
  } else if (strcmp (id, "acq") == 0) {
    acq_loader_report_key (self, json, "the node id \"acq\" is the engine's own; take another");
  } else if (twin != NULL) {
    acq_loader_report_key (self, json, "there is already a %s \"%s\"; ids are shared by all nodes",
                           kind_names[twin->section], id);
  }
}

static void
free_stream (gpointer data)
{
  g_free (((AcqPlannedStream *) data)->name);
}

static void
free_input (gpointer data)
{
  AcqPlannedInput *input = data;

  g_free (input->pattern);
  g_free (input->path);
}

GArray *
acq_planned_streams_new (void)
{
  GArray *streams = g_array_new (FALSE, TRUE, sizeof (AcqPlannedStream));

  g_array_set_clear_func (streams, free_stream);
  return streams;
}

AcqPlannedNode *
acq_planned_node_new (const char *id, AcqSection section, JsonNode *json)
{
  AcqPlannedNode *self = g_new0 (AcqPlannedNode, 1);

  self->id = g_strdup (id);
  self->section = section;
  self->json = json;
  self->enabled = TRUE;
  self->queue = ACQ_QUEUE_CONFIG_DEFAULT;
  self->streams = acq_planned_streams_new ();
  self->inputs = g_array_new (FALSE, TRUE, sizeof (AcqPlannedInput));
  self->edges = g_array_new (FALSE, TRUE, sizeof (AcqPlannedEdge));
  g_array_set_clear_func (self->inputs, free_input);
  return self;
}

void
acq_planned_node_free (AcqPlannedNode *self)
{
  g_clear_object (&self->node);
  g_array_unref (self->streams);
  g_array_unref (self->inputs);
  g_array_unref (self->edges);
  g_free (self->id);
  g_free (self);
}

/* What the key `plugin` names, made into a node of the right kind. */
static void
make_node (AcqLoader *self, AcqPlannedNode *node, JsonObject *object)
{
  JsonNode *json = json_object_get_member (object, "plugin");
  g_autoptr (GError) error = NULL;
  AcqOptionValue name = { 0 };

  if (json == NULL) {
    acq_loader_report_key (self, node->json, "the key \"plugin\" is missing; it says what this is");
    return;
  }
  gsize up = acq_loader_enter (self, "plugin");
  if (acq_loader_parse (self, &plugin_key, json, &name)) {
    node->plugin = acq_registry_find (self->registry, name.s, &error);
    if (node->plugin == NULL) {
      acq_loader_report (self, json, "%s", error->message);
    } else if (!g_type_is_a (node->plugin->get_type (), acq_section_type (node->section))) {
      AcqSection right = section_of_type (node->plugin->get_type ());

      acq_loader_report (self, json, "%s is a %s; write \"%s\" in the section \"%s\"", name.s,
                         kind_names[right], node->id, acq_section_names[right]);
    } else {
      node->node = acq_registry_create (self->registry, name.s, node->id, &error);
    }
    acq_option_value_clear (&plugin_key, &name);
  }
  acq_loader_leave (self, up);
}

static gboolean
is_word_of (const char *key, const char *const *words, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (strcmp (key, words[i]) == 0)
      return TRUE;
  return FALSE;
}

static void
report_unknown_key (AcqLoader *self, const AcqPlannedNode *node, const char *key, JsonNode *json)
{
  static const char *const consumer_keys[] = { "inputs", "queue" };
  static const char *const common_keys[] = { "plugin", "enabled", "label", "inputs", "queue" };
  gboolean is_source = node->section == ACQ_SECTION_SOURCES;
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  if (is_word_of (key, reserved_keys, G_N_ELEMENTS (reserved_keys))) {
    acq_loader_report_key (self, json, "the key \"%s\" is reserved", key);
    return;
  }
  if (is_source && is_word_of (key, consumer_keys, G_N_ELEMENTS (consumer_keys))) {
    acq_loader_report_key (self, json,
                           "a source has no \"%s\"; that is a key of what takes its "
                           "streams",
                           key);
    return;
  }
  if (node->node == NULL)
    return;
  g_autoptr (GPtrArray) options = acq_node_class_list_all_options (ACQ_NODE_GET_CLASS (node->node));
  for (guint i = 0; i < options->len; i++)
    g_ptr_array_add (words, (gpointer) ((const AcqOption *) options->pdata[i])->name);
  for (gsize i = 0; i < (is_source ? 3 : G_N_ELEMENTS (common_keys)); i++)
    g_ptr_array_add (words, (gpointer) common_keys[i]);
  g_autofree char *hint = acq_did_you_mean (key, (const char *const *) words->pdata, words->len);
  g_autofree char *advice =
      *hint == '\0' ? g_strdup_printf ("; \"acq-inspect %s\" lists them", node->plugin->name)
                    : g_strdup ("");
  acq_loader_report_key (self, json, "%s has no option \"%s\"%s%s", node->plugin->name, key, hint,
                         advice);
}

static void
set_option (AcqLoader *self, AcqPlannedNode *node, const AcqOption *option, JsonNode *json)
{
  g_autoptr (JsonNode) value = acq_loader_ref_value (self, option, json);
  g_autoptr (GError) error = NULL;

  if (!acq_node_apply_option (node->node, option, value, &error))
    acq_loader_report (self, json, "%s", error->message);
}

static void
read_key (AcqLoader *self, AcqPlannedNode *node, const char *key, JsonNode *json)
{
  gboolean is_consumer = node->section != ACQ_SECTION_SOURCES;
  const AcqOption *option = NULL;
  AcqOptionValue value = { 0 };

  if (strcmp (key, "plugin") == 0)
    return;
  if (strcmp (key, "enabled") == 0) {
    if (acq_loader_parse (self, &enabled_key, json, &value))
      node->enabled = value.b;
  } else if (strcmp (key, "label") == 0) {
    if (acq_loader_parse (self, &label_key, json, &value) && node->node != NULL && value.s != NULL)
      acq_node_set_label (node->node, value.s);
    acq_option_value_clear (&label_key, &value);
  } else if (!is_consumer || (strcmp (key, "inputs") != 0 && strcmp (key, "queue") != 0)) {
    if (node->node != NULL)
      option = acq_node_class_find_option (ACQ_NODE_GET_CLASS (node->node), key);
    if (option != NULL)
      set_option (self, node, option, json);
    else
      report_unknown_key (self, node, key, json);
  }
}

/* Options that are not there, and those that do not go together. A node that is off may be
 * unfinished. */
static void
check_options (AcqLoader *self, AcqPlannedNode *node, JsonObject *object, gboolean clean)
{
  g_autoptr (GPtrArray) missing = acq_node_list_missing_options (node->node);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < missing->len; i++) {
    const AcqOption *option = missing->pdata[i];
    g_autofree char *range = acq_option_range_to_string (option);

    if (!json_object_has_member (object, option->name))
      acq_loader_report_key (self, node->json, "the option \"%s\" of %s is missing; it is %s",
                             option->name, node->plugin->name, range);
  }
  if (clean && missing->len == 0 && !acq_node_check (node->node, &error))
    acq_loader_report_key (self, node->json, "%s", error->message);
}

static void
list_source_streams (AcqPlannedNode *node)
{
  for (const AcqStreamTemplate *t = node->plugin->streams; t != NULL && t->name != NULL; t++) {
    AcqPlannedStream stream = { g_strdup (t->name), t->schema,
                                acq_source_wants (ACQ_SOURCE (node->node), t->name) };

    g_array_append_val (node->streams, stream);
  }
}

/* The queue first: it is what the inputs have if they do not say otherwise. */
static void
read_consumer_keys (AcqLoader *self, AcqPlannedNode *node, JsonObject *object)
{
  JsonNode *queue = json_object_get_member (object, "queue");
  JsonNode *inputs = json_object_get_member (object, "inputs");

  if (queue != NULL) {
    gsize up = acq_loader_enter (self, "queue");

    acq_loader_read_queue (self, queue, &node->queue);
    acq_loader_leave (self, up);
  }
  if (inputs != NULL) {
    gsize up = acq_loader_enter (self, "inputs");

    acq_loader_read_inputs (self, node, inputs);
    acq_loader_leave (self, up);
  } else if (node->section == ACQ_SECTION_TRANSFORMS) {
    acq_loader_report_key (self, node->json,
                           "the key \"inputs\" is missing; a transform takes what it names");
  }
}

static guint
count_problems (AcqLoader *self)
{
  return self->problems != NULL ? self->problems->len : 0;
}

static void
read_node (AcqLoader *self, AcqPlannedNode *node)
{
  guint n_problems = count_problems (self);
  JsonObject *object = acq_loader_get_object (self, node->json, "a node");
  JsonObjectIter iter;
  const char *key;
  JsonNode *json;

  node->is_open = TRUE;
  if (object == NULL)
    return;
  make_node (self, node, object);
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &json)) {
    gsize up = acq_loader_enter (self, key);

    read_key (self, node, key, json);
    acq_loader_leave (self, up);
  }
  if (node->section != ACQ_SECTION_SOURCES)
    read_consumer_keys (self, node, object);
  if (node->node == NULL)
    return;
  if (node->enabled)
    check_options (self, node, object, count_problems (self) == n_problems);
  node->is_clean = count_problems (self) == n_problems;
  if (node->section == ACQ_SECTION_SOURCES) {
    node->is_open = FALSE;
    list_source_streams (node);
  }
}

void
acq_loader_read_nodes (AcqLoader *self, JsonNode *json, AcqSection section)
{
  JsonObject *object = acq_loader_get_object (self, json, "a section");
  JsonObjectIter iter;
  const char *id;
  JsonNode *member;

  if (object == NULL)
    return;
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &id, &member)) {
    gsize up = acq_loader_enter (self, id);
    AcqPlannedNode *node = acq_planned_node_new (id, section, member);

    check_id (self, id, member);
    read_node (self, node);
    g_ptr_array_add (self->pipeline->nodes, node);
    acq_loader_leave (self, up);
  }
}
