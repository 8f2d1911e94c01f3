/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What each message looks like: key, kind of value, place in the struct. Keys stand in the
 * order in which robots send them (alphabetical).
 */

#include "robot-fields.h"

#define LAYOUT(name)                                                                               \
  {                                                                                                \
    name##_fields, G_N_ELEMENTS (name##_fields)                                                    \
  }
#define FIELD_SIZE(T, f) sizeof (((T *) NULL)->f)

#define DOUBLE(k, T, f)                                                                            \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_DOUBLE, .offset = offsetof (T, f)                           \
  }
#define OPTIONAL_DOUBLE(k, T, f)                                                                   \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_DOUBLE, .optional = TRUE, .offset = offsetof (T, f)         \
  }
#define INT(k, T, f, n)                                                                            \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_INT, .offset = offsetof (T, f), .size = n                   \
  }
#define FLAG(k, T, f)                                                                              \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_FLAG, .offset = offsetof (T, f)                             \
  }
#define OPTIONAL_FLAG(k, T, f)                                                                     \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_FLAG, .optional = TRUE, .offset = offsetof (T, f)           \
  }
#define SWITCH(k, T, f, yes, no)                                                                   \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_SWITCH, .offset = offsetof (T, f), .on = yes, .off = no     \
  }
#define TEXT(k, T, f, must)                                                                        \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_TEXT, .optional = !must, .offset = offsetof (T, f),         \
                   .size = FIELD_SIZE (T, f)                                                       \
  }
#define ANYTEXT(k, T, f, must)                                                                     \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_ANYTEXT, .optional = !must, .offset = offsetof (T, f),      \
                   .size = FIELD_SIZE (T, f)                                                       \
  }
#define WORD(k, T, f, number, table)                                                               \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_WORD, .offset = offsetof (T, f), .size = FIELD_SIZE (T, f), \
                   .second = offsetof (T, number), .words = table                                  \
  }
#define DOUBLES(k, T, f, must)                                                                     \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_DOUBLES, .optional = !must, .offset = offsetof (T, f),      \
                   .size = FIELD_SIZE (T, f) / sizeof (double)                                     \
  }
#define LIST(k, T, f, count)                                                                       \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_LIST, .offset = offsetof (T, f),                            \
                   .size = FIELD_SIZE (T, f) / sizeof (double), .second = offsetof (T, count)      \
  }
#define OBJECT(k, table)                                                                           \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_OBJECT, .layout = &table                                    \
  }
#define OPTIONAL_OBJECT(k, table)                                                                  \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_OBJECT, .optional = TRUE, .layout = &table                  \
  }
#define CUSTOM(k, func)                                                                            \
  {                                                                                                \
    ROBOT_KEY (k), .kind = ROBOT_FIELD_CUSTOM, .custom = func                                      \
  }

/* ---- 1004 ---- */

static const RobotField battery_fields[] = {
  DOUBLE ("current1", AcqRobotState, battery_1.current),
  DOUBLE ("current2", AcqRobotState, battery_2.current),
  DOUBLE ("power1", AcqRobotState, battery_1.power),
  DOUBLE ("power2", AcqRobotState, battery_2.power),
  INT ("power_supply_status1", AcqRobotState, battery_1.power_supply_status, 5),
  INT ("power_supply_status2", AcqRobotState, battery_2.power_supply_status, 5),
  FLAG ("present1", AcqRobotState, battery_1.present),
  FLAG ("present2", AcqRobotState, battery_2.present),
  DOUBLE ("temperature1", AcqRobotState, battery_1.temperature),
  DOUBLE ("temperature2", AcqRobotState, battery_2.temperature),
  DOUBLE ("voltage1", AcqRobotState, battery_1.voltage),
  DOUBLE ("voltage2", AcqRobotState, battery_2.voltage),
};
static const RobotLayout battery_layout = LAYOUT (battery);

static const RobotField charging_pile_fields[] = {
  FLAG ("connect", AcqRobotState, charging_pile_connected),
};
static const RobotLayout charging_pile_layout = LAYOUT (charging_pile);

static const RobotField estop_fields[] = {
  SWITCH ("hardware", AcqRobotState, hardware_emergency_status, 2, 1),
  SWITCH ("software", AcqRobotState, software_emergency_status, 2, 1),
};
static const RobotLayout estop_layout = LAYOUT (estop);

static const RobotField fill_light_fields[] = {
  FLAG ("auto_work", AcqRobotState, auto_mode_light),
  SWITCH ("back", AcqRobotState, back_fill_light, 1, 2),
  OPTIONAL_FLAG ("display_status", AcqRobotState, display_status),
  SWITCH ("front", AcqRobotState, front_fill_light, 1, 2),
};
static const RobotLayout fill_light_layout = LAYOUT (fill_light);

static const RobotField silence_fields[] = {
  FLAG ("enable", AcqRobotState, silence_enabled),
};
static const RobotLayout silence_layout = LAYOUT (silence);

