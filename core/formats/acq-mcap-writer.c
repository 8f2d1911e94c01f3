/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-mcap-writer.h>

#include "formats/acq-crc32-private.h"
#include "formats/acq-mcap-file-private.h"
#include "formats/acq-mcap-queue-private.h"
#include "formats/acq-mcap-registry-private.h"
#include "formats/acq-mcap-sync-private.h"

#define MIN_CHUNK_SIZE 1024
#define MAX_CHUNK_SIZE (256 * 1024 * 1024)

/* All of it is the producer's, except what file and queue do by themselves. */
struct _AcqMcapWriter {
  AcqMcapWriterOptions options;
  char *profile;
  char *library;
  AcqMcapFile *file;
  AcqMcapQueue *queue;
  AcqMcapSync *sync;

  AcqMcapBlock *block; /* (nullable): the open one */
  gsize limit;         /* bytes of records that it takes without a closer look */
  AcqMcapBlock *last;  /* (nullable): what is said after a failure, for the end of the file */
  AcqMcapRegistry schemas;
  AcqMcapRegistry channels;
  GByteArray *scratch;

  AcqMcapEntry *begun; /* (nullable): the channel of the message between begin and commit */
  guint16 begun_id;
};

const char *
acq_mcap_compression_name (AcqMcapCompression compression)
{
  switch (compression) {
  case ACQ_MCAP_COMPRESSION_NONE:
    return "";
  case ACQ_MCAP_COMPRESSION_LZ4:
    return "lz4";
  case ACQ_MCAP_COMPRESSION_ZSTD:
    return "zstd";
  }
  g_return_val_if_reached ("");
}

static void
write_block (gpointer data, AcqMcapBlock *block)
{
  acq_mcap_file_write (data, block);
}

static gboolean
is_chunked (AcqMcapWriter *self)
{
  return (self->options.parts & ACQ_MCAP_PART_CHUNKS) != 0;
}

/* Only a chunked file has a place in front of the open chunk. */
static gboolean
declares_in_records (AcqMcapWriter *self)
{
  return !is_chunked (self) || (self->options.parts & ACQ_MCAP_PART_CHANNELS_IN_CHUNKS);
}

static AcqMcapBlock *
open_block (AcqMcapWriter *self)
{
  if (self->block == NULL) {
    self->block = acq_mcap_queue_acquire (self->queue);
    acq_mcap_block_set_n_runs (self->block, self->channels.n);
  }
  return self->block;
}

static void
close_block (AcqMcapWriter *self)
{
  if (self->block == NULL || acq_mcap_block_is_empty (self->block))
    return;
  self->block->n_schemas = self->schemas.declared->len;
  self->block->n_channels = self->channels.declared->len;
  acq_mcap_queue_submit (self->queue);
  self->block = NULL;
  self->limit = 0;
}

/* Where records go that stand outside of chunks. */
static AcqMcapBlock *
outside_block (AcqMcapWriter *self)
{
  if (!acq_mcap_file_has_failed (self->file))
    return open_block (self);
  if (self->last == NULL)
    self->last = acq_mcap_block_new (self->options.parts);
  return self->last;
}

/* Appends a record outside of chunks; returns where in the block it begins. */
static gsize
place_outside (AcqMcapWriter *self, AcqMcapBlock *block, const GByteArray *record)
{
  gsize at = block->before->len;

  if (is_chunked (self) || block == self->last) {
    g_byte_array_append (block->before, record->data, record->len);
    return at;
  }
  at += block->size;
  acq_mcap_block_append (block, record->data, record->len, self->options.chunk_size);
  return at;
}

static void
close_if_full (AcqMcapWriter *self)
{
  if (self->block != NULL && (self->block->size >= self->options.chunk_size ||
                              self->block->before->len >= self->options.chunk_size))
    close_block (self);
}

