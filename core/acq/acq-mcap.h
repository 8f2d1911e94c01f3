/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-macros.h>

/*
 * The records of an MCAP file, as plain structs.
 *
 * An MCAP file is `magic, records, magic`. A record is an opcode, a 64-bit
 * length and its content; every integer is little endian and unaligned. The
 * structs below are views: a span points into bytes that somebody else owns,
 * and a map or an array stays in its on-disk form and is read with the
 * functions at the end of this file. So a decoded record can be encoded again
 * without loss, and neither direction copies payload.
 */

/**
 * ACQ_MCAP_MAGIC:
 *
 * The eight bytes at both ends of a file.
 */
#define ACQ_MCAP_MAGIC "\x89MCAP0\r\n"
#define ACQ_MCAP_MAGIC_SIZE 8

/* Bytes in front of the content of every record: opcode and length. */
#define ACQ_MCAP_FRAMING_SIZE 9
/* Framing and fixed fields of a Message record: the payload follows. */
#define ACQ_MCAP_MESSAGE_HEAD_SIZE 31
/* A complete DataEnd record, a complete Footer record. */
#define ACQ_MCAP_DATA_END_SIZE 13
#define ACQ_MCAP_FOOTER_SIZE 29

/**
 * AcqMcapOpcode:
 *
 * What a record is. Opcodes from 0x80 on are private; 0 is not valid.
 */
typedef enum {
  ACQ_MCAP_HEADER = 0x01,
  ACQ_MCAP_FOOTER = 0x02,
  ACQ_MCAP_SCHEMA = 0x03,
  ACQ_MCAP_CHANNEL = 0x04,
  ACQ_MCAP_MESSAGE = 0x05,
  ACQ_MCAP_CHUNK = 0x06,
  ACQ_MCAP_MESSAGE_INDEX = 0x07,
  ACQ_MCAP_CHUNK_INDEX = 0x08,
  ACQ_MCAP_ATTACHMENT = 0x09,
  ACQ_MCAP_ATTACHMENT_INDEX = 0x0a,
  ACQ_MCAP_STATISTICS = 0x0b,
  ACQ_MCAP_METADATA = 0x0c,
  ACQ_MCAP_METADATA_INDEX = 0x0d,
  ACQ_MCAP_SUMMARY_OFFSET = 0x0e,
  ACQ_MCAP_DATA_END = 0x0f,
} AcqMcapOpcode;

/**
 * AcqMcapSpan:
 * @data: (nullable) (array length=size): bytes that somebody else owns
 * @size: how many
 *
 * A text (UTF-8, no NUL at the end) or a block of bytes inside a record.
 */
typedef struct {
  const guint8 *data;
  gsize size;
} AcqMcapSpan;

typedef struct {
  AcqMcapSpan profile;
  AcqMcapSpan library;
} AcqMcapHeader;

typedef struct {
  guint64 summary_start;
  guint64 summary_offset_start;
  guint32 summary_crc;
} AcqMcapFooter;

typedef struct {
  guint16 id; /* never 0 */
  AcqMcapSpan name;
  AcqMcapSpan encoding;
  AcqMcapSpan data;
} AcqMcapSchema;

typedef struct {
  guint16 id;
  guint16 schema_id; /* 0: no schema */
  AcqMcapSpan topic;
  AcqMcapSpan message_encoding;
  AcqMcapSpan metadata; /* map, see acq_mcap_map_next() */
} AcqMcapChannel;

typedef struct {
  guint16 channel_id;
  guint32 sequence;
  guint64 log_time;
  guint64 publish_time;
  AcqMcapSpan data;
} AcqMcapMessage;

typedef struct {
  guint64 start_time;
  guint64 end_time;
  guint64 uncompressed_size;
  guint32 uncompressed_crc; /* 0: not available */
  AcqMcapSpan compression;  /* "", "lz4" or "zstd" */
  AcqMcapSpan records;
} AcqMcapChunk;

typedef struct {
  guint16 channel_id;
  AcqMcapSpan entries; /* 16 bytes each, see acq_mcap_message_index_get() */
} AcqMcapMessageIndex;

typedef struct {
  guint64 start_time;
  guint64 end_time;
  guint64 chunk_start_offset;
  guint64 chunk_length;
  AcqMcapSpan message_index_offsets; /* 10 bytes each, see acq_mcap_count_get() */
  guint64 message_index_length;
  AcqMcapSpan compression;
  guint64 compressed_size;
  guint64 uncompressed_size;
} AcqMcapChunkIndex;

typedef struct {
  guint64 log_time;
  guint64 create_time; /* 0: not available */
  AcqMcapSpan name;
  AcqMcapSpan media_type;
  AcqMcapSpan data;
  guint32 crc; /* of the content in front of it; 0: not available */
} AcqMcapAttachment;

typedef struct {
  guint64 offset;
  guint64 length;
  guint64 log_time;
  guint64 create_time;
  guint64 data_size;
  AcqMcapSpan name;
  AcqMcapSpan media_type;
} AcqMcapAttachmentIndex;

typedef struct {
  guint64 message_count;
  guint16 schema_count;
  guint32 channel_count;
  guint32 attachment_count;
  guint32 metadata_count;
  guint32 chunk_count;
  guint64 start_time;
  guint64 end_time;
  AcqMcapSpan channel_counts; /* 10 bytes each, see acq_mcap_count_get() */
} AcqMcapStatistics;

typedef struct {
  AcqMcapSpan name;
  AcqMcapSpan metadata; /* map, see acq_mcap_map_next() */
} AcqMcapMetadata;

