/* SPDX-License-Identifier: Apache-2.0 */

/* The frame and telemetry decoder of robot-ws. The first byte chooses: a unit as it is, or
 * text that gets a right header and, for a few values, is decoded as another message. */

#include <string.h>

#include "robot-decode.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
check_envelope (const RobotDecoder *decoder)
{
  AcqRobotEnvelope envelope = { 0 };

  robot_decoder_envelope (decoder, &envelope);
  g_assert (g_utf8_validate (envelope.flaw_fields, -1, NULL));
  g_assert (g_utf8_validate (envelope.extra, -1, NULL));
  g_assert ((envelope.flaws == 0) == (envelope.flaw_count == 0));
}

static void
check_joints (const RobotJoints *joints)
{
  g_assert (joints->n <= joints->n_names && joints->n_names <= ROBOT_MAX_JOINTS);
  g_assert (joints->n_positions <= ROBOT_MAX_JOINTS);
  for (guint i = 0; i < joints->n_names; i++)
    g_assert (g_utf8_validate (joints->names[i], -1, NULL));
}

static void
decode (RobotDecoder *decoder)
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

  if (robot_decode_state (decoder, &state) == ROBOT_REJECT_NONE)
    g_assert (state.n_motor_temp <= G_N_ELEMENTS (state.motor_temp));
  check_envelope (decoder);
  robot_decode_motion (decoder, &motion);
  if (robot_decode_faults (decoder, &faults) == ROBOT_REJECT_NONE)
    g_assert (faults.n_faults <= ROBOT_MAX_FAULTS);
  if (robot_decode_joints (decoder, &joints) == ROBOT_REJECT_NONE)
    check_joints (&joints);
  robot_decode_imu (decoder, &imu);
  robot_decode_lux (decoder, &lux);
  robot_decode_speed (decoder, &twist);
  robot_decode_handshake (decoder, &reply);
  robot_decode_sensor (decoder, &sensor);
  check_envelope (decoder);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static RobotDecoder decoder;
  g_autofree guint8 *unit = NULL;
  gsize length;

  if (decoder.json.tokens == NULL)
    robot_decoder_init (&decoder, 1);
  if (size < 1)
    return 0;
  length = size - 1;
  if (data[0] == 'R') {
    unit = g_memdup2 (data + 1, length);
  } else {
    length = MIN (length, ROBOT_MAX_JSON);
    unit = g_malloc (ROBOT_HEADER_SIZE + length);
    robot_unit_header (unit, (guint16) length, data[0]);
    memcpy (unit + ROBOT_HEADER_SIZE, data + 1, length);
    length += ROBOT_HEADER_SIZE;
  }
  if (robot_decoder_read (&decoder, unit, length) == ROBOT_REJECT_NONE)
    decode (&decoder);
  return 0;
}
