/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include <acq/acq-node.h>

/* What a graph knows of a node. */

void acq_node_set_identity (AcqNode *self, const char *id, const AcqPlugin *plugin);
void acq_node_set_graph (AcqNode *self, AcqGraph *graph);

void acq_node_set_state (AcqNode *self, AcqNodeState state);

/* Sets a state together with its cause in words. @problem NULL clears it. */
void acq_node_set_state_problem (AcqNode *self, AcqNodeState state, const char *problem);
char *acq_node_dup_problem (AcqNode *self);

/* The step that is over its deadline at @now_ns of CLOCK_MONOTONIC, or NULL. */
char *acq_node_overdue_step (AcqNode *self, gint64 now_ns);

/* Class slots with their defaults. */
gboolean acq_node_open (AcqNode *self, GCancellable *cancellable, GError **error);
void acq_node_close (AcqNode *self);

/* Option defaults of all classes of @self; in instance_init. See acq-node-options.c. */
void acq_node_init_options (AcqNode *self);
void acq_node_clear_options (AcqNode *self);

/* The graph's side of an event: fills in what is missing and spreads it. */
void acq_graph_emit (AcqGraph *graph, AcqNode *node, const AcqEvent *event);
void acq_graph_add_attachment (AcqGraph *graph, AcqNode *node, const char *name,
                               const char *media_type, GBytes *data);
