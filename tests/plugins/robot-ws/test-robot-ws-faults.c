/* SPDX-License-Identifier: Apache-2.0 */

/* Everything that can go wrong between a robot and the recorder: what is counted and told, what
 * is still recorded, and that the robot never hears more than a passive recorder says. */

#include <string.h>

#include "robot-rig.h"

/* ---- damaged messages ---- */

/* Each strikes one sample; beats of different streams, so that all go in one run. */
static const struct {
  const char *fault; /* as in the report */
  const char *reasons[2];
} damages[] = {
  { "imu json:comma", { "json_syntax" } },   { "imu json:comment", { "json_syntax" } },
  { "imu json:nan", { "json_syntax" } },     { "imu json:cut", { "json_syntax" } },
  { "imu json:utf8", { "json_utf8" } },      { "imu json:tail", { "json_syntax" } },
  { "imu json:array", { "not_object" } },    { "imu json:no_head", { "no_type" } },
  { "imu json:text_type", { "no_type" } },   { "imu json:deep", { "json_depth" } },
  { "joints unit:sync", { "sync" } },        { "joints unit:short", { "trailing" } },
  { "joints unit:long", { "truncated" } },   { "joints unit:trailing", { "trailing" } },
  { "joints unit:empty", { "empty" } },      { "joints unit:tiny", { "short" } },
  { "joints unit:two", { "two_units" } },    { "joints unit:split", { "truncated", "sync" } },
  { "motion frame:text", { "text_frame" } }, { "motion frame:fragments", { NULL } },
  { "motion frame:bytewise", { NULL } },     { "motion huge", { "oversize" } },
};

#define FIRST_BEAT 30

static char *
make_plan (gboolean udp)
{
  GString *plan = g_string_new ("--owner app --faults ");

  for (guint i = 0; i < G_N_ELEMENTS (damages); i++) {
    g_auto (GStrv) words = g_strsplit_set (damages[i].fault, " :", 3);

    if (udp && words[0][0] == 'm')
      continue;
    g_string_append_printf (
        plan, "%s%s:%s%s:on=%s:at=%u", plan->str[plan->len - 1] == ' ' ? "" : ",", words[1],
        words[2] ? "how=" : "bytes=", words[2] ? words[2] : "65552", words[0], FIRST_BEAT + i);
  }
  return g_string_free (plan, FALSE);
}

static guint64
count_of (RobotRig *rig, const char *reason)
{
  g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (rig->harness);

  return acq_counts_get (acq_snapshot_find_port (snapshot, NULL)->rejected, reason);
}

static void
test_damage (gconstpointer data)
{
  gboolean udp = GPOINTER_TO_INT (data);
  g_autofree char *plan = make_plan (udp);
  g_autoptr (GHashTable) expected = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AcqSnapshot) snapshot = NULL;
  GHashTableIter iter;
  gpointer reason, n;
  JsonObject *client;
  RobotRig rig;

  robot_rig_start (&rig, plan);
  robot_rig_make_node (&rig, udp);
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_true (acq_harness_wait_frames (rig.harness, "motion", udp ? 40 : 55, 10));
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  client = robot_rig_client (&rig, 0);
  for (guint i = 0; i < G_N_ELEMENTS (damages); i++) {
    g_autofree char *path = g_strconcat ("faults/", damages[i].fault, NULL);

    if (udp && damages[i].fault[0] == 'm')
      continue;
    g_test_message ("%s", damages[i].fault);
    g_assert_cmpint (robot_rig_number (client, path), ==, 1);
    for (guint r = 0; r < 2 && damages[i].reasons[r] != NULL; r++)
      g_hash_table_insert (
          expected, (gpointer) damages[i].reasons[r],
          GINT_TO_POINTER (GPOINTER_TO_INT (g_hash_table_lookup (expected, damages[i].reasons[r])) +
                           1));
  }
  g_hash_table_iter_init (&iter, expected);
  while (g_hash_table_iter_next (&iter, &reason, &n)) {
    g_test_message ("%s", (char *) reason);
    g_assert_cmpuint (count_of (&rig, reason), ==, GPOINTER_TO_INT (n));
    g_assert_cmpuint (acq_harness_count_events (rig.harness, reason), ==, 1);
  }
  snapshot = acq_harness_snapshot (rig.harness);
  g_assert_cmpuint (acq_snapshot_find_port (snapshot, NULL)->rejected->len, ==,
                    g_hash_table_size (expected));
  /* Nothing else is missing. */
  g_assert_cmpint (acq_harness_count (rig.harness, "imu"), ==,
                   robot_rig_number (client, "sent/imu/messages"));
  g_assert_cmpint (acq_harness_count (rig.harness, "joint_states"), ==,
                   robot_rig_number (client, "sent/joints/messages"));
  g_assert_cmpint (acq_harness_count (rig.harness, "motion"), ==,
                   robot_rig_number (client, "sent/motion/messages"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (rig.report, "clients")),
                    ==, 1);
  robot_rig_clear (&rig);
}

