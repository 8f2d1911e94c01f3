/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include "../sim-options.h"
#include "sim-robot-damage.h"
#include "sim-robot-telemetry.h"

/*
 * The simulated robot: one thread, one poll loop. sim-robot.c has the options and the loop,
 * sim-robot-net.c the sockets, sim-robot-hear.c what clients may say, sim-robot-say.c what is said,
 * sim-robot-link.c what happens to all at once, sim-robot-report.c the truth afterwards.
 */

/* A client said something that a passive recorder must never say. */
#define SIM_ROBOT_EXIT_VIOLATION 4

typedef enum {
  SIM_OWNER_NONE,
  SIM_OWNER_APP,
  SIM_OWNER_SDK,
  SIM_OWNER_EXTERNAL,
} SimRobotOwner;

typedef struct {
  guint64 sent;        /* whole and valid */
  guint64 first, last; /* sample numbers, valid when sent > 0 */
} SimRobotSent;

typedef struct {
  guint number; /* from 1, over both transports */
  gboolean udp;
  gboolean gone;
  char *peer;
  gint64 joined_ns, left_ns; /* after the start */

  /* Transport. */
  int fd;                          /* of a WebSocket client */
  struct sockaddr_storage address; /* of a UDP client */
  socklen_t address_length;
  GByteArray *in, *out;
  gboolean upgraded, close_sent, close_received;
  gint close_code;     /* that the client sent; -1 none */
  gint64 upgrade_ns;   /* when to answer a delayed upgrade; 0: no delay */
  gint64 close_due_ns; /* when to give up waiting for an echo */

  /* Session. */
  gboolean greeted; /* the first message was 1000 */
  gboolean accepted, owner, goodbye, taken;
  guint src;
  gboolean enabled[SIM_ROBOT_N_TELEMETRY];
  gint64 last_heard_ns;

  /* Truth. */
  SimRobotSent sent[SIM_ROBOT_N_STREAMS];
  GHashTable *received; /* type → count */
  GHashTable *faults;   /* "stream fault" → count */
  guint64 n_beats;
  gint64 first_beat_ns, last_beat_ns, min_gap_ns, max_gap_ns;
  guint64 pings, bytes_in, bytes_out;
  GPtrArray *violations; /* of text */
} SimRobotClient;

typedef struct {
  gint64 due_ns;
  guint client; /* its number */
  GBytes *bytes;
} SimRobotLater;

typedef struct {
  SimOptions options;
  SimRobotModel model;
  const char *host;
  gint ws_port, udp_port;
  gboolean no_ws, no_udp;
  gboolean observer_streams, allow_control, keep_going, mute_close;
  gint64 client_timeout_ns;
  SimRobotOwner owner;
  SimRobotClient *owner_client; /* NULL: somebody whom we do not see */

  int ws_fd, udp_fd, odd_fd;
  GPtrArray *clients; /* all that ever were */
  GArray *later;      /* SimRobotLater */
  GString *text;      /* of the message at hand */

  gint64 start_ns;
  gint64 zero_ns; /* the first accepted handshake; 0 before it */
  guint64 beats[SIM_ROBOT_N_STREAMS];
  gint64 last_beat_ns[SIM_ROBOT_N_STREAMS];
  gint64 stall_ns, deaf_ns, down_ns; /* until when; 0: not */
  gint64 clock_ms;
  guint16 next_id;
  guint64 n_violations;
} SimRobot;

/* ---- sockets ---- */

gboolean sim_robot_listen (SimRobot *self, GError **error);
void sim_robot_unlisten (SimRobot *self);
/* Waits until something came or the deadline; handles what came. */
void sim_robot_poll (SimRobot *self, gint64 deadline_ns);
/* Sends finished bytes: frames to a WebSocket client, a datagram to the other kind. */
void sim_robot_transmit (SimRobot *self, SimRobotClient *client, const void *bytes, gsize size,
                         gboolean from_odd_port);
/* One byte after the other. */
void sim_robot_trickle (SimRobot *self, SimRobotClient *client, const void *bytes, gsize size);
/* Sends a Close frame (WebSocket), and the connection ends when it was echoed. */
void sim_robot_close (SimRobot *self, SimRobotClient *client, int code);
/* Ends the connection now. */
void sim_robot_hang_up (SimRobot *self, SimRobotClient *client, gboolean reset);
/* Looks after timeouts and delayed answers. Returns when it wants to be called again. */
gint64 sim_robot_check_clients (SimRobot *self, gint64 now_ns);

/* ---- hearing and saying ---- */

/* A whole unit came from a client. */
void sim_robot_hear (SimRobot *self, SimRobotClient *client, const guint8 *bytes, gsize size);
/* Sends self->text as message `beat` of a stream, with whatever the plan has for it. */
void sim_robot_say (SimRobot *self, SimRobotClient *client, guint stream, guint64 beat,
                    gint64 beat_ns, gint64 period_ns, guint16 msg_id);
/* A short message without data to everyone, for example 1016. */
void sim_robot_tell_all (SimRobot *self, guint type);
void sim_robot_violation (SimRobot *self, SimRobotClient *client, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* A client is gone: its ownership too. */
void sim_robot_left (SimRobot *self, SimRobotClient *client);
/* Counts what came from, and what was done to, a client. */
void sim_robot_count_received (SimRobotClient *client, guint type);
void sim_robot_count_fault (SimRobotClient *client, guint stream, const SimFault *fault);

/* ---- what happens to all ---- */

/* Sends what is due. Returns when the next is. */
gint64 sim_robot_run_due (SimRobot *self, gint64 now_ns);
gboolean sim_robot_is_quiet (const SimRobot *self, gint64 now_ns);

/* ---- truth ---- */

gboolean sim_robot_report (SimRobot *self, const char *path, GError **error);
