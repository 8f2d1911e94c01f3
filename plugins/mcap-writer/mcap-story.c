/* SPDX-License-Identifier: Apache-2.0 */
#include "mcap-story.h"

#include "mcap-texts.h"

#include <json-glib/json-glib.h>
#include <sys/utsname.h>

static void
add (AcqMcapWriter *writer, const char *name, McapTexts *texts)
{
  AcqMcapMetadata record = { acq_mcap_text (name), mcap_texts_encode (texts) };

  acq_mcap_writer_add_metadata (writer, &record);
}

static void
add_session (AcqMcapWriter *writer, AcqTake *take)
{
  g_autoptr (McapTexts) texts = mcap_texts_new ();
  g_autofree const char **keys = acq_take_list_facts (take);

  for (guint i = 0; keys[i] != NULL; i++)
    mcap_texts_take (texts, keys[i], acq_take_get_fact (take, keys[i]));
  mcap_texts_set (texts, "name", acq_take_get_base (take));
  mcap_texts_set (texts, "task", acq_take_get_task (take));
  mcap_texts_set_int (texts, "start_ns", acq_take_get_start (take));
  add (writer, "acq.session", texts);
}

static JsonNode *
describe_node (AcqNode *node)
{
  const AcqPlugin *plugin = acq_node_get_plugin (node);
  JsonObject *object = json_object_new ();
  JsonNode *options = acq_node_options_to_json (node);
  JsonNode *result = json_node_new (JSON_NODE_OBJECT);

  if (plugin != NULL) {
    json_object_set_string_member (object, "plugin", plugin->name);
    if (plugin->version != NULL)
      json_object_set_string_member (object, "version", plugin->version);
  }
  if (options != NULL)
    json_object_set_member (object, "options", options);
  json_node_take_object (result, object);
  return result;
}

static void
add_provenance (AcqMcapWriter *writer, AcqGraph *graph)
{
  g_autoptr (McapTexts) texts = mcap_texts_new ();
  g_autoptr (GPtrArray) nodes = acq_graph_list_nodes (graph);
  struct utsname system;

  mcap_texts_set (texts, "library", "libacq " ACQ_VERSION);
  mcap_texts_set (texts, "host", g_get_host_name ());
  if (uname (&system) == 0) {
    mcap_texts_take (texts, "system", g_strdup_printf ("%s %s", system.sysname, system.release));
    mcap_texts_set (texts, "machine", system.machine);
  }
  for (guint i = 0; i < nodes->len; i++) {
    g_autofree char *key = g_strconcat ("node.", acq_node_get_id (nodes->pdata[i]), NULL);
    mcap_texts_take_json (texts, key, describe_node (nodes->pdata[i]));
  }
  add (writer, "acq.provenance", texts);
}

void
mcap_story_begin (AcqMcapWriter *writer, AcqNode *sink, AcqTake *take)
{
  add_session (writer, take);
  add_provenance (writer, acq_node_get_graph (sink));
}

static char *
describe_clock (AcqClock *clock)
{
  AcqClockEstimate estimate;

  acq_clock_estimate (clock, &estimate);
  return g_strdup_printf ("{\"kind\":\"%s\",\"epoch\":%u,\"locked\":%s,"
                          "\"offset_ns\":%" G_GINT64_FORMAT ",\"drift_ppm\":%.6f,"
                          "\"uncertainty_ns\":%" G_GINT64_FORMAT ",\"host_ns\":%" G_GINT64_FORMAT
                          ",\"device_ns\":%" G_GUINT64_FORMAT "}",
                          acq_clock_kind_to_string (estimate.kind), estimate.epoch,
                          estimate.locked ? "true" : "false", estimate.offset_ns,
                          estimate.drift_ppm, estimate.uncertainty_ns, estimate.host_ns,
                          estimate.device_ns);
}

static void
add_clocks (AcqMcapWriter *writer, AcqNode *sink)
{
  g_autoptr (McapTexts) texts = mcap_texts_new ();
  g_autoptr (GPtrArray) links = acq_sink_list_links (ACQ_SINK (sink));

  mcap_texts_take (texts, "acq.host",
                   g_strdup_printf ("{\"kind\":\"utc\",\"wall_offset_ns\":%" G_GINT64_FORMAT "}",
                                    acq_host_clock_wall_offset (acq_node_get_host_clock (sink))));
  for (guint i = 0; i < links->len; i++) {
    AcqClock *clock = acq_stream_get_clock (acq_link_get_stream (links->pdata[i]));
    if (clock != NULL)
      mcap_texts_take (texts, acq_clock_get_id (clock), describe_clock (clock));
  }
  add (writer, "acq.clocks", texts);
}

/* The ledger as reports have it; one entry for each part of it. */
static void
add_ledger (AcqMcapWriter *writer, AcqGraph *graph)
{
  g_autoptr (McapTexts) texts = mcap_texts_new ();
  g_autoptr (AcqSnapshot) snapshot = acq_graph_snapshot (graph);
  g_autoptr (JsonNode) json = acq_snapshot_to_json (snapshot);
  JsonObjectIter iter;
  const char *name;
  JsonNode *part;

  mcap_texts_set_int (texts, "host_ns", snapshot->host_ns);
  json_object_iter_init (&iter, json_node_get_object (json));
  while (json_object_iter_next (&iter, &name, &part))
    mcap_texts_take_json (texts, name, json_node_ref (part));
  add (writer, "acq.ledger", texts);
}

void
mcap_story_end (AcqMcapWriter *writer, AcqNode *sink, AcqTake *take, const GError *failure)
{
  g_autoptr (McapTexts) texts = mcap_texts_new ();

  /* A sink that failed ends before its take. */
  mcap_texts_set_int (texts, "stop_ns", MIN (acq_take_get_stop (take), acq_node_now (sink)));
  mcap_texts_set (texts, "complete", failure == NULL ? "true" : "false");
  if (failure != NULL)
    mcap_texts_set (texts, "failure", failure->message);
  add (writer, "acq.end", texts);
  add_clocks (writer, sink);
  add_ledger (writer, acq_node_get_graph (sink));
}

static gboolean
attach_one (AcqMcapWriter *writer, const AcqAttachment *attachment, GError **error)
{
  g_autofree char *name = attachment->node != NULL
                              ? g_strconcat (attachment->node, "/", attachment->name, NULL)
                              : g_strdup (attachment->name);
  AcqMcapAttachment record = {
    .log_time = attachment->host_ns,
    .create_time = attachment->host_ns,
    .name = acq_mcap_text (name),
    .media_type = acq_mcap_text (attachment->media_type),
  };

  record.data.data = g_bytes_get_data (attachment->data, &record.data.size);
  return acq_mcap_writer_add_attachment (writer, &record, error);
}

gboolean
mcap_story_attach (AcqMcapWriter *writer, AcqNode *sink, guint *inout_next, GError **error)
{
  g_autoptr (GPtrArray) fresh = acq_graph_list_attachments (acq_node_get_graph (sink), *inout_next);

  for (guint i = 0; i < fresh->len; i++) {
    if (!attach_one (writer, fresh->pdata[i], error))
      return FALSE;
    *inout_next += 1;
  }
  return TRUE;
}