/* ---- broken connections ---- */

static const struct {
  const char *name;
  gboolean udp;
  const char *args;    /* of the simulator */
  const char *event;   /* that tells of it */
  const char *options; /* of the node, `name=value` words */
} losses[] = {
  { "close-1001", FALSE, "--faults close:code=1001:on=link:at=300ms", "closed_1001", "" },
  { "close-without-code", FALSE, "--faults close:code=0:on=link:at=300ms", "closed_1005", "" },
  { "fin", FALSE, "--faults drop:how=fin:on=link:at=300ms", "disconnected", "" },
  { "rst", FALSE, "--faults drop:how=rst:on=link:at=300ms", "disconnected", "" },
  { "masked", FALSE, "--faults frame:how=masked:on=imu:at=30", "closed_1002", "" },
  { "rsv", FALSE, "--faults frame:how=rsv:on=imu:at=30", "closed_1002", "" },
  { "opcode", FALSE, "--faults frame:how=opcode:on=imu:at=30", "closed_1002", "" },
  { "long-ping", FALSE, "--faults frame:how=long_ping:on=imu:at=30", "closed_1002", "" },
  { "huge", FALSE, "--faults huge:bytes=1000000:on=imu:at=30", "closed_1009", "" },
  { "stall-ws", FALSE, "--faults stall:ms=1200:on=link:at=300ms", "silence", "idle-timeout=0.5" },
  { "stall-udp", TRUE, "--faults stall:ms=1200:on=link:at=300ms", "silence", "idle-timeout=0.5" },
  { "reboot-ws", FALSE, "--faults reboot:ms=300:on=link:at=300ms", "disconnected", "" },
  { "reboot-udp", TRUE, "--faults reboot:ms=300:on=link:at=300ms", "connection_refused", "" },
};

static void
set_options (RobotRig *rig, const char *options)
{
  g_auto (GStrv) words = g_strsplit (options, " ", -1);

  for (guint i = 0; words[i] != NULL && words[i][0] != '\0'; i++) {
    char *value = strchr (words[i], '=');

    *value++ = '\0';
    acq_harness_set (rig->harness, words[i], value);
  }
}

/* Lost, told, back again with everything configured anew, and a gap on record. */
static void
test_loss (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree char *args = g_strconcat ("--owner app ", losses[i].args, NULL);
  guint n, last;
  RobotRig rig;

  robot_rig_start (&rig, args);
  robot_rig_make_node (&rig, losses[i].udp);
  set_options (&rig, "reconnect-wait=0.2 retry-min=0.05 retry-max=0.1 connect-timeout=3");
  set_options (&rig, losses[i].options);
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_nonnull (acq_harness_wait_event (rig.harness, losses[i].event, 10));
  g_assert_nonnull (acq_harness_wait_event (rig.harness, "reconnected", 10));
  n = acq_harness_count (rig.harness, "imu");
  g_assert_true (acq_harness_wait_frames (rig.harness, "imu", n + 10, 10));
  g_assert_cmpuint (acq_harness_count_events (rig.harness, "lost"), ==, 1); /* the gap */
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  last = json_array_get_length (json_object_get_array_member (rig.report, "clients")) - 1;
  g_assert_cmpuint (last, >=, 1);
  g_assert_cmpint (robot_rig_number (robot_rig_client (&rig, last), "received/1008"), ==, 5);
  g_assert_true (json_object_get_boolean_member (robot_rig_client (&rig, last), "goodbye"));
  if (strstr (losses[i].event, "closed_1002") != NULL)
    g_assert_cmpuint (count_of (&rig, "websocket_1002"), ==, 1);
  if (strstr (losses[i].event, "closed_1009") != NULL)
    g_assert_cmpuint (count_of (&rig, "websocket_1009"), ==, 1);
  robot_rig_clear (&rig);
}

