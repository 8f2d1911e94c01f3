/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Reads a damaged file from front to back and writes every message, attachment
 * and metadata record that is good through a writer, which makes all indexes
 * and counts anew. Nothing that the file says about itself is believed, except
 * schemas and channels of a summary whose CRC is right.
 */

#include <acq/acq-error.h>
#include <acq/acq-mcap-reader.h>
#include <acq/acq-mcap-recover.h>
#include <acq/acq-mcap-writer.h>

#include "formats/acq-mcap-chunk-private.h"
#include "formats/acq-mcap-recovery-private.h"
#include "formats/acq-mcap-resync-private.h"

#include <string.h>

typedef struct {
  AcqMcapSpan file;
  AcqMcapRecoverFlags flags;
  AcqMcapWriter *writer;
  AcqMcapReader *summary; /* (nullable): knows the schemas and channels of the summary */
  GHashTable *channels;   /* ids that are declared in the new file */
  GHashTable *schemas;
  AcqMcapRoom room;
  guint64
      uncounted; /* messages of the last, damaged chunk that were kept: its indexes count them */
  gboolean counting; /* that chunk's indexes may follow */
  AcqMcapRecovery result;
  GError *error; /* of the output: the end */
} Recover;

/* An error of the output ends it; what the writer refuses is lost. */
static gboolean
accept (Recover *self, gboolean done, GError *error, guint64 *kept, guint64 *lost)
{
  if (done) {
    *kept += 1;
    return TRUE;
  }
  if (error != NULL && error->code != ACQ_ERROR_OPTION && self->error == NULL)
    self->error = g_error_copy (error);
  *lost += 1;
  g_clear_error (&error);
  return FALSE;
}

/* --- records ------------------------------------------------------------ */

static void
keep_schema (Recover *self, const AcqMcapSchema *schema)
{
  AcqMcapSchema sound = *schema;
  GError *error = NULL;
  guint64 n_kept = 0;
  gboolean done;

  /* Data of no encoding means nothing and is not allowed; the name may still be right. */
  if (sound.encoding.size == 0 && sound.data.size != 0) {
    sound.data.size = 0;
    self->result.lost_records++;
  }
  done = acq_mcap_writer_add_schema (self->writer, &sound, &error);
  if (accept (self, done, error, &n_kept, &self->result.lost_records))
    g_hash_table_add (self->schemas, GUINT_TO_POINTER (schema->id));
}

static gboolean
knows_schema (Recover *self, guint16 id)
{
  const AcqMcapSchema *schema;

  if (id == 0 || g_hash_table_contains (self->schemas, GUINT_TO_POINTER (id)))
    return TRUE;
  schema = self->summary != NULL ? acq_mcap_reader_get_schema (self->summary, id) : NULL;
  if (schema != NULL)
    keep_schema (self, schema);
  return g_hash_table_contains (self->schemas, GUINT_TO_POINTER (id));
}

static void
keep_channel (Recover *self, const AcqMcapChannel *channel)
{
  AcqMcapChannel sound = *channel;
  GError *error = NULL;
  guint64 n_kept = 0;
  gboolean done;

  /* Messages whose schema is gone are better than none. */
  if (!knows_schema (self, sound.schema_id)) {
    sound.schema_id = 0;
    self->result.lost_records++;
  }
  done = acq_mcap_writer_add_channel (self->writer, &sound, NULL, &error);
  if (accept (self, done, error, &n_kept, &self->result.lost_records))
    g_hash_table_add (self->channels, GUINT_TO_POINTER (channel->id));
}

static gboolean
knows_channel (Recover *self, guint16 id)
{
  const AcqMcapChannel *channel;

  if (g_hash_table_contains (self->channels, GUINT_TO_POINTER (id)))
    return TRUE;
  channel = self->summary != NULL ? acq_mcap_reader_get_channel (self->summary, id) : NULL;
  if (channel != NULL)
    keep_channel (self, channel);
  return g_hash_table_contains (self->channels, GUINT_TO_POINTER (id));
}

