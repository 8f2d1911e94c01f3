/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-truth.h"

#include <math.h>
#include <string.h>

#include "wuji/standin-motion.h"

static guint
side_of (const char *serial)
{
  return serial[3] == 'K' ? SIM_WUJI_RIGHT : SIM_WUJI_LEFT;
}

static guint
acq_side_of (const char *serial)
{
  return serial[3] == 'K' ? ACQ_SIDE_RIGHT : ACQ_SIDE_LEFT;
}

static void
same_pose (const AcqPose32 *pose, const SimWujiPose *want)
{
  g_assert_cmpmem (&pose->position, 12, want->position, 12);
  g_assert_cmpmem (&pose->orientation, 16, want->orientation, 16);
}

/* ---- glove ---- */

static void
check_grid (const char *serial, const WujiMessage *message,
            float (*want) (uint32_t key, uint32_t seq, uint32_t taxel))
{
  const AcqImage *image = (gconstpointer) message->payload;
  uint32_t key = sim_wuji_key (serial, "tactile");
  const float *taxels = (gconstpointer) message->tail;

  g_assert_cmpuint (message->tail_size, ==, 744 * 4);
  g_assert_cmpuint (image->width, ==, 31);
  g_assert_cmpuint (image->height, ==, 24);
  g_assert_cmpuint (image->step, ==, 124);
  g_assert_cmpstr (image->encoding, ==, "32FC1");
  for (uint32_t i = 0; i < 744; i++)
    g_assert_cmpfloat (taxels[i], ==, want (key, message->seq, i));
}

static void
check_tactile (const char *serial, const WujiMessage *message)
{
  check_grid (serial, message, sim_wuji_taxel);
}

static void
check_binary (const char *serial, const WujiMessage *message)
{
  check_grid (serial, message, sim_wuji_taxel_binary);
}

static void
check_residual (const char *serial, const WujiMessage *message)
{
  check_grid (serial, message, sim_wuji_taxel_residual);
}

static void
check_zones (const char *serial, const WujiMessage *message)
{
  const AcqTactileZones *zones = (gconstpointer) message->payload;
  const float *values[] = { zones->palm,   zones->thumb, zones->index,
                            zones->middle, zones->ring,  zones->pinky };
  guint at[6] = { 0 };
  uint32_t key = sim_wuji_key (serial, "tactile");

  for (uint32_t i = 0; i < 744; i++) {
    SimWujiZone zone = sim_wuji_zone (i / 31, i % 31);

    if (zone != SIM_WUJI_ZONE_NONE)
      g_assert_cmpfloat (values[zone][at[zone]++], ==, sim_wuji_taxel (key, message->seq, i));
  }
  g_assert_cmpuint (zones->n_palm, ==, at[0]);
  g_assert_cmpuint (zones->n_pinky, ==, at[5]);
}

static void
check_cloud (const char *serial, const WujiMessage *message)
{
  const AcqPointCloud2 *cloud = (gconstpointer) message->payload;
  uint32_t key = sim_wuji_key (serial, "tactile");
  const guint8 *points = message->tail;
  gsize n = 0;

  g_assert_cmpuint (message->tail_size, ==, 526 * 16);
  g_assert_cmpuint (cloud->width, ==, 526);
  g_assert_cmpuint (cloud->n_fields, ==, 4);
  g_assert_cmpstr (cloud->fields[3].name, ==, "pressure");
  for (uint32_t i = 0; i < 744; i++) {
    float want[4];

    if (sim_wuji_zone (i / 31, i % 31) == SIM_WUJI_ZONE_NONE)
      continue;
    sim_wuji_cloud_point (key, message->seq, i, want);
    g_assert_cmpmem (points + 16 * n++, 16, want, 16);
  }
}

static void
check_poses (const char *serial, const char *topic, const WujiMessage *message)
{
  const AcqFingerPoses *poses = (gconstpointer) message->payload;
  uint32_t key = sim_wuji_key (serial, topic);

  g_assert_cmpuint (poses->n_poses, ==, 5);
  g_assert_cmpuint (poses->side, ==, acq_side_of (serial));
  for (uint32_t i = 0; i < 5; i++) {
    SimWujiPose want = sim_wuji_finger_pose (key, message->seq, i, side_of (serial));

    same_pose (&poses->poses[i], &want);
    g_assert_cmpfloat (poses->confidence[i], ==, want.confidence);
  }
}

static void
check_emf (const char *serial, const WujiMessage *message)
{
  check_poses (serial, "emf_poses", message);
}

static void
check_tips (const char *serial, const WujiMessage *message)
{
  check_poses (serial, "tip_poses", message);
}

