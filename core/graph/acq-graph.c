/* SPDX-License-Identifier: Apache-2.0 */

/* The graph: what is in it. Starting and stopping are in acq-graph-run.c. */

#include "graph/acq-graph-private.h"

#include <string.h>

#include <json-glib/json-glib.h>

#include <acq/acq-error.h>

#include "base/acq-wait-private.h"
#include "graph/acq-node-private.h"
#include "graph/acq-port-private.h"
#include "graph/acq-sink-private.h"
#include "graph/acq-take-private.h"

G_DEFINE_FINAL_TYPE (AcqGraph, acq_graph, G_TYPE_OBJECT)

/*
 * GLib 2.74 and before can lock itself out when two threads use classes of GIO for
 * the first time at once: one holds the lock of the type system in a class_init and
 * waits for a `get_type`, the other the other way round. Sources open in parallel,
 * so the classes that devices use are made here, before there is a thread.
 */
static void
make_classes_once (void)
{
  static gsize done;

  if (g_once_init_enter (&done)) {
    const GType types[] = { G_TYPE_INET_ADDRESS,
                            G_TYPE_INET_SOCKET_ADDRESS,
                            G_TYPE_INET_ADDRESS_MASK,
                            G_TYPE_NETWORK_ADDRESS,
                            G_TYPE_SOCKET,
                            G_TYPE_SOCKET_CLIENT,
                            G_TYPE_TCP_CONNECTION,
                            G_TYPE_CANCELLABLE,
                            G_TYPE_TASK };

    for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
      g_type_class_unref (g_type_class_ref (types[i]));
    g_type_class_unref (g_type_class_ref (JSON_TYPE_GENERATOR));
    g_type_class_unref (g_type_class_ref (JSON_TYPE_PARSER));
    g_type_class_unref (g_type_class_ref (JSON_TYPE_BUILDER));
    g_object_unref (g_resolver_get_default ());
    g_once_init_leave (&done, 1);
  }
}

AcqGraph *
acq_graph_new (AcqHostClock *clock)
{
  AcqGraph *self = g_object_new (ACQ_TYPE_GRAPH, NULL);

  make_classes_once ();
  self->clock = clock != NULL ? acq_host_clock_ref (clock) : acq_host_clock_new ();
  acq_graph_init_engine (self);
  return self;
}

AcqHostClock *
acq_graph_get_host_clock (AcqGraph *self)
{
  return self->clock;
}

/* Nodes */

AcqConsumer *
acq_node_get_consumer (AcqNode *node)
{
  if (ACQ_IS_SINK (node))
    return acq_sink_get_consumer (ACQ_SINK (node));
  if (ACQ_IS_TRANSFORM (node))
    return acq_transform_get_consumer (ACQ_TRANSFORM (node));
  return NULL;
}

gboolean
acq_graph_add (AcqGraph *self, AcqNode *node, GError **error)
{
  const char *id = acq_node_get_id (node);

  if (self->phase != ACQ_GRAPH_NEW) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FAILED, "the graph runs; nothing can be added");
    return FALSE;
  }
  if (acq_graph_get_node (self, id) != NULL || g_str_equal (id, ACQ_ENGINE_NODE_ID)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_PIPELINE, "the node id '%s' is taken", id);
    return FALSE;
  }
  acq_node_set_graph (node, self);
  if (ACQ_IS_SINK (node)) {
    acq_sink_make_consumer (ACQ_SINK (node), self->clock);
    g_ptr_array_add (self->sinks, g_object_ref (node));
  } else if (ACQ_IS_TRANSFORM (node)) {
    acq_transform_make_consumer (ACQ_TRANSFORM (node), self->clock);
    g_ptr_array_add (self->transforms, g_object_ref (node));
  } else
    g_ptr_array_add (self->sources, g_object_ref (node));
  return TRUE;
}

GPtrArray *
acq_graph_list_nodes (AcqGraph *self)
{
  GPtrArray *nodes = g_ptr_array_new ();
  GPtrArray *groups[] = { self->sources, self->transforms, self->sinks };

  for (guint g = 0; g < G_N_ELEMENTS (groups); g++) {
    for (guint i = 0; i < groups[g]->len; i++)
      g_ptr_array_add (nodes, groups[g]->pdata[i]);
  }
  return nodes;
}