static void
place_header (AcqMcapWriter *self)
{
  AcqMcapRecord record = { ACQ_MCAP_HEADER };
  GByteArray *before = open_block (self)->before;

  record.header.profile = acq_mcap_text (self->profile);
  record.header.library = acq_mcap_text (self->library);
  g_byte_array_append (before, (const guint8 *) ACQ_MCAP_MAGIC, ACQ_MCAP_MAGIC_SIZE);
  acq_mcap_encode (before, &record);
}

static gboolean
start (AcqMcapWriter *self, GError **error)
{
  gsize chunk_size = self->options.chunk_size;

  if (chunk_size < MIN_CHUNK_SIZE || chunk_size > MAX_CHUNK_SIZE) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "a chunk size of %" G_GSIZE_FORMAT " bytes is not possible: %d to %d are",
                 chunk_size, MIN_CHUNK_SIZE, MAX_CHUNK_SIZE);
    return FALSE;
  }
  self->queue = acq_mcap_queue_new (&self->options, write_block, self->file, error);
  if (self->queue == NULL)
    return FALSE;
  if (self->options.sync_interval_ms != 0) {
    self->sync = acq_mcap_sync_new (self->file, self->options.sync_interval_ms, error);
    if (self->sync == NULL)
      return FALSE;
  }
  place_header (self);
  return TRUE;
}

AcqMcapWriter *
acq_mcap_writer_new (AcqMcapOutput *output, const AcqMcapWriterOptions *options, GError **error)
{
  g_autoptr (AcqMcapWriter) self = g_new0 (AcqMcapWriter, 1);

  self->options = *options;
  self->profile = g_strdup (options->profile);
  self->library = g_strdup (options->library != NULL ? options->library : "libacq " ACQ_VERSION);
  self->file = acq_mcap_file_new (output, &self->options);
  acq_mcap_registry_init (&self->schemas);
  acq_mcap_registry_init (&self->channels);
  self->scratch = g_byte_array_new ();
  return start (self, error) ? g_steal_pointer (&self) : NULL;
}

void
acq_mcap_writer_free (AcqMcapWriter *self)
{
  if (self == NULL)
    return;
  acq_mcap_sync_free (self->sync);
  acq_mcap_queue_free (self->queue);
  acq_mcap_file_free (self->file);
  acq_mcap_block_free (self->last);
  acq_mcap_registry_clear (&self->schemas);
  acq_mcap_registry_clear (&self->channels);
  g_byte_array_unref (self->scratch);
  g_free (self->profile);
  g_free (self->library);
  g_free (self);
}

/* %FALSE when the file takes nothing any more. */
static gboolean
check_file (AcqMcapWriter *self, GError **error)
{
  if (!acq_mcap_file_has_failed (self->file))
    return TRUE;
  g_propagate_error (error, acq_mcap_file_get_error (self->file));
  return FALSE;
}

/* --- schemas and channels ----------------------------------------------- */

static void
place_entry (AcqMcapWriter *self, AcqMcapRegistry *registry, AcqMcapEntry *entry)
{
  if (entry->placed)
    return;
  if (declares_in_records (self))
    acq_mcap_block_append (open_block (self), entry->record->data, entry->record->len,
                           self->options.chunk_size);
  else
    place_outside (self, open_block (self), entry->record);
  acq_mcap_registry_place (registry, entry);
}

static void
place_channel (AcqMcapWriter *self, AcqMcapEntry *entry)
{
  if (entry->schema_id != 0)
    place_entry (self, &self->schemas, acq_mcap_registry_get (&self->schemas, entry->schema_id));
  place_entry (self, &self->channels, entry);
}

/* In a chunk a channel waits for its first message: a chunk without messages is no good. */
static gboolean
declares_late (AcqMcapWriter *self)
{
  return is_chunked (self) && declares_in_records (self);
}

gboolean
acq_mcap_writer_add_schema (AcqMcapWriter *self, const AcqMcapSchema *schema, GError **error)
{
  AcqMcapRecord record = { ACQ_MCAP_SCHEMA, .schema = *schema };
  AcqMcapEntry *entry;

  if (schema->id == 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "0 is not the id of a schema: it means that a channel has none");
    return FALSE;
  }
  if (!check_file (self, error))
    return FALSE;
  entry = acq_mcap_registry_add (&self->schemas, schema->id, &record, error);
  if (entry != NULL && !declares_late (self))
    place_entry (self, &self->schemas, entry);
  return entry != NULL;
}

