/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-fields.h"

#include <math.h>
#include <string.h>

/* How many unknown keys of one object are looked at for duplicates. */
#define MAX_UNKNOWN 32

RobotFlaw
robot_flaw_of_value (RobotValue value)
{
  switch (value) {
  case ROBOT_VALUE_OVERFLOW:
    return ROBOT_FLAW_OVERFLOW;
  case ROBOT_VALUE_NON_FINITE:
    return ROBOT_FLAW_NON_FINITE;
  case ROBOT_VALUE_TOO_LONG:
    return ROBOT_FLAW_TOO_LONG;
  case ROBOT_VALUE_OK:
  case ROBOT_VALUE_MISTYPED:
    break;
  }
  return ROBOT_FLAW_MISTYPED;
}

static void
reset_field (const RobotField *field, void *out)
{
  char *at = (char *) out + field->offset;

  switch ((RobotFieldKind) field->kind) {
  case ROBOT_FIELD_DOUBLE:
    *(double *) at = NAN;
    break;
  case ROBOT_FIELD_DOUBLES:
    for (guint32 i = 0; i < field->size; i++)
      ((double *) at)[i] = NAN;
    break;
  case ROBOT_FIELD_INT:
    *(gint32 *) at = -1;
    break;
  case ROBOT_FIELD_U64:
    *(guint64 *) at = 0;
    break;
  case ROBOT_FIELD_FLAG:
    *(gint8 *) at = -1;
    break;
  case ROBOT_FIELD_WORD:
    *((guint8 *) out + field->second) = 0;
    *at = '\0';
    break;
  case ROBOT_FIELD_SWITCH:
  case ROBOT_FIELD_TEXT:
  case ROBOT_FIELD_ANYTEXT:
    *at = '\0';
    break;
  case ROBOT_FIELD_LIST:
    *(guint32 *) ((char *) out + field->second) = ROBOT_NO_LIST;
    break;
  case ROBOT_FIELD_TOKEN:
    *(guint32 *) at = 0;
    break;
  case ROBOT_FIELD_OBJECT:
    robot_layout_reset (field->layout, out);
    break;
  case ROBOT_FIELD_CUSTOM:
    break;
  }
}

void
robot_layout_reset (const RobotLayout *layout, void *out)
{
  for (guint i = 0; i < layout->n_fields; i++)
    reset_field (&layout->fields[i], out);
}

guint32
robot_count_elements (const RobotJson *json, guint32 token, guint32 max)
{
  guint32 end = json->tokens[token].next;
  guint32 n = 0;

  for (guint32 i = token + 1; i < end && n <= max; i = json->tokens[i].next)
    n++;
  return n;
}

/* Elements that are no numbers are NaN and named; the others are kept. */
static void
decode_elements (RobotDecoder *self, const RobotField *field, guint32 token, double *out)
{
  const RobotJson *json = &self->json;
  guint32 end = json->tokens[token].next;
  guint32 n = 0;

  for (guint32 i = token + 1; i < end; i = json->tokens[i].next, n++) {
    RobotValue value = robot_json_double (json, &json->tokens[i], &out[n]);

    if (value == ROBOT_VALUE_OK)
      continue;
    out[n] = NAN;
    robot_decoder_push (self, field->key, field->key_length, (int) n);
    robot_decoder_flaw_value (self, robot_flaw_of_value (value), "", 0, &json->tokens[i]);
    robot_decoder_pop (self);
  }
}

static RobotFlaw
decode_doubles (RobotDecoder *self, const RobotField *field, guint32 token, void *out)
{
  if (self->json.tokens[token].type != ROBOT_JSON_ARRAY)
    return ROBOT_FLAW_MISTYPED;
  if (robot_count_elements (&self->json, token, field->size) != field->size)
    return ROBOT_FLAW_LENGTH;
  decode_elements (self, field, token, (double *) ((char *) out + field->offset));
  return ROBOT_N_FLAWS;
}

