/* SPDX-License-Identifier: Apache-2.0 */

#include <math.h>
#include <string.h>

#include "robot-decode.h"
#include "robot-words.h"

#define STATE                                                                                      \
  "{\"data\":{\"battery\":{\"current1\":-2.31,\"current2\":-2.5,\"power1\":76.0,\"power2\":75,"    \
  "\"power_supply_status1\":2,\"power_supply_status2\":3,\"present1\":true,\"present2\":false,"    \
  "\"temperature1\":29.0,\"temperature2\":30.5,\"voltage1\":55.12,\"voltage2\":54.9},"             \
  "\"ctrl_source\":1,\"estop\":{\"hardware\":false,\"software\":true},\"fill_light\":{"            \
  "\"auto_work\":true,\"back\":false,\"display_status\":false,\"front\":true},"                    \
  "\"head_angle\":0.11,\"head_direction\":\"head\",\"knee\":\"same\",\"mile_data\":1234.5,"        \
  "\"mode\":\"general\",\"motion_status\":\"sport\",\"motor_temp\":{\"fl1\":31.5,\"fl2\":32},"     \
  "\"obstacle_avoidance\":false,\"speed\":{\"level\":\"slow\",\"x\":0.42,\"y\":-0.03,"             \
  "\"yaw\":0.17},\"temp\":41},\"head\":{\"src\":1,\"time\":1767225601000,\"type\":1004}}"

static RobotDecoder decoder;

static RobotReject
read_text (const char *json)
{
  static guint8 unit[ROBOT_MAX_UNIT];
  gsize length = strlen (json);

  robot_unit_header (unit, (guint16) length, 7);
  memcpy (unit + ROBOT_HEADER_SIZE, json, length);
  return robot_decoder_read (&decoder, unit, ROBOT_HEADER_SIZE + length);
}

/* A message around a data object. */
static void
read_data (guint type, const char *data)
{
  g_autofree char *json =
      g_strdup_printf ("{\"data\":%s,\"head\":{\"src\":1,\"time\":5,\"type\":%u}}", data, type);

  g_assert_cmpint (read_text (json), ==, ROBOT_REJECT_NONE);
  g_assert_cmpuint (decoder.head.type, ==, type);
}

static void
test_state (void)
{
  AcqRobotState state = { 0 };

  g_assert_cmpint (read_text (STATE), ==, ROBOT_REJECT_NONE);
  g_assert_cmpint (robot_decode_state (&decoder, &state), ==, ROBOT_REJECT_NONE);
  g_assert_cmpuint (state.envelope.flaws, ==, 0);
  g_assert_cmpstr (state.envelope.flaw_fields, ==, "");
  g_assert_cmpstr (state.envelope.extra, ==, "");
  g_assert_cmpuint (state.envelope.time_ms, ==, 1767225601000);
  g_assert_cmpuint (state.envelope.src, ==, 1);
  g_assert_cmpuint (state.envelope.msg_id, ==, 7);
  g_assert_cmpuint (state.envelope.transport, ==, ACQ_ROBOT_ENVELOPE_TRANSPORT_UDP);
  g_assert_cmpuint (state.motion_status, ==, 5);
  g_assert_cmpstr (state.motion_status_word, ==, "sport");
  g_assert_cmpuint (state.sport_mode, ==, 1);
  g_assert_cmpuint (state.speed_level, ==, 1);
  g_assert_cmpuint (state.head_direction, ==, 1);
  g_assert_cmpstr (state.knee_word, ==, "same");
  g_assert_cmpint (state.control_source, ==, 1);
  g_assert_cmpuint (state.software_emergency_status, ==, 2);
  g_assert_cmpuint (state.hardware_emergency_status, ==, 1);
  g_assert_cmpuint (state.front_fill_light, ==, 1);
  g_assert_cmpuint (state.back_fill_light, ==, 2);
  g_assert_cmpint (state.auto_mode_light, ==, 1);
  g_assert_cmpint (state.display_status, ==, 0);
  g_assert_cmpint (state.obstacle_avoidance, ==, 0);
  g_assert_cmpint (state.charging_pile_connected, ==, -1);
  g_assert_cmpint (state.uwb_connected, ==, -1);
  g_assert_cmpfloat (state.head_angle, ==, 0.11);
  g_assert_cmpfloat (state.speed_x, ==, 0.42);
  g_assert_cmpfloat (state.speed_y, ==, -0.03);
  g_assert_cmpfloat (state.speed_yaw, ==, 0.17);
  g_assert_cmpfloat (state.mile_data, ==, 1234.5);
  g_assert_cmpfloat (state.temperature, ==, 41);
  g_assert_cmpfloat (state.battery_1.power, ==, 76);
  g_assert_cmpfloat (state.battery_1.voltage, ==, 55.12);
  g_assert_cmpfloat (state.battery_1.current, ==, -2.31);
  g_assert_cmpint (state.battery_1.present, ==, 1);
  g_assert_cmpint (state.battery_1.power_supply_status, ==, 2);
  g_assert_cmpint (state.battery_2.present, ==, 0);
  g_assert_cmpint (state.battery_2.power_supply_status, ==, 3);
  g_assert_cmpfloat (state.battery_2.temperature, ==, 30.5);
  g_assert_cmpuint (state.n_motor_temp, ==, 2);
  g_assert_cmpstr (state.motor_temp[1].name, ==, "fl2");
  g_assert_cmpfloat (state.motor_temp[1].temperature, ==, 32);
}

