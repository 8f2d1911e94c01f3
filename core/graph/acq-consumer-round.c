/* SPDX-License-Identifier: Apache-2.0 */

/* One round of a consumer: new links, cuts, and handing on. The merge is in acq-consumer-merge.c.
 */

#include <string.h>

#include <acq/acq-error.h>
#include <acq/acq-host-clock.h>

#include "graph/acq-consumer-private.h"
#include "graph/acq-node-private.h"
#include "graph/acq-take-private.h"

#define NS_PER_MS G_GINT64_CONSTANT (1000000)

/* Order across links: a frame may take this long from its stamp to its link. */
#define HOLD_BACK_NS (10 * NS_PER_MS)

/* A round that comes so late means that something stood still; see catch_up(). */
#define STALL_NS (300 * NS_PER_MS)
#define CATCH_UP_NS (200 * NS_PER_MS)

/* How late a frame may come and still belong to a take that has ended. */
#define END_GRACE_NS (100 * NS_PER_MS)

/* Failing */

static void
fail (AcqConsumer *self, AcqFailCause cause, const GError *error)
{
  AcqEvent event = { 0 };

  if (self->failed)
    return;
  self->failed = TRUE;
  acq_node_set_state_problem (self->node, ACQ_NODE_FAILED, error->message);
  for (guint i = 0; i < self->mine->len; i++)
    acq_link_close (self->mine->pdata[i], cause);
  event.kind = ACQ_EVENT_KIND_ALERT;
  event.severity = ACQ_EVENT_SEVERITY_ERROR;
  g_strlcpy (event.name, "failed", sizeof event.name);
  g_snprintf (event.message, sizeof event.message, "%s stopped: %s", acq_node_get_id (self->node),
              error->message);
  acq_node_event (self->node, &event);
}

/* What a slot returned. */
static void
check (AcqConsumer *self, gboolean ok, GError **error)
{
  if (!ok)
    fail (self, acq_consumer_cause_of (*error), *error);
  g_clear_error (error);
}

static void
check_workers (AcqConsumer *self)
{
  GError *error;
  AcqFailCause cause;

  if (!atomic_load (&self->has_failure))
    return;
  pthread_mutex_lock (&self->lock);
  error = self->failure;
  cause = self->failure_cause;
  self->failure = NULL;
  atomic_store (&self->has_failure, FALSE);
  pthread_mutex_unlock (&self->lock);
  if (error != NULL) {
    fail (self, cause, error);
    g_error_free (error);
  }
}

/* Links */

static void
fetch_links (AcqConsumer *self)
{
  while (self->mine->len < atomic_load (&self->n_links)) {
    AcqLink *link;
    GError *error = NULL;
    gint64 latency;

    pthread_mutex_lock (&self->lock);
    link = self->links->pdata[self->mine->len];
    pthread_mutex_unlock (&self->lock);
    g_ptr_array_add (self->mine, link);
    link->run = g_new (AcqFrame *, ACQ_CONSUMER_RUN_MAX);
    latency = acq_stream_get_latency (link->stream);
    self->hold_back_ns = MAX (self->hold_back_ns, latency + HOLD_BACK_NS);
    if (self->failed)
      acq_link_close (link, ACQ_FAIL_SINK);
    else if (self->slots.add_link != NULL)
      check (self, self->slots.add_link (self->node, link, &error), &error);
  }
}

static void
fetch_cuts (AcqConsumer *self)
{
  AcqCut *cut;

  if (!atomic_load (&self->has_cuts))
    return;
  pthread_mutex_lock (&self->lock);
  while ((cut = g_queue_pop_head (&self->cuts)) != NULL)
    g_queue_push_tail (&self->todo, cut);
  atomic_store (&self->has_cuts, FALSE);
  pthread_mutex_unlock (&self->lock);
}

/* Handing on */

typedef enum { SETTLE_WRITTEN, SETTLE_IDLE, SETTLE_PAUSED } Settlement;

static void
settle_one (AcqLink *link, guint64 n, Settlement how)
{
  switch (how) {
  case SETTLE_WRITTEN:
    acq_link_settle_written (link, n);
    break;
  case SETTLE_IDLE:
    acq_link_settle_idle (link, n);
    break;
  case SETTLE_PAUSED:
    acq_link_settle_paused (link, n);
    break;
  }
}

/* Counts per link first: one lock per link, not per frame. */
static void
settle_items (AcqConsumer *self, const AcqItem *items, guint n, Settlement how)
{
  for (guint i = 0; i < n; i++)
    items[i].link->batch++;
  for (guint i = 0; i < self->mine->len; i++) {
    AcqLink *link = self->mine->pdata[i];

    if (link->batch > 0)
      settle_one (link, link->batch, how);
    link->batch = 0;
  }
}

static void
hand_on (AcqConsumer *self, const AcqItem *items, guint n)
{
  GError *error = NULL;
  gboolean ok;

  if (n == 0 || self->failed)
    return;
  ok = self->slots.write (self->node, items, n, &error);
  if (ok && !self->slots.settles_itself)
    settle_items (self, items, n, SETTLE_WRITTEN);
  check (self, ok, &error);
}

