/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-stream.h>

#include "graph/acq-link-private.h"
#include "graph/acq-pool-private.h"

/* The links of a stream: an immutable array, replaced as a whole. */
typedef struct {
  _Atomic int refs;
  guint n;
  AcqLink *links[];
} AcqLinkArray;

AcqLinkArray *acq_link_array_new (AcqLink *const *links, guint n);
void acq_link_array_unref (AcqLinkArray *self);

/* Tails come in size classes: 1, 2, 4 … 64 KiB; above that each frame is its own size. */
#define ACQ_STREAM_N_CLASSES 8

/* Intervals are summed in bins of half a second; the window is the last ten whole ones. */
#define ACQ_STREAM_BIN_NS G_GINT64_CONSTANT (500000000)
#define ACQ_STREAM_N_BINS 12

typedef struct {
  _Atomic gint64 slot;
  _Atomic guint count;
  _Atomic guint n_intervals;
  _Atomic double sum; /* of intervals, seconds */
  _Atomic double sum_sq;
} AcqRateBin;

/* No count was declared for this sequence. */
#define ACQ_COUNT_ANY G_MAXUINT

typedef struct {
  const AcqField *field;
  char *path;
  guint count;
  guint32 offset; /* of the count in the payload */
} AcqDeclaredCount;

struct _AcqStream {
  /* Fixed once published. */
  AcqNode *node; /* (unowned) */
  AcqHostClock *host_clock;
  char *name;
  char *path;
  char *topic;
  char *frame_id;
  AcqStreamInfo info; /* strings point to the fields above */
  AcqTailLayout tail;
  char *tail_shape;
  GArray *counts;       /* of AcqDeclaredCount: every sequence */
  GHashTable *metadata; /* owned text → owned text */
  gpointer user_data;

  /* The pusher's. */
  AcqLinkArray *links;
  guint seen_generation;
  gint64 last_host_ns;
  gint64 last_stamp_ns;
  guint64 counter;
  gboolean count_warned;
  gboolean map_failed; /* inside a mapped take, stamps are host time for now */
  AcqPool *pools[ACQ_STREAM_N_CLASSES + 1];
  guint64 pool_bytes;
  AcqFrame *scratch;

  /* Written by the pusher, read by anybody; each is exact, together they are not a snapshot. */
  _Atomic gboolean published;
  _Atomic gboolean ended;
  _Atomic gboolean mapped; /* written by the graph at the start of a take */
  _Atomic guint64 budget;  /* bytes that the pools may have; written when it is published */
  _Atomic guint64 frames;
  _Atomic guint64 bytes;
  _Atomic guint64 n[ACQ_STREAM_N_COUNTERS];
  _Atomic gint64 first_ns;
  _Atomic gint64 last_ns;
  _Atomic gint64 max_gap_ns;
  AcqRateBin bins[ACQ_STREAM_N_BINS];

  pthread_mutex_t lock;
  AcqLinkArray *current;    /* under lock */
  _Atomic guint generation; /* changes with current */
  AcqFrame *latched;        /* under lock */
};

/* A sequence that is in every message once: of the type, or of structs in it. NULL for others. */
const AcqField *acq_schema_find_sequence (const AcqSchema *schema, const char *path,
                                          guint32 *ret_count_offset);

AcqStream *acq_stream_new (AcqNode *node, AcqHostClock *host_clock, const AcqStreamInfo *info);
void acq_stream_free (AcqStream *self);

/* Graph lock held: gives the pusher another set of links. */
void acq_stream_set_links (AcqStream *self, AcqLink *const *links, guint n);
AcqLinkArray *acq_stream_ref_links (AcqStream *self);

/* Bytes that a typical frame of this stream costs, for budgets. */
gsize acq_stream_frame_bytes (AcqStream *self);

/* Rate and jitter over the window that ends at @now_ns. */
void acq_stream_window (AcqStream *self, gint64 now_ns, double *ret_rate, double *ret_jitter);

/* The graph's side of a first push, see acq-graph.c. */
void acq_graph_publish_stream (AcqGraph *graph, AcqStream *stream);