/* One change to a good state each: what it costs, and that it costs nothing else. */
static const struct {
  const char *from, *to;
  const char *flaw_fields;
  const char *extra;
} flaws[] = {
  { "\"temp\":41", "\"temp\":null", "temp:mistyped", "{\"temp\":null}" },
  { ",\"temp\":41", "", "", "" }, /* not promised */
  { "\"head_angle\":0.11,", "", "head_angle:missing", "" },
  { "\"head_angle\":0.11", "\"head_angle\":\"0.11\"", "head_angle:mistyped",
    "{\"head_angle\":\"0.11\"}" },
  { "\"head_angle\":0.11", "\"head_angle\":1e400", "head_angle:non_finite",
    "{\"head_angle\":1e400}" },
  { "\"head_angle\":0.11", "\"head_angle\":0.1,\"head_angle\":0.2", "head_angle:duplicate_key",
    "" },
  { "\"present1\":true", "\"present1\":1", "battery.present1:mistyped",
    "{\"battery.present1\":1}" },
  { "\"power_supply_status1\":2", "\"power_supply_status1\":9",
    "battery.power_supply_status1:unknown_word", "" },
  { "\"power_supply_status1\":2", "\"power_supply_status1\":2.7",
    "battery.power_supply_status1:mistyped", "{\"battery.power_supply_status1\":2.7}" },
  { "\"ctrl_source\":1", "\"ctrl_source\":255", "ctrl_source:unknown_word", "" },
  { "\"ctrl_source\":1", "\"ctrl_source\":99999999999", "ctrl_source:overflow",
    "{\"ctrl_source\":99999999999}" },
  { "\"motion_status\":\"sport\"", "\"motion_status\":\"moonwalk\"", "motion_status:unknown_word",
    "" },
  { "\"motion_status\":\"sport\"", "\"motion_status\":\"snow\"", "", "" }, /* known, no number */
  { "\"motion_status\":\"sport\"", "\"motion_status\":\"Sport\"", "motion_status:unknown_word",
    "" },
  { "\"motion_status\":\"sport\"", "\"motion_status\":\"0123456789012345678901234567890123\"",
    "motion_status:too_long", "{\"motion_status\":\"0123456789012345678901234567890123\"}" },
  { "\"estop\":{\"hardware\":false,\"software\":true}", "\"estop\":true", "estop:mistyped",
    "{\"estop\":true}" },
  { "\"estop\":{\"hardware\":false,\"software\":true}", "\"estop\":{\"hardware\":false}",
    "estop.software:missing", "" },
  { "\"motor_temp\":{\"fl1\":31.5,\"fl2\":32}", "\"motor_temp\":[]", "motor_temp:mistyped",
    "{\"motor_temp\":[]}" },
  { "\"fl2\":32", "\"fl2\":\"hot\"", "motor_temp.fl2:mistyped", "{\"motor_temp.fl2\":\"hot\"}" },
  { "\"fl2\":32", "\"fl1\":32", "motor_temp.fl1:duplicate_name", "{\"motor_temp.fl1\":32}" },
  { "\"temp\":41", "\"temp\":41,\"machine_status\":{\"a\":[1, 2]}", "machine_status:unknown_key",
    "{\"machine_status\":{\"a\":[1, 2]}}" },
  { "\"temp\":41", "\"temp\":41,\"x\":1,\"x\":2,\"y\":\"\\\"\"",
    "x:unknown_key x:duplicate_key y:unknown_key", "{\"x\":1,\"y\":\"\\\"\"}" },
  { "\"src\":1,", "\"src\":1,\"boot\":7,", "head.boot:unknown_key", "{\"head.boot\":7}" },
  { "\"time\":1767225601000,", "", "head.time:missing", "" },
  { "\"time\":1767225601000", "\"time\":\"now\"", "head.time:mistyped", "{\"head.time\":\"now\"}" },
  { "\"type\":1004", "\"type\":1004.0", "", "" },
};

