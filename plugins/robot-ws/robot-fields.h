/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

#include "robot-decode.h"
#include "robot-words.h"

/*
 * The table-driven half of the decoder: a layout says which keys a JSON object has, and where
 * and how each value goes into a C struct.
 */

typedef enum {
  ROBOT_FIELD_DOUBLE,  /* number -> double; NaN */
  ROBOT_FIELD_INT,     /* number -> int32; known values are 0 .. size - 1; -1 */
  ROBOT_FIELD_U64,     /* number -> uint64; 0 */
  ROBOT_FIELD_FLAG,    /* bool -> int8; -1 */
  ROBOT_FIELD_SWITCH,  /* bool -> uint8, `on` or `off`; 0 */
  ROBOT_FIELD_TEXT,    /* string -> char[size]; "" */
  ROBOT_FIELD_ANYTEXT, /* string or number, verbatim -> char[size]; "" */
  ROBOT_FIELD_WORD,    /* string -> char[size], and its number -> uint8 at `second`; "" and 0 */
  ROBOT_FIELD_DOUBLES, /* array of exactly `size` numbers -> double[size]; NaN */
  ROBOT_FIELD_LIST,    /* array of at most `size` numbers -> double[], uint32 count at `second` */
  ROBOT_FIELD_OBJECT,  /* object -> the same struct, by `layout` */
  ROBOT_FIELD_TOKEN,   /* object -> uint32 token index; 0 */
  ROBOT_FIELD_CUSTOM,  /* by `custom`; nothing is reset */
} RobotFieldKind;

typedef struct _RobotField RobotField;

typedef struct {
  const RobotField *fields; /* in the order in which robots send them, for speed */
  guint n_fields;           /* 64 at most */
} RobotLayout;

struct _RobotField {
  const char *key;
  guint8 key_length;
  guint8 kind;
  gboolean optional;
  guint32 offset, second;
  guint32 size;
  guint8 on, off;
  const RobotWord *words; /* (nullable): every word is known */
  const RobotLayout *layout;
  void (*custom) (RobotDecoder *self, guint32 token, void *out);
};

#define ROBOT_KEY(k) .key = k, .key_length = sizeof (k) - 1

/* The count of a list that did not come, or was no list. */
#define ROBOT_NO_LIST G_MAXUINT32

/* Gives every field the value that says "unknown". */
void robot_layout_reset (const RobotLayout *layout, void *out);

/* Fills `out`, which was reset, from the object at `token`. */
void robot_layout_decode (RobotDecoder *self, const RobotLayout *layout, guint32 token, void *out);

/* Where we are, for the names of flaws. */
void robot_decoder_push (RobotDecoder *self, const char *name, gsize length, int index);
void robot_decoder_pop (RobotDecoder *self);

/* Notes a flaw of the member `name`. */
void robot_decoder_flaw (RobotDecoder *self, RobotFlaw flaw, const char *name, gsize length);

/* Notes a flaw and keeps the JSON text of the value. */
void robot_decoder_flaw_value (RobotDecoder *self, RobotFlaw flaw, const char *name, gsize length,
                               const RobotJsonToken *value);

RobotFlaw robot_flaw_of_value (RobotValue value);

/* ---- lists that no table can describe (robot-lists.c) ---- */

extern const RobotLayout robot_fault_layout; /* of one element, into an AcqRobotFault */

void robot_decode_motor_temp (RobotDecoder *self, guint32 token, void *state);
void robot_decode_fault_list (RobotDecoder *self, guint32 token, void *faults);
void robot_decode_names (RobotDecoder *self, guint32 token, void *joints);

/* Whether message 1005 has no more faults than AcqRobotFaults holds. */
gboolean robot_faults_fit (const RobotDecoder *self);

/* Finds what the lists of joints have in common; the rest becomes NaN and a flaw. */
void robot_joints_finish (RobotDecoder *self, RobotJoints *joints);

/* How many elements an array has, or some number above `max`. */
guint32 robot_count_elements (const RobotJson *json, guint32 token, guint32 max);
