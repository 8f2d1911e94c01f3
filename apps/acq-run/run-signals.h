/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/*
 * Signals. The first SIGINT, SIGTERM or SIGHUP asks the main loop to stop; a
 * further SIGINT or SIGTERM puts the terminal in order and ends the process at
 * once with 130, from the handler itself, whatever the main loop is doing.
 *
 * SIGHUP does not count as a second one, since a terminal that goes away may say
 * so more than once; nor does a signal within a tenth of a second, since
 * `timeout` and some shells send theirs twice. A SIGHUP that was ignored when we
 * were started stays ignored (nohup). SIGPIPE is ignored, and SIGXFSZ: a file that
 * is too large is an error of the sink that writes it.
 */

/**
 * RunSignalFunc:
 * @signal: SIGINT, SIGTERM or SIGHUP: stop; SIGUSR1: write a picture
 *
 * Called on the main loop.
 */
typedef void (*RunSignalFunc) (int signal, gpointer data);

/** run_signals_watch: installs the handlers. Once in a process */
void run_signals_watch (RunSignalFunc func, gpointer data);

/** run_signals_unwatch: @func is not called any more; a further signal still ends the process */
void run_signals_unwatch (void);

/**
 * run_signals_guard_cursor:
 * @fd: the terminal whose cursor is about to be hidden
 *
 * From now on every way out of the process shows it again: signals, crashes, exit.
 */
void run_signals_guard_cursor (int fd);
