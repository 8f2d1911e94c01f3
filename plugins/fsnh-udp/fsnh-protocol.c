/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-protocol.h"

#include <math.h>
#include <string.h>

#define FNIM_SIZE 240
#define PICO_SIZE 1860

G_STATIC_ASSERT (sizeof (FsnhJoint) == FSNH_JOINT_SIZE);
G_STATIC_ASSERT (sizeof (FsnhRow) == FSNH_JOINT_SIZE);
G_STATIC_ASSERT (FSNH_WRIST_SIZE == 612 && FSNH_FOREARM_SIZE == 640);

static const char *const reason_names[FSNH_N_REASONS] = {
  [FSNH_VALID] = "valid",
  [FSNH_FOREIGN_FNIM_240] = "foreign_fnim_240",
  [FSNH_FOREIGN_PICO_1860] = "foreign_pico_1860",
  [FSNH_BAD_LENGTH] = "bad_length",
  [FSNH_BAD_MAGIC] = "bad_magic",
  [FSNH_BAD_VERSION] = "bad_version",
  [FSNH_BAD_HAND] = "bad_hand",
  [FSNH_BAD_JOINT_COUNT] = "bad_joint_count",
  [FSNH_LENGTH_JOINT_MISMATCH] = "length_joint_mismatch",
  [FSNH_BAD_QUAT_ORDER] = "bad_quat_order",
  [FSNH_RESERVED_STATUS_BITS] = "reserved_status_bits",
  [FSNH_FOREARM_BIT_ON_21] = "forearm_bit_on_21",
  [FSNH_NONFINITE] = "nonfinite",
  [FSNH_BAD_QUAT_NORM] = "bad_quat_norm",
};

static const char *const flag_names[FSNH_N_FLAGS] = {
  "quat_not_unit",  "palm_root_offset", "forearm_root_not_zero",
  "position_range", "forearm_stale",    "component_order_suspect",
};

const char *
fsnh_reason_name (FsnhReason reason)
{
  return reason_names[reason];
}

gboolean
fsnh_reason_is_foreign (FsnhReason reason)
{
  return reason == FSNH_FOREIGN_FNIM_240 || reason == FSNH_FOREIGN_PICO_1860;
}

const char *
fsnh_flag_name (guint bit)
{
  return flag_names[bit];
}

/* The header is not aligned in the datagram (the u64 at 12 least of all): copy. */
static guint32
read_u32 (const guint8 *bytes)
{
  guint32 value;

  memcpy (&value, bytes, sizeof value);
  return GUINT32_FROM_LE (value);
}

static guint64
read_u64 (const guint8 *bytes)
{
  guint64 value;

  memcpy (&value, bytes, sizeof value);
  return GUINT64_FROM_LE (value);
}

static void
read_joints (const guint8 *bytes, FsnhPacket *packet)
{
  memcpy (packet->joints, bytes, packet->n_joints * (gsize) FSNH_JOINT_SIZE);
#if G_BYTE_ORDER == G_BIG_ENDIAN
  for (gsize i = 0; i < packet->n_joints * (gsize) 7; i++) {
    guint32 word = read_u32 (bytes + 4 * i);

    memcpy ((guint8 *) packet->joints + 4 * i, &word, sizeof word);
  }
#endif
}

/* Rules 12 and 13, and what else is to be seen in one pass over the joints. The sums hold a
 * NaN or an infinity that is anywhere in the packet, so no test is needed per number. */
static FsnhReason
check_joints (FsnhPacket *packet)
{
  double poison = 0, low = 1, high = 1, far = 0;

  for (guint i = 0; i < packet->n_joints; i++) {
    const FsnhJoint *j = &packet->joints[i];
    double x = j->x, y = j->y, z = j->z;
    double qw = j->qw, qx = j->qx, qy = j->qy, qz = j->qz;
    double distance = x * x + y * y + z * z;
    double norm = qw * qw + qx * qx + qy * qy + qz * qz;

    poison += (distance + norm) * 0;
    low = norm < low ? norm : low;
    high = norm > high ? norm : high;
    far = distance > far ? distance : far;
  }
  if (poison != 0) /* 0 × inf and 0 × NaN are NaN; float squares cannot overflow a double */
    return FSNH_NONFINITE;
  if (low < 0.25 || high > 4)
    return FSNH_BAD_QUAT_NORM;
  if (low < 0.99 || high > 1.01)
    packet->flags |= FSNH_QUAT_NOT_UNIT;
  if (far > 1.5 * 1.5)
    packet->flags |= FSNH_POSITION_RANGE;
  return FSNH_VALID;
}

static gboolean
near (float value, float wanted)
{
  return fabsf (value - wanted) <= 1e-4f;
}

static void
check_root (FsnhPacket *packet)
{
  const FsnhJoint *j = &packet->joints[0];
  double distance = (double) j->x * j->x + (double) j->y * j->y + (double) j->z * j->z;

  if (packet->n_joints == FSNH_WRIST_JOINTS) {
    if (distance > 0.01 * 0.01)
      packet->flags |= FSNH_PALM_ROOT_OFFSET;
    return;
  }
  if ((packet->status & FSNH_STATUS_FOREARM) == 0)
    packet->flags |= FSNH_FOREARM_STALE;
  if (near (j->x, 0) && near (j->y, 0) && near (j->z, 0) && near (fabsf (j->qw), 1) &&
      near (j->qx, 0) && near (j->qy, 0) && near (j->qz, 0))
    return;
  packet->flags |= FSNH_FOREARM_ROOT_NOT_ZERO;
  if (near (j->qw, 0) &&
      (near (fabsf (j->qx), 1) || near (fabsf (j->qy), 1) || near (fabsf (j->qz), 1)))
    packet->flags |= FSNH_COMPONENT_ORDER_SUSPECT;
}