gboolean
acq_mcap_writer_add_channel (AcqMcapWriter *self, const AcqMcapChannel *channel, gpointer data,
                             GError **error)
{
  AcqMcapRecord record = { ACQ_MCAP_CHANNEL, .channel = *channel };
  AcqMcapEntry *entry;

  if (channel->schema_id != 0 &&
      acq_mcap_registry_get (&self->schemas, channel->schema_id) == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "channel %u needs schema %u, which is not declared", channel->id,
                 channel->schema_id);
    return FALSE;
  }
  if (!check_file (self, error))
    return FALSE;
  entry = acq_mcap_registry_add (&self->channels, channel->id, &record, error);
  if (entry == NULL)
    return FALSE;
  entry->schema_id = channel->schema_id;
  entry->data = data;
  if (self->block != NULL)
    acq_mcap_block_set_n_runs (self->block, self->channels.n);
  if (!declares_late (self))
    place_channel (self, entry);
  return TRUE;
}

/* --- messages ----------------------------------------------------------- */

/* Whether the channel must be declared first, and what that takes. */
static gsize
size_of_declaration (AcqMcapWriter *self, AcqMcapEntry *entry)
{
  AcqMcapEntry *schema = acq_mcap_registry_get (&self->schemas, entry->schema_id);
  gsize size = 0;

  if (entry->placed)
    return 0;
  if (schema != NULL && !schema->placed)
    size += schema->record->len;
  return size + entry->record->len;
}

static gboolean
prepare (AcqMcapWriter *self, AcqMcapEntry *entry, gsize size, GError **error)
{
  gsize needed = size + size_of_declaration (self, entry);
  gsize limit = acq_mcap_file_get_chunk_limit (self->file);

  if (!check_file (self, error))
    return FALSE;
  /* Decide before the declaration is laid down, or it may stand alone in a chunk. */
  if (self->block != NULL && self->block->size != 0 && self->block->size + needed > limit)
    close_block (self);
  open_block (self);
  place_channel (self, entry);
  acq_mcap_block_grow (self->block, size, self->options.chunk_size);
  self->limit = limit;
  return TRUE;
}

guint8 *
acq_mcap_writer_begin (AcqMcapWriter *self, guint16 channel_id, gsize max_size, GError **error)
{
  AcqMcapEntry *entry = acq_mcap_registry_get (&self->channels, channel_id);
  gsize size = ACQ_MCAP_MESSAGE_HEAD_SIZE + max_size;
  AcqMcapBlock *block = self->block;

  if (G_UNLIKELY (entry == NULL)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION, "channel %u is not declared", channel_id);
    return NULL;
  }
  if (G_UNLIKELY (block == NULL || block->size + size > self->limit || !entry->placed)) {
    if (!prepare (self, entry, size, error))
      return NULL;
    block = self->block;
  }
  self->begun = entry;
  self->begun_id = channel_id;
  return block->records + block->size + ACQ_MCAP_MESSAGE_HEAD_SIZE;
}

void
acq_mcap_writer_commit (AcqMcapWriter *self, gsize size, guint32 sequence, guint64 log_time,
                        guint64 publish_time)
{
  AcqMcapEntry *entry = self->begun;

  acq_mcap_block_commit (self->block, entry->number, self->begun_id, entry->data, size, sequence,
                         log_time, publish_time);
  if (G_UNLIKELY (self->block->size >= self->options.chunk_size))
    close_block (self);
}

