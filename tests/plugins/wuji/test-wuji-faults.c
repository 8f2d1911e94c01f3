/* SPDX-License-Identifier: Apache-2.0 */

/* What goes wrong with a device, and what the recording says about it. */

#include "wuji-rig.h"

#include <math.h>
#include <string.h>

#define GLOVE(faults)                                                                              \
  "{" RIG_SETUP ",'devices':[{'kind':'glove','serial':'WG1J1'}],'faults':[" faults "]}"
#define HAND(faults)                                                                               \
  "{" RIG_SETUP ",'devices':[{'kind':'hand2','serial':'WH2J1'}],'faults':[" faults "]}"

static AcqHarness *
glove (const char *config, const char *streams)
{
  return rig_start (config, "wuji-glove", "left_glove", "serial", "WG1J1", "streams", streams,
                    "retry-min", "0.05", "silence", "0.3", NULL);
}

static AcqHarness *
hand (const char *config, const char *streams)
{
  return rig_start (config, "wuji-hand2", "left_hand", "serial", "WH2J1", "streams", streams,
                    "retry-min", "0.05", NULL);
}

static void
expect (AcqHarness *harness, const char *name, guint kind, guint severity, const char *words)
{
  const AcqEvent *event = rig_event (harness, name);

  g_assert_cmpuint (event->kind, ==, kind);
  g_assert_cmpuint (event->severity, ==, severity);
  if (strstr (event->message, words) == NULL)
    g_error ("%s: expected \"%s\" in: %s", name, words, event->message);
}

/* ---- the sequence ---- */

static void
test_lag (void)
{
  AcqHarness *harness =
      glove (GLOVE ("{'kind':'lag','on':'imu_raw/palm','at':40,'n':9}"), "imu/palm");

  g_assert_true (acq_harness_wait_frames (harness, "imu/palm", 60, 5));
  expect (harness, "lag", ACQ_EVENT_KIND_GAP, ACQ_EVENT_SEVERITY_WARNING, "9 messages");
  expect (harness, "library_lag", ACQ_EVENT_KIND_ALERT, ACQ_EVENT_SEVERITY_WARNING, "overloaded");
  g_assert_cmpuint (acq_harness_count_events (harness, "lag"), ==, 1);
  g_assert_cmpuint (rig_count (harness, "left_glove.imu/palm", ACQ_STREAM_LOST), ==, 9);
  rig_end (harness);
}

static void
test_gaps (void)
{
  AcqHarness *harness = glove (GLOVE ("{'kind':'gap','on':'imu_raw/palm','at':40,'n':3},"
                                      "{'kind':'repeat','on':'imu_raw/palm','at':60},"
                                      "{'kind':'reorder','on':'imu_raw/palm','at':80}"),
                               "imu/palm");

  g_assert_true (acq_harness_wait_frames (harness, "imu/palm", 120, 5));
  expect (harness, "sequence", ACQ_EVENT_KIND_GAP, ACQ_EVENT_SEVERITY_WARNING, "messages known");
  g_assert_cmpuint (rig_count (harness, "left_glove.imu/palm", ACQ_STREAM_DUPLICATES), ==, 1);
  g_assert_cmpuint (rig_count (harness, "left_glove.imu/palm", ACQ_STREAM_LATE), ==, 1);
  /* Three that never came, and the one that came too late. */
  g_assert_cmpuint (rig_count (harness, "left_glove.imu/palm", ACQ_STREAM_LOST), ==, 4);
  rig_end (harness);
}

/* ---- one stream ends, falls silent, or is garbage; the others go on ---- */

static void
test_stream_ends (void)
{
  AcqHarness *harness =
      glove (GLOVE ("{'kind':'end','on':'tactile','at':10},"
                    "{'kind':'error','on':'emf_poses','at':10,'text':'EMF gone'}"),
             "[\"tactile\",\"emf_poses\",\"imu/palm\"]");

  expect (harness, "stream_ended", ACQ_EVENT_KIND_ALERT, ACQ_EVENT_SEVERITY_WARNING, "tactile");
  expect (harness, "stream_error", ACQ_EVENT_KIND_ALERT, ACQ_EVENT_SEVERITY_WARNING, "EMF gone");
  /* Subscribed to again, a second later. */
  g_assert_true (acq_harness_wait_frames (harness, "tactile", 20, 5));
  g_assert_true (acq_harness_wait_frames (harness, "emf_poses", 20, 5));
  g_assert_cmpint (acq_node_get_state (acq_harness_get_node (harness)), ==, ACQ_NODE_RUNNING);
  rig_end (harness);
}

static void
test_stream_silent (void)
{
  AcqHarness *harness = glove (GLOVE ("{'kind':'stall','on':'tactile','at':20,'for':'600ms'}"),
                               "[\"tactile\",\"imu/palm\"]");

  expect (harness, "stream_silent", ACQ_EVENT_KIND_ALERT, ACQ_EVENT_SEVERITY_WARNING, "tactile");
  g_assert_true (acq_harness_wait_frames (harness, "tactile", 30, 5));
  expect (harness, "silence", ACQ_EVENT_KIND_GAP, ACQ_EVENT_SEVERITY_WARNING, "tactile");
  g_assert_cmpuint (rig_count (harness, "left_glove.tactile", ACQ_STREAM_LOST), ==, 72);
  rig_end (harness);
}

