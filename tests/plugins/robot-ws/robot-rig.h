/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-harness.h>
#include <acq/acq.h>
#include <gio/gio.h>
#include <json-glib/json-glib.h>

/* A simulated robot as a process, and the plugin under test in a live harness. */
typedef struct {
  char *directory, *ports_file, *report_file;
  GPid pid;
  guint ws_port, udp_port;
  JsonParser *parser; /* of the report */
  JsonObject *report; /* (unowned): after robot_rig_finish() */
  AcqHarness *harness;
} RobotRig;

/* Starts the simulator; `args` are words for its command line. */
void robot_rig_start (RobotRig *self, const char *args);

/* Makes the node `dog`. Set options on self->harness, then acq_harness_start(). */
void robot_rig_make_node (RobotRig *self, gboolean udp);

/* Stops the node (if any), then the simulator, and reads its report. Returns its exit code. */
int robot_rig_finish (RobotRig *self);
void robot_rig_clear (RobotRig *self);

/* Client number n (from 0) of the report. */
JsonObject *robot_rig_client (RobotRig *self, guint n);

/* A member of a nested object, 0 when it is not there: path like "sent/imu/messages". */
gint64 robot_rig_number (JsonObject *object, const char *path);
