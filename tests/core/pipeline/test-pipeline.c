/* SPDX-License-Identifier: Apache-2.0 */
/* Right pipeline files: what they give, overrides, and what is read from disk. */
#include <string.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "fake-plugins.h"

static AcqRegistry *registry;

static double
number_of (AcqNode *node, const char *option)
{
  g_autoptr (JsonNode) options = acq_node_options_to_json (node);

  return json_object_get_double_member (json_node_get_object (options), option);
}

static const char *
text_of (AcqNode *node, const char *option)
{
  g_autoptr (JsonNode) options = acq_node_options_to_json (node);
  const char *text = json_object_get_string_member (json_node_get_object (options), option);

  return g_intern_string (text);
}

static void
test_good_file (void)
{
  g_autoptr (AcqPipeline) pipeline = fake_load (registry, FAKE_PIPELINE, NULL);
  AcqGraph *graph = acq_pipeline_get_graph (pipeline);
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (graph);
  g_autofree char *home = g_build_filename (g_get_home_dir (), "rec", NULL);
  static const char *const ids[] = { "left", "right", "grid", "disk", "two" };

  g_assert_cmpuint (nodes->len, ==, G_N_ELEMENTS (ids));
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    g_assert_cmpstr (acq_node_get_id (nodes->pdata[i]), ==, ids[i]);
  g_assert_cmpstr (acq_node_get_label (acq_graph_get_node (graph, "disk")), ==, "Disk");
  g_assert_cmpfloat (number_of (acq_graph_get_node (graph, "grid"), "rate-hz"), ==, 50);
  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "disk"), "chunk-size"), ==, "4MiB");
  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "left"), "stamp"), ==, "host");
  g_assert_cmpstr (acq_pipeline_get_recording (pipeline, "directory"), ==, home);
  g_assert_cmpstr (acq_pipeline_get_recording (pipeline, "task"), ==, "pour");
  g_assert_cmpstr (acq_pipeline_get_recording (pipeline, "take"), ==, "3");
  g_assert_null (acq_pipeline_get_recording (pipeline, "operator"));

  g_autoptr (GPtrArray) attachments = acq_graph_list_attachments (graph, 0);
  g_assert_cmpuint (attachments->len, ==, 1);
  const AcqAttachment *file = attachments->pdata[0];
  g_assert_cmpstr (file->name, ==, "pipeline.json");
  g_assert_cmpint (g_bytes_get_size (file->data), ==, strlen (acq_pipeline_get_text (pipeline)));
}

static void
test_overrides (void)
{
  static const char *const overrides[] = {
    "sources.left.serial=0012",
    "sources.right.serial=34",
    "sources.right.streams=tactile,imu/palm",
    "sources.off.enabled=true",
    "sources.off.side=left",
    "/sinks/disk/chunk-size=8MiB",
    "sinks.two.inputs.0=right",
    "sinks.three.plugin=fake-disk",
    "sinks.three.file=x",
    "sinks.three.queue.seconds=1",
    "transforms.grid.inputs=left.hand_skeleton,off.hand_skeleton",
    "recording.task=1.50",
    "recording.take=null",
    "expect.*.tactile.max-loss=0.5",
    NULL,
  };
  g_autoptr (AcqPipeline) pipeline = fake_load (registry, FAKE_PIPELINE, overrides);
  AcqGraph *graph = acq_pipeline_get_graph (pipeline);
  g_autofree char *x = g_canonicalize_filename ("x", NULL);

  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "left"), "serial"), ==, "0012");
  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "right"), "serial"), ==, "34");
  g_assert_true (acq_source_wants (ACQ_SOURCE (acq_graph_get_node (graph, "right")), "imu/palm"));
  g_assert_false (
      acq_source_wants (ACQ_SOURCE (acq_graph_get_node (graph, "right")), "hand_skeleton"));
  g_assert_nonnull (acq_graph_get_node (graph, "off"));
  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "disk"), "chunk-size"), ==, "8MiB");
  g_assert_cmpstr (text_of (acq_graph_get_node (graph, "three"), "file"), ==, x);
  g_assert_cmpstr (acq_pipeline_get_recording (pipeline, "task"), ==, "1.50");
  g_assert_null (acq_pipeline_get_recording (pipeline, "take"));

  /* The effective file is a pipeline file, and says the same again. */
  const char *text = acq_pipeline_get_text (pipeline);
  g_assert_nonnull (strstr (text, "\"*.tactile\": {\n      \"max-loss\": 0.5\n"));
  g_assert_nonnull (strstr (text, "\"inputs\": [\"right\", {\n"));
}

