/* SPDX-License-Identifier: Apache-2.0 */

#include <math.h>
#include <string.h>

#include "robot-fields.h"

/* ---- 1004: motor_temp, a map from joint to temperature ---- */

static void
decode_temperature (RobotDecoder *self, AcqRobotState *state, const RobotJsonToken *key,
                    const RobotJsonToken *value)
{
  const char *name = self->json.text + key->offset;
  AcqRobotJointTemperature *at = &state->motor_temp[state->n_motor_temp];
  RobotValue result = robot_json_text (&self->json, key, at->name, sizeof at->name);

  if (result != ROBOT_VALUE_OK) {
    robot_decoder_flaw_value (self, robot_flaw_of_value (result), name, key->length, value);
    return;
  }
  for (guint32 i = 0; i < state->n_motor_temp; i++) {
    if (strcmp (state->motor_temp[i].name, at->name) == 0) {
      robot_decoder_flaw_value (self, ROBOT_FLAW_DUPLICATE_NAME, name, key->length, value);
      return;
    }
  }
  at->temperature = NAN;
  state->n_motor_temp++;
  result = robot_json_double (&self->json, value, &at->temperature);
  if (result != ROBOT_VALUE_OK)
    robot_decoder_flaw_value (self, robot_flaw_of_value (result), name, key->length, value);
}

void
robot_decode_motor_temp (RobotDecoder *self, guint32 token, void *out)
{
  static const char key[] = "motor_temp";
  const RobotJsonToken *tokens = self->json.tokens;
  AcqRobotState *state = out;

  state->n_motor_temp = 0;
  if (tokens[token].type != ROBOT_JSON_OBJECT) {
    robot_decoder_flaw_value (self, ROBOT_FLAW_MISTYPED, key, sizeof key - 1, &tokens[token]);
    return;
  }
  /* Keys and values are two elements each. */
  if (robot_count_elements (&self->json, token, 2 * G_N_ELEMENTS (state->motor_temp)) >
      2 * G_N_ELEMENTS (state->motor_temp)) {
    robot_decoder_flaw_value (self, ROBOT_FLAW_TOO_LONG, key, sizeof key - 1, &tokens[token]);
    return;
  }
  robot_decoder_push (self, key, sizeof key - 1, -1);
  for (guint32 i = token + 1; i < tokens[token].next; i = tokens[i + 1].next)
    decode_temperature (self, state, &tokens[i], &tokens[i + 1]);
  robot_decoder_pop (self);
}

/* ---- 1005 ---- */

gboolean
robot_faults_fit (const RobotDecoder *self)
{
  const RobotJson *json = &self->json;

  if (self->data == 0)
    return TRUE;
  for (guint32 i = self->data + 1; i < json->tokens[self->data].next;
       i = json->tokens[i + 1].next) {
    if (robot_json_key_is (json, &json->tokens[i], "faults", 6) &&
        json->tokens[i + 1].type == ROBOT_JSON_ARRAY &&
        robot_count_elements (json, i + 1, ROBOT_MAX_FAULTS) > ROBOT_MAX_FAULTS)
      return FALSE;
  }
  return TRUE;
}

void
robot_decode_fault_list (RobotDecoder *self, guint32 token, void *out)
{
  static const char key[] = "faults";
  const RobotJsonToken *tokens = self->json.tokens;
  AcqRobotFaults *faults = out;

  faults->n_faults = 0;
  if (tokens[token].type != ROBOT_JSON_ARRAY) {
    robot_decoder_flaw_value (self, ROBOT_FLAW_MISTYPED, key, sizeof key - 1, &tokens[token]);
    return;
  }
  for (guint32 i = token + 1; i < tokens[token].next; i = tokens[i].next) {
    AcqRobotFault *fault = &faults->faults[faults->n_faults];

    robot_decoder_push (self, key, sizeof key - 1, (int) faults->n_faults++);
    robot_layout_reset (&robot_fault_layout, fault);
    if (tokens[i].type == ROBOT_JSON_OBJECT)
      robot_layout_decode (self, &robot_fault_layout, i, fault);
    else
      robot_decoder_flaw_value (self, ROBOT_FLAW_MISTYPED, "", 0, &tokens[i]);
    fault->level =
        fault->wire_level >= 0 && fault->wire_level < 4 ? robot_fault_levels[fault->wire_level] : 0;
    robot_decoder_pop (self);
  }
}

