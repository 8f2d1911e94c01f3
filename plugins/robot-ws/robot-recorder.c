/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-recorder.h"

#include <math.h>
#include <string.h>

/* Beyond this a robot's clock was set; below it the net was slow. */
#define CLOCK_STEP_NS G_GINT64_CONSTANT (2000000000)

const AcqStreamTemplate robot_stream_templates[ROBOT_N_STREAMS + 1] = {
  [ROBOT_STREAM_STATE] = { "state", &acq_robot_state_schema,
                           .help = "All of the body state, once a second" },
  [ROBOT_STREAM_IMU] = { "imu", &acq_imu_schema, .help = "Inertial unit, 100 Hz" },
  [ROBOT_STREAM_LUX] = { "lux", &acq_illuminance_schema, .help = "Brightness, 1 Hz" },
  [ROBOT_STREAM_MOTION] = { "motion", &acq_robot_motion_schema,
                            .help = "The motion controller's view of the body, 50 Hz" },
  [ROBOT_STREAM_SPEED] = { "speed", &acq_twist_stamped_schema,
                           .help = "Speed of the body, 1 to 50 Hz" },
  [ROBOT_STREAM_JOINTS] = { "joint_states", &acq_joint_state_schema,
                            .help = "Joint positions, velocities and efforts, 100 Hz" },
  [ROBOT_STREAM_BATTERY_1] = { "battery_1", &acq_battery_state_schema,
                               .help = "First battery, from the body state" },
  [ROBOT_STREAM_BATTERY_2] = { "battery_2", &acq_battery_state_schema,
                               .help = "Second battery, from the body state" },
  [ROBOT_STREAM_FAULTS] = { "faults", &acq_robot_faults_schema,
                            .help = "Faults, when the robot reports them" },
  [ROBOT_STREAM_CONTROL] = { "control", &acq_robot_control_schema,
                             .help = "Who owns the control of the robot, at each change" },
  [ROBOT_STREAM_LINK] = { "link", &acq_robot_link_schema,
                          .help = "Round trips of the heartbeat, 5 Hz" },
  [ROBOT_STREAM_RAW] = { "raw", &acq_raw_schema, .optional = TRUE,
                         .help = "Every unit as it came, and why it was refused" },
};

static const struct {
  double rate_hz;
  gboolean latched;
  const char *frame; /* behind the node's id */
} stream_infos[ROBOT_N_STREAMS] = {
  [ROBOT_STREAM_STATE] = { 1, FALSE, "base" },     [ROBOT_STREAM_IMU] = { 100, FALSE, "imu" },
  [ROBOT_STREAM_LUX] = { 1, FALSE, "base" },       [ROBOT_STREAM_MOTION] = { 50, FALSE, "odom" },
  [ROBOT_STREAM_SPEED] = { 10, FALSE, "base" },    [ROBOT_STREAM_JOINTS] = { 100, FALSE, "base" },
  [ROBOT_STREAM_BATTERY_1] = { 1, FALSE, "base" }, [ROBOT_STREAM_BATTERY_2] = { 1, FALSE, "base" },
  [ROBOT_STREAM_FAULTS] = { 0, TRUE, "base" },     [ROBOT_STREAM_CONTROL] = { 0, TRUE, "base" },
  [ROBOT_STREAM_LINK] = { 5, FALSE, "base" },      [ROBOT_STREAM_RAW] = { 0, FALSE, "base" },
};

void
robot_recorder_init (RobotRecorder *self, AcqSource *source)
{
  *self = (RobotRecorder){ .source = source };
}

void
robot_recorder_clear (RobotRecorder *self)
{
  acq_clock_unref (g_steal_pointer (&self->head_clock.clock));
  acq_clock_unref (g_steal_pointer (&self->motion_clock.clock));
  g_clear_pointer (&self->joint_names, g_free);
  g_clear_pointer (&self->peer, g_free);
}

gboolean
robot_recorder_wants (RobotRecorder *self, RobotSensor sensor)
{
  return acq_source_wants (self->source, robot_sensors[sensor].name);
}

