/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-clock.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define BIN_NS G_GINT64_CONSTANT (1000000000)
#define N_BINS 10

/* Two points make a line, three show that it is one. */
#define MIN_BINS 3

/* A path whose fastest messages differ by more than this is no basis for mapping. */
#define MAX_SPREAD_NS (50 * 1000000)

typedef struct {
  gint64 slot;
  gint64 host_ns;
  gint64 difference; /* host - device, the least of this bin */
} Bin;

struct _AcqClock {
  _Atomic int refs;
  char *id;

  pthread_mutex_t lock;
  /* Under lock: */
  AcqClockKind kind;
  guint epoch;
  Bin bins[N_BINS];
  gint64 newest_host_ns;
  guint64 newest_device_ns;
  gint64 best_round_trip_half; /* -1: none was measured */
  gboolean stale;              /* the line below is older than the bins */
  gboolean locked;
  gint64 line_host_ns; /* where the line is anchored */
  gint64 line_difference;
  double line_slope; /* ns per ns */
  gint64 spread_ns;
};

AcqClock *
acq_clock_new (const char *id, AcqClockKind kind)
{
  AcqClock *self = g_new0 (AcqClock, 1);

  self->refs = 1;
  self->id = g_strdup (id);
  self->kind = kind;
  self->best_round_trip_half = -1;
  for (int i = 0; i < N_BINS; i++)
    self->bins[i].slot = -1;
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

AcqClock *
acq_clock_ref (AcqClock *self)
{
  atomic_fetch_add (&self->refs, 1);
  return self;
}

void
acq_clock_unref (AcqClock *self)
{
  if (self == NULL || atomic_fetch_sub (&self->refs, 1) != 1)
    return;
  pthread_mutex_destroy (&self->lock);
  g_free (self->id);
  g_free (self);
}

const char *
acq_clock_get_id (AcqClock *self)
{
  return self->id;
}

AcqClockKind
acq_clock_get_kind (AcqClock *self)
{
  AcqClockKind kind;

  pthread_mutex_lock (&self->lock);
  kind = self->kind;
  pthread_mutex_unlock (&self->lock);
  return kind;
}

const char *
acq_clock_kind_to_string (AcqClockKind kind)
{
  static const char *const words[] = { "none", "utc", "uptime", "monotonic" };

  return words[kind];
}

void
acq_clock_evidence (AcqClock *self, guint64 device_ns, gint64 host_ns, gint64 uncertainty_ns)
{
  /* Modulo 2^64: a device may count from anywhere. */
  gint64 difference = (gint64) ((guint64) host_ns - device_ns);
  gint64 slot = host_ns / BIN_NS;
  Bin *bin = &self->bins[slot % N_BINS];

  pthread_mutex_lock (&self->lock);
  if (bin->slot != slot) {
    *bin = (Bin){ slot, host_ns, difference };
    self->stale = TRUE;
  } else if (difference < bin->difference) {
    bin->host_ns = host_ns;
    bin->difference = difference;
    self->stale = TRUE;
  }
  if (uncertainty_ns >= 0 &&
      (self->best_round_trip_half < 0 || uncertainty_ns < self->best_round_trip_half))
    self->best_round_trip_half = uncertainty_ns;
  self->newest_host_ns = host_ns;
  self->newest_device_ns = device_ns;
  pthread_mutex_unlock (&self->lock);
}

void
acq_clock_restart (AcqClock *self, AcqClockKind kind)
{
  pthread_mutex_lock (&self->lock);
  self->kind = kind;
  self->epoch++;
  for (int i = 0; i < N_BINS; i++)
    self->bins[i].slot = -1;
  self->best_round_trip_half = -1;
  self->newest_host_ns = 0;
  self->newest_device_ns = 0;
  self->stale = TRUE;
  self->locked = FALSE;
  pthread_mutex_unlock (&self->lock);
}

static int
compare_bins (gconstpointer a, gconstpointer b)
{
  const Bin *left = a;
  const Bin *right = b;

  return (left->host_ns > right->host_ns) - (left->host_ns < right->host_ns);
}

/* > 0 when @c lies above the line from @a to @b. */
static double
cross (const Bin *a, const Bin *b, const Bin *c)
{
  double abx = b->host_ns - a->host_ns, aby = b->difference - a->difference;
  double acx = c->host_ns - a->host_ns, acy = c->difference - a->difference;

  return abx * acy - aby * acx;
}

/*
 * The line along the lower convex hull of (host time, least difference), at the
 * edge over the middle of the window. Transport only ever adds delay, so the
 * true line lies below all points and touches the fastest ones.
 * (Moon, Skelly, Towsley: Estimation and removal of clock skew, INFOCOM 1999.)
 */
static void
fit (AcqClock *self)
{
  Bin points[N_BINS], hull[N_BINS];
  gint64 newest = self->newest_host_ns / BIN_NS;
  guint n = 0, h = 0;
  gint64 middle, least = G_MAXINT64, most = G_MININT64;
  guint edge;

  self->stale = FALSE;
  for (int i = 0; i < N_BINS; i++) {
    if (self->bins[i].slot >= 0 && self->bins[i].slot > newest - N_BINS)
      points[n++] = self->bins[i];
  }
  self->locked = FALSE;
  if (n == 0)
    return;
  qsort (points, n, sizeof *points, compare_bins);
  for (guint i = 0; i < n; i++) {
    while (h >= 2 && cross (&hull[h - 2], &hull[h - 1], &points[i]) <= 0)
      h--;
    hull[h++] = points[i];
  }
  middle = points[0].host_ns + (points[n - 1].host_ns - points[0].host_ns) / 2;
  for (edge = 0; edge + 2 < h && hull[edge + 1].host_ns < middle; edge++)
    ;
  self->line_host_ns = hull[edge].host_ns;
  self->line_difference = hull[edge].difference;
  self->line_slope = h < 2 ? 0
                           : (double) (hull[edge + 1].difference - hull[edge].difference) /
                                 (hull[edge + 1].host_ns - hull[edge].host_ns);
  for (guint i = 0; i < n; i++) {
    gint64 over = points[i].difference -
                  (self->line_difference +
                   (gint64) (self->line_slope * (points[i].host_ns - self->line_host_ns)));

    least = MIN (least, over);
    most = MAX (most, over);
  }
  self->spread_ns = most - least;
  self->locked = n >= MIN_BINS && self->spread_ns <= MAX_SPREAD_NS;
}

static gint64
difference_at (AcqClock *self, gint64 host_ns)
{
  return self->line_difference + (gint64) (self->line_slope * (host_ns - self->line_host_ns));
}

void
acq_clock_estimate (AcqClock *self, AcqClockEstimate *ret_estimate)
{
  pthread_mutex_lock (&self->lock);
  if (self->stale)
    fit (self);
  *ret_estimate = (AcqClockEstimate){
    .epoch = self->epoch,
    .kind = self->kind,
    .locked = self->locked,
    .offset_ns = self->newest_host_ns == 0 ? 0 : difference_at (self, self->newest_host_ns),
    .drift_ppm = self->locked ? self->line_slope * 1e6 : 0,
    .uncertainty_ns = self->spread_ns + MAX (0, self->best_round_trip_half),
    .host_ns = self->newest_host_ns,
    .device_ns = self->newest_device_ns,
  };
  pthread_mutex_unlock (&self->lock);
}

gboolean
acq_clock_map (AcqClock *self, guint64 device_ns, gint64 *ret_host_ns)
{
  gboolean locked;

  pthread_mutex_lock (&self->lock);
  if (self->stale)
    fit (self);
  locked = self->locked;
  if (locked) {
    /* The line runs over host time; its own value is near enough to place the reading on it. */
    gint64 near = (gint64) (device_ns + (guint64) self->line_difference);

    *ret_host_ns = (gint64) (device_ns + (guint64) difference_at (self, near));
  }
  pthread_mutex_unlock (&self->lock);
  return locked;
}
