/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON with comments, read strictly (see the header). A recursive reader over
 * text that is known to be UTF-8 and to end in a NUL. `broken` is set by a
 * mistake that cannot be stepped over; every loop ends on it.
 */
#include "pipeline/acq-jsonc-private.h"

#include <string.h>

#include <acq/acq-error.h>

#include "pipeline/acq-jsonc-scan-private.h"

/* Where a value is; kept for every node of the tree. */
typedef struct {
  AcqJsonPlace value;
  AcqJsonPlace key;
  gboolean bad;
} Entry;

struct _AcqJsonc {
  AcqJsonScan scan;
  GString *path;
  guint depth;
  JsonNode *root;
  GPtrArray *problems;
  GHashTable *entries; /* JsonNode → Entry */
};

AcqJsonProblem *
acq_json_problem_new (AcqJsonPlace place, const char *path, const char *message)
{
  AcqJsonProblem *self = g_new (AcqJsonProblem, 1);

  *self = (AcqJsonProblem){ place, g_strdup (path), g_strdup (message) };
  return self;
}

void
acq_json_problem_free (AcqJsonProblem *self)
{
  g_free (self->path);
  g_free (self->message);
  g_free (self);
}

void
acq_json_pointer_append (GString *path, const char *key)
{
  g_string_append_c (path, '/');
  for (const char *p = key; *p != '\0'; p++) {
    if (*p == '~')
      g_string_append (path, "~0");
    else if (*p == '/')
      g_string_append (path, "~1");
    else
      g_string_append_c (path, *p);
  }
}

/* The scanner tells of each mistake; we know where in the tree that is. */
static void
on_problem (gpointer data, AcqJsonPlace place, const char *message)
{
  AcqJsonc *self = data;

  g_ptr_array_add (self->problems, acq_json_problem_new (place, self->path->str, message));
}

static JsonNode *
remember (AcqJsonc *self, JsonNode *node, AcqJsonPlace place, gboolean bad)
{
  Entry *entry = g_new (Entry, 1);

  *entry = (Entry){ place, place, bad };
  g_hash_table_insert (self->entries, node, entry);
  return node;
}

static JsonNode *read_value (AcqJsonc *self);

static gboolean
enter (AcqJsonc *self, AcqJsonPlace place)
{
  if (self->depth == ACQ_JSONC_MAX_DEPTH) {
    acq_json_scan_break (&self->scan, place, "nested more than %d deep", ACQ_JSONC_MAX_DEPTH);
    return FALSE;
  }
  self->depth++;
  return TRUE;
}

/*
 * After a member or element: a comma, the closing bracket, or a mistake.
 * Returns whether another member is to be read.
 */
static gboolean
next_member (AcqJsonc *self, char close, AcqJsonPlace open, gboolean first)
{
  AcqJsonScan *scan = &self->scan;
  AcqJsonPlace comma = { 0, 0 };

  acq_json_scan_skip (scan);
  while (!scan->broken && *scan->p == ',') {
    if (first || comma.line != 0)
      acq_json_scan_report (scan, acq_json_scan_place (scan), "one comma too many");
    comma = acq_json_scan_place (scan);
    acq_json_scan_take (scan);
    acq_json_scan_skip (scan);
  }
  if (scan->broken)
    return FALSE;
  if (*scan->p == close) {
    if (comma.line != 0 && !first)
      acq_json_scan_report (scan, comma, "a comma before the closing \"%c\" is not allowed", close);
    acq_json_scan_take (scan);
    return FALSE;
  }
  if (*scan->p == '\0') {
    acq_json_scan_break (scan, acq_json_scan_place (scan),
                         "the text ends inside the %s that begins in line %u, column %u; "
                         "a closing \"%c\" is missing",
                         close == '}' ? "object" : "list", open.line, open.column, close);
    return FALSE;
  }
  if (*scan->p == '}' || *scan->p == ']') {
    acq_json_scan_break (scan, acq_json_scan_place (scan),
                         "found \"%c\" where the %s that begins in line %u, column %u wants \"%c\"",
                         *scan->p, close == '}' ? "object" : "list", open.line, open.column, close);
    return FALSE;
  }
  if (!first && comma.line == 0)
    acq_json_scan_report (scan, acq_json_scan_place (scan), "a comma is missing before this");
  return TRUE;
}

static void
read_colon (AcqJsonc *self)
{
  AcqJsonScan *scan = &self->scan;

  acq_json_scan_skip (scan);
  if (scan->broken)
    return;
  if (*scan->p == '=')
    acq_json_scan_report (scan, acq_json_scan_place (scan), "found \"=\", wanted \":\"");
  else if (*scan->p != ':') {
    acq_json_scan_break_at_token (scan, "a \":\" after the key");
    return;
  }
  acq_json_scan_take (scan);
}

