/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-mcap-output.h>
#include <acq/acq-mcap.h>

/*
 * Puts an MCAP file together.
 *
 * One thread, the producer, declares schemas and channels and writes messages.
 * A message is laid down once, straight into the chunk that will carry it.
 * Whole chunks go to worker threads, which compute CRCs and compress, and are
 * written in order with one system call each. So the producer's call costs one
 * copy, and blocks only when every chunk buffer is waiting for the disk.
 *
 * When a write fails, the file is cut back to its last whole record, every
 * later chunk is refused, and acq_mcap_writer_finish() still makes a valid file
 * of what is there.
 */
typedef struct _AcqMcapWriter AcqMcapWriter;

/**
 * AcqMcapCompression:
 *
 * How chunks are stored. A chunk that does not shrink is stored as it is.
 */
typedef enum {
  ACQ_MCAP_COMPRESSION_NONE,
  ACQ_MCAP_COMPRESSION_LZ4,
  ACQ_MCAP_COMPRESSION_ZSTD,
} AcqMcapCompression;

/**
 * acq_mcap_compression_name:
 * @compression: a compression
 *
 * Returns: (transfer none): the word in the file: "", "lz4", "zstd"
 */
ACQ_API const char *acq_mcap_compression_name (AcqMcapCompression compression);

/**
 * AcqMcapParts:
 * @ACQ_MCAP_PART_CHUNKS: messages go into chunks; else each is a record of its own
 * @ACQ_MCAP_PART_MESSAGE_INDEX: MessageIndex records behind each chunk
 * @ACQ_MCAP_PART_CHUNK_INDEX: ChunkIndex records in the summary
 * @ACQ_MCAP_PART_ATTACHMENT_INDEX: AttachmentIndex records in the summary
 * @ACQ_MCAP_PART_METADATA_INDEX: MetadataIndex records in the summary
 * @ACQ_MCAP_PART_STATISTICS: a Statistics record in the summary
 * @ACQ_MCAP_PART_REPEAT_SCHEMAS: the schemas again in the summary
 * @ACQ_MCAP_PART_REPEAT_CHANNELS: the channels again in the summary
 * @ACQ_MCAP_PART_SUMMARY_OFFSETS: SummaryOffset records
 * @ACQ_MCAP_PART_CHUNK_CRC: each chunk carries the CRC of its records
 * @ACQ_MCAP_PART_ATTACHMENT_CRC: each attachment carries its CRC
 * @ACQ_MCAP_PART_DATA_CRC: DataEnd carries the CRC of everything in front of it
 * @ACQ_MCAP_PART_SUMMARY_CRC: Footer carries the CRC of the summary
 * @ACQ_MCAP_PART_CHANNELS_IN_CHUNKS: schemas and channels go into the chunk of their first message.
 *   Without it they stand in front of that chunk, where a damaged chunk does not take them along
 * @ACQ_MCAP_PARTS_ALL: what a recording should have
 *
 * What a file is made of.
 */
typedef enum {
  ACQ_MCAP_PART_CHUNKS = 1 << 0,
  ACQ_MCAP_PART_MESSAGE_INDEX = 1 << 1,
  ACQ_MCAP_PART_CHUNK_INDEX = 1 << 2,
  ACQ_MCAP_PART_ATTACHMENT_INDEX = 1 << 3,
  ACQ_MCAP_PART_METADATA_INDEX = 1 << 4,
  ACQ_MCAP_PART_STATISTICS = 1 << 5,
  ACQ_MCAP_PART_REPEAT_SCHEMAS = 1 << 6,
  ACQ_MCAP_PART_REPEAT_CHANNELS = 1 << 7,
  ACQ_MCAP_PART_SUMMARY_OFFSETS = 1 << 8,
  ACQ_MCAP_PART_CHUNK_CRC = 1 << 9,
  ACQ_MCAP_PART_ATTACHMENT_CRC = 1 << 10,
  ACQ_MCAP_PART_DATA_CRC = 1 << 11,
  ACQ_MCAP_PART_SUMMARY_CRC = 1 << 12,
  ACQ_MCAP_PART_CHANNELS_IN_CHUNKS = 1 << 13,
  ACQ_MCAP_PARTS_ALL = (1 << 13) - 1,
} AcqMcapParts;