/* ---- 1104 ---- */

static void
decode_name (RobotDecoder *self, RobotJoints *joints, const RobotJsonToken *token)
{
  char *name = joints->names[joints->n_names];
  RobotValue value;

  name[0] = '\0';
  robot_decoder_push (self, "names", 5, (int) joints->n_names);
  value = robot_json_text (&self->json, token, name, sizeof joints->names[0]);
  if (value != ROBOT_VALUE_OK) {
    robot_decoder_flaw_value (self, robot_flaw_of_value (value), "", 0, token);
  } else {
    for (guint32 i = 0; i < joints->n_names; i++) {
      if (strcmp (joints->names[i], name) == 0) {
        robot_decoder_flaw_value (self, ROBOT_FLAW_DUPLICATE_NAME, "", 0, token);
        name[0] = '\0';
        break;
      }
    }
  }
  robot_decoder_pop (self);
  joints->n_names++;
}

/*
 * The names are the same text in nearly every message. Only when the text is another one are
 * they read again.
 */
void
robot_decode_names (RobotDecoder *self, guint32 token, void *out)
{
  const RobotJsonToken *array = &self->json.tokens[token];
  const char *text = self->json.text + array->offset;
  guint64 flaws = self->envelope.flaw_count;
  RobotJoints *joints = out;
  guint32 n;
  gboolean same = array->type == ROBOT_JSON_ARRAY && array->length == joints->seen_length &&
                  memcmp (text, joints->seen, array->length) == 0;

  joints->n_names = ROBOT_NO_LIST;
  if (same && joints->seen_clean) {
    joints->n_names = joints->seen_names;
    return;
  }
  n = array->type == ROBOT_JSON_ARRAY ? robot_count_elements (&self->json, token, ROBOT_MAX_JOINTS)
                                      : 0;
  if (array->type != ROBOT_JSON_ARRAY || n > ROBOT_MAX_JOINTS) {
    robot_decoder_flaw_value (self, n == 0 ? ROBOT_FLAW_MISTYPED : ROBOT_FLAW_TOO_LONG, "names", 5,
                              array);
    return;
  }
  joints->n_names = 0;
  for (guint32 i = token + 1; i < array->next; i = self->json.tokens[i].next)
    decode_name (self, joints, &self->json.tokens[i]);
  if (same)
    return;
  joints->names_changed++;
  joints->seen_names = joints->n_names;
  joints->seen_clean = self->envelope.flaw_count == flaws;
  joints->seen_length = array->length <= sizeof joints->seen ? array->length : 0;
  memcpy (joints->seen, text, joints->seen_length);
}

static guint32
common_length (RobotDecoder *self, const char *name, guint32 n, guint32 common)
{
  if (n == ROBOT_NO_LIST || n == common)
    return common;
  robot_decoder_flaw (self, ROBOT_FLAW_LENGTH, name, strlen (name));
  return n == 0 ? common : MIN (n, common);
}

static void
fill_missing (double *values, guint32 *count, guint32 n)
{
  if (*count != ROBOT_NO_LIST && *count != 0)
    return;
  *count = 0;
  for (guint32 i = 0; i < n; i++)
    values[i] = NAN;
}

void
robot_joints_finish (RobotDecoder *self, RobotJoints *joints)
{
  guint32 names = joints->n_names == ROBOT_NO_LIST ? 0 : joints->n_names;
  guint32 n = names;

  n = common_length (self, "positions", joints->n_positions, n);
  n = common_length (self, "velocities", joints->n_velocities, n);
  n = common_length (self, "efforts", joints->n_efforts, n);
  joints->n_names = names;
  joints->n = n;
  fill_missing (joints->positions, &joints->n_positions, n);
  fill_missing (joints->velocities, &joints->n_velocities, n);
  fill_missing (joints->efforts, &joints->n_efforts, n);
}
