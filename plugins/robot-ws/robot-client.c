/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-client.h"

#include "robot-notices.h"
#include "robot-words.h"

#define MS_NS G_GINT64_CONSTANT (1000000)

/* How long joint_states may keep open() waiting for its first names. */
#define JOINTS_WAIT_NS (1000 * MS_NS)

/* How long a goodbye may take. */
#define CLOSE_WAIT_NS (1000 * MS_NS)
#define UDP_CLOSE_WAIT_NS (300 * MS_NS)

/* ---- what the session wants ---- */

static gint64
now (RobotClient *self)
{
  return acq_node_now (ACQ_NODE (self->source));
}

static void
be_ready (RobotClient *self)
{
  AcqNode *node = ACQ_NODE (self->source);

  self->ready = TRUE;
  self->ready_ns = now (self);
  self->told_cause = NULL;
  robot_recorder_restart (&self->recorder, self->address.uri);
  robot_recorder_declare (&self->recorder, &self->robot);
  acq_node_set_fact (node, "section", "robots");
  acq_node_set_fact (node, "kind", "robot_sdk");
  acq_node_set_fact (node, "serial", self->robot.sn);
  acq_node_set_fact (node, "model", self->robot.model);
  acq_node_set_fact (node, "device_type", self->robot.device_type);
  acq_node_set_fact (node, "firmware", self->robot.system_version);
  acq_node_set_fact (node, "charging_pile_firmware", self->robot.charging_pile_version);
  acq_node_set_fact (node, "ssid", self->robot.ssid);
  acq_node_set_fact (node, "uri", self->address.uri);
}

static void
be_ended (RobotClient *self, const RobotAction *action)
{
  g_autofree char *text = NULL;
  gboolean needs_person;

  self->ended = TRUE;
  self->end = *action;
  text = robot_describe_end (action, self->address.uri, self->problem, &needs_person);
  if (needs_person && g_strcmp0 (self->told_cause, action->end.cause) != 0) {
    self->told_cause = action->end.cause;
    acq_node_notice (ACQ_NODE (self->source), ACQ_EVENT_SEVERITY_ERROR, action->end.cause, "%s",
                     text);
  }
  if (action->end.retry_ns > 0)
    acq_source_retry_after (self->source, (double) action->end.retry_ns * 1e-9);
  acq_source_lost (self->source, action->end.cause, "%s", text);
}

static void
send_request (RobotClient *self, const RobotRequest *request)
{
  RobotPacket packet;

  if (robot_request_encode (request, &packet))
    robot_transport_send (self->transport, &packet);
}

static void
arm_timer (RobotClient *self)
{
  gint64 deadline = robot_session_deadline (&self->session);

  /* Source times are of CLOCK_MONOTONIC; rounding up, so that the deadline has passed. */
  g_source_set_ready_time (self->timer, deadline == G_MAXINT64
                                            ? -1
                                            : g_get_monotonic_time () +
                                                  MAX (0, deadline - now (self)) / 1000 + 1);
}

static void
run_actions (RobotClient *self)
{
  RobotAction action;

  while (robot_session_next (&self->session, &action)) {
    switch (action.kind) {
    case ROBOT_ACTION_SEND:
      send_request (self, &action.request);
      break;
    case ROBOT_ACTION_READY:
      be_ready (self);
      break;
    case ROBOT_ACTION_CONTROL:
      robot_recorder_control (&self->recorder, &action, robot_owner_class (self->config.src),
                              &self->decoder);
      robot_tell_control (ACQ_NODE (self->source), &action);
      break;
    case ROBOT_ACTION_LINK:
      robot_recorder_link (&self->recorder, &action.link);
      break;
    case ROBOT_ACTION_SILENT:
      robot_tell_silent (ACQ_NODE (self->source), action.sensor);
      break;
    case ROBOT_ACTION_END:
      be_ended (self, &action);
      break;
    }
  }
  if (self->timer != NULL)
    arm_timer (self);
}

/* ---- what comes in ---- */

static RobotReject
hear_handshake (RobotClient *self)
{
  RobotHandshakeReply reply;
  RobotReject reject = robot_decode_handshake (&self->decoder, &reply);
  const RobotJson *json = &self->decoder.json;
  g_autoptr (GBytes) text = NULL;

  if (reject != ROBOT_REJECT_NONE || self->session.state != ROBOT_SESSION_HANDSHAKING)
    return reject;
  self->robot = reply;
  text = g_bytes_new (json->text, json->length);
  acq_node_attach (ACQ_NODE (self->source), "handshake.json", "application/json", text);
  if (reply.status_code == 0 && self->serial != NULL && !g_str_equal (self->serial, reply.sn))
    robot_session_leave (&self->session, "wrong_serial", self->config.refused_retry_ns, now (self));
  else
    robot_session_handshake (&self->session, &reply, now (self));
  return ROBOT_REJECT_NONE;
}

