/* SPDX-License-Identifier: Apache-2.0 */
#include "base/acq-wait-private.h"

#include <time.h>

#define NS_PER_S G_GINT64_CONSTANT (1000000000)

gint64
acq_monotonic_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * NS_PER_S + now.tv_nsec;
}

gint64
acq_deadline_in (double seconds)
{
  return acq_monotonic_ns () + (gint64) (seconds * 1e9);
}

void
acq_cond_init (pthread_cond_t *cond)
{
  pthread_condattr_t attr;

  pthread_condattr_init (&attr);
  pthread_condattr_setclock (&attr, CLOCK_MONOTONIC);
  pthread_cond_init (cond, &attr);
  pthread_condattr_destroy (&attr);
}

gboolean
acq_cond_wait_until (pthread_cond_t *cond, pthread_mutex_t *lock, gint64 deadline_ns)
{
  struct timespec limit = { deadline_ns / NS_PER_S, deadline_ns % NS_PER_S };

  return pthread_cond_timedwait (cond, lock, &limit) == 0;
}
