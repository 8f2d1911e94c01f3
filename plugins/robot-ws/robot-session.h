/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "robot-decode.h"
#include "robot-request.h"

/*
 * What a passive recorder says to a robot and when, as a machine without sockets: it is told
 * what happened and what time it is, and answers with actions.
 *
 *   connecting --connected--> handshaking --accepted--> running --> ended
 *        |                         |                       |
 *        +-------------------------+---- timeout, refusal, silence, closed, stop, yield
 *
 * One object lives as long as the node, since message numbers go on over connections; each
 * connection begins with robot_session_start(). After every input take all actions with
 * robot_session_next(), then wait for the next input or robot_session_deadline().
 *
 * Times are host time in nanoseconds: the wall clock, but strictly increasing.
 */

#define ROBOT_RESEND_NS (200 * G_GINT64_CONSTANT (1000000))
#define ROBOT_HEARTBEAT_NS (200 * G_GINT64_CONSTANT (1000000))
#define ROBOT_SENSOR_RETRY_NS (3 * G_GINT64_CONSTANT (1000000000))
#define ROBOT_SENSOR_TRIES 4
#define ROBOT_YIELD_LIMIT_NS (600 * G_GINT64_CONSTANT (1000000000))

typedef struct {
  gboolean udp;
  guint32 src;
  gboolean sensors[ROBOT_N_SENSORS]; /* which to ask for; none is the mode state-only */
  guint32 speed_hz;                  /* 1..50, the only rate that a robot lets us choose */
  gboolean yield_ownership;
  gboolean disable_on_stop; /* switch off what we switched on */

  gint64 connect_timeout_ns; /* from start() to the accepted handshake */
  gint64 idle_timeout_ns;    /* without a single byte */
  gint64 retry_ns;           /* before coming back after a lost session */
  gint64 busy_retry_ns;      /* … after "controlled by another" */
  gint64 refused_retry_ns;   /* … after a refusal that will not change by itself */
  gint64 yield_retry_ns;     /* … after we gave back control; doubles up to ten minutes */

  /* Texts of the handshake; owned by the caller. */
  const char *version, *device, *platform, *package_name;
} RobotSessionConfig;

typedef enum {
  ROBOT_SESSION_CONNECTING,
  ROBOT_SESSION_HANDSHAKING,
  ROBOT_SESSION_RUNNING,
  ROBOT_SESSION_ENDED,
} RobotSessionState;

typedef enum {
  ROBOT_ACTION_SEND,    /* encode and send `request` */
  ROBOT_ACTION_READY,   /* the handshake was accepted */
  ROBOT_ACTION_CONTROL, /* tell of `control` */
  ROBOT_ACTION_LINK,    /* tell of `link` */
  ROBOT_ACTION_SILENT,  /* the robot never confirmed `sensor`; we go on without */
  ROBOT_ACTION_END,     /* close, politely or not; `end` says why and when to come back */
} RobotActionKind;

typedef struct {
  RobotActionKind kind;
  union {
    RobotRequest request;
    struct {
      guint8 event; /* ACQ_ROBOT_CONTROL_EVENT_… */
      gint32 source, previous;
    } control;
    AcqRobotLink link;
    RobotSensor sensor;
    struct {
      const char *cause; /* static word for machines */
      gint64 retry_ns;   /* 0: no wish */
      gboolean polite;   /* WebSocket: Close 1000, else drop it. UDP needs nothing more */
      gint32 status;     /* of a refusal, else 0 */
    } end;
  };
} RobotAction;

#define ROBOT_MAX_ACTIONS 32
#define ROBOT_MAX_HEARTBEATS 32

typedef struct {
  gint64 sent_ns; /* 0: free */
  guint64 time_ms;
  guint16 msg_id;
} RobotHeartbeat;

typedef struct {
  gboolean confirmed; /* acknowledged, or its telemetry came */
  gboolean given_up;
  guint tries;
  gint64 next_ns;
} RobotSensorState;

typedef struct {
  const RobotSessionConfig *config;
  RobotSessionState state;
  guint16 msg_id;
  gint64 yield_ns; /* the next back-off after yielding */

  /* Of this connection. */
  gint64 budget_ns;    /* deadline of the handshake */
  gint64 next_send_ns; /* next 1000 or 1001 */
  gint64 last_byte_ns;
  gint32 owner; /* as last reported */
  gboolean owner_known;
  gboolean control_taken; /* 1016 came: no configuration any more */
  RobotSensorState sensors[ROBOT_N_SENSORS];
  RobotHeartbeat beats[ROBOT_MAX_HEARTBEATS];
  guint64 n_beats, n_echoes;

  RobotAction actions[ROBOT_MAX_ACTIONS];
  guint first_action, n_actions;
} RobotSession;

/* `config` must outlive the session and not change while one is open. */
void robot_session_init (RobotSession *self, const RobotSessionConfig *config);

/* ---- inputs ---- */

void robot_session_start (RobotSession *self, gint64 now_ns);
void robot_session_connected (RobotSession *self, gint64 now_ns);
/* Anything came, a ping or junk included; may be told late. */
void robot_session_bytes (RobotSession *self, gint64 now_ns);
void robot_session_handshake (RobotSession *self, const RobotHandshakeReply *reply, gint64 now_ns);
void robot_session_echo (RobotSession *self, guint64 time_ms, guint16 msg_id, gint64 now_ns);
void robot_session_sensor (RobotSession *self, const RobotSensorReply *reply);
void robot_session_telemetry (RobotSession *self, RobotSensor sensor);
void robot_session_owner (RobotSession *self, gint32 control_source, gint64 now_ns);
/* Message 1016 or 1017. */
void robot_session_control (RobotSession *self, RobotType type);
/* The transport failed or was closed; `cause` is a static word. */
void robot_session_closed (RobotSession *self, const char *cause);
/* We do not want this robot; `cause` is a static word. */
void robot_session_leave (RobotSession *self, const char *cause, gint64 retry_ns, gint64 now_ns);
void robot_session_stop (RobotSession *self, gint64 now_ns);
void robot_session_tick (RobotSession *self, gint64 now_ns);

/* ---- outputs ---- */

/* FALSE when there is no further action. */
gboolean robot_session_next (RobotSession *self, RobotAction *ret_action);

/* When to call robot_session_tick() at the latest. */
gint64 robot_session_deadline (const RobotSession *self);