static void
test_flaws (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (flaws); i++) {
    g_auto (GStrv) parts = g_strsplit (STATE, flaws[i].from, 2);
    g_autofree char *text = g_strjoinv (flaws[i].to, parts);
    AcqRobotState state = { 0 };

    g_test_message ("%s -> %s", flaws[i].from, flaws[i].to);
    g_assert_cmpuint (g_strv_length (parts), ==, 2);
    g_assert_cmpint (read_text (text), ==, ROBOT_REJECT_NONE);
    g_assert_cmpint (robot_decode_state (&decoder, &state), ==, ROBOT_REJECT_NONE);
    g_assert_cmpstr (state.envelope.flaw_fields, ==, flaws[i].flaw_fields);
    g_assert_cmpstr (state.envelope.extra, ==, flaws[i].extra);
    g_assert_cmpuint (state.envelope.extra_omitted, ==, 0);
    g_assert_true ((state.envelope.flaws == 0) == (flaws[i].flaw_fields[0] == '\0'));
    g_assert_cmpfloat (state.speed_yaw, ==, 0.17);
    if (strstr (flaws[i].from, "head_angle") != NULL && strchr (flaws[i].to, '2') == NULL)
      g_assert_true (isnan (state.head_angle));
    if (strstr (flaws[i].flaw_fields, "head_angle:dup") != NULL)
      g_assert_cmpfloat (state.head_angle, ==, 0.2); /* the last one counts */
    if (strstr (flaws[i].to, "moonwalk") != NULL) {
      g_assert_cmpstr (state.motion_status_word, ==, "moonwalk");
      g_assert_cmpuint (state.motion_status, ==, 0);
    }
    if (strstr (flaws[i].to, "255") != NULL)
      g_assert_cmpint (state.control_source, ==, 255);
  }
}

/* What does not fit into the envelope is counted. */
static void
test_extra_full (void)
{
  g_autoptr (GString) data = g_string_new ("{\"lux\":1");
  AcqIlluminance lux;
  AcqRobotEnvelope envelope = { 0 };

  for (guint i = 0; i < 400; i++)
    g_string_append_printf (data, ",\"unknown_key_%03u\":\"value\"", i);
  g_string_append_c (data, '}');
  read_data (1101, data->str);
  g_assert_cmpint (robot_decode_lux (&decoder, &lux), ==, ROBOT_REJECT_NONE);
  robot_decoder_envelope (&decoder, &envelope);
  g_assert_cmpfloat (lux.illuminance, ==, 1);
  g_assert_cmpuint (envelope.flaw_count, ==, 400);
  g_assert_cmpuint (envelope.extra_omitted, >, 300);
  g_assert_cmpuint (strlen (envelope.flaw_fields), <, sizeof envelope.flaw_fields);
  g_assert_true (g_str_has_suffix (envelope.extra, "\"value\"}"));
}