static RobotReject
hear_telemetry (RobotClient *self, gint64 host_ns, guint32 flags)
{
  guint32 type = self->decoder.head.type;
  gint32 source = -1;
  RobotReject reject =
      robot_recorder_telemetry (&self->recorder, &self->decoder, host_ns, flags, &source);

  if (reject != ROBOT_REJECT_NONE)
    return reject;
  for (guint i = 0; i < ROBOT_N_SENSORS; i++)
    if (robot_sensors[i].type == type)
      robot_session_telemetry (&self->session, (RobotSensor) i);
  if (type == ROBOT_TYPE_STATE)
    robot_session_owner (&self->session, source, now (self));
  return ROBOT_REJECT_NONE;
}

/* `ret_foreign` is set for messages that are whole but not for us. */
static RobotReject
hear (RobotClient *self, gint64 host_ns, guint32 flags, const char **ret_foreign)
{
  const RobotHead *head = &self->decoder.head;
  RobotSensorReply sensor;
  RobotReject reject;

  switch (head->type) {
  case ROBOT_TYPE_HANDSHAKE:
    return hear_handshake (self);
  case ROBOT_TYPE_HEARTBEAT:
    robot_session_echo (&self->session, head->time_ms, head->msg_id, host_ns);
    return ROBOT_REJECT_NONE;
  case ROBOT_TYPE_SENSOR:
    reject = robot_decode_sensor (&self->decoder, &sensor);
    if (reject == ROBOT_REJECT_NONE)
      robot_session_sensor (&self->session, &sensor);
    return reject;
  case ROBOT_TYPE_TAKEN:
  case ROBOT_TYPE_RELEASED:
    robot_session_control (&self->session, (RobotType) head->type);
    return ROBOT_REJECT_NONE;
  case ROBOT_TYPE_GOODBYE:
    if (self->ended && self->address.udp)
      self->transport->closed = TRUE; /* the answer to ours */
    return ROBOT_REJECT_NONE;
  case ROBOT_TYPE_STATE:
  case ROBOT_TYPE_FAULTS:
  case ROBOT_TYPE_IMU:
  case ROBOT_TYPE_LUX:
  case ROBOT_TYPE_MOTION:
  case ROBOT_TYPE_SPEED:
  case ROBOT_TYPE_JOINTS:
    if (self->ready)
      return hear_telemetry (self, host_ns, flags);
    *ret_foreign = "before_handshake";
    return ROBOT_REJECT_NONE;
  default:
    *ret_foreign = "unknown_type";
    return ROBOT_REJECT_NONE;
  }
}

static void
count_packet (RobotClient *self, RobotReject reject, const char *foreign)
{
  acq_port_lock (self->port);
  acq_port_count (self->port, ACQ_PORT_PACKETS, 1);
  if (reject != ROBOT_REJECT_NONE)
    acq_port_count_rejected (self->port, robot_reject_name (reject), 1);
  else if (foreign != NULL)
    acq_port_count_foreign (self->port, foreign, 1);
  else
    acq_source_count_accepted (self->source, 1);
  acq_port_unlock (self->port);
}

static void
on_unit (gpointer user, const guint8 *bytes, gsize size, gsize length, RobotReject reject,
         RobotArrival arrival)
{
  RobotClient *self = user;
  AcqHostClock *clock = acq_node_get_host_clock (ACQ_NODE (self->source));
  gboolean stamped = arrival.realtime_ns != 0;
  gint64 host_ns = stamped ? acq_host_clock_from_realtime (clock, arrival.realtime_ns)
                           : acq_host_clock_now (clock);
  guint32 flags = stamped ? ACQ_FRAME_KERNEL_TIME : 0;
  const char *foreign = NULL;

  robot_session_bytes (&self->session, host_ns);
  if (reject == ROBOT_REJECT_NONE)
    reject = robot_decoder_read (&self->decoder, bytes, size);
  if (reject == ROBOT_REJECT_NONE)
    reject = hear (self, host_ns, flags, &foreign);
  count_packet (self, reject, foreign);
  robot_recorder_raw (&self->recorder, bytes, size, length,
                      reject != ROBOT_REJECT_NONE ? robot_reject_name (reject)
                      : foreign != NULL           ? foreign
                                                  : "accepted",
                      host_ns, flags);
  if (reject != ROBOT_REJECT_NONE && !(self->told_rejects & 1u << reject)) {
    self->told_rejects |= 1u << reject;
    robot_tell_reject (ACQ_NODE (self->source), reject);
  }
  run_actions (self);
}

static void
on_refused (gpointer user, const char *rule)
{
  RobotClient *self = user;

  acq_port_lock (self->port);
  acq_port_count (self->port, ACQ_PORT_PACKETS, 1);
  acq_port_count_rejected (self->port, rule, 1);
  acq_port_unlock (self->port);
}

