/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-block-private.h"

#include "formats/acq-crc32-private.h"

/* Entries that a fresh run has room for, in bytes. */
#define FIRST_RUN_CAPACITY 1024
/* Bytes of records that are hashed at once: few calls, and all of it in the nearest caches. */
#define HASH_STEP (32 * 1024)

AcqMcapBlock *
acq_mcap_block_new (AcqMcapParts parts)
{
  AcqMcapBlock *self = g_new0 (AcqMcapBlock, 1);

  self->before = g_byte_array_new ();
  self->attachments.records = g_byte_array_new ();
  self->metadata.records = g_byte_array_new ();
  acq_mcap_block_reset (self, 0, parts);
  return self;
}

void
acq_mcap_block_free (AcqMcapBlock *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_runs; i++)
    g_free (self->runs[i].data);
  g_free (self->runs);
  g_free (self->used);
  g_free (self->written);
  g_free (self->records);
  g_free (self->packed);
  g_free (self->iov);
  g_byte_array_unref (self->before);
  g_byte_array_unref (self->attachments.records);
  g_byte_array_unref (self->metadata.records);
  g_free (self);
}

static void
reset_pending (AcqMcapPending *pending)
{
  g_byte_array_set_size (pending->records, 0);
  pending->n = 0;
}

void
acq_mcap_block_reset (AcqMcapBlock *self, gsize keep, AcqMcapParts parts)
{
  for (guint i = 0; i < self->n_used; i++)
    self->runs[self->used[i]].size = 0;
  self->n_used = 0;
  self->size = 0;
  self->hashed = 0;
  self->hash_at = parts & ACQ_MCAP_PART_CHUNK_CRC ? HASH_STEP : G_MAXSIZE;
  self->records_crc = 0;
  g_byte_array_set_size (self->before, 0);
  reset_pending (&self->attachments);
  reset_pending (&self->metadata);
  if (self->capacity > keep) {
    g_clear_pointer (&self->records, g_free);
    self->capacity = 0;
  }
  if (self->packed_capacity > keep) {
    g_clear_pointer (&self->packed, g_free);
    self->packed_capacity = 0;
  }
}

void
acq_mcap_block_hash (AcqMcapBlock *self)
{
  self->records_crc =
      acq_crc32 (self->records_crc, self->records + self->hashed, self->size - self->hashed);
  self->hashed = self->size;
  self->hash_at = self->size + HASH_STEP;
}

void
acq_mcap_block_grow (AcqMcapBlock *self, gsize size, gsize minimum)
{
  gsize needed = self->size + size;

  if (needed <= self->capacity)
    return;
  needed = MAX (needed, minimum);
  if (self->size == 0) {
    g_free (self->records); /* nothing to keep: do not let realloc copy it */
    self->records = g_malloc (needed);
  } else {
    self->records = g_realloc (self->records, needed);
  }
  self->capacity = needed;
}

void
acq_mcap_block_append (AcqMcapBlock *self, const guint8 *data, gsize size, gsize minimum)
{
  acq_mcap_block_grow (self, size, minimum);
  memcpy (self->records + self->size, data, size);
  self->size += size;
}

void
acq_mcap_block_set_n_runs (AcqMcapBlock *self, guint n)
{
  if (n <= self->n_runs)
    return;
  n = MAX (n, self->n_runs * 2);
  self->runs = g_renew (AcqMcapRun, self->runs, n);
  memset (self->runs + self->n_runs, 0, (n - self->n_runs) * sizeof *self->runs);
  self->n_runs = n;
}

void
acq_mcap_block_use (AcqMcapBlock *self, guint number, guint16 channel_id, gpointer data)
{
  if (self->n_used == self->used_capacity) {
    self->used_capacity = MAX (32, self->used_capacity * 2);
    self->used = g_renew (guint, self->used, self->used_capacity);
    self->written = g_renew (AcqMcapWritten, self->written, self->used_capacity);
  }
  self->written[self->n_used] = (AcqMcapWritten){ channel_id, 0, data };
  self->used[self->n_used++] = number;
}

void
acq_mcap_block_grow_run (AcqMcapRun *run)
{
  run->capacity = run->capacity == 0 ? FIRST_RUN_CAPACITY : run->capacity * 2;
  run->data = g_realloc (run->data, ACQ_MCAP_RUN_HEAD_SIZE + (gsize) run->capacity);
}

