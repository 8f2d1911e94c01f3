/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <json-glib/json-glib.h>

#include <acq/acq-option.h>

/*
 * Options as pure functions: a JSON value and a row of a table go in, a value or
 * an explanation comes out. The GObject side is graph/acq-node-options.c.
 */

/* What an option can hold; which member counts follows from the option's type. */
typedef union {
  gboolean b;
  gint64 i; /* whole numbers; nanoseconds of a duration */
  double d;
  int e;
  guint64 u; /* bytes */
  char *s;   /* owned */
  char **v;  /* owned */
} AcqOptionValue;

void acq_option_value_clear (const AcqOption *self, AcqOptionValue *value);

/* The default of the table; a required option has an empty one. */
void acq_option_get_default (const AcqOption *self, AcqOptionValue *ret_value);

/* The error says what was found and what is allowed, not which option it is. */
gboolean acq_option_parse (const AcqOption *self, JsonNode *node, AcqOptionValue *ret_value,
                           GError **error);

/* What a person typed: JSON if it is JSON of the right type, or else a bare word. */
JsonNode *acq_option_text_to_json (const AcqOption *self, const char *text, GError **error);

/* A value as the pipeline file would write it. */
JsonNode *acq_option_value_to_json (const AcqOption *self, const AcqOptionValue *value);

/* Moves a value into the field of an instance, or borrows it from there. */
void acq_option_store (const AcqOption *self, gpointer instance, AcqOptionValue *value);
AcqOptionValue acq_option_peek (const AcqOption *self, gpointer instance);

/* Rows of a table: by name, and the nearest name to a wrong one. */
const AcqOption *acq_option_find (const AcqOption *options, guint n, const char *name);

/* What a JSON value is, in words: `the text "fast"`, `the number 3`, `a list`. */
char *acq_json_describe (JsonNode *node);

/* Shortest text that reads back as the same number. */
char *acq_number_to_text (double value);
char *acq_bytes_to_text (guint64 bytes);
char *acq_duration_to_text (double seconds);
/* `"a", "b" or "c"` */
char *acq_words_to_text (const char *const *words, gsize n);
/* `; did you mean "x"?` or an empty string. */
char *acq_did_you_mean (const char *word, const char *const *words, gsize n);
