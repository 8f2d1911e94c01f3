/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-types.h>

typedef struct _JsonNode JsonNode;

/**
 * AcqOptionType:
 * @ACQ_OPTION_BOOL: `gboolean`
 * @ACQ_OPTION_INT: `gint64`
 * @ACQ_OPTION_DOUBLE: `double`
 * @ACQ_OPTION_ENUM: `int`, one of a table of words
 * @ACQ_OPTION_STRING: `char *`, %NULL when not given
 * @ACQ_OPTION_STRV: `char **`, %NULL when not given
 * @ACQ_OPTION_BYTES: `guint64`; JSON number, or text such as "64MiB"
 * @ACQ_OPTION_DURATION: `gint64` nanoseconds; JSON number of seconds, or text such as "250ms"
 */
typedef enum {
  ACQ_OPTION_BOOL,
  ACQ_OPTION_INT,
  ACQ_OPTION_DOUBLE,
  ACQ_OPTION_ENUM,
  ACQ_OPTION_STRING,
  ACQ_OPTION_STRV,
  ACQ_OPTION_BYTES,
  ACQ_OPTION_DURATION,
} AcqOptionType;

/**
 * AcqOptionFlags:
 * @ACQ_OPTION_REQUIRED: has no default; leaving it out is an error
 * @ACQ_OPTION_ADVANCED: shown last in help
 * @ACQ_OPTION_STREAMS: a string list whose words are the plugin's stream names (globs allowed)
 * @ACQ_OPTION_PATH: a string that is a file or folder: `~` is expanded, and it becomes absolute
 */
typedef enum {
  ACQ_OPTION_REQUIRED = 1 << 0,
  ACQ_OPTION_ADVANCED = 1 << 1,
  ACQ_OPTION_STREAMS = 1 << 2,
  ACQ_OPTION_PATH = 1 << 3,
} AcqOptionFlags;

/**
 * AcqOption:
 * @name: kebab-case
 * @type: see the ACQ_FIELD macros
 * @offset: of the field in the instance struct
 * @def: default of numbers, booleans, enumerations (the value), bytes; seconds for durations
 * @min: allowed at least, for numbers, bytes and durations (seconds); @min = @max = 0 is no limit
 * @max: allowed at most; below @min it means that there is no upper limit
 * @def_text: (nullable): default of strings; of lists, words with commas between
 * @words: (nullable): of an enumeration, %NULL-terminated; the value is the index
 * @unit: (nullable): for help
 * @help: one sentence
 *
 * An option of a plugin. The table gives GObject properties, JSON keys, ranges,
 * defaults, help and the JSON Schema, in one place. Frozen while the node is open.
 */
typedef struct {
  const char *name;
  AcqOptionType type;
  gsize offset;
  double def;
  double min;
  double max;
  const char *def_text;
  const char *const *words;
  const char *unit;
  const char *help;
  AcqOptionFlags flags;
} AcqOption;

/* Type-checked places for the table: { "rate-hz", ACQ_FIELD_DOUBLE (Foo, rate), .def = 100, … } */
#define ACQ_FIELD_(Struct, field, ctype, code)                                                     \
  .type = (code), .offset = G_STRUCT_OFFSET (Struct, field) +                                      \
                            0 * sizeof (&((Struct *) NULL)->field == (ctype *) NULL)
#define ACQ_FIELD_BOOL(S, f) ACQ_FIELD_ (S, f, gboolean, ACQ_OPTION_BOOL)
#define ACQ_FIELD_INT(S, f) ACQ_FIELD_ (S, f, gint64, ACQ_OPTION_INT)
#define ACQ_FIELD_DOUBLE(S, f) ACQ_FIELD_ (S, f, double, ACQ_OPTION_DOUBLE)
#define ACQ_FIELD_ENUM(S, f, table) ACQ_FIELD_ (S, f, int, ACQ_OPTION_ENUM), .words = (table)
#define ACQ_FIELD_STRING(S, f) ACQ_FIELD_ (S, f, char *, ACQ_OPTION_STRING)
#define ACQ_FIELD_STRV(S, f) ACQ_FIELD_ (S, f, char **, ACQ_OPTION_STRV)
#define ACQ_FIELD_BYTES(S, f) ACQ_FIELD_ (S, f, guint64, ACQ_OPTION_BYTES)
#define ACQ_FIELD_DURATION(S, f) ACQ_FIELD_ (S, f, gint64, ACQ_OPTION_DURATION)

ACQ_API const char *acq_option_type_to_string (AcqOptionType type);

/**
 * acq_option_default_to_string:
 * @self: an option
 *
 * Returns: (transfer full): the default as one would write it in JSON, or "required"
 */
ACQ_API char *acq_option_default_to_string (const AcqOption *self);

/**
 * acq_option_range_to_string:
 * @self: an option
 *
 * Returns: (transfer full): what is allowed, in words
 */
ACQ_API char *acq_option_range_to_string (const AcqOption *self);

/**
 * acq_parse_bytes:
 * @text: for example `64MiB`, `1.5 GB`, `4096`
 * @ret_bytes: (out): the number
 *
 * Returns: %FALSE when @text is no size
 */
ACQ_API gboolean acq_parse_bytes (const char *text, guint64 *ret_bytes);

/**
 * acq_parse_duration:
 * @text: for example `250ms`, `1.5s`, `2min`, or a plain number of seconds
 * @ret_ns: (out): nanoseconds
 *
 * Returns: %FALSE when @text is no duration
 */
ACQ_API gboolean acq_parse_duration (const char *text, gint64 *ret_ns);

/**
 * acq_nearest_word:
 * @word: what was written
 * @words: (array length=n): what is allowed
 * @n: how many
 *
 * Returns: (nullable) (transfer none): the nearest right word, if one is near
 */
ACQ_API const char *acq_nearest_word (const char *word, const char *const *words, gsize n);
