/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-imu.h"

#include <string.h>

AcqStream *
wuji_imu_declare (WujiFeed *feed, const char *frame_id)
{
  AcqStreamInfo info = { .clock = feed->session->clock, .has_sequence = TRUE };
  AcqStream *stream = wuji_feed_add_stream (feed, &info, frame_id);

  acq_stream_set_metadata (stream, "gravity", "not removed (assumed)");
  return stream;
}

/* A first covariance of -1 says that there is no orientation; it goes on as it came. */
AcqFrame *
wuji_imu_fill (WujiFeed *feed, const void *data)
{
  const WujiImuData *frame = data;
  AcqFrame *message;
  AcqImu *imu = acq_imu_begin (feed->stream, &message);

  _Static_assert(sizeof (AcqImu) == sizeof (WujiImuData) - sizeof (WujiFrameHeader), "one block");
  _Static_assert(offsetof (AcqImu, linear_acceleration_covariance) ==
                     offsetof (WujiImuData, linear_acceleration_covariance) -
                         sizeof (WujiFrameHeader),
                 "in the same order");
  memcpy (imu, (const guint8 *) frame + sizeof frame->header, sizeof *imu);
  return message;
}
