/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/*
 * Declares the channel of a stream: topic, schema, and metadata that say what its
 * numbers mean. @schema_id belongs to the stream's schema in this file.
 */
gboolean mcap_channel_declare (AcqMcapWriter *writer, AcqStream *stream, guint16 schema_id,
                               guint16 channel_id, gpointer data, GError **error);

gboolean mcap_channel_declare_schema (AcqMcapWriter *writer, const AcqSchema *schema,
                                      guint16 schema_id, GError **error);