static void
test_rejects (void)
{
  static const struct {
    const char *text;
    RobotReject reject;
  } cases[] = {
    { "[1]", ROBOT_REJECT_NOT_OBJECT },
    { "7", ROBOT_REJECT_NOT_OBJECT },
    { "{}", ROBOT_REJECT_NO_TYPE },
    { "{\"head\":1}", ROBOT_REJECT_NO_TYPE },
    { "{\"head\":{\"type\":\"1101\"}}", ROBOT_REJECT_NO_TYPE },
    { "{\"head\":{\"type\":1101.5}}", ROBOT_REJECT_NO_TYPE },
    { "{\"head\":{\"type\":-1}}", ROBOT_REJECT_NO_TYPE },
    { "{\"head\":{\"type\":18446744073709551615}}", ROBOT_REJECT_NO_TYPE },
    { "{\"head\":{\"type\":1101},}", ROBOT_REJECT_JSON_SYNTAX },
    { "{\"head\":{\"type\":1101},\"x\":\"\xC3\"}", ROBOT_REJECT_JSON_UTF8 },
    { "{\"head\":{\"type\":1101}} trailing", ROBOT_REJECT_JSON_SYNTAX },
    { "{\"head\":{\"type\":1101}}", ROBOT_REJECT_NONE },
    { "{\"head\":{\"type\":1101.0},\"data\":3}", ROBOT_REJECT_NONE },
  };
  AcqIlluminance lux = { .illuminance = 77 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("case %u", i);
    g_assert_cmpint (read_text (cases[i].text), ==, cases[i].reject);
    if (cases[i].reject != ROBOT_REJECT_NONE)
      continue;
    g_assert_cmpint (robot_decode_lux (&decoder, &lux), ==, ROBOT_REJECT_NO_DATA);
    g_assert_cmpfloat (lux.illuminance, ==, 77);
  }
}

static void
test_imu_lux_speed (void)
{
  AcqImu imu = { 0 };
  AcqIlluminance lux = { 0 };
  AcqTwistStamped twist = { 0 };

  read_data (1100, "{\"a_x\":1,\"a_y\":2,\"a_z\":9.29,\"g_x\":0.1,\"g_y\":0.2,\"g_z\":0.3,"
                   "\"q_w\":0.5,\"q_x\":-0.5,\"q_y\":0.25,\"q_z\":1e-3}");
  g_assert_cmpint (robot_decode_imu (&decoder, &imu), ==, ROBOT_REJECT_NONE);
  g_assert_cmpuint (decoder.envelope.flaws, ==, 0);
  g_assert_cmpfloat (imu.linear_acceleration.z, ==, 9.29);
  g_assert_cmpfloat (imu.angular_velocity.y, ==, 0.2);
  g_assert_cmpfloat (imu.orientation.w, ==, 0.5);
  g_assert_cmpfloat (imu.orientation.z, ==, 1e-3);
  read_data (1101, "{\"lux\":300.25}");
  g_assert_cmpint (robot_decode_lux (&decoder, &lux), ==, ROBOT_REJECT_NONE);
  g_assert_cmpfloat (lux.illuminance, ==, 300.25);
  read_data (1103, "{\"yaw\":0.25,\"y\":-1,\"x\":0.5}"); /* any order */
  g_assert_cmpint (robot_decode_speed (&decoder, &twist), ==, ROBOT_REJECT_NONE);
  g_assert_cmpfloat (twist.twist.linear.x, ==, 0.5);
  g_assert_cmpfloat (twist.twist.linear.y, ==, -1);
  g_assert_cmpfloat (twist.twist.angular.z, ==, 0.25);
  g_assert_cmpuint (decoder.envelope.flaws, ==, 0);
}

