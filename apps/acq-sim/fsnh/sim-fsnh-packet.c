/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-fsnh-packet.h"

#include "sim-random.h"

#include <string.h>

/* Offsets in a packet. */
enum {
  AT_MAGIC = 0,
  AT_VERSION = 4,
  AT_HAND = 5,
  AT_JOINT_COUNT = 6,
  AT_STATUS = 7,
  AT_INDEX = 8,
  AT_TIME = 12,
  AT_QUAT_ORDER = 20,
  AT_JOINTS = 24,
  JOINT_SIZE = 28,
  AT_QUATERNION = 12, /* in a joint */
};

struct _SimFsnhWriter {
  guint32 magic;
  guint32 quat_order;
  guint8 bodies[SIM_FSNH_N_HANDS][2][SIM_FSNH_MOTION_PERIOD][22 * JOINT_SIZE];
};

const char *const sim_fsnh_defect_names[] = {
  "bad_length",        "bad_magic",
  "bad_version",       "bad_hand",
  "bad_joint_count",   "length_joint_mismatch",
  "bad_quat_order",    "reserved_status_bits",
  "forearm_bit_on_21", "nonfinite",
  "bad_quat_norm",     NULL,
};

const char *const sim_fsnh_oddity_names[] = {
  "quat_not_unit",         "position_range",          "palm_root_offset",
  "forearm_root_not_zero", "component_order_suspect", NULL,
};

/* Least significant byte first, whatever machine this is. */
static void
put (guint8 *bytes, guint64 value, guint n)
{
  for (guint i = 0; i < n; i++)
    bytes[i] = (guint8) (value >> (8 * i));
}

static void
put_float (guint8 *bytes, float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  put (bytes, bits, 4);
}

static void
put_body (guint8 *bytes, SimFsnhHand hand, SimFsnhMode mode, guint32 index)
{
  SimFsnhJoint joints[SIM_FSNH_MAX_JOINTS];
  guint n = sim_fsnh_motion (hand, mode, index, joints);

  for (guint i = 0; i < n; i++, bytes += JOINT_SIZE) {
    put_float (bytes, joints[i].x);
    put_float (bytes + 4, joints[i].y);
    put_float (bytes + 8, joints[i].z);
    put_float (bytes + 12, joints[i].qw);
    put_float (bytes + 16, joints[i].qx);
    put_float (bytes + 20, joints[i].qy);
    put_float (bytes + 24, joints[i].qz);
  }
}

SimFsnhWriter *
sim_fsnh_writer_new (guint32 magic, guint32 quat_order)
{
  SimFsnhWriter *self = g_new (SimFsnhWriter, 1);

  self->magic = magic;
  self->quat_order = quat_order;
  for (guint hand = 0; hand < SIM_FSNH_N_HANDS; hand++)
    for (guint mode = 0; mode < 2; mode++)
      for (guint i = 0; i < SIM_FSNH_MOTION_PERIOD; i++)
        put_body (self->bodies[hand][mode][i], hand, mode, i);
  return self;
}

void
sim_fsnh_writer_free (SimFsnhWriter *self)
{
  g_free (self);
}

gsize
sim_fsnh_write (const SimFsnhWriter *self, const SimFsnhHead *head,
                guint8 bytes[SIM_FSNH_MAX_PACKET])
{
  gboolean forearm = head->mode == SIM_FSNH_FOREARM;
  guint8 joint_count = forearm ? 22 : 21;
  gsize body = joint_count * (gsize) JOINT_SIZE;

  put (bytes + AT_MAGIC, self->magic, 4);
  bytes[AT_VERSION] = 4;
  bytes[AT_HAND] = head->hand == SIM_FSNH_LEFT ? 1 : 2;
  bytes[AT_JOINT_COUNT] = joint_count;
  bytes[AT_STATUS] = (head->solved ? 1 : 0) | (forearm && head->forearm_seen ? 2 : 0);
  put (bytes + AT_INDEX, head->index, 4);
  put (bytes + AT_TIME, head->timestamp_ns, 8);
  put (bytes + AT_QUAT_ORDER, self->quat_order, 4);
  memcpy (bytes + AT_JOINTS,
          self->bodies[head->hand][head->mode][head->index % SIM_FSNH_MOTION_PERIOD], body);
  return AT_JOINTS + body;
}