/* ---- declaring ---- */

static void
describe (RobotRecorder *self, AcqStream *stream)
{
  const RobotHandshakeReply *robot = &self->robot;
  const struct {
    const char *key, *value;
  } facts[] = {
    { "serial", robot->sn },
    { "model", robot->model },
    { "device_type", robot->device_type },
    { "firmware", robot->system_version },
  };

  for (guint i = 0; i < G_N_ELEMENTS (facts); i++)
    if (facts[i].value[0] != '\0')
      acq_stream_set_metadata (stream, facts[i].key, facts[i].value);
}

static AcqStream *
declare (RobotRecorder *self, RobotStream stream, AcqConstants *constants)
{
  const char *id = acq_node_get_id (ACQ_NODE (self->source));
  g_autofree char *frame = g_strdup_printf ("%s_%s", id, stream_infos[stream].frame);
  AcqStreamInfo info = {
    .name = robot_stream_templates[stream].name,
    .schema = robot_stream_templates[stream].schema,
    .rate_hz = stream == ROBOT_STREAM_SPEED ? self->speed_hz : stream_infos[stream].rate_hz,
    .frame_id = frame,
    .latched = stream_infos[stream].latched,
    .clock = stream == ROBOT_STREAM_MOTION ? self->motion_clock.clock : self->head_clock.clock,
    .max_tail = stream == ROBOT_STREAM_RAW ? ROBOT_MAX_UNIT + 1 : 0,
    .constants = constants,
  };
  AcqStream *added = acq_source_add_stream (self->source, &info);

  describe (self, added);
  return added;
}

void
robot_recorder_declare (RobotRecorder *self, const RobotHandshakeReply *robot)
{
  const char *id = acq_node_get_id (ACQ_NODE (self->source));
  g_autofree char *motion_id = g_strdup_printf ("%s_motion", id);

  self->robot = *robot;
  if (self->head_clock.clock == NULL) {
    self->head_clock.clock = acq_clock_new (id, ACQ_CLOCK_UTC);
    self->motion_clock.clock = acq_clock_new (motion_id, ACQ_CLOCK_UTC);
  }
  for (guint i = 0; i < ROBOT_N_STREAMS; i++) {
    if (i == ROBOT_STREAM_JOINTS || self->streams[i] != NULL ||
        !acq_source_wants (self->source, robot_stream_templates[i].name))
      continue;
    self->streams[i] = declare (self, (RobotStream) i, NULL);
  }
}

void
robot_recorder_restart (RobotRecorder *self, const char *peer)
{
  g_free (self->peer);
  self->peer = g_strdup (peer);
  self->head_clock.delta_ns = 0;
  self->motion_clock.delta_ns = 0;
}

/* ---- joints ---- */

/*
 * The names of the first message become the constants of the stream, with the node's id before
 * them so that two robots in one recording do not share joints.
 */
static void
declare_joints (RobotRecorder *self)
{
  const RobotJoints *joints = &self->joints;
  const char *id = acq_node_get_id (ACQ_NODE (self->source));
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr (AcqConstants) constants = NULL;
  g_auto (GStrv) names = NULL;
  static const char *const fields[] = { "position", "velocity", "effort" };
  AcqStream *stream;

  self->joint_names = g_malloc0 (ROBOT_MAX_JOINTS * sizeof *self->joint_names);
  for (guint i = 0; i < joints->n; i++) {
    g_autofree char *name = self->joint_prefix != NULL
                                ? g_strconcat (self->joint_prefix, joints->names[i], NULL)
                                : g_strdup_printf ("%s_%s", id, joints->names[i]);

    if (joints->names[i][0] == '\0')
      continue; /* broken or double: it has no place */
    memcpy (self->joint_names[self->n_joints++], joints->names[i], sizeof joints->names[i]);
    g_strv_builder_add (builder, name);
  }
  names = g_strv_builder_end (builder);
  constants =
      acq_constants_new_strv (&acq_joint_state_schema, "name", (const char *const *) names, NULL);
  stream = declare (self, ROBOT_STREAM_JOINTS, constants);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    acq_stream_set_count (stream, fields[i], self->n_joints);
  self->streams[ROBOT_STREAM_JOINTS] = stream;
}

