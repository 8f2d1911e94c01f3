/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The motion of the stand-in's devices in closed form: every number it sends is a
 * function of (serial, stream, sequence, element) in this header, so a test can
 * work out what a recording has to hold.
 *
 *   key   = sim_wuji_key (serial, topic)      for example ("WG1J00000001", "tactile")
 *   value = sim_wuji_… (key, seq, element, …)
 *
 * Time: frame `i` of a source is measured at uptime sim_wuji_uptime_us (i, rate);
 * the stamp adds the clock offset in force, which the report lists. Unless
 * `seq-start` or a rate change moves it, the sequence number is `i` modulo 2^32.
 *
 * All arithmetic is exact (integers over a power of two) up to at most one division
 * and one rounding to the type of the field, so the bits are the same whatever the
 * compiler makes of it.
 */

#include <stdbool.h>
#include <stdint.h>

/* Nominal rates: what a step of the sequence number means for the motion. */
enum {
  SIM_WUJI_RATE_TACTILE = 120,
  SIM_WUJI_RATE_EMF = 120,
  SIM_WUJI_RATE_IMU = 800,
  SIM_WUJI_RATE_JOINTS = 1000,
  SIM_WUJI_RATE_HAND2_IMU = 400,
  SIM_WUJI_RATE_FINGERTIP = 100,
};

enum {
  SIM_WUJI_ROWS = 24,
  SIM_WUJI_COLUMNS = 31,
  SIM_WUJI_TAXELS = 744,
  SIM_WUJI_ACTIVE = 526,
  /* tip_poses has a counter of its own: it is this far ahead of the EMF source. */
  SIM_WUJI_TIP_SEQ_AHEAD = 1000,
};

enum { SIM_WUJI_LEFT = 0, SIM_WUJI_RIGHT = 1 };

typedef enum {
  SIM_WUJI_ZONE_NONE = -1, /* a taxel that cannot measure */
  SIM_WUJI_ZONE_PALM,
  SIM_WUJI_ZONE_THUMB,
  SIM_WUJI_ZONE_INDEX,
  SIM_WUJI_ZONE_MIDDLE,
  SIM_WUJI_ZONE_RING,
  SIM_WUJI_ZONE_PINKY,
  SIM_WUJI_N_ZONES,
} SimWujiZone;

typedef struct {
  float position[3];
  float orientation[4]; /* x, y, z, w */
  float confidence;
} SimWujiPose;

typedef struct {
  double orientation[4]; /* x, y, z, w; zeros in raw streams */
  double angular_velocity[3];
  double linear_acceleration[3];
} SimWujiImu;

typedef struct {
  float position, velocity, effort;
} SimWujiJoint;

typedef struct {
  float current, voltage, temperature;
  uint32_t status_word;
  uint8_t response_rate;
  uint32_t timeouts;
} SimWujiHealth;

/* FNV-1a over serial, a slash and topic. */
static inline uint32_t
sim_wuji_key (const char *serial, const char *topic)
{
  uint32_t hash = 2166136261u;

  for (const char *p = serial; *p != '\0'; p++)
    hash = (hash ^ (uint8_t) *p) * 16777619u;
  hash = (hash ^ (uint8_t) '/') * 16777619u;
  for (const char *p = topic; *p != '\0'; p++)
    hash = (hash ^ (uint8_t) *p) * 16777619u;
  return hash;
}

static inline uint64_t
sim_wuji_uptime_us (uint64_t index, uint32_t rate_hz)
{
  return index / rate_hz * 1000000u + index % rate_hz * 1000000u / rate_hz;
}

/* A smooth wave of about half a hertz made of parabolas: -32768 … 32768. */
static inline int32_t
sim_wuji_wave (uint32_t key, uint32_t channel, uint32_t seq, uint32_t rate_hz)
{
  uint32_t phase = key + channel * 40503u + seq * (32768u / rate_hz);
  uint32_t half = phase & 0x7fffu;
  int32_t height = (int32_t) ((half * (32768u - half)) >> 13);

  return phase & 0x8000u ? -height : height;
}