AcqNode *
acq_graph_get_node (AcqGraph *self, const char *id)
{
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (self);

  for (guint i = 0; i < nodes->len; i++) {
    if (g_str_equal (acq_node_get_id (nodes->pdata[i]), id))
      return nodes->pdata[i];
  }
  return NULL;
}

void
acq_graph_set_required (AcqGraph *self, const char *source_id, gboolean required)
{
  if (required)
    g_hash_table_remove (self->optional, source_id);
  else
    g_hash_table_add (self->optional, g_strdup (source_id));
}

gboolean
acq_graph_is_required (AcqGraph *self, const char *source_id)
{
  return !g_hash_table_contains (self->optional, source_id);
}

void
acq_graph_set_preroll (AcqGraph *self, double seconds)
{
  self->preroll_ns = (gint64) (seconds * 1e9);
}

/* Streams */

AcqStream *
acq_graph_add_stream (AcqGraph *self, AcqNode *node, const AcqStreamInfo *info)
{
  AcqStream *stream = NULL;

  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < self->streams->len; i++) {
    AcqStream *known = self->streams->pdata[i];

    if (known->node == node && g_str_equal (known->name, info->name))
      stream = known;
  }
  if (stream == NULL) {
    stream = acq_stream_new (node, self->clock, info);
    g_ptr_array_add (self->streams, stream);
  } else if (stream->info.schema != info->schema)
    g_error ("%s was %s and is now declared as %s", stream->path, stream->info.schema->name,
             info->schema->name);
  pthread_mutex_unlock (&self->lock);
  return stream;
}

void
acq_graph_publish_stream (AcqGraph *self, AcqStream *stream)
{
  pthread_mutex_lock (&self->lock);
  if (!atomic_load (&stream->published)) {
    acq_graph_connect_stream (self, stream);
    atomic_store_explicit (&stream->published, TRUE, memory_order_release);
  }
  pthread_mutex_unlock (&self->lock);
}

static GPtrArray *
streams_of (AcqGraph *self, AcqNode *node)
{
  GPtrArray *streams = g_ptr_array_new ();

  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < self->streams->len; i++) {
    if (((AcqStream *) self->streams->pdata[i])->node == node)
      g_ptr_array_add (streams, self->streams->pdata[i]);
  }
  pthread_mutex_unlock (&self->lock);
  return streams;
}

void
acq_graph_publish_node (AcqGraph *self, AcqNode *node)
{
  g_autoptr (GPtrArray) streams = streams_of (self, node);

  for (guint i = 0; i < streams->len; i++)
    acq_graph_publish_stream (self, streams->pdata[i]);
}

void
acq_graph_end_streams (AcqGraph *self, AcqNode *node)
{
  g_autoptr (GPtrArray) streams = streams_of (self, node);

  for (guint i = 0; i < streams->len; i++)
    acq_stream_end (streams->pdata[i]);
}

gint64
acq_graph_last_frame_of (AcqGraph *self, AcqNode *node)
{
  g_autoptr (GPtrArray) streams = streams_of (self, node);
  gint64 last_ns = 0;

  for (guint i = 0; i < streams->len; i++)
    last_ns = MAX (last_ns, atomic_load (&((AcqStream *) streams->pdata[i])->last_ns));
  return last_ns;
}

GPtrArray *
acq_graph_list_streams (AcqGraph *self)
{
  GPtrArray *streams = g_ptr_array_new ();

  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < self->streams->len; i++) {
    AcqStream *stream = self->streams->pdata[i];

    if (atomic_load (&stream->published))
      g_ptr_array_add (streams, stream);
  }
  pthread_mutex_unlock (&self->lock);
  return streams;
}

/* Ports, facts, attachments */

void
acq_graph_add_port (AcqGraph *self, AcqPort *port)
{
  pthread_mutex_lock (&self->lock);
  if (!g_ptr_array_find (self->ports, port, NULL))
    g_ptr_array_add (self->ports, acq_port_ref (port));
  pthread_mutex_unlock (&self->lock);
}

