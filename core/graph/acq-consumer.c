/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The thread of a sink or a transform.
 *
 * Round: fetch new links and cuts; take what is old enough from every link, in
 * order of host time across links; hand it on, cut by cut; tick; sleep.
 *
 * Sleep, and why no wake-up is lost: `sleeping` is set first, then every link is
 * looked at under its lock. If that look missed a frame, its lock section came
 * before the pusher's, so the pusher sees `sleeping` (the mutex orders both) and
 * signals; the signal is kept in `signalled` under the waiter's lock.
 *
 * End: `draining` makes a round take everything, whatever its age; when nothing
 * is left and every cut is applied, the thread ends its take and closes the node.
 */

#include "graph/acq-consumer-private.h"

#include <acq/acq-error.h>
#include <acq/acq-host-clock.h>

#include "base/acq-wait-private.h"

#include "graph/acq-node-private.h"
#include "graph/acq-take-private.h"

#define NS_PER_MS G_GINT64_CONSTANT (1000000)

/* A consumer that wants to be woken at once still ticks this often. */
#define IDLE_MS 100

AcqConsumer *
acq_consumer_new (AcqNode *node, const AcqConsumerSlots *slots, guint max_latency_ms,
                  AcqHostClock *host_clock)
{
  AcqConsumer *self = g_new0 (AcqConsumer, 1);

  self->node = node;
  self->slots = *slots;
  self->host_clock = acq_host_clock_ref (host_clock);
  acq_waiter_init (&self->waiter, max_latency_ms);
  pthread_mutex_init (&self->lock, NULL);
  acq_cond_init (&self->changed);
  self->links = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_link_unref);
  self->mine = g_ptr_array_new ();
  self->items = g_array_new (FALSE, FALSE, sizeof (AcqItem));
  self->heap = g_array_new (FALSE, FALSE, sizeof (AcqLink *));
  self->held = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_take_unref);
  g_queue_init (&self->cuts);
  g_queue_init (&self->todo);
  g_queue_init (&self->preroll);
  return self;
}

/* An abandoned thread may be the last but one to let go of the graph. Its reference orders that
 * well enough; this says so in a way that ThreadSanitizer sees, which does not look into GLib. */
static void
touch (AcqConsumer *self)
{
  pthread_mutex_lock (&self->lock);
  pthread_mutex_unlock (&self->lock);
}

static void
free_cut (gpointer data)
{
  AcqCut *cut = data;

  acq_take_unref (cut->take);
  g_free (cut);
}

void
acq_consumer_free (AcqConsumer *self)
{
  if (self == NULL)
    return;
  touch (self);
  g_queue_clear_full (&self->cuts, free_cut);
  g_queue_clear_full (&self->todo, free_cut);
  g_ptr_array_unref (self->held);
  g_array_unref (self->items);
  g_array_unref (self->heap);
  g_ptr_array_unref (self->mine);
  g_ptr_array_unref (self->links);
  g_clear_error (&self->failure);
  acq_waiter_clear (&self->waiter);
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->lock);
  acq_host_clock_unref (self->host_clock);
  g_free (self);
}

/* From other threads */

void
acq_consumer_add_link (AcqConsumer *self, AcqLink *link)
{
  pthread_mutex_lock (&self->lock);
  g_ptr_array_add (self->links, acq_link_ref (link));
  atomic_store (&self->n_links, self->links->len);
  pthread_mutex_unlock (&self->lock);
  acq_waiter_wake (&self->waiter);
}

void
acq_consumer_cut (AcqConsumer *self, AcqCutKind kind, gint64 at_ns, AcqTake *take)
{
  AcqCut *cut = g_new0 (AcqCut, 1);
  gboolean done;

  cut->kind = kind;
  cut->at_ns = at_ns;
  cut->posted_ns = acq_host_clock_now (self->host_clock);
  cut->take = take != NULL ? acq_take_ref (take) : NULL;
  pthread_mutex_lock (&self->lock);
  done = self->done || self->abandoned;
  if (!done) {
    if (kind == ACQ_CUT_BEGIN) {
      self->caught_up = FALSE;
      self->cut_ns = cut->posted_ns;
      acq_take_hold (take);
      g_ptr_array_add (self->held, acq_take_ref (take));
    }
    g_queue_push_tail (&self->cuts, cut);
    atomic_store (&self->has_cuts, TRUE);
  }
  pthread_mutex_unlock (&self->lock);
  if (done)
    free_cut (cut);
  else
    acq_waiter_wake (&self->waiter);
}

void
acq_consumer_fail (AcqConsumer *self, AcqFailCause cause, GError *error)
{
  pthread_mutex_lock (&self->lock);
  if (self->failure == NULL) {
    self->failure = error;
    self->failure_cause = cause;
    error = NULL;
    atomic_store (&self->has_failure, TRUE);
  }
  pthread_mutex_unlock (&self->lock);
  g_clear_error (&error);
  acq_waiter_wake (&self->waiter);
}

void
acq_consumer_drain (AcqConsumer *self)
{
  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < self->links->len; i++)
    acq_link_drain (self->links->pdata[i]);
  pthread_mutex_unlock (&self->lock);
  atomic_store (&self->draining, TRUE);
  acq_waiter_wake (&self->waiter);
}

static gboolean
wait_for (AcqConsumer *self, gboolean *flag, gint64 deadline_ns)
{
  gboolean set;

  pthread_mutex_lock (&self->lock);
  while (!*flag && acq_cond_wait_until (&self->changed, &self->lock, deadline_ns))
    ;
  set = *flag;
  pthread_mutex_unlock (&self->lock);
  return set;
}

gboolean
acq_consumer_wait_opened (AcqConsumer *self, gint64 deadline_ns)
{
  return wait_for (self, &self->opened, deadline_ns);
}

