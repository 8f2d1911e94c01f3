/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-types.h>

/*
 * Host time is the boot-time clock plus a wall offset that is measured once and
 * fixed for the life of a graph. It goes on in suspend, and it never steps:
 * steps of the wall clock are noticed beside it.
 */

/**
 * acq_host_clock_new:
 *
 * Reads the boot-time clock and the wall clock against each other and fixes the
 * offset.
 *
 * Returns: (transfer full): a clock; free with acq_host_clock_unref()
 */
ACQ_API AcqHostClock *acq_host_clock_new (void);

/**
 * acq_host_clock_new_fake:
 * @start_ns: the first reading, nanoseconds since the Unix epoch
 *
 * A clock that stands still until acq_host_clock_advance(). For tests.
 *
 * Returns: (transfer full): a clock
 */
ACQ_API AcqHostClock *acq_host_clock_new_fake (gint64 start_ns);

ACQ_API AcqHostClock *acq_host_clock_ref (AcqHostClock *self);
ACQ_API void acq_host_clock_unref (AcqHostClock *self);

/**
 * acq_host_clock_now:
 * @self: a clock
 *
 * Thread: any.
 *
 * Returns: host time, nanoseconds since the Unix epoch
 */
ACQ_API gint64 acq_host_clock_now (AcqHostClock *self);

/**
 * acq_host_clock_wall_offset:
 * @self: a clock
 *
 * How far the wall clock is from host time now. It changes when somebody sets
 * the wall clock, and slowly while NTP slews it.
 *
 * Returns: wall clock minus host time, nanoseconds
 */
ACQ_API gint64 acq_host_clock_wall_offset (AcqHostClock *self);

/**
 * acq_host_clock_from_realtime:
 * @self: a clock
 * @realtime_ns: a CLOCK_REALTIME stamp taken a moment ago, for example by the kernel
 *
 * Maps a wall-clock stamp to host time with both clocks read now. Call
 * acq_host_clock_wall_offset() once for a batch and subtract, where many stamps
 * are to be mapped.
 *
 * Returns: host time, never in the future
 */
ACQ_API gint64 acq_host_clock_from_realtime (AcqHostClock *self, gint64 realtime_ns);

/**
 * acq_host_clock_is_fake:
 * @self: a clock
 *
 * Returns: %TRUE for a clock of acq_host_clock_new_fake()
 */
ACQ_API gboolean acq_host_clock_is_fake (AcqHostClock *self);

/**
 * acq_host_clock_advance:
 * @self: a fake clock
 * @ns: how far to move; not negative
 *
 * Moves a fake clock.
 */
ACQ_API void acq_host_clock_advance (AcqHostClock *self, gint64 ns);

/**
 * acq_host_clock_step_wall:
 * @self: a fake clock
 * @ns: how far the wall clock jumps, either way
 *
 * Steps the wall clock of a fake clock; host time does not move.
 */
ACQ_API void acq_host_clock_step_wall (AcqHostClock *self, gint64 ns);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqHostClock, acq_host_clock_unref)
