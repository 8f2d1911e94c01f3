/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The resampler beside closed-form truth, for inputs of 1 Hz to 2 kHz with every fault.
 *
 * What must come out is worked out from the times of the messages alone: the last message up to a
 * tick, the first one behind it that the tick waits for, and whether they are near enough. Between
 * two messages D apart a straight line misses a signal by D²/8 of its second derivative at most.
 */

#include <math.h>

#include "resampler-rig.h"

typedef struct {
  const char *name;
  double rate_hz; /* of the input */
  double grid_hz;
  double latency_ms;
  double max_gap_ms; /* 0: the default */
  double seconds;
  double jitter;       /* share of a period, later only */
  double loss;         /* share of messages that never come */
  double duplicates;   /* share of messages that come twice */
  double swaps;        /* share of messages that come after their successor */
  double from, to;     /* seconds in which there are messages; 0, 0 is always */
  double stall, until; /* seconds in which there are none */
  double min_valid;    /* share of ticks that must be valid: the test tests something */
  double max_valid;
} Case;

static const Case cases[] = {
  { "1-hz", 1, 100, 1100, 0, 8, .min_valid = 0.99, .max_valid = 1 },
  { "1-hz-held", 1, 100, 100, 0, 8, .min_valid = 0.99, .max_valid = 1 },
  { "1-hz-jitter", 1, 50, 2000, 0, 12, .jitter = 0.9, .min_valid = 0.9, .max_valid = 1 },
  { "30-hz", 30, 100, 100, 0, 3, .min_valid = 0.99, .max_valid = 1 },
  { "65-hz-tracker", 65, 100, 100, 0, 3, .jitter = 0.8, .min_valid = 0.99, .max_valid = 1 },
  { "same-rate", 100, 100, 100, 0, 3, .min_valid = 0.99, .max_valid = 1 },
  { "120-hz-glove", 120, 100, 100, 0, 4, .jitter = 0.5, .loss = 0.02, .min_valid = 0.97,
    .max_valid = 1 },
  { "220-hz-on-60", 220, 60, 50, 0, 3, .jitter = 0.3, .min_valid = 0.99, .max_valid = 1 },
  { "1000-hz", 1000, 100, 20, 0, 2, .jitter = 0.5, .min_valid = 0.99, .max_valid = 1 },
  { "2000-hz", 2000, 100, 100, 0, 1, .jitter = 0.9, .min_valid = 0.99, .max_valid = 1 },
  { "2000-hz-on-2000", 2000, 2000, 20, 0, 1, .jitter = 0.9, .min_valid = 0.98, .max_valid = 1 },
  { "120-hz-on-1000", 120, 1000, 100, 0, 2, .jitter = 0.5, .min_valid = 0.99, .max_valid = 1 },
  { "2000-hz-on-0.5", 2000, 0.5, 100, 0, 9, .min_valid = 0.7, .max_valid = 1 },
  { "29.97-grid", 120, 29.97, 100, 0, 5, .min_valid = 0.99, .max_valid = 1 },
  { "no-latency", 120, 100, 0, 0, 2, .min_valid = 0.99, .max_valid = 1 },
  { "heavy-loss", 120, 100, 100, 0, 4, .jitter = 0.5, .loss = 0.6, .min_valid = 0.2,
    .max_valid = 0.9 },
  { "heavy-loss-wide-gap", 120, 100, 200, 150, 4, .jitter = 0.5, .loss = 0.6, .min_valid = 0.95,
    .max_valid = 1 },
  { "duplicates", 120, 100, 100, 0, 3, .duplicates = 0.5, .min_valid = 0.99, .max_valid = 1 },
  { "reordered", 120, 100, 100, 0, 3, .swaps = 0.3, .min_valid = 0.95, .max_valid = 1 },
  { "everything", 500, 100, 60, 10, 4, .jitter = 0.9, .loss = 0.2, .duplicates = 0.2, .swaps = 0.2,
    .min_valid = 0.8, .max_valid = 1 },
  { "starts-late", 120, 100, 100, 0, 3, .from = 1.2, .to = 9, .min_valid = 0.59, .max_valid = 0.6 },
  { "ends-early", 120, 100, 100, 0, 3, .from = 0, .to = 1.5, .min_valid = 0.49, .max_valid = 0.51 },
  { "stalls", 120, 100, 100, 0, 3, .stall = 1, .until = 2, .min_valid = 0.65, .max_valid = 0.67 },
  { "short-stall-bridged", 120, 100, 300, 250, 3, .stall = 1, .until = 1.2, .min_valid = 0.99,
    .max_valid = 1 },
  { "stall-longer-than-latency", 120, 100, 20, 250, 3, .stall = 1, .until = 1.2, .min_valid = 0.99,
    .max_valid = 1 },
  { "ends-and-comes-back", 30, 100, 100, 0, 4, .from = 0.5, .to = 3.5, .stall = 1.1, .until = 2.9,
    .min_valid = 0.25, .max_valid = 0.35 },
  { "never", 120, 100, 100, 0, 2, .from = 8, .to = 9, .min_valid = 0, .max_valid = 0 },
};