static RobotFlaw
decode_list (RobotDecoder *self, const RobotField *field, guint32 token, void *out)
{
  guint32 n;

  if (self->json.tokens[token].type != ROBOT_JSON_ARRAY)
    return ROBOT_FLAW_MISTYPED;
  n = robot_count_elements (&self->json, token, field->size);
  if (n > field->size)
    return ROBOT_FLAW_TOO_LONG;
  decode_elements (self, field, token, (double *) ((char *) out + field->offset));
  *(guint32 *) ((char *) out + field->second) = n;
  return ROBOT_N_FLAWS;
}

static RobotFlaw
decode_int (RobotDecoder *self, const RobotField *field, const RobotJsonToken *token, void *out)
{
  gint64 number;
  RobotValue value = robot_json_i64 (&self->json, token, &number);

  if (value != ROBOT_VALUE_OK)
    return robot_flaw_of_value (value);
  if (number < G_MININT32 || number > G_MAXINT32)
    return ROBOT_FLAW_OVERFLOW;
  *(gint32 *) ((char *) out + field->offset) = (gint32) number;
  if (field->size > 0 && (number < 0 || number >= field->size))
    robot_decoder_flaw (self, ROBOT_FLAW_UNKNOWN_WORD, field->key, field->key_length);
  return ROBOT_N_FLAWS;
}

static RobotFlaw
decode_bool (const RobotField *field, const RobotJsonToken *token, void *out)
{
  gboolean yes;

  if (robot_json_bool (token, &yes) != ROBOT_VALUE_OK)
    return ROBOT_FLAW_MISTYPED;
  if (field->kind == ROBOT_FIELD_FLAG)
    *((gint8 *) out + field->offset) = (gint8) yes;
  else
    *((guint8 *) out + field->offset) = yes ? field->on : field->off;
  return ROBOT_N_FLAWS;
}

static RobotFlaw
decode_text (RobotDecoder *self, const RobotField *field, const RobotJsonToken *token, void *out)
{
  char *at = (char *) out + field->offset;
  RobotValue value;

  if (field->kind == ROBOT_FIELD_ANYTEXT &&
      (token->type == ROBOT_JSON_INTEGER || token->type == ROBOT_JSON_REAL)) {
    if (token->length >= field->size)
      return ROBOT_FLAW_TOO_LONG;
    memcpy (at, self->json.text + token->offset, token->length);
    at[token->length] = '\0';
    return ROBOT_N_FLAWS;
  }
  value = robot_json_text (&self->json, token, at, field->size);
  if (value != ROBOT_VALUE_OK)
    return robot_flaw_of_value (value);
  if (field->kind == ROBOT_FIELD_WORD && field->words != NULL &&
      !robot_word_find (field->words, at, (guint8 *) out + field->second))
    robot_decoder_flaw (self, ROBOT_FLAW_UNKNOWN_WORD, field->key, field->key_length);
  return ROBOT_N_FLAWS;
}

static RobotFlaw
decode_object (RobotDecoder *self, const RobotField *field, guint32 token, void *out)
{
  if (self->json.tokens[token].type != ROBOT_JSON_OBJECT)
    return ROBOT_FLAW_MISTYPED;
  if (field->kind == ROBOT_FIELD_TOKEN) {
    *(guint32 *) ((char *) out + field->offset) = token;
    return ROBOT_N_FLAWS;
  }
  robot_decoder_push (self, field->key, field->key_length, -1);
  robot_layout_decode (self, field->layout, token, out);
  robot_decoder_pop (self);
  return ROBOT_N_FLAWS;
}

