/* SPDX-License-Identifier: Apache-2.0 */

/*
 * acq-sim wuji: where the stand-in for the Wuji library is, and a configuration for it.
 *
 * The library is not a program: the recorder loads it instead of the vendor's. So this
 * prints its path, and with --write-config makes the file that ACQ_SIM_WUJI_CONFIG names.
 * The file is shown to the library before it gets its name, so a wrong word is told now.
 */

#include "sim-wuji-command.h"

#include <dlfcn.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  char *release, *write_config, *sdk_version, *report, *faults;
  char **gloves, **hands2, **hands;
  double first_frame_ms;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->release);
  g_free (self->write_config);
  g_free (self->sdk_version);
  g_free (self->report);
  g_free (self->faults);
  g_strfreev (self->gloves);
  g_strfreev (self->hands2);
  g_strfreev (self->hands);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* ---- where the library is ---- */

/* Beside the program in the build tree, below libdir when installed. */
static char *
library_path (const char *release, GError **error)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", error);
  g_autofree char *folder = NULL;
  g_autofree char *name = NULL;
  g_autofree char *built = NULL;
  g_autofree char *installed = NULL;

  if (program == NULL)
    return NULL;
  folder = g_path_get_dirname (program);
  name = release != NULL ? g_strdup_printf ("libwuji_sdk_c-%s.so", release)
                         : g_strdup ("libwuji_sdk_c.so");
  built = g_build_filename (folder, "wuji", name, NULL);
  installed = g_build_filename (folder, "..", SIM_LIBDIR, "acq", "sim", name, NULL);
  if (g_file_test (built, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&built);
  if (g_file_test (installed, G_FILE_TEST_EXISTS))
    return g_canonicalize_filename (installed, NULL);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "neither %s nor %s exists", built,
               installed);
  return NULL;
}

/* ---- the configuration ---- */

/* "2s" stays a text, "40" becomes a number, "1/2/3" an array, "true" a truth. */
static JsonNode *
value_node (const char *text)
{
  JsonNode *node = json_node_new (JSON_NODE_VALUE);
  char *end = NULL;
  double number = g_ascii_strtod (text, &end);

  if (end != text && *end == '\0' && number == (double) (gint64) number)
    json_node_set_int (node, (gint64) number);
  else if (end != text && *end == '\0')
    json_node_set_double (node, number);
  else if (strcmp (text, "true") == 0 || strcmp (text, "false") == 0)
    json_node_set_boolean (node, *text == 't');
  else
    json_node_set_string (node, text);
  return node;
}

static JsonNode *
list_node (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", -1);
  JsonArray *array = json_array_new ();
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);

  for (guint i = 0; parts[i] != NULL; i++)
    json_array_add_element (array, value_node (parts[i]));
  json_node_take_array (node, array);
  return node;
}

/* One entry, `kind:key=value:…`, as an object. */
static gboolean
fault_object (const char *entry, JsonObject *object, GError **error)
{
  g_auto (GStrv) words = g_strsplit (entry, ":", -1);

  json_object_set_string_member (object, "kind", words[0] != NULL ? words[0] : "");
  for (guint i = 1; words[0] != NULL && words[i] != NULL; i++) {
    char *equals = strchr (words[i], '=');

    if (equals == NULL) {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                   "fault \"%s\": \"%s\" is not key=value", entry, words[i]);
      return FALSE;
    }
    *equals = '\0';
    json_object_set_member (object, words[i],
                            strcmp (words[i], "joints") == 0 ? list_node (equals + 1)
                                                             : value_node (equals + 1));
  }
  return TRUE;
}

static JsonArray *
fault_array (const char *plan, GError **error)
{
  g_auto (GStrv) entries = g_strsplit (plan != NULL ? plan : "", ",", -1);
  g_autoptr (JsonArray) array = json_array_new ();

  for (guint i = 0; entries[i] != NULL; i++) {
    g_autoptr (JsonObject) object = json_object_new ();

    if (!fault_object (entries[i], object, error))
      return NULL;
    json_array_add_object_element (array, g_steal_pointer (&object));
  }
  return g_steal_pointer (&array);
}

static void
add_devices (JsonArray *array, const char *kind, const char *const *serials)
{
  for (guint i = 0; serials != NULL && serials[i] != NULL; i++) {
    JsonObject *device = json_object_new ();

    json_object_set_string_member (device, "kind", kind);
    json_object_set_string_member (device, "serial", serials[i]);
    json_array_add_object_element (array, device);
  }
}

static JsonArray *
device_array (const Options *options)
{
  static const char *const gloves[] = { "WG1J00000001", "WG1K00000001", NULL };
  static const char *const hands2[] = { "WH2J00000001", "WH2K00000001", NULL };
  JsonArray *array = json_array_new ();

  add_devices (array, "glove", (const char *const *) options->gloves);
  add_devices (array, "hand2", (const char *const *) options->hands2);
  add_devices (array, "hand", (const char *const *) options->hands);
  if (json_array_get_length (array) == 0) {
    add_devices (array, "glove", gloves);
    add_devices (array, "hand2", hands2);
  }
  return array;
}

