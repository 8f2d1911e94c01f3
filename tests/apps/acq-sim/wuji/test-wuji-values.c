/* SPDX-License-Identifier: Apache-2.0 */

/* Every stream of the stand-in has the values of its closed form, in the vendor's structs. */

#include "wuji-client.h"

#include <math.h>
#include <string.h>

#define SETUP "'chatter':false,'connect-ms':0,'scan-ms':0,'first-frame-ms':0"

static void
header (Watch *watch, const WujiFrameHeader *head, const char *frame_id)
{
  char full[64];

  g_snprintf (full, sizeof full, frame_id, watch->side == SIM_WUJI_LEFT ? "l" : "r");
  watch_expect (watch, strcmp (head->frame_id, full) == 0, head->frame_id);
  watch_expect (watch, head->timestamp_us > watch->last_stamp, "stamps do not rise");
  watch->last_seq = head->seq;
  watch->last_stamp = head->timestamp_us;
}

static gboolean
same_pose (const WujiPose *pose, const SimWujiPose *want)
{
  return memcmp (pose->position, want->position, sizeof pose->position) == 0 &&
         memcmp (&pose->orientation, want->orientation, sizeof pose->orientation) == 0;
}

/* ---- glove ---- */

typedef float (*Taxel) (uint32_t key, uint32_t seq, uint32_t taxel);

static void
check_grid (Watch *watch, const WujiTactileFrame *frame, Taxel want)
{
  uint32_t key = sim_wuji_key (watch->serial, "tactile");
  guint invalid = 0;

  header (watch, &frame->header, "");
  watch_expect (watch, frame->data_len == 744, "length of the grid");
  for (uint32_t i = 0; i < 744; i++) {
    watch_expect (watch, frame->data[i] == want (key, frame->header.seq, i), "taxel");
    invalid += sim_wuji_zone (i / 31, i % 31) == SIM_WUJI_ZONE_NONE;
  }
  watch_expect (watch, invalid == 218, "invalid taxels");
}

static void
check_tactile (Watch *watch, const void *frame)
{
  check_grid (watch, frame, sim_wuji_taxel);
}

static void
check_binary (Watch *watch, const void *frame)
{
  check_grid (watch, frame, sim_wuji_taxel_binary);
}

static void
check_residual (Watch *watch, const void *frame)
{
  check_grid (watch, frame, sim_wuji_taxel_residual);
}

static void
check_zones (Watch *watch, const void *data)
{
  const WujiTactileZones *frame = data;
  const float *zones[] = { frame->palm,   frame->thumb, frame->index,
                           frame->middle, frame->ring,  frame->pinky };
  const size_t lengths[] = { frame->palm_len,   frame->thumb_len, frame->index_len,
                             frame->middle_len, frame->ring_len,  frame->pinky_len };
  size_t at[6] = { 0 };
  uint32_t key = sim_wuji_key (watch->serial, "tactile");

  header (watch, &frame->header, "");
  for (uint32_t i = 0; i < 744; i++) {
    SimWujiZone zone = sim_wuji_zone (i / 31, i % 31);

    if (zone != SIM_WUJI_ZONE_NONE)
      watch_expect (watch, zones[zone][at[zone]++] == sim_wuji_taxel (key, frame->header.seq, i),
                    "taxel of a zone");
  }
  watch_expect (watch, memcmp (at, lengths, sizeof at) == 0, "lengths of zones");
}

static void
check_cloud (Watch *watch, const void *data)
{
  const WujiPointCloud *frame = data;
  uint32_t key = sim_wuji_key (watch->serial, "tactile");
  size_t n = 0;

  header (watch, &frame->header, "");
  watch_expect (watch,
                frame->fields_len == 4 && strcmp (frame->fields[3].name, "pressure") == 0 &&
                    frame->fields[3].offset == 12 && frame->fields[3].type_ == 7,
                "fields of the cloud");
  watch_expect (watch, frame->data_len == 526 * frame->point_stride, "size of the cloud");
  for (uint32_t i = 0; i < 744; i++) {
    float want[4];

    if (sim_wuji_zone (i / 31, i % 31) == SIM_WUJI_ZONE_NONE)
      continue;
    sim_wuji_cloud_point (key, frame->header.seq, i, want);
    watch_expect (watch, memcmp (frame->data + 16 * n++, want, 16) == 0, "point");
  }
}

