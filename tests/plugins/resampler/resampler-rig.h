/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-harness.h>
#include <acq/acq.h>

#define MS G_GINT64_CONSTANT (1000000)
#define S (1000 * MS)

/* The module under test, in a harness by hand. */
AcqHarness *resampler_rig_new (double rate_hz, double latency_ms, double max_gap_ms);

/* Pushes a message of a harness' stream that was received at @host_ns. */
void resampler_rig_push_lux (AcqStream *stream, gint64 host_ns, double lux);

/* Takes the next message of a stream of the grid: its time and flag must be these. */
double resampler_rig_pop_lux (AcqHarness *h, const char *stream, gint64 host_ns, gboolean valid);

/* Illuminance at 100 Hz. */
extern const AcqStreamInfo resampler_rig_lux;

/* Moves the time on by @ns, and pushes a message at every multiple of @period, whose value is the
 * milliseconds since @origin. */
void resampler_rig_play (AcqHarness *h, AcqStream *stream, gint64 origin, gint64 period, gint64 ns);

/*
 * A signal in closed form, as an AcqImu: a straight line, a sine, a rotation whose speed changes,
 * and a number that counts messages.
 */
typedef struct {
  double line;   /* angular_velocity.x */
  double sine;   /* linear_acceleration.y */
  double angle;  /* orientation, about one axis */
  double number; /* orientation_covariance[0], which is held */
} Signal;

/* What it is at @seconds. */
Signal signal_at (double seconds);

/* The largest first and second derivative of each, for bounds. */
extern const Signal signal_slope;
extern const Signal signal_curve;

void signal_write (const Signal *signal, AcqImu *imu);

/* The quaternion of a signal's angle, and how far one is from it, in radians. */
double signal_angle_error (const AcqImu *imu, double angle);