static void
check_angles (const char *serial, const WujiMessage *message)
{
  const AcqHandJointAngles *angles = (gconstpointer) message->payload;
  uint32_t key = sim_wuji_key (serial, "hand_joint_angles");

  g_assert_cmpuint (angles->n_angles, ==, 25);
  for (uint32_t i = 0; i < 25; i++)
    g_assert_cmpfloat (angles->angles[i], ==, sim_wuji_angle (key, message->seq, i / 5, i % 5));
  for (uint32_t i = 0; i < 5; i++)
    g_assert_cmpfloat (angles->confidence[i], ==, sim_wuji_angle_confidence (key, message->seq, i));
}

static void
check_skeleton (const char *serial, const WujiMessage *message)
{
  const AcqHandSkeleton *skeleton = (gconstpointer) message->payload;
  uint32_t key = sim_wuji_key (serial, "hand_skeleton");

  g_assert_cmpuint (skeleton->n_joints, ==, 21);
  g_assert_cmpuint (skeleton->side, ==, acq_side_of (serial));
  for (uint32_t i = 0; i < 21; i++) {
    SimWujiPose want = sim_wuji_skeleton_joint (key, message->seq, i, side_of (serial));

    same_pose (&skeleton->joints[i], &want);
    g_assert_cmpfloat (skeleton->confidence[i], ==, want.confidence);
  }
  g_assert_cmpfloat (skeleton->joints[0].orientation.w, ==, 1.0f);
}

static void
check_imu (const char *serial, const char *topic, guint rate, gboolean fused,
           const WujiMessage *message)
{
  const AcqImu *imu = (gconstpointer) message->payload;
  SimWujiImu want = sim_wuji_imu (sim_wuji_key (serial, topic), message->seq, rate, fused);

  g_assert_cmpmem (&imu->orientation, 32, want.orientation, 32);
  g_assert_cmpmem (&imu->angular_velocity, 24, want.angular_velocity, 24);
  g_assert_cmpmem (&imu->linear_acceleration, 24, want.linear_acceleration, 24);
  g_assert_cmpfloat (imu->orientation_covariance[0], ==, fused ? 0.0 : -1.0);
}

static void
check_imu_raw (const char *serial, const WujiMessage *message)
{
  check_imu (serial, "imu_raw/palm", SIM_WUJI_RATE_IMU, FALSE, message);
}

static void
check_imu_fused (const char *serial, const WujiMessage *message)
{
  check_imu (serial, "imu_data/palm", SIM_WUJI_RATE_IMU, TRUE, message);
}

/* ---- hands ---- */

static void
check_hand2_imu (const char *serial, const WujiMessage *message)
{
  check_imu (serial, "imu", SIM_WUJI_RATE_HAND2_IMU, FALSE, message);
}

/* Both generations send the same motion. */
static void
check_states (const char *serial, const WujiMessage *message)
{
  const AcqJointState *state = (gconstpointer) message->payload;
  uint32_t key = sim_wuji_key (serial, "joint_states");

  g_assert_cmpuint (state->n_position, ==, 20);
  g_assert_cmpuint (state->n_velocity, ==, 20);
  g_assert_cmpuint (state->n_effort, ==, 20);
  for (uint32_t i = 0; i < 20; i++) {
    SimWujiJoint want = sim_wuji_joint (key, message->seq, i);

    g_assert_cmpfloat (state->position[i], ==, (double) want.position);
    g_assert_cmpfloat (state->velocity[i], ==, (double) want.velocity);
    g_assert_cmpfloat (state->effort[i], ==, (double) want.effort);
  }
}

static void
check_diagnostics (const char *serial, const WujiMessage *message)
{
  const AcqHand2Diagnostics *health = (gconstpointer) message->payload;
  uint32_t key = sim_wuji_key (serial, "joint_diagnostics");

  g_assert_cmphex (health->present, ==, 0xfffff);
  for (uint32_t i = 0; i < 20; i++) {
    SimWujiHealth want = sim_wuji_health (key, message->seq, i);

    g_assert_cmpuint (health->nid[i], ==, i / 4 * 5 + i % 4 + 1);
    g_assert_cmpfloat (health->current[i], ==, want.current);
    g_assert_cmpfloat (health->bus_voltage[i], ==, want.voltage);
    g_assert_cmpfloat (health->temperature[i], ==, want.temperature);
    g_assert_cmpuint (health->status_word[i], ==, want.status_word);
    g_assert_cmpuint (health->response_rate[i], ==, want.response_rate);
    g_assert_cmpuint (health->timeout_total[i], ==, want.timeouts);
  }
  g_assert_cmpuint (health->comm.e2e_received, ==, message->seq);
}