/* ---- connections that begin badly ---- */

static const struct {
  const char *name;
  const char *fault;
  gboolean udp;
} starts[] = {
  { "http-404", "http:how=404:on=upgrade:at=0", FALSE },
  { "http-302", "http:how=302:on=upgrade:at=0", FALSE },
  { "http-200", "http:how=200:on=upgrade:at=0", FALSE },
  { "bad-accept", "http:how=bad_accept:on=upgrade:at=0", FALSE },
  { "garbage", "http:how=garbage:on=upgrade:at=0", FALSE },
  { "silent-upgrade", "http:how=silent:on=upgrade:at=0", FALSE },
  { "late-upgrade", "delay:ms=300:on=upgrade:at=0", FALSE },
  { "first-hello-lost", "loss:on=handshake:at=0/1", FALSE },
  { "first-hello-lost-udp", "loss:on=handshake:at=0/1", TRUE },
  { "late-hello", "delay:ms=500:on=handshake:at=0", FALSE },
  { "two-hellos", "duplicate:on=handshake:at=0", TRUE },
  { "junk-first", "junk:n=5:on=handshake:at=0", FALSE },
  { "broken-hello", "json:how=cut:on=handshake:at=0", FALSE },
  { "hello-without-status", "field:how=missing:n=4:on=handshake:at=0", TRUE },
  { "hello-elsewhere", "elsewhere:on=handshake:at=0", TRUE },
  { "acks-lost", "loss:on=sensor:p=1", FALSE },
  { "echoes-lost", "loss:on=heartbeat:p=1", FALSE },
  { "echoes-doubled", "duplicate:on=heartbeat:p=1", TRUE },
  { "pings", "ping:on=link:every=5", FALSE },
  { "unknown-types", "unknown:type=1019:on=link:every=7", TRUE },
  { "goodbye-of-the-robot", "goodbye:on=link:at=200ms", TRUE },
  { "deaf", "deaf:ms=600:on=link:at=100ms", FALSE },
};

/* In the end it records, whatever came first. */
static void
test_start (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree char *args = g_strconcat ("--owner app --faults ", starts[i].fault, NULL);
  RobotRig rig;

  robot_rig_start (&rig, args);
  robot_rig_make_node (&rig, starts[i].udp);
  set_options (&rig, "reconnect-wait=0.2 retry-min=0.05 retry-max=0.1 connect-timeout=1.5");
  /* Or a robot that is not there at first would end the recording. */
  acq_graph_set_required (acq_harness_get_graph (rig.harness), "dog", FALSE);
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_true (acq_harness_wait_frames (rig.harness, "joint_states", 70, 10));
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  g_assert_cmpint (robot_rig_number (rig.report, "violations"), ==, 0);
  robot_rig_clear (&rig);
}

static const struct {
  const char *name, *args, *options, *event;
} refusals[] = {
  { "busy", "--owner app --faults refuse:status=20:on=handshake:p=1", "", "controlled_by_another" },
  { "protocol", "--owner app --faults refuse:status=10:on=handshake:at=0", "",
    "protocol_mismatch" },
  { "unknown-status", "--owner app --faults refuse:status=99:on=handshake:at=0", "", "refused" },
  { "serial", "--owner app", "serial=OTHER", "wrong_serial" },
  { "owner", "--owner none", "", "yielded" },
};

/* The recorder says goodbye, says why, and does not hammer. */
static void
test_refusal (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data) / 2;
  gboolean udp = GPOINTER_TO_UINT (data) % 2;
  JsonObject *client;
  RobotRig rig;

  robot_rig_start (&rig, refusals[i].args);
  robot_rig_make_node (&rig, udp);
  set_options (&rig, refusals[i].options);
  /* Or a robot that is not there at first would end the recording. */
  acq_graph_set_required (acq_harness_get_graph (rig.harness), "dog", FALSE);
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_nonnull (acq_harness_wait_event (rig.harness, refusals[i].event, 10));
  g_assert_true (acq_harness_wait_state (rig.harness, ACQ_NODE_LOST, 5));
  g_usleep (600000); /* long enough for a client that hammers to be seen */
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (rig.report, "clients")),
                    ==, 1);
  client = robot_rig_client (&rig, 0);
  g_assert_true (json_object_get_boolean_member (client, "goodbye"));
  if (strcmp (refusals[i].event, "yielded") == 0) {
    g_autoptr (AcqFrame) ours = acq_harness_pop (rig.harness, "control");
    g_autoptr (AcqFrame) yielded = acq_harness_pop (rig.harness, "control");

    g_assert_cmpuint (((const AcqRobotControl *) ours->payload)->event, ==,
                      ACQ_ROBOT_CONTROL_EVENT_OURS);
    g_assert_cmpint (((const AcqRobotControl *) ours->payload)->own_class, ==, 3);
    g_assert_cmpuint (((const AcqRobotControl *) yielded->payload)->event, ==,
                      ACQ_ROBOT_CONTROL_EVENT_YIELDED);
  }
  robot_rig_clear (&rig);
}

