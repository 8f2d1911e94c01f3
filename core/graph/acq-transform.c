/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-transform.h>

#include "graph/acq-consumer-private.h"
#include "graph/acq-graph-private.h"
#include "graph/acq-sink-private.h"

typedef struct {
  AcqConsumer *consumer; /* from the graph's start on */
} AcqTransformPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (AcqTransform, acq_transform, ACQ_TYPE_NODE)

#define PRIVATE(self) ((AcqTransformPrivate *) acq_transform_get_instance_private (self))

static gboolean
transform_add_link (AcqNode *node, AcqLink *link, GError **error)
{
  AcqTransform *self = ACQ_TRANSFORM (node);
  AcqTransformClass *klass = ACQ_TRANSFORM_GET_CLASS (self);
  gboolean ok = klass->add_link == NULL || klass->add_link (self, link, error);

  /* Outputs that were added for this input are seen from now on, also when nothing comes. */
  acq_graph_publish_node (acq_node_get_graph (node), node);
  return ok;
}

static gboolean
transform_begin (AcqNode *node, AcqTake *take, GError **error)
{
  AcqTransform *self = ACQ_TRANSFORM (node);
  AcqTransformClass *klass = ACQ_TRANSFORM_GET_CLASS (self);
  gboolean ok = klass->begin == NULL || klass->begin (self, take, error);

  acq_graph_publish_node (acq_node_get_graph (node), node);
  return ok;
}

static gboolean
transform_write (AcqNode *node, const AcqItem *items, guint n, GError **error)
{
  AcqTransform *self = ACQ_TRANSFORM (node);

  return ACQ_TRANSFORM_GET_CLASS (self)->process (self, items, n, error);
}

static gboolean
transform_tick (AcqNode *node, gint64 now_ns, GError **error)
{
  AcqTransform *self = ACQ_TRANSFORM (node);
  AcqTransformClass *klass = ACQ_TRANSFORM_GET_CLASS (self);

  return klass->tick == NULL || klass->tick (self, now_ns, error);
}

static gboolean
transform_end (AcqNode *node, AcqTake *take, GError **error)
{
  AcqTransform *self = ACQ_TRANSFORM (node);
  AcqTransformClass *klass = ACQ_TRANSFORM_GET_CLASS (self);

  return klass->end == NULL || klass->end (self, take, error);
}

static const AcqConsumerSlots slots = {
  .add_link = transform_add_link,
  .begin = transform_begin,
  .write = transform_write,
  .tick = transform_tick,
  .end = transform_end,
  .settles_itself = FALSE,
};

AcqConsumer *
acq_transform_make_consumer (AcqTransform *self, AcqHostClock *host_clock)
{
  AcqTransformPrivate *priv = PRIVATE (self);

  if (priv->consumer == NULL)
    priv->consumer = acq_consumer_new (ACQ_NODE (self), &slots,
                                       ACQ_TRANSFORM_GET_CLASS (self)->max_latency_ms, host_clock);
  return priv->consumer;
}

AcqConsumer *
acq_transform_get_consumer (AcqTransform *self)
{
  return PRIVATE (self)->consumer;
}

AcqStream *
acq_transform_add_stream (AcqTransform *self, const AcqStreamInfo *info)
{
  return acq_graph_add_stream (acq_node_get_graph (ACQ_NODE (self)), ACQ_NODE (self), info);
}

gint64
acq_transform_get_complete (AcqTransform *self)
{
  return PRIVATE (self)->consumer->complete_ns;
}

gint64
acq_transform_get_delay (AcqTransform *self)
{
  const AcqConsumer *consumer = PRIVATE (self)->consumer;

  /* A consumer that is woken at once puts nothing in order. */
  if (consumer->waiter.max_latency_ms == 0)
    return 0;
  return consumer->hold_back_ns + consumer->waiter.max_latency_ms * G_GINT64_CONSTANT (1000000);
}

static void
acq_transform_finalize (GObject *object)
{
  acq_consumer_free (PRIVATE (ACQ_TRANSFORM (object))->consumer);
  G_OBJECT_CLASS (acq_transform_parent_class)->finalize (object);
}

static void
acq_transform_class_init (AcqTransformClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acq_transform_finalize;
  klass->max_latency_ms = 10;
}

static void
acq_transform_init (AcqTransform *self)
{
}
