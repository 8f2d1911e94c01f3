/* SPDX-License-Identifier: Apache-2.0 */
#include "recover.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include <acq/acq-mcap-recover.h>
#include <acq/acq-mcap-verify.h>
#include <acq/acq-npz.h>

/* Shorter than the magic at its head, a file says nothing. */
#define MCAP_MAGIC_BYTES 8

static void
add_count (RecoverItem *self, const char *name, const char *words, guint64 n, gboolean is_loss)
{
  RecoverCount count = { name, words, n, is_loss };

  g_array_append_val (self->counts, count);
}

static void
fail (RecoverItem *self, const GError *error)
{
  self->result = RECOVER_FAILED;
  self->problem = g_strdup (error->message);
}

/* MCAP */

static void
add_mcap_counts (RecoverItem *self, const AcqMcapRecovery *n)
{
  add_count (self, "messages", "messages", n->messages, FALSE);
  add_count (self, "attachments", "attachments", n->attachments, FALSE);
  add_count (self, "metadata", "metadata records", n->metadata, FALSE);
  add_count (self, "lost_messages", "messages known to be lost", n->lost_messages, TRUE);
  add_count (self, "lost_chunks", "chunks damaged as a whole", n->lost_chunks, TRUE);
  add_count (self, "cut_chunks", "chunks of which only the head is left", n->cut_chunks, TRUE);
  add_count (self, "lost_attachments", "attachments damaged", n->lost_attachments, TRUE);
  add_count (self, "lost_records", "other records damaged", n->lost_records, TRUE);
  add_count (self, "lost_bytes", "bytes that are no record", n->lost_bytes, TRUE);
}

/* A finished file is only looked at again when it is named itself. */
static gboolean
is_valid_mcap (RecoverItem *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReport) report =
      acq_mcap_verify_path (self->from, ACQ_MCAP_VERIFY_DEFAULT, &error);

  if (report == NULL) {
    fail (self, error);
    return TRUE;
  }
  if (report->n_errors > 0)
    return FALSE;
  self->result = RECOVER_WHOLE;
  add_count (self, "messages", "messages", report->n_messages, FALSE);
  return TRUE;
}

static gboolean
is_empty (const char *path)
{
  GStatBuf info;

  return g_stat (path, &info) == 0 && info.st_size < MCAP_MAGIC_BYTES;
}

/* With an output folder: the same name in it, and the same folders as below @root. */
static gboolean
place (RecoverItem *self, const char *root, const RecoverOptions *options)
{
  g_autofree char *plain = g_canonicalize_filename (root, NULL);
  g_autofree char *name = g_path_get_basename (self->to);
  g_autofree char *folder = NULL;
  gsize n = strlen (plain);

  if (options->output == NULL)
    return TRUE;
  if (g_str_has_prefix (self->to, plain) && self->to[n] == '/') {
    g_free (name);
    name = g_strdup (self->to + n + 1);
  }
  g_free (self->to);
  self->to = g_build_filename (options->output, name, NULL);
  folder = g_path_get_dirname (self->to);
  if (g_mkdir_with_parents (folder, 0755) == 0)
    return TRUE;
  self->result = RECOVER_FAILED;
  self->problem = g_strdup_printf ("cannot create the folder %s: %s", folder, g_strerror (errno));
  return FALSE;
}

static void
recover_mcap (RecoverItem *self, const char *root, const RecoverOptions *options)
{
  g_autoptr (GError) error = NULL;
  gboolean part = g_str_has_suffix (self->from, ".part");
  AcqMcapRecovery recovery;

  if (!part && is_valid_mcap (self))
    return;
  self->to = part ? g_strndup (self->from, strlen (self->from) - strlen (".part"))
                  : g_strdup_printf ("%.*s.recovered.mcap",
                                     (int) (strlen (self->from) - strlen (".mcap")), self->from);
  if (is_empty (self->from))
    self->result = RECOVER_EMPTY;
  else if (!place (self, root, options))
    return;
  else if (g_file_test (self->to, G_FILE_TEST_EXISTS))
    self->result = RECOVER_BEFORE;
  else if (!acq_mcap_recover_path (self->from, self->to,
                                   options->keep_damaged ? ACQ_MCAP_RECOVER_KEEP_DAMAGED
                                                         : ACQ_MCAP_RECOVER_DEFAULT,
                                   &recovery, &error))
    fail (self, error);
  else {
    self->result = acq_mcap_recovery_has_loss (&recovery) ? RECOVER_LOSS : RECOVER_DONE;
    add_mcap_counts (self, &recovery);
  }
}

