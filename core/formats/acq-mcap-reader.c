/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-mcap-reader.h>

#include "formats/acq-crc32-private.h"
#include "formats/acq-mcap-chunk-private.h"

#include <string.h>

/* A Schema or Channel that was read; it outlives the chunk that it came from. */
typedef struct {
  guint8 *content;
  AcqMcapRecord record;
} Known;

struct _AcqMcapReader {
  GBytes *bytes;
  AcqMcapSpan file;
  gsize position;      /* of the next record outside of chunks */
  gboolean ended;      /* the footer was read */
  AcqMcapSpan records; /* of the chunk that is being read */
  gsize chunk_position;
  AcqMcapRoom room;
  GHashTable *schemas; /* id -> Known */
  GHashTable *channels;
  AcqMcapSummary summary;
  gboolean has_summary;
};

static void
known_free (gpointer data)
{
  Known *self = data;

  g_free (self->content);
  g_free (self);
}

AcqMcapReader *
acq_mcap_reader_new (GBytes *bytes, GError **error)
{
  AcqMcapReader *self;
  AcqMcapSpan file;

  file.data = g_bytes_get_data (bytes, &file.size);
  if (file.size < ACQ_MCAP_MAGIC_SIZE ||
      memcmp (file.data, ACQ_MCAP_MAGIC, ACQ_MCAP_MAGIC_SIZE) != 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "not an MCAP file: it does not begin with the magic bytes");
    return NULL;
  }
  self = g_new0 (AcqMcapReader, 1);
  self->bytes = g_bytes_ref (bytes);
  self->file = file;
  self->schemas = g_hash_table_new_full (NULL, NULL, NULL, known_free);
  self->channels = g_hash_table_new_full (NULL, NULL, NULL, known_free);
  acq_mcap_reader_rewind (self);
  return self;
}

AcqMcapReader *
acq_mcap_reader_new_for_path (const char *path, GError **error)
{
  g_autoptr (GMappedFile) map = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) local_error = NULL;
  AcqMcapReader *self;

  map = g_mapped_file_new (path, FALSE, &local_error);
  if (map == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "cannot read '%s': %s", path,
                 local_error->message);
    return NULL;
  }
  bytes = g_mapped_file_get_bytes (map);
  self = acq_mcap_reader_new (bytes, error);
  if (self == NULL)
    g_prefix_error (error, "'%s': ", path);
  return self;
}

void
acq_mcap_reader_free (AcqMcapReader *self)
{
  if (self == NULL)
    return;
  if (self->summary.schemas != NULL) {
    g_array_unref (self->summary.schemas);
    g_array_unref (self->summary.channels);
    g_array_unref (self->summary.chunk_indexes);
    g_array_unref (self->summary.attachment_indexes);
    g_array_unref (self->summary.metadata_indexes);
    g_array_unref (self->summary.summary_offsets);
  }
  acq_mcap_room_clear (&self->room);
  g_hash_table_unref (self->schemas);
  g_hash_table_unref (self->channels);
  g_bytes_unref (self->bytes);
  g_free (self);
}

void
acq_mcap_reader_rewind (AcqMcapReader *self)
{
  self->position = ACQ_MCAP_MAGIC_SIZE;
  self->ended = FALSE;
  self->records = (AcqMcapSpan){ NULL, 0 };
  self->chunk_position = 0;
}

static const AcqMcapRecord *
find_known (GHashTable *table, guint16 id)
{
  Known *known = g_hash_table_lookup (table, GUINT_TO_POINTER (id));

  return known != NULL ? &known->record : NULL;
}

const AcqMcapChannel *
acq_mcap_reader_get_channel (AcqMcapReader *self, guint16 id)
{
  const AcqMcapRecord *record = find_known (self->channels, id);

  return record != NULL ? &record->channel : NULL;
}

const AcqMcapSchema *
acq_mcap_reader_get_schema (AcqMcapReader *self, guint16 id)
{
  const AcqMcapRecord *record = find_known (self->schemas, id);

  return record != NULL ? &record->schema : NULL;
}

/* The first record of an id stays: views of it were given out. */
static void
learn (AcqMcapReader *self, guint8 opcode, AcqMcapSpan content, const AcqMcapRecord *record)
{
  gboolean is_schema = opcode == ACQ_MCAP_SCHEMA;
  GHashTable *table = is_schema ? self->schemas : self->channels;
  guint16 id = is_schema ? record->schema.id : record->channel.id;
  Known *known;

  if (g_hash_table_contains (table, GUINT_TO_POINTER (id)))
    return;
  known = g_new0 (Known, 1);
  known->content = g_memdup2 (content.data, content.size);
  acq_mcap_decode (opcode, (AcqMcapSpan){ known->content, content.size }, &known->record, NULL);
  g_hash_table_insert (table, GUINT_TO_POINTER (id), known);
}