static void
test_garbage (void)
{
  static const struct {
    const char *stream, *topic, *how, *reason;
  } cases[] = {
    { "joint_states", "joint_states", "null", "null" },
    { "joint_states", "joint_states", "nid", "nid" },
    { "joint_states", "joint_states", "twice", "nid_twice" },
    { "joint_states", "joint_states", "mismatch", "count_mismatch" },
    { "joint_states", "joint_states", "length','value':33,'text':'", "length" },
    { "joint_diagnostics", "joint_diagnostics", "null", "null" },
    { "fingertip/index", "fingertip/index/data", "null", "null" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *config = g_strdup_printf (
        HAND ("{'kind':'garbage','on':'%s','at':5,'how':'%s'}"), cases[i].topic, cases[i].how);
    AcqHarness *harness = hand (config, cases[i].stream);
    g_autoptr (AcqSnapshot) snapshot = NULL;

    g_assert_true (acq_harness_wait_frames (harness, cases[i].stream, 12, 5));
    expect (harness, "frame_rejected", ACQ_EVENT_KIND_ALERT, ACQ_EVENT_SEVERITY_WARNING,
            cases[i].reason);
    snapshot = acq_harness_snapshot (harness);
    g_assert_cmpuint (
        acq_counts_get (acq_snapshot_find_port (snapshot, NULL)->rejected, cases[i].reason), ==, 1);
    rig_end (harness);
  }
}

/* Frames of another length than the stream's: 768 taxels among 744. */
static void
test_other_length (void)
{
  AcqHarness *harness = glove (
      GLOVE ("{'kind':'garbage','on':'tactile','at':5,'how':'length','value':768}"), "tactile");
  g_autoptr (AcqSnapshot) snapshot = NULL;

  g_assert_true (acq_harness_wait_frames (harness, "tactile", 12, 5));
  snapshot = acq_harness_snapshot (harness);
  g_assert_cmpuint (
      acq_counts_get (acq_snapshot_find_port (snapshot, NULL)->rejected, "length_changed"), ==, 1);
  rig_end (harness);
}

/* ---- the whole device ---- */

static void
test_disconnect (void)
{
  AcqHarness *harness = glove (GLOVE ("{'kind':'disconnect','at':'300ms','for':'300ms',"
                                      "'as':'error','text':'cable','reboot':true}"),
                               "[\"imu/palm\",\"hand_skeleton\"]");

  expect (harness, "disconnected", ACQ_EVENT_KIND_LOST, ACQ_EVENT_SEVERITY_ERROR, "cable");
  expect (harness, "reconnected", ACQ_EVENT_KIND_RECONNECTED, ACQ_EVENT_SEVERITY_INFO, "back");
  expect (harness, "lost", ACQ_EVENT_KIND_GAP, ACQ_EVENT_SEVERITY_WARNING, "nothing for");
  g_assert_true (acq_harness_wait_frames (harness, "imu/palm", 300, 5));
  rig_end (harness);
}

/* Nobody says END: the watchdog sees it within a second. */
static void
test_silent_link (void)
{
  AcqHarness *harness =
      rig_start (GLOVE ("{'kind':'disconnect','at':'300ms','for':'600ms','as':'silent'}"),
                 "wuji-glove", "left_glove", "streams", "imu/palm", "retry-min", "0.05", NULL);
  const AcqEvent *event = rig_event (harness, "silence");
  gint64 noticed_ns = event->from_ns;
  gint64 last_ns = 0;

  g_assert_cmpuint (event->kind, ==, ACQ_EVENT_KIND_LOST);
  {
    g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (harness);

    last_ns = acq_snapshot_find_stream (snapshot, "left_glove.imu/palm")->last_ns;
  }
  g_assert_cmpint (noticed_ns - last_ns, <, 1000000000);
  rig_event (harness, "reconnected");
  rig_end (harness);
}

static void
test_takeover (void)
{
  AcqHarness *harness =
      glove (GLOVE ("{'kind':'takeover','at':'300ms','for':'400ms','as':'error'}"), "imu/palm");

  expect (harness, "taken_over", ACQ_EVENT_KIND_LOST, ACQ_EVENT_SEVERITY_ERROR, "another program");
  rig_event (harness, "reconnected");
  rig_end (harness);
}

/* ---- joints ---- */

static void
test_joints_offline (void)
{
  AcqHarness *harness = hand (HAND (""), "[\"joint_states\",\"joint_diagnostics\"]");
  guint n_missing = 0;

  g_assert_true (acq_harness_wait_frames (harness, "joint_states", 20, 5));
  client_fault ("{'kind':'offline','for':'150ms','joints':[2,19]}");

  expect (harness, "joints_offline", ACQ_EVENT_KIND_ALERT, ACQ_EVENT_SEVERITY_WARNING,
          "left_hand_thumb_mcp is offline, left_hand_pinky_dip is offline; 2 of 20");
  expect (harness, "joints_online", ACQ_EVENT_KIND_ALERT, ACQ_EVENT_SEVERITY_INFO, "0 of 20");
  for (guint i = 0; i < 300; i++) {
    g_autoptr (AcqFrame) frame = rig_pop (harness, "joint_states");
    const AcqJointState *state = (const AcqJointState *) frame->payload;

    n_missing += isnan (state->position[2]) && isnan (state->effort[19]);
    g_assert_false (isnan (state->position[3]));
  }
  g_assert_cmpuint (n_missing, >, 50);
  g_assert_cmpuint (n_missing, <=, 150);
  g_assert_cmpuint (acq_harness_count_events (harness, "joints_offline"), ==, 1);
  rig_end (harness);
}

static void
test_fault_codes (void)
{
  static const struct {
    guint joint, code;
  } faults[] = { { 4, 0x2102 }, { 5, 0x0006 }, { 6, 0x21f0 }, { 7, 0x1111 }, { 8, 0x4001 } };
  AcqHarness *harness = hand (HAND (""), "joint_diagnostics");
  const AcqEvent *event;

  g_assert_true (acq_harness_wait_frames (harness, "joint_diagnostics", 20, 5));
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++) {
    g_autofree char *fault =
        g_strdup_printf ("{'kind':'fault-code','for':'50ms','joint':%u,'value':%u}",
                         faults[i].joint, faults[i].code);

    client_fault (fault);
  }
  expect (harness, "Overcurrent", ACQ_EVENT_KIND_FAULT, ACQ_EVENT_SEVERITY_ERROR,
          "left_hand_index_mcp_flex: Overcurrent (0x2102, ImmediateStop, ManualClear)");
  event = rig_event (harness, "Overcurrent");
  g_assert_cmpint (event->code, ==, 0x2102);
  g_assert_nonnull (strstr (event->details, "\"nid\":6"));
  g_assert_nonnull (strstr (event->details, "\"clear_policy\":\"ManualClear\""));
  expect (harness, "BusFrameLossHigh", ACQ_EVENT_KIND_FAULT, ACQ_EVENT_SEVERITY_WARNING, "0x0006");
  expect (harness, "TestInjection", ACQ_EVENT_KIND_FAULT, ACQ_EVENT_SEVERITY_INFO,
          "test injection");
  expect (harness, "unknown_fault", ACQ_EVENT_KIND_FAULT, ACQ_EVENT_SEVERITY_ERROR, "0x1111");
  /* A severity that no document names is taken for the worst. */
  expect (harness, "SupervisorNotice", ACQ_EVENT_KIND_FAULT, ACQ_EVENT_SEVERITY_ERROR, "Advisory");
  g_assert_true (acq_harness_wait_frames (harness, "joint_diagnostics", 300, 5));
  /* On change, not per frame. */
  g_assert_cmpuint (acq_harness_count_events (harness, "Overcurrent"), ==, 1);
  g_assert_cmpuint (acq_harness_count_events (harness, "fault_cleared"), ==, 5);
  rig_end (harness);
}

