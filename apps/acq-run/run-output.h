/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/**
 * RunOutput:
 *
 * Standard output, kept for ourselves: vendor libraries that print find standard
 * error behind descriptor 1. A thread writes, so that a reader that does not
 * read, or a terminal that is held, never holds the recording. A reader that
 * goes away ends the output and nothing else.
 *
 * Thread: one.
 */
typedef struct _RunOutput RunOutput;

/** run_output_new: takes standard output away from everybody else. Once in a process */
RunOutput *run_output_new (void);

/** run_output_get_fd: the real standard output, for questions about the terminal; -1 without one */
int run_output_get_fd (RunOutput *self);

/** run_output_is_terminal: whether it is one that can move its cursor */
gboolean run_output_is_terminal (RunOutput *self);

/**
 * run_output_write:
 * @self: the output
 * @text: (transfer full): what to write
 */
void run_output_write (RunOutput *self, char *text);

/** run_output_backlog: how many texts are not written yet */
guint run_output_backlog (RunOutput *self);

/** run_output_flush: waits until everything is written, at most @seconds */
gboolean run_output_flush (RunOutput *self, double seconds);

/**
 * run_output_free:
 * @self: (nullable): the output
 *
 * Flushes, to a bound.
 *
 * Returns: why something could not be written, an errno, for example ENOSPC; 0 is all well. A
 *   reader or a terminal that went away is no problem: nobody is there to miss it
 */
int run_output_free (RunOutput *self);
