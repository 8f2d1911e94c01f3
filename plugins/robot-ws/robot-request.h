/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "robot-protocol.h"

/*
 * What the recorder may say to a robot. This is the only place that makes bytes for a robot,
 * and it knows four messages: handshake, heartbeat, sensor configuration and goodbye. There is
 * no way to write a command, a teleoperation message, or a request for control, because there
 * is no code that could.
 *
 * A RobotPacket is what the transports take; only robot_request_encode() fills one.
 */

typedef struct {
  RobotType type; /* 1000, 1001, 1008 or 1050; anything else is refused */
  guint16 msg_id;
  guint32 src;
  guint64 time_ms; /* wall clock */

  struct {
    const char *version;      /* of the recorder */
    const char *device;       /* free text */
    const char *platform;     /* free text */
    const char *package_name; /* unique application id */
  } handshake;
  struct {
    RobotSensor sensor;
    gboolean enable;
    guint32 freq;
  } sensor;
} RobotRequest;

#define ROBOT_PACKET_SIZE 1024

typedef struct {
  gsize size; /* 0: nothing */
  guint8 bytes[ROBOT_PACKET_SIZE];
} RobotPacket;

/*
 * Returns FALSE, and an empty packet, for any type that a passive recorder must not send, and
 * for texts that do not fit.
 */
gboolean robot_request_encode (const RobotRequest *request, RobotPacket *packet);
