/* SPDX-License-Identifier: Apache-2.0 */

#include <json-glib/json-glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../sim-pace.h"
#include "sim-robot.h"

void
sim_robot_violation (SimRobot *self, SimRobotClient *client, const char *format, ...)
{
  va_list args;
  char *text;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_ptr_array_add (client->violations, text);
  self->n_violations++;
  fprintf (stderr, "%s: VIOLATION: client %u (%s, %s) sent %s\n", g_get_prgname (), client->number,
           client->udp ? "udp" : "ws", client->peer, text);
}

/* An answer, with whatever the plan has for it. */
static void
answer (SimRobot *self, SimRobotClient *client, guint stream, guint16 msg_id)
{
  gint64 now = sim_now_ns ();
  guint64 beat = self->beats[stream]++;
  gint64 period = now - MAX (self->last_beat_ns[stream], self->start_ns);

  self->last_beat_ns[stream] = now;
  sim_robot_say (self, client, stream, beat, now - (self->zero_ns ? self->zero_ns : now), period,
                 msg_id);
}

static gint64
request_time (JsonObject *head)
{
  return json_object_get_int_member_with_default (head, "time", 0);
}

/* The status of this reply, and messages that come before it. */
static gint64
prepare_handshake (SimRobot *self, SimRobotClient *client)
{
  const SimFaultPlan *plan = self->options.faults;
  guint64 beat = self->beats[SIM_ROBOT_HANDSHAKE];
  gint64 status = 0;

  for (gsize i = 0; i < plan->n_faults; i++) {
    const SimFault *fault = &plan->faults[i];

    if ((fault->kind != SIM_ROBOT_REFUSE && fault->kind != SIM_ROBOT_JUNK) ||
        !sim_fault_fires (fault, (guint64) self->options.seed, SIM_ROBOT_HANDSHAKE, beat, 0, 0))
      continue;
    sim_robot_count_fault (client, SIM_ROBOT_HANDSHAKE, fault);
    if (fault->kind == SIM_ROBOT_REFUSE) {
      status = fault->values[0];
      continue;
    }
    for (gint64 n = 0; n < fault->values[0]; n++) {
      g_string_assign (self->text, "{\"data\":{\"lux\":1},\"head\":{\"src\":1,\"time\":1,"
                                   "\"type\":1101}}");
      sim_robot_say (self, client, SIM_ROBOT_LINK, 0, -1, 0, self->next_id++);
    }
  }
  return status;
}

static void
accept_client (SimRobot *self, SimRobotClient *client, JsonObject *head)
{
  client->src = (guint) json_object_get_int_member_with_default (head, "src", 0);
  if (client->accepted)
    return;
  client->accepted = TRUE;
  if (self->owner == SIM_OWNER_NONE) {
    self->owner = client->src >= 2 && client->src <= 4 ? (SimRobotOwner) (client->src - 1)
                                                       : SIM_OWNER_EXTERNAL;
    self->owner_client = client;
    client->owner = TRUE;
  }
  if (self->zero_ns == 0)
    self->zero_ns = sim_now_ns ();
  if (self->model.epoch_ns == 0)
    self->model.epoch_ns = (guint64) g_get_real_time () * 1000;
}

static void
hear_handshake (SimRobot *self, SimRobotClient *client, JsonObject *data, JsonObject *head,
                guint16 msg_id)
{
  const char *version =
      data ? json_object_get_string_member_with_default (data, "protocol_version", "") : "";
  gint64 status;

  client->greeted = TRUE;
  if (strcmp (version, "1.2.0") != 0)
    sim_robot_violation (self, client, "a handshake of protocol version \"%s\"", version);
  status = prepare_handshake (self, client);
  if (status == 0)
    accept_client (self, client, head);
  g_string_printf (self->text,
                   "{\"data\":{\"device_type\":\"ZSM-1\",\"model\":\"ZGW\",\"sn\":\"SIM0001\","
                   "\"ssid\":\"acq-sim\",\"status_code\":%" G_GINT64_FORMAT
                   ",\"version\":{\"charging_pile\":\"1.0\",\"system\":\"%s\"}},"
                   "\"head\":{\"src\":1,\"time\":%" G_GINT64_FORMAT ",\"type\":1000}}",
                   status, self->model.newer ? "0.3.1" : "0.2.4", request_time (head));
  answer (self, client, SIM_ROBOT_HANDSHAKE, msg_id);
}

static void
hear_heartbeat (SimRobot *self, SimRobotClient *client, JsonObject *head, guint16 msg_id)
{
  gint64 now = sim_now_ns ();
  gint64 gap = now - client->last_beat_ns;

  if (client->n_beats++ == 0) {
    client->first_beat_ns = now;
  } else {
    client->min_gap_ns = client->n_beats == 2 ? gap : MIN (client->min_gap_ns, gap);
    client->max_gap_ns = MAX (client->max_gap_ns, gap);
  }
  client->last_beat_ns = now;
  g_string_printf (self->text, "{\"head\":{\"src\":1,\"time\":%" G_GINT64_FORMAT ",\"type\":1001}}",
                   request_time (head));
  answer (self, client, SIM_ROBOT_HEARTBEAT, msg_id);
}

