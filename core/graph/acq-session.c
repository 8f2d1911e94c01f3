/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-session.h>

#include <string.h>

#include <acq/acq-json.h>
#include <acq/acq-part-file.h>
#include <acq/acq-plugin.h>

#include <json-glib/json-glib.h>

#include "base/acq-io-private.h"

#define NS_PER_US 1000
#define CLOCK_TEXT                                                                                 \
  "host time: the boot-time clock plus a wall-clock offset fixed at the start, microseconds "      \
  "since "                                                                                         \
  "1970-01-01 UTC"

typedef struct {
  gint64 first_us; /* G_MAXINT64 when there is none */
  gint64 last_us;
} Range;

static const Range no_range = { G_MAXINT64, G_MININT64 };

static Range
range_of (const AcqStreamSnapshot *stream)
{
  if (stream->first_ns == 0)
    return no_range;
  return (Range){ stream->first_ns / NS_PER_US, stream->last_ns / NS_PER_US };
}

static void
add_range (JsonObject *object, Range range)
{
  JsonArray *array;

  if (range.first_us > range.last_us)
    return;
  array = json_array_sized_new (2);
  json_array_add_int_element (array, range.first_us);
  json_array_add_int_element (array, range.last_us);
  json_object_set_array_member (object, "t_host_us_range", array);
}

static void
add_text (JsonObject *object, const char *name, const char *text)
{
  if (text != NULL)
    json_object_set_string_member (object, name, text);
}

static gboolean
is_engine (const AcqStreamSnapshot *stream)
{
  return g_str_equal (acq_node_get_id (acq_stream_get_node (stream->stream)), "acq");
}

/* Does it say when its device was there? Latched and occasional messages do not. */
static gboolean
counts_for_overlap (const AcqStreamSnapshot *stream)
{
  return !is_engine (stream) && ACQ_IS_SOURCE (acq_stream_get_node (stream->stream)) &&
         acq_stream_get_rate (stream->stream) > 0 && !acq_stream_is_latched (stream->stream);
}

/* Streams */

static JsonObject *
stream_object (const AcqStreamSnapshot *stream)
{
  JsonObject *object = json_object_new ();

  add_text (object, "topic", acq_stream_get_topic (stream->stream));
  add_text (object, "schema", acq_stream_get_schema (stream->stream)->name);
  json_object_set_double_member (object, "nominal_rate_hz", acq_stream_get_rate (stream->stream));
  json_object_set_int_member (object, "frames", (gint64) stream->frames);
  json_object_set_int_member (object, "lost", (gint64) stream->counters[ACQ_STREAM_LOST]);
  add_range (object, range_of (stream));
  json_object_set_boolean_member (object, "counts_for_overlap", counts_for_overlap (stream));
  return object;
}

static void
add_streams (JsonObject *root, const AcqSnapshot *snapshot)
{
  JsonObject *streams = json_object_new ();
  gint64 from_us = G_MININT64, to_us = G_MAXINT64;
  gboolean any = FALSE, all = TRUE;

  for (guint i = 0; i < snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = snapshot->streams->pdata[i];
    Range range = range_of (stream);

    if (is_engine (stream))
      continue;
    json_object_set_object_member (streams, stream->path, stream_object (stream));
    if (!counts_for_overlap (stream))
      continue;
    any = TRUE;
    all = all && stream->first_ns != 0;
    from_us = MAX (from_us, range.first_us);
    to_us = MIN (to_us, range.last_us);
  }
  json_object_set_object_member (root, "streams", streams);
  json_object_set_double_member (root, "overlap_s",
                                 any && all && to_us > from_us ? (to_us - from_us) * 1e-6 : 0);
}

/* Devices */

static Range
range_of_node (const AcqSnapshot *snapshot, AcqNode *node)
{
  Range range = no_range;

  for (guint i = 0; i < snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = snapshot->streams->pdata[i];

    if (acq_stream_get_node (stream->stream) != node || !counts_for_overlap (stream))
      continue;
    range.first_us = MIN (range.first_us, range_of (stream).first_us);
    range.last_us = MAX (range.last_us, range_of (stream).last_us);
  }
  return range;
}