typedef struct {
  gint64 host_ns; /* as the engine will have it: strictly increasing */
  gint64 made_ns; /* when it was measured */
} Message;

typedef struct {
  const Case *c;
  gint64 start_ns;
  GArray *messages; /* of Message, in order of arrival */
  gint64 displaced_ns;
} Input;

static double
seconds_of (const Input *self, gint64 host_ns)
{
  return (host_ns - self->start_ns) * 1e-9;
}

static gboolean
is_silent (const Case *c, double t)
{
  return (c->to > 0 && (t < c->from || t >= c->to)) || (t >= c->stall && t < c->until);
}

static void
swap_some (const Case *c, GArray *messages, GRand *rand)
{
  for (guint i = 0; i + 1 < messages->len; i++) {
    Message *pair = &g_array_index (messages, Message, i);

    if (g_rand_double (rand) >= c->swaps)
      continue;
    Message first = pair[0];
    pair[0] = pair[1];
    pair[1] = first;
    i++;
  }
}

static void
make_messages (Input *self, GRand *rand)
{
  const Case *c = self->c;
  gint64 last_ns = 0;

  for (guint i = 0; i < c->seconds * c->rate_hz; i++) {
    double t = (i + c->jitter * g_rand_double (rand)) / c->rate_hz;
    Message message = { 0, self->start_ns + (gint64) (t * 1e9) };

    if (is_silent (c, t) || g_rand_double (rand) < c->loss)
      continue;
    g_array_append_val (self->messages, message);
    if (g_rand_double (rand) < c->duplicates)
      g_array_append_val (self->messages, message);
  }
  swap_some (c, self->messages, rand);
  for (guint i = 0; i < self->messages->len; i++) {
    Message *message = &g_array_index (self->messages, Message, i);

    message->host_ns = MAX (message->made_ns, last_ns + 1);
    last_ns = message->host_ns;
    self->displaced_ns = MAX (self->displaced_ns, message->host_ns - message->made_ns);
  }
}

static void
push (const Input *self, AcqStream *stream, guint i)
{
  const Message *message = &g_array_index (self->messages, Message, i);
  Signal signal = signal_at (seconds_of (self, message->made_ns));
  AcqFrame *frame;

  signal.number = i + 1;
  signal_write (&signal, acq_imu_begin (stream, &frame));
  frame->host_ns = message->made_ns;
  acq_stream_push (stream, frame, 0, ACQ_TIME_NONE);
  g_assert_cmpint (message->host_ns, >=, message->made_ns);
}

static void
run (const Input *self, AcqHarness *h, AcqStream *stream)
{
  gint64 end_ns = self->start_ns + (gint64) (self->c->seconds * 1e9);
  guint i = 0;

  while (acq_harness_now (h) < end_ns) {
    acq_harness_advance (h, MIN (7 * MS, end_ns - acq_harness_now (h)));
    for (; i < self->messages->len &&
           g_array_index (self->messages, Message, i).host_ns <= acq_harness_now (h);
         i++)
      push (self, stream, i);
  }
  acq_harness_stop (h);
}

/* The messages around a tick; behind it only what it waits for, and what came before the stop. */
static void
find_around (const Input *self, gint64 tick_ns, gint64 known_ns, int *before, int *after)
{
  *before = -1;
  *after = -1;
  for (guint i = 0; i < self->messages->len; i++) {
    gint64 host_ns = g_array_index (self->messages, Message, i).host_ns;

    if (host_ns > known_ns)
      return;
    if (host_ns <= tick_ns)
      *before = i;
    else {
      *after = i;
      return;
    }
  }
}

static void
check_blend (const Input *self, const AcqImu *imu, gint64 tick_ns, gint64 apart_ns)
{
  Signal truth = signal_at (seconds_of (self, tick_ns));
  double moved = self->displaced_ns * 1e-9;
  double bow = (apart_ns * 1e-9) * (apart_ns * 1e-9) / 8;

  g_assert_cmpfloat (fabs (imu->angular_velocity.x - truth.line), <=,
                     signal_slope.line * moved + 1e-8);
  g_assert_cmpfloat (fabs (imu->linear_acceleration.y - truth.sine), <=,
                     signal_slope.sine * moved + signal_curve.sine * bow + 1e-8);
  g_assert_cmpfloat (signal_angle_error (imu, truth.angle), <=,
                     signal_slope.angle * moved + signal_curve.angle * bow + 1e-7);
}

