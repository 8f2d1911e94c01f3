/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-verify-private.h"

#include <string.h>

/* --- schemas, channels, messages ---------------------------------------- */

static void
verify_schema (AcqVerify *self, guint64 offset, const AcqMcapSchema *schema)
{
  if (schema->id == 0)
    acq_verify_problem (self, TRUE, offset, "a Schema with id 0");
  if (schema->encoding.size == 0 && schema->data.size != 0)
    acq_verify_problem (self, TRUE, offset, "Schema %u has data but no encoding", schema->id);
  if (schema->encoding.size == 0 && schema->data.size == 0)
    acq_verify_problem (self, FALSE, offset, "Schema %u is empty", schema->id);
}

static void
verify_channel (AcqVerify *self, guint64 offset, const AcqMcapChannel *channel)
{
  if (channel->schema_id != 0 &&
      !g_hash_table_contains (self->schemas, GUINT_TO_POINTER (channel->schema_id)))
    acq_verify_problem (self, TRUE, offset, "Channel %u names Schema %u, which is not there yet",
                        channel->id, channel->schema_id);
}

static void
note_known (AcqVerify *self, guint64 offset, guint8 opcode, AcqMcapSpan content,
            const AcqMcapRecord *record)
{
  gboolean is_schema = opcode == ACQ_MCAP_SCHEMA;
  GHashTable *table = is_schema ? self->schemas : self->channels;
  guint16 id = is_schema ? record->schema.id : record->channel.id;
  AcqVerifyKnown *known = g_hash_table_lookup (table, GUINT_TO_POINTER (id));

  if (known != NULL) {
    gboolean same =
        known->size == content.size && memcmp (known->content, content.data, content.size) == 0;
    acq_verify_problem (self, !same, offset, "%s %u is there twice%s",
                        acq_mcap_opcode_name (opcode), id, same ? "" : ", with different content");
    return;
  }
  known = g_new0 (AcqVerifyKnown, 1);
  known->content = g_memdup2 (content.data, content.size);
  known->size = content.size;
  acq_mcap_decode (opcode, (AcqMcapSpan){ known->content, known->size }, &known->record, NULL);
  g_hash_table_insert (table, GUINT_TO_POINTER (id), known);
  if (!is_schema)
    g_ptr_array_add (self->channel_order, known);
}

/* Order within the channel, and how far the file as a whole steps back. */
static void
verify_order (AcqVerify *self, guint64 offset, AcqVerifyKnown *channel, guint64 log_time)
{
  AcqMcapReport *report = self->report;

  if (channel->n_messages != 0 && log_time <= channel->last_log_time)
    acq_verify_problem (self, (self->flags & ACQ_MCAP_VERIFY_ORDER) != 0, offset,
                        "channel %u: log time %" G_GUINT64_FORMAT
                        " does not come after %" G_GUINT64_FORMAT,
                        channel->record.channel.id, log_time, channel->last_log_time);
  channel->last_log_time = log_time;
  if (!self->has_messages) {
    self->has_messages = TRUE;
    report->start_time = log_time;
    report->end_time = log_time;
  }
  if (log_time < report->end_time)
    report->max_step_back_ns = MAX (report->max_step_back_ns, report->end_time - log_time);
  report->start_time = MIN (report->start_time, log_time);
  report->end_time = MAX (report->end_time, log_time);
}

static void
verify_message (AcqVerify *self, guint64 offset, const AcqMcapMessage *message)
{
  AcqVerifyMessage note = { message->channel_id, message->log_time, offset };
  AcqVerifyKnown *channel =
      g_hash_table_lookup (self->channels, GUINT_TO_POINTER (message->channel_id));

  self->report->n_messages++;
  g_array_append_val (self->messages, note);
  if (channel == NULL) {
    acq_verify_problem (self, TRUE, offset, "a message of channel %u, which is not there yet",
                        message->channel_id);
    return;
  }
  verify_order (self, offset, channel, message->log_time);
  channel->n_messages++;
}

void
acq_verify_record (AcqVerify *self, guint64 offset, guint8 opcode, AcqMcapSpan content,
                   const AcqMcapRecord *record, gboolean in_chunk)
{
  switch (opcode) {
  case ACQ_MCAP_SCHEMA:
    verify_schema (self, offset, &record->schema);
    note_known (self, offset, opcode, content, record);
    break;
  case ACQ_MCAP_CHANNEL:
    verify_channel (self, offset, &record->channel);
    note_known (self, offset, opcode, content, record);
    break;
  case ACQ_MCAP_MESSAGE:
    if (!in_chunk) {
      self->has_loose_messages = TRUE;
      g_array_set_size (self->messages, 0);
    }
    verify_message (self, offset, &record->message);
    break;
  default:
    acq_verify_problem (self, TRUE, offset, "a %s record does not belong in a chunk",
                        acq_mcap_opcode_name (opcode));
    break;
  }
}

/* --- chunks ------------------------------------------------------------- */

static void
verify_records (AcqVerify *self, guint64 chunk_offset, AcqMcapSpan records)
{
  g_autoptr (GError) error = NULL;
  AcqMcapSpan content;
  AcqMcapRecord record;
  gsize position = 0, start = 0;
  guint8 opcode;

  while (acq_mcap_next (records, &position, &opcode, &content, &error)) {
    if (acq_verify_decode (self, start, opcode, content, &record))
      acq_verify_record (self, start, opcode, content, &record, TRUE);
    start = position;
  }
  if (error != NULL)
    acq_verify_problem (self, TRUE, chunk_offset, "inside the chunk: %s", error->message);
}

