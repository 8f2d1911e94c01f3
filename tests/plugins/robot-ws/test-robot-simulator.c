/* SPDX-License-Identifier: Apache-2.0 */

/* The simulator's text through the plugin's decoder: two halves that share no code. */

#include <string.h>

#include "robot-decode.h"
#include "robot/sim-robot-damage.h"
#include "robot/sim-robot-telemetry.h"

static RobotDecoder decoder;
static SimRobotModel model;
static GString *text;

static RobotReject
read_text (void)
{
  static guint8 unit[ROBOT_MAX_UNIT];

  robot_unit_header (unit, (guint16) text->len, 3);
  memcpy (unit + ROBOT_HEADER_SIZE, text->str, text->len);
  return robot_decoder_read (&decoder, unit, ROBOT_HEADER_SIZE + text->len);
}

static void
read_sample (SimRobotStream stream, guint64 k)
{
  guint64 ns = model.epoch_ns + sim_robot_sample_ns (&model, stream, k);

  g_string_truncate (text, 0);
  sim_robot_write (&model, stream, k, 2, 0, text);
  g_assert_cmpint (read_text (), ==, ROBOT_REJECT_NONE);
  g_assert_cmpuint (decoder.head.type, ==, sim_robot_message_type (stream));
  g_assert_cmpuint (decoder.head.time_ms, ==, ns / 1000000);
}

static void
assert_same (double a, double b)
{
  g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
}

static void
test_imu_lux_speed (void)
{
  for (guint64 k = 0; k < 500; k++) {
    double want[10];
    AcqImu imu;
    AcqIlluminance lux;
    AcqTwistStamped twist;

    read_sample (SIM_ROBOT_IMU, k);
    g_assert_cmpint (robot_decode_imu (&decoder, &imu), ==, ROBOT_REJECT_NONE);
    sim_robot_imu (&model, k, want);
    assert_same (imu.linear_acceleration.x, want[0]);
    assert_same (imu.linear_acceleration.y, want[1]);
    assert_same (imu.linear_acceleration.z, want[2]);
    assert_same (imu.angular_velocity.x, want[3]);
    assert_same (imu.angular_velocity.y, want[4]);
    assert_same (imu.angular_velocity.z, want[5]);
    assert_same (imu.orientation.w, want[6]);
    assert_same (imu.orientation.x, want[7]);
    assert_same (imu.orientation.y, want[8]);
    assert_same (imu.orientation.z, want[9]);
    read_sample (SIM_ROBOT_LUX, k);
    g_assert_cmpint (robot_decode_lux (&decoder, &lux), ==, ROBOT_REJECT_NONE);
    assert_same (lux.illuminance, sim_robot_lux (&model, k));
    read_sample (SIM_ROBOT_SPEED, k);
    g_assert_cmpint (robot_decode_speed (&decoder, &twist), ==, ROBOT_REJECT_NONE);
    sim_robot_speed (&model, k, want);
    assert_same (twist.twist.linear.x, want[0]);
    assert_same (twist.twist.linear.y, want[1]);
    assert_same (twist.twist.angular.z, want[2]);
    g_assert_cmpuint (decoder.envelope.flaws, ==, 0);
  }
}

static void
assert_vector (const AcqVector3 *a, const double b[3])
{
  assert_same (a->x, b[0]);
  assert_same (a->y, b[1]);
  assert_same (a->z, b[2]);
}

static void
test_motion (void)
{
  robot_decoder_restart (&decoder);
  for (guint64 k = 0; k < 500; k++) {
    AcqRobotMotion motion;
    SimRobotMotion want;

    read_sample (SIM_ROBOT_MOTION, k);
    g_assert_cmpint (robot_decode_motion (&decoder, &motion), ==, ROBOT_REJECT_NONE);
    sim_robot_motion (&model, k, &want);
    g_assert_cmpuint (motion.time_stamp, ==, want.time_stamp);
    assert_same (motion.quat.w, want.quat[0]);
    assert_same (motion.quat.x, want.quat[1]);
    assert_same (motion.quat.y, want.quat[2]);
    assert_same (motion.quat.z, want.quat[3]);
    assert_vector (&motion.position, want.position);
    assert_vector (&motion.v_world, want.v_world);
    assert_vector (&motion.v_body, want.v_body);
    assert_vector (&motion.omega_world, want.omega_world);
    assert_vector (&motion.omega_body, want.omega_body);
    assert_vector (&motion.rpy, want.rpy);
    g_assert_cmpuint (motion.envelope.flaws, ==, 0);
  }
}

