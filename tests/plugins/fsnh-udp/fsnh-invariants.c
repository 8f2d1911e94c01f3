/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-invariants.h"

#include <math.h>

static void
check_rows (const FsnhPacket *packet)
{
  FsnhRow rows[FSNH_WRIST_JOINTS];

  for (guint layout = FSNH_AS_RECEIVED; layout <= FSNH_WRIST_RELATIVE; layout++) {
    fsnh_packet_rows (packet, layout, rows);
    for (guint i = 0; i < FSNH_WRIST_JOINTS; i++) {
      const FsnhRow *r = &rows[i];
      double norm = (double) r->qx * r->qx + (double) r->qy * r->qy + (double) r->qz * r->qz +
                    (double) r->qw * r->qw;

      g_assert_false (isnan (r->px) || isnan (r->py) || isnan (r->pz));
      g_assert_cmpfloat (norm, >, 0.0624); /* ¼ over 4, in the wrist's frame */
      g_assert_cmpfloat (norm, <, 16.01);
    }
  }
}

static void
check_sequence (FsnhSequence *sequence, const FsnhPacket *packet, const guint8 *bytes)
{
  const FsnhSource source = { .port = bytes[12] & 1u };
  gint64 receive_ns = sequence->last_receive_ns + bytes[13];
  FsnhVerdict verdict = fsnh_sequence_next (sequence, packet, bytes, &source, receive_ns);
  guint64 ledger = 0, classes = 0;

  for (guint i = 0; i < FSNH_N_LEDGER; i++)
    ledger += sequence->ledger[i];
  for (guint i = 0; i < FSNH_N_CLASSES; i++)
    classes += sequence->classes[i];
  g_assert_cmpuint (sequence->accepted, ==, ledger);
  g_assert_cmpuint (sequence->accepted, ==, classes);
  g_assert_cmpint (verdict.ledger, ==, fsnh_class_ledger (verdict.klass));
  g_assert_cmpuint (verdict.lost, <, 100000);
  if (verdict.ledger == FSNH_LEDGER_FRAME)
    g_assert_cmpuint (sequence->last_index, ==, packet->frame_index);
  g_assert_cmpint (sequence->longest_stall_ns, >=, 0);
  g_assert_cmpint (sequence->longest_silence_ns, >=, 0);
}

FsnhReason
fsnh_check_datagram (const guint8 *bytes, gsize length, FsnhSequence sequences[2])
{
  FsnhPacket packet;
  FsnhReason reason = fsnh_packet_parse (bytes, length, &FSNH_CONSTANTS, &packet);

  g_assert_cmpint (reason, >=, FSNH_VALID);
  g_assert_cmpint (reason, <, FSNH_N_REASONS);
  if (reason != FSNH_VALID)
    return reason;
  g_assert_cmpuint (length, ==, FSNH_HEADER_SIZE + packet.n_joints * (gsize) FSNH_JOINT_SIZE);
  check_rows (&packet);
  check_sequence (&sequences[packet.hand == FSNH_RIGHT], &packet, bytes);
  return reason;
}
