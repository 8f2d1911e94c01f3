/* SPDX-License-Identifier: Apache-2.0 */

/* Frames of the glove and of the transforms. */

#include "standin-fill.h"

#include <math.h>
#include <string.h>

#define MAX_TAXELS 2048

static WujiQuaternionF32
quaternion (const float xyzw[4])
{
  return (WujiQuaternionF32){ xyzw[0], xyzw[1], xyzw[2], xyzw[3] };
}

static WujiPose
pose_of (const SimWujiPose *from)
{
  WujiPose pose = { .orientation = quaternion (from->orientation) };

  memcpy (pose.position, from->position, sizeof pose.position);
  return pose;
}

/* The first number, when it is to be garbage. */
static void
spoil (const SimShot *shot, float *number)
{
  if (shot->how == SIM_GARBAGE_NAN)
    *number = NAN;
  else if (shot->how == SIM_GARBAGE_HUGE)
    *number = 1e30f;
}

/* ---- taxels ---- */

typedef float (*TaxelValue) (uint32_t key, uint32_t seq, uint32_t taxel);

static uint32_t
tactile_key (const SimShot *shot)
{
  return shot->device->keys[sim_stream_index (sim_stream_find (SIM_GLOVE, "tactile"))];
}

/* A wide grid (before 2026.6.18) has a 32nd column of invalid taxels. */
static void
fill_grid (SimFrame *frame, const SimShot *shot, TaxelValue value)
{
  WujiTactileFrame *body = (WujiTactileFrame *) frame->body;
  uint32_t key = tactile_key (shot);
  size_t columns = sim.config.taxel_columns;
  size_t n = sim_length (shot, SIM_WUJI_ROWS * columns, MAX_TAXELS);

  sim_fill_header (&body->header, shot, "");
  body->data = sim_frame_alloc (frame, n * sizeof (float));
  body->data_len = n;
  for (size_t i = 0; i < n; i++) {
    uint32_t row = (uint32_t) (i / columns) % SIM_WUJI_ROWS;
    uint32_t column = (uint32_t) (i % columns);

    body->data[i] =
        column < SIM_WUJI_COLUMNS ? value (key, shot->seq, row * SIM_WUJI_COLUMNS + column) : -1.0f;
  }
  if (n > 0)
    spoil (shot, body->data);
  if (shot->how == SIM_GARBAGE_NULL)
    body->data = NULL;
}

void
sim_fill_tactile (SimFrame *frame, const SimShot *shot)
{
  fill_grid (frame, shot, sim_wuji_taxel);
}

void
sim_fill_tactile_binary (SimFrame *frame, const SimShot *shot)
{
  fill_grid (frame, shot, sim_wuji_taxel_binary);
}

void
sim_fill_tactile_residual (SimFrame *frame, const SimShot *shot)
{
  fill_grid (frame, shot, sim_wuji_taxel_residual);
}

static float *
zone_values (SimFrame *frame, const SimShot *shot, SimWujiZone zone, size_t *ret_n)
{
  float *values = sim_frame_alloc (frame, SIM_WUJI_TAXELS * sizeof (float));
  uint32_t key = tactile_key (shot);
  size_t n = 0;

  for (uint32_t i = 0; i < SIM_WUJI_TAXELS; i++)
    if (sim_wuji_zone (i / SIM_WUJI_COLUMNS, i % SIM_WUJI_COLUMNS) == zone)
      values[n++] = sim_wuji_taxel (key, shot->seq, i);
  for (size_t i = n; i < SIM_WUJI_TAXELS; i++)
    values[i] = 0.5f;
  *ret_n = sim_length (shot, n, SIM_WUJI_TAXELS);
  return values;
}