static void
test_joints (void)
{
  static const guint n_joints[] = { 16, 12, 16 };
  RobotJoints joints = { 0 };

  for (guint round = 0; round < G_N_ELEMENTS (n_joints); round++) {
    model.n_joints = n_joints[round];
    model.reversed = round == 2;
    for (guint64 k = 0; k < 100; k++) {
      read_sample (SIM_ROBOT_JOINTS, k);
      g_assert_cmpint (robot_decode_joints (&decoder, &joints), ==, ROBOT_REJECT_NONE);
      g_assert_cmpuint (decoder.envelope.flaws, ==, 0);
      g_assert_cmpuint (joints.n, ==, model.n_joints);
      g_assert_cmpuint (joints.names_changed, ==, round + 1);
      for (guint i = 0; i < joints.n; i++) {
        double want[3];

        sim_robot_joint (&model, k, i, want);
        g_assert_cmpstr (joints.names[i], ==, sim_robot_joint_name (&model, i));
        assert_same (joints.positions[i], want[0]);
        assert_same (joints.velocities[i], want[1]);
        assert_same (joints.efforts[i], want[2]);
      }
    }
  }
  model.n_joints = 16;
  model.reversed = FALSE;
}

static void
assert_battery (const AcqRobotBattery *battery, const SimRobotState *want, guint i)
{
  assert_same (battery->power, want->power[i]);
  assert_same (battery->voltage, want->voltage[i]);
  assert_same (battery->current, want->current[i]);
  assert_same (battery->temperature, want->temperature[i]);
  g_assert_cmpint (battery->power_supply_status, ==, i == 0 ? 2 : 3);
  g_assert_cmpint (battery->present, ==, i == 0);
}

static void
test_state (void)
{
  static const char *const status[] = { "sport", "stand_up", "gait_walk", "snow" };
  static const guint numbers[] = { 5, 1, 10, 0 };

  for (guint64 k = 0; k < 100; k++) {
    AcqRobotState state;
    SimRobotState want;

    read_sample (SIM_ROBOT_STATE, k);
    g_assert_cmpint (robot_decode_state (&decoder, &state), ==, ROBOT_REJECT_NONE);
    sim_robot_state (&model, k, &want);
    g_assert_cmpuint (state.envelope.flaws, ==, 0);
    g_assert_cmpint (state.control_source, ==, 2);
    g_assert_cmpstr (state.motion_status_word, ==, status[k % 4]);
    g_assert_cmpuint (state.motion_status, ==, numbers[k % 4]);
    g_assert_cmpuint (state.software_emergency_status, ==, k % 7 == 6 ? 2 : 1);
    assert_battery (&state.battery_1, &want, 0);
    assert_battery (&state.battery_2, &want, 1);
    assert_same (state.head_angle, want.head_angle);
    assert_same (state.mile_data, want.mile_data);
    assert_same (state.temperature, want.temp);
    assert_same (state.speed_yaw, want.speed[2]);
    g_assert_cmpuint (state.n_motor_temp, ==, 16);
    for (guint i = 0; i < 16; i++) {
      g_assert_cmpstr (state.motor_temp[i].name, ==, sim_robot_joint_name (&model, i));
      assert_same (state.motor_temp[i].temperature, want.motor_temp[i]);
    }
  }
}

static void
test_newer_firmware (void)
{
  AcqRobotState state = { 0 };

  model.newer = TRUE;
  read_sample (SIM_ROBOT_STATE, 3);
  model.newer = FALSE;
  g_assert_cmpint (robot_decode_state (&decoder, &state), ==, ROBOT_REJECT_NONE);
  g_assert_cmpstr (state.envelope.flaw_fields, ==,
                   "machine_status:unknown_key navigation:unknown_key "
                   "motion_status:unknown_word");
  g_assert_cmpstr (state.envelope.extra, ==,
                   "{\"machine_status\":2,\"navigation\":{\"goal\":[1,3]}}");
  g_assert_cmpint (state.charging_pile_connected, ==, 0);
  g_assert_cmpstr (state.motion_status_word, ==, "moonwalk");
}

static void
test_faults (void)
{
  for (guint64 k = 0; k < 9; k++) {
    AcqRobotFaults faults = { 0 };

    read_sample (SIM_ROBOT_FAULTS, k);
    g_assert_cmpint (robot_decode_faults (&decoder, &faults), ==, ROBOT_REJECT_NONE);
    g_assert_cmpuint (faults.envelope.flaws, ==, 0);
    g_assert_cmpuint (faults.n_faults, ==, sim_robot_n_faults (k));
    if (faults.n_faults > 1) {
      g_assert_cmpuint (faults.faults[1].code, ==, 14);
      g_assert_cmpuint (faults.faults[1].level, ==, 2);
      g_assert_cmpuint (faults.faults[1].stamp, ==, 1767225600 + k);
      g_assert_cmpstr (faults.faults[1].submodule, ==, "s1");
    }
  }
}

