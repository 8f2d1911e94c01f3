/* SPDX-License-Identifier: Apache-2.0 */

/* Takes: cuts at a host time, posted to every consumer. */

#include <errno.h>
#include <unistd.h>

#include <acq/acq-error.h>

#include "base/acq-wait-private.h"
#include "graph/acq-graph-private.h"
#include "graph/acq-node-private.h"
#include "graph/acq-source-private.h"
#include "graph/acq-take-private.h"

/* Transforms make of what they kept what sinks want to have in order: they begin first. */
#define TRANSFORMS_BEGIN_S 0.25

static void
cut (GPtrArray *consumers, AcqCutKind kind, gint64 at_ns, AcqTake *take)
{
  for (guint i = 0; i < consumers->len; i++)
    acq_consumer_cut (acq_node_get_consumer (consumers->pdata[i]), kind, at_ns, take);
}

static void
cut_all (AcqGraph *self, AcqCutKind kind, gint64 at_ns, AcqTake *take)
{
  cut (self->transforms, kind, at_ns, take);
  cut (self->sinks, kind, at_ns, take);
}

static void
begin_with_preroll (AcqGraph *self, gint64 at_ns, AcqTake *take)
{
  gint64 deadline_ns = acq_deadline_in (TRANSFORMS_BEGIN_S);

  cut (self->transforms, ACQ_CUT_BEGIN, at_ns, take);
  for (guint i = 0; i < self->transforms->len; i++) {
    AcqConsumer *consumer = acq_node_get_consumer (self->transforms->pdata[i]);

    /* By hand there is no thread, and transforms come first anyway. */
    if (consumer->thread != NULL)
      acq_consumer_wait_caught_up (consumer, deadline_ns);
  }
  cut (self->sinks, ACQ_CUT_BEGIN, at_ns, take);
}

/* The meaning of header.stamp is chosen when a take begins, and holds for all of it. */
static void
choose_stamps (AcqGraph *self)
{
  g_autoptr (GPtrArray) streams = acq_graph_list_streams (self);

  for (guint i = 0; i < streams->len; i++) {
    AcqStream *stream = streams->pdata[i];
    AcqClockEstimate estimate = { 0 };
    gboolean mapped = FALSE;

    if (stream->info.clock != NULL && ACQ_IS_SOURCE (stream->node) &&
        acq_source_wants_mapped_stamps (ACQ_SOURCE (stream->node))) {
      acq_clock_estimate (stream->info.clock, &estimate);
      mapped = estimate.locked;
    }
    atomic_store (&stream->mapped, mapped);
  }
}

AcqTake *
acq_graph_begin_take (AcqGraph *self, const char *directory, const char *task, gint64 at_ns,
                      GError **error)
{
  gint64 now_ns = acq_host_clock_now (self->clock);
  gboolean early = self->phase == ACQ_GRAPH_NEW;
  AcqTake *take;

  if (self->take != NULL || self->phase == ACQ_GRAPH_STOPPED) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FAILED, "%s",
                 self->take != NULL ? "a take is going on; end it first" : "the graph has stopped");
    return NULL;
  }
  pthread_mutex_lock (&self->lock);
  take = acq_take_new (directory, task, at_ns != 0 ? at_ns : now_ns, self->facts, error);
  pthread_mutex_unlock (&self->lock);
  if (take == NULL)
    return NULL;
  self->take = take;
  g_ptr_array_add (self->takes, acq_take_ref (take));
  if (!early) {
    choose_stamps (self);
    if (self->preroll_ns > 0)
      begin_with_preroll (self, take->start_ns, take);
    else
      cut_all (self, ACQ_CUT_BEGIN, take->start_ns, take);
  }
  return acq_take_ref (take);
}

/* A take that was begun before the start: everything since belongs to it. */
void
acq_graph_begin_early_take (AcqGraph *self)
{
  if (self->take == NULL)
    return;
  choose_stamps (self);
  begin_with_preroll (self, 0, self->take);
}

/* The graph did not start: nothing was recorded, so no folder stays. */
void
acq_graph_discard_early_take (AcqGraph *self)
{
  if (self->take != NULL && rmdir (self->take->directory) != 0 && errno != ENOTEMPTY)
    g_debug ("%s: %s", self->take->directory, g_strerror (errno));
  g_clear_pointer (&self->take, acq_take_unref);
}

void
acq_graph_end_take (AcqGraph *self, gint64 at_ns)
{
  if (self->take == NULL)
    return;
  if (at_ns == 0)
    at_ns = acq_host_clock_now (self->clock);
  acq_take_set_stop (self->take, at_ns == G_MAXINT64 ? acq_host_clock_now (self->clock) : at_ns);
  cut_all (self, ACQ_CUT_END, at_ns, self->take);
  g_clear_pointer (&self->take, acq_take_unref);
}

void
acq_graph_pause (AcqGraph *self, gint64 at_ns)
{
  cut_all (self, ACQ_CUT_PAUSE, at_ns != 0 ? at_ns : acq_host_clock_now (self->clock), NULL);
}

void
acq_graph_resume (AcqGraph *self, gint64 at_ns)
{
  cut_all (self, ACQ_CUT_RESUME, at_ns != 0 ? at_ns : acq_host_clock_now (self->clock), NULL);
}

gboolean
acq_graph_wait_finished (AcqGraph *self, AcqTake *take, double timeout_s)
{
  return acq_take_wait (take, timeout_s);
}

void
acq_graph_abort (AcqGraph *self)
{
  atomic_store (&self->aborted, TRUE);
}
