/* SPDX-License-Identifier: Apache-2.0 */

/*
 * acq-sim robot → acq-run → MCAP and NPZ, over WebSocket and UDP at once: nothing is lost, every
 * value is the closed form to the bit, and the robot heard a passive recorder.
 */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "robot-rig.h"
#include "robot-truth.h"
#include "run-process.h"

#define SINKS                                                                                      \
  "\"sinks\": { \"mcap\": { \"plugin\": \"mcap-writer\" }, \"npz\": { \"plugin\": \"npz-writer\" " \
  "} }"

static SimRobotModel model;

static char *
make_pipeline (const RobotRig *rig, const char *more)
{
  return g_strdup_printf (
      "{ \"sources\": {"
      "  \"dog\": { \"plugin\": \"robot-ws\", \"uri\": \"ws://127.0.0.1:%u/\"%s },"
      "  \"pup\": { \"plugin\": \"robot-ws\", \"uri\": \"udp://127.0.0.1:%u\" } }, " SINKS " }",
      rig->ws_port, more, rig->udp_port);
}

static JsonObject *
client_of (RobotRig *rig, const char *transport)
{
  JsonArray *clients = json_object_get_array_member (rig->report, "clients");

  for (guint i = 0; i < json_array_get_length (clients); i++) {
    JsonObject *client = json_array_get_object_element (clients, i);

    if (strcmp (json_object_get_string_member (client, "transport"), transport) == 0)
      return client;
  }
  g_assert_not_reached ();
}

/* ---- the files ---- */

static gint64
check_channel (RunProcess *run, const char *node, const RobotTruth *truth, guint64 first)
{
  g_autofree char *path = run_process_find_file (run, ".mcap");
  g_autofree char *topic = g_strdup_printf ("/%s/%s", node, truth->name);
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new_for_path (path, &error);
  AcqMcapMessage message;
  gint64 n = 0;

  g_assert_no_error (error);
  while (acq_mcap_reader_next_message (reader, &message, &error)) {
    const AcqMcapChannel *channel = acq_mcap_reader_get_channel (reader, message.channel_id);
    g_auto (AcqCdrMessage) decoded = { NULL };
    guint64 k;

    if (!acq_mcap_span_equal (channel->topic, acq_mcap_text (topic)))
      continue;
    g_assert_true (
        acq_cdr_decode (truth->schema, message.data.data, message.data.size, &decoded, &error));
    k = robot_truth_sample (&model, truth->stream, message.publish_time);
    g_assert_cmpuint (k, ==, first + (guint64) n);
    truth->check (&model, decoded.payload, k);
    n++;
  }
  g_assert_no_error (error);
  return n;
}

static void
check_mcap (RunProcess *run, RobotRig *rig, const char *node, const char *transport)
{
  JsonObject *client = client_of (rig, transport);

  for (guint i = 0; i < ROBOT_N_TRUTHS; i++) {
    const RobotTruth *truth = &robot_truths[i];
    g_autofree char *messages = g_strdup_printf ("sent/%s/messages", truth->sent);
    g_autofree char *first = g_strdup_printf ("sent/%s/first", truth->sent);
    g_autofree char *stream = g_strdup_printf ("%s.%s", node, truth->name);
    gint64 sent = robot_rig_number (client, messages);
    guint64 k = (guint64) robot_rig_number (client, first);

    g_test_message ("%s: %" G_GINT64_FORMAT, stream, sent);
    g_assert_cmpint (check_channel (run, node, truth, k), ==, sent);
    g_assert_cmpint (run_process_get_int (run, "streams", stream, "sinks", "mcap", "written", NULL),
                     ==, sent);
    g_assert_cmpint (run_process_get_int (run, "streams", stream, "sinks", "npz", "written", NULL),
                     ==, sent);
  }
}

