/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

#include "robot-json.h"
#include "robot-protocol.h"

/*
 * Telemetry text to message structs, by tables (robot-layouts.c). Two steps: read() checks the
 * unit and finds out what it is; one of the others then fills a struct, which may be the
 * payload of a pooled frame. Nothing is allocated after init().
 *
 * The rule for flaws: a field that is missing, mistyped, non-finite or of a wrong length is
 * invalid (NaN, 0 = unknown, -1, empty), is named in the envelope, and costs no other field.
 * Values never come from an earlier message. What a field cannot hold is kept as JSON text in
 * the envelope's `extra`.
 */

typedef enum {
  ROBOT_FLAW_MISSING,
  ROBOT_FLAW_MISTYPED,
  ROBOT_FLAW_LENGTH,
  ROBOT_FLAW_NON_FINITE,
  ROBOT_FLAW_OVERFLOW,
  ROBOT_FLAW_UNKNOWN_WORD,
  ROBOT_FLAW_UNKNOWN_KEY,
  ROBOT_FLAW_DUPLICATE_KEY,
  ROBOT_FLAW_TOO_LONG,
  ROBOT_FLAW_DUPLICATE_NAME,
  ROBOT_FLAW_STAMP_ZERO,
  ROBOT_FLAW_STAMP_REPEATED,
  ROBOT_FLAW_STAMP_BACKWARD,
  ROBOT_N_FLAWS,
} RobotFlaw;

/* For reports, for example `unknown_key`. */
const char *robot_flaw_name (RobotFlaw flaw);

#define ROBOT_MAX_JOINTS 64
#define ROBOT_MAX_FAULTS 64

/*
 * Message 1104. The lists may have different lengths; n is what they have in common.
 * Keep the struct from message to message: names that did not change are not copied again.
 */
typedef struct {
  guint32 n;
  guint32 n_names, n_positions, n_velocities, n_efforts; /* as they came */
  char names[ROBOT_MAX_JOINTS][32];
  double positions[ROBOT_MAX_JOINTS];
  double velocities[ROBOT_MAX_JOINTS];
  double efforts[ROBOT_MAX_JOINTS];

  guint32 names_changed; /* counts the changes of the list of names */
  guint32 seen_names;
  gsize seen_length; /* the names as text, to see whether they changed */
  char seen[2048];
  gboolean seen_clean;
} RobotJoints;

/* The reply to message 1000. Texts are verbatim; a model or type may come as a number. */
typedef struct {
  gint32 status_code; /* -1 when it did not come */
  char sn[64];
  char ssid[64];
  char model[64];
  char device_type[64];
  char system_version[64];
  char charging_pile_version[64];
} RobotHandshakeReply;

/* The reply to message 1008. */
typedef struct {
  gint32 sensor; /* its number in 1008, -1 when it did not come */
  gint8 enable;
  gint32 freq;
} RobotSensorReply;

typedef struct {
  guint32 type;
  gboolean has_time;
  guint64 time_ms;
  guint32 src;
  guint16 msg_id;
} RobotHead;

typedef struct {
  const char *name;
  guint32 length;
  gint index; /* of an element; -1 for a member */
} RobotStep;

typedef struct {
  RobotJson json;
  RobotHead head;
  guint32 data; /* token of the data object, 0 when there is none */
  guint8 transport;

  AcqRobotEnvelope envelope; /* of the message at hand */
  gsize flaw_fields_length, extra_length;
  RobotStep path[4];
  guint depth;

  guint64 flaws[ROBOT_N_FLAWS]; /* in all messages */
  guint64 last_stamp;           /* of message 1102 in this connection */
} RobotDecoder;

void robot_decoder_init (RobotDecoder *self, guint8 transport);
void robot_decoder_clear (RobotDecoder *self);

/* Forgets what belongs to one connection. */
void robot_decoder_restart (RobotDecoder *self);

/*
 * Checks one unit and reads its head. On ROBOT_REJECT_NONE self->head is what it says, and the
 * unit must stay where it is until the next call.
 */
RobotReject robot_decoder_read (RobotDecoder *self, const guint8 *bytes, gsize size);

/*
 * The body of the message just read. `ret` is untouched unless ROBOT_REJECT_NONE is returned, and
 * so are members that the robot has no words for, such as covariances.
 */
RobotReject robot_decode_state (RobotDecoder *self, AcqRobotState *ret);
RobotReject robot_decode_motion (RobotDecoder *self, AcqRobotMotion *ret);
RobotReject robot_decode_faults (RobotDecoder *self, AcqRobotFaults *ret);
RobotReject robot_decode_imu (RobotDecoder *self, AcqImu *ret);
RobotReject robot_decode_lux (RobotDecoder *self, AcqIlluminance *ret);
RobotReject robot_decode_speed (RobotDecoder *self, AcqTwistStamped *ret);
RobotReject robot_decode_joints (RobotDecoder *self, RobotJoints *ret);
RobotReject robot_decode_handshake (RobotDecoder *self, RobotHandshakeReply *ret);
RobotReject robot_decode_sensor (RobotDecoder *self, RobotSensorReply *ret);

/* Copies what surrounds the message at hand, after its body was decoded. */
void robot_decoder_envelope (const RobotDecoder *self, AcqRobotEnvelope *ret);
