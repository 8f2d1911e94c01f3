/* SPDX-License-Identifier: Apache-2.0 */

/* acq-inspect as a user runs it: text and JSON, plugins good and bad, types, the JSON Schema. */

#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

typedef struct {
  int exit_code;
  char *out;
  char *err;
} Result;

static void
result_clear (Result *self)
{
  g_free (self->out);
  g_free (self->err);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Result, result_clear)

static char *
plugin_path (void)
{
  const char *root = g_getenv ("ACQ_BUILD_ROOT");

  return g_strdup_printf ("%s/tests/plugins-for-tests:%s/tests/core/plugin/modules", root, root);
}

static Result
run (const char *line)
{
  Result result = { 0 };
  g_autoptr (GPtrArray) args = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;

  g_ptr_array_add (args, g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "apps", "acq-inspect",
                                           "acq-inspect", NULL));
  g_ptr_array_add (args, g_strdup ("--plugin-path"));
  g_ptr_array_add (args, plugin_path ());
  for (char **word = words; *word != NULL; word++) {
    if (**word != '\0')
      g_ptr_array_add (args, g_strdup (*word));
  }
  g_ptr_array_add (args, NULL);
  process =
      g_subprocess_newv ((const char *const *) args->pdata,
                         G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &result.out, &result.err, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_if_exited (process));
  result.exit_code = g_subprocess_get_exit_status (process);
  return result;
}

static JsonNode *
run_json (const char *line)
{
  g_auto (Result) result = run (line);
  g_autoptr (GError) error = NULL;
  JsonNode *node;

  g_assert_cmpint (result.exit_code, ==, 0);
  node = json_from_string (result.out, &error);
  g_assert_no_error (error);
  return node;
}

/* The element of an array whose `name` it is. */
static JsonObject *
find (JsonObject *object, const char *array, const char *name)
{
  JsonArray *list = json_object_get_array_member (object, array);

  for (guint i = 0; i < json_array_get_length (list); i++) {
    JsonObject *element = json_array_get_object_element (list, i);

    if (g_str_equal (json_object_get_string_member (element, "name"), name))
      return element;
  }
  return NULL;
}

static const char *
text_of (JsonObject *object, const char *name)
{
  return json_object_get_string_member_with_default (object, name, NULL);
}

static void
test_list (void)
{
  static const struct {
    const char *name;
    const char *reason;
  } refused[] = {
    { "foreign-abi", "ABI 99" },      { "no-symbol", "no symbol acq_plugin" },
    { "wrong-name", "right-name" },   { "unresolved", "acq_this_is_nowhere" },
    { "no-node", "is no AcqSource" },
  };
  g_autoptr (JsonNode) node = run_json ("--json");
  JsonObject *root = json_node_get_object (node);

  g_assert_cmpstr (text_of (find (root, "plugins", "number-source"), "kind"), ==, "source");
  g_assert_cmpstr (text_of (find (root, "plugins", "number-sink"), "kind"), ==, "sink");
  g_assert_cmpstr (text_of (find (root, "plugins", "resampler"), "kind"), ==, "transform");
  g_assert_nonnull (
      strstr (text_of (find (root, "plugins", "number-sink"), "path"), "/number-sink.so"));
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++) {
    JsonObject *module = find (root, "refused", refused[i].name);

    g_assert_nonnull (module);
    g_assert_nonnull (strstr (text_of (module, "reason"), refused[i].reason));
    g_assert_null (find (root, "plugins", refused[i].name));
  }
}

