/* SPDX-License-Identifier: Apache-2.0 */

/* The plugin against the simulated robot, both transports: everything that was sent is there, to
 * the bit, and the robot heard nothing but what a passive recorder says. */

#include <math.h>
#include <string.h>

#include "robot-rig.h"
#include "robot/sim-robot-telemetry.h"

static SimRobotModel model;

static void
assert_same (double a, double b)
{
  g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
}

/* Which sample a frame is, from the time in its head. */
static guint64
sample_of (const AcqFrame *frame, SimRobotStream stream)
{
  double rate = model.rates[stream];
  /* The time is cut to milliseconds, so the first sample lies before the epoch. */
  gint64 after_ns = (gint64) (frame->device_ns - model.epoch_ns);
  guint64 k = (guint64) llround ((double) after_ns * rate / 1e9);
  guint64 ms = (model.epoch_ns + sim_robot_sample_ns (&model, stream, k)) / 1000000;

  if (stream != SIM_ROBOT_MOTION)
    g_assert_cmpuint (frame->device_ns, ==, ms * 1000000);
  return k;
}

static void
check_imu (const AcqFrame *frame, guint64 k)
{
  const AcqImu *imu = (const AcqImu *) frame->payload;
  double want[10];

  sim_robot_imu (&model, k, want);
  assert_same (imu->linear_acceleration.z, want[2]);
  assert_same (imu->angular_velocity.x, want[3]);
  assert_same (imu->orientation.w, want[6]);
  assert_same (imu->orientation.z, want[9]);
}

static void
check_lux (const AcqFrame *frame, guint64 k)
{
  assert_same (((const AcqIlluminance *) frame->payload)->illuminance, sim_robot_lux (&model, k));
}

static void
check_motion (const AcqFrame *frame, guint64 k)
{
  const AcqRobotMotion *motion = (const AcqRobotMotion *) frame->payload;
  SimRobotMotion want;

  sim_robot_motion (&model, k, &want);
  g_assert_cmpuint (motion->time_stamp, ==, want.time_stamp);
  g_assert_cmpuint (frame->device_ns, ==, want.time_stamp);
  assert_same (motion->quat.w, want.quat[0]);
  assert_same (motion->position.y, want.position[1]);
  assert_same (motion->omega_body.z, want.omega_body[2]);
  g_assert_true (isnan (motion->acc.x));
}

static void
check_speed (const AcqFrame *frame, guint64 k)
{
  const AcqTwistStamped *speed = (const AcqTwistStamped *) frame->payload;
  double want[3];

  sim_robot_speed (&model, k, want);
  assert_same (speed->twist.linear.x, want[0]);
  assert_same (speed->twist.linear.y, want[1]);
  assert_same (speed->twist.angular.z, want[2]);
}

static void
check_joints (const AcqFrame *frame, guint64 k)
{
  const AcqJointState *joints = (const AcqJointState *) frame->payload;

  g_assert_cmpuint (joints->n_position, ==, model.n_joints);
  for (guint i = 0; i < model.n_joints; i++) {
    double want[3];

    sim_robot_joint (&model, k, i, want);
    assert_same (joints->position[i], want[0]);
    assert_same (joints->velocity[i], want[1]);
    assert_same (joints->effort[i], want[2]);
  }
}

static void
check_state (const AcqFrame *frame, guint64 k)
{
  const AcqRobotState *state = (const AcqRobotState *) frame->payload;
  SimRobotState want;

  sim_robot_state (&model, k, &want);
  g_assert_cmpuint (state->envelope.flaws, ==, 0);
  g_assert_cmpint (state->control_source, ==, 1);
  assert_same (state->battery_2.voltage, want.voltage[1]);
  assert_same (state->motor_temp[3].temperature, want.motor_temp[3]);
}

static void
check_battery (const AcqFrame *frame, guint64 k)
{
  const AcqBatteryState *battery = (const AcqBatteryState *) frame->payload;
  SimRobotState want;

  sim_robot_state (&model, k, &want);
  g_assert_cmpfloat (battery->percentage, ==, (float) (want.power[0] / 100));
  g_assert_cmpfloat (battery->voltage, ==, (float) want.voltage[0]);
  g_assert_cmpuint (battery->power_supply_status, ==, 2);
  g_assert_true (battery->present);
  g_assert_true (isnan (battery->capacity));
}

