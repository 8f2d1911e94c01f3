/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What was really delivered, as JSON: per subscription counts and runs of sequence numbers;
 * per device the clock; faults as they struck; calls and leaks. And the control door for tests
 * in the same process.
 */

#include "standin-api.h"
#include "standin-private.h"

#include "sim-report.h"

#include <stdio.h>

void
sim_report_note (const SimDevice *device, const SimStream *stream, const char *what, uint32_t seq,
                 uint64_t uptime_us)
{
  JsonObject *note;

  pthread_mutex_lock (&sim.lock);
  if (sim.applied == NULL)
    sim.applied = json_array_new ();
  if (json_array_get_length (sim.applied) < SIM_MAX_APPLIED) {
    note = json_object_new ();
    json_object_set_string_member (note, "fault", what);
    json_object_set_string_member (note, "device", device->serial);
    if (stream != NULL)
      json_object_set_string_member (note, "stream", stream->topic);
    json_object_set_int_member (note, "index", seq);
    json_object_set_int_member (note, "uptime_us", (gint64) uptime_us);
    json_array_add_object_element (sim.applied, note);
  }
  pthread_mutex_unlock (&sim.lock);
}

void
sim_report_reset (void)
{
  pthread_mutex_lock (&sim.lock);
  g_clear_pointer (&sim.applied, json_array_unref);
  g_clear_pointer (&sim.calls, g_hash_table_unref);
  sim.blocking_in_callback = sim.closed_in_callback = 0;
  atomic_store (&sim.n_subs, 0);
  pthread_mutex_unlock (&sim.lock);
}

