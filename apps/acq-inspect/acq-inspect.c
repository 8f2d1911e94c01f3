/* SPDX-License-Identifier: Apache-2.0 */

/*
 * acq-inspect: what there is to put into a pipeline file.
 *
 * inspect (as JSON), inspect-text (for people), inspect-scan (devices).
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <acq/acq-json.h>
#include <acq/acq-option.h>
#include <acq/acq-pipeline.h>
#include <acq/acq-schema.h>

#include "app-stdout.h"
#include "inspect.h"

#define EXIT_OK 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2

static const char summary[] =
    "Shows the plugins that are found, what one of them can do, and the message types.\n"
    "Without NAME it lists the plugins. NAME is a plugin, or a type such as HandSkeleton.";

static const char description[] =
    "Examples:\n"
    "  acq-inspect                      the plugins, and those that are refused, with reasons\n"
    "  acq-inspect mcap-writer          its options: range, default, help\n"
    "  acq-inspect HandSkeleton         the fields of a message type\n"
    "  acq-inspect --scan               devices that can be reached\n"
    "  acq-inspect --schema > pipeline.schema.json\n"
    "                                   for editors: completes and checks while you type\n"
    "\n"
    "Exit codes: 0 fine, 1 it failed, 2 the command line is wrong.\n";

typedef struct {
  gboolean json;
  gboolean schema;
  gboolean types;
  gboolean scan;
  gboolean version;
  char **set;
  char **plugin_path;
  char **names;
} Options;

static void
options_clear (Options *self)
{
  g_strfreev (self->set);
  g_strfreev (self->plugin_path);
  g_strfreev (self->names);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
check_utf8 (const char *what, char *const *texts, GError **error)
{
  for (; texts != NULL && *texts != NULL; texts++) {
    g_autofree char *shown = g_utf8_make_valid (*texts, -1);

    if (g_utf8_validate (*texts, -1, NULL))
      continue;
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s \"%s\" is not valid UTF-8",
                 what, shown);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check (const Options *self, GError **error)
{
  if (!check_utf8 ("--set", self->set, error) || !check_utf8 ("the name", self->names, error))
    return FALSE;
  if (self->set == NULL || (self->scan && self->names != NULL))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
               "--set %s is given, which is for a plugin that is scanned: --scan NAME",
               self->set[0]);
  return FALSE;
}

static gboolean
parse (Options *self, int *argc, char ***argv, GError **error)
{
  /* What is UTF-8 for us is a "filename" here: GOption would refuse it in the C locale. */
  const GOptionEntry entries[] = {
    { "json", 'j', 0, G_OPTION_ARG_NONE, &self->json, "The same as JSON", NULL },
    { "types", 0, 0, G_OPTION_ARG_NONE, &self->types, "List the message types", NULL },
    { "schema", 0, 0, G_OPTION_ARG_NONE, &self->schema,
      "Print the JSON Schema of pipeline files, with the options of all plugins", NULL },
    { "scan", 0, 0, G_OPTION_ARG_NONE, &self->scan,
      "Look for devices; with NAME only those of that plugin", NULL },
    { "set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &self->set,
      "An option of the plugin that is scanned; may be repeated", "OPTION=VALUE" },
    { "plugin-path", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &self->plugin_path,
      "Look for plugins here first; may be repeated, or several separated by colons", "DIR" },
    { "version", 0, 0, G_OPTION_ARG_NONE, &self->version, "Print the version, and exit", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->names, NULL, "[NAME]" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, error) || !check (self, error))
    return FALSE;
  if (self->names != NULL && self->names[0] != NULL && self->names[1] != NULL) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
                 "\"%s\" and \"%s\" are given; one is shown at a time", self->names[0],
                 self->names[1]);
    return FALSE;
  }
  return TRUE;
}

