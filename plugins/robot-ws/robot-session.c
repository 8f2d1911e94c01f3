/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-session.h"

#include "robot-words.h"

#define NEVER G_MAXINT64

void
robot_session_init (RobotSession *self, const RobotSessionConfig *config)
{
  *self = (RobotSession){ .config = config, .state = ROBOT_SESSION_ENDED };
  self->yield_ns = config->yield_retry_ns;
}

/* ---- actions ---- */

static RobotAction *
act (RobotSession *self, RobotActionKind kind)
{
  RobotAction *action;

  g_assert (self->n_actions < ROBOT_MAX_ACTIONS);
  action = &self->actions[(self->first_action + self->n_actions++) % ROBOT_MAX_ACTIONS];
  *action = (RobotAction){ .kind = kind };
  return action;
}

gboolean
robot_session_next (RobotSession *self, RobotAction *ret_action)
{
  if (self->n_actions == 0)
    return FALSE;
  *ret_action = self->actions[self->first_action];
  self->first_action = (self->first_action + 1) % ROBOT_MAX_ACTIONS;
  self->n_actions--;
  return TRUE;
}

static RobotRequest *
act_send (RobotSession *self, RobotType type, gint64 now_ns)
{
  RobotRequest *request = &act (self, ROBOT_ACTION_SEND)->request;

  *request = (RobotRequest){ .type = type,
                             .msg_id = self->msg_id++,
                             .src = self->config->src,
                             .time_ms = (guint64) now_ns / 1000000 };
  return request;
}

static RobotAction *
act_end (RobotSession *self, const char *cause, gint64 retry_ns, gboolean polite)
{
  RobotAction *action = act (self, ROBOT_ACTION_END);

  action->end.cause = cause;
  action->end.retry_ns = retry_ns;
  action->end.polite = polite;
  self->state = ROBOT_SESSION_ENDED;
  return action;
}

/* Says goodbye in the way of the transport, then ends. */
static RobotAction *
leave (RobotSession *self, const char *cause, gint64 retry_ns, gint64 now_ns)
{
  if (self->config->udp)
    act_send (self, ROBOT_TYPE_GOODBYE, now_ns);
  return act_end (self, cause, retry_ns, TRUE);
}

static void
act_control (RobotSession *self, guint8 event, gint32 source, gint32 previous)
{
  RobotAction *action = act (self, ROBOT_ACTION_CONTROL);

  action->control.event = event;
  action->control.source = source;
  action->control.previous = previous;
}

/* ---- sending ---- */

static void
send_handshake (RobotSession *self, gint64 now_ns)
{
  const RobotSessionConfig *config = self->config;
  RobotRequest *request = act_send (self, ROBOT_TYPE_HANDSHAKE, now_ns);

  request->handshake.version = config->version;
  request->handshake.device = config->device;
  request->handshake.platform = config->platform;
  request->handshake.package_name = config->package_name;
  self->next_send_ns = now_ns + ROBOT_RESEND_NS;
}

static void
send_heartbeat (RobotSession *self, gint64 now_ns)
{
  RobotRequest *request = act_send (self, ROBOT_TYPE_HEARTBEAT, now_ns);

  self->beats[self->n_beats++ % ROBOT_MAX_HEARTBEATS] =
      (RobotHeartbeat){ .sent_ns = now_ns, .time_ms = request->time_ms, .msg_id = request->msg_id };
  /* An even beat; but one that slept too long does not make up for it in a burst. */
  self->next_send_ns += ROBOT_HEARTBEAT_NS;
  if (self->next_send_ns <= now_ns)
    self->next_send_ns = now_ns + ROBOT_HEARTBEAT_NS;
}

static void
send_sensor (RobotSession *self, RobotSensor sensor, gboolean enable, gint64 now_ns)
{
  RobotRequest *request = act_send (self, ROBOT_TYPE_SENSOR, now_ns);

  request->sensor.sensor = sensor;
  request->sensor.enable = enable;
  request->sensor.freq =
      sensor == ROBOT_SENSOR_SPEED ? self->config->speed_hz : robot_sensors[sensor].rate_hz;
}

static gboolean
sensor_is_due (const RobotSession *self, RobotSensor sensor)
{
  const RobotSensorState *state = &self->sensors[sensor];

  return self->config->sensors[sensor] && !state->confirmed && !state->given_up &&
         !self->control_taken;
}

/*
 * A robot may ignore an observer's wish without a word, so a few tries are enough. Nothing is
 * configured once control was taken: from then on somebody else decides.
 */
