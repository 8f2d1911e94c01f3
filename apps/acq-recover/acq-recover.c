/* SPDX-License-Identifier: Apache-2.0 */

/*
 * acq-recover: makes valid files of what a crash left.
 *
 * recover-find (what there is), recover (each kind), recover-report (what is told).
 */
#include <locale.h>
#include <stdio.h>

#include <acq/acq-json.h>

#include "app-stdout.h"
#include "recover.h"

static const char summary[] =
    "Makes valid files of what a crash, a kill or a power failure left of recordings.\n"
    "The originals stay as they are.";

static const char description[] =
    "What it finds, and what becomes of it:\n"
    "  NAME.mcap.part    NAME.mcap\n"
    "  NAME.npz.spool    NAME.npz\n"
    "  NAME.mcap         NAME.recovered.mcap, when it is named itself and is damaged\n"
    "A folder is searched, also for the folders of several takes in it. What has its new file\n"
    "already is left alone.\n"
    "\n"
    "Examples:\n"
    "  acq-recover ~/recordings/session_20260101_120000_pour\n"
    "  acq-recover --json ~/recordings\n"
    "  acq-recover --output /mnt/other-disk ~/recordings\n"
    "  acq-recover --keep-damaged session.mcap.part\n"
    "\n"
    "Exit codes:\n"
    "  0    everything that was there is in the new files, or there was nothing to do\n"
    "  1    something could not be recovered\n"
    "  2    the command line is wrong\n"
    "  3    something was damaged; the counts say what\n";

typedef struct {
  RecoverOptions recover;
  gboolean json;
  gboolean version;
  char **paths;
} Options;

static void
options_clear (Options *self)
{
  g_strfreev (self->paths);
  g_free (self->recover.output);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
parse (Options *self, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "json", 'j', 0, G_OPTION_ARG_NONE, &self->json, "Tell as JSON what was done", NULL },
    { "keep-damaged", 0, 0, G_OPTION_ARG_NONE, &self->recover.keep_damaged,
      "MCAP: keep also what does not match its checksum, as far as it can be read", NULL },
    { "deflate", 0, 0, G_OPTION_ARG_NONE, &self->recover.deflate, "NPZ: compress the arrays",
      NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &self->recover.output,
      "Where new files go, for example another disk; otherwise beside the originals", "DIR" },
    { "remove", 0, 0, G_OPTION_ARG_NONE, &self->recover.remove,
      "Remove originals of which nothing was lost", NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, &self->version, "Print the version, and exit", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->paths, NULL, "FILE|DIR…" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (self->paths == NULL && !self->version) {
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
                         "no file or folder is given; --help explains, and shows examples");
    return FALSE;
  }
  return TRUE;
}

static void
recover_path (const Options *options, const char *path, GPtrArray *items)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) found = recover_find (path, &error);

  if (found == NULL) {
    RecoverItem *item = g_new0 (RecoverItem, 1);

    item->from = g_strdup (path);
    item->kind = "none";
    item->result = RECOVER_FAILED;
    item->problem = g_strdup (error->message);
    item->counts = g_array_new (FALSE, FALSE, sizeof (RecoverCount));
    g_ptr_array_add (items, item);
  }
  for (guint i = 0; found != NULL && i < found->len; i++)
    g_ptr_array_add (items, recover_item (found->pdata[i], path, &options->recover));
}

static void
tell (const Options *options, GPtrArray *items)
{
  if (options->json) {
    g_autoptr (JsonNode) node = recover_to_json (items);
    g_autofree char *json = acq_json_print (node, TRUE);

    printf ("%s\n", json);
    return;
  }
  for (guint i = 0; i < items->len; i++) {
    g_autofree char *text = recover_item_text (items->pdata[i]);

    printf ("%s", text);
  }
  if (items->len == 0)
    printf ("There is nothing to recover.\n");
}

int
main (int argc, char **argv)
{
  g_auto (Options) options = { { FALSE } };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) recover_item_free);

  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  g_set_prgname ("acq-recover");
  if (!parse (&options, &argc, &argv, &error)) {
    g_printerr ("acq-recover: %s\n", error->message);
    return RECOVER_EXIT_USAGE;
  }
  if (options.version) {
    printf ("acq-recover %s\n", ACQ_VERSION);
    return app_finish (stdout, RECOVER_EXIT_OK);
  }
  for (char **path = options.paths; *path != NULL; path++)
    recover_path (&options, *path, items);
  tell (&options, items);
  return app_finish (stdout, recover_exit_code (items));
}
