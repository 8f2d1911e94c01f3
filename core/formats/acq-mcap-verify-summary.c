/* SPDX-License-Identifier: Apache-2.0 */

/* What stands behind the data section, against what was found in it. */

#include "formats/acq-crc32-private.h"
#include "formats/acq-mcap-verify-private.h"

#include <string.h>

typedef struct {
  guint8 opcode;
  guint64 start;
  guint64 length;
  gboolean named; /* by a SummaryOffset */
} Group;

typedef struct {
  AcqVerify *verify;
  GArray *groups;
  guint64 start;         /* of the summary */
  guint64 offsets_start; /* of the SummaryOffset records; 0 without */
  guint n_statistics;
  guint n_chunk_indexes;
  gboolean has_channels;
} Summary;

static void
wrong (Summary *self, guint64 offset, const char *what, guint64 said, guint64 found)
{
  acq_verify_problem (self->verify, TRUE, offset,
                      "%s says %" G_GUINT64_FORMAT ", found is %" G_GUINT64_FORMAT, what, said,
                      found);
}

static void
check (Summary *self, guint64 offset, const char *what, guint64 said, guint64 found)
{
  if (said != found)
    wrong (self, offset, what, said, found);
}

/* --- the kinds of records ----------------------------------------------- */

static void
verify_known (Summary *self, guint64 offset, AcqMcapSpan content, const AcqMcapRecord *record)
{
  gboolean is_schema = record->opcode == ACQ_MCAP_SCHEMA;
  GHashTable *table = is_schema ? self->verify->schemas : self->verify->channels;
  guint16 id = is_schema ? record->schema.id : record->channel.id;
  AcqVerifyKnown *known = g_hash_table_lookup (table, GUINT_TO_POINTER (id));
  const char *name = acq_mcap_opcode_name (record->opcode);

  self->has_channels |= !is_schema;
  if (known == NULL)
    acq_verify_problem (self->verify, TRUE, offset, "%s %u of the summary is not in the data", name,
                        id);
  else if (known->size != content.size || memcmp (known->content, content.data, content.size) != 0)
    acq_verify_problem (self->verify, TRUE, offset, "%s %u of the summary differs from the data's",
                        name, id);
  else if (known->in_summary)
    acq_verify_problem (self->verify, TRUE, offset, "%s %u is in the summary twice", name, id);
  if (known != NULL)
    known->in_summary = TRUE;
}

static void
verify_counts (Summary *self, guint64 offset, const AcqMcapStatistics *statistics)
{
  gsize n = statistics->channel_counts.size / 10, with_messages = 0;
  GPtrArray *channels = self->verify->channel_order;

  if (n == 0)
    return; /* not available */
  for (gsize i = 0; i < n; i++) {
    AcqVerifyKnown *known;
    guint16 id;
    guint64 count;

    acq_mcap_count_get (statistics->channel_counts, i, &id, &count);
    known = g_hash_table_lookup (self->verify->channels, GUINT_TO_POINTER (id));
    if (known == NULL || known->n_messages != count)
      acq_verify_problem (self->verify, TRUE, offset,
                          "Statistics give channel %u %" G_GUINT64_FORMAT
                          " messages, found are %" G_GUINT64_FORMAT,
                          id, count, known != NULL ? known->n_messages : 0);
    with_messages += count != 0;
  }
  for (guint i = 0; i < channels->len; i++)
    if (((AcqVerifyKnown *) channels->pdata[i])->n_messages != 0)
      with_messages--;
  if (with_messages != 0)
    acq_verify_problem (self->verify, TRUE, offset,
                        "Statistics do not count the channels that have messages");
}

static void
verify_statistics (Summary *self, guint64 offset, const AcqMcapStatistics *statistics)
{
  AcqVerify *verify = self->verify;
  const AcqMcapReport *report = verify->report;

  if (self->n_statistics++ != 0)
    acq_verify_problem (verify, TRUE, offset, "a second Statistics record");
  if (!self->has_channels && statistics->channel_counts.size != 0 && self->n_chunk_indexes != 0)
    acq_verify_problem (verify, TRUE, offset, "Statistics come before the channels");
  check (self, offset, "message_count", statistics->message_count, report->n_messages);
  check (self, offset, "schema_count", statistics->schema_count,
         g_hash_table_size (verify->schemas));
  check (self, offset, "channel_count", statistics->channel_count,
         g_hash_table_size (verify->channels));
  check (self, offset, "attachment_count", statistics->attachment_count, report->n_attachments);
  check (self, offset, "metadata_count", statistics->metadata_count, report->n_metadata);
  check (self, offset, "chunk_count", statistics->chunk_count, report->n_chunks);
  check (self, offset, "message_start_time", statistics->start_time, report->start_time);
  check (self, offset, "message_end_time", statistics->end_time, report->end_time);
  verify_counts (self, offset, statistics);
}