/* (base + amplitude * wave) / unit; unit is a power of two, so nothing is rounded. */
static inline double
sim_wuji_scaled (int64_t base, int64_t amplitude, int32_t wave, double unit)
{
  return (double) (base * 32768 + amplitude * wave) / (32768.0 * unit);
}

/* A turn of up to 53 degrees to each side about one axis (0 x, 1 y, 2 z). */
static inline void
sim_wuji_turn (int32_t wave, uint32_t axis, double ret_xyzw[4])
{
  double t = wave / 65536.0;
  double norm = 1.0 + t * t;

  ret_xyzw[0] = ret_xyzw[1] = ret_xyzw[2] = 0.0;
  ret_xyzw[axis] = 2.0 * t / norm;
  ret_xyzw[3] = (1.0 - t * t) / norm;
}

static inline SimWujiPose
sim_wuji_pose (uint32_t key, uint32_t seq, uint32_t element, const int16_t rest[3])
{
  SimWujiPose pose;
  double q[4];

  for (uint32_t i = 0; i < 3; i++)
    pose.position[i] = (float) sim_wuji_scaled (
        rest[i], 64, sim_wuji_wave (key, element * 4 + i, seq, SIM_WUJI_RATE_EMF), 8192.0);
  sim_wuji_turn (sim_wuji_wave (key, element * 4 + 3, seq, SIM_WUJI_RATE_EMF), element % 3, q);
  for (uint32_t i = 0; i < 4; i++)
    pose.orientation[i] = (float) q[i];
  pose.confidence = (float) sim_wuji_scaled (
      972, 52, sim_wuji_wave (key, 200 + element, seq, SIM_WUJI_RATE_EMF), 1024.0);
  return pose;
}

/* The wrist frame at rest, in 1/8192 m: x to the thumb, z to the elbow, fingers along -z. */
static inline void
sim_wuji_rest (uint32_t joint, uint32_t side, int16_t ret[3])
{
  static const int16_t across[5] = { 330, 205, 41, -123, -270 };
  static const int16_t first[5] = { -205, -737, -778, -737, -655 };
  static const int16_t step[5] = { -287, -287, -328, -295, -229 };
  uint32_t finger = (joint - 1) / 4;
  uint32_t along = (joint - 1) % 4;

  ret[0] = joint == 0 ? 0 : across[finger];
  ret[1] = joint == 0 ? 0 : (int16_t) (side == SIM_WUJI_LEFT ? 41 : -41);
  ret[2] = joint == 0 ? 0 : (int16_t) (first[finger] + step[finger] * (int16_t) along);
}

/* hand_skeleton. The wrist is the origin; it and the thumb's first joint never turn. */
static inline SimWujiPose
sim_wuji_skeleton_joint (uint32_t key, uint32_t seq, uint32_t joint, uint32_t side)
{
  int16_t rest[3];
  SimWujiPose pose;

  sim_wuji_rest (joint, side, rest);
  pose = sim_wuji_pose (key, seq, joint, rest);
  if (joint == 0)
    pose.position[0] = pose.position[1] = pose.position[2] = 0.0f;
  if (joint <= 1) {
    pose.orientation[0] = pose.orientation[1] = pose.orientation[2] = 0.0f;
    pose.orientation[3] = 1.0f;
  }
  return pose;
}

/* emf_poses and tip_poses: what is at the end of each finger. */
static inline SimWujiPose
sim_wuji_finger_pose (uint32_t key, uint32_t seq, uint32_t finger, uint32_t side)
{
  int16_t rest[3];

  sim_wuji_rest (4 + finger * 4, side, rest);
  return sim_wuji_pose (key, seq, finger, rest);
}

/* hand_joint_angles, rad; the fifth slot of all but the thumb is 0. */
static inline double
sim_wuji_angle (uint32_t key, uint32_t seq, uint32_t finger, uint32_t slot)
{
  if (finger > 0 && slot == 4)
    return 0.0;
  return sim_wuji_scaled (
      400000, 500000, sim_wuji_wave (key, finger * 5 + slot, seq, SIM_WUJI_RATE_EMF), 1048576.0);
}

static inline double
sim_wuji_angle_confidence (uint32_t key, uint32_t seq, uint32_t finger)
{
  return sim_wuji_scaled (972, 52, sim_wuji_wave (key, 200 + finger, seq, SIM_WUJI_RATE_EMF),
                          1024.0);
}