static void
add_text (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
add_number (JsonBuilder *builder, const char *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_flag (JsonBuilder *builder, const char *name, gboolean value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, value);
}

static const char *
device_name (unsigned number)
{
  return number < sim.n_devices ? sim.devices[number].serial : "";
}

static void
add_subscription (JsonBuilder *builder, const WujiSub *sub)
{
  static const char *const kinds[] = { "none", "lag", "end", "error" };

  json_builder_begin_object (builder);
  add_number (builder, "number", sub->number);
  add_text (builder, "device", sub->device->serial);
  add_text (builder, "stream", sub->stream->topic);
  add_flag (builder, "raw", sub->raw != NULL);
  add_flag (builder, "closed", sub->magic == SIM_SUB_DEAD);
  add_text (builder, "terminal", kinds[sub->terminal]);
  add_number (builder, "ok", (gint64) sub->n_ok);
  add_number (builder, "lag_callbacks", (gint64) sub->n_lag);
  add_number (builder, "lagged", (gint64) sub->n_lagged);
  add_number (builder, "withheld", (gint64) sub->n_withheld);
  add_number (builder, "repeats", (gint64) sub->n_repeats);
  add_flag (builder, "runs_cut", sub->runs_cut);
  json_builder_set_member_name (builder, "runs");
  json_builder_begin_array (builder);
  for (guint i = 0; i < sub->n_runs; i++) {
    json_builder_begin_object (builder);
    add_text (builder, "device", device_name (sub->runs[i].device));
    add_number (builder, "first", sub->runs[i].first);
    add_number (builder, "last", sub->runs[i].last);
    add_number (builder, "step", sub->runs[i].step);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

static void
add_subscriptions (JsonBuilder *builder, SimDevice *device)
{
  pthread_mutex_lock (&device->lock);
  for (const WujiSub *sub = device->subs; sub != NULL; sub = sub->next)
    add_subscription (builder, sub);
  pthread_mutex_unlock (&device->lock);
}

static void
add_device (JsonBuilder *builder, SimDevice *device)
{
  guint kept;

  pthread_mutex_lock (&device->lock);
  kept = MIN (device->n_syncs, SIM_MAX_SYNCS);
  json_builder_begin_object (builder);
  add_text (builder, "serial", device->serial);
  add_number (builder, "connects", device->n_connects);
  add_number (builder, "sessions_open", device->n_sessions);
  json_builder_set_member_name (builder, "syncs");
  json_builder_begin_array (builder);
  for (guint i = device->n_syncs - kept; i < device->n_syncs; i++) {
    const SimSync *sync = &device->syncs[i % SIM_MAX_SYNCS];

    json_builder_begin_object (builder);
    add_text (builder, "cause", sync->cause);
    add_number (builder, "uptime_us", (gint64) sync->uptime_us);
    add_number (builder, "offset_us", sync->offset_us);
    add_number (builder, "round_trip_us", sync->round_trip_us);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  pthread_mutex_unlock (&device->lock);
}

static void
add_calls (JsonBuilder *builder)
{
  GHashTableIter iter;
  gpointer name, count;

  json_builder_set_member_name (builder, "calls");
  json_builder_begin_object (builder);
  pthread_mutex_lock (&sim.lock);
  if (sim.calls != NULL) {
    g_hash_table_iter_init (&iter, sim.calls);
    while (g_hash_table_iter_next (&iter, &name, &count))
      add_number (builder, name, GPOINTER_TO_UINT (count));
  }
  pthread_mutex_unlock (&sim.lock);
  json_builder_end_object (builder);
}

static void
add_applied (JsonBuilder *builder)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);

  pthread_mutex_lock (&sim.lock);
  if (sim.applied != NULL)
    json_node_set_array (node, sim.applied);
  else
    json_node_take_array (node, json_array_new ());
  json_builder_set_member_name (builder, "applied");
  json_builder_add_value (builder, json_node_copy (node));
  pthread_mutex_unlock (&sim.lock);
  json_node_unref (node);
}

void
sim_report_to (const char *path)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    return;
  json_builder_begin_object (builder);
  add_text (builder, "version", sim.config.version != NULL ? sim.config.version : "");
  add_number (builder, "inits", sim.n_inits);
  add_number (builder, "blocking_calls_in_callbacks", sim.blocking_in_callback);
  add_number (builder, "closed_in_foreign_callbacks", sim.closed_in_callback);
  add_number (builder, "memory_not_given_back", sim_count_owned ());
  sim_report_looked_up (builder);
  add_calls (builder);
  add_applied (builder);
  json_builder_set_member_name (builder, "devices");
  json_builder_begin_array (builder);
  for (unsigned i = 0; i < sim.n_devices; i++)
    add_device (builder, &sim.devices[i]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "subscriptions");
  json_builder_begin_array (builder);
  for (unsigned i = 0; i < sim.n_devices; i++)
    add_subscriptions (builder, &sim.devices[i]);
  add_subscriptions (builder, &sim.global);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  if (!sim_report_write (builder, path, &error))
    fprintf (stderr, "wuji stand-in: report: %s\n", error->message);
}

/* ---- for tests ---- */

int
acq_sim_wuji_report (const char *path)
{
  sim_config_load ();
  sim_report_to (path);
  return 0;
}

static int64_t
since_first_connect (void)
{
  int64_t now = sim_now_monotonic ();
  int64_t longest = 0;

  for (unsigned i = 0; i < sim.n_devices; i++) {
    pthread_mutex_lock (&sim.devices[i].lock);
    if (sim.devices[i].first_connect_ns > 0)
      longest = MAX (longest, now - sim.devices[i].first_connect_ns);
    pthread_mutex_unlock (&sim.devices[i].lock);
  }
  return longest;
}

int
acq_sim_wuji_control (const char *json)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  SimReader reader;
  JsonObject *config, *fault;

  sim_config_load ();
  if (!json_parser_load_from_data (parser, json, -1, &error) ||
      !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser))) {
    fprintf (stderr, "wuji stand-in: control: %s\n", error ? error->message : "not an object");
    return -1;
  }
  reader = sim_reader (json_node_get_object (json_parser_get_root (parser)), "the control");
  config = sim_read_object (&reader, "config");
  fault = sim_read_object (&reader, "fault");
  sim_reader_finish (&reader);
  if (config != NULL)
    sim_config_apply (config);
  if (fault != NULL)
    sim_plan_add_fault (fault, since_first_connect ());
  return 0;
}