/* Returns what was wrong, or ROBOT_N_FLAWS. */
static RobotFlaw
decode_field (RobotDecoder *self, const RobotField *field, guint32 index, void *out)
{
  const RobotJsonToken *token = &self->json.tokens[index];
  RobotValue value;

  switch ((RobotFieldKind) field->kind) {
  case ROBOT_FIELD_DOUBLE:
    value = robot_json_double (&self->json, token, (double *) ((char *) out + field->offset));
    return value == ROBOT_VALUE_OK ? ROBOT_N_FLAWS : robot_flaw_of_value (value);
  case ROBOT_FIELD_U64:
    value = robot_json_u64 (&self->json, token, (guint64 *) ((char *) out + field->offset));
    return value == ROBOT_VALUE_OK ? ROBOT_N_FLAWS : robot_flaw_of_value (value);
  case ROBOT_FIELD_INT:
    return decode_int (self, field, token, out);
  case ROBOT_FIELD_FLAG:
  case ROBOT_FIELD_SWITCH:
    return decode_bool (field, token, out);
  case ROBOT_FIELD_TEXT:
  case ROBOT_FIELD_ANYTEXT:
  case ROBOT_FIELD_WORD:
    return decode_text (self, field, token, out);
  case ROBOT_FIELD_DOUBLES:
    return decode_doubles (self, field, index, out);
  case ROBOT_FIELD_LIST:
    return decode_list (self, field, index, out);
  case ROBOT_FIELD_OBJECT:
  case ROBOT_FIELD_TOKEN:
    return decode_object (self, field, index, out);
  case ROBOT_FIELD_CUSTOM:
    field->custom (self, index, out);
    break;
  }
  return ROBOT_N_FLAWS;
}

/* Robots send keys in a fixed order, so the first guess is nearly always right. */
static int
find_field (const RobotJson *json, const RobotLayout *layout, const RobotJsonToken *key,
            guint guess)
{
  for (guint i = 0; i < layout->n_fields; i++) {
    guint at = guess + i < layout->n_fields ? guess + i : guess + i - layout->n_fields;
    const RobotField *field = &layout->fields[at];

    if (robot_json_key_is (json, key, field->key, field->key_length))
      return (int) at;
  }
  return -1;
}

/* A key that no table knows: kept, counted, and looked at for duplicates. */
static void
note_unknown (RobotDecoder *self, guint32 index, guint32 *unknown, guint *n_unknown)
{
  const RobotJson *json = &self->json;
  const RobotJsonToken *key = &json->tokens[index];
  const char *name = json->text + key->offset;

  for (guint i = 0; i < *n_unknown; i++) {
    const RobotJsonToken *other = &json->tokens[unknown[i]];

    if (other->length == key->length &&
        memcmp (json->text + other->offset, name, key->length) == 0) {
      robot_decoder_flaw (self, ROBOT_FLAW_DUPLICATE_KEY, name, key->length);
      return;
    }
  }
  if (*n_unknown < MAX_UNKNOWN)
    unknown[(*n_unknown)++] = index;
  robot_decoder_flaw_value (self, ROBOT_FLAW_UNKNOWN_KEY, name, key->length,
                            &json->tokens[index + 1]);
}

void
robot_layout_decode (RobotDecoder *self, const RobotLayout *layout, guint32 token, void *out)
{
  const RobotJsonToken *tokens = self->json.tokens;
  guint32 unknown[MAX_UNKNOWN];
  guint n_unknown = 0;
  guint64 seen = 0;
  int at = -1;

  for (guint32 i = token + 1; i < tokens[token].next; i = tokens[i + 1].next) {
    int found = find_field (&self->json, layout, &tokens[i], (guint) (at + 1));
    const RobotField *field;
    RobotFlaw flaw;

    if (found < 0) {
      note_unknown (self, i, unknown, &n_unknown);
      continue;
    }
    at = found;
    field = &layout->fields[at];
    if (seen & G_GUINT64_CONSTANT (1) << at) {
      robot_decoder_flaw (self, ROBOT_FLAW_DUPLICATE_KEY, field->key, field->key_length);
      reset_field (field, out);
    }
    seen |= G_GUINT64_CONSTANT (1) << at;
    flaw = decode_field (self, field, i + 1, out);
    if (flaw != ROBOT_N_FLAWS)
      robot_decoder_flaw_value (self, flaw, field->key, field->key_length, &tokens[i + 1]);
  }
  for (guint i = 0; i < layout->n_fields; i++) {
    const RobotField *field = &layout->fields[i];

    if (!field->optional && !(seen & G_GUINT64_CONSTANT (1) << i))
      robot_decoder_flaw (self, ROBOT_FLAW_MISSING, field->key, field->key_length);
  }
}
