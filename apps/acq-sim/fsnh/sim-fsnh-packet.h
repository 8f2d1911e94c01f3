/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim-fsnh-motion.h"

/* The simulator's own writer of FSNH v4 packets. It shares nothing with the plugin that
 * reads them, so that a slip on either side shows. */

#define SIM_FSNH_MAX_PACKET 640
#define SIM_FSNH_MAX_DATAGRAM 1860

/* What a receiver calls a datagram that is broken on purpose. */
typedef enum {
  SIM_FSNH_BAD_LENGTH,
  SIM_FSNH_BAD_MAGIC,
  SIM_FSNH_BAD_VERSION,
  SIM_FSNH_BAD_HAND,
  SIM_FSNH_BAD_JOINT_COUNT,
  SIM_FSNH_LENGTH_JOINT_MISMATCH,
  SIM_FSNH_BAD_QUAT_ORDER,
  SIM_FSNH_RESERVED_STATUS_BITS,
  SIM_FSNH_FOREARM_BIT_ON_21,
  SIM_FSNH_NONFINITE,
  SIM_FSNH_BAD_QUAT_NORM,
  SIM_FSNH_N_DEFECTS,
} SimFsnhDefect;

/* What is odd about a packet that is still valid. */
typedef enum {
  SIM_FSNH_QUAT_NOT_UNIT,
  SIM_FSNH_POSITION_RANGE,
  SIM_FSNH_PALM_ROOT_OFFSET,      /* wrist mode only */
  SIM_FSNH_FOREARM_ROOT_NOT_ZERO, /* forearm mode only */
  SIM_FSNH_COMPONENT_ORDER_SUSPECT,
  SIM_FSNH_N_ODDITIES,
} SimFsnhOddity;

extern const char *const sim_fsnh_defect_names[SIM_FSNH_N_DEFECTS + 1];
extern const char *const sim_fsnh_oddity_names[SIM_FSNH_N_ODDITIES + 1];

/**
 * SimFsnhWriter:
 *
 * The bodies of all packets of the motion, computed once, and the constants of the header.
 */
typedef struct _SimFsnhWriter SimFsnhWriter;

/**
 * SimFsnhHead:
 * @solved: newly solved in this beat
 * @forearm_seen: forearm mode: the forearm was seen in this beat
 *
 * What is in a packet beside the joints, which follow from hand, mode and index.
 */
typedef struct {
  SimFsnhHand hand;
  SimFsnhMode mode;
  guint32 index;
  guint64 timestamp_ns;
  gboolean solved;
  gboolean forearm_seen;
} SimFsnhHead;

/**
 * sim_fsnh_writer_new:
 * @magic: number at offset 0
 * @quat_order: number at offset 20
 *
 * Returns: (transfer full): free with sim_fsnh_writer_free()
 */
SimFsnhWriter *sim_fsnh_writer_new (guint32 magic, guint32 quat_order);
void sim_fsnh_writer_free (SimFsnhWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimFsnhWriter, sim_fsnh_writer_free)

/**
 * sim_fsnh_write:
 * @self: a writer
 * @head: what to say
 * @bytes: where
 *
 * Returns: length of the packet, 612 or 640
 */
gsize sim_fsnh_write (const SimFsnhWriter *self, const SimFsnhHead *head,
                      guint8 bytes[SIM_FSNH_MAX_PACKET]);

/**
 * sim_fsnh_break:
 * @bytes: a valid packet
 * @length: its length
 * @defect: the one rule to break
 * @random: decides where and how
 *
 * Returns: the new length
 */
gsize sim_fsnh_break (guint8 bytes[SIM_FSNH_MAX_DATAGRAM], gsize length, SimFsnhDefect defect,
                      guint64 random);

/**
 * sim_fsnh_make_odd:
 * @bytes: a valid packet
 * @mode: of the packet
 * @oddity: what shall be odd
 *
 * Returns: %FALSE when a packet of this mode cannot have it; then it is untouched
 */
gboolean sim_fsnh_make_odd (guint8 *bytes, SimFsnhMode mode, SimFsnhOddity oddity);
