/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The fifteen records, as tables: what is on disk, in order, and where it is in
 * the struct. Encoder and decoder walk the same table, so they cannot disagree.
 */

#include <acq/acq-error.h>
#include <acq/acq-mcap.h>

#include "formats/acq-le-private.h"

typedef enum {
  FIELD_U8,
  FIELD_U16,
  FIELD_U32,
  FIELD_U64,
  FIELD_TEXT,    /* u32 length, bytes */
  FIELD_BYTES64, /* u64 length, bytes */
  FIELD_MAP,     /* u32 length in bytes, pairs of texts */
  FIELD_ENTRIES, /* u32 length in bytes, entries of a fixed size */
  FIELD_REST,    /* bytes up to the end of the record */
} FieldType;

typedef struct {
  const char *name;
  FieldType type;
  guint16 offset;
  guint8 entry_size;
} Field;

typedef struct {
  const char *name;
  const Field *fields;
  guint n_fields;
} Layout;

#define AT(member, field) G_STRUCT_OFFSET (AcqMcapRecord, member.field)
#define LAYOUT(title, table)                                                                       \
  {                                                                                                \
    title, table, G_N_ELEMENTS (table)                                                             \
  }

static const Field header_fields[] = {
  { "profile", FIELD_TEXT, AT (header, profile) },
  { "library", FIELD_TEXT, AT (header, library) },
};

static const Field footer_fields[] = {
  { "summary_start", FIELD_U64, AT (footer, summary_start) },
  { "summary_offset_start", FIELD_U64, AT (footer, summary_offset_start) },
  { "summary_crc", FIELD_U32, AT (footer, summary_crc) },
};

static const Field schema_fields[] = {
  { "id", FIELD_U16, AT (schema, id) },
  { "name", FIELD_TEXT, AT (schema, name) },
  { "encoding", FIELD_TEXT, AT (schema, encoding) },
  { "data", FIELD_TEXT, AT (schema, data) },
};

static const Field channel_fields[] = {
  { "id", FIELD_U16, AT (channel, id) },
  { "schema_id", FIELD_U16, AT (channel, schema_id) },
  { "topic", FIELD_TEXT, AT (channel, topic) },
  { "message_encoding", FIELD_TEXT, AT (channel, message_encoding) },
  { "metadata", FIELD_MAP, AT (channel, metadata) },
};

static const Field message_fields[] = {
  { "channel_id", FIELD_U16, AT (message, channel_id) },
  { "sequence", FIELD_U32, AT (message, sequence) },
  { "log_time", FIELD_U64, AT (message, log_time) },
  { "publish_time", FIELD_U64, AT (message, publish_time) },
  { "data", FIELD_REST, AT (message, data) },
};

static const Field chunk_fields[] = {
  { "message_start_time", FIELD_U64, AT (chunk, start_time) },
  { "message_end_time", FIELD_U64, AT (chunk, end_time) },
  { "uncompressed_size", FIELD_U64, AT (chunk, uncompressed_size) },
  { "uncompressed_crc", FIELD_U32, AT (chunk, uncompressed_crc) },
  { "compression", FIELD_TEXT, AT (chunk, compression) },
  { "records", FIELD_BYTES64, AT (chunk, records) },
};

static const Field message_index_fields[] = {
  { "channel_id", FIELD_U16, AT (message_index, channel_id) },
  { "records", FIELD_ENTRIES, AT (message_index, entries), 16 },
};

static const Field chunk_index_fields[] = {
  { "message_start_time", FIELD_U64, AT (chunk_index, start_time) },
  { "message_end_time", FIELD_U64, AT (chunk_index, end_time) },
  { "chunk_start_offset", FIELD_U64, AT (chunk_index, chunk_start_offset) },
  { "chunk_length", FIELD_U64, AT (chunk_index, chunk_length) },
  { "message_index_offsets", FIELD_ENTRIES, AT (chunk_index, message_index_offsets), 10 },
  { "message_index_length", FIELD_U64, AT (chunk_index, message_index_length) },
  { "compression", FIELD_TEXT, AT (chunk_index, compression) },
  { "compressed_size", FIELD_U64, AT (chunk_index, compressed_size) },
  { "uncompressed_size", FIELD_U64, AT (chunk_index, uncompressed_size) },
};