/* Any byte but the two that would be right. */
static guint8
other_byte (guint64 random, guint8 right, guint8 also_right)
{
  guint8 value = (guint8) (random >> 8);

  while (value == right || value == also_right)
    value++;
  return value;
}

/* Any length but those that mean something. */
static gsize
other_length (guint64 random)
{
  gsize length = sim_random_below (random, 1473);

  while (length == 240 || length == 612 || length == 640)
    length++;
  return length;
}

gsize
sim_fsnh_break (guint8 bytes[SIM_FSNH_MAX_DATAGRAM], gsize length, SimFsnhDefect defect,
                guint64 random)
{
  static const guint32 not_numbers[] = { 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFFFFFFF };
  gsize n_joints = (length - AT_JOINTS) / JOINT_SIZE;
  guint8 *joint = bytes + AT_JOINTS + JOINT_SIZE * sim_random_below (random, (guint32) n_joints);

  switch (defect) {
  case SIM_FSNH_BAD_LENGTH: {
    gsize wanted = other_length (random);

    if (wanted > length)
      sim_random_fill (random, bytes + length, wanted - length);
    return wanted;
  }
  case SIM_FSNH_BAD_MAGIC:
    bytes[AT_MAGIC + random % 4] ^= (guint8) (1 << (random >> 4) % 8);
    return length;
  case SIM_FSNH_BAD_VERSION:
    bytes[AT_VERSION] = other_byte (random, 4, 4);
    return length;
  case SIM_FSNH_BAD_HAND:
    bytes[AT_HAND] = other_byte (random, 1, 2);
    return length;
  case SIM_FSNH_BAD_JOINT_COUNT:
    bytes[AT_JOINT_COUNT] = other_byte (random, 21, 22);
    return length;
  case SIM_FSNH_LENGTH_JOINT_MISMATCH:
    bytes[AT_JOINT_COUNT] = n_joints == 21 ? 22 : 21;
    return length;
  case SIM_FSNH_BAD_QUAT_ORDER:
    bytes[AT_QUAT_ORDER + random % 4] ^= (guint8) (1 << (random >> 4) % 8);
    return length;
  case SIM_FSNH_RESERVED_STATUS_BITS:
    bytes[AT_STATUS] |= (guint8) (4 << random % 6);
    return length;
  case SIM_FSNH_FOREARM_BIT_ON_21:
    bytes[AT_JOINT_COUNT] = 21;
    bytes[AT_STATUS] |= 2;
    return AT_JOINTS + 21 * JOINT_SIZE;
  case SIM_FSNH_NONFINITE:
    put (joint + 4 * (random % 7), not_numbers[(random >> 8) % 4], 4);
    return length;
  case SIM_FSNH_BAD_QUAT_NORM:
    memset (joint + AT_QUATERNION, 0, 16);
    put_float (joint + AT_QUATERNION + 4 * (random % 4), (random >> 8) % 2 ? 2.5f : 0.25f);
    return length;
  case SIM_FSNH_N_DEFECTS:
    break;
  }
  g_assert_not_reached ();
}

gboolean
sim_fsnh_make_odd (guint8 *bytes, SimFsnhMode mode, SimFsnhOddity oddity)
{
  guint8 *root = bytes + AT_JOINTS, *last = root + 20 * JOINT_SIZE;
  gboolean forearm = mode == SIM_FSNH_FOREARM;

  switch (oddity) {
  case SIM_FSNH_QUAT_NOT_UNIT:
    memset (last + AT_QUATERNION, 0, 16);
    put_float (last + AT_QUATERNION, 1.25f);
    return TRUE;
  case SIM_FSNH_POSITION_RANGE:
    put_float (last, 2);
    return TRUE;
  case SIM_FSNH_PALM_ROOT_OFFSET:
    if (!forearm)
      put_float (root, 0.0625f);
    return !forearm;
  case SIM_FSNH_FOREARM_ROOT_NOT_ZERO:
    if (forearm)
      put_float (root, 0.0625f);
    return forearm;
  case SIM_FSNH_COMPONENT_ORDER_SUSPECT:
    if (forearm) { /* an identity written with w last */
      put_float (root + AT_QUATERNION, 0);
      put_float (root + AT_QUATERNION + 12, 1);
    }
    return forearm;
  case SIM_FSNH_N_ODDITIES:
    break;
  }
  g_assert_not_reached ();
}
