/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-types.h>

const char *
acq_side_to_string (AcqSide side)
{
  switch (side) {
  case ACQ_SIDE_LEFT:
    return "left";
  case ACQ_SIDE_RIGHT:
    return "right";
  case ACQ_SIDE_UNKNOWN:
    break;
  }
  return "unknown";
}
