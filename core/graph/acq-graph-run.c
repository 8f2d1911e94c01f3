/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Starting and stopping.
 *
 * Start: monitor; sinks, then transforms, then all sources in parallel. Stop, the
 * other way round: sources, transforms in the order of their inputs, sinks. Each
 * wait has a deadline; who misses it is declared stuck, named by an event, and
 * abandoned. A thread that is abandoned keeps the graph alive: it may still come
 * back and touch its node and streams.
 */

#include <string.h>

#include <acq/acq-error.h>

#include "base/acq-wait-private.h"
#include "graph/acq-graph-private.h"
#include "graph/acq-node-private.h"
#include "graph/acq-sink-private.h"
#include "graph/acq-source-private.h"
#include "graph/acq-take-private.h"

/* Opening a sink or a transform touches files and memory, no device. */
#define CONSUMER_OPEN_S 10

/* What sources may take of the time for a stop. */
#define SOURCES_SHARE 0.5

void
acq_graph_declare_stuck (AcqGraph *self, AcqNode *node, const char *what)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_ALERT, .severity = ACQ_EVENT_SEVERITY_ERROR };
  AcqConsumer *consumer = acq_node_get_consumer (node);
  g_autofree char *problem = g_strdup_printf ("'%s' did not return in time", what);

  acq_node_step (node, NULL, 0);
  acq_node_set_state_problem (node, ACQ_NODE_STUCK, problem);
  g_strlcpy (event.name, "stuck", sizeof event.name);
  g_snprintf (event.message, sizeof event.message,
              "%s is stuck: %s; it is abandoned, the others go on", acq_node_get_id (node),
              problem);
  acq_graph_emit (self, node, &event);
  if (consumer != NULL)
    acq_consumer_abandon (consumer);
  else
    acq_source_abandon (ACQ_SOURCE (node));
  acq_graph_end_streams (self, node);
}

/* Start */

static void
start_consumers (AcqGraph *self, GPtrArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++) {
    AcqConsumer *consumer = acq_node_get_consumer (nodes->pdata[i]);

    consumer->preroll_ns = self->preroll_ns;
    consumer->waits_for_take = self->take != NULL;
    acq_node_step (nodes->pdata[i], "open", CONSUMER_OPEN_S);
    consumer->thread =
        g_thread_new (acq_node_get_id (nodes->pdata[i]), acq_consumer_thread, consumer);
  }
}

static void
add_problem (GString *problems, AcqNode *node)
{
  g_autofree char *problem = acq_node_dup_problem (node);

  g_string_append_printf (problems, "%s%s: %s", problems->len > 0 ? "; " : "",
                          acq_node_get_id (node), problem != NULL ? problem : "did not open");
}

static void
open_consumers (AcqGraph *self, GPtrArray *nodes, GString *problems)
{
  start_consumers (self, nodes);
  for (guint i = 0; i < nodes->len; i++) {
    AcqNode *node = nodes->pdata[i];
    AcqConsumer *consumer = acq_node_get_consumer (node);

    /* The monitor declares it stuck a moment before. */
    acq_consumer_wait_opened (consumer, acq_deadline_in (CONSUMER_OPEN_S + 1));
    if (acq_node_get_state (node) != ACQ_NODE_RUNNING)
      add_problem (problems, node);
  }
}

static gboolean
wait_for_source (AcqSource *source, GCancellable *cancellable)
{
  gint64 deadline = acq_deadline_in (acq_source_open_timeout (source) + 1);

  while (!acq_source_wait_opened (source, MIN (deadline, acq_deadline_in (0.05)))) {
    if (g_cancellable_is_cancelled (cancellable) || acq_deadline_in (0) > deadline)
      return FALSE;
  }
  return TRUE;
}