/* ---- while it runs ---- */

static void
test_control (void)
{
  static const guint8 events[] = { ACQ_ROBOT_CONTROL_EVENT_OWNER, ACQ_ROBOT_CONTROL_EVENT_RELEASED,
                                   ACQ_ROBOT_CONTROL_EVENT_TAKEN, ACQ_ROBOT_CONTROL_EVENT_OWNER };
  static const gint32 sources[] = { 1, 1, 1, 2 };
  RobotRig rig;

  robot_rig_start (&rig,
                   "--owner app --faults release:on=link:at=200ms,take:by=sdk:on=link:at=400ms");
  robot_rig_make_node (&rig, FALSE);
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_true (acq_harness_wait_frames (rig.harness, "control", 4, 10));
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (events); i++) {
    g_autoptr (AcqFrame) frame = acq_harness_pop (rig.harness, "control");
    const AcqRobotControl *control = (const AcqRobotControl *) frame->payload;

    g_assert_cmpuint (control->event, ==, events[i]);
    g_assert_cmpint (control->control_source, ==, sources[i]);
  }
  g_assert_nonnull (acq_harness_find_event (rig.harness, "control_taken"));
  g_assert_nonnull (acq_harness_find_event (rig.harness, "control_released"));
  robot_rig_clear (&rig);
}

static void
test_stay_as_owner (void)
{
  RobotRig rig;

  robot_rig_start (&rig, "--owner none");
  robot_rig_make_node (&rig, TRUE);
  acq_harness_set (rig.harness, "yield-ownership", "false");
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_nonnull (acq_harness_wait_event (rig.harness, "control_ours", 10));
  g_assert_true (acq_harness_wait_frames (rig.harness, "imu", 50, 10));
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  g_assert_true (json_object_get_boolean_member (robot_rig_client (&rig, 0), "was_owner"));
  robot_rig_clear (&rig);
}

static void
test_clock_and_stamps (void)
{
  RobotRig rig;

  robot_rig_start (&rig, "--owner app --faults clock:ms=7776000000:on=link:at=300ms,"
                         "stamp:how=zero:on=motion:at=10,stamp:how=repeat:on=motion:at=15,"
                         "stamp:how=back:on=motion:at=20");
  robot_rig_make_node (&rig, TRUE);
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_nonnull (acq_harness_wait_event (rig.harness, "clock_step", 10));
  g_assert_true (acq_harness_wait_frames (rig.harness, "motion", 30, 10));
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  {
    const AcqEvent *counts = acq_harness_find_event (rig.harness, "flaw_counts");
    /* The one after the step back to the first stamp is no flaw; the step itself is. */
    g_assert_cmpstr (counts->details, ==,
                     "{\"stamp_zero\":1,\"stamp_repeated\":1,\"stamp_backward\":1}");
  }
  for (guint i = 0; i < 30; i++) {
    g_autoptr (AcqFrame) frame = acq_harness_pop (rig.harness, "motion");

    g_assert_true ((frame->device_ns == ACQ_TIME_NONE) ==
                   (((const AcqRobotMotion *) frame->payload)->time_stamp == 0));
  }
  robot_rig_clear (&rig);
}