/* @object: (transfer full) */
static char *
shown (JsonObject *object, gboolean json, char *(*to_text) (JsonObject *) )
{
  G_GNUC_UNUSED g_autoptr (JsonObject) owned = object;
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *text = NULL;

  if (!json)
    return to_text (object);
  node = json_node_init_object (json_node_alloc (), object);
  text = acq_json_print (node, TRUE);
  return g_strconcat (text, "\n", NULL);
}

static char *
show_types (AcqRegistry *registry, gboolean json)
{
  g_autoptr (GPtrArray) types = inspect_list_types (registry);
  JsonObject *object;
  JsonArray *array;

  if (!json)
    return inspect_types_text (types);
  object = json_object_new ();
  array = json_array_new ();
  for (guint i = 0; i < types->len; i++)
    json_array_add_object_element (array, inspect_type (types->pdata[i]));
  json_object_set_array_member (object, "types", array);
  return shown (object, TRUE, NULL);
}

static const AcqModule *
find_module (AcqRegistry *registry, const char *name)
{
  GPtrArray *modules = acq_registry_list (registry);

  for (guint i = 0; i < modules->len; i++) {
    const AcqModule *module = modules->pdata[i];

    if (module->plugin != NULL && strcmp (module->name, name) == 0)
      return module;
  }
  return NULL;
}

static char *
show_name (AcqRegistry *registry, const char *name, gboolean json, GError **error)
{
  const AcqModule *module = find_module (registry, name);
  const AcqSchema *type;

  if (module != NULL)
    return shown (inspect_plugin (module->plugin, module->path), json, inspect_plugin_text);
  type = inspect_find_type (registry, name);
  if (type != NULL)
    return shown (inspect_type (type), json, inspect_type_text);
  /* Its message says why it is refused, or which word is near. */
  acq_registry_find (registry, name, error);
  return NULL;
}

static char *
show (const Options *options, AcqRegistry *registry, GError **error)
{
  const char *name = options->names != NULL ? options->names[0] : NULL;
  JsonObject *object;

  if (options->schema) {
    g_autofree char *text = acq_pipeline_schema (registry);

    return g_str_has_suffix (text, "\n") ? g_steal_pointer (&text) : g_strconcat (text, "\n", NULL);
  }
  if (options->scan) {
    object = inspect_scan (registry, name, options->set, error);
    return object != NULL ? shown (object, options->json, inspect_scan_text) : NULL;
  }
  if (options->types)
    return show_types (registry, options->json);
  if (name != NULL)
    return show_name (registry, name, options->json, error);
  return shown (inspect_registry (registry), options->json, inspect_registry_text);
}

int
main (int argc, char **argv)
{
  g_auto (Options) options = { FALSE };
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqRegistry) registry = NULL;
  g_autofree char *path = NULL;
  g_autofree char *text = NULL;
  FILE *out;

  setlocale (LC_ALL, "");
  /* Vendor libraries read numbers with a point, whatever the user's language is. */
  setlocale (LC_NUMERIC, "C");
  g_set_prgname ("acq-inspect");
  if (!parse (&options, &argc, &argv, &error)) {
    g_printerr ("acq-inspect: %s\n", error->message);
    return EXIT_USAGE;
  }
  if (options.version) {
    printf ("acq-inspect %s\n", ACQ_VERSION);
    return app_finish (stdout, EXIT_OK);
  }
  /* What vendor libraries print goes to standard error. */
  out = fdopen (dup (STDOUT_FILENO), "w");
  dup2 (STDERR_FILENO, STDOUT_FILENO);
  path = options.plugin_path != NULL ? g_strjoinv (G_SEARCHPATH_SEPARATOR_S, options.plugin_path)
                                     : NULL;
  registry = acq_registry_new (path);
  text = show (&options, registry, &error);
  if (text == NULL) {
    g_printerr ("acq-inspect: %s\n", error->message);
    return EXIT_FAILED;
  }
  if (out != NULL)
    fputs (text, out);
  return app_finish (out, EXIT_OK);
}
