/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/acq-node-private.h"

#include <stdarg.h>
#include <string.h>

#include <acq/acq-graph.h>
#include <acq/acq-host-clock.h>

#include "base/acq-wait-private.h"

typedef struct {
  /* Fixed once the node is in a graph. */
  char *id;
  char *label;
  const AcqPlugin *plugin;
  AcqGraph *graph; /* (unowned): it owns us */

  pthread_mutex_t lock;
  /* Under lock: */
  AcqNodeState state;
  char *problem;
  GHashTable *facts; /* owned text → owned text */
  char *step;
  gint64 step_deadline_ns; /* CLOCK_MONOTONIC */
} AcqNodePrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (AcqNode, acq_node, G_TYPE_OBJECT)

#define PRIVATE(self) ((AcqNodePrivate *) acq_node_get_instance_private (self))

const char *
acq_node_state_to_string (AcqNodeState state)
{
  static const char *const words[] = { "new",      "opening", "running", "lost",
                                       "stopping", "closed",  "stuck",   "failed" };

  return words[state];
}

void
acq_node_set_identity (AcqNode *self, const char *id, const AcqPlugin *plugin)
{
  AcqNodePrivate *priv = PRIVATE (self);

  g_free (priv->id);
  priv->id = g_strdup (id);
  priv->plugin = plugin;
}

void
acq_node_set_id (AcqNode *self, const char *id)
{
  acq_node_set_identity (self, id, PRIVATE (self)->plugin);
}

void
acq_node_set_graph (AcqNode *self, AcqGraph *graph)
{
  PRIVATE (self)->graph = graph;
}

const char *
acq_node_get_id (AcqNode *self)
{
  return PRIVATE (self)->id;
}

const char *
acq_node_get_label (AcqNode *self)
{
  AcqNodePrivate *priv = PRIVATE (self);

  return priv->label != NULL ? priv->label : priv->id;
}

void
acq_node_set_label (AcqNode *self, const char *label)
{
  AcqNodePrivate *priv = PRIVATE (self);

  g_free (priv->label);
  priv->label = g_strdup (label);
}

const AcqPlugin *
acq_node_get_plugin (AcqNode *self)
{
  return PRIVATE (self)->plugin;
}

AcqGraph *
acq_node_get_graph (AcqNode *self)
{
  return PRIVATE (self)->graph;
}

AcqHostClock *
acq_node_get_host_clock (AcqNode *self)
{
  return acq_graph_get_host_clock (PRIVATE (self)->graph);
}

gint64
acq_node_now (AcqNode *self)
{
  return acq_host_clock_now (acq_node_get_host_clock (self));
}

AcqNodeState
acq_node_get_state (AcqNode *self)
{
  AcqNodePrivate *priv = PRIVATE (self);
  AcqNodeState state;

  pthread_mutex_lock (&priv->lock);
  state = priv->state;
  pthread_mutex_unlock (&priv->lock);
  return state;
}

static void
set_state (AcqNodePrivate *priv, AcqNodeState state)
{
  /* A stuck or failed node stays so, whatever its abandoned thread still says. */
  if (priv->state != ACQ_NODE_STUCK && priv->state != ACQ_NODE_FAILED)
    priv->state = state;
}

void
acq_node_set_state (AcqNode *self, AcqNodeState state)
{
  AcqNodePrivate *priv = PRIVATE (self);

  pthread_mutex_lock (&priv->lock);
  set_state (priv, state);
  pthread_mutex_unlock (&priv->lock);
}

void
acq_node_set_state_problem (AcqNode *self, AcqNodeState state, const char *problem)
{
  AcqNodePrivate *priv = PRIVATE (self);

  pthread_mutex_lock (&priv->lock);
  if (priv->state != ACQ_NODE_STUCK && priv->state != ACQ_NODE_FAILED) {
    priv->state = state;
    g_free (priv->problem);
    priv->problem = g_strdup (problem);
  }
  pthread_mutex_unlock (&priv->lock);
}

char *
acq_node_dup_problem (AcqNode *self)
{
  AcqNodePrivate *priv = PRIVATE (self);
  char *problem;

  pthread_mutex_lock (&priv->lock);
  problem = g_strdup (priv->problem);
  pthread_mutex_unlock (&priv->lock);
  return problem;
}

void
acq_node_step (AcqNode *self, const char *what, double seconds)
{
  AcqNodePrivate *priv = PRIVATE (self);

  pthread_mutex_lock (&priv->lock);
  g_free (priv->step);
  priv->step = g_strdup (what);
  priv->step_deadline_ns = acq_deadline_in (seconds);
  pthread_mutex_unlock (&priv->lock);
}

