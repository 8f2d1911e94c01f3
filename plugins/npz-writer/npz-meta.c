/* SPDX-License-Identifier: Apache-2.0 */
#include "npz-meta.h"

#include "npz-names.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

static void
add_text (JsonObject *object, const char *key, const char *value)
{
  if (value != NULL)
    json_object_set_string_member (object, key, value);
}

/* JSON knows no NaN; what has no value is null. */
static void
add_number (JsonArray *array, AcqKind kind, gconstpointer data, guint i)
{
  double real;

  switch (kind) {
  case ACQ_KIND_BOOL:
    json_array_add_boolean_element (array, ((const guint8 *) data)[i] != 0);
    return;
  case ACQ_KIND_I8:
    json_array_add_int_element (array, ((const gint8 *) data)[i]);
    return;
  case ACQ_KIND_U8:
    json_array_add_int_element (array, ((const guint8 *) data)[i]);
    return;
  case ACQ_KIND_I16:
    json_array_add_int_element (array, ((const gint16 *) data)[i]);
    return;
  case ACQ_KIND_U16:
    json_array_add_int_element (array, ((const guint16 *) data)[i]);
    return;
  case ACQ_KIND_I32:
    json_array_add_int_element (array, ((const gint32 *) data)[i]);
    return;
  case ACQ_KIND_U32:
    json_array_add_int_element (array, ((const guint32 *) data)[i]);
    return;
  case ACQ_KIND_I64:
  case ACQ_KIND_U64:
    json_array_add_int_element (array, ((const gint64 *) data)[i]);
    return;
  case ACQ_KIND_F32:
    real = ((const float *) data)[i];
    break;
  case ACQ_KIND_F64:
    real = ((const double *) data)[i];
    break;
  default:
    real = NAN;
  }
  if (isfinite (real))
    json_array_add_double_element (array, real);
  else
    json_array_add_null_element (array);
}

static JsonArray *
constant_to_json (const AcqConstants *constants, const AcqField *field)
{
  JsonArray *array = json_array_new ();
  guint n = 0;

  if (field->kind == ACQ_KIND_STRING) {
    const char *const *texts = acq_constants_get_strv (constants, field->name);

    for (; texts != NULL && *texts != NULL; texts++)
      json_array_add_string_element (array, *texts);
  } else {
    gconstpointer data = acq_constants_get_data (constants, field->name, &n);

    for (guint i = 0; data != NULL && i < n; i++)
      add_number (array, field->kind, data, i);
  }
  return array;
}

static void
add_constants (JsonObject *stream, AcqStream *of)
{
  const AcqSchema *schema = acq_stream_get_schema (of);
  AcqConstants *constants = acq_stream_get_constants (of);
  JsonObject *object;

  if (constants == NULL)
    return;
  object = json_object_new ();
  for (guint i = 0; i < schema->n_fields; i++)
    if (schema->fields[i].flags & ACQ_FIELD_CONSTANT)
      json_object_set_array_member (object, schema->fields[i].name,
                                    constant_to_json (constants, &schema->fields[i]));
  json_object_set_object_member (stream, "constants", object);
}

static void
add_metadata (JsonObject *stream, AcqStream *of)
{
  g_autofree const char **keys = acq_stream_list_metadata (of);
  JsonObject *object;

  if (*keys == NULL)
    return;
  object = json_object_new ();
  for (const char **key = keys; *key != NULL; key++)
    add_text (object, *key, acq_stream_get_metadata (of, *key));
  json_object_set_object_member (stream, "metadata", object);
}

static JsonObject *
stream_to_json (const NpzTake *take, const NpzStream *s)
{
  const char *node = acq_node_get_id (acq_stream_get_node (s->stream));
  JsonObject *object = json_object_new ();

  add_text (object, "device", npz_names_lookup (take->settings.device_names, node));
  add_text (object, "stream", acq_stream_get_path (s->stream));
  add_text (object, "schema", acq_stream_get_schema (s->stream)->name);
  add_text (object, "frame_id", acq_stream_get_frame_id (s->stream));
  json_object_set_double_member (object, "nominal_rate_hz", acq_stream_get_rate (s->stream));
  if (take->ended)
    json_object_set_int_member (object, "t_host_us_adjusted", (gint64) s->n_adjusted);
  npz_layout_describe (s->layout, object);
  add_constants (object, s->stream);
  add_metadata (object, s->stream);
  return object;
}

