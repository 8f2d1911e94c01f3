/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/* Writes `metadata.yaml` beside a finished file, so that its folder is a bag for `ros2 bag`. */
gboolean mcap_rosbag2_write (const char *mcap_path, AcqTake *take, AcqSink *sink, GError **error);
