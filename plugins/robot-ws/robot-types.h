/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The message types of schemas/acq_msgs as flat structs. */

typedef struct {
  double x, y, z;
} RobotVector;

typedef struct {
  double x, y, z, w;
} RobotQuaternion;

typedef struct {
  uint64_t time_ms;
  uint32_t src;
  uint16_t msg_id;
  uint8_t transport;
  uint32_t flaws;
  uint32_t flaw_count;
  char flaw_fields[512];
  char extra[1536];
  uint32_t extra_omitted;
} AcqRobotEnvelope;

enum {
  ACQ_ROBOT_ENVELOPE_TRANSPORT_UNKNOWN = 0,
  ACQ_ROBOT_ENVELOPE_TRANSPORT_WEBSOCKET = 1,
  ACQ_ROBOT_ENVELOPE_TRANSPORT_UDP = 2,
};

typedef struct {
  double power, voltage, current, temperature;
  int8_t present;
  int32_t power_supply_status;
} AcqRobotBattery;

typedef struct {
  char name[32];
  double temperature;
} AcqRobotJointTemperature;

typedef struct {
  AcqRobotEnvelope envelope;
  uint8_t motion_status;
  char motion_status_word[32];
  uint8_t sport_mode;
  char sport_mode_word[32];
  uint8_t speed_level;
  char speed_level_word[32];
  uint8_t head_direction;
  char head_direction_word[32];
  char knee_word[32];
  int32_t control_source;
  uint8_t software_emergency_status, hardware_emergency_status;
  uint8_t front_fill_light, back_fill_light;
  int8_t auto_mode_light, display_status, obstacle_avoidance;
  int8_t charging_pile_connected, uwb_connected, silence_enabled;
  double head_angle, speed_x, speed_y, speed_yaw, mile_data, temperature;
  AcqRobotBattery battery_1, battery_2;
  uint32_t n_motor_temp;
  AcqRobotJointTemperature motor_temp[64];
} AcqRobotState;

typedef struct {
  AcqRobotEnvelope envelope;
  uint64_t time_stamp;
  RobotQuaternion quat;
  RobotVector position, v_world, v_body, omega_world, omega_body, acc, gyro, rpy;
} AcqRobotMotion;

typedef struct {
  uint8_t code, level;
  int32_t wire_level;
  uint64_t stamp;
  char fault[64], module[48], submodule[48];
} AcqRobotFault;

typedef struct {
  AcqRobotEnvelope envelope;
  uint32_t n_faults;
  AcqRobotFault faults[64];
} AcqRobotFaults;

typedef struct {
  RobotQuaternion orientation;
  double orientation_covariance[9];
  RobotVector angular_velocity;
  double angular_velocity_covariance[9];
  RobotVector linear_acceleration;
  double linear_acceleration_covariance[9];
} RobotImu;

typedef struct {
  double illuminance, variance;
} RobotIlluminance;

typedef struct {
  struct {
    RobotVector linear, angular;
  } twist;
} RobotTwist;