/* Which part of the hand a taxel is on: four fingers up, thumb at the right, palm below. */
static inline SimWujiZone
sim_wuji_zone (uint32_t row, uint32_t column)
{
  if (column >= SIM_WUJI_COLUMNS)
    return SIM_WUJI_ZONE_NONE;
  if (column >= 27)
    return row >= 8 && row <= 20 ? SIM_WUJI_ZONE_THUMB : SIM_WUJI_ZONE_NONE;
  if (row >= 14)
    return SIM_WUJI_ZONE_PALM;
  if (column >= 22 && column <= 25 && row >= 1)
    return SIM_WUJI_ZONE_INDEX;
  if (column >= 15 && column <= 18)
    return SIM_WUJI_ZONE_MIDDLE;
  if (column >= 8 && column <= 11 && row >= 1)
    return SIM_WUJI_ZONE_RING;
  if (column >= 1 && column <= 4 && row >= 3)
    return SIM_WUJI_ZONE_PINKY;
  return SIM_WUJI_ZONE_NONE;
}

/*
 * tactile: 0 … 1 with a baseline, or -1. `taxel` counts on the grid of 31 columns;
 * `key` is that of "tactile" for all four taxel streams, whose frames share `seq`.
 */
static inline float
sim_wuji_taxel (uint32_t key, uint32_t seq, uint32_t taxel)
{
  int32_t wave;

  if (sim_wuji_zone (taxel / SIM_WUJI_COLUMNS, taxel % SIM_WUJI_COLUMNS) == SIM_WUJI_ZONE_NONE)
    return -1.0f;
  wave = sim_wuji_wave (key, taxel, seq, SIM_WUJI_RATE_TACTILE);
  return (float) sim_wuji_scaled (40 + taxel % 64, 800, wave > 0 ? wave : 0, 1024.0);
}

static inline float
sim_wuji_taxel_binary (uint32_t key, uint32_t seq, uint32_t taxel)
{
  float pressure = sim_wuji_taxel (key, seq, taxel);

  if (pressure < 0.0f)
    return -1.0f;
  return pressure > 0.25f ? 1.0f : 0.0f;
}

/* Signed. Each 64th frame the first taxel of the palm is exactly -1, and valid. */
static inline float
sim_wuji_taxel_residual (uint32_t key, uint32_t seq, uint32_t taxel)
{
  float pressure = sim_wuji_taxel (key, seq, taxel);

  if (pressure < 0.0f || (taxel == 14 * SIM_WUJI_COLUMNS && seq % 64 == 0))
    return -1.0f;
  return pressure - 0.25f;
}

/* tactile_point_cloud: x, y, z in metres and the pressure of the taxel. */
static inline void
sim_wuji_cloud_point (uint32_t tactile_key, uint32_t seq, uint32_t taxel, float ret[4])
{
  uint32_t row = taxel / SIM_WUJI_COLUMNS;
  uint32_t column = taxel % SIM_WUJI_COLUMNS;

  ret[0] =
      (float) sim_wuji_scaled ((int64_t) column * 33 - 500, 16,
                               sim_wuji_wave (tactile_key, 1000, seq, SIM_WUJI_RATE_EMF), 8192.0);
  ret[1] = (float) sim_wuji_scaled (
      82, 16, sim_wuji_wave (tactile_key, 1001, seq, SIM_WUJI_RATE_EMF), 8192.0);
  ret[2] =
      (float) sim_wuji_scaled ((int64_t) row * 33 - 900, 16,
                               sim_wuji_wave (tactile_key, 1002, seq, SIM_WUJI_RATE_EMF), 8192.0);
  ret[3] = sim_wuji_taxel (tactile_key, seq, taxel);
}