/* NPZ */

static void
add_npz_counts (RecoverItem *self, const AcqNpzReport *n)
{
  add_count (self, "tables", "streams", n->tables, FALSE);
  add_count (self, "arrays", "arrays", n->arrays, FALSE);
  add_count (self, "rows", "rows", n->rows, FALSE);
  add_count (self, "late_rows", "rows behind the last flush", n->late_rows, FALSE);
  add_count (self, "missing_rows", "rows that were promised and are not there", n->missing_rows,
             TRUE);
  add_count (self, "cut_bytes", "bytes of rows that were cut", n->cut_bytes, TRUE);
  add_count (self, "unreadable", "tables or texts that cannot be read", n->unreadable, TRUE);
}

static void
recover_npz (RecoverItem *self, const char *root, const RecoverOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqNpzSpool) spool = acq_npz_spool_open (self->from, &error);
  AcqNpzReport report = { 0 };

  if (spool == NULL) {
    fail (self, error);
    return;
  }
  self->to = g_strdup (acq_npz_spool_get_path (spool));
  if (!place (self, root, options))
    return;
  acq_npz_spool_set_path (spool, self->to);
  if (g_file_test (self->to, G_FILE_TEST_EXISTS))
    self->result = RECOVER_BEFORE;
  else if (!acq_npz_spool_assemble (spool, options->deflate ? ACQ_ZIP_DEFLATED : ACQ_ZIP_STORED,
                                    ACQ_NPZ_SPOOL_RECOVER | ACQ_NPZ_SPOOL_KEEP, NULL, NULL, NULL,
                                    &report, &error))
    fail (self, error);
  else {
    add_npz_counts (self, &report);
    self->result = report.missing_rows + report.cut_bytes + report.unreadable > 0 ? RECOVER_LOSS
                                                                                  : RECOVER_DONE;
  }
}

/* Removing */

static void
remove_all (const char *path)
{
  g_autoptr (GDir) dir =
      g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    remove_all (child);
  }
  g_remove (path);
}

RecoverItem *
recover_item (const char *from, const char *root, const RecoverOptions *options)
{
  RecoverItem *self = g_new0 (RecoverItem, 1);
  gboolean spool = g_str_has_suffix (from, ACQ_NPZ_SPOOL_SUFFIX);

  self->from = g_strdup (from);
  self->kind = spool ? "npz" : "mcap";
  self->counts = g_array_new (FALSE, FALSE, sizeof (RecoverCount));
  if (spool)
    recover_npz (self, root, options);
  else
    recover_mcap (self, root, options);
  if (options->remove && self->result == RECOVER_DONE &&
      (spool || g_str_has_suffix (from, ".part")))
    remove_all (from);
  return self;
}

void
recover_item_free (RecoverItem *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->counts);
  g_free (self->problem);
  g_free (self->to);
  g_free (self->from);
  g_free (self);
}

int
recover_exit_code (GPtrArray *items)
{
  int exit_code = RECOVER_EXIT_OK;

  for (guint i = 0; i < items->len; i++) {
    const RecoverItem *item = items->pdata[i];

    if (item->result == RECOVER_FAILED)
      return RECOVER_EXIT_FAILED;
    if (item->result == RECOVER_LOSS)
      exit_code = RECOVER_EXIT_LOSS;
  }
  return exit_code;
}
