/* SPDX-License-Identifier: Apache-2.0 */

/* acq-sim wuji: says where the library is, and writes no configuration that it refuses. */

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

static int
run (const char *config, const char *faults, char **ret_out, char **ret_err)
{
  const char *argv[8] = { ACQ_SIM, "wuji" };
  g_autoptr (GError) error = NULL;
  guint n = 2;
  int status;

  if (config != NULL) {
    argv[n++] = "--write-config";
    argv[n++] = config;
  }
  if (faults != NULL) {
    argv[n++] = "--faults";
    argv[n++] = faults;
  }
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, ret_out, ret_err, &status,
                &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

static void
test_path (void)
{
  g_autofree char *out = NULL;
  g_autofree char *err = NULL;

  g_assert_cmpint (run (NULL, NULL, &out, &err), ==, 0);
  g_assert_true (g_file_test (g_strchomp (out), G_FILE_TEST_IS_REGULAR));
  g_assert_true (g_str_has_suffix (out, "/libwuji_sdk_c.so"));
}

static void
test_config (void)
{
  static const struct {
    const char *faults, *complaint;
  } cases[] = {
    { "stall:on=tactile:at=400:for=2s,offline:joints=1/2:at=1s", NULL },
    { "stal:on=tactile", "\"kind\" of a fault is \"stal\"" },
    { "gap:on=tactil", "no stream is called \"tactil\"" },
    { "gap:at", "is not key=value" },
    { "gap:when=3", "a fault has no \"when\"" },
    { "disconnect:at=7", "\"at\" is a time" },
  };
  g_autofree char *folder = g_dir_make_tmp ("wuji-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "c.json", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *out = NULL;
    g_autofree char *err = NULL;
    gboolean good = cases[i].complaint == NULL;

    g_assert_cmpint (run (file, cases[i].faults, &out, &err), ==, good ? 0 : 2);
    g_assert_cmpint (g_file_test (file, G_FILE_TEST_EXISTS), ==, good);
    if (!good)
      g_assert_nonnull (strstr (err, cases[i].complaint));
    g_remove (file);
  }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim-wuji/path", test_path);
  g_test_add_func ("/sim-wuji/config", test_config);
  return g_test_run ();
}
