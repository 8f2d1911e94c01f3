/* SPDX-License-Identifier: Apache-2.0 */
/* Option values: from JSON or text into a field, and back to JSON. */
#include <math.h>
#include <string.h>

#include <acq/acq-error.h>

#include "pipeline/acq-jsonc-private.h"
#include "plugin/acq-option-private.h"

void
acq_option_value_clear (const AcqOption *self, AcqOptionValue *value)
{
  if (self->type == ACQ_OPTION_STRING)
    g_clear_pointer (&value->s, g_free);
  else if (self->type == ACQ_OPTION_STRV)
    g_clear_pointer (&value->v, g_strfreev);
}

void
acq_option_get_default (const AcqOption *self, AcqOptionValue *ret_value)
{
  AcqOptionValue value = { 0 };

  switch (self->type) {
  case ACQ_OPTION_BOOL:
    value.b = self->def != 0;
    break;
  case ACQ_OPTION_INT:
    value.i = (gint64) self->def;
    break;
  case ACQ_OPTION_DOUBLE:
    value.d = self->def;
    break;
  case ACQ_OPTION_ENUM:
    value.e = (int) self->def;
    break;
  case ACQ_OPTION_STRING:
    value.s = g_strdup (self->def_text);
    break;
  case ACQ_OPTION_STRV:
    value.v = self->def_text != NULL ? g_strsplit (self->def_text, ",", -1) : NULL;
    break;
  case ACQ_OPTION_BYTES:
    value.u = (guint64) self->def;
    break;
  case ACQ_OPTION_DURATION:
    value.i = (gint64) round (self->def * 1e9);
    break;
  }
  *ret_value = value;
}

char *
acq_json_describe (JsonNode *node)
{
  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return g_strdup ("null");
  if (JSON_NODE_HOLDS_OBJECT (node))
    return g_strdup ("an object");
  if (JSON_NODE_HOLDS_ARRAY (node))
    return g_strdup ("a list");
  if (json_node_get_value_type (node) == G_TYPE_STRING) {
    const char *text = json_node_get_string (node);

    return g_utf8_strlen (text, -1) <= 60 ? g_strdup_printf ("the text \"%s\"", text)
                                          : g_strdup ("a long text");
  }
  if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    return g_strdup (json_node_get_boolean (node) ? "true" : "false");
  g_autofree char *number = acq_json_print (node, FALSE);
  return g_strdup_printf ("the number %s", number);
}

static gboolean
refuse (const AcqOption *self, JsonNode *node, GError **error)
{
  g_autofree char *found = acq_json_describe (node);
  g_autofree char *range = acq_option_range_to_string (self);
  g_autofree char *hint = NULL;

  if (self->type == ACQ_OPTION_ENUM && node != NULL && JSON_NODE_HOLDS_VALUE (node) &&
      json_node_get_value_type (node) == G_TYPE_STRING)
    hint = acq_did_you_mean (json_node_get_string (node), self->words,
                             g_strv_length ((char **) self->words));
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION, "found %s, allowed is %s%s", found, range,
               hint != NULL ? hint : "");
  return FALSE;
}

static gboolean
is_value (JsonNode *node, GType type)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == type;
}

static gboolean
is_number (JsonNode *node)
{
  return is_value (node, G_TYPE_INT64) || is_value (node, G_TYPE_DOUBLE);
}

static gboolean
in_range (const AcqOption *self, double value)
{
  if (self->min == 0 && self->max == 0)
    return TRUE;
  return value >= self->min && (self->max < self->min || value <= self->max);
}

/* A whole number, also when it was written as 1e3. */
static gboolean
get_whole (JsonNode *node, gint64 *ret_value)
{
  if (is_value (node, G_TYPE_INT64)) {
    *ret_value = json_node_get_int (node);
    return TRUE;
  }
  if (!is_value (node, G_TYPE_DOUBLE))
    return FALSE;
  double value = json_node_get_double (node);
  if (value != trunc (value) || fabs (value) > 0x1p53)
    return FALSE;
  *ret_value = (gint64) value;
  return TRUE;
}

static gboolean
get_bytes (JsonNode *node, guint64 *ret_value)
{
  gint64 whole;

  if (is_value (node, G_TYPE_STRING))
    return acq_parse_bytes (json_node_get_string (node), ret_value);
  if (!get_whole (node, &whole) || whole < 0)
    return FALSE;
  *ret_value = (guint64) whole;
  return TRUE;
}

