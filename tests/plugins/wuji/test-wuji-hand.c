/* SPDX-License-Identifier: Apache-2.0 */

/* What only the first-generation hand has: two opposite numbers for a side, a board's clock. */

#include "wuji-rig.h"

#include <string.h>

#define HAND(more, faults)                                                                         \
  "{" RIG_SETUP ",'devices':[{'kind':'hand','serial':'WH1K1'" more "}],'faults':[" faults "]}"

/* The hand says 0 for right, its tactile board 0 for left. */
static void
test_sides (void)
{
  static const struct {
    const char *config, *side;
  } cases[] = {
    { HAND ("", ""), "right" },
    { HAND (",'reported-side':'left','side':'left'", ""), "left" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    AcqHarness *harness = rig_start (cases[i].config, "wuji-hand", "hand", NULL);
    g_autofree char *side = acq_node_get_fact (acq_harness_get_node (harness), "side");
    g_autofree char *firmware = acq_node_get_fact (acq_harness_get_node (harness), "firmware");

    g_assert_cmpstr (side, ==, cases[i].side);
    g_assert_cmpstr (firmware, ==, "0x01020300");
    rig_end (harness);
  }
  client_configure (HAND ("", ""));
  rig_fail (rig_new ("wuji-hand", "hand", "side", "left", NULL), "no left first-generation");
}

static void
test_positions_only (void)
{
  AcqHarness *harness = rig_start (HAND (",'velocity':false,'effort':false", ""), "wuji-hand",
                                   "hand", "streams", "joint_states", NULL);
  g_autoptr (AcqFrame) frame = rig_pop (harness, "joint_states");
  const AcqJointState *state = (const AcqJointState *) frame->payload;
  guint n = 99;

  g_assert_cmpuint (state->n_position, ==, 20);
  g_assert_cmpuint (state->n_velocity, ==, 0);
  g_assert_true (acq_stream_get_count (frame->stream, "effort", &n));
  g_assert_cmpuint (n, ==, 0);
  rig_end (harness);
}

/* Milliseconds in 32 bits: they wrap, the device time does not. */
static void
test_board_wraps (void)
{
  AcqHarness *harness = rig_start (HAND (",'uptime-s':4294967.1", ""), "wuji-hand", "hand",
                                   "streams", "tactile", NULL);
  guint64 last = 0;

  for (guint i = 0; i < 60; i++) {
    g_autoptr (AcqFrame) frame = rig_pop (harness, "tactile");

    g_assert_cmpuint (frame->device_ns, >, last);
    if (i > 0)
      g_assert_cmpuint (frame->device_ns - last, <, 10000000);
    last = frame->device_ns;
    g_assert_cmpstr (acq_clock_get_id (acq_stream_get_clock (frame->stream)), ==, "hand_board");
  }
  g_assert_cmpuint (last, >, G_GUINT64_CONSTANT (4294967296) * 1000000);
  rig_end (harness);
}

static void
test_board_leaves (void)
{
  AcqHarness *harness =
      rig_start (HAND ("", ""), "wuji-hand", "hand", "streams", "[\"tactile*\"]", NULL);
  static const guint states[] = { 1, 0, 1 };

  g_assert_true (acq_harness_wait_frames (harness, "tactile_status", 1, 5));
  client_fault ("{'kind':'board','for':'200ms'}");
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++) {
    g_autoptr (AcqFrame) frame = rig_pop (harness, "tactile_status");

    g_assert_cmpuint (((const AcqTactileStatus *) frame->payload)->state, ==, states[i]);
    g_assert_false (frame->flags & ACQ_FRAME_DEVICE_TIME);
  }
  g_assert_cmpuint (acq_harness_count_events (harness, "tactile_status"), ==, 3);
  /* Nothing was numbered while it was gone that did not come. */
  g_assert_cmpint (acq_node_get_state (acq_harness_get_node (harness)), ==, ACQ_NODE_RUNNING);
  rig_end (harness);
}

static void
test_health (void)
{
  AcqHarness *harness =
      rig_start (HAND ("", "{'kind':'fault-code','joint':3,'value':513}"), "wuji-hand", "hand",
                 "streams", "[\"joint_diagnostics\",\"joint_states\"]", NULL);
  g_autoptr (AcqFrame) frame = rig_pop (harness, "joint_diagnostics");
  const AcqHandDiagnostics *health = (const AcqHandDiagnostics *) frame->payload;
  const AcqEvent *event = rig_event (harness, "fault_bits");

  g_assert_cmpuint (health->error_bits[3], ==, 513);
  g_assert_cmpuint (health->error_bits[4], ==, 0);
  g_assert_cmpfloat (health->bus_voltage[2], ==, 12.0f - 2.0f / 64.0f);
  g_assert_cmpfloat (health->input_voltage, ==, 12.0f);
  g_assert_cmpint (event->code, ==, 513);
  g_assert_nonnull (strstr (event->message, "hand_finger1_joint4: error bits 0x00000201"));
  rig_end (harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rig_load ();
  g_test_add_func ("/wuji/hand/sides", test_sides);
  g_test_add_func ("/wuji/hand/positions-only", test_positions_only);
  g_test_add_func ("/wuji/hand/board-wraps", test_board_wraps);
  g_test_add_func ("/wuji/hand/board-leaves", test_board_leaves);
  g_test_add_func ("/wuji/hand/health", test_health);
  return g_test_run ();
}
