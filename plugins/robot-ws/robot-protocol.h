/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/*
 * The wire of the Robot SDK, protocol 1.2.0: a 16-byte header and one JSON object. One unit is
 * one binary WebSocket message or one datagram. Pure functions on bytes.
 */

#define ROBOT_HEADER_SIZE 16
#define ROBOT_MAX_JSON 65535
#define ROBOT_MAX_UNIT (ROBOT_HEADER_SIZE + ROBOT_MAX_JSON)
#define ROBOT_PROTOCOL_VERSION "1.2.0"

typedef enum {
  ROBOT_TYPE_HANDSHAKE = 1000,
  ROBOT_TYPE_HEARTBEAT = 1001,
  ROBOT_TYPE_STATE = 1004,
  ROBOT_TYPE_FAULTS = 1005,
  ROBOT_TYPE_SENSOR = 1008,
  ROBOT_TYPE_TAKEN = 1016,
  ROBOT_TYPE_RELEASED = 1017,
  ROBOT_TYPE_GOODBYE = 1050,
  ROBOT_TYPE_IMU = 1100,
  ROBOT_TYPE_LUX = 1101,
  ROBOT_TYPE_MOTION = 1102,
  ROBOT_TYPE_SPEED = 1103,
  ROBOT_TYPE_JOINTS = 1104,
} RobotType;

/* Who sends; the robot shows the owner of its control by the same classes, counted otherwise. */
typedef enum {
  ROBOT_SRC_ROBOT = 1,
  ROBOT_SRC_APP = 2,
  ROBOT_SRC_SDK = 3,
  ROBOT_SRC_EXTERNAL = 4,
} RobotSrc;

/* The optional telemetry, in the order of RobotSensorInfo. */
typedef enum {
  ROBOT_SENSOR_IMU,
  ROBOT_SENSOR_LUX,
  ROBOT_SENSOR_MOTION,
  ROBOT_SENSOR_SPEED,
  ROBOT_SENSOR_JOINTS,
  ROBOT_N_SENSORS,
} RobotSensor;

typedef struct {
  guint32 id;   /* in message 1008 */
  guint32 type; /* of its telemetry */
  guint32 rate_hz;
  const char *name;
} RobotSensorInfo;

extern const RobotSensorInfo robot_sensors[ROBOT_N_SENSORS];

/* Finds a sensor by its 1008 number; -1 if there is none. */
int robot_sensor_by_id (guint64 id);

/* Why a unit was not accepted. Every one has a name and a counter. */
typedef enum {
  ROBOT_REJECT_NONE,
  ROBOT_REJECT_CUT,        /* the datagram was longer than the buffer */
  ROBOT_REJECT_TEXT_FRAME, /* a WebSocket text message */
  ROBOT_REJECT_OVERSIZE,   /* longer than any unit can be */
  ROBOT_REJECT_SHORT,      /* less than a header */
  ROBOT_REJECT_SYNC,       /* does not begin with ZSKJ */
  ROBOT_REJECT_TRUNCATED,  /* the header promises more than came */
  ROBOT_REJECT_TWO_UNITS,  /* a second unit behind the first */
  ROBOT_REJECT_TRAILING,   /* other bytes behind the unit */
  ROBOT_REJECT_EMPTY,      /* a header alone */
  ROBOT_REJECT_JSON_SYNTAX,
  ROBOT_REJECT_JSON_UTF8,
  ROBOT_REJECT_JSON_DEPTH,
  ROBOT_REJECT_NOT_OBJECT, /* JSON, but no object */
  ROBOT_REJECT_NO_TYPE,    /* head.type is missing or no whole number */
  ROBOT_REJECT_NO_DATA,    /* telemetry without a data object */
  ROBOT_REJECT_TOO_LONG,   /* a list that the message type cannot hold */
  ROBOT_N_REJECTS,
} RobotReject;

/* The name of a reason in reports, for example `json_syntax`. */
const char *robot_reject_name (RobotReject reason);

typedef struct {
  guint16 msg_id;
  const char *json; /* (unowned): in the unit; not NUL-terminated */
  gsize json_length;
} RobotUnit;

/*
 * Checks the header of one unit. The second half of a unit that was split over two messages
 * has no sync word and is rejected for that: there is no hunting for the next header.
 * `ret` is untouched unless ROBOT_REJECT_NONE is returned.
 */
RobotReject robot_unit_parse (const guint8 *bytes, gsize size, RobotUnit *ret);

/* Writes a header for `json_length` bytes of JSON. */
void robot_unit_header (guint8 header[ROBOT_HEADER_SIZE], guint16 json_length, guint16 msg_id);