void
sim_fill_zones (SimFrame *frame, const SimShot *shot)
{
  WujiTactileZones *body = (WujiTactileZones *) frame->body;

  sim_fill_header (&body->header, shot, "");
  body->palm = zone_values (frame, shot, SIM_WUJI_ZONE_PALM, &body->palm_len);
  body->thumb = zone_values (frame, shot, SIM_WUJI_ZONE_THUMB, &body->thumb_len);
  body->index = zone_values (frame, shot, SIM_WUJI_ZONE_INDEX, &body->index_len);
  body->middle = zone_values (frame, shot, SIM_WUJI_ZONE_MIDDLE, &body->middle_len);
  body->ring = zone_values (frame, shot, SIM_WUJI_ZONE_RING, &body->ring_len);
  body->pinky = zone_values (frame, shot, SIM_WUJI_ZONE_PINKY, &body->pinky_len);
  spoil (shot, body->palm);
  if (shot->how == SIM_GARBAGE_NULL)
    body->palm = NULL;
}

void
sim_fill_cloud (SimFrame *frame, const SimShot *shot)
{
  static const char *const names[] = { "x", "y", "z", "pressure" };
  WujiPointCloud *body = (WujiPointCloud *) frame->body;
  uint32_t key = tactile_key (shot);
  size_t n = 0;

  sim_fill_header (&body->header, shot, "");
  memset (body->frame_id, 0, sizeof body->frame_id);
  g_snprintf (body->frame_id, sizeof body->frame_id, "%s_wrist", sim_side_letter (shot->device));
  body->point_stride = 16;
  body->fields_len = G_N_ELEMENTS (names);
  body->fields = sim_frame_alloc (frame, body->fields_len * sizeof *body->fields);
  for (size_t i = 0; i < body->fields_len; i++) {
    WujiPointField *field = &body->fields[i];

    memset (field->name, 0, sizeof field->name);
    g_strlcpy (field->name, names[i], sizeof field->name);
    field->offset = (uint32_t) i * 4;
    field->type_ = 7;
  }
  body->data = sim_frame_alloc (frame, SIM_WUJI_ACTIVE * 16);
  for (uint32_t i = 0; i < SIM_WUJI_TAXELS; i++) {
    float point[4];

    if (sim_wuji_zone (i / SIM_WUJI_COLUMNS, i % SIM_WUJI_COLUMNS) == SIM_WUJI_ZONE_NONE)
      continue;
    sim_wuji_cloud_point (key, shot->seq, i, point);
    memcpy (body->data + 16 * n++, point, sizeof point);
  }
  body->data_len = sim_length (shot, SIM_WUJI_ACTIVE * 16, SIM_WUJI_ACTIVE * 16);
  if (shot->how == SIM_GARBAGE_NULL)
    body->data = NULL;
}

/* ---- poses ---- */

void
sim_fill_emf (SimFrame *frame, const SimShot *shot)
{
  WujiEmfPoseArray *body = (WujiEmfPoseArray *) frame->body;
  char frame_id[32];

  g_snprintf (frame_id, sizeof frame_id, "%s_hand_emf_tx", sim_side_letter (shot->device));
  sim_fill_header (&body->header, shot, frame_id);
  body->poses_len = sim_length (shot, 5, 64);
  body->poses = sim_frame_alloc (frame, body->poses_len * sizeof *body->poses);
  for (size_t i = 0; i < body->poses_len; i++) {
    SimWujiPose pose = sim_wuji_finger_pose (shot->key, shot->seq, (uint32_t) i % 5,
                                             (uint32_t) shot->device->side);

    body->poses[i] = (WujiEmfPose){ pose_of (&pose), pose.confidence };
  }
  if (body->poses_len > 0)
    spoil (shot, &body->poses[0].pose.position[0]);
  if (shot->how == SIM_GARBAGE_NULL)
    body->poses = NULL;
}

void
sim_fill_tips (SimFrame *frame, const SimShot *shot)
{
  WujiFingertipPoses *body = (WujiFingertipPoses *) frame->body;
  char frame_id[32];

  g_snprintf (frame_id, sizeof frame_id, "%s_wrist", sim_side_letter (shot->device));
  sim_fill_header (&body->header, shot, frame_id);
  body->poses_len = sim_length (shot, 5, 64);
  body->poses = sim_frame_alloc (frame, body->poses_len * sizeof *body->poses);
  for (size_t i = 0; i < body->poses_len; i++) {
    SimWujiPose pose = sim_wuji_finger_pose (shot->key, shot->seq, (uint32_t) i % 5,
                                             (uint32_t) shot->device->side);

    body->poses[i] = (WujiFingertipPose){ pose_of (&pose), pose.confidence };
  }
  if (body->poses_len > 0)
    spoil (shot, &body->poses[0].pose.position[0]);
  if (shot->how == SIM_GARBAGE_NULL)
    body->poses = NULL;
}

