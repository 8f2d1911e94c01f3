/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-tally-private.h"

#include "formats/acq-crc32-private.h"

#define N_CHANNEL_IDS 65536
/* Where an AttachmentIndex or a MetadataIndex has its file offset. */
#define OFFSET_OF_INDEX ACQ_MCAP_FRAMING_SIZE

struct _AcqMcapTally {
  guint n_schemas;
  guint n_channels;
  guint n_chunks;
  guint n_attachments;
  guint n_metadata;
  guint64 n_messages;
  guint64 start_time;
  guint64 end_time;
  guint64 *counts;         /* messages by channel id */
  GArray *counted;         /* of guint16: channels with messages, in order of their first one */
  GByteArray *offsets;     /* of the chunk being noted */
  GByteArray *chunk_index; /* these three in their on-disk form */
  GByteArray *attachment_index;
  GByteArray *metadata_index;
};

AcqMcapTally *
acq_mcap_tally_new (void)
{
  AcqMcapTally *self = g_new0 (AcqMcapTally, 1);

  self->counts = g_new0 (guint64, N_CHANNEL_IDS);
  self->counted = g_array_new (FALSE, FALSE, sizeof (guint16));
  self->offsets = g_byte_array_new ();
  self->chunk_index = g_byte_array_new ();
  self->attachment_index = g_byte_array_new ();
  self->metadata_index = g_byte_array_new ();
  return self;
}

void
acq_mcap_tally_free (AcqMcapTally *self)
{
  g_free (self->counts);
  g_array_unref (self->counted);
  g_byte_array_unref (self->offsets);
  g_byte_array_unref (self->chunk_index);
  g_byte_array_unref (self->attachment_index);
  g_byte_array_unref (self->metadata_index);
  g_free (self);
}

gsize
acq_mcap_tally_size (AcqMcapTally *self)
{
  return (gsize) self->chunk_index->len + self->attachment_index->len + self->metadata_index->len +
         self->counted->len * 10;
}

static void
count_messages (AcqMcapTally *self, AcqMcapBlock *block)
{
  if (block->n_used == 0)
    return;
  if (self->n_messages == 0) {
    self->start_time = block->start_time;
    self->end_time = block->end_time;
  }
  self->start_time = MIN (self->start_time, block->start_time);
  self->end_time = MAX (self->end_time, block->end_time);
  for (guint i = 0; i < block->n_used; i++) {
    const AcqMcapWritten *written = &block->written[i];

    if (self->counts[written->channel_id] == 0)
      g_array_append_val (self->counted, written->channel_id);
    self->counts[written->channel_id] += written->n_messages;
    self->n_messages += written->n_messages;
  }
}

static void
append_count (GByteArray *out, guint16 channel_id, guint64 value)
{
  guint8 entry[10];

  acq_le64_put (acq_le16_put (entry, channel_id), value);
  g_byte_array_append (out, entry, sizeof entry);
}

static void
add_chunk_index (AcqMcapTally *self, AcqMcapBlock *block, guint64 chunk_offset)
{
  guint64 chunk_length = block->head_size + block->body_size;
  guint64 index_offset = chunk_offset + chunk_length;
  AcqMcapRecord record = { ACQ_MCAP_CHUNK_INDEX };

  g_byte_array_set_size (self->offsets, 0);
  for (guint i = 0; block->index_size != 0 && i < block->n_used; i++) {
    append_count (self->offsets, block->written[i].channel_id, index_offset);
    index_offset += ACQ_MCAP_RUN_HEAD_SIZE + block->runs[block->used[i]].size;
  }
  record.chunk_index = (AcqMcapChunkIndex){
    .start_time = block->n_used != 0 ? block->start_time : 0,
    .end_time = block->n_used != 0 ? block->end_time : 0,
    .chunk_start_offset = chunk_offset,
    .chunk_length = chunk_length,
    .message_index_offsets = { self->offsets->data, self->offsets->len },
    .message_index_length = block->index_size,
    .compression = acq_mcap_text (block->compression),
    .compressed_size = block->body_size,
    .uncompressed_size = block->size,
  };
  acq_mcap_encode (self->chunk_index, &record);
}

/* Moves index records over; their offsets counted from @base. */
static void
move_pending (GByteArray *out, AcqMcapPending *pending, guint64 base)
{
  AcqMcapSpan bytes = { pending->records->data, pending->records->len };
  AcqMcapSpan content;
  gsize position = 0, start = 0;
  guint8 opcode;

  while (acq_mcap_next (bytes, &position, &opcode, &content, NULL)) {
    guint8 *offset = pending->records->data + start + OFFSET_OF_INDEX;
    acq_le64_put (offset, base + acq_le64_get (offset));
    start = position;
  }
  if (bytes.size != 0)
    g_byte_array_append (out, bytes.data, bytes.size);
}

void
acq_mcap_tally_add (AcqMcapTally *self, AcqMcapBlock *block, guint64 offset, AcqMcapParts parts)
{
  count_messages (self, block);
  self->n_schemas = MAX (self->n_schemas, block->n_schemas);
  self->n_channels = MAX (self->n_channels, block->n_channels);
  self->n_attachments += block->attachments.n;
  self->n_metadata += block->metadata.n;
  if (parts & ACQ_MCAP_PART_ATTACHMENT_INDEX)
    move_pending (self->attachment_index, &block->attachments, offset);
  if (parts & ACQ_MCAP_PART_METADATA_INDEX)
    move_pending (self->metadata_index, &block->metadata, offset);
  if (block->size != 0 && (parts & ACQ_MCAP_PART_CHUNKS)) {
    self->n_chunks++;
    if (parts & ACQ_MCAP_PART_CHUNK_INDEX)
      add_chunk_index (self, block, offset + block->before->len);
  }
}

