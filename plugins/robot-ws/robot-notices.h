/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "robot-session.h"

/* What people are told, in words: what happened, and what to do about it. */

/*
 * Why a session ended. `problem` (nullable) is what the transport said; `ret_needs_person` tells
 * whether it will go on like this until somebody does something. (transfer full)
 */
char *robot_describe_end (const RobotAction *end, const char *uri, const char *problem,
                          gboolean *ret_needs_person);

void robot_tell_control (AcqNode *node, const RobotAction *action);
void robot_tell_silent (AcqNode *node, RobotSensor sensor);
void robot_tell_reject (AcqNode *node, RobotReject reject);

/* Tells the counts of flaws and sets them to 0. */
void robot_tell_flaw_counts (AcqNode *node, RobotDecoder *decoder);
