/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/**
 * RunChatter:
 *
 * What libraries print, line by line, so that it can be shown above a table
 * instead of through it. Descriptors 1 and 2 are a pipe while it lives.
 */
typedef struct _RunChatter RunChatter;

/** RunChatterFunc: @line: without its end. On a thread of its own */
typedef void (*RunChatterFunc) (const char *line, gpointer data);

RunChatter *run_chatter_new (RunChatterFunc func, gpointer data);

/** run_chatter_free: hands on the rest, and gives standard error back. @self: (nullable) */
void run_chatter_free (RunChatter *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RunChatter, run_chatter_free)
