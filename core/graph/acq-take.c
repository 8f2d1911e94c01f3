/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/acq-take-private.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <acq/acq-error.h>
#include <acq/acq-graph.h>

#include "base/acq-wait-private.h"

/* Folders of the same second and task: `_2`, `_3` … */
#define MAX_FOLDERS 1000

static void
free_file (gpointer data)
{
  AcqTakeFile *file = data;

  g_free (file->sink);
  g_free (file->path);
  g_free (file);
}

/* File systems take 255 bytes for a name; the rest of it, suffixes too, needs some. */
#define MAX_TASK_BYTES 120

/* The task as part of a file name: letters and digits of any script, `-` and `_`. */
static char *
safe_name (const char *task)
{
  g_autofree char *text = g_utf8_make_valid (task != NULL && *task != '\0' ? task : "take", -1);
  GString *safe = g_string_new (NULL);

  for (const char *p = text; *p != '\0' && safe->len < MAX_TASK_BYTES; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    gboolean plain = g_unichar_isalnum (c) || g_unichar_ismark (c) || c == '-';

    g_string_append_unichar (safe, plain ? c : '_');
  }
  return g_string_free (safe, FALSE);
}

static char *
make_folder (const char *directory, const char *task, gint64 start_ns, char **ret_base,
             GError **error)
{
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (start_ns / 1000000000);
  g_autoptr (GDateTime) local = g_date_time_to_local (utc);
  g_autofree char *when = g_date_time_format (local, "%Y%m%d_%H%M%S");
  g_autofree char *name = safe_name (task);

  if (g_mkdir_with_parents (directory, 0777) != 0) {
    acq_set_error_errno (error, errno, "cannot make the recording directory %s", directory);
    return NULL;
  }
  for (int i = 1; i < MAX_FOLDERS; i++) {
    g_autofree char *suffix = i == 1 ? g_strdup ("") : g_strdup_printf ("_%d", i);
    g_autofree char *base = g_strdup_printf ("session_%s_%s%s", when, name, suffix);
    g_autofree char *path = g_build_filename (directory, base, NULL);

    if (mkdir (path, 0777) == 0) {
      *ret_base = g_steal_pointer (&base);
      return g_canonicalize_filename (path, NULL);
    }
    if (errno != EEXIST) {
      acq_set_error_errno (error, errno, "cannot make the folder %s", path);
      return NULL;
    }
  }
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "%s holds %d folders of this second already",
               directory, MAX_FOLDERS);
  return NULL;
}

AcqTake *
acq_take_new (const char *directory, const char *task, gint64 start_ns, GHashTable *facts,
              GError **error)
{
  char *base = NULL;
  char *folder = make_folder (directory, task, start_ns, &base, error);
  AcqTake *self;
  GHashTableIter iter;
  gpointer key, value;

  if (folder == NULL)
    return NULL;
  self = g_new0 (AcqTake, 1);
  self->refs = 1;
  self->directory = folder;
  self->base = base;
  self->task = g_strdup (task != NULL ? task : "");
  self->start_ns = start_ns;
  self->stop_ns = G_MAXINT64;
  self->facts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_hash_table_iter_init (&iter, facts);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (self->facts, g_strdup (key), g_strdup (value));
  self->files = g_ptr_array_new_with_free_func (free_file);
  self->progress = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  pthread_mutex_init (&self->lock, NULL);
  acq_cond_init (&self->changed);
  return self;
}

AcqTake *
acq_take_ref (AcqTake *self)
{
  atomic_fetch_add (&self->refs, 1);
  return self;
}

void
acq_take_unref (AcqTake *self)
{
  if (self == NULL || atomic_fetch_sub (&self->refs, 1) != 1)
    return;
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->lock);
  g_hash_table_unref (self->progress);
  g_hash_table_unref (self->facts);
  g_ptr_array_unref (self->files);
  g_free (self->task);
  g_free (self->base);
  g_free (self->directory);
  g_free (self);
}

void
acq_take_hold (AcqTake *self)
{
  pthread_mutex_lock (&self->lock);
  self->n_open++;
  pthread_mutex_unlock (&self->lock);
}

