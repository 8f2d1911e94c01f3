/* SPDX-License-Identifier: Apache-2.0 */

/* The merge of links by host time: a heap of links, each with a short run of frames. */

#include <string.h>

#include "graph/acq-consumer-private.h"

static inline gint64
head_time (AcqLink *link)
{
  return link->run[link->run_head]->host_ns;
}

static void
sift_down (AcqLink **heap, guint n, guint i)
{
  AcqLink *moving = heap[i];

  for (;;) {
    guint child = 2 * i + 1;

    if (child >= n)
      break;
    if (child + 1 < n && head_time (heap[child + 1]) < head_time (heap[child]))
      child++;
    if (head_time (heap[child]) >= head_time (moving))
      break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = moving;
}

/* Fills the run of a link. Returns the last time up to which its frames are all here. */
static gint64
fill_run (AcqLink *link, gint64 until, gboolean *more)
{
  gboolean left = FALSE;

  if (link->run_head > 0) {
    memmove (link->run, link->run + link->run_head, link->run_count * sizeof *link->run);
    link->run_head = 0;
  }
  link->run_count += acq_link_take (link, link->run + link->run_count,
                                    ACQ_CONSUMER_RUN_MAX - link->run_count, until, &left);
  if (!left)
    return until;
  *more = TRUE;
  return link->run[link->run_count - 1]->host_ns;
}

gint64
acq_consumer_gather (AcqConsumer *self, gint64 until, gboolean *more)
{
  gint64 limit = until;
  AcqLink **heap;
  guint n;

  g_array_set_size (self->items, 0);
  g_array_set_size (self->heap, 0);
  for (guint i = 0; i < self->mine->len; i++) {
    AcqLink *link = self->mine->pdata[i];
    gint64 complete = fill_run (link, until, more);

    limit = MIN (limit, complete);
    if (link->run_count > 0)
      g_array_append_val (self->heap, link);
  }
  heap = (AcqLink **) self->heap->data;
  n = self->heap->len;
  for (guint i = n / 2; i-- > 0;)
    sift_down (heap, n, i);
  while (n > 0 && head_time (heap[0]) <= limit) {
    AcqItem item = { heap[0]->run[heap[0]->run_head++], heap[0] };

    g_array_append_val (self->items, item);
    if (--heap[0]->run_count == 0)
      heap[0] = heap[--n];
    if (n > 1)
      sift_down (heap, n, 0);
  }
  return limit;
}
