/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-harness.h>

#include <glib/gstdio.h>

#include <acq/acq-error.h>
#include <acq/acq-host-clock.h>
#include <acq/acq-registry.h>

#include "graph/acq-graph-private.h"
#include "graph/acq-node-private.h"
#include "graph/acq-take-private.h"
#include "harness/acq-harness-nodes-private.h"

#define COLLECTOR_ID "harness"

/* Live waits look this often. */
#define LOOK_US 1000

struct _AcqHarness {
  gboolean live;
  gboolean started;
  gboolean stopped;
  AcqRegistry *registry; /* (nullable) */
  AcqNode *node;
  char *id;
  AcqHostClock *clock;
  AcqGraph *graph;
  AcqSink *collector;
  GPtrArray *events; /* of AcqEvent */
  AcqTake *take;
  char *tmp_dir; /* (nullable) */
};

AcqHarness *
acq_harness_new (AcqNode *node, const char *id)
{
  AcqHarness *self = g_new0 (AcqHarness, 1);

  self->node = node;
  self->id = g_strdup (id);
  self->events = g_ptr_array_new_with_free_func (g_free);
  acq_node_set_id (node, id);
  return self;
}

AcqHarness *
acq_harness_new_plugin (const char *directory, const char *plugin, const char *id)
{
  AcqRegistry *registry = acq_registry_new (directory);
  g_autoptr (GError) error = NULL;
  AcqNode *node = acq_registry_create (registry, plugin, id, &error);
  AcqHarness *self;

  g_assert_no_error (error);
  self = acq_harness_new (node, id);
  self->registry = registry;
  return self;
}

void
acq_harness_set_live (AcqHarness *self)
{
  g_assert (self->graph == NULL);
  self->live = TRUE;
}

AcqGraph *
acq_harness_get_graph (AcqHarness *self)
{
  g_autoptr (GError) error = NULL;

  if (self->graph != NULL)
    return self->graph;
  self->clock = self->live ? acq_host_clock_new () : acq_host_clock_new_fake (ACQ_HARNESS_START_NS);
  self->graph = acq_graph_new (self->clock);
  self->collector = g_object_new (ACQ_TYPE_HARNESS_SINK, NULL);
  acq_node_set_id (ACQ_NODE (self->collector), COLLECTOR_ID);
  acq_graph_add (self->graph, self->node, &error);
  g_assert_no_error (error);
  acq_graph_add (self->graph, ACQ_NODE (self->collector), &error);
  g_assert_no_error (error);
  acq_graph_connect (self->graph, ACQ_NODE (self->collector), self->id, NULL, &error);
  g_assert_no_error (error);
  return self->graph;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    remove_tree (child);
  }
  g_remove (path);
}

void
acq_harness_free (AcqHarness *self)
{
  if (self == NULL)
    return;
  if (self->started && !self->stopped)
    acq_harness_stop (self);
  g_clear_pointer (&self->take, acq_take_unref);
  g_clear_object (&self->graph);
  g_clear_object (&self->collector);
  g_clear_object (&self->node);
  g_clear_object (&self->registry);
  g_clear_pointer (&self->clock, acq_host_clock_unref);
  if (self->tmp_dir != NULL)
    remove_tree (self->tmp_dir);
  g_free (self->tmp_dir);
  g_ptr_array_unref (self->events);
  g_free (self->id);
  g_free (self);
}

AcqNode *
acq_harness_get_node (AcqHarness *self)
{
  return self->node;
}

void
acq_harness_set (AcqHarness *self, const char *option, const char *text)
{
  g_autoptr (GError) error = NULL;

  acq_node_set_option_text (self->node, option, text, &error);
  g_assert_no_error (error);
}

void
acq_harness_add_node (AcqHarness *self, AcqNode *node, const char *id)
{
  g_autoptr (GError) error = NULL;

  acq_node_set_id (node, id);
  acq_graph_add (acq_harness_get_graph (self), node, &error);
  g_assert_no_error (error);
}

