/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A frame is encoded once, straight into the chunk that carries it, on the sink's
 * thread; the writer's workers do the rest and tell when its bytes were taken.
 * Then, and not before, it is settled.
 */

#include "mcap-file.h"

#include "mcap-channel.h"
#include "mcap-rosbag2.h"
#include "mcap-story.h"

#include <stdatomic.h>
#include <sys/statvfs.h>

#define NS_PER_S G_GINT64_CONSTANT (1000000000)
#define MAX_CHANNELS 65535

/* A stream in this file. Lives as long as the file: workers know it. */
typedef struct {
  McapFile *file;
  AcqLink *link;
  AcqStream *stream;
  AcqCdrInput input;
  gsize bound; /* of the encoded message; 0 when it depends on the tail */
  McapChannelIds ids;
  gint64 replay_ns;   /* log time of a latched message that was shown again; 0 for none */
  guint32 n_replayed; /* worker: messages that are not to be settled */
} Lane;

struct _McapFile {
  AcqSink *sink; /* (unowned) */
  AcqTake *take;
  McapSettings settings;
  char *path;
  AcqMcapWriter *writer;
  GPtrArray *lanes;
  GHashTable *schema_ids; /* AcqSchema -> id */
  guint next_attachment;
  gint64 next_progress_ns;
  _Atomic gboolean ended;
  _Atomic gboolean told; /* the sink knows that writing failed */
};

static AcqFailCause
cause_of (const GError *error)
{
  return g_error_matches (error, ACQ_ERROR, ACQ_ERROR_NO_SPACE) ? ACQ_FAIL_NO_SPACE
                                                                : ACQ_FAIL_WRITE;
}

/* Worker. */
static void
on_written (gpointer user_data, const AcqMcapWritten *written, guint n_written, const GError *error)
{
  McapFile *self = user_data;

  for (guint i = 0; i < n_written; i++) {
    Lane *lane = written[i].data;
    guint32 skip = MIN (lane->n_replayed, written[i].n_messages);
    guint64 n = written[i].n_messages - skip;

    lane->n_replayed -= skip;
    if (n != 0 && error == NULL)
      acq_link_settle_written (lane->link, n);
    else if (n != 0)
      acq_link_settle_failed (lane->link, n, cause_of (error));
  }
  if (error != NULL && !atomic_load (&self->ended) && !atomic_exchange (&self->told, TRUE))
    acq_sink_fail (self->sink, cause_of (error), g_error_copy (error));
}

/* --- channels ----------------------------------------------------------- */

static gboolean
find_schema (McapFile *self, const AcqSchema *schema, guint16 *ret_id, GError **error)
{
  guint id = GPOINTER_TO_UINT (g_hash_table_lookup (self->schema_ids, schema));

  if (id == 0) {
    id = g_hash_table_size (self->schema_ids) + 1;
    if (!mcap_channel_declare_schema (self->writer, schema, id, error))
      return FALSE;
    g_hash_table_insert (self->schema_ids, (gpointer) schema, GUINT_TO_POINTER (id));
  }
  *ret_id = id;
  return TRUE;
}

static Lane *
lane_new (McapFile *self, AcqLink *link)
{
  Lane *lane = g_new0 (Lane, 1);

  lane->file = self;
  lane->link = link;
  lane->stream = acq_link_get_stream (link);
  lane->input = (AcqCdrInput){
    .schema = acq_stream_get_schema (lane->stream),
    .frame_id = acq_stream_get_frame_id (lane->stream),
    .constants = acq_stream_get_constants (lane->stream),
  };
  if (lane->input.schema->tail == NULL)
    lane->bound = acq_cdr_bound (&lane->input);
  g_ptr_array_add (self->lanes, lane);
  lane->ids.channel_id = self->lanes->len;
  return lane;
}

/* A link that is connected while a take begins is told twice. */
static gboolean
has_link (McapFile *self, AcqLink *link)
{
  for (guint i = 0; i < self->lanes->len; i++)
    if (((Lane *) self->lanes->pdata[i])->link == link)
      return TRUE;
  return FALSE;
}