static void
check_faults (const AcqFrame *frame, guint64 k)
{
  const AcqRobotFaults *faults = (const AcqRobotFaults *) frame->payload;

  g_assert_cmpuint (faults->n_faults, ==, sim_robot_n_faults (k));
}

static const struct {
  const char *name;
  SimRobotStream stream;
  const char *sent; /* in the report */
  void (*check) (const AcqFrame *frame, guint64 k);
} streams[] = {
  { "state", SIM_ROBOT_STATE, "sent/state", check_state },
  { "battery_1", SIM_ROBOT_STATE, "sent/state", check_battery },
  { "faults", SIM_ROBOT_FAULTS, "sent/faults", check_faults },
  { "imu", SIM_ROBOT_IMU, "sent/imu", check_imu },
  { "lux", SIM_ROBOT_LUX, "sent/lux", check_lux },
  { "motion", SIM_ROBOT_MOTION, "sent/motion", check_motion },
  { "speed", SIM_ROBOT_SPEED, "sent/speed", check_speed },
  { "joint_states", SIM_ROBOT_JOINTS, "sent/joints", check_joints },
};

/* Every frame of a stream, one after the other, without a hole. */
static void
check_stream (RobotRig *rig, guint i)
{
  JsonObject *client = robot_rig_client (rig, 0);
  g_autofree char *messages = g_strconcat (streams[i].sent, "/messages", NULL);
  g_autofree char *first = g_strconcat (streams[i].sent, "/first", NULL);
  guint64 k = (guint64) robot_rig_number (client, first);
  gint64 n = robot_rig_number (client, messages);
  gint64 last_ns = 0;

  g_test_message ("%s: %" G_GINT64_FORMAT " messages", streams[i].name, n);
  g_assert_cmpint (acq_harness_count (rig->harness, streams[i].name), ==, n);
  g_assert_cmpint (n, >, 0);
  for (; n > 0; n--, k++) {
    g_autoptr (AcqFrame) frame = acq_harness_pop (rig->harness, streams[i].name);

    g_assert_cmpuint (sample_of (frame, streams[i].stream), ==, k);
    streams[i].check (frame, k);
    g_assert_cmpint (frame->host_ns, >, last_ns);
    g_assert_true (frame->flags & ACQ_FRAME_DEVICE_TIME);
    g_assert_false (frame->flags & ACQ_FRAME_SUSPECT);
    last_ns = frame->host_ns;
  }
}

static void
check_port (RobotRig *rig)
{
  g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (rig->harness);
  const AcqPortSnapshot *port = acq_snapshot_find_port (snapshot, NULL);
  JsonObject *client = robot_rig_client (rig, 0);
  static const char *const all[] = {
    "state", "faults", "imu",       "lux",       "motion",
    "speed", "joints", "handshake", "heartbeat", "sensor",
  };
  gint64 sent = 0;

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    g_autofree char *path = g_strdup_printf ("sent/%s/messages", all[i]);

    sent += robot_rig_number (client, path);
  }
  /* Over UDP the goodbye is answered too. */
  sent += robot_rig_number (client, "sent/link/messages");
  g_assert_cmpint ((gint64) port->packets, ==, sent);
  g_assert_cmpuint (port->rejected->len, ==, 0);
  g_assert_cmpuint (port->foreign->len, ==, 0);
}

static void
check_passive (RobotRig *rig, gboolean udp)
{
  JsonObject *client = robot_rig_client (rig, 0);

  g_assert_cmpint (robot_rig_number (rig->report, "violations"), ==, 0);
  g_assert_cmpint (robot_rig_number (client, "received/1000"), >=, 1);
  g_assert_cmpint (robot_rig_number (client, "received/1008"), ==, 5);
  g_assert_cmpint (robot_rig_number (client, "received/1050"), ==, udp);
  g_assert_true (json_object_get_boolean_member (client, "goodbye"));
  if (!udp)
    g_assert_cmpint (robot_rig_number (client, "close_code"), ==, 1000);
}

