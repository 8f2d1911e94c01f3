/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/acq-pool-private.h"

#define SLAB_BYTES (64 * 1024)

typedef struct _Slab Slab;
struct _Slab {
  Slab *next;
  _Alignas(16) guint8 frames[];
};

struct _AcqPool {
  _Atomic int refs; /* the stream, and each frame that is out */
  gsize payload;
  gsize frame_bytes;
  guint per_slab;
  AcqFrame *mine;                /* pusher only */
  Slab *slabs;                   /* pusher only */
  _Atomic (AcqFrame *) returned; /* anybody pushes, the pusher takes all */
};

AcqPool *
acq_pool_new (gsize payload_bytes)
{
  AcqPool *self = g_new0 (AcqPool, 1);

  self->refs = 1;
  self->payload = payload_bytes;
  self->frame_bytes = (sizeof (AcqFrame) + payload_bytes + 15) & ~(gsize) 15;
  self->per_slab = MAX (1, SLAB_BYTES / self->frame_bytes);
  return self;
}

void
acq_pool_unref (AcqPool *self)
{
  if (atomic_fetch_sub_explicit (&self->refs, 1, memory_order_acq_rel) != 1)
    return;
  for (Slab *slab = self->slabs, *next; slab != NULL; slab = next) {
    next = slab->next;
    g_free (slab);
  }
  g_free (self);
}

gsize
acq_pool_get_payload (AcqPool *self)
{
  return self->payload;
}

gsize
acq_pool_get_frame_bytes (AcqPool *self)
{
  return self->frame_bytes;
}

static gsize
grow (AcqPool *self)
{
  gsize bytes = sizeof (Slab) + self->per_slab * self->frame_bytes;
  Slab *slab = g_malloc (bytes);

  slab->next = self->slabs;
  self->slabs = slab;
  for (guint i = 0; i < self->per_slab; i++) {
    AcqFrame *frame = (AcqFrame *) (slab->frames + i * self->frame_bytes);

    atomic_init (&frame->refs, 0);
    frame->pool = self;
    frame->next = self->mine;
    self->mine = frame;
  }
  return bytes;
}

AcqFrame *
acq_pool_take (AcqPool *self, gboolean may_grow, gsize *grown_bytes)
{
  AcqFrame *frame;

  if (self->mine == NULL)
    self->mine = atomic_exchange_explicit (&self->returned, NULL, memory_order_acquire);
  if (self->mine == NULL) {
    if (!may_grow)
      return NULL;
    *grown_bytes += grow (self);
  }
  frame = self->mine;
  self->mine = frame->next;
  atomic_store_explicit (&frame->refs, 1, memory_order_relaxed);
  atomic_fetch_add_explicit (&self->refs, 1, memory_order_relaxed);
  return frame;
}

void
acq_frame_unref (AcqFrame *self)
{
  AcqPool *pool = self->pool;
  AcqFrame *head;

  if (atomic_fetch_sub_explicit (&self->refs, 1, memory_order_acq_rel) != 1)
    return;
  head = atomic_load_explicit (&pool->returned, memory_order_relaxed);
  do
    self->next = head;
  while (!atomic_compare_exchange_weak_explicit (&pool->returned, &head, self, memory_order_release,
                                                 memory_order_relaxed));
  acq_pool_unref (pool);
}
