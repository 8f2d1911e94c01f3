/* SPDX-License-Identifier: Apache-2.0 */

/* The plugin with real sockets: what comes out of its streams, what it counts and what it
 * tells. */

#include "fsnh-fixture.h"
#include "fsnh-vectors.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#define LEFT SIM_FSNH_LEFT
#define RIGHT SIM_FSNH_RIGHT
#define WRIST SIM_FSNH_WRIST
#define FOREARM SIM_FSNH_FOREARM

static AcqFrame *
pop (FsnhFixture *f, const char *stream)
{
  AcqFrame *frame;

  g_assert_true (acq_harness_wait_frames (f->harness, stream, 1, 10));
  frame = acq_harness_pop (f->harness, stream);
  g_assert_nonnull (frame);
  return frame;
}

static void
wait_count (FsnhFixture *f, const char *stream, guint n)
{
  g_assert_true (acq_harness_wait_frames (f->harness, stream, n, 10));
  g_assert_cmpuint (acq_harness_count (f->harness, stream), ==, n);
}

static void
assert_row (const AcqPose32 *row, const SimFsnhJoint *joint)
{
  g_assert_cmpfloat (row->position.x, ==, joint->x);
  g_assert_cmpfloat (row->position.y, ==, joint->y);
  g_assert_cmpfloat (row->position.z, ==, joint->z);
  g_assert_cmpfloat (row->orientation.x, ==, joint->qx);
  g_assert_cmpfloat (row->orientation.y, ==, joint->qy);
  g_assert_cmpfloat (row->orientation.z, ==, joint->qz);
  g_assert_cmpfloat (row->orientation.w, ==, joint->qw);
}

static void
assert_message (const AcqFrame *frame, SimFsnhHand hand, SimFsnhMode mode, guint32 index)
{
  const AcqHandSkeleton *msg = (const AcqHandSkeleton *) frame->payload;
  SimFsnhJoint joints[SIM_FSNH_MAX_JOINTS];

  sim_fsnh_motion (hand, mode, index, joints);
  g_assert_cmpuint (msg->side, ==, hand == LEFT ? 1 : 2);
  g_assert_cmpuint (msg->root, ==, mode == WRIST ? 0 : 1);
  g_assert_cmpuint (msg->status, ==, mode == WRIST ? 1 : 3);
  g_assert_cmpuint (msg->n_joints, ==, 21);
  g_assert_cmpuint (msg->n_confidence, ==, 0);
  for (guint i = 0; i < 21; i++)
    assert_row (&msg->joints[i], &joints[i + (mode == FOREARM ? 1 : 0)]);
  g_assert_cmpuint (frame->seq, ==, index);
  g_assert_cmpuint (frame->device_ns, ==, G_GUINT64_CONSTANT (8333333) * (1000 + index));
}

static void
test_values (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, NULL);
  gint64 last_ns = 0;

  fsnh_fixture_start (f);
  for (guint32 i = 0; i < 300; i++) {
    gint64 before_ns = acq_harness_now (f->harness);
    g_autoptr (AcqFrame) frame = NULL;

    fsnh_fixture_send (f, LEFT, i % 2 ? FOREARM : WRIST, i, TRUE);
    g_assert_true (acq_harness_wait_frames (f->harness, "hand_skeleton", i + 1, 10));
    frame = acq_harness_pop (f->harness, "hand_skeleton");
    assert_message (frame, LEFT, i % 2 ? FOREARM : WRIST, i);
    g_assert_cmphex (frame->flags, ==,
                     ACQ_FRAME_DEVICE_TIME | ACQ_FRAME_KERNEL_TIME | ACQ_FRAME_SEQUENCE);
    /* The kernel's time: after we sent, and before we saw it. A microsecond for the offset,
     * which is measured anew for each batch. */
    g_assert_cmpint (frame->host_ns, >=, before_ns - 50000);
    g_assert_cmpint (frame->host_ns, <=, acq_harness_now (f->harness));
    g_assert_cmpint (frame->host_ns, >, last_ns);
    last_ns = frame->host_ns;
  }
}