static GBytes *
read_array (AcqZipReader *zip, const char *key, const char *descr)
{
  AcqNpyHeader header;
  g_autoptr (GError) error = NULL;
  GBytes *bytes = acq_npz_read (zip, key, &header, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (header.fields[0].descr, ==, descr);
  acq_npy_header_clear (&header);
  return bytes;
}

/* The nanosecond stamps, and one number of each motion message. */
static void
check_npz (RunProcess *run, RobotRig *rig, const char *node, const char *transport)
{
  g_autofree char *path = run_process_find_file (run, ".npz");
  g_autofree char *stamp_key = g_strdup_printf ("%s__motion.time_stamp", node);
  g_autofree char *position_key = g_strdup_printf ("%s__joint_states.position", node);
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqZipReader) zip = acq_zip_reader_open (path, &error);
  g_autoptr (GBytes) stamps = NULL, positions = NULL;
  JsonObject *client = client_of (rig, transport);
  const guint64 *stamp;
  const double *position;
  gsize n;

  g_assert_no_error (error);
  stamps = read_array (zip, stamp_key, "<u8");
  stamp = g_bytes_get_data (stamps, &n);
  g_assert_cmpuint (n / 8, ==, robot_rig_number (client, "sent/motion/messages"));
  for (gsize i = 0; i < n / 8; i++) {
    guint64 k = (guint64) robot_rig_number (client, "sent/motion/first") + i;
    SimRobotMotion want;

    sim_robot_motion (&model, k, &want);
    g_assert_cmpuint (stamp[i], ==, want.time_stamp);
  }
  positions = read_array (zip, position_key, "<f8");
  position = g_bytes_get_data (positions, &n);
  g_assert_cmpuint (n / 8 / 16, ==, robot_rig_number (client, "sent/joints/messages"));
  for (gsize i = 0; i < n / 8; i++) {
    guint64 k = (guint64) robot_rig_number (client, "sent/joints/first") + i / 16;
    double want[3];

    sim_robot_joint (&model, k, (guint) (i % 16), want);
    g_assert_cmpmem (&position[i], sizeof (double), &want[0], sizeof (double));
  }
}

static void
test_everything (void)
{
  RobotRig rig;
  g_autofree char *pipeline = NULL;
  g_autoptr (RunProcess) run = NULL;

  robot_rig_start (&rig, "--owner app");
  pipeline = make_pipeline (&rig, "");
  run = run_process_run (&(RunSetup){ pipeline, "--duration 2.5s" });
  g_assert_cmpint (run->exit_code, ==, 0);
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  run_process_check_balance (run);
  sim_robot_model_init (&model);
  model.epoch_ns = (guint64) robot_rig_number (rig.report, "epoch_ns");
  check_mcap (run, &rig, "dog", "ws");
  check_mcap (run, &rig, "pup", "udp");
  check_npz (run, &rig, "dog", "ws");
  check_npz (run, &rig, "pup", "udp");
  robot_rig_clear (&rig);
}

/* A connection that breaks is told and comes back; what that is worth says the pipeline file. */
static void
test_exit_codes (void)
{
  static const struct {
    const char *sim, *more, *args;
    int exit_code;
  } cases[] = {
    { "--faults drop:how=rst:on=link:at=500ms", ", \"reconnect-wait\": 0.2, \"retry-min\": 0.05",
      "--duration 2s", 0 },
    { "--faults json:how=cut:on=imu:every=10", "", "--duration 1s", 0 },
    { "", ", \"serial\": \"OTHER\"", "--duration 1s", 1 },
    { "", ", \"uri\": \"ws://127.0.0.1:1/\"", "--duration 1s", 2 }, /* a key twice */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *args = g_strconcat ("--owner app ", cases[i].sim, NULL);
    g_autofree char *pipeline = NULL;
    g_autoptr (RunProcess) run = NULL;
    RobotRig rig;

    g_test_message ("case %u", i);
    robot_rig_start (&rig, args);
    pipeline = make_pipeline (&rig, cases[i].more);
    run = run_process_run (&(RunSetup){ pipeline, cases[i].args });
    g_assert_cmpint (run->exit_code, ==, cases[i].exit_code);
    g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
    if (cases[i].exit_code == 0)
      run_process_check_balance (run);
    robot_rig_clear (&rig);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pipeline-robot/everything", test_everything);
  g_test_add_func ("/pipeline-robot/exit-codes", test_exit_codes);
  return g_test_run ();
}
