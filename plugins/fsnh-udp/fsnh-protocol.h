/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* FSNH v4: one UDP datagram = the joints of one hand. Pure functions on bytes: no I/O, no
 * allocation, no state; any thread. Little-endian on the wire. */

#define FSNH_HEADER_SIZE 24
#define FSNH_JOINT_SIZE 28
#define FSNH_MAX_JOINTS 22
#define FSNH_WRIST_JOINTS 21   /* joint 0 is the wrist */
#define FSNH_FOREARM_JOINTS 22 /* joint 0 is the forearm, joint 1 the wrist */
#define FSNH_WRIST_SIZE (FSNH_HEADER_SIZE + FSNH_WRIST_JOINTS * FSNH_JOINT_SIZE)     /* 612 */
#define FSNH_FOREARM_SIZE (FSNH_HEADER_SIZE + FSNH_FOREARM_JOINTS * FSNH_JOINT_SIZE) /* 640 */

/* The two constants of the header as the protocol's document gives them. Their names in
 * that document spell other bytes than the numbers, so a device may disagree: they are
 * parameters. Compare them as numbers, never as text. */
#define FSNH_MAGIC 0x464E4853u
#define FSNH_QUAT_ORDER 0x77787A79u

#define FSNH_STATUS_NEW 0x01     /* newly solved; clear: the previous beat again */
#define FSNH_STATUS_FOREARM 0x02 /* 22 joints: the forearm was seen in this beat */

enum {
  FSNH_LEFT = 1,
  FSNH_RIGHT = 2,
};

/**
 * FsnhReason:
 *
 * Why a datagram is not a valid packet, in the order of the rules: the first that fails
 * decides. The two foreign sizes are other products' packets on the same port, not errors.
 */
typedef enum {
  FSNH_VALID,
  FSNH_FOREIGN_FNIM_240,
  FSNH_FOREIGN_PICO_1860,
  FSNH_BAD_LENGTH,
  FSNH_BAD_MAGIC,
  FSNH_BAD_VERSION,
  FSNH_BAD_HAND,
  FSNH_BAD_JOINT_COUNT,
  FSNH_LENGTH_JOINT_MISMATCH,
  FSNH_BAD_QUAT_ORDER,
  FSNH_RESERVED_STATUS_BITS,
  FSNH_FOREARM_BIT_ON_21,
  FSNH_NONFINITE,
  FSNH_BAD_QUAT_NORM,
  FSNH_N_REASONS,
} FsnhReason;

/**
 * FsnhFlags:
 * @FSNH_QUAT_NOT_UNIT: a squared norm is outside 1 ± 0.01
 * @FSNH_PALM_ROOT_OFFSET: 21 joints, and the wrist is more than 0.01 m from the origin
 * @FSNH_FOREARM_ROOT_NOT_ZERO: 22 joints, and joint 0 is not zero and identity within 1e-4
 * @FSNH_POSITION_RANGE: a joint is more than 1.5 m from the root
 * @FSNH_FOREARM_STALE: 22 joints, and the last valid forearm is used again
 * @FSNH_COMPONENT_ORDER_SUSPECT: joint 0 of 22 looks like an identity whose 1 is not in w
 *
 * What is odd about a valid packet. Counted, never a reason to reject.
 */
typedef enum {
  FSNH_QUAT_NOT_UNIT = 1 << 0,
  FSNH_PALM_ROOT_OFFSET = 1 << 1,
  FSNH_FOREARM_ROOT_NOT_ZERO = 1 << 2,
  FSNH_POSITION_RANGE = 1 << 3,
  FSNH_FOREARM_STALE = 1 << 4,
  FSNH_COMPONENT_ORDER_SUSPECT = 1 << 5,
} FsnhFlags;

#define FSNH_N_FLAGS 6

/**
 * FsnhConstants:
 * @magic: what the first four bytes must be
 * @quat_order: what the bytes at offset 20 must be
 *
 * The numbers to accept. Another @quat_order does not change the order of the components.
 */
typedef struct {
  guint32 magic;
  guint32 quat_order;
} FsnhConstants;

/* The documented ones. */
#define FSNH_CONSTANTS ((const FsnhConstants){ FSNH_MAGIC, FSNH_QUAT_ORDER })

/* A joint as on the wire: metres, unit quaternion with w first. */
typedef struct {
  float x, y, z;
  float qw, qx, qy, qz;
} FsnhJoint;

/* A joint as stored: metres, unit quaternion with w last. */
typedef struct {
  float px, py, pz;
  float qx, qy, qz, qw;
} FsnhRow;

/**
 * FsnhPacket:
 * @frame_index: sequence number of this hand's solutions
 * @timestamp_ns: the sender's monotonic clock
 * @flags: #FsnhFlags
 * @hand: %FSNH_LEFT or %FSNH_RIGHT
 * @n_joints: 21 or 22
 * @status: %FSNH_STATUS_NEW, %FSNH_STATUS_FOREARM
 * @joints: the first @n_joints are set
 */
typedef struct {
  guint64 timestamp_ns;
  guint32 frame_index;
  guint32 flags;
  guint8 hand;
  guint8 n_joints;
  guint8 status;
  FsnhJoint joints[FSNH_MAX_JOINTS];
} FsnhPacket;

/**
 * FsnhLayout:
 * @FSNH_AS_RECEIVED: the 21 joints from the wrist on, in the packet's own frame
 * @FSNH_WRIST_RELATIVE: the same, moved so that the wrist is zero and identity; 21-joint
 *   packets are that already and stay as they are
 */
typedef enum {
  FSNH_AS_RECEIVED,
  FSNH_WRIST_RELATIVE,
} FsnhLayout;

/**
 * fsnh_packet_parse:
 * @bytes: a datagram
 * @length: its length
 * @constants: the numbers to accept
 * @ret_packet: the packet; undefined unless %FSNH_VALID is returned
 *
 * Returns: %FSNH_VALID, or the first rule that the datagram breaks
 */
FsnhReason fsnh_packet_parse (const guint8 *bytes, gsize length, const FsnhConstants *constants,
                              FsnhPacket *ret_packet);

/**
 * fsnh_packet_rows:
 * @packet: a valid packet
 * @layout: in which frame
 * @ret_rows: wrist, then four joints each from thumb to little finger
 *
 * Reorders the components. Quaternions are neither normalised nor flipped; wrist-relative
 * is computed in double and rounded once.
 */
void fsnh_packet_rows (const FsnhPacket *packet, FsnhLayout layout,
                       FsnhRow ret_rows[FSNH_WRIST_JOINTS]);

/**
 * fsnh_reason_name:
 *
 * Returns: the name in the ledger, like `bad_magic`; `valid` for %FSNH_VALID
 */
const char *fsnh_reason_name (FsnhReason reason);

/**
 * fsnh_reason_is_foreign:
 *
 * Returns: whether it is a known size of another product
 */
gboolean fsnh_reason_is_foreign (FsnhReason reason);

/**
 * fsnh_flag_name:
 * @bit: 0 … %FSNH_N_FLAGS - 1
 *
 * Returns: the name of flag `1 << bit`, like `quat_not_unit`
 */
const char *fsnh_flag_name (guint bit);
