/* SPDX-License-Identifier: Apache-2.0 */

/* Device clocks: offset and drift from one-way stamps; epochs; mapped stamps; wall steps. */

#include <math.h>

#include <acq/acq-harness.h>
#include <acq/acq.h>

#define MS G_GINT64_CONSTANT (1000000)
#define S G_GINT64_CONSTANT (1000000000)

/* Messages of a device whose clock began at @device0 and runs @ppm fast of ours, with a delay
 * of at least @delay and up to @jitter more. */
typedef struct {
  const char *name;
  guint64 device0;
  double ppm;
  gint64 delay;
  gint64 jitter;
  int seconds;
  gboolean locked;
  gint64 offset_tolerance;
  double drift_tolerance;
} Case;

static const Case cases[] = {
  { "quiet", 0, 0, 1 * MS, 0, 12, TRUE, 1000, 0.01 },
  { "jitter", 5 * S, 0, 1 * MS, 3 * MS, 12, TRUE, MS / 2, 30 },
  { "fast", 77 * S, 40, 0, 2 * MS, 30, TRUE, MS / 2, 30 },
  { "slow", 77 * S, -200, 0, 2 * MS, 30, TRUE, MS / 2, 30 },
  { "far ahead", G_GUINT64_CONSTANT (0xF000000000000000), 10, 0, MS, 20, TRUE, MS / 2, 30 },
  { "too few", 0, 0, 0, 0, 2, FALSE, G_MAXINT64, 1e9 },
  { "hopeless", 0, 0, 0, 900 * MS, 4, FALSE, G_MAXINT64, 1e9 },
};

static void
test_estimate (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (AcqClock) clock = acq_clock_new ("dev", ACQ_CLOCK_MONOTONIC);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  gint64 host0 = ACQ_HARNESS_START_NS;
  AcqClockEstimate estimate;
  gint64 host = 0, mapped = -1;
  guint64 device = 0;
  /* hopeless: three messages a second, each late by something else */
  gint64 step = c->jitter > 100 * MS ? 333 * MS : 8333333;

  for (gint64 t = 0; t < c->seconds * S; t += step) {
    gint64 late = c->delay + (c->jitter > 0 ? g_rand_int_range (random, 0, c->jitter) : 0);

    device = c->device0 + (guint64) t + (gint64) (t * c->ppm * 1e-6);
    host = host0 + t;
    acq_clock_evidence (clock, device, host + late, -1);
  }
  acq_clock_estimate (clock, &estimate);
  g_assert_cmpint (estimate.locked, ==, c->locked);
  g_assert_cmpint (acq_clock_map (clock, device, &mapped), ==, c->locked);
  if (!c->locked) {
    g_assert_cmpint (mapped, ==, -1);
    return;
  }
  g_assert_cmpfloat (fabs (estimate.drift_ppm + c->ppm), <, c->drift_tolerance);
  g_assert_cmpint (ABS (mapped - (host + c->delay)), <, c->offset_tolerance);
  g_assert_cmpint (estimate.uncertainty_ns, <=, c->jitter + MS);
}

static void
test_restart (void)
{
  g_autoptr (AcqClock) clock = acq_clock_new ("dev", ACQ_CLOCK_UPTIME);
  AcqClockEstimate estimate;
  gint64 mapped;

  for (int i = 0; i < 50; i++)
    acq_clock_evidence (clock, i * 100 * MS, S + i * 100 * MS, -1);
  g_assert_true (acq_clock_map (clock, 0, &mapped));
  g_assert_cmpint (mapped, ==, S);
  acq_clock_restart (clock, ACQ_CLOCK_UTC);
  acq_clock_estimate (clock, &estimate);
  g_assert_false (estimate.locked);
  g_assert_cmpuint (estimate.epoch, ==, 1);
  g_assert_cmpint (estimate.kind, ==, ACQ_CLOCK_UTC);
  g_assert_false (acq_clock_map (clock, 0, &mapped));
}

/* A take of `stamp: auto`: mapped, causal, monotone; it falls back while the lock is lost. */

typedef struct {
  AcqSource parent_instance;
} TestTimed;

typedef struct {
  AcqSourceClass parent_class;
} TestTimedClass;

GType test_timed_get_type (void);
G_DEFINE_TYPE (TestTimed, test_timed, ACQ_TYPE_SOURCE)

static void
test_timed_class_init (TestTimedClass *klass)
{
}

static void
test_timed_init (TestTimed *self)
{
}

static void
push (AcqHarness *h, AcqStream *lux, guint64 device, gint64 delay)
{
  AcqFrame *frame;

  acq_illuminance_begin (lux, &frame);
  frame->host_ns = acq_harness_now (h) + delay;
  acq_stream_push (lux, frame, 0, device);
}