static void
open_sources (AcqGraph *self, GCancellable *cancellable, GString *problems)
{
  for (guint i = 0; i < self->sources->len; i++)
    acq_source_start (ACQ_SOURCE (self->sources->pdata[i]));
  for (guint i = 0; i < self->sources->len; i++) {
    AcqNode *node = self->sources->pdata[i];
    gboolean answered = wait_for_source (ACQ_SOURCE (node), cancellable);
    g_autoptr (GError) error = acq_source_dup_open_error (ACQ_SOURCE (node));

    if (g_cancellable_is_cancelled (cancellable))
      return;
    if (answered && error == NULL)
      continue;
    if (acq_graph_is_required (self, acq_node_get_id (node)))
      g_string_append_printf (problems, "%s%s: %s", problems->len > 0 ? "; " : "",
                              acq_node_get_id (node),
                              error != NULL ? error->message : "it did not answer in time");
  }
}

gboolean
acq_graph_start (AcqGraph *self, GCancellable *cancellable, GError **error)
{
  g_autoptr (GString) problems = g_string_new (NULL);

  if (self->phase != ACQ_GRAPH_NEW) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FAILED, "the graph was started before");
    return FALSE;
  }
  self->phase = ACQ_GRAPH_STARTING;
  acq_graph_publish_node (self, self->engine_node);
  acq_graph_start_monitor (self);
  open_consumers (self, self->sinks, problems);
  if (problems->len == 0)
    open_consumers (self, self->transforms, problems);
  if (problems->len == 0)
    open_sources (self, cancellable, problems);
  if (problems->len == 0 && !g_cancellable_is_cancelled (cancellable)) {
    self->phase = ACQ_GRAPH_RUNNING;
    acq_graph_begin_early_take (self);
    return TRUE;
  }
  acq_graph_discard_early_take (self);
  acq_graph_stop (self, 5);
  if (g_cancellable_is_cancelled (cancellable))
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_CANCELLED, "stopped while opening");
  else
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE, "%s", problems->str);
  return FALSE;
}

/* Running */

AcqGraphEnd
acq_graph_check (AcqGraph *self)
{
  guint n_running = 0, n_finished = 0, n_sinks = 0;

  for (guint i = 0; i < self->sources->len; i++) {
    AcqSource *source = self->sources->pdata[i];

    if (acq_source_is_finished (source))
      n_finished++;
    else if (!acq_source_is_done (source))
      n_running++;
  }
  for (guint i = 0; i < self->sinks->len; i++) {
    AcqNodeState state = acq_node_get_state (self->sinks->pdata[i]);

    n_sinks += state != ACQ_NODE_FAILED && state != ACQ_NODE_STUCK;
  }
  if (n_sinks == 0 && self->sinks->len > 0)
    return ACQ_GRAPH_NO_SINK;
  if (n_running == 0)
    return n_finished > 0 ? ACQ_GRAPH_FINISHED : ACQ_GRAPH_NO_SOURCE;
  return n_sinks < self->sinks->len ? ACQ_GRAPH_SINK_FAILED : ACQ_GRAPH_GOES_ON;
}

gboolean
acq_graph_flush (AcqGraph *self, double timeout_s)
{
  gint64 until = acq_host_clock_now (self->clock);
  gint64 deadline = acq_deadline_in (timeout_s);
  GPtrArray *groups[] = { self->transforms, self->sinks };

  for (guint g = 0; g < G_N_ELEMENTS (groups); g++) {
    for (guint i = 0; i < groups[g]->len; i++) {
      AcqConsumer *consumer = acq_node_get_consumer (groups[g]->pdata[i]);

      while (!acq_consumer_is_flushed (consumer, until)) {
        if (acq_deadline_in (0) > deadline)
          return FALSE;
        acq_waiter_wake (&consumer->waiter);
        g_usleep (1000);
      }
    }
  }
  return TRUE;
}

/* Stop */

/* Sources only: a transform that drains still waits for its sinks. */
static void
release_waiting_sources (AcqGraph *self)
{
  g_autoptr (GPtrArray) streams = acq_graph_list_streams (self);

  for (guint i = 0; i < streams->len; i++) {
    AcqLinkArray *links;

    if (!ACQ_IS_SOURCE (((AcqStream *) streams->pdata[i])->node))
      continue;
    links = acq_stream_ref_links (streams->pdata[i]);
    for (guint k = 0; k < links->n; k++)
      acq_link_release_waiters (links->links[k]);
    acq_link_array_unref (links);
  }
}

