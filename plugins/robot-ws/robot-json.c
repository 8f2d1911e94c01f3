/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-json.h"

#include <string.h>

/* Classes of bytes inside a string: what the fast loop must stop at. */
enum { PLAIN = 0, STOP_QUOTE, STOP_ESCAPE, STOP_CONTROL, NOT_ASCII };

#define ROW16(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x
static const guint8 string_class[256] = {
  ROW16 (STOP_CONTROL), ROW16 (STOP_CONTROL), ROW16 (PLAIN),     ROW16 (PLAIN),
  ROW16 (PLAIN),        ROW16 (PLAIN),        ROW16 (PLAIN),     ROW16 (PLAIN),
  ROW16 (NOT_ASCII),    ROW16 (NOT_ASCII),    ROW16 (NOT_ASCII), ROW16 (NOT_ASCII),
  ROW16 (NOT_ASCII),    ROW16 (NOT_ASCII),    ROW16 (NOT_ASCII), ROW16 (NOT_ASCII),
};

void
robot_json_init (RobotJson *self, gsize max_length)
{
  *self = (RobotJson){ .max_length = max_length };
  /* Two bytes make a token at most: a digit and its comma. */
  self->tokens = g_new (RobotJsonToken, max_length / 2 + 2);
}

void
robot_json_clear (RobotJson *self)
{
  g_clear_pointer (&self->tokens, g_free);
}

static inline int
peek (const RobotJson *self)
{
  return self->position < self->length ? (guchar) self->text[self->position] : -1;
}

static inline void
skip_space (RobotJson *self)
{
  const char *text = self->text;
  gsize position = self->position;

  while (position < self->length && (text[position] == ' ' || text[position] == '\n' ||
                                     text[position] == '\t' || text[position] == '\r'))
    position++;
  self->position = position;
}

static inline RobotJsonToken *
add_token (RobotJson *self, RobotJsonType type, gsize offset)
{
  RobotJsonToken *token = &self->tokens[self->n_tokens++];

  token->type = type;
  token->escaped = FALSE;
  token->offset = (guint32) offset;
  token->next = self->n_tokens;
  return token;
}

static gboolean
read_hex4 (const char *text, gsize available, guint *ret)
{
  guint value = 0;

  if (available < 4)
    return FALSE;
  for (guint i = 0; i < 4; i++) {
    int digit = g_ascii_xdigit_value (text[i]);

    if (digit < 0)
      return FALSE;
    value = value << 4 | (guint) digit;
  }
  *ret = value;
  return TRUE;
}

/* `at` is behind the backslash; gives the bytes of the escape from there. */
RobotJsonResult
robot_json_escape (const char *at, gsize available, gunichar *ret_char, gsize *ret_length)
{
  static const char from[] = "\"\\/bfnrt";
  static const char to[] = "\"\\/\b\f\n\r\t";
  const char *simple;
  guint high, low;

  if (available == 0)
    return ROBOT_JSON_SYNTAX;
  if (at[0] != 'u') {
    simple = at[0] == '\0' ? NULL : strchr (from, at[0]);
    if (simple == NULL)
      return ROBOT_JSON_SYNTAX;
    *ret_char = (guchar) to[simple - from];
    *ret_length = 1;
    return ROBOT_JSON_OK;
  }
  if (!read_hex4 (at + 1, available - 1, &high))
    return ROBOT_JSON_SYNTAX;
  *ret_char = high;
  *ret_length = 5;
  if (high < 0xD800 || high > 0xDFFF)
    return ROBOT_JSON_OK;
  if (high > 0xDBFF || available < 11 || at[5] != '\\' || at[6] != 'u' ||
      !read_hex4 (at + 7, available - 7, &low) || low < 0xDC00 || low > 0xDFFF)
    return ROBOT_JSON_UTF8;
  *ret_char = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  *ret_length = 11;
  return ROBOT_JSON_OK;
}

/* A byte above 127 is next: steps over one character. */
static RobotJsonResult
skip_character (RobotJson *self)
{
  const char *at = self->text + self->position;
  gunichar c = g_utf8_get_char_validated (at, (gssize) (self->length - self->position));

  if (c == (gunichar) -1 || c == (gunichar) -2)
    return ROBOT_JSON_UTF8;
  self->position += (gsize) g_unichar_to_utf8 (c, NULL);
  return ROBOT_JSON_OK;
}

static RobotJsonResult
parse_string (RobotJson *self)
{
  RobotJsonToken *token = add_token (self, ROBOT_JSON_STRING, ++self->position);
  RobotJsonResult result;
  gunichar c;
  gsize step;

  for (;;) {
    while (self->position < self->length) {
      guchar byte = (guchar) self->text[self->position];

      if (string_class[byte] != PLAIN || byte == '"' || byte == '\\')
        break;
      self->position++;
    }
    switch (peek (self)) {
    case '"':
      token->length = (guint32) (self->position++ - token->offset);
      return ROBOT_JSON_OK;
    case '\\':
      self->position++;
      result =
          robot_json_escape (self->text + self->position, self->length - self->position, &c, &step);
      if (result != ROBOT_JSON_OK)
        return result;
      token->escaped = TRUE;
      self->position += step;
      break;
    case -1:
      return ROBOT_JSON_SYNTAX;
    default:
      if (string_class[peek (self)] == STOP_CONTROL)
        return ROBOT_JSON_SYNTAX;
      if ((result = skip_character (self)) != ROBOT_JSON_OK)
        return result;
    }
  }
}

