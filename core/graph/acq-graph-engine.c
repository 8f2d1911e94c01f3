/* SPDX-License-Identifier: Apache-2.0 */

/* The node `acq`: events, clocks and the ledger as streams of their own; and the monitor. */

#include <string.h>

#include <acq/acq-snapshot.h>

#include "base/acq-wait-private.h"
#include "graph/acq-graph-private.h"
#include "graph/acq-node-private.h"
#include "graph/acq-port-private.h"

#define NS_PER_S G_GINT64_CONSTANT (1000000000)
#define MONITOR_MS 50

/* A wall clock that moves by more than this between two looks was set by somebody. */
#define WALL_STEP_NS (5 * 1000000)

/* Events that nobody fetched; the oldest go first. */
#define MAX_EVENTS 4096

typedef struct {
  AcqNode parent_instance;
} AcqEngineNode;

typedef struct {
  AcqNodeClass parent_class;
} AcqEngineNodeClass;

GType acq_engine_node_get_type (void);
G_DEFINE_TYPE (AcqEngineNode, acq_engine_node, ACQ_TYPE_NODE)

static void
acq_engine_node_class_init (AcqEngineNodeClass *klass)
{
}

static void
acq_engine_node_init (AcqEngineNode *self)
{
}

void
acq_graph_init_engine (AcqGraph *self)
{
  self->engine_node = g_object_new (acq_engine_node_get_type (), NULL);
  acq_node_set_identity (self->engine_node, ACQ_ENGINE_NODE_ID, NULL);
  acq_node_set_graph (self->engine_node, self);
  self->event_stream = acq_graph_add_stream (
      self, self->engine_node,
      &(AcqStreamInfo){ .name = "events", .schema = &acq_event_schema, .rate_hz = 0 });
  self->clock_stream = acq_graph_add_stream (
      self, self->engine_node,
      &(AcqStreamInfo){ .name = "clock", .schema = &acq_clock_state_schema, .rate_hz = 0 });
  self->ledger_stream = acq_graph_add_stream (
      self, self->engine_node,
      &(AcqStreamInfo){ .name = "ledger", .schema = &acq_ledger_row_schema, .rate_hz = 0 });
  self->wall_offset_ns = acq_host_clock_wall_offset (self->clock);
}

/* Events */

void
acq_graph_emit (AcqGraph *self, AcqNode *node, const AcqEvent *event)
{
  AcqEvent *copy = g_memdup2 (event, sizeof *event);
  AcqFrame *frame;

  if (copy->node[0] == '\0')
    g_strlcpy (copy->node, acq_node_get_id (node), sizeof copy->node);
  pthread_mutex_lock (&self->event_lock);
  *acq_event_begin (self->event_stream, &frame) = *copy;
  acq_stream_push (self->event_stream, frame, 0, ACQ_TIME_NONE);
  if (self->events->len >= MAX_EVENTS)
    g_ptr_array_remove_range (self->events, 0, MAX_EVENTS / 4);
  g_ptr_array_add (self->events, copy);
  pthread_mutex_unlock (&self->event_lock);
}

GPtrArray *
acq_graph_pop_events (AcqGraph *self)
{
  GPtrArray *events;

  pthread_mutex_lock (&self->event_lock);
  events = self->events;
  self->events = g_ptr_array_new_with_free_func (g_free);
  pthread_mutex_unlock (&self->event_lock);
  return events;
}

/* Clocks */

static void
push_clock (AcqGraph *self, AcqClock *clock)
{
  AcqClockEstimate estimate;
  AcqFrame *frame;
  AcqClockState *state;

  acq_clock_estimate (clock, &estimate);
  if (estimate.host_ns == 0)
    return;
  state = acq_clock_state_begin (self->clock_stream, &frame);
  g_strlcpy (state->id, acq_clock_get_id (clock), sizeof state->id);
  state->kind = estimate.kind;
  state->epoch = estimate.epoch;
  state->state = estimate.locked;
  state->offset_ns = estimate.offset_ns;
  state->drift_ppm = estimate.drift_ppm;
  state->uncertainty_ns = estimate.uncertainty_ns;
  state->host_ns = estimate.host_ns;
  state->device_ns = estimate.device_ns;
  acq_stream_push (self->clock_stream, frame, 0, ACQ_TIME_NONE);
}

void
acq_graph_push_clocks (AcqGraph *self)
{
  g_autoptr (GPtrArray) streams = acq_graph_list_streams (self);
  g_autoptr (GPtrArray) seen = g_ptr_array_new ();

  for (guint i = 0; i < streams->len; i++) {
    AcqClock *clock = acq_stream_get_clock (streams->pdata[i]);

    if (clock == NULL || g_ptr_array_find (seen, clock, NULL))
      continue;
    g_ptr_array_add (seen, clock);
    push_clock (self, clock);
  }
}