static void
check_link (RobotRig *rig)
{
  g_autoptr (AcqFrame) frame = acq_harness_pop (rig->harness, "link");
  const AcqRobotLink *link;

  g_assert_nonnull (frame);
  link = (const AcqRobotLink *) frame->payload;
  g_assert_cmpint (link->round_trip_ns, >, 0);
  g_assert_cmpint (link->round_trip_ns, <, G_GINT64_CONSTANT (1000000000));
  g_assert_cmpuint (link->echoes, ==, 1);
}

static void
test_everything (gconstpointer data)
{
  gboolean udp = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  RobotRig rig;

  robot_rig_start (&rig, "--owner app");
  robot_rig_make_node (&rig, udp);
  acq_harness_start (rig.harness, &error);
  g_assert_no_error (error);
  g_assert_true (acq_harness_wait_frames (rig.harness, "lux", 1, 10));
  g_assert_true (acq_harness_wait_frames (rig.harness, "link", 2, 10));
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);

  sim_robot_model_init (&model);
  model.epoch_ns = (guint64) robot_rig_number (rig.report, "epoch_ns");
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    check_stream (&rig, i);
  check_port (&rig);
  check_passive (&rig, udp);
  check_link (&rig);
  robot_rig_clear (&rig);
}

static void
test_state_only (void)
{
  RobotRig rig;
  g_autoptr (AcqFrame) frame = NULL;

  robot_rig_start (&rig, "--owner app --newer");
  robot_rig_make_node (&rig, TRUE);
  acq_harness_set (rig.harness, "mode", "state-only");
  acq_harness_set (rig.harness, "streams", "[\"*\"]");
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_true (acq_harness_wait_frames (rig.harness, "state", 1, 10));
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  g_assert_cmpint (robot_rig_number (robot_rig_client (&rig, 0), "received/1008"), ==, 0);
  frame = acq_harness_pop (rig.harness, "state");
  g_assert_cmpstr (((const AcqRobotState *) frame->payload)->envelope.extra, ==,
                   "{\"machine_status\":2,\"navigation\":{\"goal\":[1,0]}}");
  g_assert_true (frame->flags & ACQ_FRAME_SUSPECT);
  g_assert_nonnull (acq_harness_find_event (rig.harness, "flaws"));
  g_assert_nonnull (acq_harness_find_event (rig.harness, "flaw_counts"));
  g_clear_pointer (&frame, acq_frame_unref);
  frame = acq_harness_pop (rig.harness, "raw"); /* the handshake came before the stream did */
  g_assert_nonnull (frame);
  g_assert_cmpmem (acq_frame_tail (frame, NULL), 4, "ZSKJ", 4);
  g_assert_cmpstr (((const AcqRaw *) frame->payload)->reason, ==, "accepted");
  robot_rig_clear (&rig);
}

static void
test_names_and_addresses (void)
{
  static const char *const bad[] = { "http://127.0.0.1/", "ws://",    "udp://h/x", "127.0.0.1:8081",
                                     "ws://h:0/",         "wss://h/", "ws://u@h/" };
  RobotRig rig;

  robot_rig_start (&rig, "--owner app");
  robot_rig_make_node (&rig, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    acq_harness_set (rig.harness, "uri", bad[i]);
    g_assert_false (acq_node_check (acq_harness_get_node (rig.harness), &error));
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_OPTION);
  }
  {
    g_autofree char *uri = g_strdup_printf ("ws://localhost:%u/", rig.ws_port);

    acq_harness_set (rig.harness, "uri", uri);
    acq_harness_set (rig.harness, "streams", "[\"state\"]");
    g_assert_true (acq_node_check (acq_harness_get_node (rig.harness), NULL));
    g_assert_true (acq_harness_start (rig.harness, NULL));
  }
  g_assert_true (acq_harness_wait_frames (rig.harness, "state", 1, 10));
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  robot_rig_clear (&rig);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/robot-ws/websocket", GINT_TO_POINTER (FALSE), test_everything);
  g_test_add_data_func ("/robot-ws/udp", GINT_TO_POINTER (TRUE), test_everything);
  g_test_add_func ("/robot-ws/state-only", test_state_only);
  g_test_add_func ("/robot-ws/names-and-addresses", test_names_and_addresses);
  return g_test_run ();
}
