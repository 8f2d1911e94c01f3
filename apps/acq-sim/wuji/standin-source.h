/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "standin-private.h"

/* All with the lock of the source's device. */

const SimGrid *sim_source_grid (const SimSource *source, uint64_t index);
/* The first index at or behind this one that is on the grid. */
uint64_t sim_source_align (const SimSource *source, uint64_t index);
/* The first index that is measured after a time. */
uint64_t sim_source_index_after (const SimDevice *device, const SimSource *source, int64_t now_ns);
/* From the next frame on; the sequence goes on from where it is. */
void sim_source_divide (const SimDevice *device, SimSource *source, uint32_t divisor);
uint32_t sim_source_seq (const SimSource *source, const SimStream *stream, uint64_t index);