gboolean
mcap_file_add_link (McapFile *self, AcqLink *link, GError **error)
{
  Lane *lane;

  if (has_link (self, link))
    return TRUE;
  if (self->lanes->len == MAX_CHANNELS) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "a file has room for %d channels",
                 MAX_CHANNELS);
    return FALSE;
  }
  lane = lane_new (self, link);
  acq_link_set_data (link, lane, NULL);
  return find_schema (self, lane->input.schema, &lane->ids.schema_id, error) &&
         mcap_channel_declare (self->writer, lane->stream, &lane->ids,
                               acq_sink_get_hold_back (self->sink), lane, error);
}

/* --- messages ----------------------------------------------------------- */

static gboolean
write_frame (Lane *lane, const AcqFrame *frame, gint64 log_time, gint64 publish_time,
             GError **error)
{
  AcqMcapWriter *writer = lane->file->writer;
  AcqCdrInput *input = &lane->input;
  guint8 *out;

  input->payload = frame->payload;
  input->payload_size = frame->size;
  input->stamp_ns = frame->stamp_ns;
  out = acq_mcap_writer_begin (writer, lane->ids.channel_id,
                               lane->bound != 0 ? lane->bound : acq_cdr_bound (input), error);
  if (out == NULL)
    return FALSE;
  acq_mcap_writer_commit (writer, acq_cdr_encode (input, out), (guint32) frame->seq, log_time,
                          frame->flags & ACQ_FRAME_DEVICE_TIME ? (gint64) frame->device_ns
                                                               : publish_time);
  return TRUE;
}

/*
 * A latched message from before the take is shown again at its start, with its
 * own times of publication and header.
 */
static gboolean
replay (Lane *lane, GError **error)
{
  g_autoptr (AcqFrame) latched = acq_stream_ref_latched (lane->stream);
  gint64 start_ns = acq_take_get_start (lane->file->take);

  if (latched == NULL || latched->host_ns >= start_ns)
    return TRUE;
  lane->n_replayed = 1;
  lane->replay_ns = start_ns;
  acq_link_count_replayed (lane->link);
  return write_frame (lane, latched, start_ns, latched->host_ns, error);
}

gboolean
mcap_file_write (McapFile *self, const AcqItem *items, guint n, GError **error)
{
  for (guint i = 0; i < n; i++) {
    const AcqFrame *frame = items[i].frame;
    Lane *lane = acq_link_get_data (items[i].link);
    gint64 log_time = MAX (frame->host_ns, lane->replay_ns + 1);

    if (!write_frame (lane, frame, log_time, log_time, error))
      return FALSE;
  }
  return TRUE;
}

/* --- time --------------------------------------------------------------- */

static void
show_progress (McapFile *self)
{
  AcqSinkProgress progress = { .bytes = acq_mcap_writer_get_size (self->writer) };
  struct statvfs disk;

  if (statvfs (acq_take_get_directory (self->take), &disk) == 0)
    progress.free_bytes = (guint64) disk.f_bavail * disk.f_frsize;
  acq_sink_set_progress (self->sink, &progress);
}

