/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include <acq/acq-graph.h>
#include <acq/acq-host-clock.h>

#include "graph/acq-consumer-private.h"
#include "graph/acq-stream-private.h"

/* The node id of the engine's own streams. */
#define ACQ_ENGINE_NODE_ID "acq"

/* One line of a consumer's inputs. */
typedef struct {
  AcqNode *consumer; /* (unowned) */
  gboolean exclude;
  char *pattern; /* without the `!` */
  AcqQueueConfig queue;
} AcqRule;

typedef enum {
  ACQ_GRAPH_NEW,
  ACQ_GRAPH_STARTING,
  ACQ_GRAPH_RUNNING,
  ACQ_GRAPH_STOPPED,
} AcqGraphPhase;

struct _AcqGraph {
  GObject parent_instance;

  /* Fixed once started. */
  AcqHostClock *clock;
  GPtrArray *sources;    /* of AcqNode, owned */
  GPtrArray *transforms; /* likewise */
  GPtrArray *sinks;      /* likewise */
  GArray *rules;         /* of AcqRule */
  GHashTable *optional;  /* ids of sources that are not required */
  gint64 preroll_ns;
  AcqNode *engine_node;

  /* The main thread. */
  AcqGraphPhase phase;
  AcqTake *take; /* (nullable): the current one */
  GPtrArray *takes;
  GThread *monitor;

  _Atomic gboolean aborted;

  pthread_mutex_t lock;
  /* Under lock: */
  GPtrArray *streams; /* of AcqStream, owned; published or not */
  GPtrArray *ports;   /* of AcqPort, owned */
  GHashTable *facts;
  GPtrArray *attachments; /* of AcqAttachment */

  pthread_mutex_t event_lock; /* comes after a port's lock, before a link's */
  /* Under event_lock: */
  GPtrArray *events; /* of AcqEvent, for acq_graph_pop_events() */
  AcqStream *event_stream;

  /* The monitor's thread. */
  AcqStream *clock_stream;
  AcqStream *ledger_stream;
  gint64 wall_offset_ns;
  gint64 next_second_ns;
  pthread_mutex_t monitor_lock;
  pthread_cond_t monitor_wake; /* CLOCK_MONOTONIC */
  gboolean monitor_stop;       /* under monitor_lock */
};

/* acq-graph.c */
AcqStream *acq_graph_add_stream (AcqGraph *self, AcqNode *node, const AcqStreamInfo *info);
void acq_graph_publish_node (AcqGraph *self, AcqNode *node);
void acq_graph_end_streams (AcqGraph *self, AcqNode *node);
/* Host time of the newest frame of any of its streams; 0 when there is none. */
gint64 acq_graph_last_frame_of (AcqGraph *self, AcqNode *node);
void acq_graph_add_port (AcqGraph *self, AcqPort *port);

/* acq-graph-links.c */
void acq_graph_connect_stream (AcqGraph *self, AcqStream *stream);

/* acq-graph-engine.c: the node `acq`, events, clocks, the ledger as a stream */
void acq_graph_init_engine (AcqGraph *self);
void acq_graph_start_monitor (AcqGraph *self);
void acq_graph_stop_monitor (AcqGraph *self);
/* One look at everything: steps that are overdue, the wall clock, once a second the streams. */
void acq_graph_monitor_tick (AcqGraph *self);
void acq_graph_push_ledger (AcqGraph *self, gboolean final);
void acq_graph_push_clocks (AcqGraph *self);

/* acq-graph-take.c */
void acq_graph_begin_early_take (AcqGraph *self);
void acq_graph_discard_early_take (AcqGraph *self);

/* acq-graph-run.c */
void acq_graph_declare_stuck (AcqGraph *self, AcqNode *node, const char *what);