static AcqVerifyChunk *
find_chunk (AcqVerify *verify, guint64 offset)
{
  guint low = 0, high = verify->chunks->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    AcqVerifyChunk *chunk = &g_array_index (verify->chunks, AcqVerifyChunk, middle);

    if (chunk->offset == offset)
      return chunk;
    if (chunk->offset < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static void
verify_index_offsets (Summary *self, guint64 offset, const AcqMcapChunkIndex *index,
                      const AcqVerifyChunk *chunk)
{
  gsize n = index->message_index_offsets.size / 10;
  const AcqVerifyIndex *indexes = (const AcqVerifyIndex *) self->verify->indexes->data;

  check (self, offset, "message_index_length", index->message_index_length, chunk->index_length);
  check (self, offset, "the number of message_index_offsets", n, chunk->n_indexes);
  for (gsize i = 0; i < n; i++) {
    guint16 channel_id;
    guint64 at;
    gboolean found = FALSE;

    acq_mcap_count_get (index->message_index_offsets, i, &channel_id, &at);
    for (guint j = 0; !found && j < chunk->n_indexes; j++)
      found = indexes[chunk->first_index + j].channel_id == channel_id &&
              indexes[chunk->first_index + j].offset == at;
    if (!found)
      acq_verify_problem (self->verify, TRUE, offset,
                          "a ChunkIndex has channel %u indexed at %" G_GUINT64_FORMAT
                          ", where it is not",
                          channel_id, at);
  }
}

static void
verify_chunk_index (Summary *self, guint64 offset, const AcqMcapChunkIndex *index)
{
  AcqVerifyChunk *chunk = find_chunk (self->verify, index->chunk_start_offset);

  self->n_chunk_indexes++;
  if (chunk == NULL) {
    acq_verify_problem (self->verify, TRUE, offset,
                        "a ChunkIndex points to %" G_GUINT64_FORMAT ", where no chunk is",
                        index->chunk_start_offset);
    return;
  }
  if (chunk->in_summary)
    acq_verify_problem (self->verify, TRUE, offset,
                        "a second ChunkIndex of the chunk at %" G_GUINT64_FORMAT, chunk->offset);
  chunk->in_summary = TRUE;
  check (self, offset, "chunk_length", index->chunk_length, chunk->length);
  check (self, offset, "message_start_time", index->start_time, chunk->chunk.start_time);
  check (self, offset, "message_end_time", index->end_time, chunk->chunk.end_time);
  check (self, offset, "compressed_size", index->compressed_size, chunk->chunk.records.size);
  check (self, offset, "uncompressed_size", index->uncompressed_size,
         chunk->chunk.uncompressed_size);
  if (!acq_mcap_span_equal (index->compression, chunk->chunk.compression))
    acq_verify_problem (self->verify, TRUE, offset, "a ChunkIndex names another compression");
  verify_index_offsets (self, offset, index, chunk);
}

static AcqVerifyExtra *
find_extra (Summary *self, guint64 offset, GArray *extras, guint64 at, guint64 length)
{
  const char *what = extras == self->verify->metadata ? "MetadataIndex" : "AttachmentIndex";

  for (guint i = 0; i < extras->len; i++) {
    AcqVerifyExtra *extra = &g_array_index (extras, AcqVerifyExtra, i);

    if (extra->offset != at)
      continue;
    if (extra->in_summary)
      acq_verify_problem (self->verify, TRUE, offset, "a second %s of one record", what);
    extra->in_summary = TRUE;
    check (self, offset, "length", length, extra->length);
    return extra;
  }
  acq_verify_problem (self->verify, TRUE, offset,
                      "a %s points to %" G_GUINT64_FORMAT ", where no such record is", what, at);
  return NULL;
}

static void
verify_attachment_index (Summary *self, guint64 offset, const AcqMcapAttachmentIndex *index)
{
  AcqVerifyExtra *extra =
      find_extra (self, offset, self->verify->attachments, index->offset, index->length);
  const AcqMcapAttachment *attachment;

  if (extra == NULL)
    return;
  attachment = &extra->record.attachment;
  check (self, offset, "log_time", index->log_time, attachment->log_time);
  check (self, offset, "create_time", index->create_time, attachment->create_time);
  check (self, offset, "data_size", index->data_size, attachment->data.size);
  if (!acq_mcap_span_equal (index->name, attachment->name) ||
      !acq_mcap_span_equal (index->media_type, attachment->media_type))
    acq_verify_problem (self->verify, TRUE, offset,
                        "an AttachmentIndex has another name or media type than the attachment");
}

static void
verify_metadata_index (Summary *self, guint64 offset, const AcqMcapMetadataIndex *index)
{
  AcqVerifyExtra *extra =
      find_extra (self, offset, self->verify->metadata, index->offset, index->length);

  if (extra != NULL && !acq_mcap_span_equal (index->name, extra->record.metadata.name))
    acq_verify_problem (self->verify, TRUE, offset,
                        "a MetadataIndex has another name than the record");
}

static void
verify_summary_offset (Summary *self, guint64 offset, const AcqMcapSummaryOffset *summary_offset)
{
  for (guint i = 0; i < self->groups->len; i++) {
    Group *group = &g_array_index (self->groups, Group, i);

    if (group->opcode == summary_offset->group_opcode &&
        group->start == summary_offset->group_start &&
        group->length == summary_offset->group_length && !group->named) {
      group->named = TRUE;
      return;
    }
  }
  acq_verify_problem (self->verify, TRUE, offset,
                      "a SummaryOffset names a group of opcode 0x%02x at %" G_GUINT64_FORMAT
                      " that is not there",
                      summary_offset->group_opcode, summary_offset->group_start);
}

/* --- the section -------------------------------------------------------- */

static void
note_group (Summary *self, guint64 offset, guint8 opcode, guint64 length)
{
  Group *last =
      self->groups->len == 0 ? NULL : &g_array_index (self->groups, Group, self->groups->len - 1);
  Group group = { opcode, offset, length };

  if (last != NULL && last->opcode == opcode) {
    last->length += length;
    return;
  }
  for (guint i = 0; i < self->groups->len; i++)
    if (g_array_index (self->groups, Group, i).opcode == opcode)
      acq_verify_problem (self->verify, TRUE, offset, "the summary has two groups of %s records",
                          acq_mcap_opcode_name (opcode));
  g_array_append_val (self->groups, group);
}

static void
verify_record (Summary *self, guint64 offset, AcqMcapSpan content, const AcqMcapRecord *record)
{
  if (self->offsets_start != 0 && record->opcode != ACQ_MCAP_SUMMARY_OFFSET)
    acq_verify_problem (self->verify, TRUE, offset, "a %s record behind the summary offsets",
                        acq_mcap_opcode_name (record->opcode));
  if (record->opcode != ACQ_MCAP_SUMMARY_OFFSET)
    note_group (self, offset, record->opcode, ACQ_MCAP_FRAMING_SIZE + content.size);
  switch (record->opcode) {
  case ACQ_MCAP_SCHEMA:
  case ACQ_MCAP_CHANNEL:
    verify_known (self, offset, content, record);
    break;
  case ACQ_MCAP_STATISTICS:
    verify_statistics (self, offset, &record->statistics);
    break;
  case ACQ_MCAP_CHUNK_INDEX:
    verify_chunk_index (self, offset, &record->chunk_index);
    break;
  case ACQ_MCAP_ATTACHMENT_INDEX:
    verify_attachment_index (self, offset, &record->attachment_index);
    break;
  case ACQ_MCAP_METADATA_INDEX:
    verify_metadata_index (self, offset, &record->metadata_index);
    break;
  case ACQ_MCAP_SUMMARY_OFFSET:
    if (self->offsets_start == 0)
      self->offsets_start = offset;
    verify_summary_offset (self, offset, &record->summary_offset);
    break;
  default:
    acq_verify_problem (self->verify, TRUE, offset, "a %s record does not belong in the summary",
                        acq_mcap_opcode_name (record->opcode));
    break;
  }
}

static void
verify_footer (Summary *self, guint64 offset, AcqMcapSpan content, const AcqMcapFooter *footer)
{
  AcqMcapSpan file = self->verify->file;
  guint64 end = offset + ACQ_MCAP_FOOTER_SIZE;
  guint64 start = offset == self->start ? 0 : self->start;

  check (self, offset, "summary_start", footer->summary_start, start);
  check (self, offset, "summary_offset_start", footer->summary_offset_start, self->offsets_start);
  if (content.size != ACQ_MCAP_FOOTER_SIZE - ACQ_MCAP_FRAMING_SIZE) {
    acq_verify_problem (self->verify, TRUE, offset, "the Footer has %" G_GSIZE_FORMAT " bytes",
                        content.size);
    return;
  }
  if (footer->summary_crc != 0)
    check (self, offset, "summary_crc", footer->summary_crc,
           acq_crc32 (0, file.data + self->start, end - 4 - self->start));
  if (file.size - end != ACQ_MCAP_MAGIC_SIZE ||
      memcmp (file.data + end, ACQ_MCAP_MAGIC, ACQ_MCAP_MAGIC_SIZE) != 0)
    acq_verify_problem (self->verify, TRUE, end, "the file does not end with the magic bytes");
}

/* What should have been in the summary and was not. */
static void
verify_complete (Summary *self, guint64 offset)
{
  AcqVerify *verify = self->verify;
  guint n_missing = 0, n_named = 0;

  for (guint i = 0; i < verify->chunks->len; i++)
    n_missing += !g_array_index (verify->chunks, AcqVerifyChunk, i).in_summary;
  if (n_missing != 0)
    acq_verify_problem (verify, self->n_chunk_indexes != 0, offset,
                        "%u of %u chunks have no ChunkIndex", n_missing, verify->chunks->len);
  for (guint i = 0; self->n_chunk_indexes != 0 && i < verify->channel_order->len; i++) {
    AcqVerifyKnown *channel = verify->channel_order->pdata[i];
    guint16 schema_id = channel->record.channel.schema_id;
    AcqVerifyKnown *schema = g_hash_table_lookup (verify->schemas, GUINT_TO_POINTER (schema_id));

    if (channel->n_messages != 0 &&
        (!channel->in_summary || (schema != NULL && !schema->in_summary)))
      acq_verify_problem (verify, TRUE, offset,
                          "channel %u or its schema is not in the summary, though chunks are",
                          channel->record.channel.id);
  }
  for (guint i = 0; i < self->groups->len; i++)
    n_named += g_array_index (self->groups, Group, i).named;
  if (self->offsets_start != 0 && n_named != self->groups->len)
    acq_verify_problem (verify, TRUE, self->offsets_start,
                        "%u of %u groups of the summary have a SummaryOffset", n_named,
                        self->groups->len);
}

static void
verify_extras_complete (Summary *self, guint64 offset, GArray *extras, const char *what)
{
  guint n = 0;

  for (guint i = 0; i < extras->len; i++)
    n += g_array_index (extras, AcqVerifyExtra, i).in_summary;
  if (n != extras->len)
    acq_verify_problem (self->verify, n != 0, offset, "%u of %u %s records are in the summary", n,
                        extras->len, what);
}

void
acq_verify_summary (AcqVerify *verify, gsize position)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (Group));
  Summary self = { .verify = verify, .groups = groups, .start = position };
  guint64 offset = position;
  AcqMcapSpan content;
  AcqMcapRecord record;
  guint8 opcode;

  while (acq_mcap_next (verify->file, &position, &opcode, &content, &error)) {
    gboolean decoded = acq_verify_decode (verify, offset, opcode, content, &record);

    if (opcode == ACQ_MCAP_FOOTER) {
      if (decoded)
        verify_footer (&self, offset, content, &record.footer);
      verify_complete (&self, offset);
      verify_extras_complete (&self, offset, verify->attachments, "Attachment");
      verify_extras_complete (&self, offset, verify->metadata, "Metadata");
      return;
    }
    if (decoded)
      verify_record (&self, offset, content, &record);
    offset = position;
  }
  acq_verify_problem (verify, TRUE, offset, "the file has no footer: %s",
                      error != NULL ? error->message : "it just stops");
}
