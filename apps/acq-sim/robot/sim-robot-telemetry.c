/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-robot-telemetry.h"

#include <math.h>

#include "sim-pace.h"

static const struct {
  guint type;
  double rate;
} streams[SIM_ROBOT_N_TELEMETRY] = {
  [SIM_ROBOT_STATE] = { 1004, 1 },    [SIM_ROBOT_FAULTS] = { 1005, 0.5 },
  [SIM_ROBOT_IMU] = { 1100, 100 },    [SIM_ROBOT_LUX] = { 1101, 1 },
  [SIM_ROBOT_MOTION] = { 1102, 50 },  [SIM_ROBOT_SPEED] = { 1103, 10 },
  [SIM_ROBOT_JOINTS] = { 1104, 100 },
};

void
sim_robot_model_init (SimRobotModel *self)
{
  *self = (SimRobotModel){ .n_joints = SIM_ROBOT_MAX_JOINTS };
  for (guint i = 0; i < SIM_ROBOT_N_TELEMETRY; i++)
    self->rates[i] = streams[i].rate;
}

guint
sim_robot_message_type (SimRobotStream stream)
{
  return streams[stream].type;
}

guint64
sim_robot_sample_ns (const SimRobotModel *self, SimRobotStream stream, guint64 k)
{
  return (guint64) sim_beat_ns (k, self->rates[stream]);
}

static double
seconds (const SimRobotModel *self, SimRobotStream stream, guint64 k)
{
  return (double) k / self->rates[stream];
}

/* ---- the body: it walks on a circle and sways ---- */

static void
body_angles (double t, double rpy[3])
{
  rpy[0] = 0.05 * sin (2 * G_PI * 1.1 * t);
  rpy[1] = 0.03 * cos (2 * G_PI * 0.9 * t);
  rpy[2] = 0.8 * sin (0.25 * t);
}

static void
body_quaternion (const double rpy[3], double wxyz[4])
{
  double cr = cos (rpy[0] / 2), sr = sin (rpy[0] / 2);
  double cp = cos (rpy[1] / 2), sp = sin (rpy[1] / 2);
  double cy = cos (rpy[2] / 2), sy = sin (rpy[2] / 2);

  wxyz[0] = cr * cp * cy + sr * sp * sy;
  wxyz[1] = sr * cp * cy - cr * sp * sy;
  wxyz[2] = cr * sp * cy + sr * cp * sy;
  wxyz[3] = cr * cp * sy - sr * sp * cy;
}

void
sim_robot_imu (const SimRobotModel *self, guint64 k, double values[10])
{
  double t = seconds (self, SIM_ROBOT_IMU, k);
  double rpy[3];

  body_angles (t, rpy);
  values[0] = 0.3 * sin (2 * G_PI * 1.7 * t);
  values[1] = 0.2 * cos (2 * G_PI * 1.3 * t);
  values[2] = 9.80665 + 0.1 * sin (2 * G_PI * 3.1 * t);
  values[3] = 0.05 * 2 * G_PI * 1.1 * cos (2 * G_PI * 1.1 * t);
  values[4] = -0.03 * 2 * G_PI * 0.9 * sin (2 * G_PI * 0.9 * t);
  values[5] = 0.2 * cos (0.25 * t);
  body_quaternion (rpy, values + 6);
}

double
sim_robot_lux (const SimRobotModel *self, guint64 k)
{
  return 300 + 25 * sin (0.1 * seconds (self, SIM_ROBOT_LUX, k));
}

void
sim_robot_motion (const SimRobotModel *self, guint64 k, SimRobotMotion *ret)
{
  double t = seconds (self, SIM_ROBOT_MOTION, k);

  body_angles (t, ret->rpy);
  body_quaternion (ret->rpy, ret->quat);
  ret->position[0] = 2 * cos (0.2 * t);
  ret->position[1] = 2 * sin (0.2 * t);
  ret->position[2] = 0.42 + 0.01 * sin (2 * G_PI * 2 * t);
  ret->v_world[0] = -0.4 * sin (0.2 * t);
  ret->v_world[1] = 0.4 * cos (0.2 * t);
  ret->v_world[2] = 0.04 * G_PI * cos (2 * G_PI * 2 * t);
  ret->v_body[0] = 0.4;
  ret->v_body[1] = 0.01 * sin (t);
  ret->v_body[2] = ret->v_world[2];
  for (guint i = 0; i < 3; i++) {
    ret->omega_world[i] = 0.1 * (i + 1) * sin (0.5 * t);
    ret->omega_body[i] = 0.1 * (i + 1) * cos (0.5 * t);
  }
  /* Beyond 2^53, where a double would lose the last digits. */
  ret->time_stamp = self->epoch_ns + sim_robot_sample_ns (self, SIM_ROBOT_MOTION, k) + 7;
}

void
sim_robot_speed (const SimRobotModel *self, guint64 k, double values[3])
{
  double t = seconds (self, SIM_ROBOT_SPEED, k);

  values[0] = 0.4 + 0.05 * sin (t);
  values[1] = 0.02 * cos (t);
  values[2] = 0.2 * cos (0.25 * t);
}

