/* SPDX-License-Identifier: Apache-2.0 */
#include "mcap-channel.h"

#include "mcap-texts.h"

#include <json-glib/json-glib.h>

/* What ROS 2 would have offered: nothing is given up, and a latched topic is kept for latecomers.
 */
#define QOS(durability)                                                                            \
  "- history: keep_last\n"                                                                         \
  "  depth: 10\n"                                                                                  \
  "  reliability: reliable\n"                                                                      \
  "  durability: " durability "\n"                                                                 \
  "  deadline:\n"                                                                                  \
  "    sec: 9223372036\n"                                                                          \
  "    nsec: 854775807\n"                                                                          \
  "  lifespan:\n"                                                                                  \
  "    sec: 9223372036\n"                                                                          \
  "    nsec: 854775807\n"                                                                          \
  "  liveliness: automatic\n"                                                                      \
  "  liveliness_lease_duration:\n"                                                                 \
  "    sec: 9223372036\n"                                                                          \
  "    nsec: 854775807\n"                                                                          \
  "  avoid_ros_namespace_conventions: false\n"

gboolean
mcap_channel_declare_schema (AcqMcapWriter *writer, const AcqSchema *schema, guint16 schema_id,
                             GError **error)
{
  AcqMcapSchema record = {
    .id = schema_id,
    .name = acq_mcap_text (schema->name),
    .encoding = acq_mcap_text ("ros2msg"),
    .data = acq_mcap_text (schema->text),
  };

  return acq_mcap_writer_add_schema (writer, &record, error);
}

static void
add_node (McapTexts *texts, AcqNode *node)
{
  const AcqPlugin *plugin = acq_node_get_plugin (node);
  g_auto (GStrv) facts = acq_node_list_facts (node);

  mcap_texts_set (texts, "acq.node", acq_node_get_id (node));
  mcap_texts_set (texts, "acq.label", acq_node_get_label (node));
  if (plugin != NULL) {
    mcap_texts_set (texts, "acq.plugin", plugin->name);
    mcap_texts_set (texts, "acq.plugin_version", plugin->version);
  }
  for (guint i = 0; facts != NULL && facts[i] != NULL; i += 2)
    mcap_texts_set (texts, facts[i], facts[i + 1]);
}

static void
add_clock (McapTexts *texts, AcqStream *stream)
{
  AcqClock *clock = acq_stream_get_clock (stream);
  AcqClockKind kind = clock != NULL ? acq_clock_get_kind (clock) : ACQ_CLOCK_NONE;

  mcap_texts_set (texts, "acq.device_clock", acq_clock_kind_to_string (kind));
  if (clock != NULL)
    mcap_texts_set (texts, "acq.clock_id", acq_clock_get_id (clock));
  mcap_texts_set (texts, "acq.stamp", acq_stream_is_mapped (stream) ? "device-mapped" : "host");
  mcap_texts_set_int (texts, "acq.latency_ns", acq_stream_get_latency (stream));
}

/* Units by path of the field, as a JSON object. */
static void
add_units (McapTexts *texts, const AcqSchema *schema)
{
  g_autoptr (AcqLeaves) leaves = acq_leaves_new (schema, ACQ_LEAVES_PLAIN);
  g_autoptr (JsonObject) units = json_object_new ();

  for (guint i = 0; i < leaves->n; i++)
    if (leaves->leaves[i].unit != NULL)
      json_object_set_string_member (units, leaves->leaves[i].path, leaves->leaves[i].unit);
  if (json_object_get_size (units) != 0) {
    JsonNode *node = json_node_new (JSON_NODE_OBJECT);
    json_node_set_object (node, units);
    mcap_texts_take_json (texts, "acq.units", node);
  }
}

static void
add_stream (McapTexts *texts, AcqStream *stream)
{
  g_autofree const char **keys = acq_stream_list_metadata (stream);

  mcap_texts_set (texts, "acq.stream", acq_stream_get_name (stream));
  mcap_texts_set (texts, "acq.sequence", acq_stream_has_sequence (stream) ? "device" : "counter");
  if (acq_stream_get_rate (stream) > 0)
    mcap_texts_take (texts, "acq.rate_hz", g_strdup_printf ("%g", acq_stream_get_rate (stream)));
  mcap_texts_set (texts, "offered_qos_profiles",
                  acq_stream_is_latched (stream) ? QOS ("transient_local") : QOS ("volatile"));
  for (guint i = 0; keys[i] != NULL; i++)
    mcap_texts_set (texts, keys[i], acq_stream_get_metadata (stream, keys[i]));
}

gboolean
mcap_channel_declare (AcqMcapWriter *writer, AcqStream *stream, const McapChannelIds *ids,
                      gint64 hold_back_ns, gpointer data, GError **error)
{
  g_autoptr (McapTexts) texts = mcap_texts_new ();
  AcqMcapChannel record = {
    .id = ids->channel_id,
    .schema_id = ids->schema_id,
    .topic = acq_mcap_text (acq_stream_get_topic (stream)),
    .message_encoding = acq_mcap_text ("cdr"),
  };

  add_node (texts, acq_stream_get_node (stream));
  add_clock (texts, stream);
  add_units (texts, acq_stream_get_schema (stream));
  add_stream (texts, stream);
  mcap_texts_set_int (texts, "acq.hold_back_ns", hold_back_ns);
  record.metadata = mcap_texts_encode (texts);
  return acq_mcap_writer_add_channel (writer, &record, data, error);
}
