/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-pace.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <time.h>

static volatile sig_atomic_t stop_requested;

gint64
sim_now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
}

gint64
sim_beat_ns (guint64 beat, double rate_hz)
{
  return (gint64) llround ((double) beat * 1e9 / rate_hz);
}

gboolean
sim_pace_wait (gint64 deadline_ns)
{
  struct timespec t = { .tv_sec = deadline_ns / 1000000000, .tv_nsec = deadline_ns % 1000000000 };
  int result;

  if (deadline_ns <= sim_now_ns ())
    return !stop_requested;
  do {
    if (stop_requested)
      return FALSE;
    result = clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
  } while (result == EINTR);
  return !stop_requested;
}

static void
request_stop (int signal_number)
{
  (void) signal_number;
  stop_requested = 1;
}

void
sim_stop_install (void)
{
  struct sigaction stop = { .sa_handler = request_stop };
  struct sigaction ignore = { .sa_handler = SIG_IGN };

  sigemptyset (&stop.sa_mask);
  sigaction (SIGINT, &stop, NULL);
  sigaction (SIGTERM, &stop, NULL);
  sigaction (SIGPIPE, &ignore, NULL);
}

gboolean
sim_stop_requested (void)
{
  return stop_requested != 0;
}
