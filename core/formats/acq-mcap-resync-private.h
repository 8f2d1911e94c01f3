/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-mcap.h>

/*
 * Looks for a Chunk record among bytes that are not known to be records. Its
 * three lengths and its compression must agree, so that chance does not do it.
 * Returns its offset, or @end.
 */
gsize acq_mcap_find_chunk (AcqMcapSpan file, gsize start, gsize end);

/*
 * Reads a Chunk record at @offset whose length is wrong, or that the end of the
 * file cut off. *ret_end is where it ends, by the length that it has inside.
 */
gboolean acq_mcap_salvage_chunk (AcqMcapSpan file, gsize offset, AcqMcapChunk *ret_chunk,
                                 gsize *ret_end, gboolean *ret_cut);
