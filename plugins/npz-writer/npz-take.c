/* SPDX-License-Identifier: Apache-2.0 */
#include "npz-take.h"

#include "npz-meta.h"
#include "npz-names.h"

#include <sys/statvfs.h>

#define NS_PER_US 1000
#define NS_PER_S G_GINT64_CONSTANT (1000000000)

/* Rows of one stream in memory; most streams are flushed by age long before. */
#define BUFFER_SIZE (64u << 10)

static void
free_stream (gpointer data)
{
  NpzStream *s = data;

  if (s->link != NULL && acq_link_get_data (s->link) == s)
    acq_link_set_data (s->link, NULL, NULL);
  acq_npy_spool_free (s->table);
  npz_layout_free (s->layout);
  g_free (s->stem);
  g_free (s);
}

/* Tells the engine of the frames that the system has now. */
static void
settle (NpzStream *s)
{
  guint64 n_written = acq_npy_spool_get_n_written (s->table);

  if (n_written > s->n_settled && s->link != NULL)
    acq_link_settle_written (s->link, n_written - s->n_settled);
  s->n_settled = n_written;
}

static gboolean
flush_stream (NpzTake *self, NpzStream *s, GError **error)
{
  gboolean ok = acq_npy_spool_flush (s->table, error);

  self->damaged |= !ok;
  s->oldest_ns = 0;
  settle (s);
  return ok;
}

static gboolean
put_row (NpzTake *self, NpzStream *s, const AcqFrame *frame, gint64 host_us, GError **error)
{
  gboolean ok;

  if (host_us <= s->last_us) {
    host_us = s->last_us + 1;
    s->n_adjusted++;
  }
  s->last_us = host_us;
  npz_layout_fill (s->layout, frame, host_us, acq_npy_spool_begin_row (s->table));
  ok = acq_npy_spool_commit_row (s->table, error);
  self->damaged |= !ok;
  return ok;
}

/* So that session.json calls the device as the keys do. */
static void
tell_name (NpzTake *self, AcqNode *node)
{
  const char *name = npz_names_lookup (self->settings.device_names, acq_node_get_id (node));

  if (ACQ_IS_SOURCE (node) && !g_str_equal (name, acq_node_get_id (node)))
    acq_node_set_fact (node, "device_name", name);
}

/* The last message of a latched stream, if it came before the take: it still holds. */
static gboolean
replay_latched (NpzTake *self, NpzStream *s, GError **error)
{
  gint64 start_ns = acq_take_get_start (self->take);
  g_autoptr (AcqFrame) frame = acq_stream_ref_latched (s->stream);
  gboolean ok;

  if (frame == NULL || frame->host_ns >= start_ns)
    return TRUE;
  ok = put_row (self, s, frame, start_ns / NS_PER_US, error) &&
       acq_npy_spool_flush (s->table, error);
  s->n_settled = acq_npy_spool_get_n_written (s->table); /* it was settled in its own time */
  if (ok)
    acq_link_count_replayed (s->link);
  return ok;
}

static gboolean
make_table (NpzTake *self, NpzStream *s, GError **error)
{
  const AcqNpyField *fields;
  guint n_fields;

  s->layout = npz_layout_new (s->stream, s->stem, error);
  if (s->layout == NULL)
    return FALSE;
  fields = npz_layout_get_fields (s->layout, &n_fields);
  s->table = acq_npz_spool_add_table (self->spool, s->stem, fields, n_fields, BUFFER_SIZE, error);
  return s->table != NULL;
}

gboolean
npz_take_add_link (NpzTake *self, AcqLink *link, GError **error)
{
  NpzStream *s = g_new0 (NpzStream, 1);
  AcqNode *node = acq_stream_get_node (acq_link_get_stream (link));
  const char *device = npz_names_lookup (self->settings.device_names, acq_node_get_id (node));

  g_ptr_array_add (self->streams, s);
  s->link = link;
  s->stream = acq_link_get_stream (link);
  s->last_us = G_MININT64;
  s->stem = npz_names_make_stem (self->settings.device_names, s->stream, self->stems);
  g_hash_table_add (self->stems, s->stem);
  if (!make_table (self, s, error)) {
    g_hash_table_remove (self->stems, s->stem);
    g_ptr_array_remove (self->streams, s);
    return FALSE;
  }
  acq_link_set_data (link, s, NULL);
  /* session.json calls the device as our keys do. */
  if (device != acq_node_get_id (node))
    acq_node_set_fact (node, "device_name", device);
  self->describe = TRUE;
  tell_name (self, acq_stream_get_node (s->stream));
  return replay_latched (self, s, error);
}

static gboolean
describe (NpzTake *self, GError **error)
{
  g_autofree char *meta = npz_meta_make (self);

  self->describe = FALSE;
  return acq_npz_spool_set_text (self->spool, "meta", meta, error);
}

