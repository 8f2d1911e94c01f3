/* SPDX-License-Identifier: Apache-2.0 */

/* The plugin against the simulated robot, both transports: everything that was sent is there, to
 * the bit, and the robot heard nothing but what a passive recorder says. */

#include <string.h>

#include "robot-rig.h"
#include "robot-truth.h"

static SimRobotModel model;

/* Every frame of a stream, one after the other, without a hole. */
static void
check_stream (RobotRig *rig, guint i)
{
  JsonObject *client = robot_rig_client (rig, 0);
  const RobotTruth *truth = &robot_truths[i];
  g_autofree char *messages = g_strdup_printf ("sent/%s/messages", truth->sent);
  g_autofree char *first = g_strdup_printf ("sent/%s/first", truth->sent);
  guint64 k = (guint64) robot_rig_number (client, first);
  gint64 n = robot_rig_number (client, messages);
  gint64 last_ns = 0;

  g_test_message ("%s: %" G_GINT64_FORMAT " messages", truth->name, n);
  g_assert_cmpint (acq_harness_count (rig->harness, truth->name), ==, n);
  g_assert_cmpint (n, >, 0);
  for (; n > 0; n--, k++) {
    g_autoptr (AcqFrame) frame = acq_harness_pop (rig->harness, truth->name);

    g_assert_cmpuint (robot_truth_sample (&model, truth->stream, frame->device_ns), ==, k);
    truth->check (&model, frame->payload, k);
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
  for (guint i = 0; i < ROBOT_N_TRUTHS; i++)
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
