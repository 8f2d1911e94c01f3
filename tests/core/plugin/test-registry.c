/* SPDX-License-Identifier: Apache-2.0 */
/* The registry: refusals with their reasons, shadowing, search order, laziness. */
#include <acq/acq.h>

#include "test-files.h"

static char *modules_folder;

static const AcqModule *
find_listed (GPtrArray *list, const char *name, gboolean shadowed)
{
  for (guint i = 0; i < list->len; i++) {
    const AcqModule *module = list->pdata[i];

    if (strcmp (module->name, name) == 0 && module->shadowed == shadowed)
      return module;
  }
  return NULL;
}

static void
test_refusals (void)
{
  static const struct {
    const char *name;
    const char *problem; /* behind the path */
  } cases[] = {
    { "foreign-abi",
      ": it was built for plugin ABI 99, this acq has 1: build it again against this "
      "version" },
    { "no-symbol", " exports no symbol acq_plugin: it is no acq plugin" },
    { "wrong-name", ": it calls itself \"right-name\"; its file must be named right-name.so" },
    { "unresolved", " uses the symbol acq_this_is_nowhere, which nothing defines: it was built "
                    "against other libraries than those here" },
    { "no-node", ": its class GObject is no AcqSource, AcqTransform or AcqSink" },
    { "no-elf", " is not a shared library (no ELF file)" },
  };
  g_autofree char *folder = make_folder ();
  G_GNUC_UNUSED g_autofree char *text = write_file (folder, "no-elf.so", "text", 4);
  g_autofree char *path = g_strdup_printf ("%s:%s", folder, modules_folder);
  g_autoptr (AcqRegistry) registry = acq_registry_new (path);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *file = g_strconcat (cases[i].name, ".so", NULL);
    g_autofree char *full = g_build_filename (
        strcmp (cases[i].name, "no-elf") == 0 ? folder : modules_folder, file, NULL);
    g_autofree char *message =
        g_strdup_printf ("plugin \"%s\" is refused: %s%s", cases[i].name, full, cases[i].problem);
    g_autoptr (GError) error = NULL;

    g_assert_null (acq_registry_find (registry, cases[i].name, &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN);
    g_assert_cmpstr (error->message, ==, message);

    const AcqModule *listed = find_listed (acq_registry_list (registry), cases[i].name, FALSE);
    g_assert_cmpstr (listed->path, ==, full);
    g_assert_null (listed->plugin);
    g_assert_true (g_str_has_suffix (message, listed->problem));
  }
  /* The refusals stood in nobody's way. */
  g_assert_nonnull (acq_registry_find (registry, "test-source", NULL));
  remove_folder (folder);
}

static void
test_create (void)
{
  g_autoptr (AcqRegistry) registry = acq_registry_new (modules_folder);
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqNode) node = acq_registry_create (registry, "test-source", "left", &error);

  g_assert_no_error (error);
  g_assert_cmpstr (acq_node_get_id (node), ==, "left");
  g_assert_cmpstr (acq_node_get_plugin (node)->name, ==, "test-source");
  g_assert_true (ACQ_IS_SOURCE (node));
}

/* Only the module that is asked for is opened; and once opened it stays, refused or not. */
static void
test_lazy (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *asked = copy_built ("no-node.so", folder, "no-node.so");
  g_autofree char *other = copy_built ("foreign-abi.so", folder, "foreign-abi.so");
  g_autoptr (AcqRegistry) registry = acq_registry_new (folder);

  g_assert_null (acq_registry_find (registry, "no-node", NULL));
  g_autofree char *maps = NULL;
  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  g_assert_nonnull (strstr (maps, asked));
  g_assert_null (strstr (maps, other));
  remove_folder (folder);
}

static void
test_shadow (void)
{
  g_autofree char *first = make_folder ();
  g_autofree char *second = make_folder ();
  g_autofree char *broken = write_file (first, "test-source.so", "text", 4);
  g_autofree char *good = copy_built ("test-source.so", second, "test-source.so");
  g_autofree char *path = g_strdup_printf ("%s:%s:%s", first, second, first);
  g_autoptr (AcqRegistry) registry = acq_registry_new (path);
  g_autoptr (GError) error = NULL;
  g_autofree char *why = g_strdup_printf ("shadowed by %s", broken);

  /* The earlier one counts even when it is broken: another version in its place would be a
   * surprise. */
  g_assert_null (acq_registry_find (registry, "test-source", &error));
  g_assert_nonnull (strstr (error->message, broken));
  GPtrArray *list = acq_registry_list (registry);
  const AcqModule *shadowed = find_listed (list, "test-source", TRUE);
  g_assert_cmpstr (shadowed->path, ==, good);
  g_assert_cmpstr (shadowed->problem, ==, why);
  g_assert_null (shadowed->plugin);

  const char *const *directories = acq_registry_list_directories (registry);
  g_assert_cmpstr (directories[0], ==, first);
  g_assert_cmpstr (directories[1], ==, second);
  g_assert_cmpstr (directories[2], !=, first);
  remove_folder (first);
  remove_folder (second);
}