/* The same module in a later folder is listed with what is in front of it. */
static void
test_shadowed (void)
{
  g_autofree char *folder = g_dir_make_tmp ("acq-inspect-XXXXXX", NULL);
  g_autofree char *original = g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "tests",
                                                "plugins-for-tests", "number-sink.so", NULL);
  g_autofree char *copy = g_build_filename (folder, "number-sink.so", NULL);
  g_autofree char *line = g_strdup_printf ("--json --plugin-path %s", folder);
  g_autoptr (GFile) file = g_file_new_for_path (copy);
  g_autoptr (JsonNode) node = NULL;
  JsonObject *module;

  g_assert_true (g_file_make_symbolic_link (file, original, NULL, NULL));
  node = run_json (line);
  module = find (json_node_get_object (node), "shadowed", "number-sink");
  g_assert_nonnull (module);
  g_assert_cmpstr (text_of (module, "path"), ==, copy);
  g_assert_nonnull (strstr (text_of (module, "reason"), original));
  g_assert_nonnull (find (json_node_get_object (node), "plugins", "number-sink"));
  g_assert_true (g_file_delete (file, NULL, NULL));
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_plugin (void)
{
  g_autoptr (JsonNode) node = run_json ("--json number-source");
  JsonObject *root = json_node_get_object (node);
  JsonObject *rate = find (root, "options", "rate-hz");
  JsonObject *fault = find (root, "options", "fault");
  JsonObject *stamp = find (root, "options", "stamp");

  g_assert_cmpstr (text_of (rate, "type"), ==, "double");
  g_assert_cmpint (json_object_get_int_member (rate, "default"), ==, 200);
  g_assert_cmpstr (text_of (rate, "unit"), ==, "Hz");
  g_assert_cmpstr (text_of (rate, "help"), ==, "Numbers a second");
  g_assert_false (json_object_get_boolean_member (rate, "common"));
  g_assert_cmpstr (json_array_get_string_element (json_object_get_array_member (fault, "words"), 1),
                   ==, "open-fails");
  g_assert_true (json_object_get_boolean_member (stamp, "common"));
  g_assert_true (json_object_get_boolean_member (stamp, "advanced"));
  g_assert_nonnull (find (root, "options", "enabled"));
  g_assert_null (find (root, "options", "inputs"));
  g_assert_cmpstr (text_of (find (root, "streams", "number"), "schema"), ==,
                   "sensor_msgs/msg/Illuminance");
}

/* What the table needs is in the text too. */
static void
test_plugin_text (void)
{
  static const char *const words[] = {
    "fsnh-udp (source)",  "hand_skeleton", "acq_msgs/msg/HandSkeleton", "side",
    "required",           "default 15001", "from 1 to 65535",           "seldom needed",
    "Keys of every node", "open-timeout",
  };
  g_auto (Result) result = run ("fsnh-udp");

  g_assert_cmpint (result.exit_code, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++) {
    g_test_message ("%s", words[i]);
    g_assert_nonnull (strstr (result.out, words[i]));
  }
}

static void
test_types (void)
{
  static const char *const names[] = { "HandSkeleton", "acq_msgs/HandSkeleton",
                                       "acq_msgs/msg/HandSkeleton" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *line = g_strdup_printf ("--json %s", names[i]);
    g_autoptr (JsonNode) node = run_json (line);
    JsonObject *root = json_node_get_object (node);

    g_assert_cmpstr (text_of (root, "name"), ==, "acq_msgs/msg/HandSkeleton");
    g_assert_cmpstr (text_of (find (root, "fields", "joints"), "type"), ==,
                     "acq_msgs/msg/Pose32[]");
    g_assert_nonnull (strstr (text_of (root, "ros2msg"), "std_msgs/Header header"));
  }
  g_auto (Result) list = run ("--types");
  g_assert_nonnull (strstr (list.out, "sensor_msgs/msg/Imu"));
}

static void
test_schema (void)
{
  g_autoptr (JsonNode) node = run_json ("--schema");
  JsonObject *definitions =
      json_object_get_object_member (json_node_get_object (node), "definitions");

  g_assert_true (json_object_has_member (definitions, "plugin-number-source"));
  g_assert_true (json_object_has_member (definitions, "plugin-mcap-writer"));
}

static void
test_mistakes (void)
{
  static const struct {
    const char *line;
    int exit_code;
    const char *says;
  } cases[] = {
    { "number-sourc", 1, "did you mean \"number-source\"" },
    { "foreign-abi", 1, "ABI 99" },
    { "one two", 2, "one is shown at a time" },
    { "--nonsense", 2, "--nonsense" },
    { "--scan number-source", 1, "cannot look for devices" },
    { "--scan nothing-at-all", 1, "there is no plugin" },
    { "--set a=b number-source", 2, "--set a=b is given" },
    { "--set a=b --scan", 2, "--scan NAME" },
    { "a\xff", 2, "the name \"a\xef\xbf\xbd\" is not valid UTF-8" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Result) result = run (cases[i].line);

    g_test_message ("%s: %s", cases[i].line, result.err);
    g_assert_cmpint (result.exit_code, ==, cases[i].exit_code);
    g_assert_cmpstr (result.out, ==, "");
    g_assert_nonnull (strstr (result.err, cases[i].says));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/inspect/list", test_list);
  g_test_add_func ("/inspect/shadowed", test_shadowed);
  g_test_add_func ("/inspect/plugin", test_plugin);
  g_test_add_func ("/inspect/plugin-text", test_plugin_text);
  g_test_add_func ("/inspect/types", test_types);
  g_test_add_func ("/inspect/schema", test_schema);
  g_test_add_func ("/inspect/mistakes", test_mistakes);
  return g_test_run ();
}