static void
check_fingertip (const char *serial, const WujiMessage *message)
{
  static const char *const topics[] = { "fingertip/thumb/data", "fingertip/index/data",
                                        "fingertip/middle/data", "fingertip/ring/data",
                                        "fingertip/pinky/data" };
  const AcqFingertipSensor *sensor = (gconstpointer) message->payload;
  uint32_t key = sim_wuji_key (serial, topics[sensor->finger]);
  const guint8 *bytes = message->tail;

  g_assert_cmpuint (message->tail_size, ==, ((sensor->finger == 0 ? 40 : 34) * 3 + 4) * 2);
  g_assert_true (sensor->layout_known);
  for (uint32_t i = 0; i < message->tail_size / 2; i++)
    g_assert_cmpint ((gint16) (bytes[2 * i] | bytes[2 * i + 1] << 8), ==,
                     sim_wuji_fingertip (key, message->seq, i));
}

static void
check_board (const char *serial, const WujiMessage *message)
{
  uint32_t key = sim_wuji_key (serial, "tactile/pressure_frame");
  const float *taxels = (gconstpointer) message->tail;

  g_assert_cmpuint (message->tail_size, ==, 768 * 4);
  for (uint32_t i = 0; i < 768; i++)
    if (sim_wuji_board_valid (i))
      g_assert_cmpfloat (taxels[i], ==, sim_wuji_board_taxel (key, message->seq, i));
    else
      g_assert_true (isnan (taxels[i]));
}

/* ---- the table ---- */

/* clang-format off */
const WujiTruth wuji_truths[] = {
  { "wuji-glove", "WG1J1", "tactile", "tactile", "node", &acq_image_schema, check_tactile },
  { "wuji-glove", "WG1J1", "tactile_zones", "tactile_zones", "node", &acq_tactile_zones_schema, check_zones },
  { "wuji-glove", "WG1K1", "tactile_binary", "tactile_binary", "node", &acq_image_schema, check_binary },
  { "wuji-glove", "WG1J1", "tactile_residual", "tactile_residual", "node", &acq_image_schema, check_residual },
  { "wuji-glove", "WG1J1", "tactile_point_cloud", "tactile_point_cloud", "node_wrist", &acq_point_cloud2_schema, check_cloud },
  { "wuji-glove", "WG1K1", "emf_poses", "emf_poses", "node_hand_emf_tx", &acq_finger_poses_schema, check_emf },
  { "wuji-glove", "WG1J1", "tip_poses", "tip_poses", "node_wrist", &acq_finger_poses_schema, check_tips },
  { "wuji-glove", "WG1K1", "hand_joint_angles", "hand_joint_angles", "node_hand_emf_tx", &acq_hand_joint_angles_schema, check_angles },
  { "wuji-glove", "WG1J1", "hand_skeleton", "hand_skeleton", "node_wrist", &acq_hand_skeleton_schema, check_skeleton },
  { "wuji-glove", "WG1K1", "imu/palm", "imu_raw/palm", "node_palm_imu_link", &acq_imu_schema, check_imu_raw },
  { "wuji-glove", "WG1J1", "imu_fused/palm", "imu_data/palm", "node_palm_imu_link", &acq_imu_schema, check_imu_fused },
  { "wuji-hand2", "WH2J1", "joint_states", "joint_states", "node_wrist", &acq_joint_state_schema, check_states },
  { "wuji-hand2", "WH2K1", "joint_diagnostics", "joint_diagnostics", "node_wrist", &acq_hand2_diagnostics_schema, check_diagnostics },
  { "wuji-hand2", "WH2J1", "imu", "imu", "node_imu_link", &acq_imu_schema, check_hand2_imu },
  { "wuji-hand2", "WH2K1", "fingertip/thumb", "fingertip/thumb/data", "node_thumb_tip_sensor_frame",
    &acq_fingertip_sensor_schema, check_fingertip },
  { "wuji-hand2", "WH2K1", "fingertip/index", "fingertip/index/data", "node_index_tip_sensor_frame",
    &acq_fingertip_sensor_schema, check_fingertip },
  { "wuji-hand2", "WH2K1", "fingertip/middle", "fingertip/middle/data", "node_middle_tip_sensor_frame",
    &acq_fingertip_sensor_schema, check_fingertip },
  { "wuji-hand2", "WH2K1", "fingertip/ring", "fingertip/ring/data", "node_ring_tip_sensor_frame",
    &acq_fingertip_sensor_schema, check_fingertip },
  { "wuji-hand2", "WH2K1", "fingertip/pinky", "fingertip/pinky/data", "node_pinky_tip_sensor_frame",
    &acq_fingertip_sensor_schema, check_fingertip },
  { "wuji-hand", "WH1K1", "joint_states", "joint_states", "node_wrist", &acq_joint_state_schema, check_states },
  { "wuji-hand", "WH1K1", "tactile", "tactile/pressure_frame", "node", &acq_image_schema, check_board },
};
/* clang-format on */

const guint wuji_n_truths = G_N_ELEMENTS (wuji_truths);