static void
ask_for_sensors (RobotSession *self, gint64 now_ns)
{
  for (int i = 0; i < ROBOT_N_SENSORS; i++) {
    RobotSensorState *state = &self->sensors[i];

    if (!sensor_is_due (self, (RobotSensor) i) || now_ns < state->next_ns)
      continue;
    if (state->tries == ROBOT_SENSOR_TRIES) {
      state->given_up = TRUE;
      act (self, ROBOT_ACTION_SILENT)->sensor = (RobotSensor) i;
      continue;
    }
    send_sensor (self, (RobotSensor) i, TRUE, now_ns);
    state->tries++;
    state->next_ns = now_ns + ROBOT_SENSOR_RETRY_NS;
  }
}

/* ---- inputs ---- */

void
robot_session_start (RobotSession *self, gint64 now_ns)
{
  const RobotSessionConfig *config = self->config;
  guint16 msg_id = self->msg_id;
  gint64 yield_ns = self->yield_ns;

  *self = (RobotSession){ .config = config,
                          .state = ROBOT_SESSION_CONNECTING,
                          .msg_id = msg_id,
                          .yield_ns = yield_ns,
                          .budget_ns = now_ns + config->connect_timeout_ns,
                          .last_byte_ns = now_ns,
                          .owner = -1 };
}

void
robot_session_connected (RobotSession *self, gint64 now_ns)
{
  if (self->state != ROBOT_SESSION_CONNECTING)
    return;
  self->state = ROBOT_SESSION_HANDSHAKING;
  self->last_byte_ns = now_ns;
  send_handshake (self, now_ns);
}

void
robot_session_bytes (RobotSession *self, gint64 now_ns)
{
  self->last_byte_ns = MAX (self->last_byte_ns, now_ns);
}

static void
refuse (RobotSession *self, gint32 status, gint64 now_ns)
{
  const RobotSessionConfig *config = self->config;
  gboolean busy = status == 20;
  const char *cause = busy           ? "controlled_by_another"
                      : status == 10 ? "protocol_mismatch"
                                     : "refused";

  leave (self, cause, busy ? config->busy_retry_ns : config->refused_retry_ns, now_ns)->end.status =
      status;
}

void
robot_session_handshake (RobotSession *self, const RobotHandshakeReply *reply, gint64 now_ns)
{
  /* Later replies answer our repeated requests; one without a status answers nothing. */
  if (self->state != ROBOT_SESSION_HANDSHAKING || reply->status_code == -1)
    return;
  if (reply->status_code != 0) {
    refuse (self, reply->status_code, now_ns);
    return;
  }
  self->state = ROBOT_SESSION_RUNNING;
  self->next_send_ns = now_ns + ROBOT_HEARTBEAT_NS;
  act (self, ROBOT_ACTION_READY);
  ask_for_sensors (self, now_ns);
}

void
robot_session_echo (RobotSession *self, guint64 time_ms, guint16 msg_id, gint64 now_ns)
{
  RobotHeartbeat *found = NULL;
  RobotAction *action;

  /* The time is echoed by the protocol, the number by custom. */
  for (guint i = 0; i < ROBOT_MAX_HEARTBEATS; i++) {
    RobotHeartbeat *beat = &self->beats[i];

    if (beat->sent_ns == 0)
      continue;
    if (beat->time_ms == time_ms) {
      found = beat;
      break;
    }
    if (beat->msg_id == msg_id)
      found = beat;
  }
  if (self->state != ROBOT_SESSION_RUNNING || found == NULL)
    return;
  action = act (self, ROBOT_ACTION_LINK);
  action->link = (AcqRobotLink){ .time_ms = found->time_ms,
                                 .round_trip_ns = now_ns - found->sent_ns,
                                 .heartbeats = self->n_beats,
                                 .echoes = ++self->n_echoes };
  found->sent_ns = 0;
}

void
robot_session_sensor (RobotSession *self, const RobotSensorReply *reply)
{
  int sensor = reply->sensor < 0 ? -1 : robot_sensor_by_id ((guint64) reply->sensor);

  if (sensor >= 0 && reply->enable == 1)
    self->sensors[sensor].confirmed = TRUE;
}

void
robot_session_telemetry (RobotSession *self, RobotSensor sensor)
{
  self->sensors[sensor].confirmed = TRUE;
}

/*
 * The first client of an idle robot becomes its owner without asking. The robot names a class
 * of client, not a client, so the recorder concludes that it is the owner when its own class is
 * reported and nobody else was the owner just before.
 */