void
sim_fill_angles (SimFrame *frame, const SimShot *shot)
{
  WujiHandJointAngles *body = (WujiHandJointAngles *) frame->body;
  char frame_id[32];

  g_snprintf (frame_id, sizeof frame_id, "%s_hand_emf_tx", sim_side_letter (shot->device));
  sim_fill_header (&body->header, shot, frame_id);
  body->fingers_len = sim_length (shot, 5, 64);
  body->fingers = sim_frame_alloc (frame, body->fingers_len * sizeof *body->fingers);
  for (size_t i = 0; i < body->fingers_len; i++) {
    uint32_t finger = (uint32_t) i % 5;

    for (uint32_t slot = 0; slot < 5; slot++)
      body->fingers[i].angles[slot] = sim_wuji_angle (shot->key, shot->seq, finger, slot);
    body->fingers[i].confidence = sim_wuji_angle_confidence (shot->key, shot->seq, finger);
  }
  if (body->fingers_len > 0 && shot->how == SIM_GARBAGE_NAN)
    body->fingers[0].angles[0] = NAN;
  if (shot->how == SIM_GARBAGE_NULL)
    body->fingers = NULL;
}

static const char *const skeleton_names[21] = {
  "wrist",
  "thumb_cmc",
  "thumb_mcp",
  "thumb_ip",
  "thumb_tip",
  "index_finger_mcp",
  "index_finger_pip",
  "index_finger_dip",
  "index_finger_tip",
  "middle_finger_mcp",
  "middle_finger_pip",
  "middle_finger_dip",
  "middle_finger_tip",
  "ring_finger_mcp",
  "ring_finger_pip",
  "ring_finger_dip",
  "ring_finger_tip",
  "pinky_mcp",
  "pinky_pip",
  "pinky_dip",
  "pinky_tip",
};

void
sim_fill_skeleton (SimFrame *frame, const SimShot *shot)
{
  WujiHandSkeleton *body = (WujiHandSkeleton *) frame->body;
  size_t stride = sim.config.skeleton_stride;
  uint8_t *bytes;
  char frame_id[32];

  g_snprintf (frame_id, sizeof frame_id, "%s_wrist", sim_side_letter (shot->device));
  sim_fill_header (&body->header, shot, frame_id);
  body->joints_len = sim_length (shot, 21, 64);
  bytes = sim_frame_alloc (frame, body->joints_len * stride);
  body->joints = (WujiSkeletonJoint *) bytes;
  for (size_t i = 0; i < body->joints_len; i++) {
    uint32_t joint = (uint32_t) i % 21;
    SimWujiPose pose =
        sim_wuji_skeleton_joint (shot->key, shot->seq, joint, (uint32_t) shot->device->side);
    WujiSkeletonJoint entry = { .pose = pose_of (&pose), .confidence = pose.confidence };

    g_strlcpy (entry.name, skeleton_names[joint], sizeof entry.name);
    if (i == 1)
      spoil (shot, &entry.pose.position[0]);
    if (i == 0 && shot->how == SIM_GARBAGE_NAME)
      memset (entry.name, 0x07, sizeof entry.name);
    memcpy (bytes + i * stride, &entry, sizeof entry);
  }
  if (shot->how == SIM_GARBAGE_NULL)
    body->joints = NULL;
}

/* ---- inertial ---- */

static void
fill_imu (SimFrame *frame, const SimShot *shot, uint32_t rate_hz, gboolean fused, const char *id)
{
  WujiImuData *body = (WujiImuData *) frame->body;
  SimWujiImu imu = sim_wuji_imu (shot->key, shot->seq, rate_hz, fused);

  sim_fill_header (&body->header, shot, id);
  memset ((uint8_t *) body + sizeof body->header, 0, sizeof *body - sizeof body->header);
  memcpy (&body->orientation, imu.orientation, sizeof imu.orientation);
  memcpy (&body->angular_velocity, imu.angular_velocity, sizeof imu.angular_velocity);
  memcpy (&body->linear_acceleration, imu.linear_acceleration, sizeof imu.linear_acceleration);
  if (!fused)
    body->orientation_covariance[0] = -1.0;
  if (shot->how == SIM_GARBAGE_NAN)
    body->angular_velocity.x = NAN;
}

