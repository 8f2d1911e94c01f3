/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-mcap.h>

/* Room for the records of chunks that are unpacked one after the other. */
typedef struct {
  guint8 *data;
  gsize capacity;
} AcqMcapRoom;

void acq_mcap_room_clear (AcqMcapRoom *self);

/*
 * The records of a chunk. Stored ones are not copied. Where it fails, *ret_records
 * is what could be unpacked, perhaps nothing: whole when only the CRC is wrong.
 */
gboolean acq_mcap_chunk_unpack (const AcqMcapChunk *chunk, AcqMcapRoom *room,
                                AcqMcapSpan *ret_records, GError **error);

/* Whether the CRC of an Attachment record with this content is right, or absent. */
gboolean acq_mcap_attachment_is_intact (AcqMcapSpan content, guint32 crc);
