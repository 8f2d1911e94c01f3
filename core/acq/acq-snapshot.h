/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-graph.h>

/*
 * The ledger, read. Each port is exact at one instant, and each link is exact at
 * one instant; after a stop everything is.
 */

/** AcqCount: a name and a number */
typedef struct {
  const char *name;
  guint64 n;
} AcqCount;

typedef struct {
  char *name;
  char *packets_word;
  guint64 packets;
  guint64 wrong_source;
  guint64 other_hand;
  guint64 kernel_drops;
  GArray *foreign;  /* of AcqCount */
  GArray *rejected; /* of AcqCount */
} AcqPortSnapshot;

typedef struct {
  AcqNode *node;
  const char *id;
  const char *kind; /* source, transform, sink */
  AcqNodeState state;
  char *problem; /* (nullable): why it is lost, stuck or failed */
  char *port;    /* (nullable): name of its port */
  guint64 accepted;
  guint64 reconnects;
  AcqSinkProgress progress; /* sinks */
} AcqNodeSnapshot;

typedef struct {
  const char *sink; /* id of the consumer */
  gboolean is_transform;
  AcqLinkCounters counters;
} AcqLinkSnapshot;

typedef struct {
  AcqStream *stream;
  const char *path; /* node.stream */
  guint64 frames;
  guint64 counters[ACQ_STREAM_N_COUNTERS];
  guint64 bytes;
  gint64 first_ns; /* host time of the first and last frame; 0 when there is none */
  gint64 last_ns;
  double rate_hz;    /* over the last 5 s */
  double jitter_s;   /* standard deviation of the intervals over the last 5 s */
  gint64 max_gap_ns; /* longest interval between two frames so far */
  gboolean ended;
  GArray *links; /* of AcqLinkSnapshot */
} AcqStreamSnapshot;

typedef struct {
  gint64 host_ns;
  GPtrArray *ports;   /* of AcqPortSnapshot */
  GPtrArray *nodes;   /* of AcqNodeSnapshot */
  GPtrArray *streams; /* of AcqStreamSnapshot, engine streams last */
} AcqSnapshot;

/** acq_graph_snapshot: Returns: (transfer full): the ledger now. Thread: any */
ACQ_API AcqSnapshot *acq_graph_snapshot (AcqGraph *self);
ACQ_API void acq_snapshot_free (AcqSnapshot *self);

/**
 * acq_snapshot_to_json:
 * @self: a snapshot
 *
 * Returns: (transfer full): an object with `ports`, `nodes` and `streams` as reports have them
 */
ACQ_API JsonNode *acq_snapshot_to_json (const AcqSnapshot *self);

/**
 * acq_snapshot_balance:
 * @self: a snapshot
 *
 * Returns: (nullable) (transfer full): the first equation that does not hold, in words
 */
ACQ_API char *acq_snapshot_balance (const AcqSnapshot *self);

/** acq_snapshot_find_stream: Returns: (nullable): of a snapshot, by `node.stream` */
ACQ_API const AcqStreamSnapshot *acq_snapshot_find_stream (const AcqSnapshot *self,
                                                           const char *path);
/** acq_snapshot_find_port: Returns: (nullable): by its name; %NULL @name is the only one */
ACQ_API const AcqPortSnapshot *acq_snapshot_find_port (const AcqSnapshot *self, const char *name);
/** acq_counts_get: of a list of causes; 0 when @name is not in it */
ACQ_API guint64 acq_counts_get (const GArray *counts, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqSnapshot, acq_snapshot_free)
