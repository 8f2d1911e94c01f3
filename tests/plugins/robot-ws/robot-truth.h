/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

#include "robot/sim-robot-telemetry.h"

/* What each stream must contain, from the simulator's closed form. The owner is the APP. */
typedef struct {
  const char *name; /* of the stream */
  const char *sent; /* of the message in the simulator's report */
  SimRobotStream stream;
  const AcqSchema *schema;
  /* Ends the test unless every value is that of sample k, to the bit. */
  void (*check) (const SimRobotModel *model, gconstpointer payload, guint64 k);
} RobotTruth;

#define ROBOT_N_TRUTHS 8
extern const RobotTruth robot_truths[ROBOT_N_TRUTHS];

/* Which sample has this device time; exactly this. */
guint64 robot_truth_sample (const SimRobotModel *model, SimRobotStream stream, guint64 device_ns);