typedef struct {
  guint64 offset;
  guint64 length;
  AcqMcapSpan name;
} AcqMcapMetadataIndex;

typedef struct {
  guint8 group_opcode;
  guint64 group_start;
  guint64 group_length;
} AcqMcapSummaryOffset;

typedef struct {
  guint32 data_section_crc; /* 0: not available */
} AcqMcapDataEnd;

/**
 * AcqMcapRecord:
 * @opcode: which member is meant; a #AcqMcapOpcode
 *
 * Any record.
 */
typedef struct {
  guint8 opcode;
  union {
    AcqMcapHeader header;
    AcqMcapFooter footer;
    AcqMcapSchema schema;
    AcqMcapChannel channel;
    AcqMcapMessage message;
    AcqMcapChunk chunk;
    AcqMcapMessageIndex message_index;
    AcqMcapChunkIndex chunk_index;
    AcqMcapAttachment attachment;
    AcqMcapAttachmentIndex attachment_index;
    AcqMcapStatistics statistics;
    AcqMcapMetadata metadata;
    AcqMcapMetadataIndex metadata_index;
    AcqMcapSummaryOffset summary_offset;
    AcqMcapDataEnd data_end;
  };
} AcqMcapRecord;

/**
 * acq_mcap_opcode_name:
 * @opcode: an opcode
 *
 * Returns: (nullable) (transfer none): the name in the specification, %NULL
 *   for a private or unknown opcode
 */
ACQ_API const char *acq_mcap_opcode_name (guint8 opcode);

/**
 * acq_mcap_encode:
 * @out: where the record is appended, framing included
 * @record: (in): a record with a known opcode
 *
 * Writes a record, exactly as given. A record must stay below 2 GiB.
 */
ACQ_API void acq_mcap_encode (GByteArray *out, const AcqMcapRecord *record);

/**
 * acq_mcap_decode:
 * @opcode: the opcode that was read
 * @content: what followed the framing
 * @ret_record: (out): views into @content
 * @error: %ACQ_ERROR_FORMAT, naming record and field
 *
 * Reads a record. Every length is checked; fields that a later version of the
 * format appended are skipped. An unknown opcode is an error here: callers skip
 * those by themselves.
 */
ACQ_API gboolean acq_mcap_decode (guint8 opcode, AcqMcapSpan content, AcqMcapRecord *ret_record,
                                  GError **error);

/**
 * acq_mcap_next:
 * @bytes: records back to back
 * @inout_position: (inout): where the next record begins; moved behind it
 * @ret_opcode: (out): its opcode
 * @ret_content: (out): its content
 * @error: %ACQ_ERROR_TRUNCATED when @bytes ends inside the record
 *
 * Takes the next record off a run of records.
 *
 * Returns: %TRUE with a record; %FALSE without an error at the end
 */
ACQ_API gboolean acq_mcap_next (AcqMcapSpan bytes, gsize *inout_position, guint8 *ret_opcode,
                                AcqMcapSpan *ret_content, GError **error);

/**
 * acq_mcap_text:
 * @text: (nullable): a C string
 *
 * Returns: a view of @text without its NUL
 */
ACQ_API AcqMcapSpan acq_mcap_text (const char *text);

/**
 * acq_mcap_span_dup:
 * @span: a text
 *
 * Returns: (transfer full): a C string; bytes that are not UTF-8 are replaced
 */
ACQ_API char *acq_mcap_span_dup (AcqMcapSpan span);

/**
 * acq_mcap_span_equal:
 *
 * Returns: whether both hold the same bytes
 */
ACQ_API gboolean acq_mcap_span_equal (AcqMcapSpan a, AcqMcapSpan b);

/**
 * acq_mcap_map_encode:
 * @out: where the map is appended, without its length
 * @pairs: (array zero-terminated=1): key, value, key, value, %NULL; keys differ
 *
 * Writes a map of texts in its on-disk form, sorted by key so that equal maps
 * are equal bytes.
 */
ACQ_API void acq_mcap_map_encode (GByteArray *out, const char *const *pairs);

/**
 * acq_mcap_map_next:
 * @map: a decoded map of texts
 * @inout_position: (inout): 0 at first
 * @ret_key: (out): a key
 * @ret_value: (out): its value
 *
 * Returns: %FALSE at the end
 */
ACQ_API gboolean acq_mcap_map_next (AcqMcapSpan map, gsize *inout_position, AcqMcapSpan *ret_key,
                                    AcqMcapSpan *ret_value);

/**
 * acq_mcap_map_lookup:
 * @map: a decoded map of texts
 * @key: what to look for
 * @ret_value: (out): its value
 *
 * Returns: whether @key is there
 */
ACQ_API gboolean acq_mcap_map_lookup (AcqMcapSpan map, const char *key, AcqMcapSpan *ret_value);

/**
 * acq_mcap_message_index_get:
 * @entries: the entries of a MessageIndex
 * @i: which one, below `entries.size / 16`
 * @ret_log_time: (out): when
 * @ret_offset: (out): where in the uncompressed records of the chunk
 */
ACQ_API void acq_mcap_message_index_get (AcqMcapSpan entries, gsize i, guint64 *ret_log_time,
                                         guint64 *ret_offset);

/**
 * acq_mcap_count_get:
 * @counts: the counts of Statistics, or the offsets of a ChunkIndex
 * @i: which one, below `counts.size / 10`
 * @ret_channel_id: (out): the channel
 * @ret_value: (out): its count or offset
 */
ACQ_API void acq_mcap_count_get (AcqMcapSpan counts, gsize i, guint16 *ret_channel_id,
                                 guint64 *ret_value);
