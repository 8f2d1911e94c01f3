/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-invariants.h"
#include "fsnh-vectors.h"

#include <math.h>
#include <string.h>

static const FsnhConstants documented = { FSNH_MAGIC, FSNH_QUAT_ORDER };

static void
assert_sha256 (const void *bytes, gsize length, const char *wanted)
{
  g_autofree char *found = g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes, length);

  g_assert_cmpstr (found, ==, wanted);
}

static FsnhReason
parse (const guint8 *bytes, gsize length, FsnhPacket *packet)
{
  return fsnh_packet_parse (bytes, length, &documented, packet);
}

static void
test_vectors (void)
{
  for (char id = 'A'; id <= 'Q'; id++) {
    FsnhVector vector;
    FsnhPacket packet;

    fsnh_vector_get (id, &vector);
    assert_sha256 (vector.bytes, vector.length, vector.sha256);
    g_assert_cmpstr (fsnh_reason_name (parse (vector.bytes, vector.length, &packet)), ==,
                     vector.reason);
  }
}

static void
test_decode (void)
{
  static const struct {
    char id;
    guint8 hand, n_joints, status;
    guint32 index;
    guint64 timestamp;
    guint32 flags;
  } cases[] = {
    { 'A', 1, 21, 1, 1, 1000000000, 0 },
    { 'B', 2, 22, 3, 0xFFFFFFFF, G_GUINT64_CONSTANT (0x0123456789ABCDEF), 0 },
    { 'C', 1, 21, 0, 1, 1008333333, 0 },
    { 'Q', 2, 22, 1, 0, G_GUINT64_CONSTANT (0x0123456789ABCDEF) + 8333333, FSNH_FOREARM_STALE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    FsnhVector vector;
    FsnhPacket packet;

    fsnh_vector_get (cases[i].id, &vector);
    g_assert_cmpint (parse (vector.bytes, vector.length, &packet), ==, FSNH_VALID);
    g_assert_cmpuint (packet.hand, ==, cases[i].hand);
    g_assert_cmpuint (packet.n_joints, ==, cases[i].n_joints);
    g_assert_cmpuint (packet.status, ==, cases[i].status);
    g_assert_cmpuint (packet.frame_index, ==, cases[i].index);
    g_assert_cmpuint (packet.timestamp_ns, ==, cases[i].timestamp);
    /* The vectors reach 1.5 m nowhere; every quaternion in them is a unit. */
    g_assert_cmphex (packet.flags, ==, cases[i].flags);
  }
}

static void
test_rows (void)
{
  FsnhRow a[FSNH_WRIST_JOINTS], b[FSNH_WRIST_JOINTS];
  FsnhVector vector;
  FsnhPacket packet;

  fsnh_vector_get ('A', &vector);
  g_assert_cmpint (parse (vector.bytes, vector.length, &packet), ==, FSNH_VALID);
  fsnh_packet_rows (&packet, FSNH_AS_RECEIVED, a);
  assert_sha256 (a, sizeof a, "facaef1d180ac08b948f9f9bb571976f939b1ef9010935d7e831a7937dacbaac");
  fsnh_packet_rows (&packet, FSNH_WRIST_RELATIVE, b);
  g_assert_cmpmem (a, sizeof a, b, sizeof b);

  fsnh_vector_get ('B', &vector);
  g_assert_cmpint (parse (vector.bytes, vector.length, &packet), ==, FSNH_VALID);
  fsnh_packet_rows (&packet, FSNH_AS_RECEIVED, b);
  assert_sha256 (b, sizeof b, "5a87d8dd3e94990ca251c5418ad1e3fd0cff732be5c7b14f187c7e8aa3c821ff");
  /* B is A below its joint 1, so it comes back to A: == because -0 may stand for 0. */
  fsnh_packet_rows (&packet, FSNH_WRIST_RELATIVE, b);
  for (guint i = 0; i < FSNH_WRIST_JOINTS; i++)
    for (guint k = 0; k < 7; k++)
      g_assert_cmpfloat ((&a[i].px)[k], ==, (&b[i].px)[k]);
}

/* A wrist that is no exact unit still becomes zero and identity, and distances stay. */
static void
test_rows_inexact (void)
{
  FsnhRow rows[FSNH_WRIST_JOINTS];
  FsnhVector vector;
  FsnhPacket packet;

  fsnh_vector_get ('B', &vector);
  for (guint k = 0; k < 4; k++)
    fsnh_vector_put_f32 (vector.bytes, 52 + 12 + 4 * k, 0.21f * (float) k + 0.19f);
  g_assert_cmpint (parse (vector.bytes, vector.length, &packet), ==, FSNH_VALID);
  fsnh_packet_rows (&packet, FSNH_WRIST_RELATIVE, rows);
  g_assert_cmpmem (&rows[0], sizeof rows[0], (&(FsnhRow){ .qw = 1 }), sizeof rows[0]);
  for (guint i = 1; i < FSNH_WRIST_JOINTS; i++) {
    const FsnhJoint *j = &packet.joints[i + 1], *wrist = &packet.joints[1];
    double before = hypot (hypot (j->x - wrist->x, j->y - wrist->y), j->z - wrist->z);
    double after = hypot (hypot (rows[i].px, rows[i].py), rows[i].pz);

    g_assert_cmpfloat_with_epsilon (before, after, 1e-6);
  }
}

/* The order of the rules: a datagram that breaks several counts under the first. */
static void
test_order (void)
{
  static const struct {
    gsize length;
    FsnhReason reason;
  } cases[] = {
    { 240, FSNH_FOREIGN_FNIM_240 }, { 1860, FSNH_FOREIGN_PICO_1860 }, { 0, FSNH_BAD_LENGTH },
    { 1, FSNH_BAD_LENGTH },         { 611, FSNH_BAD_LENGTH },         { 668, FSNH_BAD_LENGTH },
    { 612, FSNH_BAD_MAGIC },
  };
  guint8 bytes[FSNH_VECTOR_MAX];
  FsnhPacket packet;
  FsnhVector good;

  memset (bytes, 0xFF, sizeof bytes);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (parse (bytes, cases[i].length, &packet), ==, cases[i].reason);

  /* Mend one rule after the other; what is left is NaN, then 0xFF… is still not a unit. */
  fsnh_vector_get ('A', &good);
  memcpy (bytes, good.bytes, 4);
  g_assert_cmpint (parse (bytes, 612, &packet), ==, FSNH_BAD_VERSION);
  bytes[4] = 4;
  g_assert_cmpint (parse (bytes, 612, &packet), ==, FSNH_BAD_HAND);
  bytes[5] = 2;
  g_assert_cmpint (parse (bytes, 612, &packet), ==, FSNH_BAD_JOINT_COUNT);
  bytes[6] = 22;
  g_assert_cmpint (parse (bytes, 612, &packet), ==, FSNH_LENGTH_JOINT_MISMATCH);
  bytes[6] = 21;
  g_assert_cmpint (parse (bytes, 640, &packet), ==, FSNH_LENGTH_JOINT_MISMATCH);
  g_assert_cmpint (parse (bytes, 612, &packet), ==, FSNH_BAD_QUAT_ORDER);
  memcpy (bytes + 20, good.bytes + 20, 4);
  g_assert_cmpint (parse (bytes, 612, &packet), ==, FSNH_RESERVED_STATUS_BITS);
  bytes[7] = 2;
  g_assert_cmpint (parse (bytes, 612, &packet), ==, FSNH_FOREARM_BIT_ON_21);
  bytes[7] = 1;
  g_assert_cmpint (parse (bytes, 612, &packet), ==, FSNH_NONFINITE);
  memset (bytes + 24, 0, 588);
  g_assert_cmpint (parse (bytes, 612, &packet), ==, FSNH_BAD_QUAT_NORM);
  memcpy (bytes + 24, good.bytes + 24, 588);
  g_assert_cmpint (parse (bytes, 612, &packet), ==, FSNH_VALID);
}

/* Every float of a packet is looked at, whatever kind of not-a-number it holds. */
static void
test_nonfinite (void)
{
  static const guint32 words[] = { 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001 };
  FsnhVector vector;
  FsnhPacket packet;

  for (gsize offset = 24; offset < 640; offset += 4) {
    fsnh_vector_get ('B', &vector);
    fsnh_vector_put_u32 (vector.bytes, offset, words[offset / 4 % G_N_ELEMENTS (words)]);
    g_assert_cmpint (parse (vector.bytes, 640, &packet), ==, FSNH_NONFINITE);
    /* A zero quaternion before or behind does not hide it. */
    memset (vector.bytes + 24 + 28 * 3 + 12, 0, 16);
    if (offset < 120 || offset >= 136)
      g_assert_cmpint (parse (vector.bytes, 640, &packet), ==, FSNH_NONFINITE);
  }
  fsnh_vector_get ('A', &vector);
  fsnh_vector_put_f32 (vector.bytes, 36, 3.4e38f);
  g_assert_cmpint (parse (vector.bytes, 612, &packet), ==, FSNH_BAD_QUAT_NORM);
  fsnh_vector_get ('A', &vector);
  fsnh_vector_put_f32 (vector.bytes, 24 + 28, 3.4e38f);
  g_assert_cmpint (parse (vector.bytes, 612, &packet), ==, FSNH_VALID);
  g_assert_cmphex (packet.flags, ==, FSNH_POSITION_RANGE);
}

static void
test_norms (void)
{
  static const struct {
    float w;
    FsnhReason reason;
    guint32 flags;
  } cases[] = {
    { 0.49999997f, FSNH_BAD_QUAT_NORM, 0 },
    { 0.5f, FSNH_VALID, FSNH_QUAT_NOT_UNIT },
    { -0.5f, FSNH_VALID, FSNH_QUAT_NOT_UNIT },
    { 0.994f, FSNH_VALID, FSNH_QUAT_NOT_UNIT },
    { 0.996f, FSNH_VALID, 0 },
    { -1, FSNH_VALID, 0 },
    { 1.004f, FSNH_VALID, 0 },
    { 1.006f, FSNH_VALID, FSNH_QUAT_NOT_UNIT },
    { 2, FSNH_VALID, FSNH_QUAT_NOT_UNIT },
    { 2.0000002f, FSNH_BAD_QUAT_NORM, 0 },
    { 0, FSNH_BAD_QUAT_NORM, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    FsnhVector vector;
    FsnhPacket packet;

    fsnh_vector_get ('A', &vector);
    fsnh_vector_put_f32 (vector.bytes, 36, cases[i].w);
    g_assert_cmpint (parse (vector.bytes, 612, &packet), ==, cases[i].reason);
    if (cases[i].reason == FSNH_VALID)
      g_assert_cmphex (packet.flags, ==, cases[i].flags);
  }
}

static void
test_flags (void)
{
  static const struct {
    char id;
    gsize offset;
    float value;
    guint32 flags;
  } cases[] = {
    { 'A', 24, 0.0099f, 0 },
    { 'A', 28, 0.0101f, FSNH_PALM_ROOT_OFFSET },
    { 'A', 584, 1.3f, 0 },
    { 'A', 584, -1.5f, FSNH_POSITION_RANGE },
    { 'B', 24, 0.00009f, 0 },
    { 'B', 24, -0.0002f, FSNH_FOREARM_ROOT_NOT_ZERO },
    { 'B', 40, 0.001f, FSNH_FOREARM_ROOT_NOT_ZERO },
    { 'B', 36, -1, 0 },
  };
  FsnhVector vector;
  FsnhPacket packet;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    fsnh_vector_get (cases[i].id, &vector);
    fsnh_vector_put_f32 (vector.bytes, cases[i].offset, cases[i].value);
    g_assert_cmpint (parse (vector.bytes, vector.length, &packet), ==, FSNH_VALID);
    g_assert_cmphex (packet.flags, ==, cases[i].flags);
  }
  for (guint k = 1; k <= 3; k++) {
    fsnh_vector_get ('B', &vector);
    fsnh_vector_put_f32 (vector.bytes, 36, 0);
    fsnh_vector_put_f32 (vector.bytes, 36 + 4 * k, 1);
    g_assert_cmpint (parse (vector.bytes, vector.length, &packet), ==, FSNH_VALID);
    g_assert_cmphex (packet.flags, ==, FSNH_FOREARM_ROOT_NOT_ZERO | FSNH_COMPONENT_ORDER_SUSPECT);
  }
  fsnh_vector_get ('B', &vector);
  vector.bytes[7] = 0;
  g_assert_cmpint (parse (vector.bytes, vector.length, &packet), ==, FSNH_VALID);
  g_assert_cmphex (packet.flags, ==, FSNH_FOREARM_STALE);
}

static void
test_constants (void)
{
  const FsnhConstants spelled = { 0x484E5346, 0x7A797877 };
  FsnhVector vector;
  FsnhPacket packet;

  fsnh_vector_get ('A', &vector);
  memcpy (vector.bytes, "FSNH", 4);
  g_assert_cmpint (fsnh_packet_parse (vector.bytes, 612, &spelled, &packet), ==,
                   FSNH_BAD_QUAT_ORDER);
  memcpy (vector.bytes + 20, "wxyz", 4);
  g_assert_cmpint (fsnh_packet_parse (vector.bytes, 612, &spelled, &packet), ==, FSNH_VALID);
  g_assert_cmpfloat (packet.joints[1].qw, ==, 0.5);
  g_assert_cmpfloat (packet.joints[1].qx, ==, -0.5);
  g_assert_cmpint (parse (vector.bytes, 612, &packet), ==, FSNH_BAD_MAGIC);
}

static void
test_names (void)
{
  for (guint i = 0; i < FSNH_N_REASONS; i++) {
    g_assert_nonnull (fsnh_reason_name (i));
    g_assert_cmpint (fsnh_reason_is_foreign (i), ==,
                     g_str_has_prefix (fsnh_reason_name (i), "foreign_"));
  }
  for (guint i = 0; i < FSNH_N_FLAGS; i++)
    g_assert_nonnull (fsnh_flag_name (i));
}

/* Bytes changed at random: nothing that is impossible comes out. */
static void
test_mutations (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (4);
  FsnhSequence sequences[2] = { 0 };
  guint valid = 0;

  for (guint round = 0; round < 20000; round++) {
    FsnhVector vector;
    guint n = (guint) g_rand_int_range (random, 0, 5);

    fsnh_vector_get ((char) ('A' + g_rand_int_range (random, 0, FSNH_N_VECTORS)), &vector);
    for (guint i = 0; i < n; i++) {
      gsize limit = g_rand_boolean (random) ? FSNH_HEADER_SIZE : vector.length;

      vector.bytes[g_rand_int_range (random, 0, (gint32) limit)] =
          (guint8) g_rand_int_range (random, 0, 256);
    }
    if (g_rand_int_range (random, 0, 10) == 0)
      vector.length = (gsize) g_rand_int_range (random, 0, FSNH_VECTOR_MAX + 1);
    valid += fsnh_check_datagram (vector.bytes, vector.length, sequences) == FSNH_VALID;
  }
  g_assert_cmpuint (valid, >, 2000); /* the mutations still reach the inside */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fsnh/protocol/vectors", test_vectors);
  g_test_add_func ("/fsnh/protocol/decode", test_decode);
  g_test_add_func ("/fsnh/protocol/rows", test_rows);
  g_test_add_func ("/fsnh/protocol/rows-inexact", test_rows_inexact);
  g_test_add_func ("/fsnh/protocol/order", test_order);
  g_test_add_func ("/fsnh/protocol/nonfinite", test_nonfinite);
  g_test_add_func ("/fsnh/protocol/norms", test_norms);
  g_test_add_func ("/fsnh/protocol/flags", test_flags);
  g_test_add_func ("/fsnh/protocol/constants", test_constants);
  g_test_add_func ("/fsnh/protocol/names", test_names);
  g_test_add_func ("/fsnh/protocol/mutations", test_mutations);
  return g_test_run ();
}