gboolean
acq_consumer_wait_caught_up (AcqConsumer *self, gint64 deadline_ns)
{
  return wait_for (self, &self->caught_up, deadline_ns);
}

gboolean
acq_consumer_wait_done (AcqConsumer *self, gint64 deadline_ns)
{
  return wait_for (self, &self->done, deadline_ns);
}

void
acq_consumer_abandon (AcqConsumer *self)
{
  pthread_mutex_lock (&self->lock);
  self->abandoned = TRUE;
  self->opened = TRUE;
  for (guint i = 0; i < self->links->len; i++)
    acq_link_abandon (self->links->pdata[i]);
  for (guint i = 0; i < self->held->len; i++)
    acq_take_release (self->held->pdata[i]);
  g_ptr_array_set_size (self->held, 0);
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

void
acq_consumer_release_take (AcqConsumer *self, AcqTake *take)
{
  guint i;

  pthread_mutex_lock (&self->lock);
  if (g_ptr_array_find (self->held, take, &i)) {
    acq_take_release (take);
    g_ptr_array_remove_index_fast (self->held, i);
  }
  pthread_mutex_unlock (&self->lock);
}

gboolean
acq_consumer_is_flushed (AcqConsumer *self, gint64 host_ns)
{
  gboolean flushed;

  pthread_mutex_lock (&self->lock);
  flushed = self->done || self->settled_ns >= host_ns;
  for (guint i = 0; flushed && !self->done && i < self->links->len; i++) {
    AcqLinkCounters counters;

    acq_link_snapshot (self->links->pdata[i], &counters);
    flushed = counters.pending == 0 && !acq_link_has (self->links->pdata[i], host_ns);
  }
  pthread_mutex_unlock (&self->lock);
  return flushed;
}

/* The thread */

static void
set_flag (AcqConsumer *self, gboolean *flag)
{
  pthread_mutex_lock (&self->lock);
  *flag = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

gboolean
acq_consumer_open (AcqConsumer *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  gboolean ok;

  acq_node_set_state (self->node, ACQ_NODE_OPENING);
  ok = acq_node_open (self->node, cancellable, &error);
  acq_node_step (self->node, NULL, 0);
  if (ok)
    acq_node_set_state (self->node, ACQ_NODE_RUNNING);
  else
    acq_node_set_state_problem (self->node, ACQ_NODE_FAILED, error->message);
  self->open_ok = ok;
  self->failed = !ok;
  set_flag (self, &self->opened);
  return ok;
}

gboolean
acq_consumer_is_drained (AcqConsumer *self)
{
  gboolean empty = g_queue_is_empty (&self->todo);

  pthread_mutex_lock (&self->lock);
  empty = empty && g_queue_is_empty (&self->cuts) && self->mine->len == self->links->len;
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; empty && i < self->mine->len; i++) {
    AcqLink *link = self->mine->pdata[i];

    empty = link->run_count == 0 && !acq_link_has (link, G_MAXINT64);
  }
  return empty;
}

/* How long nothing can be done, 0 when there is something now. A queue that is half full is worth
 * a round as soon as its oldest frame may be taken. */
static gint64
idle_time (AcqConsumer *self, gint64 now_ns)
{
  guint ms = self->waiter.max_latency_ms > 0 ? self->waiter.max_latency_ms : IDLE_MS;
  gint64 idle_ns = ms * NS_PER_MS;

  if (atomic_load (&self->has_cuts) || atomic_load (&self->has_failure) ||
      atomic_load (&self->draining) || atomic_load (&self->n_links) != self->mine->len)
    return 0;
  for (guint i = 0; i < self->mine->len; i++) {
    AcqLink *link = self->mine->pdata[i];

    pthread_mutex_lock (&link->lock);
    if (self->waiter.max_latency_ms == 0 && link->count > 0)
      idle_ns = 0;
    else if (link->count >= MAX (1, link->capacity / 2))
      idle_ns = MIN (idle_ns, link->ring[link->head]->host_ns + self->hold_back_ns - now_ns);
    pthread_mutex_unlock (&link->lock);
  }
  return MAX (0, idle_ns);
}

static void
sleep_until_woken (AcqConsumer *self)
{
  AcqWaiter *waiter = &self->waiter;
  gint64 idle_ns;

  atomic_store (&waiter->sleeping, TRUE);
  idle_ns = idle_time (self, acq_host_clock_now (self->host_clock));
  if (idle_ns > 0) {
    gint64 wake_ns = acq_monotonic_ns () + idle_ns;

    pthread_mutex_lock (&waiter->lock);
    while (!waiter->signalled && acq_cond_wait_until (&waiter->cond, &waiter->lock, wake_ns))
      ;
    waiter->signalled = FALSE;
    pthread_mutex_unlock (&waiter->lock);
  }
  atomic_store (&waiter->sleeping, FALSE);
}

static gboolean
is_abandoned (AcqConsumer *self)
{
  gboolean abandoned;

  pthread_mutex_lock (&self->lock);
  abandoned = self->abandoned;
  pthread_mutex_unlock (&self->lock);
  return abandoned;
}

gpointer
acq_consumer_thread (gpointer data)
{
  AcqConsumer *self = data;
  AcqGraph *graph = g_object_ref (acq_node_get_graph (self->node));

  if (acq_consumer_open (self)) {
    while (!is_abandoned (self)) {
      gboolean draining = atomic_load (&self->draining);
      gboolean more = acq_consumer_round (self, acq_host_clock_now (self->host_clock));

      if (self->failed || (draining && !more && acq_consumer_is_drained (self)))
        break;
      if (!more && !draining)
        sleep_until_woken (self);
    }
  }
  acq_consumer_finish (self);
  touch (self);
  g_object_unref (graph);
  return NULL;
}
