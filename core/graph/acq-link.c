/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/acq-link-private.h"

#include "base/acq-wait-private.h"

#include <string.h>

/* How long a `wait` queue holds its pusher back before the frame counts as lost. */
#define WAIT_LIMIT_S 10
#define HURRIED_LIMIT_S 1

void
acq_waiter_init (AcqWaiter *self, guint max_latency_ms)
{

  pthread_mutex_init (&self->lock, NULL);
  acq_cond_init (&self->cond);
  self->signalled = FALSE;
  atomic_init (&self->sleeping, FALSE);
  self->max_latency_ms = max_latency_ms;
}

void
acq_waiter_clear (AcqWaiter *self)
{
  pthread_cond_destroy (&self->cond);
  pthread_mutex_destroy (&self->lock);
}

void
acq_waiter_wake (AcqWaiter *self)
{
  pthread_mutex_lock (&self->lock);
  self->signalled = TRUE;
  pthread_cond_signal (&self->cond);
  pthread_mutex_unlock (&self->lock);
}

AcqLink *
acq_link_new (AcqStream *stream, AcqConsumer *consumer, AcqWaiter *waiter, guint capacity,
              guint64 max_bytes, AcqWhenFull when_full)
{
  AcqLink *self = g_new0 (AcqLink, 1);

  self->refs = 1;
  self->stream = stream;
  self->consumer = consumer;
  self->waiter = waiter;
  self->when_full = when_full;
  self->max_bytes = max_bytes;
  self->capacity = capacity;
  self->ring = g_new (AcqFrame *, capacity);
  pthread_mutex_init (&self->lock, NULL);
  acq_cond_init (&self->space);
  return self;
}

AcqLink *
acq_link_ref (AcqLink *self)
{
  atomic_fetch_add (&self->refs, 1);
  return self;
}

static void
discard_queue (AcqLink *self, guint *ret_n)
{
  *ret_n = self->count;
  for (; self->count > 0; self->count--) {
    acq_frame_unref (self->ring[self->head]);
    self->head = (self->head + 1) % self->capacity;
  }
  self->bytes = 0;
}

