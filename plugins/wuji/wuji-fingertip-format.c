/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-fingertip-format.h"

#include <json-glib/json-glib.h>
#include <string.h>

static gint64
number (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) ||
      json_node_get_value_type (node) != G_TYPE_INT64)
    return -1;
  return json_node_get_int (node);
}

static const char *
word (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) ||
      json_node_get_value_type (node) != G_TYPE_STRING)
    return "";
  return json_node_get_string (node);
}

static gboolean
are_i16 (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  JsonArray *array;

  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return FALSE;
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonNode *field = json_array_get_element (array, i);

    if (!JSON_NODE_HOLDS_OBJECT (field) ||
        strcmp (word (json_node_get_object (field), "type"), "i16") != 0)
      return FALSE;
  }
  return TRUE;
}

gboolean
wuji_fingertip_parse (const char *text, WujiFingertipFormat *ret)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  WujiFingertipFormat format = { .parsed = TRUE };
  gint64 points, point_stride, aggregate_stride;
  JsonObject *object;

  if (!g_utf8_validate (text, -1, NULL) || !json_parser_load_from_data (parser, text, -1, NULL) ||
      json_parser_get_root (parser) == NULL ||
      !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    return FALSE;
  object = json_node_get_object (json_parser_get_root (parser));
  points = number (object, "point_count");
  point_stride = number (object, "point_stride");
  aggregate_stride = number (object, "aggregate_stride");
  if (number (object, "v") != 1 || strcmp (word (object, "encoding"), "point_array") != 0 ||
      points < 1 || points > 1024 || point_stride < 1 || point_stride > 256 ||
      aggregate_stride < 0 || aggregate_stride > 1024)
    return FALSE;
  format.points = (guint) points;
  format.point_stride = (guint) point_stride;
  format.aggregate_stride = (guint) aggregate_stride;
  format.all_i16 = are_i16 (object, "point_fields") && are_i16 (object, "aggregate_fields") &&
                   point_stride % 2 == 0 && aggregate_stride % 2 == 0;
  g_strlcpy (format.unit, word (object, "unit"), sizeof format.unit);
  *ret = format;
  return TRUE;
}

gsize
wuji_fingertip_bytes (const WujiFingertipFormat *format)
{
  return (gsize) format->points * format->point_stride + format->aggregate_stride;
}
