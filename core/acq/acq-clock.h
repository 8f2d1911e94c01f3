/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-types.h>

/**
 * AcqClockKind:
 * @ACQ_CLOCK_NONE: the device has no clock
 * @ACQ_CLOCK_UTC: time since the Unix epoch
 * @ACQ_CLOCK_UPTIME: time since the device was switched on
 * @ACQ_CLOCK_MONOTONIC: never goes back, from an epoch of its own
 */
typedef enum {
  ACQ_CLOCK_NONE,
  ACQ_CLOCK_UTC,
  ACQ_CLOCK_UPTIME,
  ACQ_CLOCK_MONOTONIC,
} AcqClockKind;

/**
 * AcqClockEstimate:
 * @epoch: how often the clock restarted
 * @kind: what the device counts from, in this epoch
 * @locked: whether @offset_ns can be used
 * @offset_ns: host minus device at the newest evidence
 * @drift_ppm: host against device, parts per million
 * @uncertainty_ns: how far off @offset_ns may be, one way
 * @host_ns: the newest evidence, host side
 * @device_ns: the newest evidence, device side
 */
typedef struct {
  guint epoch;
  AcqClockKind kind;
  gboolean locked;
  gint64 offset_ns;
  double drift_ppm;
  gint64 uncertainty_ns;
  gint64 host_ns;
  guint64 device_ns;
} AcqClockEstimate;

/*
 * AcqClock: what is known of one device clock. One object per device clock, not
 * per stream. All functions may be called from any thread.
 *
 * Estimator, per epoch: the minimum of host - device in bins of one second over
 * ten seconds (transport only ever adds delay), a line along the lower hull for
 * the drift, and the spread of the minima plus half the best round trip as the
 * uncertainty. It is published once a second on `/acq/clock`, and never written
 * into device or host times.
 */

/**
 * acq_clock_new:
 * @id: names the clock in files, unique in the graph, for example `left_hand`
 * @kind: what it counts from
 *
 * Returns: (transfer full): a clock; free with acq_clock_unref()
 */
ACQ_API AcqClock *acq_clock_new (const char *id, AcqClockKind kind);
ACQ_API AcqClock *acq_clock_ref (AcqClock *self);
ACQ_API void acq_clock_unref (AcqClock *self);
ACQ_API const char *acq_clock_get_id (AcqClock *self);
ACQ_API AcqClockKind acq_clock_get_kind (AcqClock *self);
ACQ_API const char *acq_clock_kind_to_string (AcqClockKind kind);

/**
 * acq_clock_evidence:
 * @self: a clock
 * @device_ns: a reading of the device
 * @host_ns: host time at which it was true, or received
 * @uncertainty_ns: half the round trip of a measured exchange, or -1 for a one-way stamp
 *
 * Tells what was seen. Streams that have this clock do it themselves for each
 * frame with a device time; sources call it for the results of time exchanges.
 */
ACQ_API void acq_clock_evidence (AcqClock *self, guint64 device_ns, gint64 host_ns,
                                 gint64 uncertainty_ns);

/**
 * acq_clock_restart:
 * @self: a clock
 * @kind: what it counts from now on
 *
 * The device's clock began anew: a new epoch, and the estimate starts over. The
 * caller tells the cause with acq_source_clock_restarted().
 */
ACQ_API void acq_clock_restart (AcqClock *self, AcqClockKind kind);

/**
 * acq_clock_estimate:
 * @self: a clock
 * @ret_estimate: (out): what is known
 */
ACQ_API void acq_clock_estimate (AcqClock *self, AcqClockEstimate *ret_estimate);

/**
 * acq_clock_map:
 * @self: a clock
 * @device_ns: a reading
 * @ret_host_ns: (out): the host time of it
 *
 * Returns: %FALSE, and @ret_host_ns untouched, when the clock is not locked
 */
ACQ_API gboolean acq_clock_map (AcqClock *self, guint64 device_ns, gint64 *ret_host_ns);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqClock, acq_clock_unref)
