/* SPDX-License-Identifier: Apache-2.0 */
#include "resample-grid.h"

#include <math.h>

gint64
resample_grid_tick (const ResampleGrid *self, guint64 index)
{
  return self->start_ns + (gint64) roundl ((long double) index * 1e9L / self->rate_hz);
}

guint64
resample_grid_index (const ResampleGrid *self, gint64 host_ns)
{
  guint64 index;

  if (host_ns <= self->start_ns)
    return 0;
  index = (guint64) ((double) (host_ns - self->start_ns) * 1e-9 * self->rate_hz);
  /* Right to within a tick or two, whatever the rounding. */
  while (index > 0 && resample_grid_tick (self, index - 1) >= host_ns)
    index--;
  while (resample_grid_tick (self, index) < host_ns)
    index++;
  return index;
}
