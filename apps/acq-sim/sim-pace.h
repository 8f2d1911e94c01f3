/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* Deadlines and interrupts. Deadlines are absolute times of CLOCK_MONOTONIC, so that a
 * late wake-up delays one message and never shifts those behind it. */

/**
 * sim_now_ns:
 *
 * Returns: CLOCK_MONOTONIC in nanoseconds
 */
gint64 sim_now_ns (void);

/**
 * sim_beat_ns:
 * @beat: which beat, from 0
 * @rate_hz: beats per second, above 0
 *
 * When a beat is due, computed from its number and not by adding periods, so that
 * there is no drift.
 *
 * Returns: nanoseconds after beat 0
 */
gint64 sim_beat_ns (guint64 beat, double rate_hz);

/**
 * sim_pace_wait:
 * @deadline_ns: a time of CLOCK_MONOTONIC; in the past means now
 *
 * Returns: %FALSE when an interrupt came (before or while waiting)
 */
gboolean sim_pace_wait (gint64 deadline_ns);

/**
 * sim_stop_install:
 *
 * From now on SIGINT and SIGTERM ask for a clean end (see sim_stop_requested()) and
 * interrupt blocking calls; SIGPIPE is ignored. Call once, from main.
 */
void sim_stop_install (void);

/**
 * sim_stop_requested:
 *
 * Returns: whether SIGINT or SIGTERM came. Any thread.
 */
gboolean sim_stop_requested (void);
