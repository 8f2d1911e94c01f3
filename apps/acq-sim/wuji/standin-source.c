/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Sources: the counters that streams follow. A reduced rate is a coarser grid of indices from
 * some index on; what is below it keeps the grid it had.
 */

#include "standin-api.h"
#include "standin-source.h"

#include <stdio.h>

const SimGrid *
sim_source_grid (const SimSource *source, uint64_t index)
{
  return index >= source->grid.anchor ? &source->grid : &source->before;
}

uint32_t
sim_source_seq (const SimSource *source, const SimStream *stream, uint64_t index)
{
  const SimGrid *grid = sim_source_grid (source, index);
  uint64_t steps = index - grid->anchor;

  if (!sim.config.sparse_seq)
    steps /= grid->divisor;
  return grid->anchor_seq + (uint32_t) steps + stream->seq_ahead;
}

/* The first index at or behind this one that is on the grid. */
uint64_t
sim_source_align (const SimSource *source, uint64_t index)
{
  const SimGrid *grid = sim_source_grid (source, index);
  uint64_t over = (index - grid->anchor) % grid->divisor;

  if (over > 0)
    index += grid->divisor - over;
  return grid == &source->before ? MIN (index, source->grid.anchor) : index;
}

uint64_t
sim_source_index_after (const SimDevice *device, const SimSource *source, int64_t now_ns)
{
  uint64_t uptime = sim_clock_uptime_us (device, now_ns);

  return uptime / 1000000 * source->native_hz + uptime % 1000000 * source->native_hz / 1000000 + 1;
}

/* From the next frame on; the sequence goes on from where it is. */
void
sim_source_divide (const SimDevice *device, SimSource *source, uint32_t divisor)
{
  SimStream plain = { .seq_ahead = 0 };
  uint64_t next;

  if (divisor == source->grid.divisor)
    return;
  next = sim_source_align (
      source,
      MAX (source->grid.anchor, sim_source_index_after (device, source, sim_now_monotonic ())));
  source->before = source->grid;
  source->grid = (SimGrid){ next, sim_source_seq (source, &plain, next), divisor };
}

static gboolean
firmware_can (const SimDevice *device)
{
  unsigned have[3] = { 0 };
  static const unsigned glove[3] = { 0, 11, 4 };
  static const unsigned hand[3] = { 2, 3, 0 };
  const unsigned *need = device->kind == SIM_GLOVE ? glove : hand;

  sscanf (device->firmware, "%u.%u.%u", &have[0], &have[1], &have[2]);
  for (unsigned i = 0; i < 3; i++)
    if (have[i] != need[i])
      return have[i] > need[i];
  return TRUE;
}

WujiStatus
wuji_sub_set_rate (WujiSub *sub, uint16_t frequency_hz, uint16_t *out_actual_hz)
{
  SIM_CALL call = { 0 };
  SimSource *source;
  uint32_t divisor;

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE | SIM_CALL_BLOCKING))
    return call.status;
  if (sub == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "subscription is NULL");
  if (sub->magic != SIM_SUB_ALIVE)
    sim_misuse (__func__, "the subscription was closed, or is none");
  if (!(sub->stream->flags & SIM_STREAM_RATE) || !firmware_can (sub->device))
    return sim_fail (WUJI_STATUS_ERR_UNSUPPORTED, "%s: rate cannot be set", sub->stream->topic);
  pthread_mutex_lock (&sub->device->lock);
  if (!sub->session->connected || sub->finished) {
    pthread_mutex_unlock (&sub->device->lock);
    return sim_fail (WUJI_STATUS_ERR_DISCONNECTED, "stream has ended");
  }
  source = &sub->device->sources[sub->stream->source];
  divisor = frequency_hz == 0 ? 1 : MAX (1u, source->native_hz / frequency_hz);
  sim_source_divide (sub->device, source, divisor);
  if (out_actual_hz != NULL)
    *out_actual_hz = (uint16_t) (source->native_hz / divisor);
  pthread_mutex_unlock (&sub->device->lock);
  return WUJI_STATUS_OK;
}
