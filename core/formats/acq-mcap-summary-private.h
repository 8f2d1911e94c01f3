/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "formats/acq-mcap-block-private.h"

/* What the summary section will say about the blocks that are in the file. */
typedef struct _AcqMcapSummary AcqMcapSummary;

AcqMcapSummary *acq_mcap_summary_new (void);
void acq_mcap_summary_free (AcqMcapSummary *self);

/* Takes note of a packed block at @offset of the file. */
void acq_mcap_summary_add (AcqMcapSummary *self, AcqMcapBlock *block, guint64 offset,
                           AcqMcapParts parts);

/* Bytes that acq_mcap_summary_encode() will need, nearly. */
gsize acq_mcap_summary_size (AcqMcapSummary *self);

/*
 * Appends DataEnd, summary, summary offsets, Footer and magic for a data section
 * of @size bytes. Of @schemas and @channels (arrays of encoded records), only
 * those are used that are in the file.
 */
void acq_mcap_summary_encode (AcqMcapSummary *self, GByteArray *out, guint64 size, guint32 data_crc,
                              AcqMcapParts parts, GPtrArray *schemas, GPtrArray *channels);
