/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>
#include <pthread.h>

/*
 * Starts a thread of the library: it has a name of at most 15 characters and
 * takes no signals, which belong to the application's own threads.
 */
gboolean acq_thread_start (pthread_t *thread, const char *name, void *(*run) (void *),
                           gpointer data, GError **error);