static void
add_member (AcqJsonc *self, JsonObject *object, const char *key, AcqJsonPlace key_place)
{
  AcqJsonScan *scan = &self->scan;
  JsonNode *twin = json_object_get_member (object, key);

  if (twin != NULL)
    acq_json_scan_report (scan, key_place, "this key is given twice, first in line %u, column %u",
                          acq_jsonc_get_key_place (self, twin).line,
                          acq_jsonc_get_key_place (self, twin).column);
  read_colon (self);
  JsonNode *value = scan->broken ? NULL : read_value (self);
  if (value == NULL)
    return;
  ((Entry *) g_hash_table_lookup (self->entries, value))->key = key_place;
  if (twin == NULL)
    json_object_set_member (object, key, value);
  else
    /* Kept out of the tree, but alive: its place in the table must stay its own. */
    json_array_add_element (self->scan.spare, value);
}

static JsonNode *
read_object (AcqJsonc *self, AcqJsonPlace open)
{
  AcqJsonScan *scan = &self->scan;
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();
  gsize length = self->path->len;

  json_node_take_object (node, object);
  for (gboolean first = TRUE; next_member (self, '}', open, first); first = FALSE) {
    AcqJsonPlace key_place = acq_json_scan_place (scan);
    g_autofree char *key = acq_json_scan_key (scan);

    if (key == NULL)
      break;
    acq_json_pointer_append (self->path, key);
    add_member (self, object, key, key_place);
    g_string_truncate (self->path, length);
  }
  return remember (self, node, open, FALSE);
}

static JsonNode *
read_array (AcqJsonc *self, AcqJsonPlace open)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);
  JsonArray *array = json_array_new ();
  gsize length = self->path->len;

  json_node_take_array (node, array);
  for (gboolean first = TRUE; next_member (self, ']', open, first); first = FALSE) {
    g_string_append_printf (self->path, "/%u", json_array_get_length (array));
    JsonNode *element = read_value (self);
    g_string_truncate (self->path, length);
    if (element == NULL)
      break;
    json_array_add_element (array, element);
  }
  return remember (self, node, open, FALSE);
}

/* NULL only when the text is broken. */
static JsonNode *
read_value (AcqJsonc *self)
{
  AcqJsonScan *scan = &self->scan;
  gboolean bad = FALSE;

  acq_json_scan_skip (scan);
  if (scan->broken)
    return NULL;
  AcqJsonPlace place = acq_json_scan_place (scan);
  if (*scan->p == '{' || *scan->p == '[') {
    gboolean is_object = *scan->p == '{';

    if (!enter (self, place))
      return NULL;
    acq_json_scan_take (scan);
    JsonNode *node = is_object ? read_object (self, place) : read_array (self, place);
    self->depth--;
    return node;
  }
  JsonNode *node = acq_json_scan_scalar (scan, &bad);
  return node != NULL ? remember (self, node, place, bad) : NULL;
}

AcqJsonc *
acq_jsonc_parse (const char *text, gsize length)
{
  AcqJsonc *self = g_new0 (AcqJsonc, 1);

  self->path = g_string_new (NULL);
  self->problems = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_json_problem_free);
  self->entries = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  acq_json_scan_init (&self->scan, text, length, on_problem, self);
  self->root = read_value (self);
  acq_json_scan_skip (&self->scan);
  if (!self->scan.broken && *self->scan.p != '\0')
    acq_json_scan_report (&self->scan, acq_json_scan_place (&self->scan),
                          "there is more text after the end of the value");
  if (self->scan.broken)
    g_clear_pointer (&self->root, json_node_unref);
  return self;
}

void
acq_jsonc_free (AcqJsonc *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->root, json_node_unref);
  acq_json_scan_clear (&self->scan);
  g_ptr_array_unref (self->problems);
  g_hash_table_unref (self->entries);
  g_string_free (self->path, TRUE);
  g_free (self);
}

JsonNode *
acq_jsonc_get_root (AcqJsonc *self)
{
  return self->root;
}

const GPtrArray *
acq_jsonc_get_problems (AcqJsonc *self)
{
  return self->problems;
}

AcqJsonPlace
acq_jsonc_get_place (AcqJsonc *self, JsonNode *node)
{
  const Entry *entry = g_hash_table_lookup (self->entries, node);

  return entry != NULL ? entry->value : (AcqJsonPlace){ 0, 0 };
}

AcqJsonPlace
acq_jsonc_get_key_place (AcqJsonc *self, JsonNode *node)
{
  const Entry *entry = g_hash_table_lookup (self->entries, node);

  return entry != NULL ? entry->key : (AcqJsonPlace){ 0, 0 };
}

gboolean
acq_jsonc_is_bad (AcqJsonc *self, JsonNode *node)
{
  const Entry *entry = g_hash_table_lookup (self->entries, node);

  return entry != NULL && entry->bad;
}

JsonNode *
acq_jsonc_parse_value (const char *text, GError **error)
{
  g_autoptr (AcqJsonc) doc = acq_jsonc_parse (text, strlen (text));

  if (doc->root != NULL && doc->problems->len == 0)
    return json_node_ref (doc->root);
  const AcqJsonProblem *problem = g_ptr_array_index (doc->problems, 0);
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "this is not JSON: column %u: %s",
               problem->place.column, problem->message);
  return NULL;
}
