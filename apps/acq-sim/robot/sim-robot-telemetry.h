/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/*
 * What the simulated robot measures, in closed form: sample k of a stream is a function of k
 * alone, so that a test can compute what a recording must contain, to the bit.
 */

typedef enum {
  SIM_ROBOT_STATE,
  SIM_ROBOT_FAULTS,
  SIM_ROBOT_IMU,
  SIM_ROBOT_LUX,
  SIM_ROBOT_MOTION,
  SIM_ROBOT_SPEED,
  SIM_ROBOT_JOINTS,
  SIM_ROBOT_N_TELEMETRY,
} SimRobotStream;

#define SIM_ROBOT_MAX_JOINTS 16

typedef struct {
  guint n_joints;                      /* 16 with wheels, 12 without */
  gboolean reversed;                   /* the joints in another order */
  gboolean newer;                      /* keys and words of a newer firmware */
  guint64 epoch_ns;                    /* the robot's wall clock at sample 0 */
  double rates[SIM_ROBOT_N_TELEMETRY]; /* samples per second */
} SimRobotModel;

/* The nominal rates and an empty rest. */
void sim_robot_model_init (SimRobotModel *self);

guint sim_robot_message_type (SimRobotStream stream);

/* a_x a_y a_z g_x g_y g_z q_w q_x q_y q_z */
void sim_robot_imu (const SimRobotModel *self, guint64 k, double values[10]);
double sim_robot_lux (const SimRobotModel *self, guint64 k);

typedef struct {
  double quat[4]; /* w x y z */
  double position[3], v_world[3], v_body[3], omega_world[3], omega_body[3], rpy[3];
  guint64 time_stamp;
} SimRobotMotion;

void sim_robot_motion (const SimRobotModel *self, guint64 k, SimRobotMotion *ret);

/* x y yaw */
void sim_robot_speed (const SimRobotModel *self, guint64 k, double values[3]);

/* Joint i in the order of the message. */
const char *sim_robot_joint_name (const SimRobotModel *self, guint i);
/* position velocity effort */
void sim_robot_joint (const SimRobotModel *self, guint64 k, guint i, double values[3]);

typedef struct {
  double power[2], voltage[2], current[2], temperature[2];
  double head_angle, mile_data, temp;
  double speed[3];
  double motor_temp[SIM_ROBOT_MAX_JOINTS];
} SimRobotState;

void sim_robot_state (const SimRobotModel *self, guint64 k, SimRobotState *ret);

/* Message 1005 number k has this many faults: one, two, none, and again. */
guint sim_robot_n_faults (guint64 k);

/*
 * Appends the text of sample k. `owner` is the ctrl_source of message 1004, `clock_ms` what is
 * added to the time in the head.
 */
void sim_robot_write (const SimRobotModel *self, SimRobotStream stream, guint64 k, int owner,
                      gint64 clock_ms, GString *text);

/* Nanoseconds from sample 0 to sample k. */
guint64 sim_robot_sample_ns (const SimRobotModel *self, SimRobotStream stream, guint64 k);