void
acq_graph_set_fact (AcqGraph *self, const char *key, const char *value)
{
  pthread_mutex_lock (&self->lock);
  g_hash_table_replace (self->facts, g_strdup (key), g_strdup (value));
  pthread_mutex_unlock (&self->lock);
}

static void
free_attachment (gpointer data)
{
  AcqAttachment *attachment = data;

  g_free (attachment->node);
  g_free (attachment->name);
  g_free (attachment->media_type);
  g_bytes_unref (attachment->data);
  g_free (attachment);
}

void
acq_graph_add_attachment (AcqGraph *self, AcqNode *node, const char *name, const char *media_type,
                          GBytes *data)
{
  AcqAttachment *attachment = g_new0 (AcqAttachment, 1);

  attachment->node = node != NULL ? g_strdup (acq_node_get_id (node)) : NULL;
  attachment->name = g_strdup (name);
  attachment->media_type = g_strdup (media_type);
  attachment->data = g_bytes_ref (data);
  attachment->host_ns = acq_host_clock_now (self->clock);
  pthread_mutex_lock (&self->lock);
  g_ptr_array_add (self->attachments, attachment);
  pthread_mutex_unlock (&self->lock);
}

void
acq_graph_attach (AcqGraph *self, const char *name, const char *media_type, GBytes *data)
{
  acq_graph_add_attachment (self, NULL, name, media_type, data);
}

GPtrArray *
acq_graph_list_attachments (AcqGraph *self, guint from)
{
  GPtrArray *list = g_ptr_array_new ();

  pthread_mutex_lock (&self->lock);
  for (guint i = from; i < self->attachments->len; i++)
    g_ptr_array_add (list, self->attachments->pdata[i]);
  pthread_mutex_unlock (&self->lock);
  return list;
}

/* Life */

static void
clear_rule (gpointer data)
{
  g_free (((AcqRule *) data)->pattern);
}

static void
acq_graph_finalize (GObject *object)
{
  AcqGraph *self = ACQ_GRAPH (object);

  /* Consumers own links, and links hold frames: nodes go before streams. */
  g_ptr_array_unref (self->sinks);
  g_ptr_array_unref (self->transforms);
  g_ptr_array_unref (self->sources);
  g_clear_object (&self->engine_node);
  g_clear_pointer (&self->take, acq_take_unref);
  g_ptr_array_unref (self->takes);
  g_ptr_array_unref (self->streams);
  g_ptr_array_unref (self->ports);
  g_ptr_array_unref (self->attachments);
  g_ptr_array_unref (self->events);
  g_array_unref (self->rules);
  g_hash_table_unref (self->optional);
  g_hash_table_unref (self->facts);
  acq_host_clock_unref (self->clock);
  pthread_mutex_destroy (&self->lock);
  pthread_mutex_destroy (&self->event_lock);
  pthread_mutex_destroy (&self->monitor_lock);
  pthread_cond_destroy (&self->monitor_wake);
  G_OBJECT_CLASS (acq_graph_parent_class)->finalize (object);
}

static void
acq_graph_class_init (AcqGraphClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acq_graph_finalize;
}

static void
acq_graph_init (AcqGraph *self)
{

  self->sources = g_ptr_array_new_with_free_func (g_object_unref);
  self->transforms = g_ptr_array_new_with_free_func (g_object_unref);
  self->sinks = g_ptr_array_new_with_free_func (g_object_unref);
  self->takes = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_take_unref);
  self->streams = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_stream_free);
  self->ports = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_port_unref);
  self->attachments = g_ptr_array_new_with_free_func (free_attachment);
  self->events = g_ptr_array_new_with_free_func (g_free);
  self->rules = g_array_new (FALSE, TRUE, sizeof (AcqRule));
  g_array_set_clear_func (self->rules, clear_rule);
  self->optional = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->facts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  pthread_mutex_init (&self->lock, NULL);
  pthread_mutex_init (&self->event_lock, NULL);
  pthread_mutex_init (&self->monitor_lock, NULL);
  acq_cond_init (&self->monitor_wake);
}
