/* SPDX-License-Identifier: Apache-2.0 */

/* Which consumer takes which stream, and how long the queue between them is. */

#include <math.h>

#include <acq/acq-error.h>

#include "graph/acq-graph-private.h"
#include "pipeline/acq-pattern-private.h"

#define DEFAULT_SECONDS 2.0
#define MIN_FRAMES 64
#define MAX_FRAMES (1 << 20)

/* A stream without a nominal rate: room for this many messages a second. */
#define UNKNOWN_RATE_HZ 1000.0

#define MIN_BYTES (G_GUINT64_CONSTANT (1) << 20)
#define MAX_BYTES (G_GUINT64_CONSTANT (256) << 20)

/* Frames that are neither queued nor free: in a batch, in a transform's hands. */
#define SLACK_FRAMES 1024
#define MIN_SLACK_BYTES (G_GUINT64_CONSTANT (8) << 20)
#define MAX_SLACK_BYTES (G_GUINT64_CONSTANT (64) << 20)

gboolean
acq_graph_connect (AcqGraph *self, AcqNode *consumer, const char *pattern,
                   const AcqQueueConfig *queue, GError **error)
{
  AcqRule rule = { .consumer = consumer,
                   .queue = queue != NULL ? *queue : ACQ_QUEUE_CONFIG_DEFAULT };

  if (self->phase != ACQ_GRAPH_NEW || acq_node_get_consumer (consumer) == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_PIPELINE, "%s takes no input%s",
                 acq_node_get_id (consumer),
                 self->phase != ACQ_GRAPH_NEW ? " while the graph runs" : "");
    return FALSE;
  }
  rule.exclude = *pattern == '!';
  rule.pattern = g_strdup (pattern + rule.exclude);
  g_array_append_val (self->rules, rule);
  return TRUE;
}

/* Does @consumer take @stream? The last rule that matches decides. */
static gboolean
takes (AcqGraph *self, AcqNode *consumer, AcqStream *stream, AcqQueueConfig *ret_queue)
{
  gboolean engine = g_str_equal (acq_node_get_id (stream->node), ACQ_ENGINE_NODE_ID);
  gboolean taken =
      engine && ACQ_IS_SINK (consumer) && ACQ_SINK_GET_CLASS (consumer)->engine_streams;

  if (stream->node == consumer)
    return FALSE;
  *ret_queue = ACQ_QUEUE_CONFIG_DEFAULT;
  for (guint i = 0; i < self->rules->len; i++) {
    const AcqRule *rule = &g_array_index (self->rules, AcqRule, i);

    if (rule->consumer != consumer ||
        !acq_pattern_match (rule->pattern, acq_node_get_id (stream->node), stream->name))
      continue;
    taken = !rule->exclude;
    *ret_queue = rule->queue;
  }
  return taken;
}

static guint64
link_bytes (AcqLink *link, AcqStream *stream)
{
  return MIN (link->max_bytes, link->capacity * (guint64) acq_stream_frame_bytes (stream));
}

static AcqLink *
make_link (AcqNode *consumer, AcqStream *stream, const AcqQueueConfig *queue)
{
  AcqConsumer *side = acq_node_get_consumer (consumer);
  double rate = stream->info.rate_hz > 0 ? stream->info.rate_hz : UNKNOWN_RATE_HZ;
  double seconds = queue->seconds;
  guint64 max_bytes = queue->max_bytes;
  guint capacity;

  if (seconds <= 0 && ACQ_IS_SINK (consumer))
    seconds = ACQ_SINK_GET_CLASS (consumer)->queue_seconds;
  if (seconds <= 0)
    seconds = DEFAULT_SECONDS;
  capacity = (guint) CLAMP (ceil (seconds * rate), MIN_FRAMES, MAX_FRAMES);
  if (max_bytes == 0)
    max_bytes = CLAMP (capacity * (guint64) acq_stream_frame_bytes (stream), MIN_BYTES, MAX_BYTES);
  return acq_link_new (stream, side, &side->waiter, capacity, max_bytes,
                       queue->when_full < 0 ? ACQ_WHEN_FULL_DROP_OLDEST
                                            : (AcqWhenFull) queue->when_full);
}

void
acq_graph_connect_stream (AcqGraph *self, AcqStream *stream)
{
  g_autoptr (GPtrArray) links = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_link_unref);
  GPtrArray *groups[] = { self->transforms, self->sinks };
  guint64 budget = CLAMP (SLACK_FRAMES * (guint64) acq_stream_frame_bytes (stream), MIN_SLACK_BYTES,
                          MAX_SLACK_BYTES);
  double kept_s = self->preroll_ns * 1e-9;

  for (guint g = 0; g < G_N_ELEMENTS (groups); g++) {
    for (guint i = 0; i < groups[g]->len; i++) {
      AcqNode *consumer = groups[g]->pdata[i];
      AcqQueueConfig queue;
      AcqLink *link;

      if (!takes (self, consumer, stream, &queue))
        continue;
      link = make_link (consumer, stream, &queue);
      g_ptr_array_add (links, link);
      budget += link_bytes (link, stream);
    }
  }
  budget += (guint64) (kept_s * MAX (stream->info.rate_hz, 1) * acq_stream_frame_bytes (stream));
  stream->budget = budget;
  acq_stream_set_links (stream, (AcqLink *const *) links->pdata, links->len);
  for (guint i = 0; i < links->len; i++) {
    AcqLink *link = links->pdata[i];

    acq_consumer_add_link (link->consumer, link);
  }
}

guint64
acq_graph_get_memory_budget (AcqGraph *self)
{
  g_autoptr (GPtrArray) streams = acq_graph_list_streams (self);
  guint64 bytes = 0;

  for (guint i = 0; i < streams->len; i++)
    bytes += atomic_load (&((AcqStream *) streams->pdata[i])->budget);
  return bytes;
}