static void
test_stream (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, (const char *[]){ "rate-hz", "60", NULL });
  g_autoptr (AcqFrame) frame = NULL;
  g_autofree char *kind = NULL, *side = NULL;
  AcqNode *node = acq_harness_get_node (f->harness);
  AcqStream *stream;
  guint count = 0;

  fsnh_fixture_start (f);
  fsnh_fixture_send (f, LEFT, WRIST, 0, TRUE);
  frame = pop (f, "hand_skeleton");
  stream = frame->stream;
  g_assert_cmpstr (acq_stream_get_path (stream), ==, "left_hand.hand_skeleton");
  g_assert_cmpfloat (acq_stream_get_rate (stream), ==, 60);
  g_assert_cmpstr (acq_stream_get_metadata (stream, "side"), ==, "left");
  g_assert_cmpstr (acq_stream_get_metadata (stream, "axes"), ==, "X right, Y forward, Z up");
  g_assert_cmpstr (acq_stream_get_metadata (stream, "layout"), ==, "as-received");
  g_assert_true (acq_stream_get_count (stream, "joints", &count));
  g_assert_cmpuint (count, ==, 21);
  g_assert_cmpint (acq_clock_get_kind (acq_stream_get_clock (stream)), ==, ACQ_CLOCK_MONOTONIC);
  kind = acq_node_get_fact (node, "kind");
  side = acq_node_get_fact (node, "side");
  g_assert_cmpstr (kind, ==, "fsnh");
  g_assert_cmpstr (side, ==, "left");
}

static void
test_wrist_relative (void)
{
  g_autoptr (FsnhFixture) f =
      fsnh_fixture_new (NULL, (const char *[]){ "layout", "wrist-relative", NULL });
  SimFsnhJoint joints[SIM_FSNH_MAX_JOINTS];

  fsnh_fixture_start (f);
  for (guint32 i = 0; i < 100; i++) {
    g_autoptr (AcqFrame) frame = NULL;
    const AcqHandSkeleton *msg;

    fsnh_fixture_send (f, LEFT, FOREARM, i, TRUE);
    g_assert_true (acq_harness_wait_frames (f->harness, "hand_skeleton", i + 1, 10));
    frame = acq_harness_pop (f->harness, "hand_skeleton");
    msg = (const AcqHandSkeleton *) frame->payload;
    sim_fsnh_motion (LEFT, WRIST, i, joints);
    g_assert_cmpuint (msg->root, ==, ACQ_HAND_SKELETON_ROOT_WRIST);
    for (guint k = 0; k < 21; k++) {
      g_assert_cmpfloat_with_epsilon (msg->joints[k].position.x, joints[k].x, 5e-7);
      g_assert_cmpfloat_with_epsilon (msg->joints[k].orientation.w, joints[k].qw, 5e-7);
    }
    g_assert_cmpfloat (msg->joints[0].orientation.w, ==, 1);
  }
}

static void
assert_stream (FsnhFixture *f, const char *path, guint64 frames, guint64 repeats,
               guint64 duplicates, guint64 late, guint64 lost)
{
  g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (f->harness);
  const AcqStreamSnapshot *stream = acq_snapshot_find_stream (snapshot, path);

  g_assert_cmpuint (stream->frames, ==, frames);
  g_assert_cmpuint (stream->counters[ACQ_STREAM_REPEATS], ==, repeats);
  g_assert_cmpuint (stream->counters[ACQ_STREAM_DUPLICATES], ==, duplicates);
  g_assert_cmpuint (stream->counters[ACQ_STREAM_LATE], ==, late);
  g_assert_cmpuint (stream->counters[ACQ_STREAM_LOST], ==, lost);
}

/* The script of the protocol's vectors, through the socket into the ledger. */
static void
test_script (void)
{
  const guint64 second = 1000000000, beat = 8333333;
  const struct {
    guint32 index;
    guint8 status;
    guint64 time;
  } steps[] = {
    { 2, 1, second + 2 * beat }, { 5, 1, second + 5 * beat }, { 5, 1, second + 5 * beat },
    { 4, 1, second + 4 * beat }, { 7, 0, second + 7 * beat }, { 0, 1, 6 * second },
    { 1, 1, 4 * second },
  };
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, NULL);
  FsnhVector vector;
  const AcqEvent *gap;

  fsnh_fixture_start (f);
  fsnh_vector_get ('A', &vector);
  fsnh_fixture_send_bytes (f, vector.bytes, vector.length);
  fsnh_vector_get ('C', &vector);
  fsnh_fixture_send_bytes (f, vector.bytes, vector.length);
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++) {
    vector.bytes[7] = steps[i].status;
    fsnh_vector_put_u32 (vector.bytes, 8, steps[i].index);
    fsnh_vector_put_u64 (vector.bytes, 12, steps[i].time);
    fsnh_fixture_send_bytes (f, vector.bytes, vector.length);
  }
  fsnh_fixture_wait_packets (f, 9);
  assert_stream (f, "left_hand.hand_skeleton", 6, 1, 1, 1, 3);
  gap = fsnh_fixture_wait_event (f, "sequence");
  g_assert_cmpuint (gap->kind, ==, ACQ_EVENT_KIND_GAP);
  g_assert_cmpstr (gap->stream, ==, "hand_skeleton");
  g_assert_cmpint (gap->from_ns, <, gap->to_ns);
  fsnh_fixture_wait_event (f, "sender_restart");
  fsnh_fixture_wait_event (f, "restart");
  acq_harness_stop (f->harness);
  g_assert_cmpuint (acq_harness_count_events (f->harness, "counters"), ==, 1);
}