static void
test_mapped_stamps (void)
{
  g_autoptr (AcqHarness) h = acq_harness_new (g_object_new (test_timed_get_type (), NULL), "dev");
  g_autoptr (AcqClock) clock = acq_clock_new ("dev", ACQ_CLOCK_MONOTONIC);
  AcqStream *lux;
  gint64 last_stamp = 0;
  guint n = 0, n_mapped = 0;
  AcqFrame *frame;

  acq_harness_set (h, "stamp", "auto");
  acq_harness_get_graph (h);
  lux = acq_source_add_stream (
      ACQ_SOURCE (acq_harness_get_node (h)),
      &(AcqStreamInfo){ .name = "lux", .schema = &acq_illuminance_schema, .clock = clock });
  g_assert_true (acq_harness_start (h, NULL));
  g_assert_false (acq_stream_is_mapped (lux));
  for (int i = 0; i < 100; i++) {
    acq_harness_advance (h, 100 * MS);
    push (h, lux, i * 100 * MS, (i % 7) * MS);
  }
  acq_harness_end_take (h);
  acq_harness_advance (h, S);
  acq_harness_begin_take (h, NULL);
  g_assert_true (acq_stream_is_mapped (lux));
  while ((frame = acq_harness_pop (h, "lux")) != NULL) {
    g_assert_cmpint (frame->stamp_ns, ==, frame->host_ns);
    acq_frame_unref (frame);
  }
  for (int i = 110; i < 200; i++) {
    acq_harness_advance (h, 100 * MS);
    if (i == 150)
      acq_source_clock_restarted (ACQ_SOURCE (acq_harness_get_node (h)), clock, ACQ_CLOCK_MONOTONIC,
                                  "reboot");
    push (h, lux, i * 100 * MS, (i % 7) * MS);
  }
  acq_harness_stop (h);
  while ((frame = acq_harness_pop (h, "lux")) != NULL) {
    g_assert_cmpint (frame->stamp_ns, <=, frame->host_ns);
    g_assert_cmpint (frame->stamp_ns, >, last_stamp);
    g_assert_cmpuint (frame->device_ns % (100 * MS), ==, 0);
    last_stamp = frame->stamp_ns;
    n_mapped += frame->stamp_ns < frame->host_ns;
    n++;
    acq_frame_unref (frame);
  }
  g_assert_cmpuint (n, ==, 90);
  g_assert_cmpuint (n_mapped, >, 40);
  g_assert_nonnull (acq_harness_find_event (h, "stamp_fallback"));
  g_assert_nonnull (acq_harness_find_event (h, "stamp_mapped"));
  g_assert_nonnull (acq_harness_find_event (h, "reboot"));
}

static void
test_host_clock (void)
{
  g_autoptr (AcqHostClock) clock = acq_host_clock_new ();
  gint64 a = acq_host_clock_now (clock);
  gint64 real = g_get_real_time () * 1000;
  gint64 b = acq_host_clock_now (clock);

  g_assert_cmpint (b, >=, a);
  g_assert_cmpint (ABS (real - a), <, 50 * MS);
  g_assert_cmpint (ABS (acq_host_clock_wall_offset (clock)), <, 5 * MS);
  g_assert_cmpint (acq_host_clock_from_realtime (clock, real + 3600 * S), <=,
                   acq_host_clock_now (clock));
  g_assert_cmpint (ABS (acq_host_clock_from_realtime (clock, real) - a), <, 50 * MS);
}

static void
test_fake_clock (void)
{
  g_autoptr (AcqHostClock) clock = acq_host_clock_new_fake (5 * S);

  g_assert_true (acq_host_clock_is_fake (clock));
  acq_host_clock_advance (clock, 7);
  g_assert_cmpint (acq_host_clock_now (clock), ==, 5 * S + 7);
  acq_host_clock_step_wall (clock, -S);
  g_assert_cmpint (acq_host_clock_now (clock), ==, 5 * S + 7);
  g_assert_cmpint (acq_host_clock_wall_offset (clock), ==, -S);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strconcat ("/clock/estimate/", cases[i].name, NULL);

    g_test_add_data_func (path, &cases[i], test_estimate);
  }
  g_test_add_func ("/clock/restart", test_restart);
  g_test_add_func ("/clock/mapped-stamps", test_mapped_stamps);
  g_test_add_func ("/clock/host", test_host_clock);
  g_test_add_func ("/clock/fake", test_fake_clock);
  return g_test_run ();
}
