/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-joints.h"

#define NODES_PER_BUS 5 /* four motors and the tactile slot */

int
wuji_joint_from_nid (guint nid)
{
  if (nid < 1 || nid >= NODES_PER_BUS * WUJI_FINGERS || nid % NODES_PER_BUS == 0)
    return -1;
  return (int) ((nid - 1) - (nid - 1) / NODES_PER_BUS);
}

guint
wuji_nid_from_joint (guint joint)
{
  if (joint >= WUJI_HAND_JOINTS)
    return 0;
  return joint / 4 * NODES_PER_BUS + joint % 4 + 1;
}

const char *const wuji_finger_names[WUJI_FINGERS + 1] = {
  "thumb", "index", "middle", "ring", "pinky", NULL,
};

/* clang-format off */
const char *const wuji_skeleton_names[WUJI_SKELETON_JOINTS + 1] = {
  "wrist",
  "thumb_cmc", "thumb_mcp", "thumb_ip", "thumb_tip",
  "index_finger_mcp", "index_finger_pip", "index_finger_dip", "index_finger_tip",
  "middle_finger_mcp", "middle_finger_pip", "middle_finger_dip", "middle_finger_tip",
  "ring_finger_mcp", "ring_finger_pip", "ring_finger_dip", "ring_finger_tip",
  "pinky_mcp", "pinky_pip", "pinky_dip", "pinky_tip",
  NULL,
};

const char *const wuji_angle_names[WUJI_FINGERS * WUJI_FINGER_ANGLES + 1] = {
  "thumb_cmc_rotation", "thumb_cmc_flexion", "thumb_cmc_abduction", "thumb_mcp", "thumb_ip",
  "index_mcp_flexion", "index_mcp_abduction", "index_pip", "index_dip", "index_unused",
  "middle_mcp_flexion", "middle_mcp_abduction", "middle_pip", "middle_dip", "middle_unused",
  "ring_mcp_flexion", "ring_mcp_abduction", "ring_pip", "ring_dip", "ring_unused",
  "pinky_mcp_flexion", "pinky_mcp_abduction", "pinky_pip", "pinky_dip", "pinky_unused",
  NULL,
};

const char *const wuji_hand2_joint_names[WUJI_HAND_JOINTS + 1] = {
  "thumb_cmc_flex", "thumb_cmc_abd", "thumb_mcp", "thumb_ip",
  "index_mcp_flex", "index_mcp_abd", "index_pip", "index_dip",
  "middle_mcp_flex", "middle_mcp_abd", "middle_pip", "middle_dip",
  "ring_mcp_flex", "ring_mcp_abd", "ring_pip", "ring_dip",
  "pinky_mcp_flex", "pinky_mcp_abd", "pinky_pip", "pinky_dip",
  NULL,
};

const char *const wuji_hand_joint_names[WUJI_HAND_JOINTS + 1] = {
  "finger1_joint1", "finger1_joint2", "finger1_joint3", "finger1_joint4",
  "finger2_joint1", "finger2_joint2", "finger2_joint3", "finger2_joint4",
  "finger3_joint1", "finger3_joint2", "finger3_joint3", "finger3_joint4",
  "finger4_joint1", "finger4_joint2", "finger4_joint3", "finger4_joint4",
  "finger5_joint1", "finger5_joint2", "finger5_joint3", "finger5_joint4",
  NULL,
};

const gint8 wuji_skeleton_parents[WUJI_SKELETON_JOINTS] = {
  -1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 19,
};
/* clang-format on */
