/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The streams of each kind of device: which counter they follow, how fast, who makes their
 * frames. And frames themselves: memory that is garbage before and poison after.
 */

#include "standin-api.h"
#include "standin-fill.h"

#include <stdlib.h>
#include <string.h>

#define RATE SIM_STREAM_RATE
#define MODEL SIM_STREAM_MODEL
#define CHANGE SIM_STREAM_CHANGE

/* clang-format off */
const SimStream sim_streams[] = {
  /* topic, kind, source, Hz, sequence ahead, flags, element, maker */
  { "tactile",            SIM_GLOVE, 0, SIM_WUJI_RATE_TACTILE, 0, RATE,  0, sim_fill_tactile },
  { "tactile_zones",      SIM_GLOVE, 0, SIM_WUJI_RATE_TACTILE, 0, RATE,  0, sim_fill_zones },
  { "tactile_binary",     SIM_GLOVE, 0, SIM_WUJI_RATE_TACTILE, 0, MODEL, 0, sim_fill_tactile_binary },
  { "tactile_residual",   SIM_GLOVE, 0, SIM_WUJI_RATE_TACTILE, 0, MODEL, 0, sim_fill_tactile_residual },
  { "tactile_point_cloud", SIM_GLOVE, 1, SIM_WUJI_RATE_EMF,    0, 0,     0, sim_fill_cloud },
  { "emf_poses",          SIM_GLOVE, 1, SIM_WUJI_RATE_EMF,     0, RATE,  0, sim_fill_emf },
  { "tip_poses",          SIM_GLOVE, 1, SIM_WUJI_RATE_EMF, SIM_WUJI_TIP_SEQ_AHEAD, 0, 0, sim_fill_tips },
  { "hand_joint_angles",  SIM_GLOVE, 1, SIM_WUJI_RATE_EMF,     0, 0,     0, sim_fill_angles },
  { "hand_skeleton",      SIM_GLOVE, 1, SIM_WUJI_RATE_EMF,     0, 0,     0, sim_fill_skeleton },
  { "imu_raw/palm",       SIM_GLOVE, 2, SIM_WUJI_RATE_IMU,     0, RATE,  0, sim_fill_imu_raw },
  { "imu_raw/thumb",      SIM_GLOVE, 3, SIM_WUJI_RATE_IMU,     0, RATE,  1, sim_fill_imu_raw },
  { "imu_raw/index",      SIM_GLOVE, 4, SIM_WUJI_RATE_IMU,     0, RATE,  2, sim_fill_imu_raw },
  { "imu_raw/middle",     SIM_GLOVE, 5, SIM_WUJI_RATE_IMU,     0, RATE,  3, sim_fill_imu_raw },
  { "imu_raw/ring",       SIM_GLOVE, 6, SIM_WUJI_RATE_IMU,     0, RATE,  4, sim_fill_imu_raw },
  { "imu_raw/pinky",      SIM_GLOVE, 7, SIM_WUJI_RATE_IMU,     0, RATE,  5, sim_fill_imu_raw },
  { "imu_data/palm",      SIM_GLOVE, 2, SIM_WUJI_RATE_IMU,     0, 0,     0, sim_fill_imu_fused },
  { "imu_data/thumb",     SIM_GLOVE, 3, SIM_WUJI_RATE_IMU,     0, 0,     1, sim_fill_imu_fused },
  { "imu_data/index",     SIM_GLOVE, 4, SIM_WUJI_RATE_IMU,     0, 0,     2, sim_fill_imu_fused },
  { "imu_data/middle",    SIM_GLOVE, 5, SIM_WUJI_RATE_IMU,     0, 0,     3, sim_fill_imu_fused },
  { "imu_data/ring",      SIM_GLOVE, 6, SIM_WUJI_RATE_IMU,     0, 0,     4, sim_fill_imu_fused },
  { "imu_data/pinky",     SIM_GLOVE, 7, SIM_WUJI_RATE_IMU,     0, 0,     5, sim_fill_imu_fused },
  { "tf",                 SIM_GLOBAL, 0, SIM_WUJI_RATE_IMU,    0, 0,     0, sim_fill_tf },
  { "tf_static",          SIM_GLOBAL, 1, 1,                    0, 0,     0, sim_fill_tf_static },
  { "joint_states",       SIM_HAND_2, 0, SIM_WUJI_RATE_JOINTS, 0, RATE,  0, sim_fill_joint_states },
  { "joint_diagnostics",  SIM_HAND_2, 0, SIM_WUJI_RATE_JOINTS, 0, RATE,  0, sim_fill_diagnostics },
  { "imu",                SIM_HAND_2, 1, SIM_WUJI_RATE_HAND2_IMU, 0, RATE, 0, sim_fill_hand2_imu },
  { "fingertip/thumb/data",  SIM_HAND_2, 2, SIM_WUJI_RATE_FINGERTIP, 0, RATE, 0, sim_fill_fingertip },
  { "fingertip/index/data",  SIM_HAND_2, 3, SIM_WUJI_RATE_FINGERTIP, 0, RATE, 1, sim_fill_fingertip },
  { "fingertip/middle/data", SIM_HAND_2, 4, SIM_WUJI_RATE_FINGERTIP, 0, RATE, 2, sim_fill_fingertip },
  { "fingertip/ring/data",   SIM_HAND_2, 5, SIM_WUJI_RATE_FINGERTIP, 0, RATE, 3, sim_fill_fingertip },
  { "fingertip/pinky/data",  SIM_HAND_2, 6, SIM_WUJI_RATE_FINGERTIP, 0, RATE, 4, sim_fill_fingertip },
  { "joint_states",          SIM_HAND, 0, SIM_WUJI_RATE_JOINTS,  0, 0,      0, sim_fill_hand_states },
  { "tactile/pressure_frame", SIM_HAND, 1, SIM_WUJI_RATE_TACTILE, 0, 0,     0, sim_fill_board },
  { "tactile/status",        SIM_HAND, 2, 50,                    0, CHANGE, 0, sim_fill_board_status },
};
/* clang-format on */