static void
stop_sources (AcqGraph *self, gint64 deadline_ns)
{
  for (guint i = 0; i < self->sources->len; i++)
    acq_source_stop (ACQ_SOURCE (self->sources->pdata[i]));
  for (guint i = 0; i < self->sources->len; i++) {
    if (!acq_source_wait_done (ACQ_SOURCE (self->sources->pdata[i]), deadline_ns)) {
      acq_graph_declare_stuck (self, self->sources->pdata[i], "stop");
      acq_source_wait_done (ACQ_SOURCE (self->sources->pdata[i]), deadline_ns);
    }
    acq_graph_end_streams (self, self->sources->pdata[i]);
  }
}

static void
stop_consumer (AcqGraph *self, AcqNode *node, gint64 deadline_ns)
{
  AcqConsumer *consumer = acq_node_get_consumer (node);

  if (consumer->thread == NULL)
    return;
  acq_consumer_drain (consumer);
  if (acq_node_get_state (node) != ACQ_NODE_STUCK &&
      !acq_consumer_wait_done (consumer, deadline_ns))
    acq_graph_declare_stuck (self, node, "stop");
  if (acq_node_get_state (node) != ACQ_NODE_STUCK)
    g_thread_join (g_steal_pointer (&consumer->thread));
  else
    g_thread_unref (g_steal_pointer (&consumer->thread));
  acq_graph_end_streams (self, node);
}

/* Is @node fed by a transform that has not stopped yet? */
static gboolean
is_fed (AcqGraph *self, AcqNode *node, GPtrArray *left)
{
  AcqConsumer *consumer = acq_node_get_consumer (node);
  gboolean fed = FALSE;

  pthread_mutex_lock (&consumer->lock);
  for (guint i = 0; i < consumer->links->len && !fed; i++) {
    AcqLink *link = consumer->links->pdata[i];

    fed = link->stream->node != node && g_ptr_array_find (left, link->stream->node, NULL);
  }
  pthread_mutex_unlock (&consumer->lock);
  return fed;
}

static void
stop_transforms (AcqGraph *self, gint64 deadline_ns)
{
  g_autoptr (GPtrArray) left = g_ptr_array_copy (self->transforms, NULL, NULL);

  g_ptr_array_set_free_func (left, NULL);
  while (left->len > 0) {
    guint i = 0;

    while (i + 1 < left->len && is_fed (self, left->pdata[i], left))
      i++;
    stop_consumer (self, left->pdata[i], deadline_ns);
    g_ptr_array_remove_index (left, i);
  }
}

static void
finish_takes (AcqGraph *self)
{
  for (guint i = 0; i < self->takes->len; i++) {
    AcqTake *take = self->takes->pdata[i];

    while (!acq_take_wait (take, 0.05)) {
      if (atomic_load (&self->aborted))
        acq_take_abort (take);
    }
  }
}

void
acq_graph_stop (AcqGraph *self, double timeout_s)
{
  gint64 end = acq_deadline_in (timeout_s);

  if (self->phase == ACQ_GRAPH_NEW || self->phase == ACQ_GRAPH_STOPPED)
    return;
  self->phase = ACQ_GRAPH_STOPPED;
  release_waiting_sources (self);
  stop_sources (self, acq_deadline_in (timeout_s * SOURCES_SHARE));
  acq_graph_end_take (self, G_MAXINT64);
  stop_transforms (self, end);
  acq_graph_stop_monitor (self);
  acq_graph_push_clocks (self);
  acq_graph_push_ledger (self, TRUE);
  /* In parallel: one slow disk does not hold the other sinks. */
  for (guint i = 0; i < self->sinks->len; i++)
    acq_consumer_drain (acq_node_get_consumer (self->sinks->pdata[i]));
  for (guint i = 0; i < self->sinks->len; i++)
    stop_consumer (self, self->sinks->pdata[i], end);
  acq_graph_end_streams (self, self->engine_node);
  finish_takes (self);
}