/* 12 joints, in another order, and a robot that never answers the Close. */
static void
test_joints_and_close (void)
{
  gint64 begin;
  RobotRig rig;
  g_autoptr (AcqFrame) frame = NULL;
  const char *const *names;

  robot_rig_start (&rig, "--owner app --joints 12 --reversed --no-close-echo");
  robot_rig_make_node (&rig, FALSE);
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_true (acq_harness_wait_frames (rig.harness, "joint_states", 5, 10));
  begin = g_get_monotonic_time ();
  acq_harness_stop (rig.harness);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 3000000);
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  frame = acq_harness_pop (rig.harness, "joint_states");
  g_assert_cmpuint (((const AcqJointState *) frame->payload)->n_effort, ==, 12);
  names = acq_constants_get_strv (acq_stream_get_constants (frame->stream), "name");
  g_assert_cmpstr (names[0], ==, "dog_br3");
  g_assert_cmpstr (names[11], ==, "dog_fl1");
  g_assert_cmpstr (acq_stream_get_metadata (frame->stream, "serial"), ==, "SIM0001");
  robot_rig_clear (&rig);
}

static void
test_heartbeat_rate (void)
{
  JsonObject *beats;
  RobotRig rig;

  robot_rig_start (&rig, "--owner app");
  robot_rig_make_node (&rig, FALSE);
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_true (acq_harness_wait_frames (rig.harness, "link", 12, 10));
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  beats = json_object_get_object_member (robot_rig_client (&rig, 0), "heartbeats");
  g_test_message ("%.3f Hz", json_object_get_double_member (beats, "hz"));
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (beats, "hz"), 5, 0.5);
  robot_rig_clear (&rig);
}

/* Nothing but pings, which the library does not show: the kernel knows of them. */
static void
test_pings_keep_alive (void)
{
  RobotRig rig;

  robot_rig_start (&rig, "--owner app --faults loss:on=heartbeat:p=1,loss:on=state:p=1,"
                         "loss:on=faults:p=1,ping:on=link:every=20");
  robot_rig_make_node (&rig, FALSE);
  set_options (&rig, "mode=state-only idle-timeout=0.6");
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_null (acq_harness_wait_event (rig.harness, "silence", 2));
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  robot_rig_clear (&rig);
}

static void
test_ipv6 (gconstpointer data)
{
  gboolean udp = GPOINTER_TO_INT (data);
  g_autofree char *uri = NULL;
  RobotRig rig;

  robot_rig_start (&rig, "--owner app --host ::1");
  robot_rig_make_node (&rig, udp);
  uri = g_strdup_printf ("%s://[::1]:%u", udp ? "udp" : "ws", udp ? rig.udp_port : rig.ws_port);
  acq_harness_set (rig.harness, "uri", uri);
  g_assert_true (acq_harness_start (rig.harness, NULL));
  g_assert_true (acq_harness_wait_frames (rig.harness, "imu", 5, 10));
  g_assert_cmpint (robot_rig_finish (&rig), ==, 0);
  robot_rig_clear (&rig);
}

static void
add_each (const char *folder, const char *name, guint i, GTestDataFunc func)
{
  g_autofree char *path = g_strdup_printf ("/robot-ws-faults/%s/%s", folder, name);

  g_test_add_data_func (path, GUINT_TO_POINTER (i), func);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/robot-ws-faults/damage/ws", GINT_TO_POINTER (FALSE), test_damage);
  g_test_add_data_func ("/robot-ws-faults/damage/udp", GINT_TO_POINTER (TRUE), test_damage);
  for (guint i = 0; i < G_N_ELEMENTS (losses); i++)
    add_each ("loss", losses[i].name, i, test_loss);
  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    add_each ("start", starts[i].name, i, test_start);
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++) {
    g_autofree char *udp = g_strconcat (refusals[i].name, "-udp", NULL);

    add_each ("refusal", refusals[i].name, 2 * i, test_refusal);
    add_each ("refusal", udp, 2 * i + 1, test_refusal);
  }
  g_test_add_func ("/robot-ws-faults/control", test_control);
  g_test_add_func ("/robot-ws-faults/stay-as-owner", test_stay_as_owner);
  g_test_add_func ("/robot-ws-faults/clock-and-stamps", test_clock_and_stamps);
  g_test_add_func ("/robot-ws-faults/joints-and-close", test_joints_and_close);
  g_test_add_func ("/robot-ws-faults/heartbeat-rate", test_heartbeat_rate);
  g_test_add_func ("/robot-ws-faults/pings-keep-alive", test_pings_keep_alive);
  g_test_add_data_func ("/robot-ws-faults/ipv6/ws", GINT_TO_POINTER (FALSE), test_ipv6);
  g_test_add_data_func ("/robot-ws-faults/ipv6/udp", GINT_TO_POINTER (TRUE), test_ipv6);
  return g_test_run ();
}