static void
hear_sensor (SimRobot *self, SimRobotClient *client, JsonObject *data, JsonObject *head,
             guint16 msg_id)
{
  static const guint sensors[SIM_ROBOT_N_TELEMETRY] = { 0, 0, 10, 20, 30, 40, 50 };
  gint64 sensor = data ? json_object_get_int_member_with_default (data, "sensor", -1) : -1;
  gboolean enable = data && json_object_get_boolean_member_with_default (data, "enable", FALSE);
  gint64 freq = data ? json_object_get_int_member_with_default (data, "freq", -1) : -1;
  guint stream;

  for (stream = SIM_ROBOT_IMU; stream < SIM_ROBOT_N_TELEMETRY; stream++)
    if (sensors[stream] == sensor)
      break;
  if (stream == SIM_ROBOT_N_TELEMETRY || freq < 0 || freq > 100 ||
      !json_object_has_member (data, "enable")) {
    sim_robot_violation (self, client, "a configuration of no sensor, or without enable or freq");
    return;
  }
  if (client->taken)
    sim_robot_violation (self, client, "a configuration after control was taken");
  if (!self->observer_streams && self->owner_client != client)
    return; /* as one firmware does: not a word */
  client->enabled[stream] = enable;
  g_string_printf (self->text,
                   "{\"data\":{\"enable\":%s,\"freq\":%" G_GINT64_FORMAT
                   ",\"sensor\":%" G_GINT64_FORMAT
                   "},\"head\":{\"src\":1,\"time\":%" G_GINT64_FORMAT ",\"type\":1008}}",
                   enable ? "true" : "false", freq, sensor, request_time (head));
  answer (self, client, SIM_ROBOT_SENSOR, msg_id);
}

static void
hear_goodbye (SimRobot *self, SimRobotClient *client, JsonObject *head, guint16 msg_id)
{
  client->goodbye = TRUE;
  g_string_printf (self->text, "{\"head\":{\"src\":1,\"time\":%" G_GINT64_FORMAT ",\"type\":1050}}",
                   request_time (head));
  sim_robot_say (self, client, SIM_ROBOT_LINK, 0, -1, 0, msg_id);
}

/* What only somebody who drives the robot says. Answered when that is allowed. */
static void
hear_control (SimRobot *self, SimRobotClient *client, guint type, JsonNode *root, guint16 msg_id)
{
  g_autofree char *echo = NULL;

  if (!self->allow_control) {
    sim_robot_violation (self, client, "message %u, which a passive recorder must not", type);
    return;
  }
  if (type == 1003)
    return;
  if (type == 1013 || type == 1015)
    echo = g_strdup_printf ("{\"data\":{\"error_code\":%d,\"reason\":\"%s\"},"
                            "\"head\":{\"src\":1,\"time\":0,\"type\":%u}}",
                            type == 1013, type == 1013 ? "only the APP may" : "", type);
  else
    echo = json_to_string (root, FALSE);
  g_string_assign (self->text, echo);
  answer (self, client, SIM_ROBOT_SENSOR, msg_id);
}

static JsonNode *
parse_unit (const guint8 *bytes, gsize size, const char **ret_problem)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();

  *ret_problem = NULL;
  if (size < 16 || memcmp (bytes, "ZSKJ", 4) != 0)
    *ret_problem = "a unit without its header";
  else if ((gsize) (bytes[4] | bytes[5] << 8) != size - 16)
    *ret_problem = "a unit of another length than its header says";
  else if (memcmp (bytes + 8, "\0\0\0\0\0\0\0\0", 8) != 0)
    *ret_problem = "a header with reserved bytes";
  else if (!json_parser_load_from_data (parser, (const char *) bytes + 16, (gssize) size - 16,
                                        NULL) ||
           !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    *ret_problem = "a text that is no JSON object";
  else
    return json_node_copy (json_parser_get_root (parser));
  return NULL;
}

static JsonObject *
get_object (JsonObject *root, const char *name)
{
  JsonNode *node = json_object_get_member (root, name);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

void
sim_robot_hear (SimRobot *self, SimRobotClient *client, const guint8 *bytes, gsize size)
{
  const char *problem;
  g_autoptr (JsonNode) root = parse_unit (bytes, size, &problem);
  JsonObject *head = root ? get_object (json_node_get_object (root), "head") : NULL;
  JsonObject *data = root ? get_object (json_node_get_object (root), "data") : NULL;
  guint type = head ? (guint) json_object_get_int_member_with_default (head, "type", 0) : 0;
  guint16 msg_id = size >= 8 ? (guint16) (bytes[6] | bytes[7] << 8) : 0;

  if (type == 0) {
    sim_robot_violation (self, client, "%s", problem ? problem : "a message without a type");
    return;
  }
  sim_robot_count_received (client, type);
  if (!client->greeted && type != 1000)
    sim_robot_violation (self, client, "message %u before its handshake", type);
  if (sim_robot_is_quiet (self, sim_now_ns ()) && type != 1050)
    return;
  if (type == 1000)
    hear_handshake (self, client, data, head, msg_id);
  else if (type == 1001)
    hear_heartbeat (self, client, head, msg_id);
  else if (type == 1008)
    hear_sensor (self, client, data, head, msg_id);
  else if (type == 1050)
    hear_goodbye (self, client, head, msg_id);
  else
    hear_control (self, client, type, root, msg_id);
}