char *
acq_node_overdue_step (AcqNode *self, gint64 now_ns)
{
  AcqNodePrivate *priv = PRIVATE (self);
  char *step = NULL;

  pthread_mutex_lock (&priv->lock);
  if (priv->step != NULL && now_ns > priv->step_deadline_ns)
    step = g_strdup (priv->step);
  pthread_mutex_unlock (&priv->lock);
  return step;
}

gboolean
acq_node_open (AcqNode *self, GCancellable *cancellable, GError **error)
{
  AcqNodeClass *klass = ACQ_NODE_GET_CLASS (self);

  return klass->open == NULL || klass->open (self, cancellable, error);
}

void
acq_node_close (AcqNode *self)
{
  AcqNodeClass *klass = ACQ_NODE_GET_CLASS (self);

  if (klass->close != NULL)
    klass->close (self);
}

void
acq_node_set_fact (AcqNode *self, const char *key, const char *value)
{
  AcqNodePrivate *priv = PRIVATE (self);

  pthread_mutex_lock (&priv->lock);
  if (value == NULL)
    g_hash_table_remove (priv->facts, key);
  else
    g_hash_table_replace (priv->facts, g_strdup (key), g_strdup (value));
  pthread_mutex_unlock (&priv->lock);
}

char *
acq_node_get_fact (AcqNode *self, const char *key)
{
  AcqNodePrivate *priv = PRIVATE (self);
  char *value;

  pthread_mutex_lock (&priv->lock);
  value = g_strdup (g_hash_table_lookup (priv->facts, key));
  pthread_mutex_unlock (&priv->lock);
  return value;
}

char **
acq_node_list_facts (AcqNode *self)
{
  AcqNodePrivate *priv = PRIVATE (self);
  g_autoptr (GStrvBuilder) list = g_strv_builder_new ();
  GList *keys;

  pthread_mutex_lock (&priv->lock);
  keys = g_list_sort (g_hash_table_get_keys (priv->facts), (GCompareFunc) strcmp);
  for (GList *l = keys; l != NULL; l = l->next) {
    g_strv_builder_add (list, l->data);
    g_strv_builder_add (list, g_hash_table_lookup (priv->facts, l->data));
  }
  pthread_mutex_unlock (&priv->lock);
  g_list_free (keys);
  return g_strv_builder_end (list);
}

void
acq_node_attach (AcqNode *self, const char *name, const char *media_type, GBytes *data)
{
  acq_graph_add_attachment (PRIVATE (self)->graph, self, name, media_type, data);
}

void
acq_node_event (AcqNode *self, const AcqEvent *event)
{
  AcqNodePrivate *priv = PRIVATE (self);

  if (priv->graph != NULL)
    acq_graph_emit (priv->graph, self, event);
}

void
acq_node_notice (AcqNode *self, guint severity, const char *name, const char *format, ...)
{
  AcqEvent event = { 0 };
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  event.kind =
      severity >= ACQ_EVENT_SEVERITY_WARNING ? ACQ_EVENT_KIND_ALERT : ACQ_EVENT_KIND_NOTICE;
  event.severity = severity;
  g_strlcpy (event.name, name, sizeof event.name);
  g_strlcpy (event.message, message, sizeof event.message);
  acq_node_event (self, &event);
}

static void
acq_node_finalize (GObject *object)
{
  AcqNode *self = ACQ_NODE (object);
  AcqNodePrivate *priv = PRIVATE (self);

  acq_node_clear_options (self);
  pthread_mutex_destroy (&priv->lock);
  g_hash_table_unref (priv->facts);
  g_free (priv->step);
  g_free (priv->problem);
  g_free (priv->label);
  g_free (priv->id);
  G_OBJECT_CLASS (acq_node_parent_class)->finalize (object);
}

static void
acq_node_constructed (GObject *object)
{
  acq_node_init_options (ACQ_NODE (object));
  G_OBJECT_CLASS (acq_node_parent_class)->constructed (object);
}

static void
acq_node_class_init (AcqNodeClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = acq_node_constructed;
  G_OBJECT_CLASS (klass)->finalize = acq_node_finalize;
}

static void
acq_node_init (AcqNode *self)
{
  AcqNodePrivate *priv = PRIVATE (self);

  priv->state = ACQ_NODE_NEW;
  priv->facts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  pthread_mutex_init (&priv->lock, NULL);
}
