/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-streams.h"

static const char *
axes_of (guint side)
{
  return side == FSNH_LEFT ? "X right, Y forward, Z up" : "X left, Y backward, Z up";
}

AcqStream *
fsnh_add_skeleton (AcqSource *source, const FsnhHandConfig *config, AcqClock *clock)
{
  const AcqStreamInfo info = {
    .name = "hand_skeleton",
    .schema = &acq_hand_skeleton_schema,
    .rate_hz = config->rate_hz,
    .clock = clock,
    .has_sequence = TRUE,
  };
  AcqStream *stream = acq_source_add_stream (source, &info);

  acq_stream_set_count (stream, "joints", FSNH_WRIST_JOINTS);
  acq_stream_set_count (stream, "confidence", 0);
  acq_stream_set_metadata (stream, "side", config->side == FSNH_LEFT ? "left" : "right");
  acq_stream_set_metadata (stream, "axes", axes_of (config->side));
  acq_stream_set_metadata (stream, "units", "m, unit quaternion");
  acq_stream_set_metadata (stream, "layout",
                           config->layout == FSNH_AS_RECEIVED ? "as-received" : "wrist-relative");
  acq_stream_set_metadata (stream, "parents", "-1,0,1,2,3,0,5,6,7,0,9,10,11,0,13,14,15,0,17,18,19");
  return stream;
}

AcqStream *
fsnh_add_raw (AcqSource *source, const FsnhHandConfig *config)
{
  const AcqStreamInfo info = {
    .name = "raw",
    .schema = &acq_raw_schema,
    .rate_hz = config->rate_hz,
    .max_tail = FSNH_RAW_MAX,
  };

  return acq_source_add_stream (source, &info);
}
