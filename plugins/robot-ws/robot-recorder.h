/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "robot-decode.h"
#include "robot-session.h"

/*
 * The streams of a robot, and how its messages become frames on them. Lives as long as the node;
 * all calls come from the source's thread.
 */

typedef enum {
  ROBOT_STREAM_STATE,
  ROBOT_STREAM_IMU,
  ROBOT_STREAM_LUX,
  ROBOT_STREAM_MOTION,
  ROBOT_STREAM_SPEED,
  ROBOT_STREAM_JOINTS,
  ROBOT_STREAM_BATTERY_1,
  ROBOT_STREAM_BATTERY_2,
  ROBOT_STREAM_FAULTS,
  ROBOT_STREAM_CONTROL,
  ROBOT_STREAM_LINK,
  ROBOT_STREAM_RAW,
  ROBOT_N_STREAMS,
} RobotStream;

extern const AcqStreamTemplate robot_stream_templates[ROBOT_N_STREAMS + 1];

/* A clock of the robot, and how to see that it stepped. */
typedef struct {
  AcqClock *clock;
  gint64 delta_ns; /* device minus host at the last message; 0: none yet */
} RobotClock;

typedef struct {
  AcqSource *source;                   /* (unowned) */
  AcqStream *streams[ROBOT_N_STREAMS]; /* NULL: not wanted, or not declared yet */
  RobotClock head_clock, motion_clock;
  double speed_hz;
  char *joint_prefix; /* (nullable): the node's id and a line below */
  char *peer;
  RobotHandshakeReply robot;

  RobotJoints joints;
  guint32 names_mapped;             /* joints.names_changed at the last mapping */
  guint n_joints;                   /* of the stream */
  char (*joint_names)[32];          /* as the robot says them, in the order of the stream */
  gint8 joint_of[ROBOT_MAX_JOINTS]; /* place in the message → place in the stream, or -1 */

  guint32 told_flaws[ROBOT_N_STREAMS]; /* kinds of flaws that were told */
} RobotRecorder;

void robot_recorder_init (RobotRecorder *self, AcqSource *source);
void robot_recorder_clear (RobotRecorder *self);

/* Whether a stream needs message 1008. */
gboolean robot_recorder_wants (RobotRecorder *self, RobotSensor sensor);

/* Declares the streams that are wanted; joint_states waits for the first names. */
void robot_recorder_declare (RobotRecorder *self, const RobotHandshakeReply *robot);

/* A new connection to `peer`. */
void robot_recorder_restart (RobotRecorder *self, const char *peer);

/*
 * Records the telemetry that the decoder just read. `ret_source` is the ctrl_source of message
 * 1004 and untouched for others. Returns why the message was rejected after all.
 */
RobotReject robot_recorder_telemetry (RobotRecorder *self, RobotDecoder *decoder, gint64 host_ns,
                                      guint32 frame_flags, gint32 *ret_source);

/* `decoder` is that of the message behind it, or NULL. */
void robot_recorder_control (RobotRecorder *self, const RobotAction *action, gint32 own_class,
                             RobotDecoder *decoder);
void robot_recorder_link (RobotRecorder *self, const AcqRobotLink *link);

/* The unit as it came, when `raw` is wanted. */
void robot_recorder_raw (RobotRecorder *self, const guint8 *bytes, gsize size, gsize length,
                         const char *reason, gint64 host_ns, guint32 frame_flags);