AcqStream *
acq_harness_add_input (AcqHarness *self, const char *node, const AcqStreamInfo *info)
{
  AcqGraph *graph = acq_harness_get_graph (self);
  AcqNode *source = acq_graph_get_node (graph, node);
  g_autoptr (GError) error = NULL;

  if (source == NULL) {
    g_autoptr (AcqNode) fresh = g_object_new (ACQ_TYPE_HARNESS_SOURCE, NULL);

    acq_harness_add_node (self, fresh, node);
    acq_graph_connect (graph, self->node, node, NULL, &error);
    g_assert_no_error (error);
    source = fresh;
  }
  return acq_graph_add_stream (graph, source, info);
}

/* By hand */

static GPtrArray *
consumers (AcqHarness *self)
{
  GPtrArray *list = g_ptr_array_new ();
  GPtrArray *groups[] = { self->graph->transforms, self->graph->sinks };

  for (guint g = 0; g < G_N_ELEMENTS (groups); g++) {
    for (guint i = 0; i < groups[g]->len; i++)
      g_ptr_array_add (list, acq_node_get_consumer (groups[g]->pdata[i]));
  }
  return list;
}

/* Transforms first, so that what they push is seen in the same run. */
static void
run_by_hand (AcqHarness *self)
{
  g_autoptr (GPtrArray) list = consumers (self);
  gboolean more = TRUE;

  while (more) {
    more = FALSE;
    for (guint i = 0; i < list->len; i++) {
      AcqConsumer *consumer = list->pdata[i];

      if (!consumer->failed)
        more |= acq_consumer_round (consumer, acq_host_clock_now (self->clock));
    }
  }
}

static gboolean
start_by_hand (AcqHarness *self, GError **error)
{
  g_autoptr (GPtrArray) list = consumers (self);
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (self->graph);

  self->graph->phase = ACQ_GRAPH_RUNNING;
  acq_graph_publish_node (self->graph, self->graph->engine_node);
  for (guint i = 0; i < list->len; i++) {
    AcqConsumer *consumer = list->pdata[i];

    consumer->preroll_ns = self->graph->preroll_ns;
    consumer->waits_for_take = self->graph->take != NULL;
    if (!acq_consumer_open (consumer)) {
      g_autofree char *problem = acq_node_dup_problem (consumer->node);

      g_set_error_literal (error, ACQ_ERROR, ACQ_ERROR_FAILED, problem);
      return FALSE;
    }
  }
  for (guint i = 0; i < nodes->len; i++)
    acq_graph_publish_node (self->graph, nodes->pdata[i]);
  acq_graph_begin_early_take (self->graph);
  run_by_hand (self);
  return TRUE;
}

static void
stop_by_hand (AcqHarness *self)
{
  g_autoptr (GPtrArray) list = consumers (self);

  acq_graph_end_take (self->graph, G_MAXINT64);
  for (guint i = 0; i < list->len; i++) {
    AcqConsumer *consumer = list->pdata[i];
    gboolean more = !consumer->failed;

    acq_consumer_drain (consumer);
    while (more || (!consumer->failed && !acq_consumer_is_drained (consumer)))
      more = acq_consumer_round (consumer, acq_host_clock_now (self->clock));
    acq_consumer_finish (consumer);
  }
  for (guint i = 0; i < self->graph->takes->len; i++)
    g_assert_true (acq_take_wait (self->graph->takes->pdata[i], 60));
  self->graph->phase = ACQ_GRAPH_STOPPED;
}

void
acq_harness_advance (AcqHarness *self, gint64 ns)
{
  g_assert (!self->live);
  acq_host_clock_advance (self->clock, ns);
  if (self->started)
    run_by_hand (self);
}

/* Both ways */

gboolean
acq_harness_start (AcqHarness *self, GError **error)
{
  AcqGraph *graph = acq_harness_get_graph (self);

  if (self->take == NULL)
    acq_harness_begin_take (self, NULL);
  if (!(self->live ? acq_graph_start (graph, NULL, error) : start_by_hand (self, error)))
    return FALSE;
  self->started = TRUE;
  return TRUE;
}

