/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-sink.h>

#include "graph/acq-consumer-private.h"
#include "graph/acq-sink-private.h"

typedef struct {
  AcqConsumer *consumer; /* from the graph's start on */

  pthread_mutex_t lock;
  AcqSinkProgress progress; /* under lock */
} AcqSinkPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (AcqSink, acq_sink, ACQ_TYPE_NODE)

#define PRIVATE(self) ((AcqSinkPrivate *) acq_sink_get_instance_private (self))

static gboolean
sink_add_link (AcqNode *node, AcqLink *link, GError **error)
{
  AcqSink *self = ACQ_SINK (node);
  AcqSinkClass *klass = ACQ_SINK_GET_CLASS (self);

  return klass->add_link == NULL || klass->add_link (self, link, error);
}

static gboolean
sink_begin (AcqNode *node, AcqTake *take, GError **error)
{
  AcqSink *self = ACQ_SINK (node);
  AcqSinkClass *klass = ACQ_SINK_GET_CLASS (self);

  return klass->begin == NULL || klass->begin (self, take, error);
}

static gboolean
sink_write (AcqNode *node, const AcqItem *items, guint n, GError **error)
{
  AcqSink *self = ACQ_SINK (node);

  return ACQ_SINK_GET_CLASS (self)->write (self, items, n, error);
}

static gboolean
sink_tick (AcqNode *node, gint64 now_ns, GError **error)
{
  AcqSink *self = ACQ_SINK (node);
  AcqSinkClass *klass = ACQ_SINK_GET_CLASS (self);

  return klass->tick == NULL || klass->tick (self, now_ns, error);
}

static gboolean
sink_end (AcqNode *node, AcqTake *take, GError **error)
{
  AcqSink *self = ACQ_SINK (node);
  AcqSinkClass *klass = ACQ_SINK_GET_CLASS (self);

  return klass->end == NULL || klass->end (self, take, error);
}

static const AcqConsumerSlots slots = {
  .add_link = sink_add_link,
  .begin = sink_begin,
  .write = sink_write,
  .tick = sink_tick,
  .end = sink_end,
  .settles_itself = TRUE,
};

AcqConsumer *
acq_sink_make_consumer (AcqSink *self, AcqHostClock *host_clock)
{
  AcqSinkPrivate *priv = PRIVATE (self);

  if (priv->consumer == NULL)
    priv->consumer = acq_consumer_new (ACQ_NODE (self), &slots,
                                       ACQ_SINK_GET_CLASS (self)->max_latency_ms, host_clock);
  return priv->consumer;
}

AcqConsumer *
acq_sink_get_consumer (AcqSink *self)
{
  return PRIVATE (self)->consumer;
}

void
acq_sink_set_finish_job (AcqSink *self, AcqFinishFunc func, gpointer data, GDestroyNotify destroy)
{
  PRIVATE (self)->consumer->job = (AcqFinishJob){ func, data, destroy };
}

GPtrArray *
acq_sink_list_links (AcqSink *self)
{
  AcqConsumer *consumer = PRIVATE (self)->consumer;
  GPtrArray *links = g_ptr_array_new ();

  pthread_mutex_lock (&consumer->lock);
  for (guint i = 0; i < consumer->links->len; i++)
    g_ptr_array_add (links, consumer->links->pdata[i]);
  pthread_mutex_unlock (&consumer->lock);
  return links;
}

gint64
acq_sink_get_hold_back (AcqSink *self)
{
  return PRIVATE (self)->consumer->hold_back_ns;
}

void
acq_sink_fail (AcqSink *self, AcqFailCause cause, GError *error)
{
  acq_consumer_fail (PRIVATE (self)->consumer, cause, error);
}

void
acq_sink_set_progress (AcqSink *self, const AcqSinkProgress *progress)
{
  AcqSinkPrivate *priv = PRIVATE (self);

  pthread_mutex_lock (&priv->lock);
  priv->progress = *progress;
  pthread_mutex_unlock (&priv->lock);
}

void
acq_sink_get_progress (AcqSink *self, AcqSinkProgress *ret_progress)
{
  AcqSinkPrivate *priv = PRIVATE (self);

  pthread_mutex_lock (&priv->lock);
  *ret_progress = priv->progress;
  pthread_mutex_unlock (&priv->lock);
}

static void
acq_sink_finalize (GObject *object)
{
  AcqSinkPrivate *priv = PRIVATE (ACQ_SINK (object));

  acq_consumer_free (priv->consumer);
  pthread_mutex_destroy (&priv->lock);
  G_OBJECT_CLASS (acq_sink_parent_class)->finalize (object);
}

static void
acq_sink_class_init (AcqSinkClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acq_sink_finalize;
  klass->max_latency_ms = 10;
}

static void
acq_sink_init (AcqSink *self)
{
  pthread_mutex_init (&PRIVATE (self)->lock, NULL);
}