void
acq_take_release (AcqTake *self)
{
  pthread_mutex_lock (&self->lock);
  self->n_open--;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

gboolean
acq_take_wait (AcqTake *self, double timeout_s)
{
  gint64 deadline_ns = acq_deadline_in (timeout_s);
  gboolean done;

  pthread_mutex_lock (&self->lock);
  while (self->n_open > 0 && acq_cond_wait_until (&self->changed, &self->lock, deadline_ns))
    ;
  done = self->n_open == 0;
  pthread_mutex_unlock (&self->lock);
  return done;
}

void
acq_take_set_stop (AcqTake *self, gint64 stop_ns)
{
  pthread_mutex_lock (&self->lock);
  self->stop_ns = stop_ns;
  pthread_mutex_unlock (&self->lock);
}

void
acq_take_abort (AcqTake *self)
{
  pthread_mutex_lock (&self->lock);
  self->aborted = TRUE;
  pthread_mutex_unlock (&self->lock);
}

gboolean
acq_take_is_aborted (AcqTake *self)
{
  gboolean aborted;

  pthread_mutex_lock (&self->lock);
  aborted = self->aborted;
  pthread_mutex_unlock (&self->lock);
  return aborted;
}

const char *
acq_take_get_directory (AcqTake *self)
{
  return self->directory;
}

const char *
acq_take_get_base (AcqTake *self)
{
  return self->base;
}

const char *
acq_take_get_task (AcqTake *self)
{
  return self->task;
}

gint64
acq_take_get_start (AcqTake *self)
{
  return self->start_ns;
}

gint64
acq_take_get_stop (AcqTake *self)
{
  gint64 stop_ns;

  pthread_mutex_lock (&self->lock);
  stop_ns = self->stop_ns;
  pthread_mutex_unlock (&self->lock);
  return stop_ns;
}

char *
acq_take_get_fact (AcqTake *self, const char *key)
{
  return g_strdup (g_hash_table_lookup (self->facts, key));
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

const char **
acq_take_list_facts (AcqTake *self)
{
  guint n;
  const char **keys = (const char **) g_hash_table_get_keys_as_array (self->facts, &n);

  qsort (keys, n, sizeof *keys, compare_keys);
  return keys;
}

char *
acq_take_path_for (AcqTake *self, AcqSink *sink, const char *suffix)
{
  AcqNode *node = ACQ_NODE (sink);
  AcqGraph *graph = acq_node_get_graph (node);
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (graph);
  g_autofree char *name = NULL;
  guint n_alike = 0;

  for (guint i = 0; i < nodes->len; i++)
    n_alike += G_OBJECT_TYPE (nodes->pdata[i]) == G_OBJECT_TYPE (node);
  name = n_alike > 1 ? g_strdup_printf ("%s.%s%s", self->base, acq_node_get_id (node), suffix)
                     : g_strconcat (self->base, suffix, NULL);
  return g_build_filename (self->directory, name, NULL);
}

void
acq_take_add_file (AcqTake *self, AcqSink *sink, const char *path, guint64 bytes)
{
  AcqTakeFile *file = g_new0 (AcqTakeFile, 1);

  file->sink = sink != NULL ? g_strdup (acq_node_get_id (ACQ_NODE (sink))) : NULL;
  file->path = g_strdup (path);
  file->bytes = bytes;
  pthread_mutex_lock (&self->lock);
  g_ptr_array_add (self->files, file);
  pthread_mutex_unlock (&self->lock);
}

char **
acq_take_list_files (AcqTake *self)
{
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();

  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < self->files->len; i++)
    g_strv_builder_add (paths, ((AcqTakeFile *) self->files->pdata[i])->path);
  pthread_mutex_unlock (&self->lock);
  return g_strv_builder_end (paths);
}

void
acq_take_set_progress (AcqTake *self, AcqSink *sink, double fraction)
{
  double *value = g_new (double, 1);

  *value = CLAMP (fraction, 0, 1);
  pthread_mutex_lock (&self->lock);
  g_hash_table_replace (self->progress, g_strdup (acq_node_get_id (ACQ_NODE (sink))), value);
  pthread_mutex_unlock (&self->lock);
}

double
acq_take_get_progress (AcqTake *self, const char *sink)
{
  double *value;
  double fraction;

  pthread_mutex_lock (&self->lock);
  value = g_hash_table_lookup (self->progress, sink);
  fraction = value != NULL ? *value : -1;
  pthread_mutex_unlock (&self->lock);
  return fraction;
}
