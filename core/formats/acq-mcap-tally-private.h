/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "formats/acq-mcap-block-private.h"

/* What the summary section will say about the blocks that are in the file. */
typedef struct _AcqMcapTally AcqMcapTally;

AcqMcapTally *acq_mcap_tally_new (void);
void acq_mcap_tally_free (AcqMcapTally *self);

/* Takes note of a packed block at @offset of the file. */
void acq_mcap_tally_add (AcqMcapTally *self, AcqMcapBlock *block, guint64 offset,
                         AcqMcapParts parts);

/* Bytes that acq_mcap_tally_encode() will need, nearly. */
gsize acq_mcap_tally_size (AcqMcapTally *self);

/*
 * Appends DataEnd, summary, summary offsets, Footer and magic for a data section
 * of @size bytes. Of @schemas and @channels (arrays of encoded records), only
 * those are used that are in the file.
 */
void acq_mcap_tally_encode (AcqMcapTally *self, GByteArray *out, guint64 size, guint32 data_crc,
                            AcqMcapParts parts, GPtrArray *schemas, GPtrArray *channels);