NpzTake *
npz_take_new (AcqSink *sink, AcqTake *take, const NpzSettings *settings, GError **error)
{
  g_autoptr (NpzTake) self = g_new0 (NpzTake, 1);
  g_autoptr (GPtrArray) links = acq_sink_list_links (sink);
  g_autofree char *path = acq_take_path_for (take, sink, ".npz");

  self->sink = sink;
  self->take = acq_take_ref (take);
  self->settings = *settings;
  self->settings.device_names = g_strdupv (settings->device_names);
  self->streams = g_ptr_array_new_with_free_func (free_stream);
  self->stems = g_hash_table_new (g_str_hash, g_str_equal);
  self->spool = acq_npz_spool_new (path, error);
  if (self->spool == NULL)
    return NULL;
  for (guint i = 0; i < links->len; i++)
    if (!npz_take_add_link (self, links->pdata[i], error))
      return NULL;
  return describe (self, error) ? g_steal_pointer (&self) : NULL;
}

gboolean
npz_take_write (NpzTake *self, const AcqItem *items, guint n, GError **error)
{
  for (guint i = 0; i < n; i++) {
    NpzStream *s = acq_link_get_data (items[i].link);
    const AcqFrame *frame = items[i].frame;
    gboolean ok = put_row (self, s, frame, frame->host_ns / NS_PER_US, error);

    if (s->oldest_ns == 0)
      s->oldest_ns = frame->host_ns;
    if (acq_npy_spool_get_n_written (s->table) == acq_npy_spool_get_n_rows (s->table))
      s->oldest_ns = 0;
    settle (s);
    if (!ok)
      return FALSE;
  }
  return TRUE;
}

static void
tell_status (NpzTake *self, gint64 now_ns)
{
  AcqSinkProgress progress = { 0 };
  struct statvfs fs;

  self->told_ns = now_ns;
  for (guint i = 0; i < self->streams->len; i++) {
    const NpzStream *s = self->streams->pdata[i];

    progress.bytes +=
        acq_npy_spool_get_n_written (s->table) * acq_npy_spool_get_row_size (s->table);
  }
  if (statvfs (acq_npz_spool_get_directory (self->spool), &fs) == 0)
    progress.free_bytes = (guint64) fs.f_bavail * fs.f_frsize;
  acq_sink_set_progress (self->sink, &progress);
}

void
npz_take_rescue (NpzTake *self)
{
  for (guint i = 0; i < self->streams->len; i++) {
    NpzStream *s = self->streams->pdata[i];

    flush_stream (self, s, NULL);
  }
}

gboolean
npz_take_tick (NpzTake *self, gint64 now_ns, GError **error)
{
  /* What waits for us in the queue is a part of the time that a crash may cost. */
  gint64 due_ns = now_ns - self->settings.flush_ns * 6 / 10;
  gboolean tell = now_ns - self->told_ns >= NS_PER_S;

  if (tell && !acq_npz_spool_check (self->spool, error))
    return FALSE;
  for (guint i = 0; i < self->streams->len; i++) {
    NpzStream *s = self->streams->pdata[i];

    if (s->oldest_ns != 0 && s->oldest_ns <= due_ns && !flush_stream (self, s, error))
      return FALSE;
  }
  if (tell)
    tell_status (self, now_ns);
  return !self->describe || describe (self, error);
}

gboolean
npz_take_end (NpzTake *self, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < self->streams->len; i++) {
    NpzStream *s = self->streams->pdata[i];

    /* One stream that cannot be written does not stop the others; the first error is told. */
    if (!flush_stream (self, s, ok ? error : NULL))
      ok = FALSE;
    acq_link_set_data (s->link, NULL, NULL);
    s->link = NULL;
  }
  self->ended = TRUE;
  if (!describe (self, ok ? error : NULL))
    ok = FALSE;
  tell_status (self, 0);
  for (guint i = 0; i < self->streams->len; i++)
    g_clear_pointer (&((NpzStream *) self->streams->pdata[i])->table, acq_npy_spool_free);
  return ok;
}

static void
tell_progress (guint64 done, guint64 total, gpointer data)
{
  NpzTake *self = data;

  if (total > 0)
    acq_take_set_progress (self->take, self->sink, (double) done / (double) total);
}

gboolean
npz_take_finish (NpzTake *self, GError **error)
{
  AcqNpzSpoolFlags flags = self->damaged ? ACQ_NPZ_SPOOL_RECOVER : ACQ_NPZ_SPOOL_NONE;
  AcqNpzReport report;

  if (!acq_npz_spool_check (self->spool, error))
    return FALSE;
  if (!acq_npz_spool_assemble (self->spool, self->settings.method, flags, NULL, tell_progress, self,
                               &report, error)) {
    g_prefix_error (error,
                    "what was recorded is kept in %s, and acq-recover makes the file of it: ",
                    acq_npz_spool_get_directory (self->spool));
    return FALSE;
  }
  acq_take_add_file (self->take, self->sink, acq_npz_spool_get_path (self->spool), report.bytes);
  return TRUE;
}

void
npz_take_free (NpzTake *self)
{
  if (self == NULL)
    return;
  if (self->streams != NULL)
    g_ptr_array_unref (self->streams);
  if (self->stems != NULL)
    g_hash_table_unref (self->stems);
  acq_npz_spool_free (self->spool);
  g_strfreev (self->settings.device_names);
  acq_take_unref (self->take);
  g_free (self);
}