#define MOTION(stamp, quat)                                                                        \
  "{\"omega_body\":[7,8,9],\"omega_world\":[1,2,3],\"position\":[0.1,0.2,0.3],\"quat\":" quat      \
  ",\"rpy\":[0,0.5,1],\"time_stamp\":" stamp ",\"v_body\":[4,5,6],\"v_world\":[10,11,12]}"

static void
test_motion (void)
{
  AcqRobotMotion motion = { 0 };

  robot_decoder_restart (&decoder);
  read_data (1102, MOTION ("1767225601234567891", "[0.5,0.1,0.2,0.3]"));
  g_assert_cmpint (robot_decode_motion (&decoder, &motion), ==, ROBOT_REJECT_NONE);
  g_assert_cmpuint (motion.envelope.flaws, ==, 0);
  g_assert_cmpuint (motion.time_stamp, ==, 1767225601234567891u);
  g_assert_cmpfloat (motion.quat.w, ==, 0.5);
  g_assert_cmpfloat (motion.quat.x, ==, 0.1);
  g_assert_cmpfloat (motion.quat.y, ==, 0.2);
  g_assert_cmpfloat (motion.quat.z, ==, 0.3);
  g_assert_cmpfloat (motion.position.z, ==, 0.3);
  g_assert_cmpfloat (motion.v_body.x, ==, 4);
  g_assert_cmpfloat (motion.omega_body.y, ==, 8);
  g_assert_true (isnan (motion.acc.x));
  g_assert_cmpfloat (motion.rpy.y, ==, 0.5);

  /* A short array is invalid as a whole, and takes nothing from the message before. */
  read_data (1102, MOTION ("1767225601234567891", "[0.5,0.1,0.2]"));
  g_assert_cmpint (robot_decode_motion (&decoder, &motion), ==, ROBOT_REJECT_NONE);
  g_assert_cmpstr (motion.envelope.flaw_fields, ==, "quat:length time_stamp:stamp_repeated");
  g_assert_cmpstr (motion.envelope.extra, ==, "{\"quat\":[0.5,0.1,0.2]}");
  g_assert_true (isnan (motion.quat.w) && isnan (motion.quat.z));

  read_data (1102, MOTION ("1767225601234567890", "[1,0,null,0,0]"));
  g_assert_cmpint (robot_decode_motion (&decoder, &motion), ==, ROBOT_REJECT_NONE);
  g_assert_cmpstr (motion.envelope.flaw_fields, ==, "quat:length time_stamp:stamp_backward");
  read_data (1102, MOTION ("0", "[1,0,null,0]"));
  g_assert_cmpint (robot_decode_motion (&decoder, &motion), ==, ROBOT_REJECT_NONE);
  g_assert_cmpstr (motion.envelope.flaw_fields, ==, "quat[2]:mistyped time_stamp:stamp_zero");
  g_assert_cmpfloat (motion.quat.w, ==, 1);
  g_assert_true (isnan (motion.quat.y));
  read_data (1102, MOTION ("18446744073709551616", "[1,0,0,0]"));
  g_assert_cmpint (robot_decode_motion (&decoder, &motion), ==, ROBOT_REJECT_NONE);
  g_assert_true (g_str_has_prefix (motion.envelope.flaw_fields, "time_stamp:overflow"));
  g_assert_cmpuint (motion.time_stamp, ==, 0);
}

