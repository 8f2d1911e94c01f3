/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Members of the configuration, read strictly: a name that nobody asked for, or a value of the
 * wrong type, ends the process. A test with a typing error must not pass.
 */

#include "standin-private.h"

#include "sim-options.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
sim_config_wrong (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  fputs ("wuji stand-in: configuration: ", stderr);
  vfprintf (stderr, format, args);
  fputc ('\n', stderr);
  va_end (args);
  _exit (2);
}

SimReader
sim_reader (JsonObject *object, const char *what)
{
  return (SimReader){ .object = object, .what = what };
}

static JsonNode *
ask (SimReader *self, const char *name)
{
  g_assert (self->n_asked < G_N_ELEMENTS (self->asked));
  self->asked[self->n_asked++] = name;
  return json_object_has_member (self->object, name) ? json_object_get_member (self->object, name)
                                                     : NULL;
}

void
sim_reader_finish (SimReader *self)
{
  g_autoptr (GList) members = json_object_get_members (self->object);

  for (GList *item = members; item != NULL; item = item->next) {
    gboolean known = FALSE;

    for (unsigned i = 0; i < self->n_asked && !known; i++)
      known = strcmp (item->data, self->asked[i]) == 0;
    if (!known)
      sim_config_wrong ("%s has no \"%s\"", self->what, (const char *) item->data);
  }
}

static gboolean
is_number (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node) && (json_node_get_value_type (node) == G_TYPE_INT64 ||
                                          json_node_get_value_type (node) == G_TYPE_DOUBLE);
}

static gboolean
is_text (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING;
}

double
sim_read_number (SimReader *self, const char *name, double def)
{
  JsonNode *node = ask (self, name);

  if (node == NULL)
    return def;
  if (!is_number (node))
    sim_config_wrong ("\"%s\" of %s is not a number", name, self->what);
  return json_node_get_double (node);
}

gboolean
sim_read_bool (SimReader *self, const char *name, gboolean def)
{
  JsonNode *node = ask (self, name);

  if (node == NULL)
    return def;
  if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_BOOLEAN)
    sim_config_wrong ("\"%s\" of %s is not true or false", name, self->what);
  return json_node_get_boolean (node);
}

const char *
sim_read_text (SimReader *self, const char *name, const char *def)
{
  JsonNode *node = ask (self, name);

  if (node == NULL)
    return def;
  if (JSON_NODE_HOLDS_NULL (node))
    return NULL;
  if (!is_text (node))
    sim_config_wrong ("\"%s\" of %s is not a text", name, self->what);
  return json_node_get_string (node);
}

unsigned
sim_read_choice (SimReader *self, const char *name, const char *const *words, const char *def)
{
  const char *text = sim_read_text (self, name, def);
  g_autofree char *all = NULL;

  for (unsigned i = 0; text != NULL && words[i] != NULL; i++)
    if (strcmp (text, words[i]) == 0)
      return i;
  all = g_strjoinv (", ", (char **) words);
  sim_config_wrong ("\"%s\" of %s is \"%s\"; allowed: %s", name, self->what, text ? text : "null",
                    all);
}

int64_t
sim_read_duration (SimReader *self, const char *name, int64_t def)
{
  JsonNode *node = ask (self, name);
  gint64 value;

  if (node == NULL)
    return def;
  if (is_number (node) && json_node_get_double (node) >= 0)
    return (int64_t) (json_node_get_double (node) * 1e9);
  if (!is_text (node) || !sim_parse_duration (json_node_get_string (node), &value))
    sim_config_wrong ("\"%s\" of %s is no duration such as 2, \"2s\" or \"500ms\"", name,
                      self->what);
  return value;
}

JsonArray *
sim_read_array (SimReader *self, const char *name)
{
  JsonNode *node = ask (self, name);

  if (node == NULL)
    return NULL;
  if (!JSON_NODE_HOLDS_ARRAY (node))
    sim_config_wrong ("\"%s\" of %s is not an array", name, self->what);
  return json_node_get_array (node);
}

JsonObject *
sim_read_object (SimReader *self, const char *name)
{
  JsonNode *node = ask (self, name);

  if (node == NULL)
    return NULL;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    sim_config_wrong ("\"%s\" of %s is not an object", name, self->what);
  return json_node_get_object (node);
}

guint32
sim_read_devices (SimReader *self, const char *name)
{
  const char *pattern = sim_read_text (self, name, "*");
  guint32 mask = 0;

  if (pattern == NULL || strcmp (pattern, "*") == 0)
    return G_MAXUINT32;
  for (unsigned i = 0; i < sim.n_devices; i++)
    if (fnmatch (pattern, sim.devices[i].serial, 0) == 0)
      mask |= 1u << i;
  if (mask == 0)
    sim_config_wrong ("\"%s\" of %s: no device is called \"%s\"", name, self->what, pattern);
  return mask;
}

static guint64
streams_like (const SimReader *self, const char *pattern)
{
  guint64 mask = 0;

  for (unsigned i = 0; i < sim_n_streams; i++)
    if (fnmatch (pattern, sim_streams[i].topic, 0) == 0)
      mask |= G_GUINT64_CONSTANT (1) << i;
  if (mask == 0)
    sim_config_wrong ("%s: no stream is called \"%s\"", self->what, pattern);
  return mask;
}

guint64
sim_read_streams (SimReader *self, const char *name, const char *def)
{
  JsonNode *node = ask (self, name);
  JsonArray *array;
  guint64 mask = 0;

  if (node == NULL)
    return def != NULL ? streams_like (self, def) : 0;
  if (is_text (node))
    return streams_like (self, json_node_get_string (node));
  if (!JSON_NODE_HOLDS_ARRAY (node))
    sim_config_wrong ("\"%s\" of %s is neither a text nor an array", name, self->what);
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    mask |= streams_like (self, json_array_get_string_element (array, i));
  return mask;
}

guint32
sim_read_bits (SimReader *self, const char *name)
{
  JsonArray *array = sim_read_array (self, name);
  guint32 mask = 0;

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++) {
    gint64 bit = json_array_get_int_element (array, i);

    if (bit < 0 || bit > 31)
      sim_config_wrong ("\"%s\" of %s: %" G_GINT64_FORMAT " is not 0 … 31", name, self->what, bit);
    mask |= 1u << bit;
  }
  return mask;
}