static const Field attachment_fields[] = {
  { "log_time", FIELD_U64, AT (attachment, log_time) },
  { "create_time", FIELD_U64, AT (attachment, create_time) },
  { "name", FIELD_TEXT, AT (attachment, name) },
  { "media_type", FIELD_TEXT, AT (attachment, media_type) },
  { "data", FIELD_BYTES64, AT (attachment, data) },
  { "crc", FIELD_U32, AT (attachment, crc) },
};

static const Field attachment_index_fields[] = {
  { "offset", FIELD_U64, AT (attachment_index, offset) },
  { "length", FIELD_U64, AT (attachment_index, length) },
  { "log_time", FIELD_U64, AT (attachment_index, log_time) },
  { "create_time", FIELD_U64, AT (attachment_index, create_time) },
  { "data_size", FIELD_U64, AT (attachment_index, data_size) },
  { "name", FIELD_TEXT, AT (attachment_index, name) },
  { "media_type", FIELD_TEXT, AT (attachment_index, media_type) },
};

static const Field statistics_fields[] = {
  { "message_count", FIELD_U64, AT (statistics, message_count) },
  { "schema_count", FIELD_U16, AT (statistics, schema_count) },
  { "channel_count", FIELD_U32, AT (statistics, channel_count) },
  { "attachment_count", FIELD_U32, AT (statistics, attachment_count) },
  { "metadata_count", FIELD_U32, AT (statistics, metadata_count) },
  { "chunk_count", FIELD_U32, AT (statistics, chunk_count) },
  { "message_start_time", FIELD_U64, AT (statistics, start_time) },
  { "message_end_time", FIELD_U64, AT (statistics, end_time) },
  { "channel_message_counts", FIELD_ENTRIES, AT (statistics, channel_counts), 10 },
};

static const Field metadata_fields[] = {
  { "name", FIELD_TEXT, AT (metadata, name) },
  { "metadata", FIELD_MAP, AT (metadata, metadata) },
};

static const Field metadata_index_fields[] = {
  { "offset", FIELD_U64, AT (metadata_index, offset) },
  { "length", FIELD_U64, AT (metadata_index, length) },
  { "name", FIELD_TEXT, AT (metadata_index, name) },
};

static const Field summary_offset_fields[] = {
  { "group_opcode", FIELD_U8, AT (summary_offset, group_opcode) },
  { "group_start", FIELD_U64, AT (summary_offset, group_start) },
  { "group_length", FIELD_U64, AT (summary_offset, group_length) },
};

static const Field data_end_fields[] = {
  { "data_section_crc", FIELD_U32, AT (data_end, data_section_crc) },
};

static const Layout layouts[] = {
  [ACQ_MCAP_HEADER] = LAYOUT ("Header", header_fields),
  [ACQ_MCAP_FOOTER] = LAYOUT ("Footer", footer_fields),
  [ACQ_MCAP_SCHEMA] = LAYOUT ("Schema", schema_fields),
  [ACQ_MCAP_CHANNEL] = LAYOUT ("Channel", channel_fields),
  [ACQ_MCAP_MESSAGE] = LAYOUT ("Message", message_fields),
  [ACQ_MCAP_CHUNK] = LAYOUT ("Chunk", chunk_fields),
  [ACQ_MCAP_MESSAGE_INDEX] = LAYOUT ("MessageIndex", message_index_fields),
  [ACQ_MCAP_CHUNK_INDEX] = LAYOUT ("ChunkIndex", chunk_index_fields),
  [ACQ_MCAP_ATTACHMENT] = LAYOUT ("Attachment", attachment_fields),
  [ACQ_MCAP_ATTACHMENT_INDEX] = LAYOUT ("AttachmentIndex", attachment_index_fields),
  [ACQ_MCAP_STATISTICS] = LAYOUT ("Statistics", statistics_fields),
  [ACQ_MCAP_METADATA] = LAYOUT ("Metadata", metadata_fields),
  [ACQ_MCAP_METADATA_INDEX] = LAYOUT ("MetadataIndex", metadata_index_fields),
  [ACQ_MCAP_SUMMARY_OFFSET] = LAYOUT ("SummaryOffset", summary_offset_fields),
  [ACQ_MCAP_DATA_END] = LAYOUT ("DataEnd", data_end_fields),
};