static gboolean
skip_digits (RobotJson *self)
{
  gsize begin = self->position;

  while (self->position < self->length && g_ascii_isdigit (self->text[self->position]))
    self->position++;
  return self->position > begin;
}

static RobotJsonResult
parse_number (RobotJson *self)
{
  RobotJsonToken *token = add_token (self, ROBOT_JSON_INTEGER, self->position);

  if (peek (self) == '-')
    self->position++;
  if (peek (self) == '0')
    self->position++;
  else if (!skip_digits (self))
    return ROBOT_JSON_SYNTAX;
  if (peek (self) == '.') {
    token->type = ROBOT_JSON_REAL;
    self->position++;
    if (!skip_digits (self))
      return ROBOT_JSON_SYNTAX;
  }
  if (peek (self) == 'e' || peek (self) == 'E') {
    token->type = ROBOT_JSON_REAL;
    self->position++;
    if (peek (self) == '+' || peek (self) == '-')
      self->position++;
    if (!skip_digits (self))
      return ROBOT_JSON_SYNTAX;
  }
  token->length = (guint32) (self->position - token->offset);
  return ROBOT_JSON_OK;
}

static RobotJsonResult
parse_word (RobotJson *self, RobotJsonType type, const char *word, gsize length)
{
  if (self->length - self->position < length ||
      memcmp (self->text + self->position, word, length) != 0)
    return ROBOT_JSON_SYNTAX;
  add_token (self, type, self->position)->length = (guint32) length;
  self->position += length;
  return ROBOT_JSON_OK;
}

static RobotJsonResult parse_container (RobotJson *self, RobotJsonType type, guint depth);

static RobotJsonResult
parse_value (RobotJson *self, guint depth)
{
  skip_space (self);
  switch (peek (self)) {
  case '{':
    return parse_container (self, ROBOT_JSON_OBJECT, depth);
  case '[':
    return parse_container (self, ROBOT_JSON_ARRAY, depth);
  case '"':
    return parse_string (self);
  case 't':
    return parse_word (self, ROBOT_JSON_TRUE, "true", 4);
  case 'f':
    return parse_word (self, ROBOT_JSON_FALSE, "false", 5);
  case 'n':
    return parse_word (self, ROBOT_JSON_NULL, "null", 4);
  default:
    return parse_number (self);
  }
}

static RobotJsonResult
parse_member (RobotJson *self, RobotJsonType type, guint depth)
{
  RobotJsonResult result;

  if (type == ROBOT_JSON_OBJECT) {
    skip_space (self);
    if (peek (self) != '"')
      return ROBOT_JSON_SYNTAX;
    if ((result = parse_string (self)) != ROBOT_JSON_OK)
      return result;
    skip_space (self);
    if (peek (self) != ':')
      return ROBOT_JSON_SYNTAX;
    self->position++;
  }
  return parse_value (self, depth);
}

static RobotJsonResult
parse_container (RobotJson *self, RobotJsonType type, guint depth)
{
  const char close = type == ROBOT_JSON_OBJECT ? '}' : ']';
  guint32 index = self->n_tokens;
  RobotJsonResult result;

  if (depth >= ROBOT_JSON_MAX_DEPTH)
    return ROBOT_JSON_DEPTH;
  add_token (self, type, self->position++);
  skip_space (self);
  if (peek (self) != close) {
    for (;;) {
      if ((result = parse_member (self, type, depth + 1)) != ROBOT_JSON_OK)
        return result;
      skip_space (self);
      if (peek (self) != ',')
        break;
      self->position++;
    }
  }
  if (peek (self) != close)
    return ROBOT_JSON_SYNTAX;
  self->position++;
  self->tokens[index].length = (guint32) (self->position - self->tokens[index].offset);
  self->tokens[index].next = self->n_tokens;
  return ROBOT_JSON_OK;
}

RobotJsonResult
robot_json_parse (RobotJson *self, const char *text, gsize length)
{
  RobotJsonResult result;

  if (length > self->max_length)
    return ROBOT_JSON_SIZE;
  self->text = text;
  self->length = length;
  self->n_tokens = 0;
  self->position = length >= 3 && memcmp (text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  if ((result = parse_value (self, 0)) != ROBOT_JSON_OK)
    return result;
  skip_space (self);
  if (self->position + 1 == length && text[self->position] == '\0')
    self->position++;
  return self->position == length ? ROBOT_JSON_OK : ROBOT_JSON_SYNTAX;
}