static void
evict_preroll (AcqConsumer *self, gint64 before_ns)
{
  AcqItem *item;

  while ((item = g_queue_peek_head (&self->preroll)) != NULL && item->frame->host_ns < before_ns) {
    if (!self->failed)
      acq_link_settle_idle (item->link, 1);
    acq_frame_unref (item->frame);
    g_free (g_queue_pop_head (&self->preroll));
  }
}

static gboolean
keeps (const AcqConsumer *self)
{
  return self->take == NULL && (self->preroll_ns > 0 || self->waits_for_take);
}

static void
keep_preroll (AcqConsumer *self, const AcqItem *items, guint n)
{
  const AcqCut *next = g_queue_peek_head (&self->todo);
  gint64 before_ns = items[n - 1].frame->host_ns - self->preroll_ns;

  for (guint i = 0; i < n; i++) {
    AcqItem *item = g_new (AcqItem, 1);

    *item = items[i];
    acq_frame_ref (item->frame);
    g_queue_push_tail (&self->preroll, item);
  }
  if (next != NULL && next->kind == ACQ_CUT_BEGIN)
    before_ns = MIN (before_ns, next->at_ns);
  if (!self->waits_for_take)
    evict_preroll (self, before_ns);
}

static void
handle_segment (AcqConsumer *self, const AcqItem *items, guint n)
{
  if (n == 0 || self->failed)
    return;
  if (keeps (self))
    keep_preroll (self, items, n);
  else if (self->take == NULL)
    settle_items (self, items, n, SETTLE_IDLE);
  else if (self->paused)
    settle_items (self, items, n, SETTLE_PAUSED);
  else
    hand_on (self, items, n);
}

/* Cuts */

static void
end_take (AcqConsumer *self)
{
  AcqTake *take = self->take;
  GError *error = NULL;
  gboolean ok = TRUE;

  if (take == NULL)
    return;
  self->take = NULL;
  self->paused = FALSE;
  self->job = (AcqFinishJob){ NULL, NULL, NULL };
  if (self->slots.end != NULL)
    ok = self->slots.end (self->node, take, &error);
  check (self, ok, &error);
  if (self->job.func != NULL)
    acq_consumer_start_job (self, take);
  else
    acq_consumer_release_take (self, take);
  acq_take_unref (take);
}

static int
compare_times (gconstpointer a, gconstpointer b, gpointer user_data)
{
  gint64 left = ((const AcqItem *) a)->frame->host_ns;
  gint64 right = ((const AcqItem *) b)->frame->host_ns;

  return left < right ? -1 : left > right;
}

static void
begin_take (AcqConsumer *self, AcqCut *cut)
{
  GError *error = NULL;

  end_take (self);
  self->take = g_steal_pointer (&cut->take);
  self->waits_for_take = FALSE;
  /* What transforms made of their own came behind what it was made of. */
  g_queue_sort (&self->preroll, compare_times, NULL);
  evict_preroll (self, cut->at_ns);
  if (!self->failed && self->slots.begin != NULL)
    check (self, self->slots.begin (self->node, self->take, &error), &error);
}

static void
apply_cut (AcqConsumer *self)
{
  AcqCut *cut = g_queue_pop_head (&self->todo);

  switch (cut->kind) {
  case ACQ_CUT_BEGIN:
    begin_take (self, cut);
    break;
  case ACQ_CUT_END:
    end_take (self);
    break;
  case ACQ_CUT_PAUSE:
    self->paused = self->take != NULL;
    break;
  case ACQ_CUT_RESUME:
    self->paused = FALSE;
    break;
  }
  acq_take_unref (cut->take);
  g_free (cut);
}

static void
deliver (AcqConsumer *self, const AcqItem *items, guint n)
{
  guint i = 0;

  while (i < n) {
    AcqCut *cut = g_queue_peek_head (&self->todo);
    guint end = i;

    /* A take that begins with what was kept takes this from there too, in order. */
    if (cut != NULL && cut->kind == ACQ_CUT_BEGIN && keeps (self))
      cut = NULL;
    while (end < n && (cut == NULL || items[end].frame->host_ns < cut->at_ns))
      end++;
    handle_segment (self, items + i, end - i);
    i = end;
    if (i < n)
      apply_cut (self);
  }
}

static void
apply_next_cut (AcqConsumer *self)
{
  g_autofree AcqItem *items = NULL;
  guint n;

  apply_cut (self);
  n = self->take != NULL ? g_queue_get_length (&self->preroll) : 0;
  if (n == 0)
    return;
  items = g_new (AcqItem, n);
  for (guint i = 0; i < n; i++) {
    AcqItem *item = g_queue_pop_head (&self->preroll);

    items[i] = *item;
    g_free (item);
  }
  deliver (self, items, n);
  for (guint i = 0; i < n; i++)
    acq_frame_unref (items[i].frame);
}

