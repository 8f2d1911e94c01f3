/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "formats/acq-le-private.h"
#include "formats/acq-mcap-codec-private.h"

/*
 * A block is what one system call writes: records that stand outside of chunks,
 * then a chunk with its message indexes. Blocks are reused, so that a running
 * file allocates nothing.
 *
 * Owner: the producer fills it, a worker packs it, then it is written. Never two
 * at once, so there is no lock.
 */

/* A MessageIndex record while it grows, in its on-disk form. */
typedef struct {
  guint8 *data; /* room for the head of the record, then entries */
  guint32 size; /* of the entries */
  guint32 capacity;
  guint written; /* index in AcqMcapBlock.written, while size is not 0 */
} AcqMcapRun;

typedef struct {
  GByteArray *records; /* index records; their file offsets count from the block's base */
  guint n;
} AcqMcapPending;

typedef struct {
  /* The producer's. */
  GByteArray *before; /* records in front of the chunk */
  guint8 *records;
  gsize size;
  gsize capacity;
  gsize hashed;  /* bytes of records that records_crc covers */
  gsize hash_at; /* size from which it is worth going on with that */
  guint32 records_crc;
  guint64 start_time;
  guint64 end_time;
  AcqMcapRun *runs; /* by channel number */
  guint n_runs;
  guint *used; /* channel numbers with messages, in order of their first one */
  AcqMcapWritten *written;
  guint n_used;
  guint used_capacity;
  AcqMcapPending attachments;
  AcqMcapPending metadata;
  guint n_schemas; /* declared up to and with this block */
  guint n_channels;

  /* The worker's. */
  guint8 *packed;
  gsize packed_capacity;
  gsize body_size;         /* of the chunk's records as stored; 0 for no records */
  const char *compression; /* as stored */
  guint8 head[ACQ_MCAP_FRAMING_SIZE + 40 + 8];
  gsize head_size;
  gsize index_size; /* of the MessageIndex records as written */
  guint32 crc;      /* of all bytes of the block */
  guint64 total;    /* bytes of the block */
  struct iovec *iov;
  guint n_iov;
  guint iov_capacity;
} AcqMcapBlock;

#define ACQ_MCAP_RUN_HEAD_SIZE (ACQ_MCAP_FRAMING_SIZE + 2 + 4)

AcqMcapBlock *acq_mcap_block_new (AcqMcapParts parts);
void acq_mcap_block_free (AcqMcapBlock *self);

/* Empties for the next use; buffers above @keep bytes are given back. */
void acq_mcap_block_reset (AcqMcapBlock *self, gsize keep, AcqMcapParts parts);

/* Makes room for @size more bytes of records, at least @minimum in all. */
void acq_mcap_block_grow (AcqMcapBlock *self, gsize size, gsize minimum);

/* Makes room for the runs of channel numbers below @n. */
void acq_mcap_block_set_n_runs (AcqMcapBlock *self, guint n);

/* Appends schema, channel or any other record to the chunk. */
void acq_mcap_block_append (AcqMcapBlock *self, const guint8 *data, gsize size, gsize minimum);

/*
 * Slow parts of acq_mcap_block_commit(). The CRC is computed here, in pieces
 * that are still in the cache, and not by the worker, for which they are cold.
 */
void acq_mcap_block_hash (AcqMcapBlock *self);
void acq_mcap_block_use (AcqMcapBlock *self, guint number, guint16 channel_id, gpointer data);
void acq_mcap_block_grow_run (AcqMcapRun *run);

/* Worker: compresses, computes CRCs and lays out what will be written. */
void acq_mcap_block_pack (AcqMcapBlock *self, AcqMcapCodec *codec, AcqMcapParts parts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqMcapBlock, acq_mcap_block_free)

static inline gboolean
acq_mcap_block_is_empty (AcqMcapBlock *self)
{
  return self->size == 0 && self->before->len == 0;
}

/*
 * Completes the message whose payload lies ACQ_MCAP_MESSAGE_HEAD_SIZE behind the
 * end of the records, and notes it in the index of its channel.
 */
static inline void
acq_mcap_block_commit (AcqMcapBlock *self, guint number, guint16 channel_id, gpointer data,
                       gsize size, guint32 sequence, guint64 log_time, guint64 publish_time)
{
  AcqMcapRun *run = &self->runs[number];
  guint8 *at = self->records + self->size;

  *at++ = ACQ_MCAP_MESSAGE;
  at = acq_le64_put (at, ACQ_MCAP_MESSAGE_HEAD_SIZE - ACQ_MCAP_FRAMING_SIZE + size);
  at = acq_le16_put (at, channel_id);
  at = acq_le32_put (at, sequence);
  at = acq_le64_put (at, log_time);
  acq_le64_put (at, publish_time);

  if (self->n_used == 0) {
    self->start_time = log_time;
    self->end_time = log_time;
  }
  if (run->size == 0)
    acq_mcap_block_use (self, number, channel_id, data);
  if (run->size == run->capacity)
    acq_mcap_block_grow_run (run);
  at = run->data + ACQ_MCAP_RUN_HEAD_SIZE + run->size;
  at = acq_le64_put (at, log_time);
  acq_le64_put (at, self->size);
  run->size += 16;

  if (log_time < self->start_time)
    self->start_time = log_time;
  if (log_time > self->end_time)
    self->end_time = log_time;
  self->size += ACQ_MCAP_MESSAGE_HEAD_SIZE + size;
  /* The memory was last used for another chunk, perhaps by another core: ask for it early. */
  __builtin_prefetch (self->records + self->size + 512, 1);
  __builtin_prefetch (self->records + self->size + 576, 1);
  if (self->size >= self->hash_at)
    acq_mcap_block_hash (self);
}
