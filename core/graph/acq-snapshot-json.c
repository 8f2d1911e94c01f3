/* SPDX-License-Identifier: Apache-2.0 */

/* The ledger as reports and status lines show it. */

#include <json-glib/json-glib.h>

#include <acq/acq-snapshot.h>

static void
add_count (JsonBuilder *builder, const char *name, guint64 n)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64) n);
}

static void
add_counts (JsonBuilder *builder, const char *name, const GArray *counts)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
  for (guint i = 0; i < counts->len; i++) {
    const AcqCount *count = &g_array_index (counts, AcqCount, i);

    add_count (builder, count->name, count->n);
  }
  json_builder_end_object (builder);
}

static void
add_ports (JsonBuilder *builder, const AcqSnapshot *self)
{
  json_builder_set_member_name (builder, "ports");
  json_builder_begin_object (builder);
  for (guint i = 0; i < self->ports->len; i++) {
    const AcqPortSnapshot *port = self->ports->pdata[i];

    json_builder_set_member_name (builder, port->name);
    json_builder_begin_object (builder);
    add_count (builder, port->packets_word, port->packets);
    add_count (builder, "wrong_source", port->wrong_source);
    add_counts (builder, "foreign", port->foreign);
    add_counts (builder, "rejected", port->rejected);
    add_count (builder, "other_hand", port->other_hand);
    add_count (builder, "kernel_drops", port->kernel_drops);
    json_builder_end_object (builder);
  }
  json_builder_end_object (builder);
}

static void
add_nodes (JsonBuilder *builder, const AcqSnapshot *self)
{
  json_builder_set_member_name (builder, "nodes");
  json_builder_begin_object (builder);
  for (guint i = 0; i < self->nodes->len; i++) {
    const AcqNodeSnapshot *node = self->nodes->pdata[i];

    json_builder_set_member_name (builder, node->id);
    json_builder_begin_object (builder);
    json_builder_set_member_name (builder, "kind");
    json_builder_add_string_value (builder, node->kind);
    json_builder_set_member_name (builder, "state");
    json_builder_add_string_value (builder, acq_node_state_to_string (node->state));
    if (node->problem != NULL) {
      json_builder_set_member_name (builder, "problem");
      json_builder_add_string_value (builder, node->problem);
    }
    if (node->port != NULL) {
      json_builder_set_member_name (builder, "port");
      json_builder_add_string_value (builder, node->port);
      add_count (builder, "accepted", node->accepted);
    }
    if (node->reconnects > 0)
      add_count (builder, "reconnects", node->reconnects);
    if (node->progress.bytes > 0) {
      add_count (builder, "bytes", node->progress.bytes);
      add_count (builder, "free_bytes", node->progress.free_bytes);
    }
    json_builder_end_object (builder);
  }
  json_builder_end_object (builder);
}

static void
add_link (JsonBuilder *builder, const AcqLinkSnapshot *link)
{
  const AcqLinkCounters *n = &link->counters;

  json_builder_set_member_name (builder, link->sink);
  json_builder_begin_object (builder);
  add_count (builder, "offered", n->offered);
  add_count (builder, "written", n->written);
  json_builder_set_member_name (builder, "dropped");
  json_builder_begin_object (builder);
  for (int c = 0; c < ACQ_DROP_N_CAUSES; c++) {
    if (n->dropped[c] > 0)
      add_count (builder, acq_drop_cause_to_string (c), n->dropped[c]);
  }
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "failed");
  json_builder_begin_object (builder);
  for (int c = 0; c < ACQ_FAIL_N_CAUSES; c++) {
    if (n->failed[c] > 0)
      add_count (builder, acq_fail_cause_to_string (c), n->failed[c]);
  }
  json_builder_end_object (builder);
  add_count (builder, "paused", n->paused);
  add_count (builder, "idle", n->idle);
  add_count (builder, "pending", n->pending);
  add_count (builder, "queued", n->queued);
  if (n->replayed > 0)
    add_count (builder, "replayed", n->replayed);
  json_builder_end_object (builder);
}

static void
add_stream (JsonBuilder *builder, const AcqSnapshot *self, const AcqStreamSnapshot *stream)
{
  json_builder_set_member_name (builder, stream->path);
  json_builder_begin_object (builder);
  add_count (builder, "frames", stream->frames);
  add_count (builder, "repeats", stream->counters[ACQ_STREAM_REPEATS]);
  add_count (builder, "duplicates", stream->counters[ACQ_STREAM_DUPLICATES]);
  add_count (builder, "late", stream->counters[ACQ_STREAM_LATE]);
  add_count (builder, "lost", stream->counters[ACQ_STREAM_LOST]);
  add_count (builder, "bytes", stream->bytes);
  json_builder_set_member_name (builder, "rate_hz");
  json_builder_add_double_value (builder, stream->rate_hz);
  json_builder_set_member_name (builder, "jitter_ms");
  json_builder_add_double_value (builder, stream->jitter_s * 1e3);
  json_builder_set_member_name (builder, "age_ms");
  if (stream->last_ns == 0)
    json_builder_add_null_value (builder);
  else
    json_builder_add_double_value (builder, (self->host_ns - stream->last_ns) * 1e-6);
  json_builder_set_member_name (builder, "sinks");
  json_builder_begin_object (builder);
  for (guint i = 0; i < stream->links->len; i++)
    add_link (builder, &g_array_index (stream->links, AcqLinkSnapshot, i));
  json_builder_end_object (builder);
  json_builder_end_object (builder);
}

JsonNode *
acq_snapshot_to_json (const AcqSnapshot *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_ports (builder, self);
  add_nodes (builder, self);
  json_builder_set_member_name (builder, "streams");
  json_builder_begin_object (builder);
  for (guint i = 0; i < self->streams->len; i++)
    add_stream (builder, self, self->streams->pdata[i]);
  json_builder_end_object (builder);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}
