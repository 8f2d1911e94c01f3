/* SPDX-License-Identifier: Apache-2.0 */

/* What the plugin tells while it runs: alerts, gaps, changes. */

#include "fsnh-fixture.h"
#include "fsnh-vectors.h"

#include <string.h>

#define LEFT SIM_FSNH_LEFT
#define WRIST SIM_FSNH_WRIST
#define FOREARM SIM_FSNH_FOREARM

static void
wait_count (FsnhFixture *f, const char *stream, guint n)
{
  g_assert_true (acq_harness_wait_frames (f->harness, stream, n, 10));
  g_assert_cmpuint (acq_harness_count (f->harness, stream), ==, n);
}

/* Packets that are refused for a constant alone: one alert with what to set; set, they come. */
static void
test_constants (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, NULL);
  g_autoptr (FsnhFixture) g = fsnh_fixture_new (
      NULL, (const char *[]){ "magic", "0x484E5346", "quat-order", "0x7A797877", NULL });
  const AcqEvent *event;
  FsnhVector vector;

  fsnh_vector_get ('A', &vector);
  memcpy (vector.bytes, "FSNH", 4);
  memcpy (vector.bytes + 20, "wxyz", 4);
  fsnh_fixture_start (f);
  for (guint i = 0; i < 5; i++)
    fsnh_fixture_send_bytes (f, vector.bytes, vector.length);
  event = fsnh_fixture_wait_event (f, "doubtful_constant");
  g_assert_nonnull (
      strstr (event->message, "\"magic\": \"0x484E5346\", \"quat-order\": \"0x7A797877\""));
  g_assert_nonnull (strstr (event->message, "46534e48040115010100000000ca9a3b000000007778797a"));
  fsnh_fixture_wait_packets (f, 5);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "doubtful_constant"), ==, 1);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "bad_magic"), ==, 1);

  fsnh_fixture_start (g);
  fsnh_fixture_send_bytes (g, vector.bytes, vector.length);
  wait_count (g, "hand_skeleton", 1);
}

/* Where others are right, one with another constant is only damaged. */
static void
test_damaged (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, NULL);
  FsnhVector vector;

  fsnh_fixture_start (f);
  fsnh_fixture_send (f, LEFT, WRIST, 0, TRUE);
  fsnh_vector_get ('G', &vector);
  for (guint i = 0; i < 5; i++)
    fsnh_fixture_send_bytes (f, vector.bytes, vector.length);
  fsnh_fixture_send (f, LEFT, WRIST, 1, TRUE);
  wait_count (f, "hand_skeleton", 2);
  fsnh_fixture_wait_event (f, "bad_magic");
  acq_harness_stop (f->harness);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "doubtful_constant"), ==, 0);
}

static void
test_changes (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, NULL);
  guint8 bytes[SIM_FSNH_MAX_PACKET];
  const SimFsnhHead head = { LEFT, FOREARM, 3, 1, TRUE, TRUE };
  gsize length;

  fsnh_fixture_start (f);
  fsnh_fixture_send (f, LEFT, WRIST, 0, TRUE);
  fsnh_fixture_send (f, LEFT, FOREARM, 1, TRUE);
  fsnh_fixture_change_sender (f);
  fsnh_fixture_send (f, LEFT, FOREARM, 2, TRUE);
  length = sim_fsnh_write (f->writer, &head, bytes);
  fsnh_vector_put_u64 (bytes, 12, G_GUINT64_CONSTANT (8333333) * 1003);
  sim_fsnh_make_odd (bytes, FOREARM, SIM_FSNH_COMPONENT_ORDER_SUSPECT);
  fsnh_fixture_send_bytes (f, bytes, length);
  bytes[100] ^= 1;
  fsnh_fixture_send_bytes (f, bytes, length);
  wait_count (f, "hand_skeleton", 4);
  g_assert_nonnull (strstr (fsnh_fixture_wait_event (f, "mode_changed")->message,
                            "22 joints, relative to the forearm"));
  fsnh_fixture_wait_event (f, "source_changed");
  g_assert_cmpuint (fsnh_fixture_wait_event (f, "component_order_suspect")->severity, ==,
                    ACQ_EVENT_SEVERITY_ERROR);
  fsnh_fixture_wait_event (f, "index_conflict");
  for (guint i = 0; i < 4; i++) {
    g_autoptr (AcqFrame) frame = acq_harness_pop (f->harness, "hand_skeleton");

    g_assert_cmpint ((frame->flags & ACQ_FRAME_SUSPECT) != 0, ==, i == 3);
  }
}

/* Nothing, then repeats, then nothing again: each is an alert of its own kind, and a gap. */
static void
test_quiet (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, (const char *[]){ "silence", "0.2", NULL });
  gint64 until;

  fsnh_fixture_start (f);
  fsnh_fixture_send (f, LEFT, WRIST, 0, TRUE);
  fsnh_fixture_wait_event (f, "silence");
  fsnh_fixture_send (f, LEFT, WRIST, 1, TRUE);
  wait_count (f, "hand_skeleton", 2);
  until = g_get_monotonic_time () + 10 * G_TIME_SPAN_SECOND;
  while (acq_harness_find_event (f->harness, "stall") == NULL) {
    fsnh_fixture_send (f, LEFT, WRIST, 1, FALSE);
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (5000);
  }
  fsnh_fixture_send (f, LEFT, WRIST, 2, TRUE);
  wait_count (f, "hand_skeleton", 3);
  /* Twice each: the alert, and the gap when it was over. */
  g_assert_cmpuint (acq_harness_count_events (f->harness, "silence"), ==, 2);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "stall"), ==, 2);
}