static void
keep_message (Recover *self, const AcqMcapMessage *message)
{
  GError *error = NULL;
  gboolean done = knows_channel (self, message->channel_id) &&
                  acq_mcap_writer_add_message (self->writer, message, &error);

  accept (self, done, error, &self->result.messages, &self->result.lost_messages);
}

static void
keep_attachment (Recover *self, AcqMcapSpan content, const AcqMcapAttachment *attachment)
{
  GError *error = NULL;
  gboolean done = ((self->flags & ACQ_MCAP_RECOVER_KEEP_DAMAGED) ||
                   acq_mcap_attachment_is_intact (content, attachment->crc)) &&
                  acq_mcap_writer_add_attachment (self->writer, attachment, &error);

  accept (self, done, error, &self->result.attachments, &self->result.lost_attachments);
}

/* Schema, Channel or Message; in a chunk or not. */
static void
keep_record (Recover *self, const AcqMcapRecord *record)
{
  switch (record->opcode) {
  case ACQ_MCAP_SCHEMA:
    keep_schema (self, &record->schema);
    break;
  case ACQ_MCAP_CHANNEL:
    keep_channel (self, &record->channel);
    break;
  case ACQ_MCAP_MESSAGE:
    keep_message (self, &record->message);
    break;
  default:
    self->result.lost_records++;
    break;
  }
}

/* --- chunks ------------------------------------------------------------- */

/* @end_is_cut: the last record may be incomplete without being damaged. */
static void
keep_records (Recover *self, AcqMcapSpan records, gboolean end_is_cut)
{
  g_autoptr (GError) error = NULL;
  gsize position = 0;
  AcqMcapSpan content;
  AcqMcapRecord record;
  guint8 opcode;

  while (self->error == NULL && acq_mcap_next (records, &position, &opcode, &content, &error)) {
    if (acq_mcap_decode (opcode, content, &record, NULL))
      keep_record (self, &record);
    else
      self->result.lost_records++;
  }
  if (error != NULL && !end_is_cut)
    self->result.lost_records++;
}

/* @cut: the file ends inside, so what can be unpacked is the untouched head of the chunk. */
static void
keep_chunk (Recover *self, const AcqMcapChunk *chunk, gboolean cut)
{
  guint64 before = self->result.messages;
  gboolean keep_damaged = (self->flags & ACQ_MCAP_RECOVER_KEEP_DAMAGED) != 0;
  AcqMcapSpan records;

  self->counting = FALSE;
  if (acq_mcap_chunk_unpack (chunk, &self->room, &records, NULL)) {
    keep_records (self, records, FALSE);
    return;
  }
  if (cut || keep_damaged)
    keep_records (self, records, TRUE);
  if (self->result.messages == before)
    self->result.lost_chunks++;
  else
    self->result.cut_chunks++;
  self->counting = TRUE;
  self->uncounted = self->result.messages - before;
}

/* Behind a damaged chunk, the indexes tell how many messages it had. */
static void
count_lost (Recover *self, const AcqMcapMessageIndex *index)
{
  guint64 n = index->entries.size / 16;
  guint64 kept = MIN (n, self->uncounted);

  if (!self->counting)
    return;
  self->uncounted -= kept;
  self->result.lost_messages += n - kept;
}

/* --- the file ----------------------------------------------------------- */

/* Nothing can be lost with these: they say again what other records say. */
static gboolean
is_derived (guint8 opcode)
{
  switch (opcode) {
  case ACQ_MCAP_FOOTER:
  case ACQ_MCAP_MESSAGE_INDEX:
  case ACQ_MCAP_CHUNK_INDEX:
  case ACQ_MCAP_ATTACHMENT_INDEX:
  case ACQ_MCAP_STATISTICS:
  case ACQ_MCAP_METADATA_INDEX:
  case ACQ_MCAP_SUMMARY_OFFSET:
  case ACQ_MCAP_DATA_END:
    return TRUE;
  default:
    return FALSE;
  }
}