static void
test_environment (void)
{
  g_setenv ("ACQ_PLUGIN_PATH", modules_folder, TRUE);
  g_autoptr (AcqRegistry) registry = acq_registry_new ("/nowhere::relative");
  g_unsetenv ("ACQ_PLUGIN_PATH");
  const char *const *directories = acq_registry_list_directories (registry);
  g_autofree char *here = g_canonicalize_filename ("relative", NULL);
  g_autofree char *own = acq_install_path ("plugins");

  g_assert_cmpstr (directories[0], ==, "/nowhere");
  g_assert_cmpstr (directories[1], ==, here);
  g_assert_cmpstr (directories[2], ==, modules_folder);
  g_assert_cmpstr (directories[3], ==, own);
  g_assert_nonnull (acq_registry_find (registry, "test-source", NULL));
}

static void
test_unknown (void)
{
  static const struct {
    const char *name;
    const char *begin;
  } cases[] = {
    { "test-sauce",
      "there is no plugin \"test-sauce\"; did you mean \"test-source\"? There is \"" },
    { "zzz", "there is no plugin \"zzz\"; there is \"" },
    { "../modules/test-source", "there is no plugin \"../modules/test-source\"" },
    { "", "there is no plugin \"\"; there is \"" },
  };
  g_autoptr (AcqRegistry) registry = acq_registry_new (modules_folder);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (acq_registry_find (registry, cases[i].name, &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_PLUGIN);
    g_assert_true (g_str_has_prefix (error->message, cases[i].begin));
  }
}

static void
test_built_in (void)
{
  g_autoptr (AcqRegistry) registry = acq_registry_new (modules_folder);
  g_autoptr (GError) error = NULL;
  AcqPlugin plugin = *acq_registry_find (registry, "test-source", NULL);

  g_assert_false (acq_registry_add (registry, &plugin, &error));
  g_assert_nonnull (strstr (error->message, "there is already "));
  g_clear_error (&error);
  plugin.name = "Bad_Name";
  g_assert_false (acq_registry_add (registry, &plugin, &error));
  g_assert_cmpstr (error->message, ==,
                   "plugin \"Bad_Name\" is refused: its name \"Bad_Name\" is not kebab-case");
  g_clear_error (&error);

  static const AcqStreamTemplate twice[] = { { "a", &acq_event_schema },
                                             { "a", &acq_event_schema },
                                             { 0 } };
  plugin.name = "built-in";
  plugin.streams = twice;
  g_assert_false (acq_registry_add (registry, &plugin, &error));
  g_assert_cmpstr (error->message, ==,
                   "plugin \"built-in\" is refused: it has the stream \"a\" twice");
  g_clear_error (&error);
  plugin.streams = NULL;
  g_assert_true (acq_registry_add (registry, &plugin, &error));
  g_assert_true (acq_registry_find (registry, "built-in", &error) == &plugin);
}

static void
test_places (void)
{
  g_autofree char *schemas = acq_install_path ("schemas");
  g_autofree char *wanted = g_build_filename (g_getenv ("ACQ_SOURCE_ROOT"), "schemas", NULL);
  g_autofree char *plugins = acq_install_path ("plugins");
  g_autofree char *built = g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "plugins", NULL);

  g_assert_cmpstr (schemas, ==, wanted);
  g_assert_cmpstr (plugins, ==, built);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  modules_folder = built_file ("");
  g_test_add_func ("/registry/lazy", test_lazy);
  g_test_add_func ("/registry/refusals", test_refusals);
  g_test_add_func ("/registry/create", test_create);
  g_test_add_func ("/registry/shadow", test_shadow);
  g_test_add_func ("/registry/environment", test_environment);
  g_test_add_func ("/registry/unknown", test_unknown);
  g_test_add_func ("/registry/built-in", test_built_in);
  g_test_add_func ("/registry/places", test_places);
  int result = g_test_run ();
  g_free (modules_folder);
  return result;
}
