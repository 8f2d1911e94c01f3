/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-host-clock.h>

#include <stdatomic.h>
#include <time.h>

#define NS_PER_S G_GINT64_CONSTANT (1000000000)

/* How often the two clocks are read against each other; the tightest bracket wins. */
#define N_BRACKETS 9

struct _AcqHostClock {
  _Atomic int refs;
  gboolean fake;
  gint64 offset_ns;         /* host = boot time + offset; fixed */
  _Atomic gint64 fake_ns;   /* what a fake clock shows */
  _Atomic gint64 fake_step; /* how far the fake wall clock was stepped */
};

static gint64
read_clock (clockid_t id)
{
  struct timespec ts;

  clock_gettime (id, &ts);
  return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* Wall minus boot time now. CLOCK_BOOTTIME and not CLOCK_MONOTONIC: the latter stops in suspend. */
static gint64
measure_offset (void)
{
  gint64 best_width = G_MAXINT64;
  gint64 best = 0;

  for (int i = 0; i < N_BRACKETS; i++) {
    gint64 before = read_clock (CLOCK_BOOTTIME);
    gint64 wall = read_clock (CLOCK_REALTIME);
    gint64 after = read_clock (CLOCK_BOOTTIME);

    if (after - before < best_width) {
      best_width = after - before;
      best = wall - (before + (after - before) / 2);
    }
  }
  return best;
}

AcqHostClock *
acq_host_clock_new (void)
{
  AcqHostClock *self = g_new0 (AcqHostClock, 1);

  self->refs = 1;
  self->offset_ns = measure_offset ();
  return self;
}

AcqHostClock *
acq_host_clock_new_fake (gint64 start_ns)
{
  AcqHostClock *self = g_new0 (AcqHostClock, 1);

  self->refs = 1;
  self->fake = TRUE;
  self->fake_ns = start_ns;
  return self;
}

AcqHostClock *
acq_host_clock_ref (AcqHostClock *self)
{
  atomic_fetch_add (&self->refs, 1);
  return self;
}

void
acq_host_clock_unref (AcqHostClock *self)
{
  if (self != NULL && atomic_fetch_sub (&self->refs, 1) == 1)
    g_free (self);
}

gint64
acq_host_clock_now (AcqHostClock *self)
{
  if (self->fake)
    return atomic_load (&self->fake_ns);
  return read_clock (CLOCK_BOOTTIME) + self->offset_ns;
}

gint64
acq_host_clock_wall_offset (AcqHostClock *self)
{
  if (self->fake)
    return atomic_load (&self->fake_step);
  return measure_offset () - self->offset_ns;
}

gint64
acq_host_clock_from_realtime (AcqHostClock *self, gint64 realtime_ns)
{
  gint64 host_ns = realtime_ns - acq_host_clock_wall_offset (self);

  return MIN (host_ns, acq_host_clock_now (self));
}

gboolean
acq_host_clock_is_fake (AcqHostClock *self)
{
  return self->fake;
}

void
acq_host_clock_advance (AcqHostClock *self, gint64 ns)
{
  g_return_if_fail (self->fake && ns >= 0);
  atomic_fetch_add (&self->fake_ns, ns);
}

void
acq_host_clock_step_wall (AcqHostClock *self, gint64 ns)
{
  g_return_if_fail (self->fake);
  atomic_fetch_add (&self->fake_step, ns);
}