void
robot_session_owner (RobotSession *self, gint32 control_source, gint64 now_ns)
{
  gint32 own = robot_owner_class (self->config->src);
  gint32 previous = self->owner;
  gboolean was_other = self->owner_known && previous > 0 && previous != own;
  gboolean is_ours = own > 0 && control_source == own;

  if (self->state != ROBOT_SESSION_RUNNING || control_source < 0 ||
      (self->owner_known && control_source == previous))
    return;
  self->owner = control_source;
  self->owner_known = TRUE;
  act_control (self, is_ours ? ACQ_ROBOT_CONTROL_EVENT_OURS : ACQ_ROBOT_CONTROL_EVENT_OWNER,
               control_source, previous);
  if (!is_ours) {
    self->yield_ns = self->config->yield_retry_ns;
    return;
  }
  if (was_other || !self->config->yield_ownership)
    return;
  act_control (self, ACQ_ROBOT_CONTROL_EVENT_YIELDED, control_source, previous);
  leave (self, "yielded", self->yield_ns, now_ns);
  self->yield_ns = MIN (2 * self->yield_ns, MAX (ROBOT_YIELD_LIMIT_NS, self->yield_ns));
}

void
robot_session_control (RobotSession *self, RobotType type)
{
  if (self->state != ROBOT_SESSION_RUNNING)
    return;
  if (type == ROBOT_TYPE_TAKEN)
    self->control_taken = TRUE;
  act_control (self,
               type == ROBOT_TYPE_TAKEN ? ACQ_ROBOT_CONTROL_EVENT_TAKEN
                                        : ACQ_ROBOT_CONTROL_EVENT_RELEASED,
               self->owner, self->owner);
}

void
robot_session_closed (RobotSession *self, const char *cause)
{
  if (self->state == ROBOT_SESSION_ENDED)
    return;
  /* A robot that was never reached knows nothing of us: no reason to wait. */
  act_end (self, cause, self->state == ROBOT_SESSION_CONNECTING ? 0 : self->config->retry_ns,
           FALSE);
}

void
robot_session_leave (RobotSession *self, const char *cause, gint64 retry_ns, gint64 now_ns)
{
  if (self->state != ROBOT_SESSION_ENDED)
    leave (self, cause, retry_ns, now_ns);
}

void
robot_session_stop (RobotSession *self, gint64 now_ns)
{
  if (self->state == ROBOT_SESSION_ENDED)
    return;
  if (self->state == ROBOT_SESSION_CONNECTING) {
    act_end (self, "stopped", 0, FALSE);
    return;
  }
  for (int i = 0; i < ROBOT_N_SENSORS; i++)
    if (self->config->disable_on_stop && self->sensors[i].tries > 0 && !self->control_taken)
      send_sensor (self, (RobotSensor) i, FALSE, now_ns);
  leave (self, "stopped", 0, now_ns);
}

static void
tick_running (RobotSession *self, gint64 now_ns)
{
  if (now_ns - self->last_byte_ns >= self->config->idle_timeout_ns) {
    /* A silent TCP peer would not answer a Close either; a datagram costs nothing. */
    if (self->config->udp)
      act_send (self, ROBOT_TYPE_GOODBYE, now_ns);
    act_end (self, "silence", self->config->retry_ns, FALSE);
    return;
  }
  if (now_ns >= self->next_send_ns)
    send_heartbeat (self, now_ns);
  ask_for_sensors (self, now_ns);
}

void
robot_session_tick (RobotSession *self, gint64 now_ns)
{
  switch (self->state) {
  case ROBOT_SESSION_CONNECTING:
    if (now_ns >= self->budget_ns)
      act_end (self, "connect_timeout", 0, FALSE);
    break;
  case ROBOT_SESSION_HANDSHAKING:
    if (now_ns >= self->budget_ns)
      leave (self, "no_handshake", self->config->retry_ns, now_ns);
    else if (now_ns >= self->next_send_ns)
      send_handshake (self, now_ns);
    break;
  case ROBOT_SESSION_RUNNING:
    tick_running (self, now_ns);
    break;
  case ROBOT_SESSION_ENDED:
    break;
  }
}

gint64
robot_session_deadline (const RobotSession *self)
{
  gint64 deadline;

  switch (self->state) {
  case ROBOT_SESSION_CONNECTING:
    return self->budget_ns;
  case ROBOT_SESSION_HANDSHAKING:
    return MIN (self->budget_ns, self->next_send_ns);
  case ROBOT_SESSION_RUNNING:
    deadline = MIN (self->next_send_ns, self->last_byte_ns + self->config->idle_timeout_ns);
    for (int i = 0; i < ROBOT_N_SENSORS; i++)
      if (sensor_is_due (self, (RobotSensor) i))
        deadline = MIN (deadline, self->sensors[i].next_ns);
    return deadline;
  case ROBOT_SESSION_ENDED:
    break;
  }
  return NEVER;
}