/* Where each joint of a message goes. Names that the stream does not have go nowhere. */
static void
map_joints (RobotRecorder *self, RobotDecoder *decoder)
{
  const RobotJoints *joints = &self->joints;
  g_autoptr (GString) strangers = g_string_new ("");

  for (guint i = 0; i < joints->n_names; i++) {
    self->joint_of[i] = -1;
    for (guint n = 0; n < self->n_joints; n++)
      if (strcmp (joints->names[i], self->joint_names[n]) == 0)
        self->joint_of[i] = (gint8) n;
    if (self->joint_of[i] < 0)
      g_string_append_printf (strangers, " \"%s\"", joints->names[i]);
  }
  self->names_mapped = joints->names_changed;
  if (strangers->len > 0)
    acq_node_notice (ACQ_NODE (self->source), ACQ_EVENT_SEVERITY_WARNING, "unknown_joints",
                     "%s: the robot now reports joints that it did not have at first:%s; they are "
                     "not recorded, except in the stream raw",
                     acq_node_get_id (ACQ_NODE (self->source)), strangers->str);
}

static void
fill_joints (RobotRecorder *self, AcqJointState *to)
{
  const RobotJoints *from = &self->joints;

  to->n_position = to->n_velocity = to->n_effort = self->n_joints;
  for (guint i = 0; i < self->n_joints; i++)
    to->position[i] = to->velocity[i] = to->effort[i] = NAN;
  for (guint i = 0; i < from->n; i++) {
    gint8 at = self->joint_of[i];

    if (at < 0)
      continue;
    to->position[at] = from->positions[i];
    to->velocity[at] = from->velocities[i];
    to->effort[at] = from->efforts[i];
  }
}

/* ---- frames ---- */

typedef struct {
  RobotDecoder *decoder;
  gint64 host_ns;
  guint32 flags;
} Context;

static void
tell_flaws (RobotRecorder *self, RobotStream stream, const RobotDecoder *decoder)
{
  guint32 fresh = decoder->envelope.flaws & ~self->told_flaws[stream];

  if (fresh == 0)
    return;
  self->told_flaws[stream] |= fresh;
  acq_node_notice (
      ACQ_NODE (self->source), ACQ_EVENT_SEVERITY_WARNING, "flaws",
      "%s.%s: messages of type %u have flaws: %s; those fields are invalid, the rest is "
      "recorded. Told once for each kind",
      acq_node_get_id (ACQ_NODE (self->source)), robot_stream_templates[stream].name,
      decoder->head.type, decoder->envelope.flaw_fields);
}

/* A robot's clock may be set while it runs: then its epoch is a new one. */
static void
watch_clock (RobotRecorder *self, RobotClock *clock, guint64 device_ns, gint64 host_ns)
{
  gint64 delta = (gint64) device_ns - host_ns;

  if (clock->delta_ns != 0 && ABS (delta - clock->delta_ns) > CLOCK_STEP_NS)
    acq_source_clock_restarted (self->source, clock->clock, ACQ_CLOCK_UTC, "clock_step");
  clock->delta_ns = delta;
}

static void
push (RobotRecorder *self, RobotStream stream, AcqFrame *frame, const Context *context,
      guint64 device_ns)
{
  RobotClock *clock = stream == ROBOT_STREAM_MOTION ? &self->motion_clock : &self->head_clock;

  frame->host_ns = context->host_ns;
  frame->flags |= context->flags;
  if (context->decoder->envelope.flaws != 0) {
    frame->flags |= ACQ_FRAME_SUSPECT;
    tell_flaws (self, stream, context->decoder);
  }
  if (device_ns != ACQ_TIME_NONE)
    watch_clock (self, clock, device_ns, context->host_ns);
  acq_stream_push (self->streams[stream], frame, 0, device_ns);
}

