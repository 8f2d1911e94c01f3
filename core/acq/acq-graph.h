/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-link.h>
#include <acq/acq-port.h>
#include <acq/acq-sink.h>
#include <acq/acq-source.h>
#include <acq/acq-take.h>
#include <acq/acq-transform.h>

/**
 * AcqGraph:
 *
 * Nodes and links; the only owner of threads. Every step is bounded in time; a
 * failing node is named with its cause; what can go on goes on. Thread: main,
 * unless told.
 *
 * Lock order: port < events < graph < consumer < link < waiter. No lock is held across a
 * plugin slot or a vendor call.
 */
#define ACQ_TYPE_GRAPH (acq_graph_get_type ())
ACQ_API GType acq_graph_get_type (void);
G_DECLARE_FINAL_TYPE (AcqGraph, acq_graph, ACQ, GRAPH, GObject)

/** acq_graph_new: @clock: (nullable): host time; %NULL makes one */
ACQ_API AcqGraph *acq_graph_new (AcqHostClock *clock);
ACQ_API AcqHostClock *acq_graph_get_host_clock (AcqGraph *self);

/** acq_graph_add: @node: its id must be free; the graph takes a reference */
ACQ_API gboolean acq_graph_add (AcqGraph *self, AcqNode *node, GError **error);
ACQ_API AcqNode *acq_graph_get_node (AcqGraph *self, const char *id);
/** acq_graph_list_nodes: Returns: (transfer container): sources, transforms, sinks, in order */
ACQ_API GPtrArray *acq_graph_list_nodes (AcqGraph *self);
/** acq_graph_list_streams: Returns: (transfer container): published so far. Thread: any */
ACQ_API GPtrArray *acq_graph_list_streams (AcqGraph *self);

/**
 * acq_graph_connect:
 * @self: a graph that is not started
 * @consumer: a transform or sink in it
 * @pattern: `node`, `node.stream`, globs of both, or `!` and one of these to exclude. Later
 *   patterns win. The engine's own node `acq` matches only when named
 * @queue: (nullable): overrides the consumer's default
 *
 * Connects streams, those to come too.
 */
ACQ_API gboolean acq_graph_connect (AcqGraph *self, AcqNode *consumer, const char *pattern,
                                    const AcqQueueConfig *queue, GError **error);

/** acq_graph_set_required: a source whose failure to open fails the start; the default */
ACQ_API void acq_graph_set_required (AcqGraph *self, const char *source_id, gboolean required);

/** acq_graph_is_required: what acq_graph_set_required() said last. Thread: any, once started */
ACQ_API gboolean acq_graph_is_required (AcqGraph *self, const char *source_id);

/** acq_graph_set_fact: what the `recording` section says; shared by all takes */
ACQ_API void acq_graph_set_fact (AcqGraph *self, const char *key, const char *value);

/** acq_graph_attach: a file of the whole recording, for example the pipeline file */
ACQ_API void acq_graph_attach (AcqGraph *self, const char *name, const char *media_type,
                               GBytes *data);

/**
 * AcqAttachment:
 * @node: (nullable): the node's id, %NULL is the recording as a whole
 */
typedef struct {
  char *node;
  char *name;
  char *media_type;
  GBytes *data;
  gint64 host_ns;
} AcqAttachment;

/**
 * acq_graph_list_attachments:
 * @self: a graph
 * @from: index of the first wanted; the list only grows
 *
 * Returns: (transfer container) (element-type AcqAttachment): from @from on. Thread: any
 */
ACQ_API GPtrArray *acq_graph_list_attachments (AcqGraph *self, guint from);

/**
 * acq_graph_start:
 * @self: a graph
 * @cancellable: (nullable): stops a slow device from holding us
 * @error: why a required source or a sink did not open; all are closed again
 *
 * Opens the sinks, then the transforms, then all sources in parallel, each under
 * a deadline.
 *
 * Returns: %TRUE if frames may flow
 */
