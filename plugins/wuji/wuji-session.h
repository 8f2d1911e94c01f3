/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wuji-feed.h"

/*
 * A session with one device: from loading the library to releasing the device. Plugins have
 * one in their instance, and one WujiStreamDef for each stream; this does the rest: finding
 * the device, checking which hand it is, time, provenance, watching over the streams.
 *
 * Closing keeps the order that the SDK needs: subscriptions, disconnect, release.
 */

typedef enum { WUJI_ATTACH_BRIDGE, WUJI_ATTACH_DIRECT } WujiAttach;

/* Values of the options that all these plugins share; see WUJI_LIBRARY_OPTIONS. */
typedef struct {
  char *library;
  char *accept_version;
  char *serial;
  char *address;
  int side; /* AcqSide */
  int attach;
  char **rates;
  gint64 silence;
  gint64 time_exchanges;
  gboolean user_name;
} WujiOptions;

extern const char *const wuji_side_words[];
extern const char *const wuji_attach_words[];

/* clang-format off */
#define WUJI_LIBRARY_OPTIONS(Struct)                                                               \
  { "library", ACQ_FIELD_STRING (Struct, options.library), .flags = ACQ_OPTION_PATH,               \
    .help = "Path of libwuji_sdk_c.so; without it the environment variable WUJI_SDK_LIBRARY, "     \
            "then the system's libraries" },                                                       \
  { "accept-version", ACQ_FIELD_STRING (Struct, options.accept_version),                           \
    .help = "A release of the library that you vouch for, written as it calls itself; its first "  \
            "frames are then not checked", .flags = ACQ_OPTION_ADVANCED },                         \
  { "user-name", ACQ_FIELD_BOOL (Struct, options.user_name), .def = FALSE,                         \
    .help = "Keep the display name of the SDK user with the recording, not only the id",           \
    .flags = ACQ_OPTION_ADVANCED }

#define WUJI_DEVICE_OPTIONS(Struct)                                                                \
  { "serial", ACQ_FIELD_STRING (Struct, options.serial), .help = "Serial number of the device" },  \
  { "side", ACQ_FIELD_ENUM (Struct, options.side, wuji_side_words), .def = ACQ_SIDE_UNKNOWN,       \
    .help = "Which hand it must be; without a serial number also which one is looked for" },       \
  { "silence", ACQ_FIELD_DURATION (Struct, options.silence), .def = 0.7, .min = 0.1, .max = 60,    \
    .unit = "s", .help = "A device that sends nothing for so long is lost and opened again",       \
    .flags = ACQ_OPTION_ADVANCED }

#define WUJI_NETWORK_OPTIONS(Struct)                                                               \
  { "address", ACQ_FIELD_STRING (Struct, options.address),                                         \
    .help = "Address of the device with its port, in place of the serial number" },                \
  { "attach", ACQ_FIELD_ENUM (Struct, options.attach, wuji_attach_words),                          \
    .def = WUJI_ATTACH_BRIDGE,                                                                     \
    .help = "bridge shares the device with other programs and never displaces one; direct wants "  \
            "it alone" },                                                                          \
  { "rates", ACQ_FIELD_STRV (Struct, options.rates),                                               \
    .help = "Lower rates, for example imu/palm=400; the device grants a division of its own" }
/* clang-format on */

struct _WujiSession {
  /* set by wuji_session_init() */
  AcqSource *source;
  const WujiOptions *options;
  WujiClass device_class;
  const WujiStreamDef *defs;           /* ended by one without a name */
  gpointer owner;                      /* the plugin's instance */
  void (*on_tick) (WujiSession *self); /* (nullable): ten times a second, the source's thread */

  /* while open; written before a feed is opened, then fixed */
  WujiApi api;
  WujiDevice *device;
  char *serial;
  AcqSide side;
  GPtrArray *feeds;
  GSource *tick;
  gint64 opened_ns;
  gboolean seen_down; /* not connected any more when last looked at */
  _Atomic gboolean closing;

  /* for the node's life */
  AcqPort *port;
  AcqClock *clock;
  pthread_mutex_t clock_lock;
  /* under clock_lock */
  AcqClockKind clock_kind; /* NONE: no stamp was seen in this session */
  gint64 stepped_ns;       /* when a step was last told */
  gboolean has_exchange;
  WujiTimeSyncResult exchange; /* the best one */

  _Atomic gboolean told_off;
};

void wuji_session_init (WujiSession *self, gpointer source, const WujiOptions *options,
                        WujiClass device_class, const WujiStreamDef *defs);
void wuji_session_finalize (WujiSession *self);

/* Are the options right together? For the check slot. */
gboolean wuji_session_check (WujiSession *self, GError **error);

/* Loads the library, tells people what is special about it, opens the port. */
gboolean wuji_session_load (WujiSession *self, GError **error);
/* Finds the device and connects, then checks its side. */
gboolean wuji_session_connect (WujiSession *self, GCancellable *cancellable, GError **error);
/* The sides that the device itself reports, beside its serial number; UNKNOWN is none. */
gboolean wuji_session_check_side (WujiSession *self, AcqSide reported, const char *by,
                                  GError **error);
/* Makes the feeds that the option `streams` chooses; wuji_session_start() does it too. */
void wuji_session_add_feeds (WujiSession *self);
/* Subscribes to what the option `streams` chooses, and begins to watch. */
gboolean wuji_session_start (WujiSession *self, GCancellable *cancellable, GError **error);
void wuji_session_close (WujiSession *self);

/* Looks after the streams from now on; part of wuji_session_start(). */
void wuji_session_watch (WujiSession *self);

/* Time exchanges with a glove; records each. */
void wuji_session_exchange_time (WujiSession *self);
/* Which user's hand the solved streams are, as facts. */
void wuji_session_tell_user (WujiSession *self);

/* Calls of the SDK's threads: what a stamp says about the device's clock. */
void wuji_session_see_clock (WujiSession *self, WujiFeed *feed, guint64 device_ns, gint64 host_ns);

/* `<node>_<name>`: unique in a recording. */
char *wuji_session_own_name (WujiSession *self, const char *name);
/* The names of joints with the node's id before each; free with g_strfreev(). */
char **wuji_session_own_names (WujiSession *self, const char *const *names);

/* A line for each device of a kind that can be reached. */
char **wuji_scan_lines (const WujiOptions *options, WujiClass device_class, GError **error);
