/* SPDX-License-Identifier: Apache-2.0 */
#include "resampler-rig.h"

#include <math.h>

#define SINE_HZ 0.7
#define OMEGA (2 * G_PI * SINE_HZ)
#define LINE_SLOPE -3.0
#define TURN 1.5 /* rad/s */
#define SWAY 0.4 /* rad */

static const double axis[] = { 0, 0.6, -0.8 };

const Signal signal_slope = { 3, OMEGA, TURN + SWAY *OMEGA, 0 };
const Signal signal_curve = { 0, OMEGA *OMEGA, SWAY *OMEGA *OMEGA, 0 };

const AcqStreamInfo resampler_rig_lux = { .name = "lux",
                                          .schema = &acq_illuminance_schema,
                                          .rate_hz = 100 };

static void
set_number (AcqHarness *h, const char *option, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  acq_harness_set (h, option, g_ascii_dtostr (text, sizeof text, value));
}

AcqHarness *
resampler_rig_new (double rate_hz, double latency_ms, double max_gap_ms)
{
  g_autofree char *directory =
      g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "plugins", "resampler", NULL);
  AcqHarness *h = acq_harness_new_plugin (directory, "resampler", "grid");

  set_number (h, "rate-hz", rate_hz);
  set_number (h, "latency-ms", latency_ms);
  set_number (h, "max-gap-ms", max_gap_ms);
  return h;
}

void
resampler_rig_push_lux (AcqStream *stream, gint64 host_ns, double lux)
{
  AcqFrame *frame;

  acq_illuminance_begin (stream, &frame)->illuminance = lux;
  frame->host_ns = host_ns;
  acq_stream_push (stream, frame, 0, ACQ_TIME_NONE);
}

double
resampler_rig_pop_lux (AcqHarness *h, const char *stream, gint64 host_ns, gboolean valid)
{
  g_autoptr (AcqFrame) frame = acq_harness_pop (h, stream);

  g_assert_nonnull (frame);
  g_assert_cmpint (frame->host_ns, ==, host_ns);
  g_assert_cmpint (frame->stamp_ns, ==, host_ns);
  g_assert_cmpuint (frame->device_ns, ==, ACQ_TIME_NONE);
  g_assert_cmpint ((frame->flags & ACQ_FRAME_INVALID) == 0, ==, valid);
  return ((const AcqIlluminance *) frame->payload)->illuminance;
}

void
resampler_rig_play (AcqHarness *h, AcqStream *stream, gint64 origin, gint64 period, gint64 ns)
{
  gint64 end = acq_harness_now (h) + ns;

  while (acq_harness_now (h) < end) {
    gint64 now = acq_harness_now (h);

    if ((now - origin) % period == 0)
      resampler_rig_push_lux (stream, now, (now - origin) / (double) MS);
    acq_harness_advance (h, MS);
  }
}

Signal
signal_at (double seconds)
{
  return (Signal){ .line = 5 + LINE_SLOPE * seconds,
                   .sine = sin (OMEGA * seconds),
                   .angle = TURN * seconds + SWAY * sin (OMEGA * seconds) };
}

void
signal_write (const Signal *signal, AcqImu *imu)
{
  double s = sin (signal->angle / 2);

  imu->angular_velocity.x = signal->line;
  imu->linear_acceleration.y = signal->sine;
  imu->orientation =
      (AcqQuaternion){ axis[0] * s, axis[1] * s, axis[2] * s, cos (signal->angle / 2) };
  imu->orientation_covariance[0] = signal->number;
}

double
signal_angle_error (const AcqImu *imu, double angle)
{
  Signal signal = { .angle = angle };
  AcqImu truth = { 0 };
  const AcqQuaternion *p = &imu->orientation, *q = &truth.orientation;
  double dot;

  signal_write (&signal, &truth);
  dot = p->x * q->x + p->y * q->y + p->z * q->z + p->w * q->w;
  g_assert_cmpfloat_with_epsilon (p->x * p->x + p->y * p->y + p->z * p->z + p->w * p->w, 1, 1e-14);
  /* The chord: exact for small angles, where the arc cosine is not. */
  return 2 * sqrt (MAX (0, 2 - 2 * MIN (1, fabs (dot))));
}