gboolean
acq_mcap_writer_add_message (AcqMcapWriter *self, const AcqMcapMessage *message, GError **error)
{
  guint8 *payload = acq_mcap_writer_begin (self, message->channel_id, message->data.size, error);

  if (payload == NULL)
    return FALSE;
  if (message->data.size != 0)
    memcpy (payload, message->data.data, message->data.size);
  acq_mcap_writer_commit (self, message->data.size, message->sequence, message->log_time,
                          message->publish_time);
  return TRUE;
}

gboolean
acq_mcap_writer_get_open_time (AcqMcapWriter *self, guint64 *ret_log_time)
{
  if (self->block == NULL || self->block->n_used == 0)
    return FALSE;
  *ret_log_time = self->block->start_time;
  return TRUE;
}

/* --- attachments and metadata ------------------------------------------- */

gboolean
acq_mcap_writer_add_attachment (AcqMcapWriter *self, const AcqMcapAttachment *attachment,
                                GError **error)
{
  AcqMcapRecord record = { ACQ_MCAP_ATTACHMENT, .attachment = *attachment };
  AcqMcapRecord index = { ACQ_MCAP_ATTACHMENT_INDEX };
  AcqMcapBlock *block = outside_block (self);
  GByteArray *bytes = self->scratch;
  guint8 *crc;

  if (attachment->data.size > G_MAXINT32 / 2) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "an attachment of %" G_GSIZE_FORMAT " bytes is too large: at most %d",
                 attachment->data.size, G_MAXINT32 / 2);
    return FALSE;
  }
  g_byte_array_set_size (bytes, 0);
  acq_mcap_encode (bytes, &record);
  crc = bytes->data + bytes->len - 4;
  acq_le32_put (crc, self->options.parts & ACQ_MCAP_PART_ATTACHMENT_CRC
                         ? acq_crc32 (0, bytes->data + ACQ_MCAP_FRAMING_SIZE,
                                      bytes->len - ACQ_MCAP_FRAMING_SIZE - 4)
                         : 0);
  index.attachment_index = (AcqMcapAttachmentIndex){
    .offset = place_outside (self, block, bytes),
    .length = bytes->len,
    .log_time = attachment->log_time,
    .create_time = attachment->create_time,
    .data_size = attachment->data.size,
    .name = attachment->name,
    .media_type = attachment->media_type,
  };
  acq_mcap_encode (block->attachments.records, &index);
  block->attachments.n++;
  close_if_full (self);
  return TRUE;
}

void
acq_mcap_writer_add_metadata (AcqMcapWriter *self, const AcqMcapMetadata *metadata)
{
  AcqMcapRecord record = { ACQ_MCAP_METADATA, .metadata = *metadata };
  AcqMcapRecord index = { ACQ_MCAP_METADATA_INDEX };
  AcqMcapBlock *block = outside_block (self);

  g_byte_array_set_size (self->scratch, 0);
  acq_mcap_encode (self->scratch, &record);
  index.metadata_index = (AcqMcapMetadataIndex){
    .offset = place_outside (self, block, self->scratch),
    .length = self->scratch->len,
    .name = metadata->name,
  };
  acq_mcap_encode (block->metadata.records, &index);
  block->metadata.n++;
  close_if_full (self);
}

/* --- the end ------------------------------------------------------------ */

gboolean
acq_mcap_writer_flush (AcqMcapWriter *self, GError **error)
{
  close_block (self);
  return check_file (self, error);
}

void
acq_mcap_writer_drain (AcqMcapWriter *self)
{
  acq_mcap_queue_drain (self->queue);
}

GError *
acq_mcap_writer_get_error (AcqMcapWriter *self)
{
  return acq_mcap_file_get_error (self->file);
}

guint64
acq_mcap_writer_get_size (AcqMcapWriter *self)
{
  return acq_mcap_file_get_size (self->file);
}

gboolean
acq_mcap_writer_finish (AcqMcapWriter *self, GError **error)
{
  close_block (self);
  acq_mcap_queue_drain (self->queue);
  g_clear_pointer (&self->sync, acq_mcap_sync_free);
  return acq_mcap_file_finish (self->file, self->last, self->schemas.declared,
                               self->channels.declared, error);
}