static void
check_emf (Watch *watch, const void *data)
{
  const WujiEmfPoseArray *frame = data;

  header (watch, &frame->header, "%s_hand_emf_tx");
  watch_expect (watch, frame->poses_len == 5, "number of poses");
  for (uint32_t i = 0; i < 5; i++) {
    SimWujiPose want = sim_wuji_finger_pose (watch->key, frame->header.seq, i, watch->side);

    watch_expect (watch, same_pose (&frame->poses[i].pose, &want), "pose");
    watch_expect (watch, frame->poses[i].confidence == want.confidence, "confidence");
  }
}

static void
check_tips (Watch *watch, const void *data)
{
  const WujiFingertipPoses *frame = data;

  header (watch, &frame->header, "%s_wrist");
  for (uint32_t i = 0; i < 5; i++) {
    SimWujiPose want = sim_wuji_finger_pose (watch->key, frame->header.seq, i, watch->side);

    watch_expect (watch, same_pose (&frame->poses[i].pose, &want), "pose");
  }
}

static void
check_angles (Watch *watch, const void *data)
{
  const WujiHandJointAngles *frame = data;

  header (watch, &frame->header, "%s_hand_emf_tx");
  watch_expect (watch, frame->fingers_len == 5, "number of fingers");
  for (uint32_t f = 0; f < 5; f++) {
    for (uint32_t i = 0; i < 5; i++)
      watch_expect (watch,
                    frame->fingers[f].angles[i] ==
                        sim_wuji_angle (watch->key, frame->header.seq, f, i),
                    "angle");
    watch_expect (watch,
                  frame->fingers[f].confidence ==
                      sim_wuji_angle_confidence (watch->key, frame->header.seq, f),
                  "confidence");
  }
}

static void
check_skeleton (Watch *watch, const void *data)
{
  const WujiHandSkeleton *frame = data;

  header (watch, &frame->header, "%s_wrist");
  watch_expect (watch, frame->joints_len == 21, "number of joints");
  for (uint32_t i = 0; i < 21; i++) {
    SimWujiPose want = sim_wuji_skeleton_joint (watch->key, frame->header.seq, i, watch->side);
    const WujiQuaternionF32 *q = &frame->joints[i].pose.orientation;

    watch_expect (watch, same_pose (&frame->joints[i].pose, &want), "joint");
    watch_expect (watch, fabsf (q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w - 1) < 1e-6f,
                  "norm");
  }
  watch_expect (watch, strcmp (frame->joints[8].name, "index_finger_tip") == 0, "name");
  watch_expect (watch, frame->joints[0].pose.orientation.w == 1.0f, "the wrist turns");
}

static void
check_imu (Watch *watch, const void *data)
{
  const WujiImuData *frame = data;
  gboolean hand = strncmp (watch->serial, "WH", 2) == 0;
  gboolean fused = watch->key == sim_wuji_key (watch->serial, "imu_data/palm");
  SimWujiImu want = sim_wuji_imu (watch->key, frame->header.seq,
                                  hand ? SIM_WUJI_RATE_HAND2_IMU : SIM_WUJI_RATE_IMU, fused);

  header (watch, &frame->header, hand ? "imu" : "%s_palm_imu_link");
  watch_expect (watch, memcmp (&frame->orientation, want.orientation, 32) == 0, "orientation");
  watch_expect (watch, memcmp (&frame->angular_velocity, want.angular_velocity, 24) == 0, "gyro");
  watch_expect (watch, memcmp (&frame->linear_acceleration, want.linear_acceleration, 24) == 0,
                "acceleration");
  watch_expect (watch, frame->orientation_covariance[0] == (fused ? 0.0 : -1.0), "covariance");
}

static void
check_tf (Watch *watch, const void *data)
{
  const WujiFrameTransforms *frame = data;
  const WujiFrameTransform *one = frame->transforms;

  watch_expect (watch, frame->transforms_len == 1, "number of transforms");
  watch_expect (watch,
                strcmp (one->parent_frame_id, "waist") == 0 &&
                    strcmp (one->child_frame_id + 1, "_wrist") == 0,
                "frames");
  watch->last_seq++;
}

static void
check_tf_static (Watch *watch, const void *data)
{
  const WujiFrameTransforms *frame = data;

  watch_expect (watch, frame->transforms_len == 2, "number of transforms");
  watch_expect (watch,
                strcmp (frame->transforms[0].child_frame_id, "l_hand_emf_tx") == 0 &&
                    strcmp (frame->transforms[1].child_frame_id, "l_palm_imu_link") == 0,
                "frames");
  watch->last_seq++;
}