static gboolean
get_duration (const AcqOption *self, JsonNode *node, gint64 *ret_ns)
{
  gint64 ns;

  if (is_value (node, G_TYPE_STRING)) {
    if (!acq_parse_duration (json_node_get_string (node), &ns))
      return FALSE;
  } else if (is_number (node)) {
    double seconds = json_node_get_double (node);

    if (fabs (seconds) >= 0x1p63 / 1e9)
      return FALSE;
    ns = (gint64) round (seconds * 1e9);
  } else {
    return FALSE;
  }
  /* Without limits of its own a duration is still not negative. */
  if (ns < 0 && self->min >= 0)
    return FALSE;
  *ret_ns = ns;
  return TRUE;
}

static gboolean
get_word (const AcqOption *self, JsonNode *node, int *ret_index)
{
  if (!is_value (node, G_TYPE_STRING))
    return FALSE;
  for (int i = 0; self->words[i] != NULL; i++) {
    if (strcmp (self->words[i], json_node_get_string (node)) == 0) {
      *ret_index = i;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
get_strv (JsonNode *node, char ***ret_words)
{
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return FALSE;
  JsonArray *array = json_node_get_array (node);
  guint n = json_array_get_length (array);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < n; i++) {
    JsonNode *element = json_array_get_element (array, i);

    if (!is_value (element, G_TYPE_STRING))
      return FALSE;
    g_ptr_array_add (words, g_strdup (json_node_get_string (element)));
  }
  g_ptr_array_add (words, NULL);
  *ret_words = (char **) g_ptr_array_free (g_steal_pointer (&words), FALSE);
  return TRUE;
}

/* `~` and `~/…` are the home of whoever runs us; other users' homes are not guessed. */
static char *
expand_home (const char *path)
{
  if (path[0] == '~' && (path[1] == '\0' || path[1] == '/'))
    return g_build_filename (g_get_home_dir (), path + 1, NULL);
  return g_strdup (path);
}

char *
acq_expand_path (const char *path)
{
  g_autofree char *home = expand_home (path);

  return g_canonicalize_filename (home, NULL);
}

static gboolean
parse_text (const AcqOption *self, JsonNode *node, AcqOptionValue *value)
{
  if (!is_value (node, G_TYPE_STRING))
    return FALSE;
  const char *text = json_node_get_string (node);
  gboolean is_path = (self->flags & ACQ_OPTION_PATH) != 0 && *text != '\0';

  value->s = is_path ? acq_expand_path (text) : g_strdup (text);
  return TRUE;
}

gboolean
acq_option_parse (const AcqOption *self, JsonNode *node, AcqOptionValue *ret_value, GError **error)
{
  AcqOptionValue value = { 0 };
  gboolean ok = FALSE;

  /* null takes back what was given; it cannot stand for a value that must be there. */
  if (node == NULL || JSON_NODE_HOLDS_NULL (node)) {
    if ((self->flags & ACQ_OPTION_REQUIRED) != 0 ||
        (self->type != ACQ_OPTION_STRING && self->type != ACQ_OPTION_STRV))
      return refuse (self, node, error);
    acq_option_get_default (self, ret_value);
    return TRUE;
  }
  switch (self->type) {
  case ACQ_OPTION_BOOL:
    ok = is_value (node, G_TYPE_BOOLEAN);
    value.b = ok && json_node_get_boolean (node);
    break;
  case ACQ_OPTION_INT:
    ok = get_whole (node, &value.i) && in_range (self, (double) value.i);
    break;
  case ACQ_OPTION_DOUBLE:
    ok = is_number (node) && in_range (self, value.d = json_node_get_double (node));
    break;
  case ACQ_OPTION_ENUM:
    ok = get_word (self, node, &value.e);
    break;
  case ACQ_OPTION_STRING:
    ok = parse_text (self, node, &value);
    break;
  case ACQ_OPTION_STRV:
    ok = get_strv (node, &value.v);
    break;
  case ACQ_OPTION_BYTES:
    ok = get_bytes (node, &value.u) && in_range (self, (double) value.u);
    break;
  case ACQ_OPTION_DURATION:
    ok = get_duration (self, node, &value.i) && in_range (self, (double) value.i / 1e9);
    break;
  }
  if (!ok)
    return refuse (self, node, error);
  *ret_value = value;
  return TRUE;
}

static JsonNode *
strv_to_json (char **words)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);
  JsonArray *array = json_array_new ();

  for (gsize i = 0; words[i] != NULL; i++)
    json_array_add_string_element (array, words[i]);
  json_node_take_array (node, array);
  return node;
}

/* A bare word means a text, whatever JSON would make of it: serials are often digits. */
static JsonNode *
bare_to_json (const AcqOption *self, const char *text)
{
  if (self->type != ACQ_OPTION_STRV)
    return json_node_init_string (json_node_alloc (), text);

  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  for (gsize i = 0; words[i] != NULL; i++)
    g_strstrip (words[i]);
  return strv_to_json (words);
}

