/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

typedef struct {
  guint16 channel_id;
  guint16 schema_id; /* of the stream's schema in this file */
} McapChannelIds;

/*
 * Declares the channel of a stream: topic, schema, and metadata that say what its
 * numbers mean. Across channels, messages are in order to within @hold_back_ns.
 */
gboolean mcap_channel_declare (AcqMcapWriter *writer, AcqStream *stream, const McapChannelIds *ids,
                               gint64 hold_back_ns, gpointer data, GError **error);

gboolean mcap_channel_declare_schema (AcqMcapWriter *writer, const AcqSchema *schema,
                                      guint16 schema_id, GError **error);
