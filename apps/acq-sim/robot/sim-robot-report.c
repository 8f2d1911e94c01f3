/* SPDX-License-Identifier: Apache-2.0 */

#include "../sim-pace.h"
#include "../sim-report.h"
#include "sim-robot.h"

static void
add_text (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
add_bool (JsonBuilder *builder, const char *name, gboolean value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, value);
}

static void
add_double (JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

static void
begin (JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
}

static gint
compare_types (gconstpointer a, gconstpointer b)
{
  return GPOINTER_TO_INT (a) - GPOINTER_TO_INT (b);
}

static void
add_table (JsonBuilder *builder, const char *name, GHashTable *table, gboolean numbers)
{
  GList *keys = g_list_sort (g_hash_table_get_keys (table),
                             numbers ? compare_types : (GCompareFunc) g_strcmp0);

  begin (builder, name);
  for (GList *at = keys; at != NULL; at = at->next) {
    g_autofree char *number = g_strdup_printf ("%u", GPOINTER_TO_UINT (at->data));

    sim_report_count (builder, numbers ? number : (const char *) at->data,
                      GPOINTER_TO_SIZE (g_hash_table_lookup (table, at->data)));
  }
  json_builder_end_object (builder);
  g_list_free (keys);
}

static void
add_sent (JsonBuilder *builder, const SimRobotClient *client)
{
  begin (builder, "sent");
  for (guint i = 0; i < SIM_ROBOT_N_STREAMS; i++) {
    const SimRobotSent *sent = &client->sent[i];

    if (sent->sent == 0)
      continue;
    begin (builder, sim_robot_grammar.streams[i]);
    sim_report_count (builder, "messages", sent->sent);
    if (i < SIM_ROBOT_N_TELEMETRY) {
      sim_report_count (builder, "first", sent->first);
      sim_report_count (builder, "last", sent->last);
    }
    json_builder_end_object (builder);
  }
  json_builder_end_object (builder);
}

static void
add_heartbeats (JsonBuilder *builder, const SimRobotClient *client)
{
  double seconds = (double) (client->last_beat_ns - client->first_beat_ns) / 1e9;

  begin (builder, "heartbeats");
  sim_report_count (builder, "count", client->n_beats);
  if (client->n_beats > 1) {
    add_double (builder, "hz", (double) (client->n_beats - 1) / seconds);
    add_double (builder, "min_gap_ms", (double) client->min_gap_ns / 1e6);
    add_double (builder, "max_gap_ms", (double) client->max_gap_ns / 1e6);
  }
  json_builder_end_object (builder);
}

static void
add_client (JsonBuilder *builder, const SimRobotClient *client)
{
  json_builder_begin_object (builder);
  sim_report_count (builder, "number", client->number);
  add_text (builder, "transport", client->udp ? "udp" : "ws");
  add_text (builder, "peer", client->peer);
  add_double (builder, "joined_s", (double) client->joined_ns / 1e9);
  add_double (builder, "left_s", client->gone ? (double) client->left_ns / 1e9 : -1);
  add_bool (builder, "accepted", client->accepted);
  add_bool (builder, "was_owner", client->owner);
  sim_report_count (builder, "src", client->src);
  add_bool (builder, "goodbye", client->goodbye);
  if (client->close_code >= 0)
    sim_report_count (builder, "close_code", (guint64) client->close_code);
  sim_report_count (builder, "pings", client->pings);
  sim_report_count (builder, "bytes_in", client->bytes_in);
  sim_report_count (builder, "bytes_out", client->bytes_out);
  add_sent (builder, client);
  add_table (builder, "received", client->received, TRUE);
  add_table (builder, "faults", client->faults, FALSE);
  add_heartbeats (builder, client);
  json_builder_set_member_name (builder, "violations");
  json_builder_begin_array (builder);
  for (guint i = 0; i < client->violations->len; i++)
    json_builder_add_string_value (builder, client->violations->pdata[i]);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

gboolean
sim_robot_report (SimRobot *self, const char *path, GError **error)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_text (builder, "device", "robot");
  sim_report_count (builder, "seed", (guint64) self->options.seed);
  add_double (builder, "seconds", (double) (sim_now_ns () - self->start_ns) / 1e9);
  sim_report_count (builder, "ws_port", self->no_ws ? 0 : (guint64) self->ws_port);
  sim_report_count (builder, "udp_port", self->no_udp ? 0 : (guint64) self->udp_port);
  sim_report_count (builder, "epoch_ns", self->model.epoch_ns);
  sim_report_count (builder, "joints", self->model.n_joints);
  begin (builder, "rates_hz");
  for (guint i = 0; i < SIM_ROBOT_N_TELEMETRY; i++)
    add_double (builder, sim_robot_grammar.streams[i], self->model.rates[i]);
  json_builder_end_object (builder);
  begin (builder, "samples"); /* that were due, whoever wanted them */
  for (guint i = 0; i < SIM_ROBOT_N_TELEMETRY; i++)
    sim_report_count (builder, sim_robot_grammar.streams[i], self->beats[i]);
  json_builder_end_object (builder);
  sim_report_count (builder, "violations", self->n_violations);
  json_builder_set_member_name (builder, "clients");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->clients->len; i++)
    add_client (builder, self->clients->pdata[i]);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return sim_report_write (builder, path, error);
}