/* ---- hands ---- */

static void
check_joint_states (Watch *watch, const void *data)
{
  const WujiJointStateFrame *frame = data;

  header (watch, &frame->header, "%s_wrist");
  watch_expect (watch, frame->num_joints == 20 && frame->joints_len == 20, "number of joints");
  for (uint32_t i = 0; i < 20; i++) {
    SimWujiJoint want = sim_wuji_joint (watch->key, frame->header.seq, i);
    const WujiJointStateEntry *entry = &frame->joints[i];

    watch_expect (watch, entry->nid == i / 4 * 5 + i % 4 + 1, "nid");
    watch_expect (watch, memcmp (&entry->position, &want, sizeof want) == 0, "joint state");
  }
}

static void
check_diagnostics (Watch *watch, const void *data)
{
  const WujiJointDiagnosticsFrame *frame = data;

  header (watch, &frame->header, "%s_wrist");
  for (uint32_t i = 0; i < 20; i++) {
    SimWujiHealth want = sim_wuji_health (watch->key, frame->header.seq, i);
    const WujiJointDiagnosticsEntry *entry = &frame->joints[i];

    watch_expect (watch,
                  entry->current == want.current && entry->vbus_v_fb == want.voltage &&
                      entry->mcu_temp_c_fb == want.temperature &&
                      entry->status_word == want.status_word &&
                      entry->comm_response_rate_pct == want.response_rate &&
                      entry->comm_timeout_total == want.timeouts && entry->error_code_current == 0,
                  "diagnostics");
  }
  watch_expect (watch,
                frame->comm.e2e_received == frame->header.seq &&
                    frame->comm.tactile_online_mask == 0x1f,
                "comm");
}

static void
check_fingertip (Watch *watch, const void *data)
{
  const WujiFingertipSensorData *frame = data;
  gboolean thumb = watch->key == sim_wuji_key (watch->serial, "fingertip/thumb/data");
  size_t n = (thumb ? 40 : 34) * 3 + 4;

  header (watch, &frame->header, thumb ? "%s_thumb_tip_sensor_frame" : "%s_ring_tip_sensor_frame");
  watch_expect (watch, frame->data_len == 2 * n, "length");
  for (uint32_t i = 0; i < n; i++)
    watch_expect (watch,
                  (int16_t) (frame->data[2 * i] | frame->data[2 * i + 1] << 8) ==
                      sim_wuji_fingertip (watch->key, frame->header.seq, i),
                  "raw value");
}

static void
check_hand_states (Watch *watch, const void *data)
{
  const WujiHandJointStates *frame = data;

  header (watch, &frame->header, "%s_wrist");
  watch_expect (watch,
                frame->position_len == 20 && frame->velocity_len == 20 && frame->effort_len == 20,
                "lengths");
  for (uint32_t i = 0; i < 20; i++) {
    SimWujiJoint want = sim_wuji_joint (watch->key, frame->header.seq, i);

    watch_expect (watch,
                  frame->position[i] == (double) want.position &&
                      frame->velocity[i] == (double) want.velocity &&
                      frame->effort[i] == (double) want.effort,
                  "joint state");
  }
}

static void
check_board (Watch *watch, const void *data)
{
  const WujiTactileGloveFrame *frame = data;

  watch_expect (watch, frame->pressure_len == 768, "length");
  for (uint32_t i = 0; i < 768; i++)
    watch_expect (watch,
                  sim_wuji_board_valid (i)
                      ? frame->pressure[i] == sim_wuji_board_taxel (watch->key, frame->sequence, i)
                      : isnan (frame->pressure[i]) != 0,
                  "taxel");
  watch_expect (watch, frame->timestamp_ms > 1000000, "board time");
  watch->last_seq = frame->sequence;
}

static void
check_status (Watch *watch, const void *data)
{
  const WujiTactileGloveStatus *frame = data;

  watch_expect (watch, frame->state == 1, "state");
  watch->last_seq++;
}

/* ---- the table ---- */

typedef WujiStatus (*Subscribe) (WujiDevice *dev, WujiAnySubCallback cb, void *user_data,
                                 WujiSub **out_sub);