/* Decodes and checks what needs no context. */
static gboolean
look_at (AcqMcapReader *self, AcqMcapItem *item, GError **error)
{
  if (acq_mcap_opcode_name (item->opcode) == NULL)
    return TRUE;
  if (!acq_mcap_decode (item->opcode, item->content, &item->record, error)) {
    g_prefix_error (error, "offset %" G_GUINT64_FORMAT ": ", item->offset);
    return FALSE;
  }
  if (item->opcode == ACQ_MCAP_SCHEMA || item->opcode == ACQ_MCAP_CHANNEL)
    learn (self, item->opcode, item->content, &item->record);
  if (item->opcode == ACQ_MCAP_ATTACHMENT &&
      !acq_mcap_attachment_is_intact (item->content, item->record.attachment.crc)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "offset %" G_GUINT64_FORMAT ": the CRC of an attachment is wrong", item->offset);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_end_magic (AcqMcapReader *self, GError **error)
{
  if (self->file.size - self->position >= ACQ_MCAP_MAGIC_SIZE &&
      memcmp (self->file.data + self->position, ACQ_MCAP_MAGIC, ACQ_MCAP_MAGIC_SIZE) == 0)
    return TRUE;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED,
               "offset %" G_GSIZE_FORMAT ": no magic bytes behind the footer", self->position);
  return FALSE;
}

/* Takes a record that lies at *inout_position of @bytes. */
static gboolean
take (AcqMcapReader *self, AcqMcapSpan bytes, gsize *inout_position, AcqMcapItem *item,
      GError **error)
{
  g_autoptr (GError) local_error = NULL;

  item->offset = *inout_position;
  if (acq_mcap_next (bytes, inout_position, &item->opcode, &item->content, &local_error))
    return look_at (self, item, error);
  if (local_error != NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));
  else
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED,
                 "offset %" G_GSIZE_FORMAT ": the file ends without a footer", *inout_position);
  return FALSE;
}

gboolean
acq_mcap_reader_next (AcqMcapReader *self, AcqMcapItem *ret_item, GError **error)
{
  AcqMcapItem item = { 0 };

  if (self->chunk_position < self->records.size) {
    item.in_chunk = TRUE;
    if (!take (self, self->records, &self->chunk_position, &item, error))
      return FALSE;
    *ret_item = item;
    return TRUE;
  }
  if (self->ended)
    return FALSE;
  if (!take (self, self->file, &self->position, &item, error))
    return FALSE;
  if (item.opcode == ACQ_MCAP_CHUNK) {
    self->chunk_position = 0;
    if (!acq_mcap_chunk_unpack (&item.record.chunk, &self->room, &self->records, error)) {
      self->records.size = 0;
      g_prefix_error (error, "offset %" G_GUINT64_FORMAT ": ", item.offset);
      return FALSE;
    }
  }
  if (item.opcode == ACQ_MCAP_FOOTER) {
    self->ended = TRUE;
    if (!check_end_magic (self, error))
      return FALSE;
  }
  *ret_item = item;
  return TRUE;
}

gboolean
acq_mcap_reader_next_message (AcqMcapReader *self, AcqMcapMessage *ret_message, GError **error)
{
  AcqMcapItem item;

  do {
    if (!acq_mcap_reader_next (self, &item, error))
      return FALSE;
  } while (item.opcode != ACQ_MCAP_MESSAGE);
  if (acq_mcap_reader_get_channel (self, item.record.message.channel_id) == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "a message of channel %u, which has no Channel record before it",
                 item.record.message.channel_id);
    return FALSE;
  }
  *ret_message = item.record.message;
  return TRUE;
}

gboolean
acq_mcap_reader_read_at (AcqMcapReader *self, guint64 offset, AcqMcapItem *ret_item, GError **error)
{
  AcqMcapItem item = { 0 };
  gsize position = offset;

  if (offset >= self->file.size) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "offset %" G_GUINT64_FORMAT " is behind the end of the file, at %" G_GSIZE_FORMAT,
                 offset, self->file.size);
    return FALSE;
  }
  if (!take (self, self->file, &position, &item, error))
    return FALSE;
  *ret_item = item;
  return TRUE;
}

gboolean
acq_mcap_reader_unpack (AcqMcapReader *self, const AcqMcapChunk *chunk, AcqMcapSpan *ret_records,
                        GError **error)
{
  AcqMcapSpan records;

  if (!acq_mcap_chunk_unpack (chunk, &self->room, &records, error))
    return FALSE;
  *ret_records = records;
  return TRUE;
}

/* --- the summary -------------------------------------------------------- */