/* What the simulator breaks, the decoder names. */
static void
test_damaged_text (void)
{
  static const RobotReject rejects[] = {
    ROBOT_REJECT_JSON_SYNTAX, ROBOT_REJECT_JSON_SYNTAX, ROBOT_REJECT_JSON_SYNTAX,
    ROBOT_REJECT_JSON_SYNTAX, ROBOT_REJECT_JSON_UTF8,   ROBOT_REJECT_JSON_SYNTAX,
    ROBOT_REJECT_NOT_OBJECT,  ROBOT_REJECT_NO_TYPE,     ROBOT_REJECT_NO_TYPE,
    ROBOT_REJECT_JSON_DEPTH,
  };

  for (guint how = 0; how < G_N_ELEMENTS (rejects); how++) {
    for (guint stream = 0; stream < SIM_ROBOT_N_TELEMETRY; stream++) {
      g_string_truncate (text, 0);
      sim_robot_write (&model, (SimRobotStream) stream, 5, 1, 0, text);
      sim_robot_damage_json (text, (int) how);
      g_assert_cmpint (read_text (), ==, rejects[how]);
    }
  }
}

static void
test_damaged_fields (void)
{
  static const struct {
    SimRobotStream stream;
    SimRobotFieldDamage how;
    guint member;
    const char *flaw_fields;
  } cases[] = {
    { SIM_ROBOT_IMU, SIM_FIELD_MISSING, 0, "a_x:missing" },
    { SIM_ROBOT_IMU, SIM_FIELD_MISSING, 9, "q_z:missing" },
    { SIM_ROBOT_IMU, SIM_FIELD_NULL, 3, "g_x:mistyped" },
    { SIM_ROBOT_IMU, SIM_FIELD_TEXT, 3, "g_x:mistyped" },
    { SIM_ROBOT_IMU, SIM_FIELD_NON_FINITE, 2, "a_z:non_finite" },
    { SIM_ROBOT_IMU, SIM_FIELD_DUPLICATE, 13, "g_x:duplicate_key" },
    { SIM_ROBOT_IMU, SIM_FIELD_UNKNOWN_KEY, 0, "future_key:unknown_key" },
    { SIM_ROBOT_MOTION, SIM_FIELD_SHORT, 3, "quat:length" },
    { SIM_ROBOT_MOTION, SIM_FIELD_LONG, 2, "position:length" },
    { SIM_ROBOT_MOTION, SIM_FIELD_OVERFLOW, 5, "time_stamp:overflow time_stamp:stamp_zero" },
  };

  robot_decoder_restart (&decoder);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    AcqImu imu;
    AcqRobotMotion motion;

    g_string_truncate (text, 0);
    sim_robot_write (&model, cases[i].stream, i, 1, 0, text);
    sim_robot_damage_field (text, cases[i].how, cases[i].member);
    g_test_message ("%s", text->str);
    g_assert_cmpint (read_text (), ==, ROBOT_REJECT_NONE);
    if (cases[i].stream == SIM_ROBOT_IMU)
      robot_decode_imu (&decoder, &imu);
    else
      robot_decode_motion (&decoder, &motion);
    g_assert_cmpstr (decoder.envelope.flaw_fields, ==, cases[i].flaw_fields);
  }
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  robot_decoder_init (&decoder, ACQ_ROBOT_ENVELOPE_TRANSPORT_WEBSOCKET);
  sim_robot_model_init (&model);
  model.epoch_ns = G_GUINT64_CONSTANT (1767225600123456789);
  text = g_string_new ("");
  g_test_add_func ("/robot-simulator/imu-lux-speed", test_imu_lux_speed);
  g_test_add_func ("/robot-simulator/motion", test_motion);
  g_test_add_func ("/robot-simulator/joints", test_joints);
  g_test_add_func ("/robot-simulator/state", test_state);
  g_test_add_func ("/robot-simulator/newer-firmware", test_newer_firmware);
  g_test_add_func ("/robot-simulator/faults", test_faults);
  g_test_add_func ("/robot-simulator/damaged-text", test_damaged_text);
  g_test_add_func ("/robot-simulator/damaged-fields", test_damaged_fields);
  result = g_test_run ();
  robot_decoder_clear (&decoder);
  g_string_free (text, TRUE);
  return result;
}