/* ---- joints ---- */

const char *
sim_robot_joint_name (const SimRobotModel *self, guint i)
{
  static const char *const wheel[] = { "fl1", "fl2", "fl3", "fl4", "fr1", "fr2", "fr3", "fr4",
                                       "bl1", "bl2", "bl3", "bl4", "br1", "br2", "br3", "br4" };
  static const char *const foot[] = { "fl1", "fl2", "fl3", "fr1", "fr2", "fr3",
                                      "bl1", "bl2", "bl3", "br1", "br2", "br3" };

  if (self->reversed)
    i = self->n_joints - 1 - i;
  return self->n_joints == G_N_ELEMENTS (foot) ? foot[i] : wheel[i];
}

void
sim_robot_joint (const SimRobotModel *self, guint64 k, guint i, double values[3])
{
  double t = seconds (self, SIM_ROBOT_JOINTS, k);
  double phase = 2 * G_PI * 1.5 * t + 0.4 * i;

  values[0] = 0.1 * i - 0.7 + 0.3 * sin (phase);
  values[1] = 0.3 * 2 * G_PI * 1.5 * cos (phase);
  values[2] = 4 * sin (phase + 0.5);
}

/* ---- state ---- */

void
sim_robot_state (const SimRobotModel *self, guint64 k, SimRobotState *ret)
{
  double t = seconds (self, SIM_ROBOT_STATE, k);

  for (guint i = 0; i < 2; i++) {
    ret->power[i] = MAX (1, 90 - 5.0 * i - 0.05 * t);
    ret->voltage[i] = 48 + 0.1 * ret->power[i];
    ret->current[i] = -2.5 - 0.5 * sin (0.3 * t + i);
    ret->temperature[i] = 29 + i + 2 * sin (0.01 * t);
  }
  ret->head_angle = 0.2 * sin (0.5 * t);
  ret->mile_data = 1234.5 + 0.4 * t;
  ret->temp = 41.25 + sin (0.02 * t);
  ret->speed[0] = 0.4 + 0.05 * sin (t);
  ret->speed[1] = 0.02 * cos (t);
  ret->speed[2] = 0.2 * cos (0.25 * t);
  for (guint i = 0; i < self->n_joints; i++)
    ret->motor_temp[i] = 31 + 0.5 * i + 0.1 * sin (0.05 * t + i);
}

guint
sim_robot_n_faults (guint64 k)
{
  return (k + 1) % 3;
}

/* ---- text ---- */

static void
put_double (GString *text, const char *key, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "\"%s\":%s,", key, g_ascii_dtostr (digits, sizeof digits, value));
}

static void
put_array (GString *text, const char *key, const double *values, guint n)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "\"%s\":[", key);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i == 0 ? "" : ",",
                            g_ascii_dtostr (digits, sizeof digits, values[i]));
  g_string_append (text, "],");
}

/* Takes back the comma that the last member left. */
static void
close_object (GString *text)
{
  if (text->str[text->len - 1] == ',')
    g_string_truncate (text, text->len - 1);
  g_string_append_c (text, '}');
}

static void
put_numbers (GString *text, const char *const *keys, const double *values, guint n)
{
  for (guint i = 0; i < n; i++)
    put_double (text, keys[i], values[i]);
}

static void
write_battery (const SimRobotState *state, GString *text)
{
  static const char *const numbers[] = { "current", "power", "temperature", "voltage" };
  const double *values[] = { state->current, state->power, state->temperature, state->voltage };

  g_string_append (text, "\"battery\":{");
  for (guint n = 0; n < G_N_ELEMENTS (numbers); n++) {
    for (guint i = 0; i < 2; i++) {
      char key[32];

      g_snprintf (key, sizeof key, "%s%u", numbers[n], i + 1);
      put_double (text, key, values[n][i]);
    }
  }
  g_string_append (text, "\"power_supply_status1\":2,\"power_supply_status2\":3,"
                         "\"present1\":true,\"present2\":false");
  close_object (text);
}