/* All vectors: each is counted under its reason, and kept by `raw` with it. */
static void
test_raw (void)
{
  g_autoptr (FsnhFixture) f =
      fsnh_fixture_new (NULL, (const char *[]){ "streams", "[\"raw\", \"hand_skeleton\"]", NULL });
  g_autoptr (AcqSnapshot) snapshot = NULL;
  guint8 big[5000] = { 0 };
  guint n = 0;

  fsnh_fixture_start (f);
  for (char id = 'A'; id <= 'Q'; id++) {
    g_autoptr (AcqFrame) frame = NULL;
    const AcqRaw *msg;
    const guint8 *tail;
    gsize size;
    FsnhVector vector;

    fsnh_vector_get (id, &vector);
    fsnh_fixture_send_bytes (f, vector.bytes, vector.length);
    if (id == 'B' || id == 'Q')
      continue; /* right hands, which nobody records */
    wait_count (f, "raw", ++n);
    frame = acq_harness_pop (f->harness, "raw");
    msg = (const AcqRaw *) frame->payload;
    g_assert_cmpstr (msg->reason, ==,
                     g_str_equal (vector.reason, "valid") ? "accepted" : vector.reason);
    g_assert_cmpuint (msg->length, ==, vector.length);
    g_assert_true (g_str_has_prefix (msg->sender, "127."));
    tail = acq_frame_tail (frame, &size);
    g_assert_cmpmem (tail, size, vector.bytes, vector.length);
  }
  fsnh_fixture_send_bytes (f, big, sizeof big);
  {
    g_autoptr (AcqFrame) frame = NULL;
    gsize size;

    wait_count (f, "raw", ++n);
    frame = acq_harness_pop (f->harness, "raw");
    acq_frame_tail (frame, &size);
    g_assert_cmpuint (((const AcqRaw *) frame->payload)->length, ==, sizeof big);
    g_assert_cmpuint (size, ==, 2048);
  }
  fsnh_fixture_wait_packets (f, 18);
  snapshot = acq_harness_snapshot (f->harness);
  {
    const AcqPortSnapshot *port = acq_snapshot_find_port (snapshot, f->port);

    g_assert_cmpuint (port->packets, ==, 18);
    g_assert_cmpuint (port->other_hand, ==, 2);
    g_assert_cmpuint (acq_counts_get (port->rejected, "bad_length"), ==, 3);
    g_assert_cmpuint (acq_counts_get (port->rejected, "nonfinite"), ==, 1);
    g_assert_cmpuint (acq_counts_get (port->foreign, "foreign_fnim_240"), ==, 1);
    g_assert_cmpuint (acq_counts_get (port->foreign, "foreign_pico_1860"), ==, 1);
  }
  g_assert_nonnull (
      strstr (fsnh_fixture_wait_event (f, "bad_version")->message, "53484e460301150101000000"));
  g_assert_nonnull (strstr (fsnh_fixture_wait_event (f, "foreign_fnim_240")->message, "240 bytes"));
}

static void
test_two_hands (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, NULL);

  fsnh_fixture_add (f, "right_hand", (const char *[]){ "side", "right", NULL });
  fsnh_fixture_start (f);
  for (guint32 i = 0; i < 50; i++) {
    fsnh_fixture_send (f, LEFT, WRIST, i, TRUE);
    fsnh_fixture_send (f, RIGHT, FOREARM, i + 7, TRUE);
    fsnh_fixture_send (f, RIGHT, FOREARM, i + 7, FALSE);
  }
  fsnh_fixture_wait_packets (f, 150);
  assert_stream (f, "left_hand.hand_skeleton", 50, 0, 0, 0, 0);
  assert_stream (f, "right_hand.hand_skeleton", 50, 50, 0, 0, 0);
  wait_count (f, "hand_skeleton", 50);
}

static void
test_repeats (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, (const char *[]){ "repeats", "true", NULL });

  fsnh_fixture_start (f);
  fsnh_fixture_send (f, LEFT, WRIST, 5, TRUE);
  fsnh_fixture_send (f, LEFT, WRIST, 5, FALSE);
  wait_count (f, "hand_skeleton", 2);
  assert_stream (f, "left_hand.hand_skeleton", 2, 0, 0, 0, 0);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (AcqFrame) frame = acq_harness_pop (f->harness, "hand_skeleton");

    g_assert_cmpuint (((const AcqHandSkeleton *) frame->payload)->status, ==, 1 - i);
  }
}

static guint64
wrong_source (FsnhFixture *f)
{
  g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (f->harness);

  return acq_snapshot_find_port (snapshot, f->port)->wrong_source;
}