static void
test_bad_overrides (void)
{
  static const struct {
    const char *override;
    const char *problem;
  } cases[] = {
    { "sinks.disk.chunk-size", "wanted is path=value, for example sinks.mcap.chunk-size=4MiB" },
    { "=x", "wanted is path=value, for example sinks.mcap.chunk-size=4MiB" },
    { "sink.disk.chunk-size=1",
      "there is no section 'sink', allowed is 'recording', 'sources', 'transforms', 'sinks' or "
      "'expect'; did you mean 'sinks'?" },
    { "sinks=1", "a whole section cannot be set; name a key in it" },
    { "sinks..x=1", "a part of the path is empty" },
    { "/=x", "a part of the path is empty" },
    { "/sinks//x=1", "a part of the path is empty" },
    { "sinks.dsk.chunk-size=4MiB", "there is no 'dsk' in sinks; did you mean 'disk'?" },
    { "sinks.zzz.chunk-size=4MiB", "there is no 'zzz' in sinks; a new one begins with its plugin" },
    { "sinks.left.serial=4", "'left' is in sources, not in sinks" },
    { "sinks.disk.chunk-size=4Mib", "/sinks/disk/chunk-size: found the text '4Mib', allowed is a "
                                    "number of bytes or a size such as "
                                    "'64MiB' from 4KiB to 1GiB" },
    { "sinks.disk.chunk=4MiB",
      "/sinks/disk/chunk: fake-disk has no option 'chunk'; did you mean 'chunk-size'?" },
    { "sinks.disk.chunk-size.x=4MiB", "'chunk-size' has nothing in it that could be set" },
    { "sinks.two.inputs.7=left", "the list has no element '7'" },
    { "sinks.two.inputs.1.queue.seconds=0", "/sinks/two/inputs/1/queue/seconds: found the number "
                                            "0, allowed is a number from 0.01 to 3600 "
                                            "s" },
    { "sinks.two.inputs=lft", "/sinks/two/inputs/0: there is no node 'lft'; did you mean 'left'?" },
    { "sources.left.streams=['tactile',", "this is not JSON: column 12: the text ends inside the "
                                          "list that begins in line 1, column 1; a "
                                          "closing ']' is missing" },
    { "sources.left.side=up",
      "/sources/left/side: found the text 'up', allowed is 'left' or 'right'" },
    { "sources.new={'plugin':'fake-glove'}",
      "/sources/new: the option 'side' of fake-glove is missing; it is 'left' or 'right'" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *override = fake_unquote (cases[i].override);
    const char *const overrides[] = { override, NULL };
    g_autofree char *problems = fake_problems (registry, FAKE_PIPELINE, overrides);
    g_autofree char *wanted =
        g_strdup_printf ("--set %s: %s\n", cases[i].override, cases[i].problem);

    g_test_message ("case %" G_GSIZE_FORMAT, i);
    g_assert_cmpstr (problems, ==, wanted);
  }
}

static void
test_files (void)
{
  g_autoptr (GPtrArray) problems = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  static const char bytes[] = "{\"sources\": {}\0}";

  g_assert_null (acq_pipeline_load_file (registry, "/nowhere/p.json", NULL, &problems));
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_nonnull (strstr (problems->pdata[0], "/nowhere/p.json"));
  g_clear_pointer (&problems, g_ptr_array_unref);

  g_close (g_file_open_tmp ("acq-XXXXXX.json", &path, &error), NULL);
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, bytes, sizeof bytes - 1, &error));
  g_assert_null (acq_pipeline_load_file (registry, path, NULL, &problems));
  g_autofree char *wanted =
      g_strdup_printf ("%s:1:15: /: found the byte 0x00, which is no UTF-8 text", path);
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_cmpstr (problems->pdata[0], ==, wanted);
  g_assert_cmpint (g_remove (path), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  registry = fake_registry ();
  g_test_add_func ("/pipeline/good-file", test_good_file);
  g_test_add_func ("/pipeline/overrides", test_overrides);
  g_test_add_func ("/pipeline/bad-overrides", test_bad_overrides);
  g_test_add_func ("/pipeline/files", test_files);
  int result = g_test_run ();
  g_object_unref (registry);
  return result;
}