static void
write_state (const SimRobotModel *self, guint64 k, int owner, GString *text)
{
  static const char *const status[] = { "sport", "stand_up", "gait_walk", "snow" };
  SimRobotState state;

  sim_robot_state (self, k, &state);
  write_battery (&state, text);
  g_string_append_printf (text,
                          ",\"ctrl_source\":%d,\"estop\":{\"hardware\":false,\"software\":%s},"
                          "\"fill_light\":{\"auto_work\":true,\"back\":false,"
                          "\"display_status\":false,\"front\":%s},",
                          owner, k % 7 == 6 ? "true" : "false", k % 2 == 0 ? "true" : "false");
  put_double (text, "head_angle", state.head_angle);
  g_string_append (text, "\"head_direction\":\"head\",\"knee\":\"same\",");
  if (self->newer)
    g_string_append_printf (text,
                            "\"charging_pile\":{\"connect\":false},\"machine_status\":2,"
                            "\"navigation\":{\"goal\":[1,%" G_GUINT64_FORMAT "]},",
                            k);
  put_double (text, "mile_data", state.mile_data);
  g_string_append_printf (text, "\"mode\":\"general\",\"motion_status\":\"%s\",\"motor_temp\":{",
                          self->newer && k % 4 == 3 ? "moonwalk" : status[k % 4]);
  for (guint i = 0; i < self->n_joints; i++)
    put_double (text, sim_robot_joint_name (self, i), state.motor_temp[i]);
  close_object (text);
  g_string_append (text, ",\"obstacle_avoidance\":false,\"speed\":{\"level\":\"slow\",");
  put_numbers (text, (const char *const[]){ "x", "y", "yaw" }, state.speed, 3);
  close_object (text);
  g_string_append_c (text, ',');
  put_double (text, "temp", state.temp);
}

static void
write_faults (guint64 k, GString *text)
{
  static const char *const faults[] = {
    "{\"fault\":\"PowerControl/PowerLow\",\"level\":1,\"module\":\"power\",",
    "{\"fault\":\"Actuator/Overheat\",\"level\":2,\"module\":\"actuator\",",
  };

  g_string_append (text, "\"faults\":[");
  for (guint i = 0; i < sim_robot_n_faults (k); i++)
    g_string_append_printf (text, "%s%s\"stamp\":%" G_GUINT64_FORMAT ",\"submodule\":\"s%u\"}",
                            i == 0 ? "" : ",", faults[i], 1767225600 + k, i);
  g_string_append (text, "],");
}

static void
write_motion (const SimRobotModel *self, guint64 k, GString *text)
{
  SimRobotMotion motion;

  sim_robot_motion (self, k, &motion);
  put_array (text, "omega_body", motion.omega_body, 3);
  put_array (text, "omega_world", motion.omega_world, 3);
  put_array (text, "position", motion.position, 3);
  put_array (text, "quat", motion.quat, 4);
  put_array (text, "rpy", motion.rpy, 3);
  g_string_append_printf (text, "\"time_stamp\":%" G_GUINT64_FORMAT ",", motion.time_stamp);
  put_array (text, "v_body", motion.v_body, 3);
  put_array (text, "v_world", motion.v_world, 3);
}

static void
write_joints (const SimRobotModel *self, guint64 k, GString *text)
{
  double columns[3][SIM_ROBOT_MAX_JOINTS];
  double values[3];

  for (guint i = 0; i < self->n_joints; i++) {
    sim_robot_joint (self, k, i, values);
    for (guint n = 0; n < 3; n++)
      columns[n][i] = values[n];
  }
  put_array (text, "efforts", columns[2], self->n_joints);
  g_string_append (text, "\"names\":[");
  for (guint i = 0; i < self->n_joints; i++)
    g_string_append_printf (text, "%s\"%s\"", i == 0 ? "" : ",", sim_robot_joint_name (self, i));
  g_string_append (text, "],");
  put_array (text, "positions", columns[0], self->n_joints);
  put_array (text, "velocities", columns[1], self->n_joints);
}

static void
write_data (const SimRobotModel *self, SimRobotStream stream, guint64 k, int owner, GString *text)
{
  static const char *const imu[] = { "a_x", "a_y", "a_z", "g_x", "g_y",
                                     "g_z", "q_w", "q_x", "q_y", "q_z" };
  static const char *const speed[] = { "x", "y", "yaw" };
  double values[10];

  switch (stream) {
  case SIM_ROBOT_STATE:
    write_state (self, k, owner, text);
    break;
  case SIM_ROBOT_FAULTS:
    write_faults (k, text);
    break;
  case SIM_ROBOT_IMU:
    sim_robot_imu (self, k, values);
    put_numbers (text, imu, values, 10);
    break;
  case SIM_ROBOT_LUX:
    put_double (text, "lux", sim_robot_lux (self, k));
    break;
  case SIM_ROBOT_MOTION:
    write_motion (self, k, text);
    break;
  case SIM_ROBOT_SPEED:
    sim_robot_speed (self, k, values);
    put_numbers (text, speed, values, 3);
    break;
  case SIM_ROBOT_JOINTS:
    write_joints (self, k, text);
    break;
  case SIM_ROBOT_N_TELEMETRY:
    break;
  }
}

void
sim_robot_write (const SimRobotModel *self, SimRobotStream stream, guint64 k, int owner,
                 gint64 clock_ms, GString *text)
{
  guint64 time_ms = (self->epoch_ns + sim_robot_sample_ns (self, stream, k)) / 1000000;

  g_string_append (text, "{\"data\":{");
  write_data (self, stream, k, owner, text);
  close_object (text);
  g_string_append_printf (text, ",\"head\":{\"src\":1,\"time\":%" G_GINT64_FORMAT ",\"type\":%u}}",
                          (gint64) time_ms + clock_ms, streams[stream].type);
}