/* Facts under the words of the format: `sn` is the serial, `slot` the side. */
static JsonObject *
device_to_json (AcqNode *node)
{
  const AcqPlugin *plugin = acq_node_get_plugin (node);
  g_auto (GStrv) facts = acq_node_list_facts (node);
  JsonObject *object = json_object_new ();

  add_text (object, "node", acq_node_get_id (node));
  add_text (object, "plugin", plugin != NULL ? plugin->name : NULL);
  for (char **fact = facts; *fact != NULL; fact += 2) {
    const char *key = g_str_equal (fact[0], "serial") ? "sn"
                      : g_str_equal (fact[0], "side") ? "slot"
                                                      : fact[0];

    add_text (object, key, fact[1]);
  }
  return object;
}

/* A node of section `gloves` and kind `wuji` is a `wuji_glove`. */
static char *
dup_device_type (AcqNode *node)
{
  g_autofree char *section = acq_node_get_fact (node, "section");
  g_autofree char *kind = acq_node_get_fact (node, "kind");

  if (section == NULL || kind == NULL)
    return NULL;
  if (g_str_has_suffix (section, "s"))
    section[strlen (section) - 1] = '\0';
  return g_strconcat (kind, "_", section, NULL);
}

static void
add_devices (JsonObject *meta, const NpzTake *take)
{
  JsonObject *devices = json_object_new ();
  g_autoptr (GPtrArray) types = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *all = NULL;

  for (guint i = 0; i < take->streams->len; i++) {
    const NpzStream *s = take->streams->pdata[i];
    AcqNode *node = acq_stream_get_node (s->stream);
    const char *name = npz_names_lookup (take->settings.device_names, acq_node_get_id (node));
    char *type;

    if (json_object_has_member (devices, name))
      continue;
    json_object_set_object_member (devices, name, device_to_json (node));
    type = dup_device_type (node);
    if (type == NULL || g_ptr_array_find_with_equal_func (types, type, g_str_equal, NULL))
      g_free (type);
    else
      g_ptr_array_add (types, type);
  }
  if (types->len > 0) {
    g_ptr_array_add (types, NULL);
    all = g_strjoinv ("+", (char **) types->pdata);
    json_object_set_string_member (meta, "device_type", all);
  }
  json_object_set_object_member (meta, "devices", devices);
}

static void
add_recording (JsonObject *meta, AcqTake *take)
{
  g_autofree const char **keys = acq_take_list_facts (take);
  JsonObject *object = json_object_new ();

  for (const char **key = keys; *key != NULL; key++) {
    g_autofree char *value = acq_take_get_fact (take, *key);

    add_text (object, *key, value);
  }
  json_object_set_object_member (meta, "recording", object);
}

char *
npz_meta_make (const NpzTake *take)
{
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  JsonObject *meta = json_object_new (), *streams = json_object_new ();

  json_node_take_object (root, meta);
  add_text (meta, "base", acq_take_get_base (take->take));
  add_text (meta, "task_name", acq_take_get_task (take->take));
  add_text (
      meta, "clock",
      "t_host_us: host time, microseconds since 1970-01-01 UTC; align by it. t_dev_us: the "
      "device's own, -1 where it has none. t_us: t_dev_us where there is one, else t_host_us");
  add_text (meta, "writer", "acq " ACQ_VERSION);
  add_devices (meta, take);
  for (guint i = 0; i < take->streams->len; i++) {
    const NpzStream *s = take->streams->pdata[i];

    json_object_set_object_member (streams, s->stem, stream_to_json (take, s));
  }
  json_object_set_object_member (meta, "streams", streams);
  add_recording (meta, take->take);
  return acq_json_print (root, FALSE);
}