/**
 * AcqMcapWritten:
 * @channel_id: the channel
 * @n_messages: messages of it in this chunk
 * @data: what acq_mcap_writer_add_channel() was given
 *
 * What a chunk held of one channel.
 */
typedef struct {
  guint16 channel_id;
  guint32 n_messages;
  gpointer data;
} AcqMcapWritten;

/**
 * AcqMcapWrittenFunc:
 * @user_data: of the options
 * @written: (array length=n_written): the channels of the chunk
 * @n_written: how many
 * @error: (nullable): why the messages are not in the file; %NULL when they are
 *
 * The fate of a chunk, in the order in which the messages were written, each
 * message exactly once. "Written" means that the system took the bytes.
 *
 * Thread: a worker of the writer, one call at a time; or the producer, when
 * there are no workers. Must not call the writer.
 */
typedef void (*AcqMcapWrittenFunc) (gpointer user_data, const AcqMcapWritten *written,
                                    guint n_written, const GError *error);

/**
 * AcqMcapWriterOptions:
 * @profile: (nullable): of the Header, for example `ros2`
 * @library: (nullable): of the Header; %NULL for the name and version of this library
 * @parts: what the file is made of
 * @compression: of chunks
 * @level: of the compression; 0 is lz4's fast mode and zstd's default
 * @chunk_size: bytes of records after which a chunk closes; 1 KiB to 256 MiB
 * @workers: threads; 0 does everything in the producer's calls
 * @sync_interval_ms: how often a thread of its own waits for the disk; 0 never
 * @written: (nullable): told what became of each chunk
 * @user_data: for @written
 *
 * Start from %ACQ_MCAP_WRITER_OPTIONS_INIT.
 */
typedef struct {
  const char *profile;
  const char *library;
  AcqMcapParts parts;
  AcqMcapCompression compression;
  int level;
  gsize chunk_size;
  guint workers;
  guint sync_interval_ms;
  AcqMcapWrittenFunc written;
  gpointer user_data;
} AcqMcapWriterOptions;

#define ACQ_MCAP_WRITER_OPTIONS_INIT                                                               \
  {                                                                                                \
    .parts = ACQ_MCAP_PARTS_ALL, .chunk_size = 1024 * 1024                                         \
  }

/**
 * acq_mcap_writer_new:
 * @output: (transfer full): where the file goes; freed also on failure
 * @options: what the file is like; copied
 * @error: %ACQ_ERROR_OPTION, or the output's
 *
 * Begins a file. Magic and Header are written with the first chunk or at the
 * first acq_mcap_writer_flush().
 *
 * Returns: (transfer full): a writer
 */
ACQ_API AcqMcapWriter *acq_mcap_writer_new (AcqMcapOutput *output,
                                            const AcqMcapWriterOptions *options, GError **error);

/**
 * acq_mcap_writer_free:
 * @self: (nullable) (transfer full): a writer
 *
 * Stops the workers. A file that was not finished stays as it is, without an end.
 */
ACQ_API void acq_mcap_writer_free (AcqMcapWriter *self);

/**
 * acq_mcap_writer_add_schema:
 * @self: a writer
 * @schema: a schema with an id above 0; copied
 * @error: %ACQ_ERROR_OPTION when the id is 0 or means another schema
 *
 * Declares a schema. Declaring it again is no error and writes nothing.
 *
 * Thread: producer
 */
ACQ_API gboolean acq_mcap_writer_add_schema (AcqMcapWriter *self, const AcqMcapSchema *schema,
                                             GError **error);

/**
 * acq_mcap_writer_add_channel:
 * @self: a writer
 * @channel: a channel whose schema is declared, or 0; copied
 * @data: (nullable): handed to #AcqMcapWrittenFunc
 * @error: %ACQ_ERROR_OPTION when the schema is unknown or the id means another channel
 *
 * Declares a channel. Declaring it again is no error and writes nothing.
 *
 * Thread: producer
 */
ACQ_API gboolean acq_mcap_writer_add_channel (AcqMcapWriter *self, const AcqMcapChannel *channel,
                                              gpointer data, GError **error);

/**
 * acq_mcap_writer_begin:
 * @self: a writer
 * @channel_id: a declared channel
 * @max_size: bytes of payload at most
 * @error: why the file has failed, or %ACQ_ERROR_OPTION for an unknown channel
 *
 * Makes room for a message in the open chunk. The caller writes its payload
 * there and calls acq_mcap_writer_commit(), or nothing at all to give it up.
 * A message that is as large as a chunk gets a chunk of its own.
 *
 * Blocks while all buffers wait for the disk. Thread: producer
 *
 * Returns: (transfer none) (nullable): @max_size bytes, at any alignment
 */
