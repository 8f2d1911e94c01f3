/* SPDX-License-Identifier: Apache-2.0 */

/* Every stream of the Wuji plugins carries what the device sent, to the last bit. */

#include "wuji-rig.h"

#include <math.h>
#include <string.h>

#define DEVICES                                                                                    \
  "{" RIG_SETUP ",'devices':[{'kind':'glove','serial':'WG1J1'},"                                   \
  "{'kind':'glove','serial':'WG1K1'},{'kind':'hand2','serial':'WH2J1'},"                           \
  "{'kind':'hand2','serial':'WH2K1'},{'kind':'hand','serial':'WH1K1'}]}"

typedef void (*Check) (const char *serial, const AcqFrame *frame);

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
check_grid (const char *serial, const AcqFrame *frame,
            float (*want) (uint32_t key, uint32_t seq, uint32_t taxel))
{
  const AcqImage *image = (const AcqImage *) frame->payload;
  uint32_t key = sim_wuji_key (serial, "tactile");
  gsize size = 0;
  const float *taxels = (const float *) (gconstpointer) acq_frame_tail (frame, &size);

  g_assert_cmpuint (size, ==, 744 * 4);
  g_assert_cmpuint (image->width, ==, 31);
  g_assert_cmpuint (image->height, ==, 24);
  g_assert_cmpuint (image->step, ==, 124);
  g_assert_cmpstr (image->encoding, ==, "32FC1");
  for (uint32_t i = 0; i < 744; i++)
    g_assert_cmpfloat (taxels[i], ==, want (key, (uint32_t) frame->seq, i));
}

static void
check_tactile (const char *serial, const AcqFrame *frame)
{
  check_grid (serial, frame, sim_wuji_taxel);
}

static void
check_binary (const char *serial, const AcqFrame *frame)
{
  check_grid (serial, frame, sim_wuji_taxel_binary);
}

static void
check_residual (const char *serial, const AcqFrame *frame)
{
  check_grid (serial, frame, sim_wuji_taxel_residual);
}

static void
check_zones (const char *serial, const AcqFrame *frame)
{
  const AcqTactileZones *zones = (const AcqTactileZones *) frame->payload;
  const float *values[] = { zones->palm,   zones->thumb, zones->index,
                            zones->middle, zones->ring,  zones->pinky };
  guint at[6] = { 0 };
  uint32_t key = sim_wuji_key (serial, "tactile");

  for (uint32_t i = 0; i < 744; i++) {
    SimWujiZone zone = sim_wuji_zone (i / 31, i % 31);

    if (zone != SIM_WUJI_ZONE_NONE)
      g_assert_cmpfloat (values[zone][at[zone]++], ==,
                         sim_wuji_taxel (key, (uint32_t) frame->seq, i));
  }
  g_assert_cmpuint (zones->n_palm, ==, at[0]);
  g_assert_cmpuint (zones->n_pinky, ==, at[5]);
}

static void
check_cloud (const char *serial, const AcqFrame *frame)
{
  const AcqPointCloud2 *cloud = (const AcqPointCloud2 *) frame->payload;
  uint32_t key = sim_wuji_key (serial, "tactile");
  gsize size = 0;
  const guint8 *points = acq_frame_tail (frame, &size);
  gsize n = 0;

  g_assert_cmpuint (size, ==, 526 * 16);
  g_assert_cmpuint (cloud->width, ==, 526);
  g_assert_cmpuint (cloud->n_fields, ==, 4);
  g_assert_cmpstr (cloud->fields[3].name, ==, "pressure");
  for (uint32_t i = 0; i < 744; i++) {
    float want[4];

    if (sim_wuji_zone (i / 31, i % 31) == SIM_WUJI_ZONE_NONE)
      continue;
    sim_wuji_cloud_point (key, (uint32_t) frame->seq, i, want);
    g_assert_cmpmem (points + 16 * n++, 16, want, 16);
  }
}

static void
check_poses (const char *serial, const char *topic, const AcqFrame *frame)
{
  const AcqFingerPoses *poses = (const AcqFingerPoses *) frame->payload;
  uint32_t key = sim_wuji_key (serial, topic);

  g_assert_cmpuint (poses->n_poses, ==, 5);
  g_assert_cmpuint (poses->side, ==, acq_side_of (serial));
  for (uint32_t i = 0; i < 5; i++) {
    SimWujiPose want = sim_wuji_finger_pose (key, (uint32_t) frame->seq, i, side_of (serial));

    same_pose (&poses->poses[i], &want);
    g_assert_cmpfloat (poses->confidence[i], ==, want.confidence);
  }
}

static void
check_emf (const char *serial, const AcqFrame *frame)
{
  check_poses (serial, "emf_poses", frame);
}

static void
check_tips (const char *serial, const AcqFrame *frame)
{
  check_poses (serial, "tip_poses", frame);
}

