/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-protocol.h"

#include <string.h>

static const guint8 sync_word[4] = { 'Z', 'S', 'K', 'J' };

const RobotSensorInfo robot_sensors[ROBOT_N_SENSORS] = {
  [ROBOT_SENSOR_IMU] = { 10, ROBOT_TYPE_IMU, 100, "imu" },
  [ROBOT_SENSOR_LUX] = { 20, ROBOT_TYPE_LUX, 1, "lux" },
  [ROBOT_SENSOR_MOTION] = { 30, ROBOT_TYPE_MOTION, 50, "motion" },
  [ROBOT_SENSOR_SPEED] = { 40, ROBOT_TYPE_SPEED, 10, "speed" },
  [ROBOT_SENSOR_JOINTS] = { 50, ROBOT_TYPE_JOINTS, 100, "joint_states" },
};

static const char *const reject_names[ROBOT_N_REJECTS] = {
  [ROBOT_REJECT_NONE] = "none",
  [ROBOT_REJECT_CUT] = "cut",
  [ROBOT_REJECT_TEXT_FRAME] = "text_frame",
  [ROBOT_REJECT_OVERSIZE] = "oversize",
  [ROBOT_REJECT_SHORT] = "short",
  [ROBOT_REJECT_SYNC] = "sync",
  [ROBOT_REJECT_TRUNCATED] = "truncated",
  [ROBOT_REJECT_TWO_UNITS] = "two_units",
  [ROBOT_REJECT_TRAILING] = "trailing",
  [ROBOT_REJECT_EMPTY] = "empty",
  [ROBOT_REJECT_JSON_SYNTAX] = "json_syntax",
  [ROBOT_REJECT_JSON_UTF8] = "json_utf8",
  [ROBOT_REJECT_JSON_DEPTH] = "json_depth",
  [ROBOT_REJECT_NOT_OBJECT] = "not_object",
  [ROBOT_REJECT_NO_TYPE] = "no_type",
  [ROBOT_REJECT_NO_DATA] = "no_data",
  [ROBOT_REJECT_TOO_LONG] = "too_long",
};

int
robot_sensor_by_id (guint64 id)
{
  for (int i = 0; i < ROBOT_N_SENSORS; i++)
    if (robot_sensors[i].id == id)
      return i;
  return -1;
}

const char *
robot_reject_name (RobotReject reason)
{
  return reject_names[reason];
}

static guint16
read_u16 (const guint8 *at)
{
  return (guint16) (at[0] | at[1] << 8);
}

RobotReject
robot_unit_parse (const guint8 *bytes, gsize size, RobotUnit *ret)
{
  gsize length, rest;

  if (size > ROBOT_MAX_UNIT)
    return ROBOT_REJECT_OVERSIZE;
  if (size < ROBOT_HEADER_SIZE)
    return ROBOT_REJECT_SHORT;
  if (memcmp (bytes, sync_word, sizeof sync_word) != 0)
    return ROBOT_REJECT_SYNC;
  length = read_u16 (bytes + 4);
  rest = size - ROBOT_HEADER_SIZE;
  if (length > rest)
    return ROBOT_REJECT_TRUNCATED;
  if (length < rest) {
    const guint8 *behind = bytes + ROBOT_HEADER_SIZE + length;

    return rest - length >= ROBOT_HEADER_SIZE && memcmp (behind, sync_word, 4) == 0
               ? ROBOT_REJECT_TWO_UNITS
               : ROBOT_REJECT_TRAILING;
  }
  if (length == 0)
    return ROBOT_REJECT_EMPTY;
  *ret = (RobotUnit){ .msg_id = read_u16 (bytes + 6),
                      .json = (const char *) bytes + ROBOT_HEADER_SIZE,
                      .json_length = length };
  return ROBOT_REJECT_NONE;
}

void
robot_unit_header (guint8 header[ROBOT_HEADER_SIZE], guint16 json_length, guint16 msg_id)
{
  memset (header, 0, ROBOT_HEADER_SIZE);
  memcpy (header, sync_word, sizeof sync_word);
  header[4] = json_length & 0xFF;
  header[5] = json_length >> 8;
  header[6] = msg_id & 0xFF;
  header[7] = msg_id >> 8;
}