/* The file ends inside a record of this kind. */
static void
count_cut_record (Recover *self, guint8 opcode, gsize size)
{
  switch (opcode) {
  case ACQ_MCAP_CHUNK:
    self->result.lost_chunks++;
    break;
  case ACQ_MCAP_MESSAGE:
    self->result.lost_messages++;
    break;
  case ACQ_MCAP_ATTACHMENT:
    self->result.lost_attachments++;
    break;
  case ACQ_MCAP_SCHEMA:
  case ACQ_MCAP_CHANNEL:
  case ACQ_MCAP_METADATA:
    self->result.lost_records++;
    break;
  default:
    if (!is_derived (opcode))
      self->result.lost_bytes += size;
    break;
  }
}

/* Goes on with the next chunk that can be found, if any. */
static gsize
skip_to_chunk (Recover *self, gsize offset)
{
  gsize end = self->file.size;
  gsize next = acq_mcap_find_chunk (self->file, offset + 1, end);

  self->counting = FALSE;
  if (next == end)
    count_cut_record (self, self->file.data[offset], end - offset);
  else
    self->result.lost_bytes += next - offset;
  return next;
}

/* At @offset is a chunk that does not fit its frame, or no whole record. */
static gsize
read_over_damage (Recover *self, gsize offset)
{
  AcqMcapChunk chunk;
  AcqMcapSpan records;
  gsize end, next;
  gboolean cut;

  if (!acq_mcap_salvage_chunk (self->file, offset, &chunk, &end, &cut))
    return skip_to_chunk (self, offset);
  next = acq_mcap_find_chunk (self->file, offset + 1, end);
  /* A chunk inside the chunk is its content only if that is proved to be whole. */
  if (next == end || (chunk.uncompressed_crc != 0 &&
                      acq_mcap_chunk_unpack (&chunk, &self->room, &records, NULL))) {
    keep_chunk (self, &chunk, cut);
    return end;
  }
  self->counting = FALSE;
  self->result.lost_chunks++;
  return next;
}

/* Where a record begins that the record at @offset swallowed, since its length is wrong. */
static gsize
find_swallowed (Recover *self, const AcqMcapRecord *record, AcqMcapSpan content)
{
  gsize start = content.data - self->file.data;
  gsize end = start + content.size;
  gsize inner_end;

  switch (record->opcode) {
  case ACQ_MCAP_MESSAGE:
    return end;
  case ACQ_MCAP_ATTACHMENT:
    if (acq_mcap_attachment_is_intact (content, record->attachment.crc))
      return end;
    break;
  case ACQ_MCAP_CHUNK:
    inner_end = record->chunk.records.data + record->chunk.records.size - self->file.data;
    return acq_mcap_find_chunk (self->file, inner_end, end) == end ? end : inner_end;
  default:
    break;
  }
  return acq_mcap_find_chunk (self->file, start, end);
}

static void
keep_top_record (Recover *self, AcqMcapSpan content, const AcqMcapRecord *record)
{
  if (record->opcode != ACQ_MCAP_MESSAGE_INDEX)
    self->counting = FALSE;
  switch (record->opcode) {
  case ACQ_MCAP_CHUNK:
    keep_chunk (self, &record->chunk, FALSE);
    break;
  case ACQ_MCAP_MESSAGE_INDEX:
    count_lost (self, &record->message_index);
    break;
  case ACQ_MCAP_ATTACHMENT:
    keep_attachment (self, content, &record->attachment);
    break;
  case ACQ_MCAP_METADATA:
    acq_mcap_writer_add_metadata (self->writer, &record->metadata);
    self->result.metadata++;
    break;
  case ACQ_MCAP_HEADER:
    break;
  default:
    if (!is_derived (record->opcode))
      keep_record (self, record);
    break;
  }
}

