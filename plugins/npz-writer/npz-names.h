/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/*
 * The option `device-names`: words `<node>=<name>`. Nodes that are not named keep
 * their id.
 */

/* Whether all words are right; @words may be NULL. */
gboolean npz_names_check (char **words, GError **error);

/* Whether all nodes that are named are in the graph. */
gboolean npz_names_check_nodes (char **words, AcqGraph *graph, GError **error);

/* What a node is called in the keys. Transfer none. */
const char *npz_names_lookup (char **words, const char *node);

/* What the keys of a stream begin with, and no other of @taken. Transfer full. */
char *npz_names_make_stem (char **words, AcqStream *stream, GHashTable *taken);
