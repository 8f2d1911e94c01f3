/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

#include "wuji-abi.h"

/*
 * Names and numbers of joints.
 *
 * A hand of the second generation numbers its nodes from 1: on each finger's bus
 * four motors and then a slot for the tactile sensor. So motors have 1..4, 6..9,
 * 11..14, 16..19 and 21..24. (The SDK's joint_id_from_bus_node is documented as
 * counting from 0, which real frames contradict: it is not used.)
 */

/* (nid-1) - (nid-1)/5, or -1 for a number that is not a motor. */
int wuji_joint_from_nid (guint nid);
/* The other way round, or 0. */
guint wuji_nid_from_joint (guint joint);

extern const char *const wuji_finger_names[WUJI_FINGERS + 1];
/* What the SDK calls the fields of a skeleton, in their order. */
extern const char *const wuji_skeleton_names[WUJI_SKELETON_JOINTS + 1];
/* Five for each finger; the fifth of all but the thumb is unused. */
extern const char *const wuji_angle_names[WUJI_FINGERS * WUJI_FINGER_ANGLES + 1];
/* By flat index, without a side: `thumb_cmc_flex` …, as in the vendor's robot model. */
extern const char *const wuji_hand2_joint_names[WUJI_HAND_JOINTS + 1];
/* By flat index, without a side: `finger1_joint1` … */
extern const char *const wuji_hand_joint_names[WUJI_HAND_JOINTS + 1];
/* Parent of each joint of a skeleton; -1 for the wrist. */
extern const gint8 wuji_skeleton_parents[WUJI_SKELETON_JOINTS];
