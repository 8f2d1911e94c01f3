/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "robot-recorder.h"
#include "robot-session.h"
#include "robot-transport.h"

/*
 * Joins the session, a transport, the decoder and the recorder on one main context. Lives as
 * long as its node; everything happens on the source's thread.
 */
typedef struct {
  AcqSource *source; /* (unowned) */
  RobotAddress address;
  RobotSessionConfig config;
  const char *serial; /* (unowned) (nullable): the only robot that we want */
  RobotSession session;
  RobotDecoder decoder;
  RobotRecorder recorder;
  AcqPort *port;
  guint turn;
  guint32 told_rejects;
  guint64 told_drops;
  const char *told_cause; /* (nullable): of the last refusal that was told */

  /* Of one connection. */
  RobotTransport *transport; /* NULL: none */
  GSource *timer;
  RobotHandshakeReply robot;
  gboolean ready, ended;
  gint64 ready_ns;
  RobotAction end; /* when ended */
  char *problem;   /* (nullable): what the transport said */
} RobotClient;

/* `address` is taken over. Fill config, serial and recorder options, then configure(). */
void robot_client_init (RobotClient *self, AcqSource *source, RobotAddress *address);
void robot_client_configure (RobotClient *self);
void robot_client_clear (RobotClient *self);

/* Begins a connection; self->ready or self->ended tell what became of it. */
void robot_client_connect (RobotClient *self);

/* Whether it is accepted and all streams are declared that can be. */
gboolean robot_client_is_open (RobotClient *self);

/* Why it ended, in words. (transfer full) */
char *robot_client_describe_end (RobotClient *self);

/* Says goodbye, waits a moment for the answer, and forgets the connection. */
void robot_client_disconnect (RobotClient *self);