static void
encode_declared (GByteArray *out, GPtrArray *records, guint n)
{
  for (guint i = 0; i < n; i++) {
    GByteArray *record = records->pdata[i];
    g_byte_array_append (out, record->data, record->len);
  }
}

static void
encode_statistics (AcqMcapTally *self, GByteArray *out)
{
  g_autoptr (GByteArray) counts = g_byte_array_new ();
  AcqMcapRecord record = { ACQ_MCAP_STATISTICS };

  for (guint i = 0; i < self->counted->len; i++) {
    guint16 id = g_array_index (self->counted, guint16, i);
    append_count (counts, id, self->counts[id]);
  }
  record.statistics = (AcqMcapStatistics){
    .message_count = self->n_messages,
    .schema_count = self->n_schemas,
    .channel_count = self->n_channels,
    .attachment_count = self->n_attachments,
    .metadata_count = self->n_metadata,
    .chunk_count = self->n_chunks,
    .start_time = self->start_time,
    .end_time = self->end_time,
    .channel_counts = { counts->data, counts->len },
  };
  acq_mcap_encode (out, &record);
}

static void
encode_group (AcqMcapTally *self, guint8 opcode, GByteArray *out, AcqMcapParts parts,
              GPtrArray *schemas, GPtrArray *channels)
{
  switch (opcode) {
  case ACQ_MCAP_SCHEMA:
    if (parts & ACQ_MCAP_PART_REPEAT_SCHEMAS)
      encode_declared (out, schemas, self->n_schemas);
    break;
  case ACQ_MCAP_CHANNEL:
    if (parts & ACQ_MCAP_PART_REPEAT_CHANNELS)
      encode_declared (out, channels, self->n_channels);
    break;
  case ACQ_MCAP_STATISTICS:
    if (parts & ACQ_MCAP_PART_STATISTICS)
      encode_statistics (self, out);
    break;
  case ACQ_MCAP_CHUNK_INDEX:
    if (parts & ACQ_MCAP_PART_CHUNK_INDEX)
      g_byte_array_append (out, self->chunk_index->data, self->chunk_index->len);
    break;
  case ACQ_MCAP_ATTACHMENT_INDEX:
    if (parts & ACQ_MCAP_PART_ATTACHMENT_INDEX)
      g_byte_array_append (out, self->attachment_index->data, self->attachment_index->len);
    break;
  case ACQ_MCAP_METADATA_INDEX:
    if (parts & ACQ_MCAP_PART_METADATA_INDEX)
      g_byte_array_append (out, self->metadata_index->data, self->metadata_index->len);
    break;
  default:
    g_assert_not_reached ();
  }
}

/* Footer and magic; the CRC runs from @start of @out up to its own place. */
static void
encode_footer (GByteArray *out, guint start, AcqMcapFooter footer, AcqMcapParts parts)
{
  AcqMcapRecord record = { ACQ_MCAP_FOOTER };
  guint8 *crc;

  record.footer = footer;
  acq_mcap_encode (out, &record);
  crc = out->data + out->len - 4;
  if (parts & ACQ_MCAP_PART_SUMMARY_CRC)
    acq_le32_put (crc, acq_crc32 (0, out->data + start, crc - (out->data + start)));
  g_byte_array_append (out, (const guint8 *) ACQ_MCAP_MAGIC, ACQ_MCAP_MAGIC_SIZE);
}

void
acq_mcap_tally_encode (AcqMcapTally *self, GByteArray *out, guint64 size, guint32 data_crc,
                       AcqMcapParts parts, GPtrArray *schemas, GPtrArray *channels)
{
  /* Readers want the channels in front of the statistics. */
  static const guint8 groups[] = { ACQ_MCAP_SCHEMA,           ACQ_MCAP_CHANNEL,
                                   ACQ_MCAP_STATISTICS,       ACQ_MCAP_CHUNK_INDEX,
                                   ACQ_MCAP_ATTACHMENT_INDEX, ACQ_MCAP_METADATA_INDEX };
  g_autoptr (GByteArray) offsets = g_byte_array_new ();
  AcqMcapRecord record = { ACQ_MCAP_DATA_END };
  AcqMcapFooter footer = { 0 };
  guint base = out->len, start;

  record.data_end.data_section_crc = parts & ACQ_MCAP_PART_DATA_CRC ? data_crc : 0;
  acq_mcap_encode (out, &record);
  start = out->len;
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    guint group_start = out->len;

    encode_group (self, groups[i], out, parts, schemas, channels);
    if (out->len == group_start)
      continue;
    record.opcode = ACQ_MCAP_SUMMARY_OFFSET;
    record.summary_offset = (AcqMcapSummaryOffset){
      groups[i],
      size + group_start - base,
      out->len - group_start,
    };
    acq_mcap_encode (offsets, &record);
  }
  if (out->len > start)
    footer.summary_start = size + start - base;
  if (footer.summary_start != 0 && (parts & ACQ_MCAP_PART_SUMMARY_OFFSETS)) {
    footer.summary_offset_start = size + out->len - base;
    g_byte_array_append (out, offsets->data, offsets->len);
  }
  encode_footer (out, start, footer, parts);
}
