/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-mcap-verify.h>

#include "formats/acq-mcap-chunk-private.h"

/* What the data section holds, to compare what is said about it elsewhere. */

typedef struct {
  guint8 *content; /* a copy */
  gsize size;
  AcqMcapRecord record; /* views into the copy */
  guint64 n_messages;
  guint64 last_log_time;
  gboolean in_summary;
} AcqVerifyKnown;

typedef struct {
  guint64 offset;
  guint64 length;
  AcqMcapChunk chunk; /* views into the file */
  gboolean unpacked;
  gboolean has_messages;
  guint64 start_time; /* found */
  guint64 end_time;
  guint first_index; /* in AcqVerify.indexes */
  guint n_indexes;
  guint64 index_length; /* of the MessageIndex records behind it */
  gboolean in_summary;
} AcqVerifyChunk;

typedef struct {
  guint64 offset;
  guint16 channel_id;
} AcqVerifyIndex;

typedef struct {
  guint64 offset;
  guint64 length;
  AcqMcapRecord record; /* Attachment or Metadata; views into the file */
  gboolean in_summary;
} AcqVerifyExtra;

typedef struct {
  guint16 channel_id;
  guint64 log_time;
  guint64 offset;
} AcqVerifyMessage;

typedef struct {
  AcqMcapSpan file;
  AcqMcapVerifyFlags flags;
  AcqMcapReport *report;
  GHashTable *schemas; /* id -> AcqVerifyKnown */
  GHashTable *channels;
  GPtrArray *channel_order; /* of AcqVerifyKnown, unowned */
  GArray *chunks;
  GArray *indexes;
  GArray *attachments;
  GArray *metadata;
  GArray *messages; /* AcqVerifyMessage of the last chunk */
  GArray *entries;  /* scratch */
  AcqMcapRoom room;
  gboolean has_loose_messages;
  gboolean has_messages;
  guint64 data_end; /* offset of the DataEnd record; 0 before it is found */
} AcqVerify;

void acq_verify_problem (AcqVerify *self, gboolean is_error, guint64 offset, const char *format,
                         ...) G_GNUC_PRINTF (4, 5);

/* The record behind opcode and content; a problem when it cannot be decoded. */
gboolean acq_verify_decode (AcqVerify *self, guint64 offset, guint8 opcode, AcqMcapSpan content,
                            AcqMcapRecord *ret_record);

/* Chunks and what is in and behind them. */
void acq_verify_record (AcqVerify *self, guint64 offset, guint8 opcode, AcqMcapSpan content,
                        const AcqMcapRecord *record, gboolean in_chunk);
void acq_verify_chunk (AcqVerify *self, guint64 offset, const AcqMcapChunk *chunk);
void acq_verify_message_index (AcqVerify *self, guint64 offset, const AcqMcapMessageIndex *index,
                               guint64 length);
/* No more message indexes can follow the last chunk. */
void acq_verify_chunk_end (AcqVerify *self);

/* Everything from @position, behind DataEnd, to the end of the file. */
void acq_verify_summary (AcqVerify *self, gsize position);
