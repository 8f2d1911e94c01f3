/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-decode.h"

#include <string.h>

#include "robot-fields.h"

static const char *const flaw_names[ROBOT_N_FLAWS] = {
  [ROBOT_FLAW_MISSING] = "missing",
  [ROBOT_FLAW_MISTYPED] = "mistyped",
  [ROBOT_FLAW_LENGTH] = "length",
  [ROBOT_FLAW_NON_FINITE] = "non_finite",
  [ROBOT_FLAW_OVERFLOW] = "overflow",
  [ROBOT_FLAW_UNKNOWN_WORD] = "unknown_word",
  [ROBOT_FLAW_UNKNOWN_KEY] = "unknown_key",
  [ROBOT_FLAW_DUPLICATE_KEY] = "duplicate_key",
  [ROBOT_FLAW_TOO_LONG] = "too_long",
  [ROBOT_FLAW_DUPLICATE_NAME] = "duplicate_name",
  [ROBOT_FLAW_STAMP_ZERO] = "stamp_zero",
  [ROBOT_FLAW_STAMP_REPEATED] = "stamp_repeated",
  [ROBOT_FLAW_STAMP_BACKWARD] = "stamp_backward",
};

typedef struct {
  guint64 type, time_ms, src;
  guint32 data;
} Root;

static const RobotField head_fields[] = {
  { ROBOT_KEY ("src"), .kind = ROBOT_FIELD_U64, .offset = offsetof (Root, src) },
  { ROBOT_KEY ("time"), .kind = ROBOT_FIELD_U64, .offset = offsetof (Root, time_ms) },
  { ROBOT_KEY ("type"), .kind = ROBOT_FIELD_U64, .offset = offsetof (Root, type) },
};
static const RobotLayout head_layout = { head_fields, G_N_ELEMENTS (head_fields) };

static const RobotField root_fields[] = {
  { ROBOT_KEY ("data"), .kind = ROBOT_FIELD_TOKEN, .optional = TRUE,
    .offset = offsetof (Root, data) },
  { ROBOT_KEY ("head"), .kind = ROBOT_FIELD_OBJECT, .layout = &head_layout },
};
static const RobotLayout root_layout = { root_fields, G_N_ELEMENTS (root_fields) };

const char *
robot_flaw_name (RobotFlaw flaw)
{
  return flaw_names[flaw];
}

void
robot_decoder_init (RobotDecoder *self, guint8 transport)
{
  *self = (RobotDecoder){ .transport = transport };
  robot_json_init (&self->json, ROBOT_MAX_JSON);
}

void
robot_decoder_clear (RobotDecoder *self)
{
  robot_json_clear (&self->json);
}

void
robot_decoder_restart (RobotDecoder *self)
{
  self->last_stamp = 0;
}

/* ---- what is wrong with the message at hand ---- */

void
robot_decoder_push (RobotDecoder *self, const char *name, gsize length, int index)
{
  g_assert (self->depth < G_N_ELEMENTS (self->path));
  self->path[self->depth++] = (RobotStep){ name, (guint32) length, index };
}

void
robot_decoder_pop (RobotDecoder *self)
{
  self->depth--;
}

/* Writes `a.b[3].name`; returns its length, or 0 when it does not fit. */
static gsize
format_path (const RobotDecoder *self, const char *name, gsize length, char *buffer, gsize size)
{
  gsize n = 0;

  for (guint i = 0; i < self->depth; i++) {
    const RobotStep *step = &self->path[i];

    if (step->length + 16 > size - n)
      return 0;
    memcpy (buffer + n, step->name, step->length);
    n += step->length;
    if (step->index >= 0)
      n += (gsize) g_snprintf (buffer + n, size - n, "[%d]", step->index);
    if (length > 0 || i + 1 < self->depth)
      buffer[n++] = '.';
  }
  if (length >= size - n)
    return 0;
  memcpy (buffer + n, name, length);
  return n + length;
}

void
robot_decoder_flaw (RobotDecoder *self, RobotFlaw flaw, const char *name, gsize length)
{
  AcqRobotEnvelope *envelope = &self->envelope;
  char path[128];
  gsize path_length, word_length, at;

  self->flaws[flaw]++;
  envelope->flaws |= 1u << flaw;
  envelope->flaw_count++;
  path_length = format_path (self, name, length, path, sizeof path);
  word_length = strlen (flaw_names[flaw]);
  at = self->flaw_fields_length;
  if (path_length == 0 || path_length + word_length + 3 > sizeof envelope->flaw_fields - at)
    return; /* it is still counted */
  if (at > 0)
    envelope->flaw_fields[at++] = ' ';
  memcpy (envelope->flaw_fields + at, path, path_length);
  at += path_length;
  envelope->flaw_fields[at++] = ':';
  memcpy (envelope->flaw_fields + at, flaw_names[flaw], word_length + 1);
  self->flaw_fields_length = at + word_length;
}