static void
add_iov (AcqMcapBlock *self, const guint8 *data, gsize size)
{
  if (size == 0)
    return;
  if (self->n_iov == self->iov_capacity) {
    self->iov_capacity = MAX (32, self->iov_capacity * 2);
    self->iov = g_renew (struct iovec, self->iov, self->iov_capacity);
  }
  self->iov[self->n_iov++] = (struct iovec){ (void *) data, size };
  self->total += size;
}

static const guint8 *
pack_records (AcqMcapBlock *self, AcqMcapCodec *codec)
{
  gsize bound = acq_mcap_codec_bound (codec, self->size);

  if (bound > self->packed_capacity) {
    g_free (self->packed);
    self->packed = g_malloc (bound);
    self->packed_capacity = bound;
  }
  self->body_size = acq_mcap_codec_pack (codec, self->records, self->size, self->packed, bound);
  self->compression = acq_mcap_codec_name (codec);
  if (self->body_size != 0)
    return self->packed;
  self->body_size = self->size;
  self->compression = "";
  return self->records;
}

/* The Chunk record up to its records. */
static void
write_head (AcqMcapBlock *self)
{
  gsize name_size = strlen (self->compression);
  guint8 *at = self->head;

  *at++ = ACQ_MCAP_CHUNK;
  at = acq_le64_put (at, 28 + 4 + name_size + 8 + self->body_size);
  at = acq_le64_put (at, self->n_used != 0 ? self->start_time : 0);
  at = acq_le64_put (at, self->n_used != 0 ? self->end_time : 0);
  at = acq_le64_put (at, self->size);
  at = acq_le32_put (at, self->records_crc);
  at = acq_le32_put (at, name_size);
  memcpy (at, self->compression, name_size);
  at = acq_le64_put (at + name_size, self->body_size);
  self->head_size = at - self->head;
}

static void
add_indexes (AcqMcapBlock *self)
{
  for (guint i = 0; i < self->n_used; i++) {
    AcqMcapRun *run = &self->runs[self->used[i]];
    guint8 *at = run->data;

    *at++ = ACQ_MCAP_MESSAGE_INDEX;
    at = acq_le64_put (at, 2 + 4 + (guint64) run->size);
    at = acq_le16_put (at, self->written[i].channel_id);
    acq_le32_put (at, run->size);
    add_iov (self, run->data, ACQ_MCAP_RUN_HEAD_SIZE + run->size);
    self->index_size += ACQ_MCAP_RUN_HEAD_SIZE + run->size;
  }
}

/*
 * The CRC of the block. That of the records is known already: where they are
 * stored as they are, it is combined instead of computed again.
 */
static guint32
block_crc (AcqMcapBlock *self, gboolean has_records_crc)
{
  guint32 crc = 0;

  for (guint i = 0; i < self->n_iov; i++) {
    const struct iovec *piece = &self->iov[i];
    if (has_records_crc && piece->iov_base == self->records)
      crc = acq_crc32_combine (crc, self->records_crc, piece->iov_len);
    else
      crc = acq_crc32 (crc, piece->iov_base, piece->iov_len);
  }
  return crc;
}

void
acq_mcap_block_pack (AcqMcapBlock *self, AcqMcapCodec *codec, AcqMcapParts parts)
{
  const guint8 *body = self->records;
  gboolean has_records_crc = FALSE;

  self->n_iov = 0;
  self->total = 0;
  self->body_size = 0;
  self->index_size = 0;
  for (guint i = 0; i < self->n_used; i++)
    self->written[i].n_messages = self->runs[self->used[i]].size / 16;

  add_iov (self, self->before->data, self->before->len);
  if (self->size != 0 && (parts & ACQ_MCAP_PART_CHUNKS)) {
    has_records_crc = (parts & ACQ_MCAP_PART_CHUNK_CRC) != 0;
    if (has_records_crc)
      acq_mcap_block_hash (self);
    body = pack_records (self, codec);
    write_head (self);
    add_iov (self, self->head, self->head_size);
    add_iov (self, body, self->body_size);
    if (parts & ACQ_MCAP_PART_MESSAGE_INDEX)
      add_indexes (self);
  } else {
    self->body_size = self->size;
    add_iov (self, body, self->size);
  }
  if (parts & ACQ_MCAP_PART_DATA_CRC)
    self->crc = block_crc (self, has_records_crc);
}
