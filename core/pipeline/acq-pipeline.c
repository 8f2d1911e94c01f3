/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline file becomes a graph: the parts of the loader in their order. */
#include <acq/acq-pipeline.h>

#include <string.h>

#include <acq/acq-error.h>

#include "pipeline/acq-loader-private.h"
#include "pipeline/acq-pattern-private.h"
#include "pipeline/acq-verdict-private.h"

G_DEFINE_FINAL_TYPE (AcqPipeline, acq_pipeline, G_TYPE_OBJECT)

static const char *const section_keys[] = { "$schema",    "recording", "sources",
                                            "transforms", "sinks",     "expect" };

AcqPlannedNode *
acq_pipeline_find_node (AcqPipeline *self, const char *id)
{
  for (guint i = 0; i < self->nodes->len; i++) {
    AcqPlannedNode *node = self->nodes->pdata[i];

    if (strcmp (node->id, id) == 0)
      return node;
  }
  return NULL;
}

/* The engine's own streams, which can be named like those of a source. */
static void
add_engine_node (AcqPipeline *self)
{
  static const struct {
    const char *name;
    const AcqSchema *schema;
  } streams[] = { { "events", &acq_event_schema },
                  { "clock", &acq_clock_state_schema },
                  { "ledger", &acq_ledger_row_schema } };
  AcqPlannedNode *node = acq_planned_node_new ("acq", ACQ_SECTION_SOURCES, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (streams); i++) {
    AcqPlannedStream stream = { g_strdup (streams[i].name), streams[i].schema, TRUE };

    g_array_append_val (node->streams, stream);
  }
  g_ptr_array_add (self->nodes, node);
}

static void
check_sections (AcqLoader *self, JsonObject *root)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *json;

  json_object_iter_init_ordered (&iter, root);
  while (json_object_iter_next_ordered (&iter, &key, &json)) {
    gboolean known = FALSE;
    gsize up = acq_loader_enter (self, key);

    for (gsize i = 0; i < G_N_ELEMENTS (section_keys); i++)
      known |= strcmp (key, section_keys[i]) == 0;
    if (!known) {
      g_autofree char *hint = acq_did_you_mean (key, section_keys, G_N_ELEMENTS (section_keys));
      g_autofree char *allowed =
          acq_words_to_text (section_keys + 1, G_N_ELEMENTS (section_keys) - 1);

      acq_loader_report_key (self, json, "there is no section \"%s\", allowed is %s%s", key,
                             allowed, hint);
    }
    acq_loader_leave (self, up);
  }
}

/* A run measures something and keeps it. */
static void
check_enough (AcqLoader *self)
{
  static const struct {
    AcqSection section;
    const char *message;
  } wanted[] = { { ACQ_SECTION_SOURCES, "no source is enabled; there is nothing to record" },
                 { ACQ_SECTION_SINKS, "no sink is enabled; nothing would be kept" } };

  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++) {
    const char *name = acq_section_names[wanted[i].section];
    JsonNode *json = json_object_get_member (json_node_get_object (self->root), name);
    gboolean found = json != NULL && !JSON_NODE_HOLDS_OBJECT (json);

    for (guint n = 0; n < self->pipeline->nodes->len; n++) {
      const AcqPlannedNode *node = self->pipeline->nodes->pdata[n];

      found |= node->section == wanted[i].section && node->enabled && node->json != NULL;
    }
    if (found)
      continue;
    gsize up = json != NULL ? acq_loader_enter (self, name) : self->path->len;
    acq_loader_report_key (self, json != NULL ? json : self->root, "%s", wanted[i].message);
    acq_loader_leave (self, up);
  }
}

static void
read_root (AcqLoader *self)
{
  JsonObject *root = acq_loader_get_object (self, self->root, "a pipeline file");
  JsonNode *json;
  gsize up;

  if (root == NULL)
    return;
  check_sections (self, root);
  if ((json = json_object_get_member (root, "recording")) != NULL) {
    up = acq_loader_enter (self, "recording");
    acq_loader_read_recording (self, json);
    acq_loader_leave (self, up);
  }
  for (AcqSection section = 0; section < ACQ_N_SECTIONS; section++) {
    if ((json = json_object_get_member (root, acq_section_names[section])) == NULL)
      continue;
    up = acq_loader_enter (self, acq_section_names[section]);
    acq_loader_read_nodes (self, json, section);
    acq_loader_leave (self, up);
  }
  check_enough (self);
  add_engine_node (self->pipeline);
  acq_loader_resolve (self);
  if ((json = json_object_get_member (root, "expect")) != NULL) {
    up = acq_loader_enter (self, "expect");
    acq_loader_read_expect (self, json);
    acq_loader_leave (self, up);
  }
}

static void
connect_inputs (AcqPipeline *self, const AcqPlannedNode *node)
{
  const GArray *inputs = node->inputs;
  gboolean all =
      !node->has_inputs || (inputs->len > 0 && g_array_index (inputs, AcqPlannedInput, 0).exclude);

  if (all)
    acq_graph_connect (self->graph, node->node, "*", &node->queue, NULL);
  for (guint i = 0; i < inputs->len; i++) {
    const AcqPlannedInput *input = &g_array_index (inputs, AcqPlannedInput, i);
    g_autofree char *pattern = g_strconcat (input->exclude ? "!" : "", input->pattern, NULL);

    acq_graph_connect (self->graph, node->node, pattern, &input->queue, NULL);
  }
}

