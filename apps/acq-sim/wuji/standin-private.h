/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Inside the stand-in for the vendor's library.
 *
 * Three kinds of object:
 *
 *   SimDevice    a device on the table: configuration, clock, counters. Lives as long as
 *                the process; survives disconnects
 *   WujiDevice   a session with one: what wuji_connect() gives
 *   WujiSub      a subscription: a worker thread that makes each frame when it is due
 *
 * There is no producer: frame i of a source is a function of i (standin-motion.h), so every
 * subscription works out the frames for itself, and two of the same stream see the same.
 *
 * Locks, in this order: SimDevice.lock (sessions, subscriptions, clock; that of the global
 * one before a glove's), then sim.lock (counts, memory, report). None is held while a
 * callback runs. Handles are never freed but marked dead, so that a use after release is
 * seen and not undefined. Configuration does not change while a handle is open.
 */

#include <glib.h>
#include <json-glib/json-glib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "standin-abi.h"
#include "standin-motion.h"

#define SIM_MAX_DEVICES 16
#define SIM_MAX_FAULTS 64
#define SIM_MAX_SYNCS 1024
#define SIM_MAX_RUNS 512
#define SIM_MAX_APPLIED 512
#define SIM_NEVER G_MAXINT64

/* What handles begin with. They are never freed. */
#define SIM_DEVICE_ALIVE 0x57444556u
#define SIM_DEVICE_DEAD 0xdeadde5cu
#define SIM_SUB_ALIVE 0x57535542u
#define SIM_SUB_DEAD 0xdeadda7au

typedef enum {
  SIM_GLOVE = 1 << 0,
  SIM_HAND_2 = 1 << 1,
  SIM_HAND = 1 << 2,
  SIM_GLOBAL = 1 << 3, /* tf, tf_static: no device */
} SimKind;

typedef struct _SimDevice SimDevice;
typedef struct _SimStream SimStream;
typedef struct _SimShot SimShot;

/* ---- frames ---- */

/* What a callback gets: the struct, and the blocks it points at. */
typedef struct {
  _Alignas(16) uint8_t body[1024];
  struct {
    uint8_t *bytes;
    size_t size;
  } blocks[8];
  unsigned n_blocks;
} SimFrame;

typedef void (*SimFill) (SimFrame *frame, const SimShot *shot);

/* Filled with garbage, so that what nobody sets cannot be mistaken for something. */
void *sim_frame_alloc (SimFrame *frame, size_t size);
/* Poison and free. */
void sim_frame_destroy (SimFrame *frame);

/* ---- streams ---- */

enum {
  SIM_MAX_SOURCES = 8,
  SIM_MAX_STREAMS = 40,
};

typedef enum {
  SIM_STREAM_RATE = 1 << 0,  /* wuji_sub_set_rate() works */
  SIM_STREAM_MODEL = 1 << 1, /* silent without a trained tactile model */
  SIM_STREAM_CHANGE = 1 << 2 /* the present state, then changes only */
} SimStreamFlags;

struct _SimStream {
  const char *topic;
  SimKind kind;
  unsigned source; /* which counter of the device it follows */
  uint32_t rate_hz;
  uint32_t seq_ahead;
  unsigned flags;
  unsigned element; /* finger, where there are five of them */
  SimFill fill;
};

extern const SimStream sim_streams[];
extern const unsigned sim_n_streams;
/* NULL when that kind of device has no such topic. */
const SimStream *sim_stream_find (SimKind kind, const char *topic);
unsigned sim_stream_index (const SimStream *stream);
/* Bits of the glove's finger IMUs, which no glove is known to have. */
guint64 sim_stream_fingers (void);

/* ---- devices ---- */

/* Every divisor-th index counts, from anchor on, whose sequence number is anchor_seq. */
typedef struct {
  uint64_t anchor;
  uint32_t anchor_seq;
  uint32_t divisor;
} SimGrid;

/* Shared by the subscriptions of every stream that follows it. */
typedef struct {
  uint32_t native_hz;
  SimGrid grid;
  SimGrid before; /* in force below grid.anchor */
  unsigned n_subs;
} SimSource;

typedef enum {
  SIM_SESSION_FREE,
  SIM_SESSION_HELD_BRIDGED, /* another program has it and lets others look */
  SIM_SESSION_HELD_DIRECT,
} SimSession;

typedef struct {
  uint64_t uptime_us; /* in force from here */
  int64_t offset_us;
  int64_t round_trip_us;
  const char *cause;
} SimSync;

/* How the bytes of a fingertip read. */
typedef struct {
  char *format; /* JSON */
  uint32_t digest;
  unsigned points;
} SimFingertip;

struct _SimDevice {
  /* configuration */
  SimKind kind;
  unsigned number;
  char serial[64];
  char address[64];
  char firmware[32];
  char side_text[32];
  char model_path[256];
  char fingertip_unit[16];
  gboolean fingertip_long;       /* more text than the SDK's buffer holds */
  SimFingertip fingertips[2][2]; /* standard or thumb, before or after a change of layout */
  unsigned hardware[3];
  int side;          /* what its frames and serial mean */
  int reported_side; /* what its getter says */
  SimSession session;
  gboolean bridge_transport;
  gboolean trained;
  gboolean board_attached;
  gboolean has_velocity, has_effort;
  double uptime_s;
  double drift_ppm;
  uint32_t seq_start;
  uint32_t offline_joints;
  guint64 silent; /* bit per stream: subscribes fine, never delivers */
  int64_t round_trip_us;
  uint32_t keys[SIM_MAX_STREAMS];

  /* under lock */
  pthread_mutex_t lock;
  SimSource sources[SIM_MAX_SOURCES];
  int64_t boot_ns; /* monotonic time at uptime 0 */
  int64_t first_connect_ns;
  gboolean reachable;
  int64_t back_ns; /* when it can be reached again */
  int64_t taken_until_ns;
  gboolean synced;
  int64_t bias_us; /* what injected steps add up to */
  int64_t next_sync_ns;
  int64_t sync_interval_ns;
  guint n_syncs; /* of all, the last SIM_MAX_SYNCS are kept */
  SimSync syncs[SIM_MAX_SYNCS];
  guint n_connects;
  unsigned n_sessions;
  WujiDevice *sessions; /* all there ever were */
  WujiSub *subs;
  guint fired[SIM_MAX_FAULTS][SIM_MAX_STREAMS];
};

struct WujiDevice {
  uint32_t magic;
  WujiDevice *next;
  SimDevice *device;
  char alias[64];
  /* under the device's lock */
  gboolean connected;
  gboolean silent;   /* the link is dead and nobody noticed */
  WujiFrameKind end; /* what its subscriptions are told once it is not connected */
  const char *end_text;
  unsigned n_calls; /* threads inside a call */
  unsigned n_subs;  /* not yet closed */
};

struct WujiSub {
  uint32_t magic;
  WujiSub *next;
  unsigned number;
  WujiDevice *session; /* NULL for global streams */
  SimDevice *device;
  const SimStream *stream;
  WujiAnySubCallback typed;
  WujiSubCallback raw;
  void *user_data;
  pthread_t thread;
  pthread_cond_t wake;
  /* under the device's lock */
  gboolean stop;
  gboolean finished;
  uint64_t cursors[SIM_MAX_DEVICES]; /* next index; the transforms have one for each glove */
  gboolean begun[SIM_MAX_DEVICES];
  int64_t first_due_ns;
  int last_state; /* of a stream that tells changes only */
  /* the worker's; read by the report under the device's lock */
  guint64 n_ok, n_lag, n_lagged, n_withheld, n_repeats;
  WujiFrameKind terminal;
  struct {
    unsigned device;
    uint32_t first, last, step;
  } runs[SIM_MAX_RUNS];
  guint n_runs;
  gboolean runs_cut;
};

/* ---- faults ---- */

typedef enum {
  /* of a stream, frame by frame */
  SIM_TROUBLE_LAG,
  SIM_TROUBLE_GAP,
  SIM_TROUBLE_STALL,
  SIM_TROUBLE_END,
  SIM_TROUBLE_ERROR,
  SIM_TROUBLE_REPEAT,
  SIM_TROUBLE_REORDER,
  SIM_TROUBLE_GARBAGE,
  /* of a device, at a time */
  SIM_TROUBLE_DISCONNECT,
  SIM_TROUBLE_TAKEOVER,
  SIM_TROUBLE_SYNC_LATE,
  SIM_TROUBLE_SYNC_STEP,
  SIM_TROUBLE_OFFLINE,
  SIM_TROUBLE_CODE,
  SIM_TROUBLE_DIGEST,
  SIM_TROUBLE_BOARD,
  SIM_N_TROUBLES,
} SimTroubleType;

typedef enum {
  SIM_GARBAGE_NONE,
  SIM_GARBAGE_LENGTH,   /* `value` elements, all of them there */
  SIM_GARBAGE_NULL,     /* a length without an array */
  SIM_GARBAGE_NAN,      /* the first number is not one */
  SIM_GARBAGE_HUGE,     /* the first number is 1e30 */
  SIM_GARBAGE_NID,      /* the number of a tactile slot */
  SIM_GARBAGE_TWICE,    /* one joint is there two times */
  SIM_GARBAGE_MISMATCH, /* num_joints is not joints_len */
  SIM_GARBAGE_NAME,     /* a name of control characters without an end */
  SIM_GARBAGE_STAMP,    /* the stamp of an hour ago */
} SimGarbage;

typedef struct {
  SimTroubleType type;
  guint32 devices; /* bit per device */
  guint64 streams; /* bit per stream */
  gboolean by_frame;
  guint64 at_frame;
  guint64 every;
  double chance;
  int64_t at_ns; /* after the device's first connect */
  int64_t for_ns;
  guint64 n;
  guint64 times;
  gboolean again; /* counts anew for each subscription */
  gboolean reboot;
  int64_t value;
  guint joint;
  guint32 mask;
  SimGarbage how;
  WujiFrameKind end;
  gboolean silent;
  char text[128];
} SimTrouble;

typedef struct {
  gboolean skip;
  guint64 lag;
  gboolean repeat;
  gboolean reorder;
  gboolean terminal;
  WujiFrameKind end;
  const char *text;
  SimGarbage how;
  int64_t value;
} SimVerdict;

extern const char *const sim_fault_names[SIM_N_TROUBLES + 1];
extern const char *const sim_garbage_names[];

/* What happens to the frame of an index, which is due `since_ns` after the first connect. */
void sim_faults_judge (WujiSub *sub, uint64_t index, int64_t since_ns, SimVerdict *ret);
/* Device faults whose time has come. With the device's lock. */
void sim_faults_tick (SimDevice *device, int64_t now_ns);
/* The sum of windowed faults at a time. With or without the lock. */
guint32 sim_faults_offline (const SimDevice *device, int64_t since_ns);
uint16_t sim_faults_code (const SimDevice *device, int64_t since_ns, unsigned joint);
gboolean sim_faults_active (const SimDevice *device, SimTroubleType type, int64_t since_ns);

/* One frame to make. */
struct _SimShot {
  const SimDevice *device;
  const SimStream *stream;
  uint32_t key;
  uint32_t seq;
  uint64_t index;
  uint64_t timestamp_us;
  uint64_t uptime_us;
  int64_t since_ns;
  guint32 offline;
  SimGarbage how;
  int64_t value;
};

/* ---- the whole ---- */

typedef struct {
  char name[64]; /* of the function */
  guint32 devices;
  unsigned delay_ms;
  gboolean fails;
  WujiStatus status;
  char text[128];
  gint64 times;
} SimCallFault;

typedef struct {
  char *version; /* NULL: wuji_version() gives NULL */
  unsigned taxel_columns;
  unsigned diagnostics_stride;
  unsigned state_stride;
  unsigned skeleton_stride;
  unsigned discovered_stride;
  guint64 seed;
  char *report;
  gboolean chatter;
  gboolean strict_exit;
  unsigned scan_ms, connect_ms, connect_fail_ms, first_frame_ms;
  unsigned queue;
  unsigned latency_us, jitter_us;
  gboolean sparse_seq;
  char *user_id, *user_name;
  gboolean user_default;
} SimConfig;

typedef struct {
  pthread_mutex_t lock;
  atomic_bool initialised;
  atomic_bool loaded; /* the configuration */
  pid_t pid;
  SimConfig config;
  SimDevice devices[SIM_MAX_DEVICES];
  unsigned n_devices;
  SimDevice global; /* owner of tf and tf_static */
  SimTrouble faults[SIM_MAX_FAULTS];
  atomic_uint n_faults;
  SimCallFault call_faults[SIM_MAX_FAULTS];
  unsigned n_call_faults;
  atomic_uint n_subs;
  GHashTable *calls; /* name → count */
  JsonArray *applied;
  unsigned n_inits;
  unsigned blocking_in_callback;
  unsigned closed_in_callback;
} Sim;

extern Sim sim;

/* Written for each variant: what wuji_version() says unless the configuration knows better. */
extern const char sim_variant_version[];

/* ---- core ---- */

int64_t sim_now_monotonic (void);
int64_t sim_now_real_us (void);
void sim_sleep_ms (unsigned ms);
/* A broken rule: says which, and aborts. */
_Noreturn void sim_misuse (const char *function, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* A line of chatter on descriptor 1, as the vendor's library writes it. */
void sim_chat (const char *level, const char *format, ...) G_GNUC_PRINTF (2, 3);
void sim_set_error (const char *format, ...) G_GNUC_PRINTF (1, 2);

typedef enum {
  SIM_CALL_BLOCKING = 1 << 8,   /* talks to a device: has no place in a callback */
  SIM_CALL_NO_DEVICE = 1 << 9,  /* the device argument is not looked at */
  SIM_CALL_DEAD_LINK = 1 << 10, /* also works on a session that has ended */
  SIM_CALL_ANY_DEVICE = SIM_GLOVE | SIM_HAND_2 | SIM_HAND,
} SimCallFlags;

typedef struct {
  const char *name;
  WujiDevice *session;
  SimDevice *device;
  WujiStatus status; /* what to return when sim_call_begin() says no */
} SimCall;

#define SIM_CALL __attribute__ ((cleanup (sim_call_end))) SimCall

gboolean sim_call_begin (SimCall *call, const char *name, WujiDevice *session, unsigned flags);
void sim_call_end (SimCall *call);
WujiStatus sim_fail (WujiStatus status, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The subscription whose callback runs on this thread. */
extern _Thread_local WujiSub *sim_current_sub;

/* Arrays and texts that the caller has to give back exactly once. */
void *sim_own (const char *kind, size_t size, size_t n);
void sim_disown (const char *function, const char *kind, void *pointer, size_t n);
unsigned sim_count_owned (void);

WujiStatus sim_give_text (const char *text, char *buf, size_t buf_len, size_t *needed);

/* ---- configuration, report ---- */

/* Once per process: the file that the environment names, or the defaults. */
void sim_config_load (void);
/* Replaces everything; no handle may be open. Exits the process on a wrong configuration. */
void sim_config_apply (JsonObject *root);
/* Times of a fault count from `base_ns` after a device's first connect. */
void sim_plan_add_fault (JsonObject *object, int64_t base_ns);
void sim_plan_add_call (JsonObject *object);
SimDevice *sim_device_find (WujiConnectTarget target);

/* Members of a JSON object. What is not asked for is a mistake, and ends the process. */
typedef struct {
  JsonObject *object;
  const char *what; /* for the message: "a device", "a fault" */
  const char *asked[40];
  unsigned n_asked;
} SimReader;

_Noreturn void sim_config_wrong (const char *format, ...) G_GNUC_PRINTF (1, 2);
SimReader sim_reader (JsonObject *object, const char *what);
void sim_reader_finish (SimReader *self);
double sim_read_number (SimReader *self, const char *name, double def);
gboolean sim_read_bool (SimReader *self, const char *name, gboolean def);
const char *sim_read_text (SimReader *self, const char *name, const char *def);
/* The position of a word in a list that %NULL ends. */
unsigned sim_read_choice (SimReader *self, const char *name, const char *const *words,
                          const char *def);
/* Nanoseconds, from a number of seconds or a text such as "500ms". */
int64_t sim_read_duration (SimReader *self, const char *name, int64_t def);
/* Bit per device, by serial or glob. */
guint32 sim_read_devices (SimReader *self, const char *name);
/* Bit per stream, by topic or glob, from a text or an array of them. */
guint64 sim_read_streams (SimReader *self, const char *name, const char *def);
/* Bit per number, from an array. */
guint32 sim_read_bits (SimReader *self, const char *name);
JsonArray *sim_read_array (SimReader *self, const char *name);
JsonObject *sim_read_object (SimReader *self, const char *name);
void sim_report_note (const SimDevice *device, const SimStream *stream, const char *what,
                      uint32_t seq, uint64_t uptime_us);
void sim_report_to (const char *path);
void sim_report_looked_up (JsonBuilder *builder);
void sim_report_reset (void);

/* ---- clock of a device; all with its lock ---- */

uint64_t sim_clock_uptime_us (const SimDevice *device, int64_t monotonic_ns);
int64_t sim_clock_due_ns (const SimDevice *device, uint64_t uptime_us);
uint64_t sim_clock_stamp_us (const SimDevice *device, uint64_t uptime_us);
gboolean sim_clock_sync (SimDevice *device, const char *cause, WujiTimeSyncResult *ret);
void sim_clock_reboot (SimDevice *device, int64_t now_ns);

/* ---- subscriptions ---- */

WujiStatus sim_subscribe (const char *function, WujiDevice *session, const SimStream *stream,
                          WujiAnySubCallback typed, WujiSubCallback raw, void *user_data,
                          WujiSub **out_sub);
/* Ends a session; its subscriptions are told. With the device's lock. */
void sim_session_end (WujiDevice *session, WujiFrameKind end, gboolean silent, const char *text);
void sim_wake_subs (SimDevice *device);

/* ---- fingertips ---- */

/* Makes the device's formats from its configuration. */
void sim_fingertip_prepare (SimDevice *device);
const SimFingertip *sim_fingertip (const SimDevice *device, unsigned finger, int64_t since_ns);