static const char *
member_for_fact (const char *key)
{
  if (g_str_equal (key, "serial"))
    return "sn";
  if (g_str_equal (key, "side"))
    return "slot";
  return key;
}

static JsonObject *
device_object (const AcqSnapshot *snapshot, AcqNode *node)
{
  JsonObject *object = json_object_new ();
  g_auto (GStrv) facts = acq_node_list_facts (node);
  const AcqPlugin *plugin = acq_node_get_plugin (node);

  json_object_set_string_member (object, "device_name", acq_node_get_id (node));
  json_object_set_null_member (object, "sn");
  json_object_set_null_member (object, "slot");
  for (char **fact = facts; *fact != NULL; fact += 2) {
    if (!g_str_equal (fact[0], "section"))
      json_object_set_string_member (object, member_for_fact (fact[0]), fact[1]);
  }
  json_object_set_string_member (object, "node", acq_node_get_id (node));
  add_text (object, "plugin", plugin != NULL ? plugin->name : NULL);
  if (!g_str_equal (acq_node_get_label (node), acq_node_get_id (node)))
    json_object_set_string_member (object, "label", acq_node_get_label (node));
  add_range (object, range_of_node (snapshot, node));
  return object;
}

/* `gloves` → `glove_type`; devices of several kinds give `manus+wuji`. */
static void
add_type (JsonObject *root, const char *section, const char *kind)
{
  g_autofree char *stem = g_strdup (section);
  g_autofree char *name = NULL;
  const char *before;

  if (kind == NULL)
    return;
  if (g_str_has_suffix (stem, "s"))
    stem[strlen (stem) - 1] = '\0';
  name = g_strconcat (stem, "_type", NULL);
  before = json_object_get_string_member_with_default (root, name, NULL);
  if (before == NULL)
    json_object_set_string_member (root, name, kind);
  else {
    g_auto (GStrv) kinds = g_strsplit (before, "+", -1);
    g_autofree char *both = g_strconcat (before, "+", kind, NULL);

    if (!g_strv_contains ((const char *const *) kinds, kind))
      json_object_set_string_member (root, name, both);
  }
}

/* Sections whose name is a plural are lists; of another, there is one device. */
static void
add_device (JsonObject *root, const char *section, JsonObject *device)
{
  if (!g_str_has_suffix (section, "s")) {
    json_object_set_object_member (root, section, device);
    return;
  }
  if (!json_object_has_member (root, section))
    json_object_set_array_member (root, section, json_array_new ());
  json_array_add_object_element (json_object_get_array_member (root, section), device);
}

static void
add_devices (JsonObject *root, AcqGraph *graph, const AcqSnapshot *snapshot)
{
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (graph);

  for (guint i = 0; i < nodes->len; i++) {
    AcqNode *node = nodes->pdata[i];
    g_autofree char *section = acq_node_get_fact (node, "section");
    g_autofree char *kind = acq_node_get_fact (node, "kind");

    if (!ACQ_IS_SOURCE (node))
      continue;
    if (section == NULL)
      section = g_strdup ("devices");
    add_type (root, section, kind);
    add_device (root, section, device_object (snapshot, node));
  }
}

/* The whole */

static void
add_recording (JsonObject *root, AcqTake *take)
{
  g_autofree const char **keys = acq_take_list_facts (take);
  JsonObject *recording = json_object_new ();

  for (const char **key = keys; *key != NULL; key++) {
    g_autofree char *value = acq_take_get_fact (take, *key);

    json_object_set_string_member (recording, *key, value);
  }
  json_object_set_object_member (root, "recording", recording);
}

