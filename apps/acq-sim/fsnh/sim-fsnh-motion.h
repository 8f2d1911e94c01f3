/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* The hand that the FSNH simulator moves: a closed form of (hand, mode, frame_index), so
 * that whoever has a recording can compute what must be in it.
 *
 * Only + - * / and sqrt of doubles, in the order written here, rounded to float32 once at
 * the end: IEEE arithmetic gives the same bits in C (without contraction), Python and
 * JavaScript. tests/apps/acq-sim/ has the same as fsnh_motion.py and fsnh-motion.mjs.
 *
 *   wave (n)     k = n mod 256; t = k / 128; u = t where t ≤ 1, else 2 - t;
 *                wave = u × u × (3 - 2 × u): 0 … 1 … 0 in 256 frames, smooth over the wrap
 *   n            frame_index, plus 64 for the right hand
 *
 * Left hand, wrist at the origin, X right, Y forward, Z up, lengths in 1/1024 m:
 *
 *   finger f           thumb      index     middle   ring       little
 *   base x y z         24 28 -8   24 92 0   2 96 2   -18 90 0   -36 82 -4
 *   lengths l1 l2 l3   40 32 28   42 26 20  46 28 22 42 26 22   34 20 18
 *   splay s            -3/8       -1/16     0        1/16       1/8
 *   bends c1 … c4      1/8 1/4 3/8 3/8      others: 1/4 3/4 1 1
 *
 * s and h are tangents of half an angle. Joint j = 1 … 4 of finger f:
 *
 *   h = cj × wave (n + 16 × f)
 *   hh = 1 + h × h; ss = 1 + s × s; N = sqrt (hh × ss)
 *   quaternion w x y z = 1 / N, (0 - h) / N, (0 - s × h) / N, s / N
 *   C = (1 - h × h) / hh; S = (h + h) / hh; A = (1 - s × s) / ss; B = (s + s) / ss
 *   joint 1 is at the base / 1024; joint j + 1 is joint j plus l / 1024 times
 *   (0 - B × C, A × C, 0 - S)
 *
 * Right hand (X left, Y backward, Z up): the mirror image, x, 0 - y, z and
 * w, 0 - x, y, 0 - z.
 *
 * Forearm mode: the same below a moving wrist, then mirrored. Joint 0 is zero and identity.
 *
 *   a = wave (n + 128) / 8; b = wave (n + 32) / 16; V = 1 + a × a + b × b
 *   a position p in the wrist's frame becomes, with g = 2 / V and
 *   t = (b × z × g, 0 - a × z × g, (a × y - b × x) × g):
 *   x + t.x + b × t.z, y + t.y - a × t.z, z + t.z + (a × t.y - b × t.x), and 240 / 1024 is
 *   added to y
 *   a quaternion (w x y z before the division by N) becomes, divided by sqrt (V × (hh × ss)):
 *   w - a × x - b × y, x + a × w + b × z, y - a × z + b × w, z + a × y - b × x
 *   the wrist itself is p = 0 and w x y z = 1 0 0 0 with hh × ss = 1 */

#define SIM_FSNH_MAX_JOINTS 22
#define SIM_FSNH_MOTION_PERIOD 256 /* frames */

typedef enum {
  SIM_FSNH_LEFT,
  SIM_FSNH_RIGHT,
  SIM_FSNH_N_HANDS,
} SimFsnhHand;

typedef enum {
  SIM_FSNH_WRIST,
  SIM_FSNH_FOREARM,
} SimFsnhMode;

/* As on the wire. */
typedef struct {
  float x, y, z;
  float qw, qx, qy, qz;
} SimFsnhJoint;

/**
 * sim_fsnh_motion:
 * @hand: which hand
 * @mode: what the positions are relative to
 * @index: frame_index
 * @ret_joints: the joints of a packet
 *
 * Returns: how many joints: 21, or 22 in forearm mode
 */
guint sim_fsnh_motion (SimFsnhHand hand, SimFsnhMode mode, guint32 index,
                       SimFsnhJoint ret_joints[SIM_FSNH_MAX_JOINTS]);
