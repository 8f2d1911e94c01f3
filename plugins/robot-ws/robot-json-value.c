/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-json.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static locale_t
c_locale (void)
{
  static locale_t locale;

  if (g_once_init_enter (&locale)) {
    locale_t made = newlocale (LC_ALL_MASK, "C", (locale_t) 0);

    g_once_init_leave (&locale, made);
  }
  return locale;
}

static double
read_double_slowly (const char *text, gsize length)
{
  char buffer[64];
  char *copy = buffer;
  double value;

  /*
   * strtod() needs an end that it can see. A number inside an object always has one, but a
   * number may also be the whole text.
   */
  if (length < sizeof buffer) {
    memcpy (buffer, text, length);
    buffer[length] = '\0';
    return strtod_l (buffer, NULL, c_locale ());
  }
  copy = g_strndup (text, length); /* nobody sends such numbers, except to test us */
  value = strtod_l (copy, NULL, c_locale ());
  g_free (copy);
  return value;
}

/*
 * A decimal with a mantissa below 2^53 and a power of ten up to 10^22 is exact after one
 * division or multiplication, because both operands are. Everything else goes to strtod().
 */
static double
read_double (const char *text, gsize length)
{
  static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  const char *end = text + length;
  const char *at = text;
  gboolean negative = *at == '-';
  guint64 mantissa = 0;
  guint digits = 0;
  guint scale = 0;

  if (negative)
    at++;
  for (; at < end && *at != '.'; at++, digits++) {
    if (*at > '9')
      return read_double_slowly (text, length); /* an exponent */
    mantissa = mantissa * 10 + (guint64) (*at - '0');
  }
  if (at < end) {
    for (at++; at < end; at++, digits++, scale++) {
      if (*at > '9')
        return read_double_slowly (text, length); /* an exponent */
      mantissa = mantissa * 10 + (guint64) (*at - '0');
    }
  }
  if (digits > 19 || mantissa > G_GUINT64_CONSTANT (1) << 53 || scale > 22)
    return read_double_slowly (text, length);
  return (negative ? -(double) mantissa : (double) mantissa) / powers[scale];
}

RobotValue
robot_json_double (const RobotJson *self, const RobotJsonToken *token, double *ret)
{
  double value;

  if (token->type != ROBOT_JSON_INTEGER && token->type != ROBOT_JSON_REAL)
    return ROBOT_VALUE_MISTYPED;
  value = read_double (self->text + token->offset, token->length);
  if (!isfinite (value))
    return ROBOT_VALUE_NON_FINITE;
  *ret = value;
  return ROBOT_VALUE_OK;
}

/* The digits of an INTEGER token. */
static RobotValue
read_digits (const char *at, const char *end, guint64 *ret)
{
  guint64 value = 0;

  for (; at < end; at++) {
    if (__builtin_mul_overflow (value, 10, &value) ||
        __builtin_add_overflow (value, (guint64) (*at - '0'), &value))
      return ROBOT_VALUE_OVERFLOW;
  }
  *ret = value;
  return ROBOT_VALUE_OK;
}

/* A number with a point or an exponent is an integer if a double holds it exactly as one. */
static RobotValue
read_integral (const RobotJson *self, const RobotJsonToken *token, gint64 *ret)
{
  RobotValue result;
  double value;

  if ((result = robot_json_double (self, token, &value)) != ROBOT_VALUE_OK)
    return result == ROBOT_VALUE_NON_FINITE ? ROBOT_VALUE_OVERFLOW : result;
  if (value != floor (value))
    return ROBOT_VALUE_MISTYPED;
  if (fabs (value) > 9007199254740992.0)
    return ROBOT_VALUE_OVERFLOW;
  *ret = (gint64) value;
  return ROBOT_VALUE_OK;
}

RobotValue
robot_json_u64 (const RobotJson *self, const RobotJsonToken *token, guint64 *ret)
{
  const char *at = self->text + token->offset;
  RobotValue result;
  gint64 integral;

  if (token->type == ROBOT_JSON_INTEGER && *at != '-')
    return read_digits (at, at + token->length, ret);
  if ((result = read_integral (self, token, &integral)) != ROBOT_VALUE_OK)
    return result;
  if (integral < 0)
    return ROBOT_VALUE_OVERFLOW;
  *ret = (guint64) integral;
  return ROBOT_VALUE_OK;
}

RobotValue
robot_json_i64 (const RobotJson *self, const RobotJsonToken *token, gint64 *ret)
{
  const char *at = self->text + token->offset;
  gboolean negative = *at == '-';
  RobotValue result;
  guint64 value;

  if (token->type != ROBOT_JSON_INTEGER)
    return read_integral (self, token, ret);
  if ((result = read_digits (at + negative, at + token->length, &value)) != ROBOT_VALUE_OK)
    return result;
  if (value > (guint64) G_MAXINT64 + negative)
    return ROBOT_VALUE_OVERFLOW;
  *ret = negative ? (gint64) (0 - value) : (gint64) value;
  return ROBOT_VALUE_OK;
}

RobotValue
robot_json_bool (const RobotJsonToken *token, gboolean *ret)
{
  if (token->type != ROBOT_JSON_TRUE && token->type != ROBOT_JSON_FALSE)
    return ROBOT_VALUE_MISTYPED;
  *ret = token->type == ROBOT_JSON_TRUE;
  return ROBOT_VALUE_OK;
}

/* Resolves escapes into a buffer as far as it goes; returns the length of the whole value. */
static gsize
unescape (const char *at, gsize length, char *buffer, gsize size, gboolean *ret_has_nul)
{
  const char *end = at + length;
  gsize n = 0;

  *ret_has_nul = FALSE;
  while (at < end) {
    char bytes[6] = { *at };
    int n_bytes = 1;

    if (*at++ == '\\') {
      gunichar c = 0;
      gsize step = 1;

      /* The parser has seen it: it cannot fail. */
      robot_json_escape (at, (gsize) (end - at), &c, &step);
      at += step;
      n_bytes = g_unichar_to_utf8 (c, bytes);
      *ret_has_nul |= c == 0;
    }
    for (int i = 0; i < n_bytes; i++, n++)
      if (n < size)
        buffer[n] = bytes[i];
  }
  return n;
}

RobotValue
robot_json_text (const RobotJson *self, const RobotJsonToken *token, char *buffer, gsize size)
{
  const char *text = self->text + token->offset;
  gsize length = token->length;
  gboolean has_nul;

  if (token->type != ROBOT_JSON_STRING)
    return ROBOT_VALUE_MISTYPED;
  if (!token->escaped) {
    if (length >= size)
      return ROBOT_VALUE_TOO_LONG;
    memcpy (buffer, text, length);
    buffer[length] = '\0';
    return ROBOT_VALUE_OK;
  }
  length = unescape (text, length, NULL, 0, &has_nul);
  if (has_nul)
    return ROBOT_VALUE_MISTYPED;
  if (length >= size)
    return ROBOT_VALUE_TOO_LONG;
  buffer[unescape (text, token->length, buffer, size, &has_nul)] = '\0';
  return ROBOT_VALUE_OK;
}

gboolean
robot_json_key_is (const RobotJson *self, const RobotJsonToken *token, const char *name,
                   gsize length)
{
  char plain[64];

  if (!token->escaped)
    return token->length == length && memcmp (self->text + token->offset, name, length) == 0;
  return robot_json_text (self, token, plain, sizeof plain) == ROBOT_VALUE_OK &&
         strlen (plain) == length && memcmp (plain, name, length) == 0;
}
