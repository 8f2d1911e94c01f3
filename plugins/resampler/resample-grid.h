/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/**
 * ResampleGrid:
 * @start_ns: host time of tick 0
 * @rate_hz: ticks per second
 *
 * Equally spaced times. Each tick is computed from its number, so nothing adds up: after a day at
 * 60 Hz a tick is still within half a nanosecond of where it belongs.
 */
typedef struct {
  gint64 start_ns;
  double rate_hz;
} ResampleGrid;

/** resample_grid_tick: Returns: host time of tick @index */
gint64 resample_grid_tick (const ResampleGrid *self, guint64 index);

/** resample_grid_index: Returns: the first tick that is not before @host_ns */
guint64 resample_grid_index (const ResampleGrid *self, gint64 host_ns);
