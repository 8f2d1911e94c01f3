/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/* What a file tells about its recording, beside the messages: metadata and attachments. */

/* `acq.session` and `acq.provenance`, known from the start. */
void mcap_story_begin (AcqMcapWriter *writer, AcqNode *sink, AcqTake *take);

/* `acq.end`, `acq.clocks` and `acq.ledger`, once everything is settled. */
void mcap_story_end (AcqMcapWriter *writer, AcqNode *sink, AcqTake *take, const GError *failure);

/* Attachments of the graph from number *inout_next on. */
gboolean mcap_story_attach (AcqMcapWriter *writer, AcqNode *sink, guint *inout_next,
                            GError **error);
