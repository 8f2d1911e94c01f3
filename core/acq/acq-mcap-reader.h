/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-mcap.h>

/*
 * Reads an MCAP file in one of two ways: record after record, as it lies on the
 * disk, also when the file has no end; or by its summary. Lengths, CRCs and
 * sizes are checked on the way. The file is mapped, so it must not be cut while
 * it is read.
 *
 * Thread: one at a time.
 */
typedef struct _AcqMcapReader AcqMcapReader;

/**
 * AcqMcapItem:
 * @offset: of the opcode, from the start of the file or, @in_chunk, of the uncompressed records
 * @opcode: what it is; the record is valid for known opcodes only
 * @content: what follows the framing
 * @record: decoded @content; views that live until the next call
 * @in_chunk: it came out of the Chunk record that was read before it
 *
 * One record of a file.
 */
typedef struct {
  guint64 offset;
  guint8 opcode;
  AcqMcapSpan content;
  AcqMcapRecord record;
  gboolean in_chunk;
} AcqMcapItem;

/**
 * AcqMcapSummary:
 * @footer: the end of the file
 * @has_statistics: whether @statistics is there
 * @statistics: counts
 * @schemas: (element-type AcqMcapSchema):
 * @channels: (element-type AcqMcapChannel):
 * @chunk_indexes: (element-type AcqMcapChunkIndex): in file order
 * @attachment_indexes: (element-type AcqMcapAttachmentIndex):
 * @metadata_indexes: (element-type AcqMcapMetadataIndex):
 * @summary_offsets: (element-type AcqMcapSummaryOffset):
 *
 * What the end of a file says about the rest. Views into the file.
 */
typedef struct {
  AcqMcapFooter footer;
  gboolean has_statistics;
  AcqMcapStatistics statistics;
  GArray *schemas;
  GArray *channels;
  GArray *chunk_indexes;
  GArray *attachment_indexes;
  GArray *metadata_indexes;
  GArray *summary_offsets;
} AcqMcapSummary;

/**
 * acq_mcap_reader_new_for_path:
 * @path: a file
 * @error: %ACQ_ERROR_IO, or %ACQ_ERROR_FORMAT when it does not begin like MCAP
 *
 * Returns: (transfer full): a reader
 */
ACQ_API AcqMcapReader *acq_mcap_reader_new_for_path (const char *path, GError **error);

/**
 * acq_mcap_reader_new:
 * @bytes: a file
 * @error: %ACQ_ERROR_FORMAT when it does not begin like MCAP
 *
 * Returns: (transfer full): a reader
 */
ACQ_API AcqMcapReader *acq_mcap_reader_new (GBytes *bytes, GError **error);

ACQ_API void acq_mcap_reader_free (AcqMcapReader *self);

/**
 * acq_mcap_reader_next:
 * @self: a reader
 * @ret_item: (out): the next record, chunks followed by what they hold
 * @error: %ACQ_ERROR_TRUNCATED where the file ends early, %ACQ_ERROR_FORMAT for bytes that are
 *   not what they should be
 *
 * Reads record after record.
 *
 * Returns: %TRUE with a record; %FALSE without an error behind the footer
 */
ACQ_API gboolean acq_mcap_reader_next (AcqMcapReader *self, AcqMcapItem *ret_item, GError **error);

/**
 * acq_mcap_reader_next_message:
 * @self: a reader
 * @ret_message: (out): the next message, in file order
 * @error: as acq_mcap_reader_next(), and a message of an unknown channel
 *
 * As acq_mcap_reader_next(), without everything else.
 */
ACQ_API gboolean acq_mcap_reader_next_message (AcqMcapReader *self, AcqMcapMessage *ret_message,
                                               GError **error);

/** acq_mcap_reader_rewind: Begins again with the first record. */
ACQ_API void acq_mcap_reader_rewind (AcqMcapReader *self);

/**
 * acq_mcap_reader_get_channel:
 * @self: a reader
 * @id: a channel id
 *
 * Returns: (nullable) (transfer none): the channel, once its record was read
 */
ACQ_API const AcqMcapChannel *acq_mcap_reader_get_channel (AcqMcapReader *self, guint16 id);

/**
 * acq_mcap_reader_get_schema:
 * @self: a reader
 * @id: a schema id
 *
 * Returns: (nullable) (transfer none): the schema, once its record was read
 */
ACQ_API const AcqMcapSchema *acq_mcap_reader_get_schema (AcqMcapReader *self, guint16 id);

/**
 * acq_mcap_reader_read_summary:
 * @self: a reader
 * @error: %ACQ_ERROR_TRUNCATED when the file has no end, %ACQ_ERROR_FORMAT when it is damaged or
 *   has no summary
 *
 * Reads the end of the file. Schemas and channels are known afterwards.
 *
 * Returns: (nullable) (transfer none): the summary
 */
ACQ_API const AcqMcapSummary *acq_mcap_reader_read_summary (AcqMcapReader *self, GError **error);

/**
 * acq_mcap_reader_read_at:
 * @self: a reader
 * @offset: of a record outside of chunks, from an index
 * @ret_item: (out): the record
 * @error: %ACQ_ERROR_FORMAT, %ACQ_ERROR_TRUNCATED
 */
ACQ_API gboolean acq_mcap_reader_read_at (AcqMcapReader *self, guint64 offset,
                                          AcqMcapItem *ret_item, GError **error);

/**
 * acq_mcap_reader_unpack:
 * @self: a reader
 * @chunk: a chunk
 * @ret_records: (out): its records, until the next call
 * @error: %ACQ_ERROR_FORMAT
 *
 * Decompresses a chunk and checks its CRC. Not during acq_mcap_reader_next().
 */
ACQ_API gboolean acq_mcap_reader_unpack (AcqMcapReader *self, const AcqMcapChunk *chunk,
                                         AcqMcapSpan *ret_records, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqMcapReader, acq_mcap_reader_free)