static const Layout *
layout_of (guint8 opcode)
{
  if (opcode >= G_N_ELEMENTS (layouts) || layouts[opcode].name == NULL)
    return NULL;
  return &layouts[opcode];
}

const char *
acq_mcap_opcode_name (guint8 opcode)
{
  const Layout *layout = layout_of (opcode);

  return layout != NULL ? layout->name : NULL;
}

/* Bytes of the number, or of the length, that begins a field. */
static gsize
field_prefix (FieldType type)
{
  switch (type) {
  case FIELD_U8:
    return 1;
  case FIELD_U16:
    return 2;
  case FIELD_U32:
  case FIELD_TEXT:
  case FIELD_MAP:
  case FIELD_ENTRIES:
    return 4;
  case FIELD_U64:
  case FIELD_BYTES64:
    return 8;
  case FIELD_REST:
    return 0;
  }
  g_return_val_if_reached (0);
}

static gboolean
field_is_span (FieldType type)
{
  return type >= FIELD_TEXT;
}

static const AcqMcapSpan *
field_span (const AcqMcapRecord *record, const Field *field)
{
  return G_STRUCT_MEMBER_P (record, field->offset);
}

static guint8 *
encode_field (guint8 *at, const AcqMcapRecord *record, const Field *field)
{
  const AcqMcapSpan *span = field_span (record, field);

  switch (field->type) {
  case FIELD_U8:
    *at = G_STRUCT_MEMBER (guint8, record, field->offset);
    return at + 1;
  case FIELD_U16:
    return acq_le16_put (at, G_STRUCT_MEMBER (guint16, record, field->offset));
  case FIELD_U32:
    return acq_le32_put (at, G_STRUCT_MEMBER (guint32, record, field->offset));
  case FIELD_U64:
    return acq_le64_put (at, G_STRUCT_MEMBER (guint64, record, field->offset));
  case FIELD_TEXT:
  case FIELD_MAP:
  case FIELD_ENTRIES:
    at = acq_le32_put (at, span->size);
    break;
  case FIELD_BYTES64:
    at = acq_le64_put (at, span->size);
    break;
  case FIELD_REST:
    break;
  }
  if (span->size != 0)
    memcpy (at, span->data, span->size);
  return at + span->size;
}

void
acq_mcap_encode (GByteArray *out, const AcqMcapRecord *record)
{
  const Layout *layout = layout_of (record->opcode);
  gsize size = 0;
  guint start = out->len;
  guint8 *at;

  g_return_if_fail (layout != NULL);

  for (guint i = 0; i < layout->n_fields; i++) {
    const Field *field = &layout->fields[i];
    size += field_prefix (field->type);
    if (field_is_span (field->type))
      size += field_span (record, field)->size;
  }
  g_return_if_fail (size <= G_MAXINT32);

  g_byte_array_set_size (out, start + ACQ_MCAP_FRAMING_SIZE + size);
  at = out->data + start;
  *at++ = record->opcode;
  at = acq_le64_put (at, size);
  for (guint i = 0; i < layout->n_fields; i++)
    at = encode_field (at, record, &layout->fields[i]);
}

/* A map is sound when its pairs fill it exactly. */
static gboolean
map_is_sound (AcqMcapSpan map)
{
  AcqMcapSpan key, value;
  gsize position = 0;

  while (acq_mcap_map_next (map, &position, &key, &value))
    ;
  return position == map.size;
}