static void
check_held (const Input *self, const AcqImu *imu, gint64 made_ns)
{
  Signal truth = signal_at (seconds_of (self, made_ns));

  g_assert_cmpfloat (imu->angular_velocity.x, ==, truth.line);
  g_assert_cmpfloat (imu->linear_acceleration.y, ==, truth.sine);
  g_assert_cmpfloat (signal_angle_error (imu, truth.angle), <=, 1e-7);
}

static void
check_invalid (const AcqImu *imu)
{
  g_assert_true (isnan (imu->angular_velocity.x) && isnan (imu->angular_velocity.z));
  g_assert_true (isnan (imu->linear_acceleration.y));
  g_assert_true (isnan (imu->orientation.x) && isnan (imu->orientation.w));
}

/* Returns whether the tick had to be valid. */
static gboolean
check_tick (const Input *self, const AcqFrame *frame, gint64 tick_ns, gint64 stop_ns)
{
  const Case *c = self->c;
  const AcqImu *imu = (const AcqImu *) frame->payload;
  const Message *messages = (const Message *) (void *) self->messages->data;
  gint64 gap_ns = (gint64) (c->max_gap_ms > 0 ? c->max_gap_ms * 1e6 : 3e9 / c->rate_hz);
  gint64 known_ns = MIN (tick_ns + (gint64) (c->latency_ms * 1e6), stop_ns);
  int before, after;
  gint64 apart_ns;
  gboolean valid;

  find_around (self, tick_ns, known_ns, &before, &after);
  apart_ns =
      before < 0 ? 0 : (after < 0 ? known_ns : messages[after].host_ns) - messages[before].host_ns;
  valid = before >= 0 && (messages[before].host_ns == tick_ns || apart_ns <= gap_ns);
  g_assert_cmpint (frame->host_ns, ==, tick_ns);
  g_assert_cmpint ((frame->flags & ACQ_FRAME_INVALID) == 0, ==, valid);
  g_assert_cmpfloat (imu->orientation_covariance[0], ==, before + 1);
  if (!valid)
    check_invalid (imu);
  else if (after >= 0 && messages[before].host_ns != tick_ns)
    check_blend (self, imu, tick_ns, apart_ns);
  else
    check_held (self, imu, messages[before].made_ns);
  return valid;
}

static void
check (const Input *self, AcqHarness *h)
{
  const Case *c = self->c;
  gint64 stop_ns = acq_harness_now (h);
  guint n = 0, n_valid = 0;

  for (;; n++) {
    gint64 tick_ns = self->start_ns + (gint64) llround (n * 1e9 / c->grid_hz);
    g_autoptr (AcqFrame) frame = NULL;
    g_autoptr (AcqFrame) valid_frame = NULL;
    gboolean valid;

    if (tick_ns >= stop_ns)
      break;
    frame = acq_harness_pop (h, "imu_palm");
    valid_frame = acq_harness_pop (h, "valid");
    g_assert_nonnull (frame);
    g_assert_nonnull (valid_frame);
    valid = check_tick (self, frame, tick_ns, stop_ns);
    n_valid += valid;
    g_assert_cmpint (valid_frame->host_ns, ==, tick_ns);
    g_assert_cmpint (((const AcqGridValid *) valid_frame->payload)->valid[0], ==, valid);
  }
  g_assert_cmpuint (acq_harness_count (h, "imu_palm"), ==, n);
  g_assert_cmpuint (acq_harness_count (h, "valid"), ==, n);
  g_assert_cmpfloat (n_valid, >=, c->min_valid * n);
  g_assert_cmpfloat (n_valid, <=, c->max_valid * n);
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  AcqStreamInfo info = { .name = "palm", .schema = &acq_imu_schema, .rate_hz = c->rate_hz };
  g_autoptr (AcqHarness) h = resampler_rig_new (c->grid_hz, c->latency_ms, c->max_gap_ms);
  g_autoptr (AcqSnapshot) snapshot = NULL;
  AcqStream *stream = acq_harness_add_input (h, "imu", &info);
  g_autoptr (GRand) rand = g_rand_new_with_seed (20260101);
  Input input = { .c = c, .messages = g_array_new (FALSE, FALSE, sizeof (Message)) };

  g_assert_true (acq_harness_start (h, NULL));
  input.start_ns = acq_harness_now (h);
  make_messages (&input, rand);
  run (&input, h, stream);
  check (&input, h);
  snapshot = acq_harness_snapshot (h);
  g_assert_cmpuint (acq_snapshot_find_stream (snapshot, "grid.imu_palm")->counters[ACQ_STREAM_LATE],
                    ==, 0);
  g_assert_cmpuint (acq_harness_count_events (h, "late"), ==, 0);
  g_array_unref (input.messages);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strconcat ("/resampler/signals/", cases[i].name, NULL);

    g_test_add_data_func (path, &cases[i], test_case);
  }
  return g_test_run ();
}