static void
test_allow (void)
{
  static const struct {
    const char *allow;
    gboolean lets_in;
  } cases[] = {
    { "[]", TRUE },
    { "[\"127.0.0.0/8\"]", TRUE },
    { "[\"10.0.0.0/8\"]", FALSE },
    { "[\"10.0.0.1\", \"127.0.0.0/8\"]", TRUE },
    { "[\"::1\"]", FALSE },
    { "[\"127.0.0.1:9\"]", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (FsnhFixture) f =
        fsnh_fixture_new (NULL, (const char *[]){ "allow", cases[i].allow, NULL });

    fsnh_fixture_start (f);
    fsnh_fixture_send (f, LEFT, WRIST, 5, TRUE);
    fsnh_fixture_wait_packets (f, 1);
    assert_stream (f, "left_hand.hand_skeleton", cases[i].lets_in, 0, 0, 0, 0);
    g_assert_cmpuint (wrong_source (f), ==, !cases[i].lets_in);
    if (!cases[i].lets_in)
      fsnh_fixture_wait_event (f, "wrong_source");
  }
}

/* A node that is opened again has the same streams and the same ledger. */
static void
test_reconnect (void)
{
  g_autoptr (FsnhFixture) f =
      fsnh_fixture_new (NULL, (const char *[]){ "retry-min", "0.01", NULL });
  g_autoptr (AcqSnapshot) snapshot = NULL;

  fsnh_fixture_start (f);
  fsnh_fixture_send (f, LEFT, WRIST, 0, TRUE);
  wait_count (f, "hand_skeleton", 1);
  acq_source_lost (ACQ_SOURCE (acq_harness_get_node (f->harness)), "test", "pulled");
  fsnh_fixture_wait_event (f, "reconnected");
  fsnh_fixture_send (f, LEFT, WRIST, 9, TRUE);
  wait_count (f, "hand_skeleton", 2);
  snapshot = acq_harness_snapshot (f->harness);
  g_assert_cmpuint (acq_snapshot_find_port (snapshot, f->port)->packets, ==, 2);
  g_assert_cmpuint (snapshot->ports->len, ==, 1);
}

/* What was sent before the stop is recorded, however soon the stop comes. */
static void
test_stop (void)
{
  g_autoptr (FsnhFixture) f = fsnh_fixture_new (NULL, NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *counters;

  fsnh_fixture_start (f);
  for (guint32 i = 0; i < 150; i++)
    fsnh_fixture_send (f, LEFT, WRIST, i, TRUE);
  acq_harness_stop (f->harness);
  assert_stream (f, "left_hand.hand_skeleton", 150, 0, 0, 0, 0);
  json_parser_load_from_data (parser, acq_harness_find_event (f->harness, "counters")->details, -1,
                              NULL);
  counters = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpint (json_object_get_int_member (counters, "accepted"), ==, 150);
  g_assert_cmpint (json_object_get_int_member (counters, "new"), ==, 149);
  g_assert_cmpint (json_object_get_int_member (counters, "last_index"), ==, 149);
}

static void
test_addresses (gconstpointer data)
{
  g_autoptr (FsnhFixture) f =
      fsnh_fixture_new (data, (const char *[]){ "interface", "lo", "streams", "[\"raw\"]", NULL });
  G_GNUC_UNUSED g_autoptr (GError) error = NULL;
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string (data, 0);
  g_autoptr (GSocket) probe = g_socket_new (g_socket_address_get_family (address),
                                            G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (AcqFrame) frame = NULL;

  if (probe == NULL || !g_socket_bind (probe, address, FALSE, NULL)) {
    g_test_skip ("this machine has no such address");
    return;
  }
  fsnh_fixture_start (f);
  fsnh_fixture_send (f, LEFT, WRIST, 1, TRUE);
  frame = pop (f, "raw");
  g_assert_cmpuint (((const AcqRaw *) frame->payload)->length, ==, 612);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fsnh/udp/values", test_values);
  g_test_add_func ("/fsnh/udp/stream", test_stream);
  g_test_add_func ("/fsnh/udp/wrist-relative", test_wrist_relative);
  g_test_add_func ("/fsnh/udp/script", test_script);
  g_test_add_func ("/fsnh/udp/raw", test_raw);
  g_test_add_func ("/fsnh/udp/two-hands", test_two_hands);
  g_test_add_func ("/fsnh/udp/repeats", test_repeats);
  g_test_add_func ("/fsnh/udp/allow", test_allow);
  g_test_add_func ("/fsnh/udp/reconnect", test_reconnect);
  g_test_add_func ("/fsnh/udp/stop", test_stop);
  g_test_add_data_func ("/fsnh/udp/ipv6", "::1", test_addresses);
  g_test_add_data_func ("/fsnh/udp/multicast", "239.255.77.13", test_addresses);
  return g_test_run ();
}
