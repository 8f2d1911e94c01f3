/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of a pipeline for people and editors: the picture and the JSON Schema. */
#include <string.h>

#include <json-glib/json-glib.h>

#include "fake-plugins.h"

static AcqRegistry *registry;

static const char rig[] =
    "{'sources':{'left':{'plugin':'fake-glove','side':'left','label':'The <<left>> one'},"
    "'off':{'plugin':'fake-replay','enabled':false}},"
    "'transforms':{'grid':{'plugin':'fake-grid','inputs':['left.hand_skeleton']}},"
    "'sinks':{'disk':{'plugin':'fake-disk','inputs':['left','grid','acq.events']}}}";

static void
test_dot (void)
{
  g_autoptr (AcqPipeline) pipeline = fake_load (registry, rig, NULL);
  g_autofree char *dot = acq_pipeline_to_dot (pipeline, NULL);

  g_assert_cmpstr (dot, ==,
                   "digraph acq {\n"
                   "  rankdir=LR;\n"
                   "  node [fontname=\"sans-serif\"];\n"
                   "  edge [fontname=\"sans-serif\", fontsize=10];\n"
                   "  \"left\" [shape=ellipse, label=\"The <<left>> one\\nleft\\nfake-glove\"];\n"
                   "  \"grid\" [shape=box, label=\"grid\\nfake-grid\"];\n"
                   "  \"disk\" [shape=cylinder, label=\"disk\\nfake-disk\"];\n"
                   "  \"acq\" [shape=ellipse, label=\"acq\\nengine\"];\n"
                   "  \"left\" -> \"grid\" [label=\"hand_skeleton\"];\n"
                   "  \"left\" -> \"disk\" [label=\"hand_skeleton\\ntactile\"];\n"
                   "  \"grid\" -> \"disk\" [label=\"left_hand_skeleton\"];\n"
                   "  \"acq\" -> \"disk\" [label=\"events\"];\n"
                   "}\n");
}

static void
test_dot_with_counters (void)
{
  g_autoptr (AcqPipeline) pipeline =
      fake_load (registry,
                 "{'sources':{'left':{'plugin':'fake-glove','side':'left','streams':['tactile']}},"
                 "'sinks':{'disk':{'plugin':'fake-disk'}}}",
                 NULL);
  g_autoptr (AcqSnapshot) snapshot = acq_graph_snapshot (acq_pipeline_get_graph (pipeline));
  AcqStreamSnapshot *stream = g_new0 (AcqStreamSnapshot, 1);
  AcqLinkSnapshot link = { .sink = "disk" };

  link.counters.written = 90;
  link.counters.dropped[ACQ_DROP_OLDEST] = 7;
  link.counters.failed[ACQ_FAIL_WRITE] = 3;
  stream->path = "left.tactile";
  stream->rate_hz = 119.96;
  stream->links = g_array_new (FALSE, TRUE, sizeof (AcqLinkSnapshot));
  g_array_append_val (stream->links, link);
  g_ptr_array_add (snapshot->streams, stream);
  for (guint i = 0; i < snapshot->nodes->len; i++) {
    AcqNodeSnapshot *node = snapshot->nodes->pdata[i];

    if (strcmp (node->id, "left") == 0)
      node->problem = g_strdup ("no \"packet\"");
  }
  g_autofree char *dot = acq_pipeline_to_dot (pipeline, snapshot);
  g_assert_nonnull (strstr (dot, "  \"left\" [shape=ellipse, label=\"left\\nfake-glove\\nnew: no "
                                 "\\\"packet\\\"\", color=red];\n"));
  g_assert_nonnull (strstr (dot, "  \"left\" -> \"disk\" [label=\"tactile 120 Hz, 90 through, 10 "
                                 "dropped\", color=red];\n"));
}

/* A member by its path; numbers are places in lists. */
static JsonNode *
at (JsonNode *node, const char *path)
{
  g_auto (GStrv) keys = g_strsplit (path, "/", -1);

  for (gsize i = 0; keys[i] != NULL; i++) {
    if (JSON_NODE_HOLDS_ARRAY (node))
      node = json_array_get_element (json_node_get_array (node), (guint) atoi (keys[i]));
    else
      node = json_object_get_member (json_node_get_object (node), keys[i]);
    g_assert_nonnull (node);
  }
  return node;
}

static void
test_schema (void)
{
  static const struct {
    const char *path;
    const char *json;
  } cases[] = {
    { "additionalProperties", "false" },
    { "properties/sources/propertyNames/pattern", "\"^[a-z][a-z0-9]*(_[a-z0-9]+)*$\"" },
    { "properties/sinks/additionalProperties/properties/plugin/enum", "[\"fake-disk\"]" },
    { "properties/transforms/additionalProperties/allOf/0/then/$ref",
      "\"#/definitions/plugin-fake-grid\"" },
    { "definitions/plugin-fake-glove/required", "[\"plugin\",\"side\"]" },
    { "definitions/plugin-fake-glove/additionalProperties", "false" },
    { "definitions/plugin-fake-glove/properties/side",
      "{\"enum\":[\"left\",\"right\"],\"description\":\"Of the body (\\\"left\\\" or "
      "\\\"right\\\")\"}" },
    { "definitions/plugin-fake-glove/properties/port",
      "{\"type\":\"integer\",\"minimum\":1,\"maximum\":65535,\"description\":\"UDP port (a whole "
      "number from 1 to 65535)\",\"default\":15001}" },
    { "definitions/plugin-fake-glove/properties/stamp/enum", "[\"host\",\"auto\"]" },
    { "definitions/plugin-fake-glove/properties/streams/items/anyOf/0/enum",
      "[\"hand_skeleton\",\"tactile\",\"imu/palm\"]" },
    { "definitions/plugin-fake-grid/required", "[\"plugin\",\"inputs\"]" },
    { "definitions/plugin-fake-grid/properties/queue/$ref", "\"#/definitions/queue\"" },
    { "definitions/plugin-fake-disk/properties/chunk-size/default", "\"1MiB\"" },
    { "definitions/queue/properties/when-full/enum", "[\"drop-oldest\",\"drop-newest\",\"wait\"]" },
    { "definitions/expectation/properties/max-loss/maximum", "1" },
  };
  g_autofree char *text = acq_pipeline_schema (registry);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *json =
        json_to_string (at (json_parser_get_root (parser), cases[i].path), FALSE);

    g_assert_cmpstr (json, ==, cases[i].json);
  }
  g_assert_true (g_str_has_suffix (text, "}\n"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  registry = fake_registry ();
  g_test_add_func ("/pipeline-views/dot", test_dot);
  g_test_add_func ("/pipeline-views/dot-with-counters", test_dot_with_counters);
  g_test_add_func ("/pipeline-views/schema", test_schema);
  int result = g_test_run ();
  g_object_unref (registry);
  return result;
}