/* imu_raw/…, imu_data/… and the hand's imu. Gravity is 160672/16384 m/s². */
static inline SimWujiImu
sim_wuji_imu (uint32_t key, uint32_t seq, uint32_t rate_hz, bool fused)
{
  SimWujiImu imu = { { 0.0 }, { 0.0 }, { 0.0 } };

  for (uint32_t i = 0; i < 3; i++) {
    imu.angular_velocity[i] =
        sim_wuji_scaled (0, 49152, sim_wuji_wave (key, i, seq, rate_hz), 16384.0);
    imu.linear_acceleration[i] = sim_wuji_scaled (
        i == 2 ? 160672 : 0, 32768, sim_wuji_wave (key, 3 + i, seq, rate_hz), 16384.0);
  }
  if (fused)
    sim_wuji_turn (sim_wuji_wave (key, 6, seq, rate_hz), 2, imu.orientation);
  return imu;
}

/* tf: how a glove's wrist stands in the frame `waist`; seq is that of its palm IMU. */
static inline void
sim_wuji_wrist (uint32_t key, uint32_t seq, uint32_t side, float translation[3], float xyzw[4])
{
  double q[4];

  for (uint32_t i = 0; i < 3; i++)
    translation[i] =
        (float) sim_wuji_scaled (i == 1 ? (side == SIM_WUJI_LEFT ? 2048 : -2048) : 1024, 512,
                                 sim_wuji_wave (key, i, seq, SIM_WUJI_RATE_IMU), 8192.0);
  sim_wuji_turn (sim_wuji_wave (key, 3, seq, SIM_WUJI_RATE_IMU), 2, q);
  for (uint32_t i = 0; i < 4; i++)
    xyzw[i] = (float) q[i];
}

/* joint_states of both hand generations; joint is the flat index. */
static inline SimWujiJoint
sim_wuji_joint (uint32_t key, uint32_t seq, uint32_t joint)
{
  SimWujiJoint state;

  state.position = (float) sim_wuji_scaled (
      6000, 7000, sim_wuji_wave (key, joint, seq, SIM_WUJI_RATE_JOINTS), 16384.0);
  state.velocity = (float) sim_wuji_scaled (
      0, 16000, sim_wuji_wave (key, joint + 32, seq, SIM_WUJI_RATE_JOINTS), 16384.0);
  state.effort = (float) sim_wuji_scaled (
      1000, 4000, sim_wuji_wave (key, joint + 64, seq, SIM_WUJI_RATE_JOINTS), 16384.0);
  return state;
}

/* joint_diagnostics of Hand 2. */
static inline SimWujiHealth
sim_wuji_health (uint32_t key, uint32_t seq, uint32_t joint)
{
  SimWujiHealth health;

  health.current = (float) sim_wuji_scaled (
      100, 300, sim_wuji_wave (key, joint, seq, SIM_WUJI_RATE_JOINTS), 1024.0);
  health.voltage = (float) sim_wuji_scaled (
      24 * 64, 32, sim_wuji_wave (key, joint + 32, seq, SIM_WUJI_RATE_JOINTS), 64.0);
  health.temperature = (float) sim_wuji_scaled (
      40 * 64, 320, sim_wuji_wave (key, joint + 64, seq, SIM_WUJI_RATE_JOINTS), 64.0);
  health.status_word = 2u | joint << 8;
  health.response_rate = (uint8_t) (95 + (seq / 1000 + joint) % 6);
  health.timeouts = seq / 5000 + joint;
  return health;
}

/* Fingertips: raw 16-bit numbers; element counts points * 3, then fx, fy, fz, temperature. */
static inline int16_t
sim_wuji_fingertip (uint32_t key, uint32_t seq, uint32_t element)
{
  return (int16_t) (sim_wuji_wave (key, element, seq, SIM_WUJI_RATE_FINGERTIP) / 2);
}

/* The first-generation hand's tactile board: 24 x 32, masked taxels are NaN (not here). */
static inline bool
sim_wuji_board_valid (uint32_t taxel)
{
  return sim_wuji_zone (taxel / 32, taxel % 32) != SIM_WUJI_ZONE_NONE;
}

static inline float
sim_wuji_board_taxel (uint32_t key, uint32_t seq, uint32_t taxel)
{
  int32_t wave = sim_wuji_wave (key, taxel, seq, SIM_WUJI_RATE_TACTILE);

  return (float) sim_wuji_scaled (16 + taxel % 32, 600, wave > 0 ? wave : 0, 1024.0);
}
