/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text from json-glib's values. Its own generator writes 0.1 as 0.10000000000000001. */
#include "pipeline/acq-jsonc-private.h"

#include <math.h>

#include "plugin/acq-option-private.h"

static void
print_text (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == '"' || *p == '\\')
      g_string_append_printf (out, "\\%c", *p);
    else if (*p == '\n')
      g_string_append (out, "\\n");
    else if ((guchar) *p < 0x20 || *p == 0x7f)
      g_string_append_printf (out, "\\u%04x", *p);
    else
      g_string_append_c (out, *p);
  }
  g_string_append_c (out, '"');
}

static void
new_line (GString *out, gboolean pretty, guint depth)
{
  if (!pretty)
    return;
  g_string_append_c (out, '\n');
  for (guint i = 0; i < depth; i++)
    g_string_append (out, "  ");
}

static void
print_scalar (GString *out, JsonNode *node)
{
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_NONE;

  if (type == G_TYPE_STRING) {
    print_text (out, json_node_get_string (node));
  } else if (type == G_TYPE_BOOLEAN) {
    g_string_append (out, json_node_get_boolean (node) ? "true" : "false");
  } else if (type == G_TYPE_INT64) {
    g_string_append_printf (out, "%" G_GINT64_FORMAT, json_node_get_int (node));
  } else if (type == G_TYPE_DOUBLE && isfinite (json_node_get_double (node))) {
    g_autofree char *number = acq_number_to_text (json_node_get_double (node));

    g_string_append (out, number);
  } else {
    g_string_append (out, "null");
  }
}

static void
print_node (GString *out, JsonNode *node, gboolean pretty, guint depth)
{
  const char *comma = "";

  if (JSON_NODE_HOLDS_OBJECT (node)) {
    JsonObjectIter iter;
    const char *key;
    JsonNode *value;

    g_string_append_c (out, '{');
    json_object_iter_init_ordered (&iter, json_node_get_object (node));
    while (json_object_iter_next_ordered (&iter, &key, &value)) {
      g_string_append (out, comma);
      new_line (out, pretty, depth + 1);
      print_text (out, key);
      g_string_append (out, pretty ? ": " : ":");
      print_node (out, value, pretty, depth + 1);
      comma = ",";
    }
    if (*comma != '\0')
      new_line (out, pretty, depth);
    g_string_append_c (out, '}');
  } else if (JSON_NODE_HOLDS_ARRAY (node)) {
    JsonArray *array = json_node_get_array (node);

    /* Lists are short words or numbers, as a rule: one line each. */
    g_string_append_c (out, '[');
    for (guint i = 0; i < json_array_get_length (array); i++) {
      g_string_append (out, i == 0 ? "" : pretty ? ", " : ",");
      print_node (out, json_array_get_element (array, i), pretty, depth + 1);
    }
    g_string_append_c (out, ']');
  } else {
    print_scalar (out, node);
  }
}

char *
acq_json_print (JsonNode *node, gboolean pretty)
{
  GString *out = g_string_new (NULL);

  print_node (out, node, pretty, 0);
  if (pretty)
    g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}