static gboolean
read_footer (AcqMcapReader *self, AcqMcapFooter *footer, GError **error)
{
  gsize end = ACQ_MCAP_FOOTER_SIZE + ACQ_MCAP_MAGIC_SIZE;
  const guint8 *at = self->file.data + self->file.size - end;
  AcqMcapSpan content = { at + ACQ_MCAP_FRAMING_SIZE,
                          ACQ_MCAP_FOOTER_SIZE - ACQ_MCAP_FRAMING_SIZE };
  AcqMcapRecord record;

  if (self->file.size < end + ACQ_MCAP_MAGIC_SIZE || at[0] != ACQ_MCAP_FOOTER ||
      memcmp (at + ACQ_MCAP_FOOTER_SIZE, ACQ_MCAP_MAGIC, ACQ_MCAP_MAGIC_SIZE) != 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED,
                 "the file does not end with a footer and the magic bytes: it was not finished");
    return FALSE;
  }
  acq_mcap_decode (ACQ_MCAP_FOOTER, content, &record, NULL);
  *footer = record.footer;
  return TRUE;
}

static gboolean
check_summary_place (AcqMcapReader *self, const AcqMcapFooter *footer, GError **error)
{
  gsize footer_start = self->file.size - ACQ_MCAP_FOOTER_SIZE - ACQ_MCAP_MAGIC_SIZE;
  gsize start = footer->summary_start;
  guint32 crc;

  if (start == 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "the file has no summary");
    return FALSE;
  }
  if (start < ACQ_MCAP_MAGIC_SIZE || start > footer_start) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "the footer says that the summary begins at %" G_GSIZE_FORMAT
                 ", outside of the file",
                 start);
    return FALSE;
  }
  crc = acq_crc32 (0, self->file.data + start, footer_start + ACQ_MCAP_FOOTER_SIZE - 4 - start);
  if (footer->summary_crc != 0 && crc != footer->summary_crc) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "the summary has CRC 0x%08x, the footer says 0x%08x", crc, footer->summary_crc);
    return FALSE;
  }
  return TRUE;
}

static void
summary_add (AcqMcapSummary *summary, const AcqMcapItem *item)
{
  const AcqMcapRecord *record = &item->record;

  switch (item->opcode) {
  case ACQ_MCAP_SCHEMA:
    g_array_append_val (summary->schemas, record->schema);
    break;
  case ACQ_MCAP_CHANNEL:
    g_array_append_val (summary->channels, record->channel);
    break;
  case ACQ_MCAP_STATISTICS:
    summary->has_statistics = TRUE;
    summary->statistics = record->statistics;
    break;
  case ACQ_MCAP_CHUNK_INDEX:
    g_array_append_val (summary->chunk_indexes, record->chunk_index);
    break;
  case ACQ_MCAP_ATTACHMENT_INDEX:
    g_array_append_val (summary->attachment_indexes, record->attachment_index);
    break;
  case ACQ_MCAP_METADATA_INDEX:
    g_array_append_val (summary->metadata_indexes, record->metadata_index);
    break;
  case ACQ_MCAP_SUMMARY_OFFSET:
    g_array_append_val (summary->summary_offsets, record->summary_offset);
    break;
  default:
    break;
  }
}

static void
summary_reset (AcqMcapSummary *summary)
{
  GArray **arrays[] = { &summary->schemas,          &summary->channels,
                        &summary->chunk_indexes,    &summary->attachment_indexes,
                        &summary->metadata_indexes, &summary->summary_offsets };
  gsize sizes[] = { sizeof (AcqMcapSchema),        sizeof (AcqMcapChannel),
                    sizeof (AcqMcapChunkIndex),    sizeof (AcqMcapAttachmentIndex),
                    sizeof (AcqMcapMetadataIndex), sizeof (AcqMcapSummaryOffset) };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    if (*arrays[i] == NULL)
      *arrays[i] = g_array_new (FALSE, FALSE, sizes[i]);
    else
      g_array_set_size (*arrays[i], 0);
  summary->has_statistics = FALSE;
}

const AcqMcapSummary *
acq_mcap_reader_read_summary (AcqMcapReader *self, GError **error)
{
  AcqMcapSpan section;
  AcqMcapFooter footer;
  gsize position;

  if (self->has_summary)
    return &self->summary;
  if (!read_footer (self, &footer, error) || !check_summary_place (self, &footer, error))
    return NULL;

  summary_reset (&self->summary);
  self->summary.footer = footer;
  section = (AcqMcapSpan){ self->file.data,
                           self->file.size - ACQ_MCAP_FOOTER_SIZE - ACQ_MCAP_MAGIC_SIZE };
  for (position = footer.summary_start; position < section.size;) {
    AcqMcapItem item = { 0 };

    if (!take (self, section, &position, &item, error))
      return NULL;
    summary_add (&self->summary, &item);
  }
  self->has_summary = TRUE;
  return &self->summary;
}