static void
on_dropped (gpointer user, guint64 total)
{
  RobotClient *self = user;

  acq_port_lock (self->port);
  acq_port_count (self->port, ACQ_PORT_KERNEL_DROPS, total - self->told_drops);
  acq_port_unlock (self->port);
  self->told_drops = total;
}

static void
on_connected (gpointer user)
{
  RobotClient *self = user;

  robot_session_connected (&self->session, now (self));
  run_actions (self);
}

static void
on_closed (gpointer user, const char *cause, const char *message)
{
  RobotClient *self = user;

  if (self->problem == NULL)
    self->problem = g_strdup (message);
  robot_session_closed (&self->session, cause);
  run_actions (self);
}

static const RobotTransportEvents transport_events = {
  .connected = on_connected,
  .unit = on_unit,
  .closed = on_closed,
  .refused = on_refused,
  .dropped = on_dropped,
};

static gboolean
on_timer (gpointer data)
{
  RobotClient *self = data;
  gint64 idle = robot_transport_idle_ns (self->transport);

  if (idle >= 0)
    robot_session_bytes (&self->session, now (self) - idle);
  robot_session_tick (&self->session, now (self));
  run_actions (self);
  return G_SOURCE_CONTINUE;
}

static gboolean
dispatch_timer (GSource *source, GSourceFunc callback, gpointer data)
{
  return callback (data);
}

static GSourceFuncs timer_funcs = { .dispatch = dispatch_timer };

/* ---- connections ---- */

void
robot_client_init (RobotClient *self, AcqSource *source, RobotAddress *address)
{
  gboolean udp = address->udp;

  *self = (RobotClient){ .source = source, .address = *address };
  *address = (RobotAddress){ 0 };
  self->port = acq_port_new (self->address.uri, udp ? "datagrams" : "messages");
  robot_recorder_init (&self->recorder, source);
  robot_decoder_init (&self->decoder, udp ? ACQ_ROBOT_ENVELOPE_TRANSPORT_UDP
                                          : ACQ_ROBOT_ENVELOPE_TRANSPORT_WEBSOCKET);
}

void
robot_client_configure (RobotClient *self)
{
  acq_source_set_port (self->source, self->port);
  robot_session_init (&self->session, &self->config);
}

void
robot_client_clear (RobotClient *self)
{
  robot_recorder_clear (&self->recorder);
  robot_decoder_clear (&self->decoder);
  robot_address_clear (&self->address);
  acq_port_unref (self->port);
  g_free (self->problem);
}

void
robot_client_connect (RobotClient *self)
{
  self->ready = self->ended = FALSE;
  g_clear_pointer (&self->problem, g_free);
  robot_decoder_restart (&self->decoder);
  robot_session_start (&self->session, now (self));
  self->timer = g_source_new (&timer_funcs, sizeof (GSource));
  g_source_set_callback (self->timer, on_timer, self, NULL);
  g_source_attach (self->timer, g_main_context_get_thread_default ());
  self->transport = self->address.udp
                        ? robot_udp_new (&self->address, self->turn++, &transport_events, self)
                        : robot_websocket_new (&self->address, &transport_events, self);
  run_actions (self);
}

/* joint_states has to know the names before a file can be laid out, so it gets a moment. */
gboolean
robot_client_is_open (RobotClient *self)
{
  return self->ready && (!self->config.sensors[ROBOT_SENSOR_JOINTS] ||
                         self->recorder.streams[ROBOT_STREAM_JOINTS] != NULL ||
                         now (self) - self->ready_ns >= JOINTS_WAIT_NS);
}

char *
robot_client_describe_end (RobotClient *self)
{
  gboolean needs_person;

  return robot_describe_end (&self->end, self->address.uri, self->problem, &needs_person);
}

/* A goodbye, and a moment for its answer; what comes meanwhile is still recorded. */
static void
say_goodbye (RobotClient *self)
{
  gint64 limit = self->address.udp ? UDP_CLOSE_WAIT_NS : CLOSE_WAIT_NS;
  gint64 end = g_get_monotonic_time () + limit / 1000;

  robot_session_stop (&self->session, now (self));
  run_actions (self);
  if (!self->end.end.polite)
    return;
  robot_transport_close (self->transport);
  g_source_set_ready_time (self->timer, end);
  while (!self->transport->closed && g_get_monotonic_time () < end)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
}

void
robot_client_disconnect (RobotClient *self)
{
  if (self->transport == NULL)
    return;
  say_goodbye (self);
  robot_transport_free (g_steal_pointer (&self->transport));
  g_source_destroy (self->timer);
  g_clear_pointer (&self->timer, g_source_unref);
  robot_tell_flaw_counts (ACQ_NODE (self->source), &self->decoder);
}
