/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The makers of frames, one for each stream struct. */

#include "standin-private.h"

void sim_fill_tactile (SimFrame *frame, const SimShot *shot);
void sim_fill_tactile_binary (SimFrame *frame, const SimShot *shot);
void sim_fill_tactile_residual (SimFrame *frame, const SimShot *shot);
void sim_fill_zones (SimFrame *frame, const SimShot *shot);
void sim_fill_cloud (SimFrame *frame, const SimShot *shot);
void sim_fill_emf (SimFrame *frame, const SimShot *shot);
void sim_fill_tips (SimFrame *frame, const SimShot *shot);
void sim_fill_angles (SimFrame *frame, const SimShot *shot);
void sim_fill_skeleton (SimFrame *frame, const SimShot *shot);
void sim_fill_imu_raw (SimFrame *frame, const SimShot *shot);
void sim_fill_imu_fused (SimFrame *frame, const SimShot *shot);
void sim_fill_tf (SimFrame *frame, const SimShot *shot);
void sim_fill_tf_static (SimFrame *frame, const SimShot *shot);
void sim_fill_joint_states (SimFrame *frame, const SimShot *shot);
void sim_fill_diagnostics (SimFrame *frame, const SimShot *shot);
void sim_fill_hand2_imu (SimFrame *frame, const SimShot *shot);
void sim_fill_fingertip (SimFrame *frame, const SimShot *shot);
void sim_fill_hand_states (SimFrame *frame, const SimShot *shot);
void sim_fill_board (SimFrame *frame, const SimShot *shot);
void sim_fill_board_status (SimFrame *frame, const SimShot *shot);

/* Shared by them. */
void sim_fill_header (WujiFrameHeader *header, const SimShot *shot, const char *frame_id);
const char *sim_side_letter (const SimDevice *device);
/* n, unless the shot's garbage says another length; never above `capacity`. */
size_t sim_length (const SimShot *shot, size_t n, size_t capacity);