/* The ledger */

static AcqLedgerRow *
begin_row (AcqGraph *self, guint scope, gboolean final, AcqFrame **frame)
{
  AcqLedgerRow *row = acq_ledger_row_begin (self->ledger_stream, frame);

  row->scope = scope;
  row->final = final;
  return row;
}

static void
end_row (AcqGraph *self, AcqFrame *frame)
{
  acq_stream_push (self->ledger_stream, frame, 0, ACQ_TIME_NONE);
}

/* Appends "name":n pairs; what does not fit into the row is left out whole. */
static void
add_causes (AcqLedgerRow *row, const char *group, const AcqCount *counts, guint n)
{
  gsize used = strlen (row->causes);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    if (counts[i].n > 0)
      g_string_append_printf (text, "%s\"%s.%s\":%" G_GUINT64_FORMAT, text->len > 0 ? "," : "",
                              group, counts[i].name, counts[i].n);
  }
  if (text->len == 0 || used + text->len + 3 > sizeof row->causes)
    return;
  if (used == 0)
    g_snprintf (row->causes, sizeof row->causes, "{%s}", text->str);
  else
    g_snprintf (row->causes + used - 1, sizeof row->causes - used + 1, ",%s}", text->str);
}

static void
push_ports (AcqGraph *self, const AcqSnapshot *snapshot, gboolean final)
{
  for (guint i = 0; i < snapshot->ports->len; i++) {
    const AcqPortSnapshot *port = snapshot->ports->pdata[i];
    AcqFrame *frame;
    AcqLedgerRow *row = begin_row (self, ACQ_LEDGER_ROW_SCOPE_PORT, final, &frame);
    AcqCount beside[] = { { "wrong_source", port->wrong_source },
                          { "other_hand", port->other_hand },
                          { "kernel_drops", port->kernel_drops } };

    g_strlcpy (row->port, port->name, sizeof row->port);
    row->frames = port->packets;
    add_causes (row, "port", beside, G_N_ELEMENTS (beside));
    add_causes (row, "foreign", (AcqCount *) port->foreign->data, port->foreign->len);
    add_causes (row, "rejected", (AcqCount *) port->rejected->data, port->rejected->len);
    end_row (self, frame);
  }
}

static void
push_links (AcqGraph *self, const AcqStreamSnapshot *stream, gboolean final)
{
  for (guint i = 0; i < stream->links->len; i++) {
    const AcqLinkSnapshot *link = &g_array_index (stream->links, AcqLinkSnapshot, i);
    const AcqLinkCounters *n = &link->counters;
    AcqCount dropped[ACQ_DROP_N_CAUSES];
    AcqCount failed[ACQ_FAIL_N_CAUSES];
    AcqFrame *frame;
    AcqLedgerRow *row = begin_row (self, ACQ_LEDGER_ROW_SCOPE_LINK, final, &frame);

    g_strlcpy (row->node, acq_node_get_id (acq_stream_get_node (stream->stream)), sizeof row->node);
    g_strlcpy (row->stream, acq_stream_get_name (stream->stream), sizeof row->stream);
    g_strlcpy (row->sink, link->sink, sizeof row->sink);
    row->offered = n->offered;
    row->written = n->written;
    row->paused = n->paused;
    row->idle = n->idle;
    row->pending = n->pending;
    row->queued = n->queued;
    for (int c = 0; c < ACQ_DROP_N_CAUSES; c++) {
      dropped[c] = (AcqCount){ acq_drop_cause_to_string (c), n->dropped[c] };
      row->dropped += n->dropped[c];
    }
    for (int c = 0; c < ACQ_FAIL_N_CAUSES; c++) {
      failed[c] = (AcqCount){ acq_fail_cause_to_string (c), n->failed[c] };
      row->failed += n->failed[c];
    }
    add_causes (row, "dropped", dropped, ACQ_DROP_N_CAUSES);
    add_causes (row, "failed", failed, ACQ_FAIL_N_CAUSES);
    end_row (self, frame);
  }
}