ACQ_API guint8 *acq_mcap_writer_begin (AcqMcapWriter *self, guint16 channel_id, gsize max_size,
                                       GError **error);

/**
 * acq_mcap_writer_commit:
 * @self: a writer, after acq_mcap_writer_begin()
 * @size: bytes of payload, at most what was asked for
 * @sequence: the message's number; 0 for none
 * @log_time: when it was received
 * @publish_time: when it was sent; @log_time when unknown
 *
 * Makes the message part of the file.
 *
 * Thread: producer
 */
ACQ_API void acq_mcap_writer_commit (AcqMcapWriter *self, gsize size, guint32 sequence,
                                     guint64 log_time, guint64 publish_time);

/**
 * acq_mcap_writer_add_message:
 * @self: a writer
 * @message: a message of a declared channel; copied
 * @error: as acq_mcap_writer_begin()
 *
 * Thread: producer
 */
ACQ_API gboolean acq_mcap_writer_add_message (AcqMcapWriter *self, const AcqMcapMessage *message,
                                              GError **error);

/**
 * acq_mcap_writer_add_attachment:
 * @self: a writer
 * @attachment: an attachment below 1 GiB; its CRC is computed; copied
 * @error: %ACQ_ERROR_OPTION when it is too large
 *
 * Attachments and metadata can still be added after a failure: then they go to
 * the end of the file, for which space is set aside.
 *
 * Thread: producer
 */
ACQ_API gboolean acq_mcap_writer_add_attachment (AcqMcapWriter *self,
                                                 const AcqMcapAttachment *attachment,
                                                 GError **error);

/**
 * acq_mcap_writer_add_metadata:
 * @self: a writer
 * @metadata: named texts; copied
 *
 * Thread: producer
 */
ACQ_API void acq_mcap_writer_add_metadata (AcqMcapWriter *self, const AcqMcapMetadata *metadata);

/**
 * acq_mcap_writer_get_open_time:
 * @self: a writer
 * @ret_log_time: (out): the smallest log time in the open chunk
 *
 * Lets the producer close a chunk by age.
 *
 * Thread: producer
 *
 * Returns: whether the open chunk has messages
 */
ACQ_API gboolean acq_mcap_writer_get_open_time (AcqMcapWriter *self, guint64 *ret_log_time);

/**
 * acq_mcap_writer_flush:
 * @self: a writer
 * @error: why the file has failed
 *
 * Closes the open chunk and hands it to the workers.
 *
 * Thread: producer
 */
ACQ_API gboolean acq_mcap_writer_flush (AcqMcapWriter *self, GError **error);

/**
 * acq_mcap_writer_drain:
 * @self: a writer
 *
 * Waits until everything that was flushed is written or refused.
 *
 * Thread: producer
 */
ACQ_API void acq_mcap_writer_drain (AcqMcapWriter *self);

/**
 * acq_mcap_writer_get_error:
 * @self: a writer
 *
 * Thread: any
 *
 * Returns: (transfer full) (nullable): the first failure of the output, while the writer lives
 */
ACQ_API GError *acq_mcap_writer_get_error (AcqMcapWriter *self);

/**
 * acq_mcap_writer_get_size:
 * @self: a writer
 *
 * Thread: any
 *
 * Returns: bytes that the output has taken
 */
ACQ_API guint64 acq_mcap_writer_get_size (AcqMcapWriter *self);

/**
 * acq_mcap_writer_finish:
 * @self: a writer
 * @error: why there is no valid file
 *
 * Writes what is left, the summary and the end, waits for the disk and
 * publishes the output. After a failed write the file is closed behind its last
 * whole record, so %TRUE says that the file is valid, not that it is complete:
 * for that see acq_mcap_writer_get_error().
 *
 * May take long. Thread: any, but no other call may run or follow except
 * acq_mcap_writer_get_error(), acq_mcap_writer_get_size() and acq_mcap_writer_free()
 */
ACQ_API gboolean acq_mcap_writer_finish (AcqMcapWriter *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqMcapWriter, acq_mcap_writer_free)