static const RobotField body_speed_fields[] = {
  WORD ("level", AcqRobotState, speed_level_word, speed_level, robot_speed_level_words),
  DOUBLE ("x", AcqRobotState, speed_x),
  DOUBLE ("y", AcqRobotState, speed_y),
  DOUBLE ("yaw", AcqRobotState, speed_yaw),
};
static const RobotLayout body_speed_layout = LAYOUT (body_speed);

static const RobotField uwb_fields[] = {
  FLAG ("connect", AcqRobotState, uwb_connected),
};
static const RobotLayout uwb_layout = LAYOUT (uwb);

static const RobotField state_fields[] = {
  OBJECT ("battery", battery_layout),
  OPTIONAL_OBJECT ("charging_pile", charging_pile_layout),
  INT ("ctrl_source", AcqRobotState, control_source, 4),
  OBJECT ("estop", estop_layout),
  OBJECT ("fill_light", fill_light_layout),
  DOUBLE ("head_angle", AcqRobotState, head_angle),
  WORD ("head_direction", AcqRobotState, head_direction_word, head_direction,
        robot_head_direction_words),
  TEXT ("knee", AcqRobotState, knee_word, FALSE),
  DOUBLE ("mile_data", AcqRobotState, mile_data),
  WORD ("mode", AcqRobotState, sport_mode_word, sport_mode, robot_sport_mode_words),
  WORD ("motion_status", AcqRobotState, motion_status_word, motion_status,
        robot_motion_status_words),
  CUSTOM ("motor_temp", robot_decode_motor_temp),
  OPTIONAL_FLAG ("obstacle_avoidance", AcqRobotState, obstacle_avoidance),
  OPTIONAL_OBJECT ("silence", silence_layout),
  OBJECT ("speed", body_speed_layout),
  OPTIONAL_DOUBLE ("temp", AcqRobotState, temperature),
  OPTIONAL_OBJECT ("uwb", uwb_layout),
};
static const RobotLayout state_layout = LAYOUT (state);

/* ---- 1005 ---- */

static const RobotField fault_fields[] = {
  WORD ("fault", AcqRobotFault, fault, code, robot_fault_words),
  INT ("level", AcqRobotFault, wire_level, G_N_ELEMENTS (robot_fault_levels)),
  TEXT ("module", AcqRobotFault, module, TRUE),
  { ROBOT_KEY ("stamp"), .kind = ROBOT_FIELD_U64, .offset = offsetof (AcqRobotFault, stamp) },
  TEXT ("submodule", AcqRobotFault, submodule, TRUE),
};
const RobotLayout robot_fault_layout = LAYOUT (fault);

static const RobotField faults_fields[] = {
  CUSTOM ("faults", robot_decode_fault_list),
};
static const RobotLayout faults_layout = LAYOUT (faults);

/* ---- 1100 to 1104 ---- */

static const RobotField imu_fields[] = {
  DOUBLE ("a_x", AcqImu, linear_acceleration.x), DOUBLE ("a_y", AcqImu, linear_acceleration.y),
  DOUBLE ("a_z", AcqImu, linear_acceleration.z), DOUBLE ("g_x", AcqImu, angular_velocity.x),
  DOUBLE ("g_y", AcqImu, angular_velocity.y),    DOUBLE ("g_z", AcqImu, angular_velocity.z),
  DOUBLE ("q_w", AcqImu, orientation.w),         DOUBLE ("q_x", AcqImu, orientation.x),
  DOUBLE ("q_y", AcqImu, orientation.y),         DOUBLE ("q_z", AcqImu, orientation.z),
};
static const RobotLayout imu_layout = LAYOUT (imu);

static const RobotField lux_fields[] = { DOUBLE ("lux", AcqIlluminance, illuminance) };
static const RobotLayout lux_layout = LAYOUT (lux);

static const RobotField motion_fields[] = {
  DOUBLES ("acc", AcqRobotMotion, acc, FALSE),
  DOUBLES ("gyro", AcqRobotMotion, gyro, FALSE),
  DOUBLES ("omega_body", AcqRobotMotion, omega_body, TRUE),
  DOUBLES ("omega_world", AcqRobotMotion, omega_world, TRUE),
  DOUBLES ("position", AcqRobotMotion, position, TRUE),
  DOUBLES ("quat", AcqRobotMotion, quat, TRUE),
  DOUBLES ("rpy", AcqRobotMotion, rpy, FALSE),
  { ROBOT_KEY ("time_stamp"), .kind = ROBOT_FIELD_U64,
    .offset = offsetof (AcqRobotMotion, time_stamp) },
  DOUBLES ("v_body", AcqRobotMotion, v_body, TRUE),
  DOUBLES ("v_world", AcqRobotMotion, v_world, TRUE),
};
static const RobotLayout motion_layout = LAYOUT (motion);

static const RobotField speed_fields[] = {
  DOUBLE ("x", AcqTwistStamped, twist.linear.x),
  DOUBLE ("y", AcqTwistStamped, twist.linear.y),
  DOUBLE ("yaw", AcqTwistStamped, twist.angular.z),
};
static const RobotLayout speed_layout = LAYOUT (speed);