static void
push_streams (AcqGraph *self, const AcqSnapshot *snapshot, gboolean final)
{
  for (guint i = 0; i < snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = snapshot->streams->pdata[i];
    AcqNode *node = acq_stream_get_node (stream->stream);
    AcqFrame *frame;
    AcqLedgerRow *row;

    if (node == self->engine_node)
      continue;
    row = begin_row (self, ACQ_LEDGER_ROW_SCOPE_STREAM, final, &frame);
    g_strlcpy (row->node, acq_node_get_id (node), sizeof row->node);
    g_strlcpy (row->stream, acq_stream_get_name (stream->stream), sizeof row->stream);
    row->frames = stream->frames;
    row->repeats = stream->counters[ACQ_STREAM_REPEATS];
    row->duplicates = stream->counters[ACQ_STREAM_DUPLICATES];
    row->late = stream->counters[ACQ_STREAM_LATE];
    row->lost = stream->counters[ACQ_STREAM_LOST];
    end_row (self, frame);
    push_links (self, stream, final);
  }
}

void
acq_graph_push_ledger (AcqGraph *self, gboolean final)
{
  g_autoptr (AcqSnapshot) snapshot = acq_graph_snapshot (self);

  push_ports (self, snapshot, final);
  for (guint i = 0; i < snapshot->nodes->len; i++) {
    const AcqNodeSnapshot *node = snapshot->nodes->pdata[i];
    AcqFrame *frame;
    AcqLedgerRow *row;

    if (node->port == NULL)
      continue;
    row = begin_row (self, ACQ_LEDGER_ROW_SCOPE_NODE, final, &frame);
    g_strlcpy (row->node, node->id, sizeof row->node);
    g_strlcpy (row->port, node->port, sizeof row->port);
    row->accepted = node->accepted;
    end_row (self, frame);
  }
  push_streams (self, snapshot, final);
}

/* The monitor */

static void
look_at_steps (AcqGraph *self)
{
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (self);
  gint64 now_ns = acq_monotonic_ns ();

  for (guint i = 0; i < nodes->len; i++) {
    g_autofree char *step = acq_node_overdue_step (nodes->pdata[i], now_ns);

    if (step != NULL)
      acq_graph_declare_stuck (self, nodes->pdata[i], step);
  }
}

static void
look_at_wall_clock (AcqGraph *self)
{
  gint64 offset_ns = acq_host_clock_wall_offset (self->clock);
  gint64 step_ns = offset_ns - self->wall_offset_ns;

  if (ABS (step_ns) > WALL_STEP_NS) {
    AcqEvent event = { .kind = ACQ_EVENT_KIND_WALL_STEP, .severity = ACQ_EVENT_SEVERITY_WARNING };
    gint64 now_ns = acq_host_clock_now (self->clock);

    g_strlcpy (event.name, "wall_step", sizeof event.name);
    g_snprintf (event.message, sizeof event.message,
                "the wall clock was stepped by %+.3f s; host time goes on undisturbed",
                step_ns * 1e-9);
    event.from_ns = now_ns + self->wall_offset_ns;
    event.to_ns = now_ns + offset_ns;
    event.code = step_ns;
    acq_graph_emit (self, self->engine_node, &event);
  }
  self->wall_offset_ns = offset_ns;
}

void
acq_graph_monitor_tick (AcqGraph *self)
{
  gint64 now_ns = acq_host_clock_now (self->clock);

  look_at_steps (self);
  if (now_ns < self->next_second_ns)
    return;
  self->next_second_ns = now_ns + NS_PER_S;
  look_at_wall_clock (self);
  acq_graph_push_clocks (self);
  acq_graph_push_ledger (self, FALSE);
}

static gpointer
monitor_thread (gpointer data)
{
  AcqGraph *self = data;
  gboolean stop = FALSE;

  self->next_second_ns = acq_host_clock_now (self->clock) + NS_PER_S;
  while (!stop) {
    gint64 next_ns;

    acq_graph_monitor_tick (self);
    next_ns = acq_deadline_in (MONITOR_MS * 1e-3);
    pthread_mutex_lock (&self->monitor_lock);
    while (!self->monitor_stop &&
           acq_cond_wait_until (&self->monitor_wake, &self->monitor_lock, next_ns))
      ;
    stop = self->monitor_stop;
    pthread_mutex_unlock (&self->monitor_lock);
  }
  return NULL;
}

void
acq_graph_start_monitor (AcqGraph *self)
{
  self->monitor_stop = FALSE;
  self->monitor = g_thread_new ("acq-monitor", monitor_thread, self);
}

void
acq_graph_stop_monitor (AcqGraph *self)
{
  if (self->monitor == NULL)
    return;
  pthread_mutex_lock (&self->monitor_lock);
  self->monitor_stop = TRUE;
  pthread_cond_signal (&self->monitor_wake);
  pthread_mutex_unlock (&self->monitor_lock);
  g_thread_join (g_steal_pointer (&self->monitor));
}
