/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-file-private.h"

#include "formats/acq-crc32-private.h"
#include "formats/acq-mcap-output-private.h"
#include "formats/acq-mcap-tally-private.h"

#include <acq/acq-error.h>

#include <pthread.h>
#include <stdatomic.h>

/*
 * Space that stays free for the end of the file, beside twice the summary so far:
 * at most a quarter of what there is, so that a small disk has room for data.
 */
#define END_RESERVE_MAX (2 * 1024 * 1024)
#define END_RESERVE_MIN (64 * 1024)

struct _AcqMcapFile {
  const AcqMcapWriterOptions *options;
  AcqMcapOutput *output;
  AcqMcapTally *tally;
  guint32 crc;              /* of everything written */
  gboolean broken;          /* the end of the file is not a whole record and cannot be cut */
  gboolean has_end_reserve; /* the next is chosen */
  guint64 end_reserve;      /* 0: there is no room for one */

  _Atomic guint64 size;
  _Atomic gsize chunk_limit;
  _Atomic guint64 synced;
  _Atomic gboolean failed;
  pthread_mutex_t lock;
  GError *error; /* lock: the first failure */
};

AcqMcapFile *
acq_mcap_file_new (AcqMcapOutput *output, const AcqMcapWriterOptions *options)
{
  AcqMcapFile *self = g_new0 (AcqMcapFile, 1);

  self->options = options;
  self->output = output;
  atomic_init (&self->chunk_limit, options->chunk_size);
  self->tally = acq_mcap_tally_new ();
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

void
acq_mcap_file_free (AcqMcapFile *self)
{
  if (self == NULL)
    return;
  acq_mcap_output_free (self->output);
  acq_mcap_tally_free (self->tally);
  pthread_mutex_destroy (&self->lock);
  g_clear_error (&self->error);
  g_free (self);
}

gboolean
acq_mcap_file_has_failed (AcqMcapFile *self)
{
  return atomic_load_explicit (&self->failed, memory_order_acquire);
}

GError *
acq_mcap_file_get_error (AcqMcapFile *self)
{
  GError *error;

  pthread_mutex_lock (&self->lock);
  error = self->error != NULL ? g_error_copy (self->error) : NULL;
  pthread_mutex_unlock (&self->lock);
  return error;
}

guint64
acq_mcap_file_get_size (AcqMcapFile *self)
{
  return atomic_load_explicit (&self->size, memory_order_relaxed);
}

gsize
acq_mcap_file_get_chunk_limit (AcqMcapFile *self)
{
  gsize limit = atomic_load_explicit (&self->chunk_limit, memory_order_relaxed);

  return MIN (limit, self->options->chunk_size);
}

/* (transfer full) */
static void
fail (AcqMcapFile *self, GError *error)
{
  pthread_mutex_lock (&self->lock);
  if (self->error == NULL)
    self->error = g_steal_pointer (&error);
  atomic_store_explicit (&self->failed, TRUE, memory_order_release);
  pthread_mutex_unlock (&self->lock);
  g_clear_error (&error);
}

/* With the first block, when it is seen how much room there is. */
static void
choose_end_reserve (AcqMcapFile *self, guint64 block_size)
{
  guint64 size = END_RESERVE_MAX;

  while (size >= END_RESERVE_MIN &&
         !acq_mcap_output_reserve (self->output, block_size + 4 * size, NULL))
    size /= 2;
  self->end_reserve = size >= END_RESERVE_MIN ? size : 0;
  self->has_end_reserve = TRUE;
  /* A chunk that is larger than what is left would be lost as a whole. */
  if (size < END_RESERVE_MAX)
    atomic_store (&self->chunk_limit, MAX (self->end_reserve, END_RESERVE_MIN) / 4);
}

/* What has to fit behind a block. */
static guint64
room_for_end (AcqMcapFile *self)
{
  return self->end_reserve != 0 ? self->end_reserve + 2 * acq_mcap_tally_size (self->tally) : 0;
}

/* Whole blocks or nothing: what a failed write left behind is cut off. */
static gboolean
append (AcqMcapFile *self, AcqMcapBlock *block, GError **error)
{
  guint64 size = acq_mcap_file_get_size (self);

  if (!self->has_end_reserve)
    choose_end_reserve (self, block->total);
  if (!acq_mcap_output_reserve (self->output, block->total + room_for_end (self), error))
    return FALSE;
  if (acq_mcap_output_write (self->output, block->iov, block->n_iov, error))
    return TRUE;
  self->broken = !acq_mcap_output_truncate (self->output, size, NULL);
  return FALSE;
}

static void
account (AcqMcapFile *self, AcqMcapBlock *block)
{
  guint64 size = acq_mcap_file_get_size (self);

  self->crc = acq_crc32_combine (self->crc, block->crc, block->total);
  acq_mcap_tally_add (self->tally, block, size, self->options->parts);
  atomic_store_explicit (&self->size, size + block->total, memory_order_relaxed);
}

static void
tell (AcqMcapFile *self, AcqMcapBlock *block, const GError *error)
{
  if (self->options->written != NULL && block->n_used != 0)
    self->options->written (self->options->user_data, block->written, block->n_used, error);
}

void
acq_mcap_file_write (AcqMcapFile *self, AcqMcapBlock *block)
{
  g_autoptr (GError) error = NULL;

  if (!acq_mcap_file_has_failed (self)) {
    if (append (self, block, &error)) {
      account (self, block);
      tell (self, block, NULL);
      return;
    }
    fail (self, g_steal_pointer (&error));
  }
  error = acq_mcap_file_get_error (self);
  tell (self, block, error);
}

void
acq_mcap_file_sync (AcqMcapFile *self)
{
  g_autoptr (GError) error = NULL;
  guint64 size = acq_mcap_file_get_size (self);

  if (acq_mcap_file_has_failed (self))
    return;
  if (!acq_mcap_output_check (self->output, &error) ||
      (size != self->synced && !acq_mcap_output_sync (self->output, &error)))
    fail (self, g_steal_pointer (&error));
  else
    self->synced = size;
}

static gboolean
write_end (AcqMcapFile *self, GByteArray *end, GError **error)
{
  struct iovec iov = { end->data, end->len };

  return acq_mcap_output_write (self->output, &iov, 1, error);
}

/* Into the space that is set aside for the end; where there is none, these records are lost. */
static void
write_last (AcqMcapFile *self, AcqMcapBlock *last)
{
  g_autoptr (AcqMcapCodec) codec = acq_mcap_codec_new (ACQ_MCAP_COMPRESSION_NONE, 0, NULL);

  acq_mcap_block_pack (last, codec, self->options->parts);
  if (acq_mcap_output_write (self->output, last->iov, last->n_iov, NULL))
    account (self, last);
  else
    self->broken = !acq_mcap_output_truncate (self->output, acq_mcap_file_get_size (self), NULL);
}

gboolean
acq_mcap_file_finish (AcqMcapFile *self, AcqMcapBlock *last, GPtrArray *schemas,
                      GPtrArray *channels, GError **error)
{
  g_autoptr (GByteArray) end = g_byte_array_new ();
  g_autoptr (GError) local_error = NULL;
  AcqMcapParts parts = self->options->parts;
  guint64 size;

  /* Without its head there is nothing to finish. */
  if (self->broken || (acq_mcap_file_get_size (self) == 0 && acq_mcap_file_has_failed (self))) {
    g_propagate_error (error, acq_mcap_file_get_error (self));
    return FALSE;
  }
  if (last != NULL)
    write_last (self, last);
  size = acq_mcap_file_get_size (self);
  acq_mcap_tally_encode (self->tally, end, size, self->crc, parts, schemas, channels);
  if (!write_end (self, end, &local_error)) {
    fail (self, g_steal_pointer (&local_error));
    /* No room for a summary: a file without one is still a valid file. */
    g_byte_array_set_size (end, 0);
    parts &= ACQ_MCAP_PART_DATA_CRC | ACQ_MCAP_PART_SUMMARY_CRC;
    acq_mcap_tally_encode (self->tally, end, size, self->crc, parts, schemas, channels);
    if (!acq_mcap_output_truncate (self->output, size, error) || !write_end (self, end, error))
      return FALSE;
  }
  atomic_store_explicit (&self->size, size + end->len, memory_order_relaxed);
  return acq_mcap_output_publish (self->output, error);
}