static guint64
sum_missing (const AcqStreamSnapshot *stream)
{
  guint64 sum = 0;

  for (guint i = 0; i < stream->links->len; i++) {
    const AcqLinkCounters *n = &g_array_index (stream->links, AcqLinkSnapshot, i).counters;

    for (int c = 0; c < ACQ_DROP_N_CAUSES; c++)
      sum += n->dropped[c];
    for (int c = 0; c < ACQ_FAIL_N_CAUSES; c++)
      sum += n->failed[c];
  }
  return sum;
}

static void
add_summary (JsonObject *root, AcqTake *take, const AcqSnapshot *snapshot)
{
  JsonObject *summary = json_object_new ();
  gint64 stop_ns = MIN (acq_take_get_stop (take), snapshot->host_ns);
  guint64 frames = 0, lost = 0, missing = 0;

  for (guint i = 0; i < snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = snapshot->streams->pdata[i];

    if (is_engine (stream))
      continue;
    frames += stream->frames;
    lost += stream->counters[ACQ_STREAM_LOST];
    missing += sum_missing (stream);
  }
  json_object_set_int_member (summary, "start_host_us", acq_take_get_start (take) / NS_PER_US);
  json_object_set_int_member (summary, "stop_host_us", stop_ns / NS_PER_US);
  json_object_set_double_member (summary, "duration_s",
                                 (double) (stop_ns - acq_take_get_start (take)) / 1e9);
  json_object_set_int_member (summary, "frames", (gint64) frames);
  json_object_set_int_member (summary, "lost", (gint64) lost);
  json_object_set_int_member (summary, "not_written", (gint64) missing);
  json_object_set_object_member (root, "summary", summary);
}

static void
add_verdict (JsonObject *root, const AcqVerdict *verdict)
{
  JsonObject *object = json_object_new ();
  JsonArray *reasons = json_array_new ();

  for (gsize i = 0; verdict->reasons != NULL && verdict->reasons[i] != NULL; i++)
    json_array_add_string_element (reasons, verdict->reasons[i]);
  json_object_set_string_member (object, "result", verdict->result);
  json_object_set_array_member (object, "reasons", reasons);
  json_object_set_object_member (root, "verdict", object);
}

JsonNode *
acq_session_to_json (AcqGraph *graph, AcqTake *take, const AcqSnapshot *snapshot,
                     const AcqVerdict *verdict)
{
  JsonObject *root = json_object_new ();
  JsonNode *node = json_node_init_object (json_node_alloc (), root);

  json_object_set_string_member (root, "base", acq_take_get_base (take));
  json_object_set_string_member (root, "task_name", acq_take_get_task (take));
  json_object_set_string_member (root, "clock", CLOCK_TEXT);
  add_devices (root, graph, snapshot);
  add_streams (root, snapshot);
  add_recording (root, take);
  add_summary (root, take, snapshot);
  if (verdict != NULL)
    add_verdict (root, verdict);
  json_object_set_member (root, "ledger", acq_snapshot_to_json (snapshot));
  json_object_set_string_member (root, "writer", "acq " ACQ_VERSION);
  json_object_unref (root);
  return node;
}

gboolean
acq_session_write (AcqGraph *graph, AcqTake *take, const AcqSnapshot *snapshot,
                   const AcqVerdict *verdict, GError **error)
{
  g_autoptr (JsonNode) node = acq_session_to_json (graph, take, snapshot, verdict);
  g_autofree char *json = acq_json_print (node, TRUE);
  g_autofree char *text = g_strconcat (json, "\n", NULL);
  g_autofree char *name = g_strconcat (acq_take_get_base (take), ".session.json", NULL);
  g_autofree char *path = g_build_filename (acq_take_get_directory (take), name, NULL);
  AcqPartFile *file = acq_part_file_new (path, ACQ_PART_FILE_REPLACE, error);

  if (file == NULL)
    return FALSE;
  if (!acq_io_pwrite (acq_part_file_get_fd (file), text, strlen (text), 0, path, error) ||
      !acq_part_file_publish (file, error)) {
    acq_part_file_discard (file);
    return FALSE;
  }
  acq_part_file_free (file);
  acq_take_add_file (take, NULL, path, strlen (text));
  return TRUE;
}