/* Takes what is at @offset; returns where to go on, or the end of the file behind DataEnd. */
static gsize
step (Recover *self, gsize offset)
{
  gsize position = offset, next;
  AcqMcapSpan content;
  AcqMcapRecord record = { 0 };
  guint8 opcode;
  gboolean decoded;

  if (!acq_mcap_next (self->file, &position, &opcode, &content, NULL))
    return read_over_damage (self, offset);
  if (opcode == 0)
    return skip_to_chunk (self, offset);
  decoded = acq_mcap_decode (opcode, content, &record, NULL);
  if (!decoded && opcode == ACQ_MCAP_CHUNK)
    return read_over_damage (self, offset);
  record.opcode = decoded ? opcode : 0;
  next = find_swallowed (self, &record, content);
  if (decoded && (opcode == ACQ_MCAP_DATA_END || opcode == ACQ_MCAP_FOOTER) && next == position) {
    self->result.had_end = TRUE;
    return self->file.size;
  }
  if (decoded)
    keep_top_record (self, content, &record);
  else if (!is_derived (opcode))
    self->result.lost_records++;
  return next;
}

/* What the new file should be like: as the old one, as far as that can be seen. */
static void
look_at_head (AcqMcapSpan file, AcqMcapWriterOptions *options, char **ret_profile)
{
  gsize position = ACQ_MCAP_MAGIC_SIZE;
  AcqMcapSpan content;
  AcqMcapRecord record;
  guint8 opcode;

  while (acq_mcap_next (file, &position, &opcode, &content, NULL)) {
    if (!acq_mcap_decode (opcode, content, &record, NULL))
      continue;
    if (opcode == ACQ_MCAP_HEADER && *ret_profile == NULL)
      *ret_profile = acq_mcap_span_dup (record.header.profile);
    if (opcode != ACQ_MCAP_CHUNK)
      continue;
    if (acq_mcap_span_equal (record.chunk.compression, acq_mcap_text ("lz4")))
      options->compression = ACQ_MCAP_COMPRESSION_LZ4;
    if (acq_mcap_span_equal (record.chunk.compression, acq_mcap_text ("zstd")))
      options->compression = ACQ_MCAP_COMPRESSION_ZSTD;
    return;
  }
}

static gboolean
check_magic (AcqMcapSpan file, GError **error)
{
  if (file.size >= ACQ_MCAP_MAGIC_SIZE &&
      memcmp (file.data, ACQ_MCAP_MAGIC, ACQ_MCAP_MAGIC_SIZE) == 0)
    return TRUE;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
               "not an MCAP file: it does not begin with the magic bytes");
  return FALSE;
}

static void
recover_records (Recover *self)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (self->file.data, self->file.size);
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new (bytes, NULL);

  self->channels = g_hash_table_new (NULL, NULL);
  self->schemas = g_hash_table_new (NULL, NULL);
  if (acq_mcap_reader_read_summary (reader, NULL) != NULL)
    self->summary = reader;
  for (gsize position = ACQ_MCAP_MAGIC_SIZE; self->error == NULL && position < self->file.size;)
    position = step (self, position);
  g_hash_table_unref (self->channels);
  g_hash_table_unref (self->schemas);
  acq_mcap_room_clear (&self->room);
}

gboolean
acq_mcap_recover (AcqMcapSpan file, AcqMcapOutput *output, AcqMcapRecoverFlags flags,
                  AcqMcapRecovery *ret_recovery, GError **error)
{
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  g_autofree char *profile = NULL;
  g_autoptr (AcqMcapWriter) writer = NULL;
  Recover self = { .file = file, .flags = flags };

  if (!check_magic (file, error)) {
    acq_mcap_output_free (output);
    return FALSE;
  }
  look_at_head (file, &options, &profile);
  options.profile = profile;
  self.writer = writer = acq_mcap_writer_new (output, &options, error);
  if (writer == NULL)
    return FALSE;
  recover_records (&self);
  acq_mcap_recovery_note (&self.result, writer);
  if (self.error != NULL) {
    g_propagate_error (error, self.error);
    return FALSE;
  }
  /* A file that was closed for lack of space is valid, but not what was asked for. */
  if (!acq_mcap_writer_flush (writer, error) || !acq_mcap_writer_finish (writer, error))
    return FALSE;
  *ret_recovery = self.result;
  return TRUE;
}