static void
check_angles (const char *serial, const AcqFrame *frame)
{
  const AcqHandJointAngles *angles = (const AcqHandJointAngles *) frame->payload;
  uint32_t key = sim_wuji_key (serial, "hand_joint_angles");

  g_assert_cmpuint (angles->n_angles, ==, 25);
  for (uint32_t i = 0; i < 25; i++)
    g_assert_cmpfloat (angles->angles[i], ==,
                       sim_wuji_angle (key, (uint32_t) frame->seq, i / 5, i % 5));
  for (uint32_t i = 0; i < 5; i++)
    g_assert_cmpfloat (angles->confidence[i], ==,
                       sim_wuji_angle_confidence (key, (uint32_t) frame->seq, i));
}

static void
check_skeleton (const char *serial, const AcqFrame *frame)
{
  const AcqHandSkeleton *skeleton = (const AcqHandSkeleton *) frame->payload;
  uint32_t key = sim_wuji_key (serial, "hand_skeleton");

  g_assert_cmpuint (skeleton->n_joints, ==, 21);
  g_assert_cmpuint (skeleton->side, ==, acq_side_of (serial));
  for (uint32_t i = 0; i < 21; i++) {
    SimWujiPose want = sim_wuji_skeleton_joint (key, (uint32_t) frame->seq, i, side_of (serial));

    same_pose (&skeleton->joints[i], &want);
    g_assert_cmpfloat (skeleton->confidence[i], ==, want.confidence);
  }
  g_assert_cmpfloat (skeleton->joints[0].orientation.w, ==, 1.0f);
}

static void
check_imu (const char *serial, const char *topic, guint rate, gboolean fused, const AcqFrame *frame)
{
  const AcqImu *imu = (const AcqImu *) frame->payload;
  SimWujiImu want = sim_wuji_imu (sim_wuji_key (serial, topic), (uint32_t) frame->seq, rate, fused);

  g_assert_cmpmem (&imu->orientation, 32, want.orientation, 32);
  g_assert_cmpmem (&imu->angular_velocity, 24, want.angular_velocity, 24);
  g_assert_cmpmem (&imu->linear_acceleration, 24, want.linear_acceleration, 24);
  g_assert_cmpfloat (imu->orientation_covariance[0], ==, fused ? 0.0 : -1.0);
}

static void
check_imu_raw (const char *serial, const AcqFrame *frame)
{
  check_imu (serial, "imu_raw/palm", SIM_WUJI_RATE_IMU, FALSE, frame);
}

static void
check_imu_fused (const char *serial, const AcqFrame *frame)
{
  check_imu (serial, "imu_data/palm", SIM_WUJI_RATE_IMU, TRUE, frame);
}

/* ---- hands ---- */

static void
check_hand2_imu (const char *serial, const AcqFrame *frame)
{
  check_imu (serial, "imu", SIM_WUJI_RATE_HAND2_IMU, FALSE, frame);
}

/* Both generations send the same motion. */
static void
check_states (const char *serial, const AcqFrame *frame)
{
  const AcqJointState *state = (const AcqJointState *) frame->payload;
  uint32_t key = sim_wuji_key (serial, "joint_states");

  g_assert_cmpuint (state->n_position, ==, 20);
  g_assert_cmpuint (state->n_velocity, ==, 20);
  g_assert_cmpuint (state->n_effort, ==, 20);
  for (uint32_t i = 0; i < 20; i++) {
    SimWujiJoint want = sim_wuji_joint (key, (uint32_t) frame->seq, i);

    g_assert_cmpfloat (state->position[i], ==, (double) want.position);
    g_assert_cmpfloat (state->velocity[i], ==, (double) want.velocity);
    g_assert_cmpfloat (state->effort[i], ==, (double) want.effort);
  }
}

static void
check_diagnostics (const char *serial, const AcqFrame *frame)
{
  const AcqHand2Diagnostics *health = (const AcqHand2Diagnostics *) frame->payload;
  uint32_t key = sim_wuji_key (serial, "joint_diagnostics");

  g_assert_cmphex (health->present, ==, 0xfffff);
  for (uint32_t i = 0; i < 20; i++) {
    SimWujiHealth want = sim_wuji_health (key, (uint32_t) frame->seq, i);

    g_assert_cmpuint (health->nid[i], ==, i / 4 * 5 + i % 4 + 1);
    g_assert_cmpfloat (health->current[i], ==, want.current);
    g_assert_cmpfloat (health->bus_voltage[i], ==, want.voltage);
    g_assert_cmpfloat (health->temperature[i], ==, want.temperature);
    g_assert_cmpuint (health->status_word[i], ==, want.status_word);
    g_assert_cmpuint (health->response_rate[i], ==, want.response_rate);
    g_assert_cmpuint (health->timeout_total[i], ==, want.timeouts);
  }
  g_assert_cmpuint (health->comm.e2e_received, ==, frame->seq);
}

