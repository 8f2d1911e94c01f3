/* SPDX-License-Identifier: Apache-2.0 */

/* What a transform is told about time: how far its inputs are known, and what the engine adds to
 * its latency. */

#include <acq/acq-harness.h>
#include <acq/acq.h>

#define MS G_GINT64_CONSTANT (1000000)

typedef struct {
  AcqTransform parent_instance;
  AcqStream *out;
  gint64 handed_ns; /* the newest message so far */
  gint64 complete_ns;
  gint64 delay_ns;
  guint n_ticks;
  guint n_behind; /* ticks at which messages were still waiting */
} TestProbe;

typedef struct {
  AcqTransformClass parent_class;
} TestProbeClass;

GType test_probe_get_type (void);
G_DEFINE_TYPE (TestProbe, test_probe, ACQ_TYPE_TRANSFORM)

static gboolean
test_probe_add_link (AcqTransform *transform, AcqLink *link, GError **error)
{
  ((TestProbe *) transform)->delay_ns = acq_transform_get_delay (transform);
  return TRUE;
}

static gboolean
test_probe_process (AcqTransform *transform, const AcqItem *items, guint n, GError **error)
{
  TestProbe *self = (TestProbe *) transform;

  for (guint i = 0; i < n; i++) {
    g_assert_cmpint (items[i].frame->host_ns, >, self->complete_ns);
    self->handed_ns = items[i].frame->host_ns;
  }
  return TRUE;
}

static gboolean
test_probe_tick (AcqTransform *transform, gint64 now_ns, GError **error)
{
  TestProbe *self = (TestProbe *) transform;

  self->complete_ns = acq_transform_get_complete (transform);
  self->n_ticks++;
  self->n_behind += self->complete_ns < now_ns - self->delay_ns;
  return TRUE;
}

static void
test_probe_class_init (TestProbeClass *klass)
{
  AcqTransformClass *transform = ACQ_TRANSFORM_CLASS (klass);

  transform->add_link = test_probe_add_link;
  transform->process = test_probe_process;
  transform->tick = test_probe_tick;
}

static void
test_probe_init (TestProbe *self)
{
}

static void
push (AcqStream *stream, gint64 host_ns)
{
  AcqFrame *frame;

  acq_illuminance_begin (stream, &frame);
  frame->host_ns = host_ns;
  acq_stream_push (stream, frame, 0, ACQ_TIME_NONE);
}

/* A transform that fell behind is not told that it knows what still waits. */
static void
test_complete (void)
{
  g_autoptr (AcqHarness) h = acq_harness_new (g_object_new (test_probe_get_type (), NULL), "probe");
  TestProbe *probe = (TestProbe *) acq_harness_get_node (h);
  AcqStreamInfo info = { .name = "lux", .schema = &acq_illuminance_schema, .rate_hz = 2000 };
  AcqStream *fast = acq_harness_add_input (h, "lamp", &info);
  gint64 start_ns;

  g_assert_true (acq_harness_start (h, NULL));
  acq_harness_advance (h, 20 * MS);
  start_ns = acq_harness_now (h);
  g_assert_cmpint (probe->complete_ns, ==, start_ns - 10 * MS);
  g_assert_cmpint (probe->n_behind, ==, 0);

  /* A second of 2 kHz at once: several rounds, the first of which also ticks. */
  for (int i = 1; i <= 2000; i++)
    push (fast, start_ns + i * MS / 2);
  acq_harness_advance (h, 1010 * MS);
  g_assert_cmpint (probe->n_behind, ==, 1);
  g_assert_cmpint (probe->complete_ns, <, start_ns + 200 * MS);
  g_assert_cmpint (probe->handed_ns, ==, start_ns + 1000 * MS);
  acq_harness_advance (h, 10 * MS);
  g_assert_cmpint (probe->complete_ns, ==, start_ns + 1010 * MS);
}

static void
test_delay (void)
{
  g_autoptr (AcqHarness) h = acq_harness_new (g_object_new (test_probe_get_type (), NULL), "probe");
  TestProbe *probe = (TestProbe *) acq_harness_get_node (h);
  AcqStreamInfo info = { .name = "lux", .schema = &acq_illuminance_schema };

  acq_harness_add_input (h, "lamp", &info);
  g_assert_true (acq_harness_start (h, NULL));
  g_assert_cmpint (probe->delay_ns, ==, 20 * MS);
  info.name = "slow";
  info.latency_ns = 150 * MS;
  push (acq_harness_add_input (h, "lamp", &info), acq_harness_now (h));
  acq_harness_advance (h, 10 * MS);
  g_assert_cmpint (probe->delay_ns, ==, 170 * MS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/complete", test_complete);
  g_test_add_func ("/transform/delay", test_delay);
  return g_test_run ();
}