static void
fill_glove_imu (SimFrame *frame, const SimShot *shot, gboolean fused)
{
  static const char *const places[] = { "palm", "thumb", "index", "middle", "ring", "pinky" };
  char frame_id[32];

  g_snprintf (frame_id, sizeof frame_id, "%s_%s_imu_link", sim_side_letter (shot->device),
              places[shot->stream->element]);
  fill_imu (frame, shot, SIM_WUJI_RATE_IMU, fused, frame_id);
}

void
sim_fill_imu_raw (SimFrame *frame, const SimShot *shot)
{
  fill_glove_imu (frame, shot, FALSE);
}

void
sim_fill_imu_fused (SimFrame *frame, const SimShot *shot)
{
  fill_glove_imu (frame, shot, TRUE);
}

void
sim_fill_hand2_imu (SimFrame *frame, const SimShot *shot)
{
  fill_imu (frame, shot, SIM_WUJI_RATE_HAND2_IMU, FALSE, "imu");
}

/* ---- transforms ---- */

static void
name_frames (WujiFrameTransform *transform, const char *letter, const char *parent,
             const char *child)
{
  memset (transform->parent_frame_id, 0, sizeof transform->parent_frame_id);
  memset (transform->child_frame_id, 0, sizeof transform->child_frame_id);
  g_snprintf (transform->parent_frame_id, 32, "%s%s", letter, parent);
  g_snprintf (transform->child_frame_id, 32, "%s%s", letter, child);
}

void
sim_fill_tf (SimFrame *frame, const SimShot *shot)
{
  WujiFrameTransforms *body = (WujiFrameTransforms *) frame->body;
  WujiFrameTransform *transform;
  float xyzw[4];

  body->transforms_len = sim_length (shot, 1, 1);
  transform = body->transforms = sim_frame_alloc (frame, sizeof *transform);
  name_frames (transform, "", "waist", "");
  g_snprintf (transform->child_frame_id, 32, "%s_wrist", sim_side_letter (shot->device));
  transform->timestamp_us = shot->timestamp_us;
  sim_wuji_wrist (shot->key, shot->seq, (uint32_t) shot->device->side, transform->translation,
                  xyzw);
  transform->rotation = quaternion (xyzw);
  spoil (shot, &transform->translation[0]);
  if (shot->how == SIM_GARBAGE_NULL)
    body->transforms = NULL;
}

/* Two fixed children for every glove of this process, translation only. */
void
sim_fill_tf_static (SimFrame *frame, const SimShot *shot)
{
  WujiFrameTransforms *body = (WujiFrameTransforms *) frame->body;
  size_t n = 0;

  body->transforms = sim_frame_alloc (frame, 2 * SIM_MAX_DEVICES * sizeof *body->transforms);
  for (unsigned i = 0; i < sim.n_devices; i++) {
    SimDevice *glove = &sim.devices[i];
    uint64_t uptime;

    if (glove->kind != SIM_GLOVE)
      continue;
    pthread_mutex_lock (&glove->lock);
    uptime = sim_clock_uptime_us (glove, sim_now_monotonic ());
    for (unsigned child = 0; child < 2 && glove->n_sessions > 0; child++) {
      WujiFrameTransform *transform = &body->transforms[n++];

      name_frames (transform, sim_side_letter (glove), "_wrist",
                   child == 0 ? "_hand_emf_tx" : "_palm_imu_link");
      transform->timestamp_us = sim_clock_stamp_us (glove, uptime);
      transform->translation[0] = 0.0f;
      transform->translation[1] = child == 0 ? 0.03125f : 0.015625f;
      transform->translation[2] = -0.0625f;
      transform->rotation = (WujiQuaternionF32){ 0.0f, 0.0f, 0.0f, 1.0f };
    }
    pthread_mutex_unlock (&glove->lock);
  }
  body->transforms_len = n;
}
