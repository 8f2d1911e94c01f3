/* SPDX-License-Identifier: Apache-2.0 */

/*
 * States of a slot, and who moves it:
 *
 *   FREE -> QUEUED    producer, in submit(); fills it before that
 *   QUEUED -> PACKING a worker, in order of submission
 *   PACKING -> PACKED the same worker
 *   PACKED -> FREE    the writing worker, in order of submission
 *
 * Positions count blocks since the start and never wrap; slot = position % n.
 * written <= taken <= submitted <= written + n.
 */

#include "formats/acq-mcap-queue-private.h"

#include "formats/acq-thread-private.h"

typedef enum { SLOT_FREE, SLOT_QUEUED, SLOT_PACKING, SLOT_PACKED } SlotState;

typedef struct {
  SlotState state; /* lock */
  AcqMcapBlock *block;
} Slot;

/*
 * Large buffers that no block uses, the last one used on top: it is the one that
 * caches still hold, and a queue that is never full allocates only what it needs.
 */
typedef struct {
  guint8 *data;
  gsize capacity;
} Buffer;

typedef struct {
  Buffer *buffers; /* room for one of each slot */
  guint n;
} Spare;

typedef struct {
  AcqMcapQueue *queue;
  AcqMcapCodec *codec;
  pthread_t thread;
  gboolean started;
} Worker;

struct _AcqMcapQueue {
  AcqMcapParts parts;
  gsize keep; /* buffers larger than this are not kept */
  AcqMcapQueueWrite write;
  gpointer data;

  Slot *slots;
  guint n_slots;
  Worker *workers; /* at least one; without threads the producer plays it */
  guint n_workers;
  guint n_threads;

  pthread_mutex_t lock;
  pthread_cond_t work;  /* a block was queued, or it is time to stop */
  pthread_cond_t space; /* a block was written */
  guint64 submitted;    /* lock */
  guint64 taken;        /* lock */
  guint64 written;      /* lock */
  gboolean writing;     /* lock: somebody is in write_packed() */
  Spare records;        /* lock */
  Spare packed;         /* lock */
  gboolean stop;        /* lock */
};

static Slot *
slot_at (AcqMcapQueue *self, guint64 position)
{
  return &self->slots[position % self->n_slots];
}

static void
spare_give (Spare *self, guint8 **data, gsize *capacity)
{
  if (*data == NULL)
    return;
  self->buffers[self->n++] = (Buffer){ *data, *capacity };
  *data = NULL;
  *capacity = 0;
}

static void
spare_take (Spare *self, guint8 **data, gsize *capacity)
{
  if (self->n == 0)
    return;
  self->n--;
  *data = self->buffers[self->n].data;
  *capacity = self->buffers[self->n].capacity;
}

static void
spare_clear (Spare *self)
{
  for (guint i = 0; i < self->n; i++)
    g_free (self->buffers[i].data);
  g_free (self->buffers);
}

/* Writes what is packed and in order. With the lock held, which it lets go while writing. */
static void
write_packed (AcqMcapQueue *self)
{
  if (self->writing)
    return;
  self->writing = TRUE;
  for (;;) {
    Slot *slot = slot_at (self, self->written);

    if (slot->state != SLOT_PACKED)
      break;
    pthread_mutex_unlock (&self->lock);
    self->write (self->data, slot->block);
    acq_mcap_block_reset (slot->block, self->keep, self->parts);
    pthread_mutex_lock (&self->lock);
    spare_give (&self->records, &slot->block->records, &slot->block->capacity);
    spare_give (&self->packed, &slot->block->packed, &slot->block->packed_capacity);
    slot->state = SLOT_FREE;
    self->written++;
    pthread_cond_broadcast (&self->space);
  }
  self->writing = FALSE;
}

/* Packs the next queued block. With the lock held, which it lets go while packing. */
static void
pack_next (AcqMcapQueue *self, Worker *worker)
{
  Slot *slot = slot_at (self, self->taken++);

  slot->state = SLOT_PACKING;
  spare_take (&self->packed, &slot->block->packed, &slot->block->packed_capacity);
  pthread_mutex_unlock (&self->lock);
  acq_mcap_block_pack (slot->block, worker->codec, self->parts);
  pthread_mutex_lock (&self->lock);
  slot->state = SLOT_PACKED;
  write_packed (self);
}

