/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wuji-session.h"

/* An inertial sensor, of gloves and hands alike. `frame` goes behind the node's id. */
AcqStream *wuji_imu_declare (WujiFeed *feed, const char *frame_id);
AcqFrame *wuji_imu_fill (WujiFeed *feed, const void *frame);