/* Everything was checked: nothing here can fail. */
static void
build_graph (AcqPipeline *self)
{
  GHashTableIter iter;
  gpointer key, value;

  self->graph = acq_graph_new (NULL);
  for (guint i = 0; i < self->nodes->len; i++) {
    AcqPlannedNode *node = self->nodes->pdata[i];

    node->json = NULL;
    for (guint j = 0; j < node->inputs->len; j++)
      g_array_index (node->inputs, AcqPlannedInput, j).json = NULL;
    if (!node->enabled || node->node == NULL)
      continue;
    acq_graph_add (self->graph, node->node, NULL);
    if (node->section == ACQ_SECTION_SOURCES)
      acq_graph_set_required (self->graph, node->id, acq_pipeline_is_required (self, node));
    else
      connect_inputs (self, node);
  }
  g_hash_table_iter_init (&iter, self->recording);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (strcmp (key, "directory") != 0)
      acq_graph_set_fact (self->graph, key, value);
  g_autoptr (GBytes) bytes = g_bytes_new (self->text, strlen (self->text));
  acq_graph_attach (self->graph, "pipeline.json", "application/json", bytes);
}

static AcqPipeline *
load (AcqRegistry *registry, const char *name, const char *text, gsize length,
      const char *const *overrides, GPtrArray **ret_problems)
{
  g_autoptr (AcqPipeline) pipeline = g_object_new (ACQ_TYPE_PIPELINE, NULL);
  g_autoptr (AcqJsonc) doc = acq_jsonc_parse (text, length);
  AcqLoader loader = { .name = name, .registry = registry, .pipeline = pipeline, .doc = doc };

  loader.path = g_string_new (NULL);
  loader.overridden = g_hash_table_new (NULL, NULL);
  loader.whole = g_hash_table_new (NULL, NULL);
  loader.kept = g_ptr_array_new_with_free_func ((GDestroyNotify) json_node_unref);
  loader.root = acq_jsonc_get_root (doc);
  if (loader.root != NULL) {
    for (gsize i = 0;
         JSON_NODE_HOLDS_OBJECT (loader.root) && overrides != NULL && overrides[i] != NULL; i++)
      acq_loader_apply_override (&loader, overrides[i]);
    read_root (&loader);
    pipeline->text = acq_json_print (loader.root, TRUE);
  }
  g_autoptr (GPtrArray) problems = acq_loader_format_problems (&loader);
  if (problems->len == 0)
    build_graph (pipeline);
  g_string_free (loader.path, TRUE);
  g_hash_table_unref (loader.overridden);
  g_hash_table_unref (loader.whole);
  g_ptr_array_unref (loader.kept);

  gboolean ok = problems->len == 0;
  if (ret_problems != NULL)
    *ret_problems = g_steal_pointer (&problems);
  return ok ? g_steal_pointer (&pipeline) : NULL;
}

AcqPipeline *
acq_pipeline_load (AcqRegistry *registry, const char *name, const char *text,
                   const char *const *overrides, GPtrArray **ret_problems)
{
  return load (registry, name, text, strlen (text), overrides, ret_problems);
}

AcqPipeline *
acq_pipeline_load_file (AcqRegistry *registry, const char *path, const char *const *overrides,
                        GPtrArray **ret_problems)
{
  g_autofree char *text = NULL;
  gsize length;
  g_autoptr (GError) error = NULL;

  if (g_file_get_contents (path, &text, &length, &error))
    return load (registry, path, text, length, overrides, ret_problems);
  if (ret_problems != NULL) {
    *ret_problems = g_ptr_array_new_with_free_func (g_free);
    g_ptr_array_add (*ret_problems, g_strdup (error->message));
  }
  return NULL;
}

AcqGraph *
acq_pipeline_get_graph (AcqPipeline *self)
{
  return self->graph;
}

const char *
acq_pipeline_get_recording (AcqPipeline *self, const char *key)
{
  return g_hash_table_lookup (self->recording, key);
}

const char *
acq_pipeline_get_text (AcqPipeline *self)
{
  return self->text;
}

static void
clear_expect (gpointer data)
{
  g_free (((AcqExpect *) data)->pattern);
}

static void
acq_pipeline_finalize (GObject *object)
{
  AcqPipeline *self = ACQ_PIPELINE (object);

  g_clear_object (&self->graph);
  g_ptr_array_unref (self->nodes);
  g_array_unref (self->expects);
  g_hash_table_unref (self->recording);
  g_hash_table_unref (self->windows);
  g_free (self->text);
  G_OBJECT_CLASS (acq_pipeline_parent_class)->finalize (object);
}

static void
acq_pipeline_class_init (AcqPipelineClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acq_pipeline_finalize;
}

static void
acq_pipeline_init (AcqPipeline *self)
{
  self->nodes = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_planned_node_free);
  self->expects = g_array_new (FALSE, TRUE, sizeof (AcqExpect));
  g_array_set_clear_func (self->expects, clear_expect);
  self->recording = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->windows =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) acq_window_free);
}