static void
test_faults (void)
{
  AcqRobotFaults faults = { 0 };
  g_autoptr (GString) many = g_string_new ("{\"faults\":[{}");

  read_data (1005, "{\"faults\":[{\"module\":\"power\",\"submodule\":\"bms\",\"fault\":"
                   "\"PowerControl/PowerLow\",\"level\":1,\"stamp\":1767225599},{\"module\":\"m\","
                   "\"submodule\":\"s\",\"fault\":\"New/Fault\",\"level\":3,\"stamp\":1},"
                   "{\"module\":\"m\",\"submodule\":\"s\",\"fault\":\"CAN/Broken\","
                   "\"level\":\"bad\",\"stamp\":2},17]}");
  g_assert_cmpint (robot_decode_faults (&decoder, &faults), ==, ROBOT_REJECT_NONE);
  g_assert_cmpuint (faults.n_faults, ==, 4);
  g_assert_cmpuint (faults.faults[0].code, ==, 20);
  g_assert_cmpint (faults.faults[0].wire_level, ==, 1);
  g_assert_cmpuint (faults.faults[0].level, ==, 3);
  g_assert_cmpuint (faults.faults[0].stamp, ==, 1767225599);
  g_assert_cmpstr (faults.faults[0].module, ==, "power");
  g_assert_cmpstr (faults.faults[0].submodule, ==, "bms");
  g_assert_cmpuint (faults.faults[1].code, ==, 0);
  g_assert_cmpstr (faults.faults[1].fault, ==, "New/Fault");
  g_assert_cmpuint (faults.faults[1].level, ==, 1);
  g_assert_cmpuint (faults.faults[2].code, ==, 22);
  g_assert_cmpint (faults.faults[2].wire_level, ==, -1);
  g_assert_cmpuint (faults.faults[2].level, ==, 0);
  g_assert_cmpstr (faults.envelope.flaw_fields, ==,
                   "faults[1].fault:unknown_word faults[2].level:mistyped faults[3]:mistyped");
  read_data (1005, "{\"faults\":[]}");
  g_assert_cmpint (robot_decode_faults (&decoder, &faults), ==, ROBOT_REJECT_NONE);
  g_assert_cmpuint (faults.n_faults, ==, 0);
  g_assert_cmpuint (faults.envelope.flaws, ==, 0);
  for (guint i = 1; i < ROBOT_MAX_FAULTS; i++)
    g_string_append (many, ",{}");
  g_string_append (many, "]}");
  read_data (1005, many->str);
  g_assert_cmpint (robot_decode_faults (&decoder, &faults), ==, ROBOT_REJECT_NONE);
  g_assert_cmpuint (faults.n_faults, ==, ROBOT_MAX_FAULTS);
  g_string_truncate (many, many->len - 2);
  g_string_append (many, ",{}]}");
  read_data (1005, many->str);
  g_assert_cmpint (robot_decode_faults (&decoder, &faults), ==, ROBOT_REJECT_TOO_LONG);
}

static const struct {
  const char *data;
  const char *flaw_fields;
  guint n;
} joint_cases[] = {
  { "{\"names\":[\"a\",\"b\"],\"positions\":[1,2],\"velocities\":[3,4],\"efforts\":[5,6]}", "", 2 },
  { "{\"efforts\":[5,6],\"names\":[\"a\",\"b\"],\"positions\":[1,2],\"velocities\":[3,4]}", "", 2 },
  { "{\"efforts\":[5],\"names\":[\"a\",\"b\"],\"positions\":[1,2],\"velocities\":[3,4]}",
    "efforts:length", 1 },
  { "{\"efforts\":[],\"names\":[\"a\",\"b\"],\"positions\":[1,2],\"velocities\":[3,4]}",
    "efforts:length", 2 },
  { "{\"names\":[\"a\",\"b\"],\"positions\":[1,2],\"velocities\":[3,4]}", "efforts:missing", 2 },
  { "{\"efforts\":[5,6,7],\"names\":[\"a\",\"b\"],\"positions\":[1,2],\"velocities\":[3,4]}",
    "efforts:length", 2 },
  { "{\"efforts\":[5,\"6\"],\"names\":[\"a\",\"b\"],\"positions\":[1,2],\"velocities\":[3,4]}",
    "efforts[1]:mistyped", 2 },
  { "{\"efforts\":[5,6],\"names\":[\"a\",\"a\"],\"positions\":[1,2],\"velocities\":[3,4]}",
    "names[1]:duplicate_name", 2 },
  { "{\"efforts\":[5,6],\"names\":[\"a\",1],\"positions\":[1,2],\"velocities\":[3,4]}",
    "names[1]:mistyped", 2 },
  { "{\"efforts\":[5,6],\"names\":7,\"positions\":[1,2],\"velocities\":[3,4]}",
    "names:mistyped positions:length velocities:length efforts:length", 0 },
};