static char *
make_config (const Options *options, GError **error)
{
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  g_autoptr (JsonObject) object = json_object_new ();
  JsonArray *faults = fault_array (options->faults, error);

  if (faults == NULL)
    return NULL;
  if (options->sdk_version != NULL)
    json_object_set_string_member (object, "version", options->sdk_version);
  if (options->report != NULL)
    json_object_set_string_member (object, "report", options->report);
  if (options->first_frame_ms >= 0)
    json_object_set_double_member (object, "first-frame-ms", options->first_frame_ms);
  json_object_set_array_member (object, "devices", device_array (options));
  json_object_set_array_member (object, "faults", faults);
  json_node_set_object (root, object);
  return json_to_string (root, TRUE);
}

/* The library ends the process on a wrong configuration, so it is asked in another one. */
static gboolean
is_accepted (const char *library, const char *config)
{
  int status = 0;
  pid_t child = fork ();

  if (child == 0) {
    void *handle = NULL;
    const char *(*version) (void) = NULL;

    g_setenv ("ACQ_SIM_WUJI_CONFIG", config, TRUE);
    handle = dlopen (library, RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL)
      version = (const char *(*) (void) ) dlsym (handle, "wuji_version");
    if (version != NULL)
      version ();
    _exit (version != NULL ? 0 : 1);
  }
  return child > 0 && waitpid (child, &status, 0) == child && WIFEXITED (status) &&
         WEXITSTATUS (status) == 0;
}

static int
write_config (const Options *options, const char *library)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = make_config (options, &error);
  g_autofree char *part = g_strconcat (options->write_config, ".part", NULL);

  if (text == NULL) {
    fprintf (stderr, "acq-sim wuji: %s\n", error->message);
    return SIM_EXIT_USAGE;
  }
  if (!g_file_set_contents (part, text, -1, &error)) {
    fprintf (stderr, "acq-sim wuji: %s\n", error->message);
    return SIM_EXIT_FAILED;
  }
  if (!is_accepted (library, part)) {
    unlink (part);
    return SIM_EXIT_USAGE;
  }
  if (rename (part, options->write_config) != 0) {
    fprintf (stderr, "acq-sim wuji: %s: %s\n", options->write_config, g_strerror (errno));
    return SIM_EXIT_FAILED;
  }
  return SIM_EXIT_OK;
}

/* ---- the command ---- */

static const char summary[] =
    "Prints the path of a library that stands in for the vendor's libwuji_sdk_c.so. Give it\n"
    "to the plugins (option \"library\" or WUJI_SDK_LIBRARY) and they record devices that are\n"
    "not there. ACQ_SIM_WUJI_CONFIG names its configuration, ACQ_SIM_WUJI_REPORT the file for\n"
    "its report of what it delivered.";

static const char description[] =
    "Faults: kind:key=value:…, several separated by commas.\n"
    "  of a stream (on=TOPIC, glob): lag gap stall end error repeat reorder garbage(how=)\n"
    "  of a device (device=SERIAL):  disconnect takeover sync-late sync-step offline(joints=)\n"
    "                                fault-code(joint= value=) digest board\n"
    "  when: at=FRAME or at=2s, for=500ms, every=N, p=CHANCE, times=N, n=COUNT\n"
    "  how it looks: as=end|error|silent, reboot=true, text=WORDS\n"
    "For example --faults stall:on=tactile:at=400:for=2s,disconnect:device=WG1J*:at=5s:for=3s\n"
    "What else the file can say is written in the README of the stand-in.";

static int
run (int argc, char **argv)
{
  g_auto (Options) options = { .first_frame_ms = -1 };
  const GOptionEntry entries[] = {
    { "release", 0, 0, G_OPTION_ARG_STRING, &options.release,
      "Another variant: 7.21, 8.31, 11.23, no-version, broken (build tree only)", "NAME" },
    { "write-config", 'w', 0, G_OPTION_ARG_FILENAME, &options.write_config, "Write a configuration",
      "FILE" },
    { "glove", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.gloves,
      "A glove; the fourth character says the side: J left, K right", "SERIAL" },
    { "hand2", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.hands2, "A Hand 2", "SERIAL" },
    { "hand", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.hands, "A first-generation hand",
      "SERIAL" },
    { "sdk-version", 0, 0, G_OPTION_ARG_STRING, &options.sdk_version,
      "What the library calls itself, and the layouts of that release", "TEXT" },
    { "first-frame-ms", 0, 0, G_OPTION_ARG_DOUBLE, &options.first_frame_ms,
      "Silence after a subscription begins (default 250)", "MS" },
    { "report", 'r', 0, G_OPTION_ARG_FILENAME, &options.report,
      "Where the library writes what it delivered", "FILE" },
    { "faults", 'f', 0, G_OPTION_ARG_STRING, &options.faults, "What shall go wrong, see below",
      "PLAN" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *library = NULL;
  int code = SIM_EXIT_OK;

  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 1) {
    fprintf (stderr, "acq-sim wuji: %s\n", error != NULL ? error->message : "too many arguments");
    return SIM_EXIT_USAGE;
  }
  library = library_path (options.release, &error);
  if (library == NULL) {
    fprintf (stderr, "acq-sim wuji: %s\n", error->message);
    return SIM_EXIT_FAILED;
  }
  if (options.write_config != NULL)
    code = write_config (&options, library);
  if (code == SIM_EXIT_OK)
    printf ("%s\n", library);
  return code;
}

const SimCommand sim_wuji_command = {
  "wuji",
  "Wuji Glove and Hands: a library in place of the vendor's",
  run,
};