static gboolean
decode_span (const Layout *layout, const Field *field, guint64 size, AcqMcapSpan *inout_rest,
             AcqMcapSpan *ret_span, GError **error)
{
  AcqMcapSpan span = { inout_rest->data, size };

  if (size > inout_rest->size) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "%s record: field %s says %" G_GUINT64_FORMAT " bytes, %" G_GSIZE_FORMAT
                 " are left",
                 layout->name, field->name, size, inout_rest->size);
    return FALSE;
  }
  if (field->type == FIELD_ENTRIES && size % field->entry_size != 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "%s record: field %s has %" G_GUINT64_FORMAT
                 " bytes, which is not a multiple of %u",
                 layout->name, field->name, size, field->entry_size);
    return FALSE;
  }
  if (field->type == FIELD_MAP && !map_is_sound (span)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "%s record: the pairs of field %s do not fill its %" G_GUINT64_FORMAT " bytes",
                 layout->name, field->name, size);
    return FALSE;
  }
  inout_rest->data += size;
  inout_rest->size -= size;
  *ret_span = span;
  return TRUE;
}

static gboolean
decode_field (const Layout *layout, const Field *field, AcqMcapSpan *inout_rest,
              AcqMcapRecord *record, GError **error)
{
  const guint8 *at = inout_rest->data;
  gsize prefix = field_prefix (field->type);
  gpointer member = G_STRUCT_MEMBER_P (record, field->offset);

  if (inout_rest->size < prefix) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "%s record ends before its field %s",
                 layout->name, field->name);
    return FALSE;
  }
  inout_rest->data += prefix;
  inout_rest->size -= prefix;

  switch (field->type) {
  case FIELD_U8:
    *(guint8 *) member = *at;
    return TRUE;
  case FIELD_U16:
    *(guint16 *) member = acq_le16_get (at);
    return TRUE;
  case FIELD_U32:
    *(guint32 *) member = acq_le32_get (at);
    return TRUE;
  case FIELD_U64:
    *(guint64 *) member = acq_le64_get (at);
    return TRUE;
  case FIELD_TEXT:
  case FIELD_MAP:
  case FIELD_ENTRIES:
    return decode_span (layout, field, acq_le32_get (at), inout_rest, member, error);
  case FIELD_BYTES64:
    return decode_span (layout, field, acq_le64_get (at), inout_rest, member, error);
  case FIELD_REST:
    return decode_span (layout, field, inout_rest->size, inout_rest, member, error);
  }
  g_return_val_if_reached (FALSE);
}

gboolean
acq_mcap_decode (guint8 opcode, AcqMcapSpan content, AcqMcapRecord *ret_record, GError **error)
{
  const Layout *layout = layout_of (opcode);
  AcqMcapRecord record = { .opcode = opcode };

  if (layout == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "0x%02x is not the opcode of a known record",
                 opcode);
    return FALSE;
  }
  for (guint i = 0; i < layout->n_fields; i++)
    if (!decode_field (layout, &layout->fields[i], &content, &record, error))
      return FALSE;
  *ret_record = record;
  return TRUE;
}

gboolean
acq_mcap_next (AcqMcapSpan bytes, gsize *inout_position, guint8 *ret_opcode,
               AcqMcapSpan *ret_content, GError **error)
{
  gsize position = *inout_position;
  gsize left = bytes.size - position;
  guint64 size;

  if (left == 0)
    return FALSE;
  if (left < ACQ_MCAP_FRAMING_SIZE) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED,
                 "offset %" G_GSIZE_FORMAT ": %" G_GSIZE_FORMAT " bytes are too few for a record",
                 position, left);
    return FALSE;
  }
  size = acq_le64_get (bytes.data + position + 1);
  left -= ACQ_MCAP_FRAMING_SIZE;
  if (size > left) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED,
                 "offset %" G_GSIZE_FORMAT ": a record (0x%02x) says %" G_GUINT64_FORMAT
                 " bytes, %" G_GSIZE_FORMAT " are left",
                 position, bytes.data[position], size, left);
    return FALSE;
  }
  *ret_opcode = bytes.data[position];
  *ret_content = (AcqMcapSpan){ bytes.data + position + ACQ_MCAP_FRAMING_SIZE, size };
  *inout_position = position + ACQ_MCAP_FRAMING_SIZE + size;
  return TRUE;
}
