/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "wuji-api.h"
#include "wuji-canary.h"
#include "wuji-sequence.h"

/*
 * A feed is one subscription and the stream that it becomes.
 *
 * The SDK calls back on a thread of its own for each subscription, one call at a time. That
 * thread checks a frame, copies it into a pooled message and pushes it; it never blocks and
 * never calls a device. Everything else (opening, closing, looking after it, opening it
 * again) happens on the source's thread.
 */

typedef struct _WujiSession WujiSession;
typedef struct _WujiFeed WujiFeed;

typedef enum {
  WUJI_STREAM_QUIET = 1 << 0,  /* silence is no sign of anything */
  WUJI_STREAM_GLOBAL = 1 << 1, /* subscribed without a device */
  WUJI_STREAM_SHAPED = 1 << 2, /* declared when its first frame tells how long it is */
} WujiStreamFlags;

/* What one frame says of itself. */
typedef struct {
  guint32 seq;
  guint64 device_ns; /* ACQ_TIME_NONE: nothing */
} WujiStamp;

typedef struct {
  const char *name;  /* ours */
  const char *topic; /* the vendor's */
  const AcqSchema *schema;
  guint sub;     /* WujiSubId */
  guint element; /* which finger or place, where one function serves several */
  WujiFeature feature;
  double rate_hz;
  guint flags;
  WujiCanary canary;
  /* Shapes and adds the stream; frame is NULL unless WUJI_STREAM_SHAPED. */
  AcqStream *(*declare) (WujiFeed *feed, const void *frame);
  /* NULL: every frame that passes its canary fits. Else why it does not fit the stream. */
  const char *(*fits) (WujiFeed *feed, const void *frame);
  /* NULL: a frame is one message. Else how many; `part` of the feed says which is made. */
  guint (*parts) (const void *frame);
  /* NULL: the frame begins with a WujiFrameHeader. */
  WujiStamp (*stamp) (WujiFeed *feed, const void *frame);
  /* Makes a message and fills it. NULL: it is counted as a repeat. */
  AcqFrame *(*fill) (WujiFeed *feed, const void *frame);
} WujiStreamDef;

typedef enum {
  WUJI_FEED_RUNNING,
  WUJI_FEED_ENDED,
  WUJI_FEED_FAILED,
  WUJI_FEED_REFUSED, /* its first frame did not pass */
} WujiFeedState;

struct _WujiFeed {
  WujiSession *session;
  const WujiStreamDef *def;

  /* the source's thread */
  WujiSub *sub;
  gint64 opened_ns;
  gint64 retry_at_ns; /* when an ended one is opened again; 0 is never */
  gint64 retry_pause_ns;
  gint64 silent_since_ns; /* 0 while frames come */
  gboolean told_missing;
  guint granted_hz; /* by wuji_sub_set_rate(), 0 is the device's default */
  gpointer data;    /* the plugin's own, for its functions; g_free()d */

  /* the SDK's thread; the source's while there is no subscription */
  AcqStream *stream;
  guint part;
  gboolean checked;
  gboolean told_rejected;
  WujiSequence sequence;
  AcqClockKind clock_kind; /* of the last stamp; NONE before the first */
  gint64 clock_offset_ns;  /* host minus device of the last frame */
  gint64 lag_told_ns;
  gint64 gap_from_ns; /* host time of the frame before a gap that is not told yet, 0 is none */
  guint64 gap_lost;
  gboolean gap_is_lag;
  gint64 gap_told_ns;

  /* both */
  _Atomic gint64 last_ns; /* host time of the newest frame; 0 before the first */
  _Atomic guint64 n_lag;
  _Atomic int state; /* WujiFeedState */
  char error[256];   /* written before `state` */
};

WujiFeed *wuji_feed_new (WujiSession *session, const WujiStreamDef *def);
void wuji_feed_free (WujiFeed *self);

/* Subscribes; sets the rate that the options ask for. */
gboolean wuji_feed_open (WujiFeed *self, GError **error);
/* Unsubscribes: waits for a callback in flight. */
void wuji_feed_close (WujiFeed *self);

/* Common parts of declare functions: constants, clock, frame id and metadata are filled in. */
AcqStream *wuji_feed_add_stream (WujiFeed *self, AcqStreamInfo *info, const char *vendor_frame);