static void
test_joints (void)
{
  RobotJoints joints = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (joint_cases); i++) {
    g_test_message ("%s", joint_cases[i].data);
    read_data (1104, joint_cases[i].data);
    g_assert_cmpint (robot_decode_joints (&decoder, &joints), ==, ROBOT_REJECT_NONE);
    g_assert_cmpstr (decoder.envelope.flaw_fields, ==, joint_cases[i].flaw_fields);
    g_assert_cmpuint (joints.n, ==, joint_cases[i].n);
    if (joints.n == 2) {
      g_assert_cmpstr (joints.names[0], ==, "a");
      g_assert_cmpfloat (joints.positions[1], ==, 2);
      g_assert_cmpfloat (joints.velocities[1], ==, 4);
      if (strstr (joint_cases[i].flaw_fields, "efforts") == NULL)
        g_assert_cmpfloat (joints.efforts[1], ==, 6);
      else if (joints.n_efforts != 3)
        g_assert_true (isnan (joints.efforts[1]));
    }
  }
}

/* Names that stay are seen as such; others are seen as others. */
static void
test_joint_names (void)
{
  static const char *const names[] = { "[\"a\",\"b\"]", "[\"a\",\"b\"]", "[\"b\",\"a\"]",
                                       "[\"b\",\"a\",\"c\"]", "[\"b\",\"a\",\"c\"]" };
  static const guint changes[] = { 1, 1, 2, 3, 3 };
  RobotJoints joints = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *data = g_strdup_printf (
        "{\"efforts\":[1,2,3],\"names\":%s,\"positions\":[1,2,3],\"velocities\":[1,2,3]}",
        names[i]);

    read_data (1104, data);
    g_assert_cmpint (robot_decode_joints (&decoder, &joints), ==, ROBOT_REJECT_NONE);
    g_assert_cmpuint (joints.names_changed, ==, changes[i]);
    g_assert_cmpuint (joints.n, ==, i < 3 ? 2 : 3);
    g_assert_cmpstr (joints.names[0], ==, i < 2 ? "a" : "b");
  }
}

static void
test_replies (void)
{
  RobotHandshakeReply reply;
  RobotSensorReply sensor;

  read_data (1000, "{\"status_code\":0,\"sn\":\"SN1\",\"ssid\":\"net\",\"model\":\"ZGW\","
                   "\"version\":{\"system\":\"0.2.3\",\"charging_pile\":\"1\"},\"device_type\":1}");
  g_assert_cmpint (robot_decode_handshake (&decoder, &reply), ==, ROBOT_REJECT_NONE);
  g_assert_cmpint (reply.status_code, ==, 0);
  g_assert_cmpstr (reply.sn, ==, "SN1");
  g_assert_cmpstr (reply.model, ==, "ZGW");
  g_assert_cmpstr (reply.system_version, ==, "0.2.3");
  g_assert_cmpstr (reply.device_type, ==, "1");
  read_data (1000, "{\"status_code\":20}");
  g_assert_cmpint (robot_decode_handshake (&decoder, &reply), ==, ROBOT_REJECT_NONE);
  g_assert_cmpint (reply.status_code, ==, 20);
  g_assert_cmpstr (reply.sn, ==, "");
  read_data (1008, "{\"sensor\":40,\"enable\":true,\"freq\":10}");
  g_assert_cmpint (robot_decode_sensor (&decoder, &sensor), ==, ROBOT_REJECT_NONE);
  g_assert_cmpint (sensor.sensor, ==, 40);
  g_assert_cmpint (sensor.enable, ==, 1);
  g_assert_cmpint (sensor.freq, ==, 10);
}