static void *
worker_run (void *data)
{
  Worker *worker = data;
  AcqMcapQueue *self = worker->queue;

  pthread_mutex_lock (&self->lock);
  for (;;) {
    if (self->taken < self->submitted)
      pack_next (self, worker);
    else if (self->stop)
      break;
    else
      pthread_cond_wait (&self->work, &self->lock);
  }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

static gboolean
start_workers (AcqMcapQueue *self, const AcqMcapWriterOptions *options, GError **error)
{
  for (guint i = 0; i < self->n_workers; i++) {
    Worker *worker = &self->workers[i];

    worker->queue = self;
    worker->codec = acq_mcap_codec_new (options->compression, options->level, error);
    if (worker->codec == NULL)
      return FALSE;
    if (self->n_threads == 0)
      break;
    worker->started = acq_thread_start (&worker->thread, "acq-mcap", worker_run, worker, error);
    if (!worker->started)
      return FALSE;
  }
  return TRUE;
}

AcqMcapQueue *
acq_mcap_queue_new (const AcqMcapWriterOptions *options, AcqMcapQueueWrite write, gpointer data,
                    GError **error)
{
  g_autoptr (AcqMcapQueue) self = g_new0 (AcqMcapQueue, 1);

  self->parts = options->parts;
  self->keep = options->chunk_size * 4;
  self->write = write;
  self->data = data;
  self->n_threads = options->workers;
  self->n_workers = MAX (1, options->workers);
  /* One to fill, one for each worker, two to wait for the disk. */
  self->n_slots = self->n_threads == 0 ? 1 : self->n_threads + 3;
  self->slots = g_new0 (Slot, self->n_slots);
  self->workers = g_new0 (Worker, self->n_workers);
  self->records.buffers = g_new (Buffer, self->n_slots);
  self->packed.buffers = g_new (Buffer, self->n_slots);
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->work, NULL);
  pthread_cond_init (&self->space, NULL);
  for (guint i = 0; i < self->n_slots; i++)
    self->slots[i].block = acq_mcap_block_new (self->parts);
  return start_workers (self, options, error) ? g_steal_pointer (&self) : NULL;
}

void
acq_mcap_queue_free (AcqMcapQueue *self)
{
  if (self == NULL)
    return;
  pthread_mutex_lock (&self->lock);
  self->stop = TRUE;
  pthread_cond_broadcast (&self->work);
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; i < self->n_workers; i++) {
    if (self->workers[i].started)
      pthread_join (self->workers[i].thread, NULL);
    acq_mcap_codec_free (self->workers[i].codec);
  }
  for (guint i = 0; i < self->n_slots; i++)
    acq_mcap_block_free (self->slots[i].block);
  spare_clear (&self->records);
  spare_clear (&self->packed);
  pthread_cond_destroy (&self->space);
  pthread_cond_destroy (&self->work);
  pthread_mutex_destroy (&self->lock);
  g_free (self->workers);
  g_free (self->slots);
  g_free (self);
}

AcqMcapBlock *
acq_mcap_queue_acquire (AcqMcapQueue *self)
{
  Slot *slot;

  pthread_mutex_lock (&self->lock);
  slot = slot_at (self, self->submitted);
  while (slot->state != SLOT_FREE)
    pthread_cond_wait (&self->space, &self->lock);
  spare_take (&self->records, &slot->block->records, &slot->block->capacity);
  pthread_mutex_unlock (&self->lock);
  return slot->block;
}

void
acq_mcap_queue_submit (AcqMcapQueue *self)
{
  pthread_mutex_lock (&self->lock);
  slot_at (self, self->submitted)->state = SLOT_QUEUED;
  self->submitted++;
  if (self->n_threads == 0)
    pack_next (self, &self->workers[0]);
  else
    pthread_cond_signal (&self->work);
  pthread_mutex_unlock (&self->lock);
}

void
acq_mcap_queue_drain (AcqMcapQueue *self)
{
  pthread_mutex_lock (&self->lock);
  while (self->written < self->submitted)
    pthread_cond_wait (&self->space, &self->lock);
  pthread_mutex_unlock (&self->lock);
}