/* A failure that no message met: of a sync, or since the file was deleted. */
static gboolean
check_writer (McapFile *self, GError **error)
{
  g_autoptr (GError) failure = acq_mcap_writer_get_error (self->writer);

  if (failure == NULL)
    return TRUE;
  /* What is under way is settled before the engine counts the rest as failed. */
  acq_mcap_writer_drain (self->writer);
  atomic_store (&self->told, TRUE);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

gboolean
mcap_file_tick (McapFile *self, gint64 now_ns, GError **error)
{
  guint64 open_since;

  if (now_ns >= self->next_progress_ns) {
    self->next_progress_ns = now_ns + NS_PER_S / 2;
    show_progress (self);
    if (!check_writer (self, error))
      return FALSE;
  }
  if (!mcap_story_attach (self->writer, ACQ_NODE (self->sink), &self->next_attachment, error))
    return FALSE;
  /* What is left of the interval is for the workers and for a slow disk. */
  if (acq_mcap_writer_get_open_time (self->writer, &open_since) &&
      (gint64) open_since <= now_ns - self->settings.flush_ns * 6 / 10)
    return acq_mcap_writer_flush (self->writer, error);
  return TRUE;
}

/* --- the beginning ------------------------------------------------------ */

static gboolean
add_links (McapFile *self, GError **error)
{
  g_autoptr (GPtrArray) links = acq_sink_list_links (self->sink);

  for (guint i = 0; i < links->len; i++)
    if (!mcap_file_add_link (self, links->pdata[i], error))
      return FALSE;
  for (guint i = 0; i < self->lanes->len; i++) {
    Lane *lane = self->lanes->pdata[i];
    if (acq_stream_is_latched (lane->stream) && !replay (lane, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
start (McapFile *self, GError **error)
{
  AcqMcapWriterOptions options = self->settings.writer;
  AcqMcapOutput *output = acq_mcap_output_new_for_path (self->path, error);

  if (output == NULL)
    return FALSE;
  options.written = on_written;
  options.user_data = self;
  self->writer = acq_mcap_writer_new (output, &options, error);
  if (self->writer == NULL)
    return FALSE;
  mcap_story_begin (self->writer, ACQ_NODE (self->sink), self->take);
  /* On the disk at once: a recording that is killed has a head. */
  if (!mcap_story_attach (self->writer, ACQ_NODE (self->sink), &self->next_attachment, error) ||
      !add_links (self, error) || !acq_mcap_writer_flush (self->writer, error))
    return FALSE;
  /* How much room there is decides how large chunks may be. */
  acq_mcap_writer_drain (self->writer);
  return TRUE;
}

McapFile *
mcap_file_new (AcqSink *sink, AcqTake *take, const McapSettings *settings, GError **error)
{
  McapFile *self = g_new0 (McapFile, 1);

  self->sink = sink;
  self->take = acq_take_ref (take);
  self->settings = *settings;
  self->path = settings->discard ? g_strdup ("/dev/null") : acq_take_path_for (take, sink, ".mcap");
  self->lanes = g_ptr_array_new_with_free_func (g_free);
  self->schema_ids = g_hash_table_new (NULL, NULL);
  if (!start (self, error)) {
    mcap_file_free (self);
    return NULL;
  }
  return self;
}

void
mcap_file_free (McapFile *self)
{
  if (self == NULL)
    return;
  acq_mcap_writer_free (self->writer);
  g_ptr_array_unref (self->lanes);
  g_hash_table_unref (self->schema_ids);
  acq_take_unref (self->take);
  g_free (self->path);
  g_free (self);
}

/* --- the end ------------------------------------------------------------ */

void
mcap_file_end (McapFile *self)
{
  atomic_store (&self->ended, TRUE);
}

gboolean
mcap_file_finish (McapFile *self, GError **error)
{
  g_autoptr (GError) failure = NULL;

  mcap_story_attach (self->writer, ACQ_NODE (self->sink), &self->next_attachment, NULL);
  acq_mcap_writer_flush (self->writer, NULL);
  acq_mcap_writer_drain (self->writer);
  failure = acq_mcap_writer_get_error (self->writer);
  mcap_story_end (self->writer, ACQ_NODE (self->sink), self->take, failure);
  if (!acq_mcap_writer_finish (self->writer, error))
    return FALSE;
  if (!self->settings.discard)
    acq_take_add_file (self->take, self->sink, self->path, acq_mcap_writer_get_size (self->writer));
  show_progress (self);
  if (self->settings.rosbag2 && !mcap_rosbag2_write (self->path, self->take, self->sink, error))
    return FALSE;
  if (failure == NULL || atomic_load (&self->told))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}
