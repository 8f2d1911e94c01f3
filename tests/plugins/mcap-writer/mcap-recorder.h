/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/*
 * What mcap-recorder tells its parent about what it pushed, in a shared file,
 * which survives its death.
 */
#define RECORDER_MAX 65536

typedef struct {
  guint64 n_pushed;             /* messages that were pushed for certain */
  gint64 host_ns[RECORDER_MAX]; /* of each */
} RecorderLog;

/* Message @i, from 0: its value. */
#define RECORDER_VALUE(i) ((i) *0.125 - 7)
#define RECORDER_TOPIC "/rig/imu"