void
acq_link_unref (AcqLink *self)
{
  guint n;

  if (atomic_fetch_sub (&self->refs, 1) != 1)
    return;
  if (self->destroy != NULL)
    self->destroy (self->data);
  discard_queue (self, &n);
  for (; self->run_count > 0; self->run_count--)
    acq_frame_unref (self->run[self->run_head++]);
  g_free (self->run);
  g_free (self->ring);
  pthread_cond_destroy (&self->space);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

static inline gboolean
is_full (AcqLink *self, guint size)
{
  return self->count == self->capacity || self->bytes + size > self->max_bytes;
}

static inline AcqFrame *
pop_head (AcqLink *self)
{
  AcqFrame *frame = self->ring[self->head];

  if (++self->head == self->capacity)
    self->head = 0;
  self->count--;
  self->bytes -= frame->size;
  return frame;
}

/* The pusher waits, with a bound; a shorter one once the graph wants to stop, so that what is on
 * the way still gets in while the consumer lives. */
static gboolean
wait_for_space (AcqLink *self, guint size)
{
  gint64 deadline_ns = acq_deadline_in (WAIT_LIMIT_S);
  gboolean hurried = FALSE;

  while (is_full (self, size) && self->state == ACQ_LINK_OPEN) {
    /* The consumer may sleep on a half-full queue: tell it that somebody waits. The link lock
     * comes before the waiter lock. */
    if (atomic_load (&self->waiter->sleeping))
      acq_waiter_wake (self->waiter);
    if (self->released && !hurried) {
      hurried = TRUE;
      deadline_ns = acq_deadline_in (HURRIED_LIMIT_S);
    }
    if (!acq_cond_wait_until (&self->space, &self->lock, deadline_ns))
      break;
  }
  return !is_full (self, size) && self->state == ACQ_LINK_OPEN;
}

/* Makes room as the policy says. Victims are chained for unref outside the lock. Returns FALSE
 * when @frame itself is the victim; it is then counted. */
static gboolean
make_room (AcqLink *self, AcqFrame *frame, AcqFrame **victims, guint *n_victims)
{
  switch (self->when_full) {
  case ACQ_WHEN_FULL_DROP_NEWEST:
    self->n.dropped[ACQ_DROP_NEWEST]++;
    return FALSE;
  case ACQ_WHEN_FULL_WAIT:
    if (wait_for_space (self, frame->size))
      return TRUE;
    self->n.dropped[self->state != ACQ_LINK_OPEN ? ACQ_DROP_CLOSED : ACQ_DROP_WAIT_TIMEOUT]++;
    return FALSE;
  case ACQ_WHEN_FULL_DROP_OLDEST:
    break;
  }
  if (frame->size > self->max_bytes) {
    self->n.dropped[ACQ_DROP_OLDEST]++;
    return FALSE;
  }
  while (is_full (self, frame->size)) {
    AcqFrame *victim = pop_head (self);

    self->n.dropped[ACQ_DROP_OLDEST]++;
    /* A queue of many small frames in front of a large one: beyond the batch, unref here. */
    if (*n_victims < 16)
      victims[(*n_victims)++] = victim;
    else
      acq_frame_unref (victim);
  }
  return TRUE;
}

void
acq_link_push (AcqLink *self, AcqFrame *frame)
{
  AcqFrame *victims[16];
  guint n_victims = 0;
  gboolean stored = FALSE;
  gboolean wake = FALSE;

  pthread_mutex_lock (&self->lock);
  self->ended = FALSE;
  if (self->state != ACQ_LINK_OPEN)
    self->n.dropped[ACQ_DROP_CLOSED]++;
  else if (!is_full (self, frame->size) || make_room (self, frame, victims, &n_victims)) {
    guint tail = self->head + self->count;

    self->ring[tail >= self->capacity ? tail - self->capacity : tail] = frame;
    self->count++;
    self->bytes += frame->size;
    self->n.high_water = MAX (self->n.high_water, self->count);
    stored = TRUE;
    wake =
        atomic_load_explicit (&self->waiter->sleeping, memory_order_relaxed) &&
        (self->waiter->max_latency_ms == 0 || self->count == self->capacity / 2 ||
         (self->bytes > self->max_bytes / 2 && self->bytes - frame->size <= self->max_bytes / 2));
  }
  /* Here and not on top: a pusher that waits for room gives up the lock. */
  self->n.offered++;
  pthread_mutex_unlock (&self->lock);

  for (guint i = 0; i < n_victims; i++)
    acq_frame_unref (victims[i]);
  if (!stored)
    acq_frame_unref (frame);
  if (wake)
    acq_waiter_wake (self->waiter);
}

void
acq_link_push_nothing (AcqLink *self, AcqDropCause cause)
{
  pthread_mutex_lock (&self->lock);
  self->n.offered++;
  self->n.dropped[cause]++;
  pthread_mutex_unlock (&self->lock);
}

guint
acq_link_take (AcqLink *self, AcqFrame **frames, guint max, gint64 until, gboolean *ret_more)
{
  guint n = 0;

  pthread_mutex_lock (&self->lock);
  while (n < max && self->count > 0 && self->ring[self->head]->host_ns <= until)
    frames[n++] = pop_head (self);
  self->taken += n;
  *ret_more = self->count > 0 && self->ring[self->head]->host_ns <= until;
  if (n > 0 && self->when_full == ACQ_WHEN_FULL_WAIT)
    pthread_cond_broadcast (&self->space);
  pthread_mutex_unlock (&self->lock);
  return n;
}

gboolean
acq_link_has (AcqLink *self, gint64 until)
{
  gboolean has;

  pthread_mutex_lock (&self->lock);
  has = self->count > 0 && self->ring[self->head]->host_ns <= until;
  pthread_mutex_unlock (&self->lock);
  return has;
}

/* Frames that were taken and are not settled. Under lock. */
static guint64
pending (AcqLink *self)
{
  guint64 settled = self->n.written + self->n.paused + self->n.idle;

  for (int i = 0; i < ACQ_FAIL_N_CAUSES; i++)
    settled += self->n.failed[i];
  g_assert (settled <= self->taken);
  return self->taken - settled;
}

static void
settle (AcqLink *self, guint64 *counter, guint64 n)
{
  pthread_mutex_lock (&self->lock);
  if (!self->abandoned) {
    g_assert (n <= pending (self));
    *counter += n;
  }
  pthread_mutex_unlock (&self->lock);
}

void
acq_link_settle_written (AcqLink *self, guint64 n)
{
  settle (self, &self->n.written, n);
}

void
acq_link_settle_failed (AcqLink *self, guint64 n, AcqFailCause cause)
{
  settle (self, &self->n.failed[cause], n);
}

void
acq_link_settle_paused (AcqLink *self, guint64 n)
{
  settle (self, &self->n.paused, n);
}

void
acq_link_settle_idle (AcqLink *self, guint64 n)
{
  settle (self, &self->n.idle, n);
}

void
acq_link_count_replayed (AcqLink *self)
{
  pthread_mutex_lock (&self->lock);
  self->n.replayed++;
  pthread_mutex_unlock (&self->lock);
}

void
acq_link_set_ended (AcqLink *self, gboolean ended)
{
  pthread_mutex_lock (&self->lock);
  self->ended = ended;
  pthread_mutex_unlock (&self->lock);
}

gboolean
acq_link_is_ended (AcqLink *self)
{
  gboolean ended;

  pthread_mutex_lock (&self->lock);
  ended = self->ended && self->count == 0;
  pthread_mutex_unlock (&self->lock);
  return ended && self->run_count == 0;
}

void
acq_link_release_waiters (AcqLink *self)
{
  pthread_mutex_lock (&self->lock);
  self->released = TRUE;
  pthread_cond_broadcast (&self->space);
  pthread_mutex_unlock (&self->lock);
}

void
acq_link_drain (AcqLink *self)
{
  pthread_mutex_lock (&self->lock);
  if (self->state == ACQ_LINK_OPEN)
    self->state = ACQ_LINK_DRAINING;
  self->released = TRUE;
  pthread_cond_broadcast (&self->space);
  pthread_mutex_unlock (&self->lock);
}

void
acq_link_shut (AcqLink *self)
{
  guint n;

  pthread_mutex_lock (&self->lock);
  self->state = ACQ_LINK_CLOSED;
  discard_queue (self, &n);
  self->n.dropped[ACQ_DROP_CLOSED] += n;
  pthread_cond_broadcast (&self->space);
  pthread_mutex_unlock (&self->lock);
}

void
acq_link_close (AcqLink *self, AcqFailCause cause)
{
  guint n;

  pthread_mutex_lock (&self->lock);
  if (!self->abandoned) {
    self->state = ACQ_LINK_CLOSED;
    discard_queue (self, &n);
    self->n.dropped[ACQ_DROP_CLOSED] += n;
    self->n.failed[cause] += pending (self);
    self->abandoned = TRUE; /* a worker that still settles comes too late */
  }
  pthread_cond_broadcast (&self->space);
  pthread_mutex_unlock (&self->lock);
}

void
acq_link_abandon (AcqLink *self)
{
  guint n;

  pthread_mutex_lock (&self->lock);
  if (!self->abandoned) {
    self->state = ACQ_LINK_CLOSED;
    discard_queue (self, &n);
    self->n.dropped[ACQ_DROP_ABANDONED] += n;
    self->n.failed[ACQ_FAIL_ABANDONED] += pending (self);
    self->abandoned = TRUE;
  }
  pthread_cond_broadcast (&self->space);
  pthread_mutex_unlock (&self->lock);
}

void
acq_link_snapshot (AcqLink *self, AcqLinkCounters *ret_counters)
{
  guint64 sum;

  pthread_mutex_lock (&self->lock);
  *ret_counters = self->n;
  ret_counters->pending = self->abandoned ? 0 : pending (self);
  ret_counters->queued = self->count;
  ret_counters->queued_bytes = self->bytes;
  ret_counters->capacity = self->capacity;
  pthread_mutex_unlock (&self->lock);

  sum = ret_counters->written + ret_counters->paused + ret_counters->idle + ret_counters->pending +
        ret_counters->queued;
  for (int i = 0; i < ACQ_DROP_N_CAUSES; i++)
    sum += ret_counters->dropped[i];
  for (int i = 0; i < ACQ_FAIL_N_CAUSES; i++)
    sum += ret_counters->failed[i];
  g_assert (sum == ret_counters->offered);
}

AcqStream *
acq_link_get_stream (AcqLink *self)
{
  return self->stream;
}

void
acq_link_set_data (AcqLink *self, gpointer data, GDestroyNotify destroy)
{
  if (self->destroy != NULL)
    self->destroy (self->data);
  self->data = data;
  self->destroy = destroy;
}

gpointer
acq_link_get_data (AcqLink *self)
{
  return self->data;
}

static const char *const drop_words[] = { "oldest",   "newest", "wait_timeout", "memory",
                                          "too_long", "closed", "abandoned" };
static const char *const fail_words[] = { "write", "no_space", "encode", "sink", "abandoned" };

G_STATIC_ASSERT (G_N_ELEMENTS (drop_words) == ACQ_DROP_N_CAUSES);
G_STATIC_ASSERT (G_N_ELEMENTS (fail_words) == ACQ_FAIL_N_CAUSES);

const char *
acq_drop_cause_to_string (AcqDropCause cause)
{
  return drop_words[cause];
}

const char *
acq_fail_cause_to_string (AcqFailCause cause)
{
  return fail_words[cause];
}
