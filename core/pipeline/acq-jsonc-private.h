/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-json.h>
#include <json-glib/json-glib.h>

/*
 * JSON with comments, read strictly. json-glib's own parser hides duplicate
 * keys, takes hexadecimal, makes infinity of 1e400 and a negative number of
 * 2^63; and it knows lines only of its first error. So the text is read here,
 * into json-glib's values, with the place of each beside them.
 *
 * Line comments, block comments and a UTF-8 byte order mark are allowed; nothing
 * else beyond RFC 8259. A mistake that can be stepped over is: the reader then
 * goes on and finds the next.
 */

/* From 1; columns count characters. Line 0: not from the text. */
typedef struct {
  guint line;
  guint column;
} AcqJsonPlace;

typedef struct {
  AcqJsonPlace place;
  char *path; /* JSON pointer */
  char *message;
} AcqJsonProblem;

typedef struct _AcqJsonc AcqJsonc;

/* Deepest nesting that is read. */
#define ACQ_JSONC_MAX_DEPTH 64

/* Never fails: what is wrong is among the problems. */
AcqJsonc *acq_jsonc_parse (const char *text, gsize length);
void acq_jsonc_free (AcqJsonc *self);

/* (nullable): NULL when a mistake could not be stepped over. */
JsonNode *acq_jsonc_get_root (AcqJsonc *self);
/* (element-type AcqJsonProblem): in the order of the text. */
const GPtrArray *acq_jsonc_get_problems (AcqJsonc *self);

/* Where a value begins, and where the key before it does (its own place in lists). */
AcqJsonPlace acq_jsonc_get_place (AcqJsonc *self, JsonNode *node);
AcqJsonPlace acq_jsonc_get_key_place (AcqJsonc *self, JsonNode *node);
/* A problem was reported for this very value: what it says means nothing. */
gboolean acq_jsonc_is_bad (AcqJsonc *self, JsonNode *node);

/* One value and nothing else, without comments. */
JsonNode *acq_jsonc_parse_value (const char *text, GError **error);

AcqJsonProblem *acq_json_problem_new (AcqJsonPlace place, const char *path, const char *message);
void acq_json_problem_free (AcqJsonProblem *self);

/* Appends `/key`, escaped as JSON pointers are. */
void acq_json_pointer_append (GString *path, const char *key);

/* `~` expanded, absolute. */
char *acq_expand_path (const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqJsonc, acq_jsonc_free)
