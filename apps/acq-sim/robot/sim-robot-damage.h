/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim-faults.h"

/* What the simulated robot can do wrong. */

/* The words for `on=`: telemetry first, as in SimRobotStream, then answers, then the link. */
enum {
  SIM_ROBOT_UPGRADE = 7, /* beat: connections */
  SIM_ROBOT_HANDSHAKE,   /* beat: messages 1000 */
  SIM_ROBOT_HEARTBEAT,   /* beat: messages 1001 */
  SIM_ROBOT_SENSOR,      /* beat: messages 1008 */
  SIM_ROBOT_LINK,        /* beat: 100 a second */
  SIM_ROBOT_N_STREAMS,
};

typedef enum {
  SIM_ROBOT_LOSS,
  SIM_ROBOT_DUPLICATE,
  SIM_ROBOT_DELAY,
  SIM_ROBOT_FIELD,
  SIM_ROBOT_JSON,
  SIM_ROBOT_UNIT,
  SIM_ROBOT_HUGE,
  SIM_ROBOT_FRAME,
  SIM_ROBOT_STAMP,
  SIM_ROBOT_ELSEWHERE,
  SIM_ROBOT_HTTP,
  SIM_ROBOT_REFUSE,
  SIM_ROBOT_JUNK,
  SIM_ROBOT_CLOSE,
  SIM_ROBOT_DROP,
  SIM_ROBOT_STALL,
  SIM_ROBOT_DEAF,
  SIM_ROBOT_REBOOT,
  SIM_ROBOT_TAKE,
  SIM_ROBOT_RELEASE,
  SIM_ROBOT_CLOCK,
  SIM_ROBOT_PING,
  SIM_ROBOT_UNKNOWN,
  SIM_ROBOT_GOODBYE,
  SIM_ROBOT_N_KINDS,
} SimRobotFaultKind;

extern const SimFaultGrammar sim_robot_grammar;

typedef enum {
  SIM_FIELD_MISSING,
  SIM_FIELD_NULL,
  SIM_FIELD_TEXT,
  SIM_FIELD_NON_FINITE,
  SIM_FIELD_OVERFLOW,
  SIM_FIELD_SHORT,
  SIM_FIELD_LONG,
  SIM_FIELD_DUPLICATE,
  SIM_FIELD_WORD,
  SIM_FIELD_UNKNOWN_KEY
} SimRobotFieldDamage;

typedef enum {
  SIM_UNIT_SYNC,
  SIM_UNIT_SHORT,
  SIM_UNIT_LONG,
  SIM_UNIT_TRAILING,
  SIM_UNIT_EMPTY,
  SIM_UNIT_TINY,
  SIM_UNIT_TWO,
  SIM_UNIT_SPLIT
} SimRobotUnitDamage;

typedef enum {
  SIM_FRAME_TEXT,
  SIM_FRAME_FRAGMENTS,
  SIM_FRAME_BYTEWISE,
  SIM_FRAME_MASKED,
  SIM_FRAME_RSV,
  SIM_FRAME_OPCODE,
  SIM_FRAME_LONG_PING
} SimRobotFrameDamage;

typedef enum {
  SIM_HTTP_404,
  SIM_HTTP_302,
  SIM_HTTP_200,
  SIM_HTTP_BAD_ACCEPT,
  SIM_HTTP_GARBAGE,
  SIM_HTTP_SILENT
} SimRobotHttpDamage;

/* The name of a fault in reports, for example `imu field:missing`. (transfer full) */
char *sim_robot_fault_name (guint stream, const SimFault *fault);

/* Damages member number `n` (from 0, modulo how many there are) of the data object. */
void sim_robot_damage_field (GString *json, SimRobotFieldDamage how, guint n);

/* Makes text that is no message: trailing comma, comment, NaN, cut, and so on. */
void sim_robot_damage_json (GString *json, int how);