AcqTake *
acq_harness_begin_take (AcqHarness *self, const char *directory)
{
  g_autoptr (GError) error = NULL;

  if (directory == NULL && self->tmp_dir == NULL)
    self->tmp_dir = g_dir_make_tmp ("acq-harness-XXXXXX", NULL);
  g_clear_pointer (&self->take, acq_take_unref);
  self->take =
      acq_graph_begin_take (acq_harness_get_graph (self),
                            directory != NULL ? directory : self->tmp_dir, "test", 0, &error);
  g_assert_no_error (error);
  if (self->started && !self->live)
    run_by_hand (self);
  return self->take;
}

void
acq_harness_end_take (AcqHarness *self)
{
  acq_graph_end_take (self->graph, 0);
  if (!self->live)
    run_by_hand (self);
}

gint64
acq_harness_now (AcqHarness *self)
{
  return acq_host_clock_now (self->clock);
}

void
acq_harness_stop (AcqHarness *self)
{
  if (self->stopped)
    return;
  self->stopped = TRUE;
  if (self->live)
    acq_graph_stop (self->graph, 10);
  else
    stop_by_hand (self);
}

AcqFrame *
acq_harness_pop (AcqHarness *self, const char *stream)
{
  g_autofree char *path = g_strdup_printf ("%s.%s", self->id, stream);

  return acq_harness_sink_pop (self->collector, path);
}

guint
acq_harness_count (AcqHarness *self, const char *stream)
{
  g_autofree char *path = g_strdup_printf ("%s.%s", self->id, stream);

  return acq_harness_sink_count (self->collector, path);
}

static void
fetch_events (AcqHarness *self)
{
  g_autoptr (GPtrArray) fresh = acq_graph_pop_events (self->graph);

  for (guint i = 0; i < fresh->len; i++)
    g_ptr_array_add (self->events, g_memdup2 (fresh->pdata[i], sizeof (AcqEvent)));
}

const AcqEvent *
acq_harness_find_event (AcqHarness *self, const char *name)
{
  fetch_events (self);
  for (guint i = 0; i < self->events->len; i++) {
    const AcqEvent *event = self->events->pdata[i];

    if (g_str_equal (event->name, name))
      return event;
  }
  return NULL;
}

guint
acq_harness_count_events (AcqHarness *self, const char *name)
{
  guint n = 0;

  fetch_events (self);
  for (guint i = 0; i < self->events->len; i++)
    n += g_str_equal (((const AcqEvent *) self->events->pdata[i])->name, name);
  return n;
}

gboolean
acq_harness_wait_frames (AcqHarness *self, const char *stream, guint n, double seconds)
{
  gint64 until = g_get_monotonic_time () + (gint64) (seconds * 1e6);

  while (acq_harness_count (self, stream) < n) {
    if (g_get_monotonic_time () > until)
      return FALSE;
    g_usleep (LOOK_US);
  }
  return TRUE;
}

const AcqEvent *
acq_harness_wait_event (AcqHarness *self, const char *name, double seconds)
{
  gint64 until = g_get_monotonic_time () + (gint64) (seconds * 1e6);
  const AcqEvent *event;

  while ((event = acq_harness_find_event (self, name)) == NULL) {
    if (g_get_monotonic_time () > until)
      return NULL;
    g_usleep (LOOK_US);
  }
  return event;
}

gboolean
acq_harness_wait_state (AcqHarness *self, AcqNodeState state, double seconds)
{
  gint64 until = g_get_monotonic_time () + (gint64) (seconds * 1e6);

  while (acq_node_get_state (self->node) != state) {
    if (g_get_monotonic_time () > until)
      return FALSE;
    g_usleep (LOOK_US);
  }
  return TRUE;
}

AcqSnapshot *
acq_harness_snapshot (AcqHarness *self)
{
  AcqSnapshot *snapshot = acq_graph_snapshot (self->graph);
  g_autofree char *problem = acq_snapshot_balance (snapshot);

  g_assert_cmpstr (problem, ==, NULL);
  return snapshot;
}
