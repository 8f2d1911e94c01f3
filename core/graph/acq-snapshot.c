/* SPDX-License-Identifier: Apache-2.0 */

/* The ledger, read: first the ports with their nodes, then the streams with their links. */

#include <acq/acq-snapshot.h>

#include <string.h>

#include "graph/acq-graph-private.h"
#include "graph/acq-node-private.h"
#include "graph/acq-port-private.h"
#include "graph/acq-sink-private.h"
#include "graph/acq-source-private.h"

static void
free_node (gpointer data)
{
  AcqNodeSnapshot *node = data;

  g_free (node->problem);
  g_free (node->port);
  g_free (node);
}

static void
free_stream (gpointer data)
{
  AcqStreamSnapshot *stream = data;

  g_array_unref (stream->links);
  g_free (stream);
}

static AcqNodeSnapshot *
read_node (AcqNode *node)
{
  AcqNodeSnapshot *snapshot = g_new0 (AcqNodeSnapshot, 1);

  snapshot->node = node;
  snapshot->id = acq_node_get_id (node);
  snapshot->state = acq_node_get_state (node);
  snapshot->problem = acq_node_dup_problem (node);
  snapshot->kind = "transform";
  if (ACQ_IS_SOURCE (node)) {
    AcqPort *port = acq_source_get_port (ACQ_SOURCE (node));

    snapshot->kind = "source";
    snapshot->port = port != NULL ? g_strdup (acq_port_get_name (port)) : NULL;
    snapshot->accepted = acq_source_get_accepted (ACQ_SOURCE (node));
    snapshot->reconnects = acq_source_get_reconnects (ACQ_SOURCE (node));
  } else if (ACQ_IS_SINK (node)) {
    snapshot->kind = "sink";
    acq_sink_get_progress (ACQ_SINK (node), &snapshot->progress);
  }
  return snapshot;
}

static void
read_counters (AcqStream *stream, AcqStreamSnapshot *snapshot)
{
  snapshot->frames = atomic_load (&stream->frames);
  snapshot->bytes = atomic_load (&stream->bytes);
  for (int i = 0; i < ACQ_STREAM_N_COUNTERS; i++)
    snapshot->counters[i] = atomic_load (&stream->n[i]);
}

static AcqStreamSnapshot *
read_stream (AcqStream *stream, gint64 now_ns)
{
  AcqStreamSnapshot *snapshot = g_new0 (AcqStreamSnapshot, 1);
  AcqLinkArray *links = acq_stream_ref_links (stream);

  snapshot->stream = stream;
  snapshot->path = acq_stream_get_path (stream);
  read_counters (stream, snapshot);
  snapshot->first_ns = atomic_load (&stream->first_ns);
  snapshot->last_ns = atomic_load (&stream->last_ns);
  snapshot->max_gap_ns = atomic_load (&stream->max_gap_ns);
  snapshot->ended = atomic_load (&stream->ended);
  acq_stream_window (stream, now_ns, &snapshot->rate_hz, &snapshot->jitter_s);
  snapshot->links = g_array_sized_new (FALSE, TRUE, sizeof (AcqLinkSnapshot), links->n);
  for (guint i = 0; i < links->n; i++) {
    AcqNode *consumer = links->links[i]->consumer->node;
    AcqLinkSnapshot link = { .sink = acq_node_get_id (consumer),
                             .is_transform = ACQ_IS_TRANSFORM (consumer) };

    acq_link_snapshot (links->links[i], &link.counters);
    g_array_append_val (snapshot->links, link);
  }
  acq_link_array_unref (links);
  return snapshot;
}

/* Ports of nodes: with all of them locked, what they and their nodes and streams count is one
 * picture. Always in the order of the list, so that two readers cannot lock each other out. */
static void
read_ports (AcqGraph *graph, AcqSnapshot *self)
{
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (graph);
  g_autoptr (GPtrArray) ports = NULL;

  pthread_mutex_lock (&graph->lock);
  ports = g_ptr_array_copy (graph->ports, NULL, NULL);
  g_ptr_array_set_free_func (ports, NULL);
  pthread_mutex_unlock (&graph->lock);

  for (guint i = 0; i < ports->len; i++)
    acq_port_lock (ports->pdata[i]);
  for (guint i = 0; i < ports->len; i++)
    g_ptr_array_add (self->ports, acq_port_snapshot (ports->pdata[i]));
  for (guint i = 0; i < nodes->len; i++)
    g_ptr_array_add (self->nodes, read_node (nodes->pdata[i]));
  for (guint i = 0; i < self->streams->len; i++) {
    AcqStreamSnapshot *stream = self->streams->pdata[i];

    read_counters (stream->stream, stream);
  }
  for (guint i = ports->len; i-- > 0;)
    acq_port_unlock (ports->pdata[i]);
}