static void
test_words (void)
{
  guint8 number = 9;

  g_assert_true (robot_word_find (robot_motion_status_words, "dsb", &number));
  g_assert_cmpuint (number, ==, 0);
  g_assert_true (robot_word_find (robot_fault_words, "IMU/DataNotUpdated", &number));
  g_assert_cmpuint (number, ==, 27);
  g_assert_false (robot_word_find (robot_fault_words, "imu/datanotupdated", &number));
  g_assert_cmpuint (number, ==, 0);
  g_assert_false (robot_word_find (robot_speed_level_words, "low", &number));
  g_assert_cmpint (robot_owner_class (ROBOT_SRC_EXTERNAL), ==, 3);
  g_assert_cmpint (robot_owner_class (ROBOT_SRC_SDK), ==, 2);
  g_assert_cmpint (robot_owner_class (ROBOT_SRC_APP), ==, 1);
}

static void
decode_anything (void)
{
  static AcqRobotState state;
  static AcqRobotMotion motion;
  static AcqRobotFaults faults;
  static RobotJoints joints;
  AcqImu imu;
  AcqIlluminance lux;
  AcqTwistStamped twist;
  RobotHandshakeReply reply;
  RobotSensorReply sensor;

  robot_decode_state (&decoder, &state);
  robot_decode_motion (&decoder, &motion);
  robot_decode_faults (&decoder, &faults);
  robot_decode_joints (&decoder, &joints);
  robot_decode_imu (&decoder, &imu);
  robot_decode_lux (&decoder, &lux);
  robot_decode_speed (&decoder, &twist);
  robot_decode_handshake (&decoder, &reply);
  robot_decode_sensor (&decoder, &sensor);
  g_assert_true (g_utf8_validate (state.envelope.extra, -1, NULL));
  g_assert_true (g_utf8_validate (state.envelope.flaw_fields, -1, NULL));
}

static void
test_mutations (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  guint n_ok = 0;

  for (guint round = 0; round < 20000; round++) {
    g_autofree char *text = g_strdup (STATE);
    gsize length = strlen (text);

    for (guint n = (guint) g_rand_int_range (rand, 0, 3); n > 0; n--)
      text[g_rand_int_range (rand, 0, (gint32) length)] = (char) g_rand_int_range (rand, 1, 256);
    if (read_text (text) == ROBOT_REJECT_NONE) {
      decode_anything ();
      n_ok++;
    }
  }
  g_assert_cmpuint (n_ok, >, 8000);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  robot_decoder_init (&decoder, ACQ_ROBOT_ENVELOPE_TRANSPORT_UDP);
  g_test_add_func ("/robot-decode/state", test_state);
  g_test_add_func ("/robot-decode/flaws", test_flaws);
  g_test_add_func ("/robot-decode/extra-full", test_extra_full);
  g_test_add_func ("/robot-decode/rejects", test_rejects);
  g_test_add_func ("/robot-decode/imu-lux-speed", test_imu_lux_speed);
  g_test_add_func ("/robot-decode/motion", test_motion);
  g_test_add_func ("/robot-decode/faults", test_faults);
  g_test_add_func ("/robot-decode/joints", test_joints);
  g_test_add_func ("/robot-decode/joint-names", test_joint_names);
  g_test_add_func ("/robot-decode/replies", test_replies);
  g_test_add_func ("/robot-decode/words", test_words);
  g_test_add_func ("/robot-decode/mutations", test_mutations);
  result = g_test_run ();
  robot_decoder_clear (&decoder);
  return result;
}