static const struct {
  const char *serial, *topic, *function;
  WatchCheck check;
  guint n;
} streams[] = {
  { "WG1J1", "tactile", "wuji_glove_subscribe_tactile", check_tactile, 5 },
  { "WG1J1", "tactile_zones", "wuji_glove_subscribe_tactile_zones", check_zones, 5 },
  { "WG1K1", "tactile_binary", "wuji_glove_subscribe_tactile_binary", check_binary, 5 },
  { "WG1J1", "tactile_residual", "wuji_glove_subscribe_tactile_residual", check_residual, 5 },
  { "WG1J1", "tactile_point_cloud", "wuji_glove_subscribe_tactile_point_cloud", check_cloud, 5 },
  { "WG1K1", "emf_poses", "wuji_glove_subscribe_emf_poses", check_emf, 5 },
  { "WG1J1", "tip_poses", "wuji_glove_subscribe_tip_poses", check_tips, 5 },
  { "WG1K1", "hand_joint_angles", "wuji_glove_subscribe_hand_joint_angles", check_angles, 5 },
  { "WG1J1", "hand_skeleton", "wuji_glove_subscribe_hand_skeleton", check_skeleton, 5 },
  { "WG1J1", "imu_raw/palm", "wuji_glove_subscribe_imu_palm", check_imu, 20 },
  { "WG1K1", "imu_data/palm", "wuji_glove_subscribe_imu_data_palm", check_imu, 20 },
  { "WG1J1", "tf", "wuji_subscribe_tf", check_tf, 20 },
  { "WG1J1", "tf_static", "wuji_subscribe_tf_static", check_tf_static, 1 },
  { "WH2J1", "joint_states", "wuji_hand_2_subscribe_joint_states", check_joint_states, 20 },
  { "WH2K1", "joint_diagnostics", "wuji_hand_2_subscribe_joint_diagnostics", check_diagnostics,
    20 },
  { "WH2J1", "imu", "wuji_hand_2_subscribe_imu", check_imu, 20 },
  { "WH2J1", "fingertip/thumb/data", "wuji_hand_2_subscribe_fingertip_thumb_data", check_fingertip,
    5 },
  { "WH2K1", "fingertip/ring/data", "wuji_hand_2_subscribe_fingertip_ring_data", check_fingertip,
    5 },
  { "WH1K1", "joint_states", "wuji_hand_subscribe_joint_states", check_hand_states, 20 },
  { "WH1K1", "tactile/pressure_frame", "wuji_hand_subscribe_tactile_pressure_frame", check_board,
    5 },
  { "WH1K1", "tactile/status", "wuji_hand_subscribe_tactile_status", check_status, 1 },
};

static WujiDevice *
connect_any (const char *serial)
{
  WujiDevice *hand = NULL;

  if (strncmp (serial, "WH1", 3) != 0)
    return client_connect (serial);
  g_assert_cmpint (CALL (wuji_hand_connect_sn) (serial, NULL, &hand), ==, WUJI_STATUS_OK);
  return hand;
}

static void
test_stream (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  gboolean global = g_str_has_prefix (streams[i].topic, "tf");
  WujiDevice *device;
  Watch watch;
  WujiStatus status;

  client_configure ("{" SETUP ",'devices':[{'kind':'glove','serial':'WG1J1'},"
                    "{'kind':'glove','serial':'WG1K1'},{'kind':'hand2','serial':'WH2J1'},"
                    "{'kind':'hand2','serial':'WH2K1'},{'kind':'hand','serial':'WH1K1'}]}");
  device = connect_any (streams[i].serial);
  watch_init (&watch, streams[i].check, streams[i].serial, streams[i].topic);
  if (global)
    status = ((__typeof__ (&wuji_subscribe_tf)) client_symbol (streams[i].function)) (
        watch_callback, &watch, &watch.sub);
  else
    status = ((Subscribe) client_symbol (streams[i].function)) (device, watch_callback, &watch,
                                                                &watch.sub);
  g_assert_cmpint (status, ==, WUJI_STATUS_OK);
  g_assert_true (watch_wait (&watch, &watch.n_ok, streams[i].n));
  watch_close (&watch);
  g_assert_cmpuint (watch.n_gaps, ==, 0);
  g_assert_cmpuint (watch.n_lag, ==, 0);
  client_part (device);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  client_load ("{" SETUP ",'devices':[]}");
  for (gsize i = 0; i < G_N_ELEMENTS (streams); i++) {
    g_autofree char *path =
        g_strdup_printf ("/wuji-standin/values/%s/%s", streams[i].serial, streams[i].topic);

    g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_stream);
  }
  return g_test_run ();
}