static guint64
head_time_ns (const RobotDecoder *decoder)
{
  const RobotHead *head = &decoder->head;

  return head->has_time && head->time_ms <= G_MAXINT64 / 1000000 ? head->time_ms * 1000000
                                                                 : ACQ_TIME_NONE;
}

static void
push_battery (RobotRecorder *self, RobotStream stream, const AcqRobotBattery *from,
              const Context *context)
{
  AcqFrame *frame;
  AcqBatteryState *to;
  gint32 status = from->power_supply_status;

  if (self->streams[stream] == NULL)
    return;
  to = acq_battery_state_begin (self->streams[stream], &frame);
  to->voltage = (float) from->voltage;
  to->temperature = (float) from->temperature;
  to->current = (float) from->current;
  to->charge = to->capacity = to->design_capacity = NAN;
  to->percentage = (float) (from->power / 100); /* ROS counts from 0 to 1 */
  to->power_supply_status = status >= 0 && status <= 4 ? (guint8) status : 0;
  to->present = from->present == 1;
  g_strlcpy (to->location, robot_stream_templates[stream].name, sizeof to->location);
  push (self, stream, frame, context, head_time_ns (context->decoder));
}

static RobotReject
record_state (RobotRecorder *self, const Context *context, gint32 *ret_source)
{
  AcqStream *stream = self->streams[ROBOT_STREAM_STATE];
  AcqFrame *frame = NULL;
  AcqRobotState scratch;
  AcqRobotState *state = stream ? acq_robot_state_begin (stream, &frame) : &scratch;
  RobotReject reject = robot_decode_state (context->decoder, state);

  if (reject != ROBOT_REJECT_NONE) {
    g_clear_pointer (&frame, acq_frame_unref);
    return reject;
  }
  *ret_source = state->control_source;
  push_battery (self, ROBOT_STREAM_BATTERY_1, &state->battery_1, context);
  push_battery (self, ROBOT_STREAM_BATTERY_2, &state->battery_2, context);
  if (frame != NULL)
    push (self, ROBOT_STREAM_STATE, frame, context, head_time_ns (context->decoder));
  return ROBOT_REJECT_NONE;
}

static RobotReject
record_joints (RobotRecorder *self, const Context *context)
{
  RobotReject reject = robot_decode_joints (context->decoder, &self->joints);
  AcqFrame *frame;

  if (reject != ROBOT_REJECT_NONE)
    return reject;
  if (self->streams[ROBOT_STREAM_JOINTS] == NULL) {
    if (self->joints.n == 0)
      return ROBOT_REJECT_NONE; /* nothing to name yet */
    declare_joints (self);
  }
  if (self->names_mapped != self->joints.names_changed)
    map_joints (self, context->decoder);
  fill_joints (self, acq_joint_state_begin (self->streams[ROBOT_STREAM_JOINTS], &frame));
  push (self, ROBOT_STREAM_JOINTS, frame, context, head_time_ns (context->decoder));
  return ROBOT_REJECT_NONE;
}

/* The types whose struct is exactly one message. */
static RobotReject
decode_into (RobotStream stream, RobotDecoder *decoder, gpointer payload)
{
  switch (stream) {
  case ROBOT_STREAM_IMU:
    return robot_decode_imu (decoder, payload);
  case ROBOT_STREAM_LUX:
    return robot_decode_lux (decoder, payload);
  case ROBOT_STREAM_MOTION:
    return robot_decode_motion (decoder, payload);
  case ROBOT_STREAM_SPEED:
    return robot_decode_speed (decoder, payload);
  case ROBOT_STREAM_FAULTS:
    return robot_decode_faults (decoder, payload);
  default:
    return ROBOT_REJECT_NO_DATA;
  }
}

static RobotReject
record (RobotRecorder *self, RobotStream stream, const Context *context)
{
  AcqFrame *frame = NULL;
  gpointer payload;
  guint64 device_ns = head_time_ns (context->decoder);
  RobotReject reject;