JsonNode *
acq_option_text_to_json (const AcqOption *self, const char *text, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  gboolean textual = self->type == ACQ_OPTION_STRING || self->type == ACQ_OPTION_ENUM ||
                     self->type == ACQ_OPTION_STRV;
  JsonNode *node = acq_jsonc_parse_value (text, &local_error);

  if (node == NULL && strchr ("[{\"", *text) != NULL && *text != '\0') {
    g_propagate_error (error, g_steal_pointer (&local_error));
    return NULL;
  }
  if (node == NULL || (textual && JSON_NODE_HOLDS_VALUE (node) &&
                       (self->type == ACQ_OPTION_STRV || !is_value (node, G_TYPE_STRING)))) {
    g_clear_pointer (&node, json_node_unref);
    return bare_to_json (self, text);
  }
  return node;
}

JsonNode *
acq_option_value_to_json (const AcqOption *self, const AcqOptionValue *value)
{
  JsonNode *node = json_node_alloc ();
  g_autofree char *text = NULL;

  switch (self->type) {
  case ACQ_OPTION_BOOL:
    return json_node_init_boolean (node, value->b);
  case ACQ_OPTION_INT:
    return json_node_init_int (node, value->i);
  case ACQ_OPTION_DOUBLE:
    return json_node_init_double (node, value->d);
  case ACQ_OPTION_ENUM:
    return json_node_init_string (node, self->words[value->e]);
  case ACQ_OPTION_STRING:
    return value->s != NULL ? json_node_init_string (node, value->s) : json_node_init_null (node);
  case ACQ_OPTION_STRV:
    if (value->v == NULL)
      return json_node_init_null (node);
    json_node_free (node);
    return strv_to_json (value->v);
  case ACQ_OPTION_BYTES:
    text = acq_bytes_to_text (value->u);
    return json_node_init_string (node, text);
  case ACQ_OPTION_DURATION:
    text = acq_duration_to_text ((double) value->i / 1e9);
    return json_node_init_string (node, text);
  }
  g_return_val_if_reached (json_node_init_null (node));
}

char *
acq_option_default_to_string (const AcqOption *self)
{
  AcqOptionValue value;
  g_autoptr (JsonNode) node = NULL;

  if (self->flags & ACQ_OPTION_REQUIRED)
    return g_strdup ("required");
  acq_option_get_default (self, &value);
  node = acq_option_value_to_json (self, &value);
  acq_option_value_clear (self, &value);
  return acq_json_print (node, FALSE);
}

/* Offsets of private data are negative; unsigned arithmetic wraps to the right place. */
static gpointer
field_of (const AcqOption *self, gpointer instance)
{
  return (gpointer) ((guintptr) instance + self->offset);
}

void
acq_option_store (const AcqOption *self, gpointer instance, AcqOptionValue *value)
{
  gpointer field = field_of (self, instance);

  switch (self->type) {
  case ACQ_OPTION_BOOL:
    *(gboolean *) field = value->b;
    break;
  case ACQ_OPTION_INT:
  case ACQ_OPTION_DURATION:
    *(gint64 *) field = value->i;
    break;
  case ACQ_OPTION_DOUBLE:
    *(double *) field = value->d;
    break;
  case ACQ_OPTION_ENUM:
    *(int *) field = value->e;
    break;
  case ACQ_OPTION_STRING:
    g_free (*(char **) field);
    *(char **) field = g_steal_pointer (&value->s);
    break;
  case ACQ_OPTION_STRV:
    g_strfreev (*(char ***) field);
    *(char ***) field = g_steal_pointer (&value->v);
    break;
  case ACQ_OPTION_BYTES:
    *(guint64 *) field = value->u;
    break;
  }
}

AcqOptionValue
acq_option_peek (const AcqOption *self, gpointer instance)
{
  gpointer field = field_of (self, instance);

  switch (self->type) {
  case ACQ_OPTION_BOOL:
    return (AcqOptionValue){ .b = *(gboolean *) field };
  case ACQ_OPTION_INT:
  case ACQ_OPTION_DURATION:
    return (AcqOptionValue){ .i = *(gint64 *) field };
  case ACQ_OPTION_DOUBLE:
    return (AcqOptionValue){ .d = *(double *) field };
  case ACQ_OPTION_ENUM:
    return (AcqOptionValue){ .e = *(int *) field };
  case ACQ_OPTION_STRING:
    return (AcqOptionValue){ .s = *(char **) field };
  case ACQ_OPTION_STRV:
    return (AcqOptionValue){ .v = *(char ***) field };
  case ACQ_OPTION_BYTES:
    return (AcqOptionValue){ .u = *(guint64 *) field };
  }
  g_return_val_if_reached ((AcqOptionValue){ 0 });
}

const AcqOption *
acq_option_find (const AcqOption *options, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (options[i].name, name) == 0)
      return &options[i];
  return NULL;
}