static void
check_fingertip (const char *serial, const AcqFrame *frame)
{
  const AcqFingertipSensor *sensor = (const AcqFingertipSensor *) frame->payload;
  uint32_t key = sim_wuji_key (serial, "fingertip/thumb/data");
  gsize size = 0;
  const guint8 *bytes = acq_frame_tail (frame, &size);

  g_assert_cmpuint (size, ==, (40 * 3 + 4) * 2);
  g_assert_true (sensor->layout_known);
  g_assert_cmpuint (sensor->finger, ==, 0);
  for (uint32_t i = 0; i < size / 2; i++)
    g_assert_cmpint ((gint16) (bytes[2 * i] | bytes[2 * i + 1] << 8), ==,
                     sim_wuji_fingertip (key, (uint32_t) frame->seq, i));
}

static void
check_board (const char *serial, const AcqFrame *frame)
{
  uint32_t key = sim_wuji_key (serial, "tactile/pressure_frame");
  gsize size = 0;
  const float *taxels = (const float *) (gconstpointer) acq_frame_tail (frame, &size);

  g_assert_cmpuint (size, ==, 768 * 4);
  for (uint32_t i = 0; i < 768; i++)
    if (sim_wuji_board_valid (i))
      g_assert_cmpfloat (taxels[i], ==, sim_wuji_board_taxel (key, (uint32_t) frame->seq, i));
    else
      g_assert_true (isnan (taxels[i]));
}

/* ---- the table ---- */

static const struct {
  const char *plugin, *serial, *stream, *frame_id;
  Check check;
  double rate_hz;
} cases[] = {
  { "wuji-glove", "WG1J1", "tactile", "node", check_tactile, 120 },
  { "wuji-glove", "WG1J1", "tactile_zones", "node", check_zones, 120 },
  { "wuji-glove", "WG1K1", "tactile_binary", "node", check_binary, 120 },
  { "wuji-glove", "WG1J1", "tactile_residual", "node", check_residual, 120 },
  { "wuji-glove", "WG1J1", "tactile_point_cloud", "node_wrist", check_cloud, 120 },
  { "wuji-glove", "WG1K1", "emf_poses", "node_hand_emf_tx", check_emf, 120 },
  { "wuji-glove", "WG1J1", "tip_poses", "node_wrist", check_tips, 120 },
  { "wuji-glove", "WG1K1", "hand_joint_angles", "node_hand_emf_tx", check_angles, 120 },
  { "wuji-glove", "WG1J1", "hand_skeleton", "node_wrist", check_skeleton, 120 },
  { "wuji-glove", "WG1K1", "imu/palm", "node_palm_imu_link", check_imu_raw, 800 },
  { "wuji-glove", "WG1J1", "imu_fused/palm", "node_palm_imu_link", check_imu_fused, 800 },
  { "wuji-hand2", "WH2J1", "joint_states", "node_wrist", check_states, 1000 },
  { "wuji-hand2", "WH2K1", "joint_diagnostics", "node_wrist", check_diagnostics, 1000 },
  { "wuji-hand2", "WH2J1", "imu", "node_imu_link", check_hand2_imu, 400 },
  { "wuji-hand2", "WH2K1", "fingertip/thumb", "node_thumb_tip_sensor_frame", check_fingertip, 100 },
  { "wuji-hand", "WH1K1", "joint_states", "node_wrist", check_states, 1000 },
  { "wuji-hand", "WH1K1", "tactile", "node", check_board, 120 },
};

static void
test_stream (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  AcqHarness *harness = rig_start (DEVICES, cases[i].plugin, "node", "serial", cases[i].serial,
                                   "streams", cases[i].stream, NULL);
  gboolean is_board = strcmp (cases[i].plugin, "wuji-hand") == 0;
  guint64 last = 0;

  for (guint n = 0; n < 30; n++) {
    g_autoptr (AcqFrame) frame = rig_pop (harness, cases[i].stream);

    cases[i].check (cases[i].serial, frame);
    if (n > 0)
      g_assert_cmpuint (frame->seq, ==, last + 1);
    last = frame->seq;
    g_assert_true (frame->flags & ACQ_FRAME_DEVICE_TIME);
    g_assert_true (frame->flags & ACQ_FRAME_SEQUENCE);
    if (!is_board)
      g_assert_cmpint (ABS ((gint64) frame->device_ns - frame->host_ns), <, 1000000000);
    g_assert_cmpstr (acq_stream_get_frame_id (frame->stream), ==, cases[i].frame_id);
    g_assert_cmpstr (acq_stream_get_metadata (frame->stream, "serial"), ==, cases[i].serial);
  }
  rig_end (harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rig_load ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path =
        g_strdup_printf ("/wuji/streams/%s/%s", cases[i].plugin, cases[i].stream);

    g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_stream);
  }
  return g_test_run ();
}