  if (self->streams[stream] == NULL)
    return ROBOT_REJECT_NONE; /* somebody else's wish */
  payload = acq_stream_begin (self->streams[stream], robot_stream_templates[stream].schema, &frame);
  reject = decode_into (stream, context->decoder, payload);
  if (reject != ROBOT_REJECT_NONE) {
    acq_frame_unref (frame);
    return reject;
  }
  if (stream == ROBOT_STREAM_MOTION) {
    guint64 stamp = ((AcqRobotMotion *) payload)->time_stamp;

    device_ns = stamp != 0 ? stamp : ACQ_TIME_NONE;
  }
  push (self, stream, frame, context, device_ns);
  return ROBOT_REJECT_NONE;
}

RobotReject
robot_recorder_telemetry (RobotRecorder *self, RobotDecoder *decoder, gint64 host_ns,
                          guint32 frame_flags, gint32 *ret_source)
{
  Context context = { decoder, host_ns, frame_flags };

  switch (decoder->head.type) {
  case ROBOT_TYPE_STATE:
    return record_state (self, &context, ret_source);
  case ROBOT_TYPE_FAULTS:
    return record (self, ROBOT_STREAM_FAULTS, &context);
  case ROBOT_TYPE_IMU:
    return record (self, ROBOT_STREAM_IMU, &context);
  case ROBOT_TYPE_LUX:
    return record (self, ROBOT_STREAM_LUX, &context);
  case ROBOT_TYPE_MOTION:
    return record (self, ROBOT_STREAM_MOTION, &context);
  case ROBOT_TYPE_SPEED:
    return record (self, ROBOT_STREAM_SPEED, &context);
  case ROBOT_TYPE_JOINTS:
    return acq_source_wants (self->source, "joint_states") ? record_joints (self, &context)
                                                           : ROBOT_REJECT_NONE;
  default:
    return ROBOT_REJECT_NONE;
  }
}

void
robot_recorder_control (RobotRecorder *self, const RobotAction *action, gint32 own_class,
                        RobotDecoder *decoder)
{
  AcqRobotControl *control;
  AcqFrame *frame;

  if (self->streams[ROBOT_STREAM_CONTROL] == NULL)
    return;
  control = acq_robot_control_begin (self->streams[ROBOT_STREAM_CONTROL], &frame);
  robot_decoder_envelope (decoder, &control->envelope);
  control->event = action->control.event;
  control->control_source = action->control.source;
  control->previous_source = action->control.previous;
  control->own_class = own_class;
  acq_stream_push (self->streams[ROBOT_STREAM_CONTROL], frame, 0, head_time_ns (decoder));
}

void
robot_recorder_link (RobotRecorder *self, const AcqRobotLink *link)
{
  AcqFrame *frame;

  if (self->streams[ROBOT_STREAM_LINK] == NULL)
    return;
  *acq_robot_link_begin (self->streams[ROBOT_STREAM_LINK], &frame) = *link;
  acq_stream_push (self->streams[ROBOT_STREAM_LINK], frame, 0, ACQ_TIME_NONE);
}

void
robot_recorder_raw (RobotRecorder *self, const guint8 *bytes, gsize size, gsize length,
                    const char *reason, gint64 host_ns, guint32 frame_flags)
{
  AcqStream *stream = self->streams[ROBOT_STREAM_RAW];
  AcqFrame *frame;
  AcqRaw *raw;

  if (stream == NULL)
    return;
  raw = acq_stream_begin_sized (stream, &acq_raw_schema, size, &frame);
  g_strlcpy (raw->sender, self->peer, sizeof raw->sender);
  g_strlcpy (raw->reason, reason, sizeof raw->reason);
  raw->length = (guint32) length;
  memcpy ((guint8 *) raw + acq_raw_schema.tail_offset, bytes, size);
  frame->host_ns = host_ns;
  frame->flags |= frame_flags;
  acq_stream_push (stream, frame, 0, ACQ_TIME_NONE);
}