ACQ_API gboolean acq_graph_start (AcqGraph *self, GCancellable *cancellable, GError **error);

/**
 * acq_graph_begin_take:
 * @self: a graph
 * @directory: the take's folder is made in it
 * @task: (nullable): last part of the folder's name
 * @at_ns: host time of the cut; 0 is now, or everything when the graph is not started yet
 *
 * Begins a take in all sinks. Frames from @at_ns on belong to it, from the
 * pre-roll too.
 *
 * Returns: (transfer full) (nullable): the take
 */
ACQ_API AcqTake *acq_graph_begin_take (AcqGraph *self, const char *directory, const char *task,
                                       gint64 at_ns, GError **error);

/** acq_graph_end_take: the cut at host time @at_ns, 0 is now. Returns at once */
ACQ_API void acq_graph_end_take (AcqGraph *self, gint64 at_ns);
/** acq_graph_pause: frames from now on are counted as paused */
ACQ_API void acq_graph_pause (AcqGraph *self, gint64 at_ns);
ACQ_API void acq_graph_resume (AcqGraph *self, gint64 at_ns);
/** acq_graph_set_preroll: how much sinks keep while there is no take; before start */
ACQ_API void acq_graph_set_preroll (AcqGraph *self, double seconds);

/**
 * acq_graph_wait_finished:
 * @self: a graph
 * @take: a take that was ended
 * @timeout_s: how long to wait
 *
 * Returns: %FALSE when a finish job is not done by then
 */
ACQ_API gboolean acq_graph_wait_finished (AcqGraph *self, AcqTake *take, double timeout_s);

/**
 * acq_graph_flush:
 * @self: a running graph
 * @timeout_s: bound
 *
 * Waits until everything pushed before the call is settled.
 *
 * Returns: %FALSE at the bound
 */
ACQ_API gboolean acq_graph_flush (AcqGraph *self, double timeout_s);

/**
 * acq_graph_stop:
 * @self: a graph
 * @timeout_s: for all but finish jobs
 *
 * Stops the sources, drains the links, ends the take, finishes the files. Always
 * returns within the bound; who did not stop is named by an event, its thread
 * abandoned, its frames counted. Finish jobs have no bound but that of
 * acq_graph_abort().
 */
ACQ_API void acq_graph_stop (AcqGraph *self, double timeout_s);

/** acq_graph_abort: finish jobs are cancelled too; recoverable files remain. Thread: any */
ACQ_API void acq_graph_abort (AcqGraph *self);

/**
 * acq_graph_get_memory_budget:
 * @self: a graph
 *
 * What the frames of all streams that were published so far may take at most.
 * Thread: any.
 *
 * Returns: bytes
 */
ACQ_API guint64 acq_graph_get_memory_budget (AcqGraph *self);

/**
 * AcqGraphEnd:
 * @ACQ_GRAPH_GOES_ON: sources are running
 * @ACQ_GRAPH_FINISHED: every source came to its natural end
 * @ACQ_GRAPH_NO_SOURCE: no source is left that could go on
 * @ACQ_GRAPH_SINK_FAILED: a sink failed; the others go on
 * @ACQ_GRAPH_NO_SINK: no sink is left
 */
typedef enum {
  ACQ_GRAPH_GOES_ON,
  ACQ_GRAPH_FINISHED,
  ACQ_GRAPH_NO_SOURCE,
  ACQ_GRAPH_SINK_FAILED,
  ACQ_GRAPH_NO_SINK,
} AcqGraphEnd;

/** acq_graph_check: how things are. Thread: any */
ACQ_API AcqGraphEnd acq_graph_check (AcqGraph *self);

/**
 * acq_graph_pop_events:
 * @self: a graph
 *
 * Returns: (transfer container) (element-type AcqEvent): events since the last call, each
 * g_free()d with the array. Thread: any, one caller
 */
ACQ_API GPtrArray *acq_graph_pop_events (AcqGraph *self);