/* Sends one hand's packets, from @index on, one each millisecond. Returns: the next index. */
static guint32
send_for (FsnhFixture *f, guint32 index, guint n)
{
  for (guint i = 0; i < n; i++) {
    fsnh_fixture_send (f, LEFT, WRIST, index++, TRUE);
    g_usleep (1000);
  }
  return index;
}

/* A reader that was stopped for longer than the limit finds packets waiting: no silence. One
 * that lies in what waited is a gap by the kernel's times, and no alert: it was over. */
static void
test_stopped (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, (const char *[]){ "silence", "0.3", NULL });
  const AcqEvent *gap;
  AcqPort *port;
  guint32 n;

  fsnh_fixture_start (f);
  n = send_for (f, 0, 1);
  fsnh_fixture_wait_packets (f, n);
  port = acq_source_get_port (ACQ_SOURCE (acq_harness_get_node (f->harness)));
  acq_port_lock (port);
  n = send_for (f, n, 450);
  acq_port_unlock (port);
  fsnh_fixture_wait_packets (f, n);
  n = send_for (f, n, 10);
  wait_count (f, "hand_skeleton", n);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "silence"), ==, 0);

  acq_port_lock (port);
  n = send_for (f, n, 100);
  g_usleep (400000);
  n = send_for (f, n, 100);
  acq_port_unlock (port);
  wait_count (f, "hand_skeleton", n);
  acq_harness_stop (f->harness);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "silence"), ==, 1);
  gap = acq_harness_find_event (f->harness, "silence");
  g_assert_cmpuint (gap->kind, ==, ACQ_EVENT_KIND_GAP);
  g_assert_cmpint (gap->to_ns - gap->from_ns, >=, 390000000);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "sequence"), ==, 0);
}

/* Two programs, their numbers far apart: one alert with both, a bounded number of words and of
 * epochs, the counters as ever; and one word when one of them has ended. */
static void
test_two_senders (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, NULL);
  gint64 until = g_get_monotonic_time () + 10 * G_TIME_SPAN_SECOND;
  guint32 n = 0, sent = 0;

  fsnh_fixture_start (f);
  for (; n < 500; n++) {
    fsnh_fixture_send (f, LEFT, WRIST, n, TRUE);
    fsnh_fixture_swap_sender (f);
    fsnh_fixture_send (f, LEFT, WRIST, 500000 + n, TRUE);
    fsnh_fixture_swap_sender (f);
    sent += 2;
    if (n % 20 == 0)
      fsnh_fixture_wait_packets (f, sent);
  }
  wait_count (f, "hand_skeleton", sent);
  g_assert_nonnull (strstr (fsnh_fixture_wait_event (f, "two_senders")->message, "\"allow\""));
  for (; acq_harness_find_event (f->harness, "two_senders_over") == NULL; n++, sent++) {
    fsnh_fixture_send (f, LEFT, WRIST, n, TRUE);
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (8000);
  }
  wait_count (f, "hand_skeleton", sent);
  acq_harness_stop (f->harness);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "two_senders"), ==, 1);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "two_senders_over"), ==, 1);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "sender_restart"), <=, 2);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "source_changed"), <=, 2);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "restart"), <=, 4);
  /* 999 changes from one to the other, and none is left out of the counters. */
  g_assert_nonnull (
      strstr (fsnh_fixture_wait_event (f, "counters")->details, "\"sender_restart\":1000"));
}

/* While the reader cannot count, the kernel drops: and that is counted. */
static void
test_kernel_drops (void)
{
  g_autoptr (FsnhFixture) f =
      fsnh_fixture_new (NULL, (const char *[]){ "receive-buffer", "16384", NULL });
  AcqPort *port;
  gint64 until = g_get_monotonic_time () + 10 * G_TIME_SPAN_SECOND;
  guint64 drops = 0, packets = 0;

  fsnh_fixture_start (f);
  port = acq_source_get_port (ACQ_SOURCE (acq_harness_get_node (f->harness)));
  acq_port_lock (port);
  for (guint32 i = 0; i < 500; i++)
    fsnh_fixture_send (f, LEFT, WRIST, i, TRUE);
  acq_port_unlock (port);
  while (packets + drops < 500) {
    g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (f->harness);

    drops = acq_snapshot_find_port (snapshot, f->port)->kernel_drops;
    packets = acq_snapshot_find_port (snapshot, f->port)->packets;
    g_assert_cmpint (g_get_monotonic_time (), <, until);
  }
  g_assert_cmpuint (packets + drops, ==, 500);
  g_assert_cmpuint (drops, >, 100);
  g_assert_nonnull (strstr (fsnh_fixture_wait_event (f, "kernel_drops")->message, "dropped"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fsnh/events/constants", test_constants);
  g_test_add_func ("/fsnh/events/damaged", test_damaged);
  g_test_add_func ("/fsnh/events/changes", test_changes);
  g_test_add_func ("/fsnh/events/quiet", test_quiet);
  g_test_add_func ("/fsnh/events/stopped", test_stopped);
  g_test_add_func ("/fsnh/events/two-senders", test_two_senders);
  g_test_add_func ("/fsnh/events/kernel-drops", test_kernel_drops);
  return g_test_run ();
}