const unsigned sim_n_streams = G_N_ELEMENTS (sim_streams);
_Static_assert(G_N_ELEMENTS (sim_streams) <= SIM_MAX_STREAMS, "SIM_MAX_STREAMS is too small");

const SimStream *
sim_stream_find (SimKind kind, const char *topic)
{
  for (unsigned i = 0; i < sim_n_streams; i++)
    if (sim_streams[i].kind == kind && strcmp (sim_streams[i].topic, topic) == 0)
      return &sim_streams[i];
  return NULL;
}

unsigned
sim_stream_index (const SimStream *stream)
{
  return (unsigned) (stream - sim_streams);
}

guint64
sim_stream_fingers (void)
{
  guint64 mask = 0;

  for (unsigned i = 0; i < sim_n_streams; i++)
    if (sim_streams[i].kind == SIM_GLOVE && sim_streams[i].source >= 3)
      mask |= G_GUINT64_CONSTANT (1) << i;
  return mask;
}

/* ---- frames ---- */

void *
sim_frame_alloc (SimFrame *frame, size_t size)
{
  uint8_t *bytes = malloc (MAX (size, 1));

  memset (bytes, 0xa5, MAX (size, 1));
  g_assert (frame->n_blocks < G_N_ELEMENTS (frame->blocks));
  frame->blocks[frame->n_blocks].bytes = bytes;
  frame->blocks[frame->n_blocks++].size = size;
  return bytes;
}

void
sim_frame_destroy (SimFrame *frame)
{
  for (unsigned i = 0; i < frame->n_blocks; i++) {
    memset (frame->blocks[i].bytes, 0xdd, frame->blocks[i].size);
    free (frame->blocks[i].bytes);
  }
  frame->n_blocks = 0;
}

void
sim_fill_header (WujiFrameHeader *header, const SimShot *shot, const char *frame_id)
{
  memset (header->frame_id, 0, sizeof header->frame_id);
  g_strlcpy (header->frame_id, frame_id, sizeof header->frame_id);
  header->seq = shot->seq;
  header->timestamp_us = shot->timestamp_us;
  if (shot->how == SIM_GARBAGE_STAMP)
    header->timestamp_us -= 3600000000u;
}

const char *
sim_side_letter (const SimDevice *device)
{
  return device->side == SIM_WUJI_LEFT ? "l" : "r";
}

size_t
sim_length (const SimShot *shot, size_t n, size_t capacity)
{
  if (shot->how != SIM_GARBAGE_LENGTH)
    return n;
  return MIN ((size_t) MAX (shot->value, 0), capacity);
}

/* ---- the functions ---- */

#define DEFINE_SUBSCRIBE(function, kind, topic)                                                    \
  WujiStatus function (WujiDevice *dev, WujiAnySubCallback cb, void *user_data, WujiSub **out_sub) \
  {                                                                                                \
    return sim_subscribe (#function, dev, sim_stream_find (kind, topic), cb, NULL, user_data,      \
                          out_sub);                                                                \
  }

SIM_SUBSCRIBE_FUNCTIONS (DEFINE_SUBSCRIBE)

WujiStatus
wuji_subscribe_tf (WujiAnySubCallback cb, void *user_data, WujiSub **out_sub)
{
  return sim_subscribe (__func__, NULL, sim_stream_find (SIM_GLOBAL, "tf"), cb, NULL, user_data,
                        out_sub);
}

WujiStatus
wuji_subscribe_tf_static (WujiAnySubCallback cb, void *user_data, WujiSub **out_sub)
{
  return sim_subscribe (__func__, NULL, sim_stream_find (SIM_GLOBAL, "tf_static"), cb, NULL,
                        user_data, out_sub);
}

/* Global topics ignore the device. */
WujiStatus
wuji_sub_open (WujiDevice *dev, const char *path, WujiSubCallback cb, void *user_data,
               WujiSub **out_sub)
{
  const SimStream *stream = path != NULL ? sim_stream_find (SIM_GLOBAL, path) : NULL;

  if (stream == NULL) {
    SIM_CALL call = { 0 };

    if (!sim_call_begin (&call, __func__, dev, SIM_CALL_ANY_DEVICE | SIM_CALL_BLOCKING))
      return call.status;
    stream = path != NULL ? sim_stream_find (call.device->kind, path) : NULL;
    if (stream == NULL)
      return sim_fail (WUJI_STATUS_ERR_NOT_FOUND, "no such topic: %s", path ? path : "(null)");
  }
  return sim_subscribe (__func__, dev, stream, NULL, cb, user_data, out_sub);
}
