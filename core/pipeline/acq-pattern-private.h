/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/*
 * Patterns of streams: `node`, `node.stream`, globs of both. One reading for the
 * loader, for graphs that connect, and for expectations.
 */

/* `*` is any text, `?` any character; nothing else is special. */
gboolean acq_glob_match (const char *glob, const char *text);
gboolean acq_glob_is_literal (const char *glob);

/*
 * Whether @pattern chooses a stream. Without a `.` it means every stream of the
 * nodes. The engine's own node `acq` is chosen only by name, never by a glob.
 */
gboolean acq_pattern_match (const char *pattern, const char *node, const char *stream);
/* Whether it chooses at least something of a node, and whether all of it. */
gboolean acq_pattern_match_node (const char *pattern, const char *node);
gboolean acq_pattern_is_whole_node (const char *pattern);

/* (transfer full): the part before the first dot. */
char *acq_pattern_dup_node (const char *pattern);
/* (nullable): the part behind it. */
const char *acq_pattern_stream (const char *pattern);