void
robot_decoder_flaw_value (RobotDecoder *self, RobotFlaw flaw, const char *name, gsize length,
                          const RobotJsonToken *value)
{
  AcqRobotEnvelope *envelope = &self->envelope;
  gboolean is_text = value->type == ROBOT_JSON_STRING;
  gsize bytes = value->length + (is_text ? 2 : 0);
  const char *text = self->json.text + value->offset - (is_text ? 1 : 0);
  gsize at = self->extra_length;
  gsize path_length;
  char path[256];

  robot_decoder_flaw (self, flaw, name, length);
  path_length = format_path (self, name, length, path, sizeof path);
  if (path_length == 0 || path_length + bytes + 6 > sizeof envelope->extra - at) {
    envelope->extra_omitted++;
    return;
  }
  /* Behind the first member the closing brace is written over by a comma. */
  envelope->extra[at == 0 ? 0 : at - 1] = at == 0 ? '{' : ',';
  at = at == 0 ? 1 : at;
  envelope->extra[at++] = '"';
  memcpy (envelope->extra + at, path, path_length);
  at += path_length;
  envelope->extra[at++] = '"';
  envelope->extra[at++] = ':';
  memcpy (envelope->extra + at, text, bytes);
  at += bytes;
  envelope->extra[at++] = '}';
  envelope->extra[at] = '\0';
  self->extra_length = at;
}

static void
begin_envelope (RobotDecoder *self)
{
  AcqRobotEnvelope *envelope = &self->envelope;

  envelope->flaws = 0;
  envelope->flaw_count = 0;
  envelope->extra_omitted = 0;
  envelope->flaw_fields[0] = '\0';
  envelope->extra[0] = '\0';
  self->flaw_fields_length = 0;
  self->extra_length = 0;
  self->depth = 0;
}

void
robot_decoder_envelope (const RobotDecoder *self, AcqRobotEnvelope *ret)
{
  const AcqRobotEnvelope *from = &self->envelope;

  ret->time_ms = self->head.time_ms;
  ret->src = self->head.src;
  ret->msg_id = self->head.msg_id;
  ret->transport = self->transport;
  ret->flaws = from->flaws;
  ret->flaw_count = from->flaw_count;
  ret->extra_omitted = from->extra_omitted;
  memcpy (ret->flaw_fields, from->flaw_fields, self->flaw_fields_length + 1);
  memcpy (ret->extra, from->extra, self->extra_length + 1);
}

/* ---- one unit ---- */

static RobotReject
read_json (RobotDecoder *self, const RobotUnit *unit)
{
  switch (robot_json_parse (&self->json, unit->json, unit->json_length)) {
  case ROBOT_JSON_OK:
    return self->json.tokens[0].type == ROBOT_JSON_OBJECT ? ROBOT_REJECT_NONE
                                                          : ROBOT_REJECT_NOT_OBJECT;
  case ROBOT_JSON_UTF8:
    return ROBOT_REJECT_JSON_UTF8;
  case ROBOT_JSON_DEPTH:
    return ROBOT_REJECT_JSON_DEPTH;
  case ROBOT_JSON_SIZE:
    return ROBOT_REJECT_OVERSIZE;
  case ROBOT_JSON_SYNTAX:
    break;
  }
  return ROBOT_REJECT_JSON_SYNTAX;
}

RobotReject
robot_decoder_read (RobotDecoder *self, const guint8 *bytes, gsize size)
{
  RobotUnit unit;
  RobotReject reject;
  Root root = { 0 };

  if ((reject = robot_unit_parse (bytes, size, &unit)) != ROBOT_REJECT_NONE ||
      (reject = read_json (self, &unit)) != ROBOT_REJECT_NONE)
    return reject;
  begin_envelope (self);
  robot_layout_decode (self, &root_layout, 0, &root);
  if (root.type == 0 || root.type > G_MAXUINT32)
    return ROBOT_REJECT_NO_TYPE;
  self->head = (RobotHead){ .type = (guint32) root.type,
                            .has_time = root.time_ms != 0,
                            .time_ms = root.time_ms,
                            .src = root.src > G_MAXUINT32 ? 0 : (guint32) root.src,
                            .msg_id = unit.msg_id };
  self->data = root.data;
  return ROBOT_REJECT_NONE;
}
