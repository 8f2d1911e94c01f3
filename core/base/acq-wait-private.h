/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>
#include <pthread.h>

/* Waiting with a bound. Deadlines are readings of CLOCK_MONOTONIC, in nanoseconds. */

gint64 acq_monotonic_ns (void);
gint64 acq_deadline_in (double seconds);

/* A condition whose waits go by CLOCK_MONOTONIC. */
void acq_cond_init (pthread_cond_t *cond);

/* FALSE once @deadline_ns has passed. */
gboolean acq_cond_wait_until (pthread_cond_t *cond, pthread_mutex_t *lock, gint64 deadline_ns);
