/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-truth.h"

#include <math.h>

static void
assert_same (double a, double b)
{
  g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
}

static void
check_imu (const SimRobotModel *model, gconstpointer payload, guint64 k)
{
  const AcqImu *imu = (const AcqImu *) payload;
  double want[10];

  sim_robot_imu (model, k, want);
  assert_same (imu->linear_acceleration.z, want[2]);
  assert_same (imu->angular_velocity.x, want[3]);
  assert_same (imu->orientation.w, want[6]);
  assert_same (imu->orientation.z, want[9]);
}

static void
check_lux (const SimRobotModel *model, gconstpointer payload, guint64 k)
{
  assert_same (((const AcqIlluminance *) payload)->illuminance, sim_robot_lux (model, k));
}

static void
check_motion (const SimRobotModel *model, gconstpointer payload, guint64 k)
{
  const AcqRobotMotion *motion = (const AcqRobotMotion *) payload;
  SimRobotMotion want;

  sim_robot_motion (model, k, &want);
  g_assert_cmpuint (motion->time_stamp, ==, want.time_stamp);
  assert_same (motion->quat.w, want.quat[0]);
  assert_same (motion->position.y, want.position[1]);
  assert_same (motion->omega_body.z, want.omega_body[2]);
  g_assert_true (isnan (motion->acc.x));
}

static void
check_speed (const SimRobotModel *model, gconstpointer payload, guint64 k)
{
  const AcqTwistStamped *speed = (const AcqTwistStamped *) payload;
  double want[3];

  sim_robot_speed (model, k, want);
  assert_same (speed->twist.linear.x, want[0]);
  assert_same (speed->twist.linear.y, want[1]);
  assert_same (speed->twist.angular.z, want[2]);
}

static void
check_joints (const SimRobotModel *model, gconstpointer payload, guint64 k)
{
  const AcqJointState *joints = (const AcqJointState *) payload;

  g_assert_cmpuint (joints->n_position, ==, model->n_joints);
  for (guint i = 0; i < model->n_joints; i++) {
    double want[3];

    sim_robot_joint (model, k, i, want);
    assert_same (joints->position[i], want[0]);
    assert_same (joints->velocity[i], want[1]);
    assert_same (joints->effort[i], want[2]);
  }
}

static void
check_state (const SimRobotModel *model, gconstpointer payload, guint64 k)
{
  const AcqRobotState *state = (const AcqRobotState *) payload;
  SimRobotState want;

  sim_robot_state (model, k, &want);
  g_assert_cmpuint (state->envelope.flaws, ==, 0);
  g_assert_cmpint (state->control_source, ==, 1);
  assert_same (state->battery_2.voltage, want.voltage[1]);
  assert_same (state->motor_temp[3].temperature, want.motor_temp[3]);
}

static void
check_battery (const SimRobotModel *model, gconstpointer payload, guint64 k)
{
  const AcqBatteryState *battery = (const AcqBatteryState *) payload;
  SimRobotState want;

  sim_robot_state (model, k, &want);
  g_assert_cmpfloat (battery->percentage, ==, (float) (want.power[0] / 100));
  g_assert_cmpfloat (battery->voltage, ==, (float) want.voltage[0]);
  g_assert_cmpuint (battery->power_supply_status, ==, 2);
  g_assert_true (battery->present);
  g_assert_true (isnan (battery->capacity));
}

static void
check_faults (const SimRobotModel *model, gconstpointer payload, guint64 k)
{
  const AcqRobotFaults *faults = (const AcqRobotFaults *) payload;

  g_assert_cmpuint (faults->n_faults, ==, sim_robot_n_faults (k));
}

const RobotTruth robot_truths[ROBOT_N_TRUTHS] = {
  { "state", "state", SIM_ROBOT_STATE, &acq_robot_state_schema, check_state },
  { "battery_1", "state", SIM_ROBOT_STATE, &acq_battery_state_schema, check_battery },
  { "faults", "faults", SIM_ROBOT_FAULTS, &acq_robot_faults_schema, check_faults },
  { "imu", "imu", SIM_ROBOT_IMU, &acq_imu_schema, check_imu },
  { "lux", "lux", SIM_ROBOT_LUX, &acq_illuminance_schema, check_lux },
  { "motion", "motion", SIM_ROBOT_MOTION, &acq_robot_motion_schema, check_motion },
  { "speed", "speed", SIM_ROBOT_SPEED, &acq_twist_stamped_schema, check_speed },
  { "joint_states", "joints", SIM_ROBOT_JOINTS, &acq_joint_state_schema, check_joints },
};

guint64
robot_truth_sample (const SimRobotModel *model, SimRobotStream stream, guint64 device_ns)
{
  double rate = model->rates[stream];
  /* The time is cut to milliseconds, so the first sample lies before the epoch. */
  gint64 after_ns = (gint64) (device_ns - model->epoch_ns);
  guint64 k = (guint64) llround ((double) after_ns * rate / 1e9);
  guint64 ns = model->epoch_ns + sim_robot_sample_ns (model, stream, k);

  if (stream == SIM_ROBOT_MOTION)
    g_assert_cmpuint (device_ns, ==, ns + 7);
  else
    g_assert_cmpuint (device_ns, ==, ns / 1000000 * 1000000);
  return k;
}
