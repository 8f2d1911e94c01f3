/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-graph.h>
#include <acq/acq-snapshot.h>

/**
 * AcqHarness:
 *
 * One node under test, and around it what the node cannot tell from a recorder:
 * a graph, a sink that collects its frames, streams to feed it, a take.
 *
 * Two ways. By hand (the default, for transforms and sinks): a fake clock, no
 * threads; acq_harness_advance() moves the time and runs every consumer until
 * nothing is left to do. A test never sleeps. Live (for sources, which talk to
 * sockets and libraries): a real clock and real threads; acq_harness_wait_frames()
 * and its kind wait for a condition with a bound.
 *
 * Thread: one. Mistakes of the test end the test.
 */
typedef struct _AcqHarness AcqHarness;

/* What a fake clock shows first: 2026-01-01 00:00:00 UTC. */
#define ACQ_HARNESS_START_NS (G_GINT64_CONSTANT (1767225600) * G_GINT64_CONSTANT (1000000000))

/**
 * acq_harness_new:
 * @node: (transfer full): the node under test, for example from g_object_new()
 * @id: its id
 */
ACQ_API AcqHarness *acq_harness_new (AcqNode *node, const char *id);

/**
 * acq_harness_new_plugin:
 * @directory: (nullable): where the module is, searched first
 * @plugin: its name
 * @id: the node's id
 */
ACQ_API AcqHarness *acq_harness_new_plugin (const char *directory, const char *plugin,
                                            const char *id);

/** acq_harness_set_live: real clock and threads. Before anything else */
ACQ_API void acq_harness_set_live (AcqHarness *self);

ACQ_API void acq_harness_free (AcqHarness *self);

ACQ_API AcqNode *acq_harness_get_node (AcqHarness *self);
ACQ_API AcqGraph *acq_harness_get_graph (AcqHarness *self);

/** acq_harness_set: an option, as JSON text or a bare string. A mistake ends the test */
ACQ_API void acq_harness_set (AcqHarness *self, const char *option, const char *text);

/** acq_harness_add_node: a further node of the test, connected by acq_graph_connect() */
ACQ_API void acq_harness_add_node (AcqHarness *self, AcqNode *node, const char *id);

/**
 * acq_harness_add_input:
 * @self: a harness that is not started
 * @node: id of the node that seems to push, made when it is new
 * @info: the stream
 *
 * Returns: (transfer none): a stream that the test pushes on
 */
ACQ_API AcqStream *acq_harness_add_input (AcqHarness *self, const char *node,
                                          const AcqStreamInfo *info);

/** acq_harness_start: opens everything. Returns: %FALSE when the node did not open */
ACQ_API gboolean acq_harness_start (AcqHarness *self, GError **error);

/**
 * acq_harness_begin_take:
 * @self: a harness, started or not
 * @directory: (nullable): %NULL makes a temporary one, which acq_harness_free() removes
 *
 * Returns: (transfer none): the take
 */
ACQ_API AcqTake *acq_harness_begin_take (AcqHarness *self, const char *directory);
ACQ_API void acq_harness_end_take (AcqHarness *self);

/** acq_harness_now: host time */
ACQ_API gint64 acq_harness_now (AcqHarness *self);

/** acq_harness_advance: by hand: moves the clock by @ns, then runs every consumer */
ACQ_API void acq_harness_advance (AcqHarness *self, gint64 ns);

/** acq_harness_stop: as a recorder stops: sources, transforms, sinks, finish jobs */
ACQ_API void acq_harness_stop (AcqHarness *self);

/** acq_harness_pop: Returns: (nullable) (transfer full): the oldest collected frame of a stream */
ACQ_API AcqFrame *acq_harness_pop (AcqHarness *self, const char *stream);

/** acq_harness_count: frames collected of a stream of the node, popped ones too */
ACQ_API guint acq_harness_count (AcqHarness *self, const char *stream);

/** acq_harness_wait_frames: live: Returns: %FALSE when fewer than @n came within @seconds */
ACQ_API gboolean acq_harness_wait_frames (AcqHarness *self, const char *stream, guint n,
                                          double seconds);

/**
 * acq_harness_find_event:
 * @self: a harness
 * @name: word of the event
 *
 * Returns: (nullable) (transfer none): the first event of that name so far
 */
ACQ_API const AcqEvent *acq_harness_find_event (AcqHarness *self, const char *name);

/** acq_harness_count_events: events of that name so far */
ACQ_API guint acq_harness_count_events (AcqHarness *self, const char *name);

/** acq_harness_wait_event: live: Returns: (nullable): the event, once it came */
ACQ_API const AcqEvent *acq_harness_wait_event (AcqHarness *self, const char *name, double seconds);

/** acq_harness_wait_state: live: Returns: %FALSE when the node is in another state after @seconds
 */
ACQ_API gboolean acq_harness_wait_state (AcqHarness *self, AcqNodeState state, double seconds);

/** acq_harness_snapshot: Returns: (transfer full): the ledger, balanced or the test ends */
ACQ_API AcqSnapshot *acq_harness_snapshot (AcqHarness *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqHarness, acq_harness_free)