static void
test_fingertip_layout (void)
{
  AcqHarness *harness = hand (HAND (""), "fingertip/thumb");
  guint n_unknown = 0;
  guint n_known_after = 0;

  g_assert_true (acq_harness_wait_frames (harness, "fingertip/thumb", 5, 5));
  client_fault ("{'kind':'digest'}");

  rig_event (harness, "layout_changed");
  for (guint i = 0; i < 80; i++) {
    g_autoptr (AcqFrame) frame = rig_pop (harness, "fingertip/thumb");
    const AcqFingertipSensor *sensor = (const AcqFingertipSensor *) frame->payload;

    n_unknown += !sensor->layout_known;
    n_known_after += n_unknown > 0 && sensor->layout_known;
  }
  g_assert_cmpuint (n_unknown, >, 0);
  g_assert_cmpuint (n_known_after, >, 0);
  rig_end (harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rig_load ();
  g_test_add_func ("/wuji/faults/lag", test_lag);
  g_test_add_func ("/wuji/faults/gaps", test_gaps);
  g_test_add_func ("/wuji/faults/stream-ends", test_stream_ends);
  g_test_add_func ("/wuji/faults/stream-silent", test_stream_silent);
  g_test_add_func ("/wuji/faults/garbage", test_garbage);
  g_test_add_func ("/wuji/faults/other-length", test_other_length);
  g_test_add_func ("/wuji/faults/disconnect", test_disconnect);
  g_test_add_func ("/wuji/faults/silent-link", test_silent_link);
  g_test_add_func ("/wuji/faults/takeover", test_takeover);
  g_test_add_func ("/wuji/faults/joints-offline", test_joints_offline);
  g_test_add_func ("/wuji/faults/codes", test_fault_codes);
  g_test_add_func ("/wuji/faults/fingertip-layout", test_fingertip_layout);
  return g_test_run ();
}