static FsnhReason
check_length (gsize length)
{
  switch (length) {
  case FNIM_SIZE:
    return FSNH_FOREIGN_FNIM_240;
  case PICO_SIZE:
    return FSNH_FOREIGN_PICO_1860;
  case FSNH_WRIST_SIZE:
  case FSNH_FOREARM_SIZE:
    return FSNH_VALID;
  default:
    return FSNH_BAD_LENGTH;
  }
}

static FsnhReason
check_header (const guint8 *bytes, gsize length, const FsnhConstants *constants)
{
  guint8 version = bytes[4], hand = bytes[5], n_joints = bytes[6], status = bytes[7];

  if (read_u32 (bytes) != constants->magic)
    return FSNH_BAD_MAGIC;
  if (version != 4)
    return FSNH_BAD_VERSION;
  if (hand != FSNH_LEFT && hand != FSNH_RIGHT)
    return FSNH_BAD_HAND;
  if (n_joints != FSNH_WRIST_JOINTS && n_joints != FSNH_FOREARM_JOINTS)
    return FSNH_BAD_JOINT_COUNT;
  if (length != FSNH_HEADER_SIZE + n_joints * (gsize) FSNH_JOINT_SIZE)
    return FSNH_LENGTH_JOINT_MISMATCH;
  if (read_u32 (bytes + 20) != constants->quat_order)
    return FSNH_BAD_QUAT_ORDER;
  if ((status & ~(FSNH_STATUS_NEW | FSNH_STATUS_FOREARM)) != 0)
    return FSNH_RESERVED_STATUS_BITS;
  if (n_joints == FSNH_WRIST_JOINTS && (status & FSNH_STATUS_FOREARM) != 0)
    return FSNH_FOREARM_BIT_ON_21;
  return FSNH_VALID;
}

FsnhReason
fsnh_packet_parse (const guint8 *bytes, gsize length, const FsnhConstants *constants,
                   FsnhPacket *ret_packet)
{
  FsnhReason reason = check_length (length);

  if (reason == FSNH_VALID)
    reason = check_header (bytes, length, constants);
  if (reason != FSNH_VALID)
    return reason;

  ret_packet->hand = bytes[5];
  ret_packet->n_joints = bytes[6];
  ret_packet->status = bytes[7];
  ret_packet->frame_index = read_u32 (bytes + 8);
  ret_packet->timestamp_ns = read_u64 (bytes + 12);
  ret_packet->flags = 0;
  read_joints (bytes + FSNH_HEADER_SIZE, ret_packet);
  reason = check_joints (ret_packet);
  if (reason == FSNH_VALID)
    check_root (ret_packet);
  return reason;
}

/* What takes the wrist to zero and identity. */
typedef struct {
  double x, y, z;        /* the wrist's position */
  double iw, ix, iy, iz; /* the inverse of its quaternion */
  double r[3][3];        /* the same as a rotation */
} Wrist;

/* The inverse and not the conjugate, so that a quaternion that is not quite a unit still
 * takes the wrist to the identity. For a unit quaternion they are the same. */
static Wrist
wrist_of (const FsnhJoint *j)
{
  double w = j->qw, x = j->qx, y = j->qy, z = j->qz;
  double norm = w * w + x * x + y * y + z * z, s = 2 / norm;

  return (Wrist){
    .x = j->x,
    .y = j->y,
    .z = j->z,
    .iw = w / norm,
    .ix = -x / norm,
    .iy = -y / norm,
    .iz = -z / norm,
    .r = { { 1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y) },
           { s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x) },
           { s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y) } },
  };
}

static FsnhRow
relative_row (const Wrist *wrist, const FsnhJoint *j)
{
  double x = j->x - wrist->x, y = j->y - wrist->y, z = j->z - wrist->z;
  double iw = wrist->iw, ix = wrist->ix, iy = wrist->iy, iz = wrist->iz;
  double qw = j->qw, qx = j->qx, qy = j->qy, qz = j->qz;
  const double (*r)[3] = wrist->r;

  return (FsnhRow){
    .px = (float) (r[0][0] * x + r[0][1] * y + r[0][2] * z),
    .py = (float) (r[1][0] * x + r[1][1] * y + r[1][2] * z),
    .pz = (float) (r[2][0] * x + r[2][1] * y + r[2][2] * z),
    .qx = (float) (iw * qx + ix * qw + iy * qz - iz * qy),
    .qy = (float) (iw * qy - ix * qz + iy * qw + iz * qx),
    .qz = (float) (iw * qz + ix * qy - iy * qx + iz * qw),
    .qw = (float) (iw * qw - ix * qx - iy * qy - iz * qz),
  };
}

void
fsnh_packet_rows (const FsnhPacket *packet, FsnhLayout layout, FsnhRow ret_rows[FSNH_WRIST_JOINTS])
{
  gboolean forearm = packet->n_joints == FSNH_FOREARM_JOINTS;
  const FsnhJoint *joints = packet->joints + (forearm ? 1 : 0);

  if (forearm && layout == FSNH_WRIST_RELATIVE) {
    Wrist wrist = wrist_of (&joints[0]);

    ret_rows[0] = (FsnhRow){ .qw = 1 }; /* what the sums below give but for rounding */
    for (guint i = 1; i < FSNH_WRIST_JOINTS; i++)
      ret_rows[i] = relative_row (&wrist, &joints[i]);
    return;
  }
  for (guint i = 0; i < FSNH_WRIST_JOINTS; i++) {
    const FsnhJoint *j = &joints[i];

    ret_rows[i] = (FsnhRow){ j->x, j->y, j->z, j->qx, j->qy, j->qz, j->qw };
  }
}