static const RobotField joints_fields[] = {
  LIST ("efforts", RobotJoints, efforts, n_efforts),
  CUSTOM ("names", robot_decode_names),
  LIST ("positions", RobotJoints, positions, n_positions),
  LIST ("velocities", RobotJoints, velocities, n_velocities),
};
static const RobotLayout joints_layout = LAYOUT (joints);

/* ---- replies ---- */

static const RobotField version_fields[] = {
  ANYTEXT ("charging_pile", RobotHandshakeReply, charging_pile_version, FALSE),
  ANYTEXT ("system", RobotHandshakeReply, system_version, TRUE),
};
static const RobotLayout version_layout = LAYOUT (version);

static const RobotField handshake_fields[] = {
  ANYTEXT ("device_type", RobotHandshakeReply, device_type, FALSE),
  ANYTEXT ("model", RobotHandshakeReply, model, TRUE),
  ANYTEXT ("sn", RobotHandshakeReply, sn, TRUE),
  ANYTEXT ("ssid", RobotHandshakeReply, ssid, FALSE),
  INT ("status_code", RobotHandshakeReply, status_code, 0),
  OPTIONAL_OBJECT ("version", version_layout),
};
static const RobotLayout handshake_layout = LAYOUT (handshake);

static const RobotField sensor_fields[] = {
  FLAG ("enable", RobotSensorReply, enable),
  { ROBOT_KEY ("freq"), .kind = ROBOT_FIELD_INT, .optional = TRUE,
    .offset = offsetof (RobotSensorReply, freq) },
  INT ("sensor", RobotSensorReply, sensor, 0),
};
static const RobotLayout sensor_layout = LAYOUT (sensor);

/* ---- what the header promises ---- */

static RobotReject
decode (RobotDecoder *self, const RobotLayout *layout, void *ret)
{
  if (self->data == 0)
    return ROBOT_REJECT_NO_DATA;
  robot_layout_reset (layout, ret);
  robot_layout_decode (self, layout, self->data, ret);
  return ROBOT_REJECT_NONE;
}

RobotReject
robot_decode_state (RobotDecoder *self, AcqRobotState *ret)
{
  RobotReject reject;

  if (self->data != 0)
    ret->n_motor_temp = 0;
  reject = decode (self, &state_layout, ret);
  if (reject == ROBOT_REJECT_NONE)
    robot_decoder_envelope (self, &ret->envelope);
  return reject;
}

RobotReject
robot_decode_faults (RobotDecoder *self, AcqRobotFaults *ret)
{
  RobotReject reject;

  if (!robot_faults_fit (self))
    return ROBOT_REJECT_TOO_LONG;
  if (self->data != 0)
    ret->n_faults = 0;
  reject = decode (self, &faults_layout, ret);
  if (reject == ROBOT_REJECT_NONE)
    robot_decoder_envelope (self, &ret->envelope);
  return reject;
}

static void
check_stamp (RobotDecoder *self, guint64 stamp)
{
  static const char key[] = "time_stamp";
  gsize length = sizeof key - 1;

  if (stamp == 0) {
    robot_decoder_flaw (self, ROBOT_FLAW_STAMP_ZERO, key, length);
    return;
  }
  if (stamp == self->last_stamp)
    robot_decoder_flaw (self, ROBOT_FLAW_STAMP_REPEATED, key, length);
  else if (stamp < self->last_stamp)
    robot_decoder_flaw (self, ROBOT_FLAW_STAMP_BACKWARD, key, length);
  self->last_stamp = stamp;
}

RobotReject
robot_decode_motion (RobotDecoder *self, AcqRobotMotion *ret)
{
  RobotReject reject = decode (self, &motion_layout, ret);

  if (reject != ROBOT_REJECT_NONE)
    return reject;
  /* It came as w, x, y, z. */
  ret->quat = (AcqQuaternion){ ret->quat.y, ret->quat.z, ret->quat.w, ret->quat.x };
  check_stamp (self, ret->time_stamp);
  robot_decoder_envelope (self, &ret->envelope);
  return ROBOT_REJECT_NONE;
}

RobotReject
robot_decode_imu (RobotDecoder *self, AcqImu *ret)
{
  return decode (self, &imu_layout, ret);
}

RobotReject
robot_decode_lux (RobotDecoder *self, AcqIlluminance *ret)
{
  return decode (self, &lux_layout, ret);
}

RobotReject
robot_decode_speed (RobotDecoder *self, AcqTwistStamped *ret)
{
  return decode (self, &speed_layout, ret);
}

RobotReject
robot_decode_joints (RobotDecoder *self, RobotJoints *ret)
{
  RobotReject reject;

  if (self->data != 0)
    ret->n_names = ROBOT_NO_LIST;
  reject = decode (self, &joints_layout, ret);
  if (reject == ROBOT_REJECT_NONE)
    robot_joints_finish (self, ret);
  return reject;
}

RobotReject
robot_decode_handshake (RobotDecoder *self, RobotHandshakeReply *ret)
{
  return decode (self, &handshake_layout, ret);
}

RobotReject
robot_decode_sensor (RobotDecoder *self, RobotSensorReply *ret)
{
  return decode (self, &sensor_layout, ret);
}
