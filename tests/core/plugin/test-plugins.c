/* SPDX-License-Identifier: Apache-2.0 */
/* The plugins of this tree: none is refused, and their tables are fit to be read. */
#include <string.h>

#include <json-glib/json-glib.h>

#include <acq/acq.h>

static AcqRegistry *registry;

static void
test_none_refused (void)
{
  GPtrArray *modules = acq_registry_list (registry);

  for (guint i = 0; i < modules->len; i++) {
    const AcqModule *module = modules->pdata[i];

    g_test_message ("%s", module->name);
    g_assert_cmpstr (module->problem, ==, NULL);
    g_assert_nonnull (module->plugin);
    g_assert_cmpstr (module->plugin->summary, !=, "");
    if (g_type_is_a (module->plugin->get_type (), ACQ_TYPE_SOURCE))
      g_assert_nonnull (module->plugin->streams);
  }
}

static void
check_option (AcqNode *node, const AcqOption *option, JsonNode *value)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *range = acq_option_range_to_string (option);
  g_autofree char *def = acq_option_default_to_string (option);

  g_test_message ("%s: %s: %s (%s)", acq_node_get_plugin (node)->name, option->name, range, def);
  g_assert_nonnull (option->help);
  g_assert_cmpstr (option->help, !=, "");
  for (const char *p = option->name; *p != '\0'; p++)
    g_assert_true (g_ascii_islower (*p) || g_ascii_isdigit (*p) || *p == '-');
  if (option->type == ACQ_OPTION_ENUM) {
    g_assert_nonnull (option->words);
    g_assert_cmpfloat (option->def, <, g_strv_length ((char **) option->words));
  }
  /* What is in force by default must be allowed. */
  if ((option->flags & ACQ_OPTION_REQUIRED) == 0 && !JSON_NODE_HOLDS_NULL (value)) {
    acq_node_set_option (node, option->name, value, &error);
    g_assert_no_error (error);
  }
}

static void
test_options (void)
{
  GPtrArray *modules = acq_registry_list (registry);

  for (guint i = 0; i < modules->len; i++) {
    const AcqModule *module = modules->pdata[i];
    g_autoptr (AcqNode) node = acq_registry_create (registry, module->name, "n", NULL);
    g_autoptr (JsonNode) values = acq_node_options_to_json (node);

    for (gpointer klass = ACQ_NODE_GET_CLASS (node); ACQ_IS_NODE_CLASS (klass);
         klass = g_type_class_peek_parent (klass)) {
      guint n;
      const AcqOption *options = acq_node_class_list_options (klass, &n);

      for (guint k = 0; k < n; k++)
        check_option (node, &options[k],
                      json_object_get_member (json_node_get_object (values), options[k].name));
    }
  }
}

static void
test_schema (void)
{
  g_autofree char *text = acq_pipeline_schema (registry);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  GPtrArray *modules = acq_registry_list (registry);

  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  JsonObject *definitions = json_object_get_object_member (
      json_node_get_object (json_parser_get_root (parser)), "definitions");
  for (guint i = 0; i < modules->len; i++) {
    g_autofree char *name = g_strconcat ("plugin-", ((AcqModule *) modules->pdata[i])->name, NULL);

    g_assert_true (json_object_has_member (definitions, name));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  registry = acq_registry_new (NULL);
  g_test_add_func ("/plugins/none-refused", test_none_refused);
  g_test_add_func ("/plugins/options", test_options);
  g_test_add_func ("/plugins/schema", test_schema);
  int result = g_test_run ();
  g_object_unref (registry);
  return result;
}
