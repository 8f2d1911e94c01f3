/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/*
 * A strict JSON reader that never allocates while it reads.
 *
 * One pass checks the whole text (RFC 8259, UTF-8, depth) and writes a flat list of
 * tokens; the decoder then walks the list and turns into numbers only what it wants.
 * json-glib is not used for telemetry because it hides what a recorder must report:
 * integers above 2^63, numbers that became infinite, keys that came twice.
 *
 * A leading byte order mark, white space around the value and one NUL behind it are
 * accepted, since robots and their tools send them.
 */

#define ROBOT_JSON_MAX_DEPTH 64

typedef enum {
  ROBOT_JSON_NULL,
  ROBOT_JSON_FALSE,
  ROBOT_JSON_TRUE,
  ROBOT_JSON_INTEGER, /* digits with an optional minus, nothing else */
  ROBOT_JSON_REAL,
  ROBOT_JSON_STRING,
  ROBOT_JSON_ARRAY,
  ROBOT_JSON_OBJECT,
} RobotJsonType;

typedef enum {
  ROBOT_JSON_OK,
  ROBOT_JSON_SYNTAX,
  ROBOT_JSON_UTF8,  /* a text is not UTF-8, or escapes half a surrogate pair */
  ROBOT_JSON_DEPTH, /* nested deeper than ROBOT_JSON_MAX_DEPTH */
  ROBOT_JSON_SIZE,  /* longer than the reader was made for */
} RobotJsonResult;

/*
 * A value. Members of an object are two tokens each, the key and the value; `next` is the
 * index of the token behind the value and all that it contains.
 */
typedef struct {
  guint32 offset; /* in the text; of a string without its quotes */
  guint32 length; /* bytes */
  guint32 next;
  guint8 type;
  guint8 escaped; /* a string with backslashes: its bytes are not its value */
} RobotJsonToken;

typedef struct {
  const char *text; /* (unowned): valid as long as the caller's buffer */
  gsize length;
  gsize position;
  RobotJsonToken *tokens;
  guint32 n_tokens;
  gsize max_length;
} RobotJson;

/* What a number or text conversion found. */
typedef enum {
  ROBOT_VALUE_OK,
  ROBOT_VALUE_MISTYPED,
  ROBOT_VALUE_OVERFLOW,   /* an integer beyond the type */
  ROBOT_VALUE_NON_FINITE, /* beyond the range of a double */
  ROBOT_VALUE_TOO_LONG,   /* a text beyond the buffer */
} RobotValue;

/* Makes room for texts of at most max_length bytes; the only allocation. */
void robot_json_init (RobotJson *self, gsize max_length);
void robot_json_clear (RobotJson *self);

/* Reads a whole text. On success the first token is the root value. */
RobotJsonResult robot_json_parse (RobotJson *self, const char *text, gsize length);

/* The conversions leave *ret alone unless they return ROBOT_VALUE_OK. */
RobotValue robot_json_double (const RobotJson *self, const RobotJsonToken *token, double *ret);
RobotValue robot_json_u64 (const RobotJson *self, const RobotJsonToken *token, guint64 *ret);
RobotValue robot_json_i64 (const RobotJson *self, const RobotJsonToken *token, gint64 *ret);
RobotValue robot_json_bool (const RobotJsonToken *token, gboolean *ret);

/* Copies a text with its escapes resolved, NUL-terminated; a NUL inside it is MISTYPED. */
RobotValue robot_json_text (const RobotJson *self, const RobotJsonToken *token, char *buffer,
                            gsize size);

/* Whether a key token says `name`, escapes resolved. */
gboolean robot_json_key_is (const RobotJson *self, const RobotJsonToken *token, const char *name,
                            gsize length);

/* The character of an escape; `at` is behind the backslash. For the two halves of the reader. */
RobotJsonResult robot_json_escape (const char *at, gsize available, gunichar *ret_char,
                                   gsize *ret_length);