/* Everything up to @settled_ns was handed on: which cuts can have no more frames before them? */
static void
apply_due_cuts (AcqConsumer *self, gint64 settled_ns, gboolean more)
{
  AcqCut *cut;

  while ((cut = g_queue_peek_head (&self->todo)) != NULL) {
    gboolean early = cut->kind == ACQ_CUT_BEGIN || cut->kind == ACQ_CUT_RESUME;
    gint64 grace = early || settled_ns == G_MAXINT64 ? 0 : END_GRACE_NS;

    if (settled_ns != G_MAXINT64 && cut->at_ns > settled_ns - grace)
      break;
    /* What was there when it was posted comes first; a queue that never runs dry may not hold it
     * up for ever. */
    if (cut->kind == ACQ_CUT_BEGIN && keeps (self) && more && settled_ns < cut->posted_ns)
      break;
    apply_next_cut (self);
  }
}

/* For who waits until a take has begun here, and all that was there before is done. */
static void
note_caught_up (AcqConsumer *self, gint64 settled_ns, gboolean more)
{
  gboolean begins = FALSE;

  for (GList *l = self->todo.head; l != NULL; l = l->next)
    begins |= ((const AcqCut *) l->data)->kind == ACQ_CUT_BEGIN;
  pthread_mutex_lock (&self->lock);
  self->settled_ns = settled_ns;
  if (!self->caught_up && !begins && (!more || settled_ns >= self->cut_ns) &&
      g_queue_is_empty (&self->cuts)) {
    self->caught_up = TRUE;
    pthread_cond_broadcast (&self->changed);
  }
  pthread_mutex_unlock (&self->lock);
}

static void
tick (AcqConsumer *self, gint64 now_ns)
{
  GError *error = NULL;
  guint ms = self->waiter.max_latency_ms > 0 ? self->waiter.max_latency_ms : 100;

  if (self->slots.tick == NULL || self->failed || now_ns - self->last_tick_ns < ms * NS_PER_MS)
    return;
  self->last_tick_ns = now_ns;
  check (self, self->slots.tick (self->node, now_ns, &error), &error);
}

/* The process, or this thread, stood still. Devices' threads did so too, and what waited for them
 * in the kernel is older than the hold-back: they get a moment to bring it. */
static gint64
catch_up (AcqConsumer *self, gint64 now_ns, gint64 until)
{
  if (acq_host_clock_is_fake (self->host_clock))
    return until;
  if (self->last_round_ns != 0 && now_ns - self->last_round_ns > STALL_NS)
    self->catch_up_ns = now_ns + CATCH_UP_NS;
  self->last_round_ns = now_ns;
  if (now_ns < self->catch_up_ns)
    return MIN (until, self->last_until_ns);
  self->last_until_ns = until;
  return until;
}

gboolean
acq_consumer_round (AcqConsumer *self, gint64 now_ns)
{
  gboolean draining = atomic_load (&self->draining);
  gboolean more = FALSE;
  gint64 until;
  gint64 settled;

  /* Cuts first: whatever was connected before a take began is then known when it begins. */
  fetch_cuts (self);
  fetch_links (self);
  check_workers (self);
  if (draining)
    until = G_MAXINT64;
  else if (self->waiter.max_latency_ms == 0)
    until = G_MAXINT64 - 1;
  else
    until = catch_up (self, now_ns, now_ns - self->hold_back_ns);
  settled = acq_consumer_gather (self, until, &more);
  deliver (self, (const AcqItem *) self->items->data, self->items->len);
  for (guint i = 0; i < self->items->len; i++)
    acq_frame_unref (g_array_index (self->items, AcqItem, i).frame);
  /* What is handed on at once is still waited for, where a stream says that it comes later. */
  if (!draining && self->waiter.max_latency_ms == 0 && !more)
    settled = now_ns - MAX (0, self->hold_back_ns - HOLD_BACK_NS);
  self->complete_ns = settled;
  apply_due_cuts (self, settled, more);
  tick (self, now_ns);
  check_workers (self);
  note_caught_up (self, settled, more);
  return more;
}

/* A take that this consumer never began, or a cut that comes too late. */
static void
discard_cut (AcqConsumer *self, AcqCut *cut)
{
  if (cut->kind == ACQ_CUT_BEGIN)
    acq_consumer_release_take (self, cut->take);
  acq_take_unref (cut->take);
  g_free (cut);
}

void
acq_consumer_finish (AcqConsumer *self)
{
  GQueue late = G_QUEUE_INIT;

  fetch_links (self);
  fetch_cuts (self);
  while (!g_queue_is_empty (&self->todo)) {
    if (self->failed)
      discard_cut (self, g_queue_pop_head (&self->todo));
    else
      apply_next_cut (self);
  }
  end_take (self);
  evict_preroll (self, G_MAXINT64);
  acq_node_close (self->node);
  acq_node_set_state (self->node, ACQ_NODE_CLOSED);
  for (guint i = 0; i < self->mine->len; i++)
    acq_link_shut (self->mine->pdata[i]);

  pthread_mutex_lock (&self->lock);
  self->done = TRUE;
  self->caught_up = TRUE;
  late = self->cuts;
  g_queue_init (&self->cuts);
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  while (!g_queue_is_empty (&late))
    discard_cut (self, g_queue_pop_head (&late));
  acq_consumer_close_if_over (self, ACQ_FAIL_SINK);
}