AcqSnapshot *
acq_graph_snapshot (AcqGraph *graph)
{
  AcqSnapshot *self = g_new0 (AcqSnapshot, 1);
  g_autoptr (GPtrArray) streams = acq_graph_list_streams (graph);
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (graph);

  self->host_ns = acq_host_clock_now (graph->clock);
  self->ports = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_port_snapshot_free);
  self->nodes = g_ptr_array_new_with_free_func (free_node);
  self->streams = g_ptr_array_new_with_free_func (free_stream);
  /* In the order of the nodes, which the opening of devices does not disturb. */
  g_ptr_array_add (nodes, graph->engine_node);
  for (guint n = 0; n < nodes->len; n++) {
    for (guint i = 0; i < streams->len; i++) {
      AcqStream *stream = streams->pdata[i];

      if (stream->node == nodes->pdata[n])
        g_ptr_array_add (self->streams, read_stream (stream, self->host_ns));
    }
  }
  read_ports (graph, self);
  return self;
}

void
acq_snapshot_free (AcqSnapshot *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->ports);
  g_ptr_array_unref (self->nodes);
  g_ptr_array_unref (self->streams);
  g_free (self);
}

static guint64
sum_counts (const GArray *counts)
{
  guint64 sum = 0;

  for (guint i = 0; i < counts->len; i++)
    sum += g_array_index (counts, AcqCount, i).n;
  return sum;
}

static char *
balance_port (const AcqSnapshot *self, const AcqPortSnapshot *port)
{
  guint64 sum = port->wrong_source + port->other_hand + sum_counts (port->foreign) +
                sum_counts (port->rejected);

  for (guint i = 0; i < self->nodes->len; i++) {
    const AcqNodeSnapshot *node = self->nodes->pdata[i];

    if (g_strcmp0 (node->port, port->name) == 0)
      sum += node->accepted;
  }
  if (sum == port->packets)
    return NULL;
  return g_strdup_printf ("port %s: %" G_GUINT64_FORMAT " packets came in, %" G_GUINT64_FORMAT
                          " are accounted for",
                          port->name, port->packets, sum);
}

static char *
balance_link (const AcqStreamSnapshot *stream, const AcqLinkSnapshot *link)
{
  const AcqLinkCounters *n = &link->counters;
  guint64 sum = n->written + n->paused + n->idle + n->pending + n->queued;

  for (int c = 0; c < ACQ_DROP_N_CAUSES; c++)
    sum += n->dropped[c];
  for (int c = 0; c < ACQ_FAIL_N_CAUSES; c++)
    sum += n->failed[c];
  if (sum == n->offered)
    return NULL;
  return g_strdup_printf ("link %s → %s: %" G_GUINT64_FORMAT " offered, %" G_GUINT64_FORMAT
                          " accounted for",
                          stream->path, link->sink, n->offered, sum);
}

char *
acq_snapshot_balance (const AcqSnapshot *self)
{
  char *problem = NULL;

  for (guint i = 0; problem == NULL && i < self->ports->len; i++)
    problem = balance_port (self, self->ports->pdata[i]);
  for (guint i = 0; i < self->streams->len; i++) {
    const AcqStreamSnapshot *stream = self->streams->pdata[i];

    for (guint k = 0; problem == NULL && k < stream->links->len; k++)
      problem = balance_link (stream, &g_array_index (stream->links, AcqLinkSnapshot, k));
  }
  return problem;
}

const AcqStreamSnapshot *
acq_snapshot_find_stream (const AcqSnapshot *self, const char *path)
{
  for (guint i = 0; i < self->streams->len; i++) {
    const AcqStreamSnapshot *stream = self->streams->pdata[i];

    if (g_str_equal (stream->path, path))
      return stream;
  }
  return NULL;
}

const AcqPortSnapshot *
acq_snapshot_find_port (const AcqSnapshot *self, const char *name)
{
  for (guint i = 0; i < self->ports->len; i++) {
    const AcqPortSnapshot *port = self->ports->pdata[i];

    if (name == NULL || g_str_equal (port->name, name))
      return port;
  }
  return NULL;
}

guint64
acq_counts_get (const GArray *counts, const char *name)
{
  for (guint i = 0; i < counts->len; i++) {
    const AcqCount *count = &g_array_index (counts, AcqCount, i);

    if (g_str_equal (count->name, name))
      return count->n;
  }
  return 0;
}