static void
verify_times (AcqVerify *self, AcqVerifyChunk *chunk)
{
  for (guint i = 0; i < self->messages->len; i++) {
    guint64 log_time = g_array_index (self->messages, AcqVerifyMessage, i).log_time;

    chunk->start_time = i == 0 ? log_time : MIN (chunk->start_time, log_time);
    chunk->end_time = i == 0 ? log_time : MAX (chunk->end_time, log_time);
  }
  chunk->has_messages = self->messages->len != 0;
  if (chunk->chunk.start_time != chunk->start_time || chunk->chunk.end_time != chunk->end_time)
    acq_verify_problem (self, TRUE, chunk->offset,
                        "the chunk says log times %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
                        ", its messages %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                        chunk->chunk.start_time, chunk->chunk.end_time, chunk->start_time,
                        chunk->end_time);
}

void
acq_verify_chunk (AcqVerify *self, guint64 offset, const AcqMcapChunk *chunk)
{
  g_autoptr (GError) error = NULL;
  AcqVerifyChunk note = { .offset = offset, .chunk = *chunk, .first_index = self->indexes->len };
  AcqMcapSpan records;

  note.length = chunk->records.data + chunk->records.size - (self->file.data + offset);
  self->report->n_chunks++;
  g_array_set_size (self->messages, 0);
  note.unpacked = acq_mcap_chunk_unpack (chunk, &self->room, &records, &error);
  if (note.unpacked) {
    verify_records (self, offset, records);
    verify_times (self, &note);
    if (!note.has_messages)
      acq_verify_problem (self, FALSE, offset, "a chunk without messages");
  } else {
    acq_verify_problem (self, TRUE, offset, "%s", error->message);
  }
  g_array_append_val (self->chunks, note);
}

static AcqVerifyChunk *
last_chunk (AcqVerify *self)
{
  return self->chunks->len == 0
             ? NULL
             : &g_array_index (self->chunks, AcqVerifyChunk, self->chunks->len - 1);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const AcqVerifyMessage *x = a, *y = b;

  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The entries of an index, sorted by offset, must be the messages of its channel. */
static gboolean
entries_match (AcqVerify *self, const AcqMcapMessageIndex *index)
{
  guint n = index->entries.size / 16, found = 0;

  g_array_set_size (self->entries, n);
  for (guint i = 0; i < n; i++) {
    AcqVerifyMessage *entry = &g_array_index (self->entries, AcqVerifyMessage, i);
    acq_mcap_message_index_get (index->entries, i, &entry->log_time, &entry->offset);
  }
  g_array_sort (self->entries, compare_entries);
  for (guint i = 0; i < self->messages->len; i++) {
    const AcqVerifyMessage *message = &g_array_index (self->messages, AcqVerifyMessage, i);
    const AcqVerifyMessage *entry;

    if (message->channel_id != index->channel_id)
      continue;
    if (found == n)
      return FALSE;
    entry = &g_array_index (self->entries, AcqVerifyMessage, found++);
    if (entry->offset != message->offset || entry->log_time != message->log_time)
      return FALSE;
  }
  return found == n;
}

void
acq_verify_message_index (AcqVerify *self, guint64 offset, const AcqMcapMessageIndex *index,
                          guint64 length)
{
  AcqVerifyChunk *chunk = last_chunk (self);
  AcqVerifyIndex note = { offset, index->channel_id };

  if (chunk == NULL || chunk->offset + chunk->length + chunk->index_length != offset) {
    acq_verify_problem (self, TRUE, offset, "a MessageIndex that does not follow a chunk");
    return;
  }
  for (guint i = 0; i < chunk->n_indexes; i++)
    if (g_array_index (self->indexes, AcqVerifyIndex, chunk->first_index + i).channel_id ==
        index->channel_id)
      acq_verify_problem (self, TRUE, offset, "a second MessageIndex of channel %u",
                          index->channel_id);
  if (chunk->unpacked && !entries_match (self, index))
    acq_verify_problem (self, TRUE, offset,
                        "the MessageIndex of channel %u is not what the chunk at %" G_GUINT64_FORMAT
                        " holds",
                        index->channel_id, chunk->offset);
  if (index->entries.size == 0)
    acq_verify_problem (self, FALSE, offset, "an empty MessageIndex");
  g_array_append_val (self->indexes, note);
  chunk->n_indexes++;
  chunk->index_length += length;
}

static gboolean
is_indexed (AcqVerify *self, const AcqVerifyChunk *chunk, guint16 channel_id)
{
  for (guint i = 0; i < chunk->n_indexes; i++)
    if (g_array_index (self->indexes, AcqVerifyIndex, chunk->first_index + i).channel_id ==
        channel_id)
      return TRUE;
  return FALSE;
}

void
acq_verify_chunk_end (AcqVerify *self)
{
  const AcqVerifyChunk *chunk = last_chunk (self);

  /* A file may go without indexes; one that has some must have all. */
  for (guint i = 0; chunk != NULL && chunk->n_indexes != 0 && i < self->messages->len; i++) {
    guint16 channel_id = g_array_index (self->messages, AcqVerifyMessage, i).channel_id;

    if (is_indexed (self, chunk, channel_id))
      continue;
    acq_verify_problem (self, TRUE, chunk->offset, "the chunk has no MessageIndex of channel %u",
                        channel_id);
    break;
  }
  g_array_set_size (self->messages, 0);
}
