/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The counters of a link against a list model: random pushes, rounds and
 * settlements, for each policy; and the balance after every step.
 */

#include <acq/acq-harness.h>
#include <acq/acq.h>

#define MS G_GINT64_CONSTANT (1000000)
#define CAPACITY 64 /* the least that a link has */

/* A sink that settles when the test says so. */

typedef struct {
  AcqSink parent_instance;
  AcqLink *link;
  guint taken;
} TestHolder;

typedef struct {
  AcqSinkClass parent_class;
} TestHolderClass;

GType test_holder_get_type (void);
G_DEFINE_TYPE (TestHolder, test_holder, ACQ_TYPE_SINK)

static gboolean
test_holder_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  TestHolder *self = (TestHolder *) sink;

  self->link = items[0].link;
  self->taken += n;
  return TRUE;
}

static gboolean
test_holder_end (AcqSink *sink, AcqTake *take, GError **error)
{
  TestHolder *self = (TestHolder *) sink;

  if (self->link != NULL)
    acq_link_settle_written (self->link, self->taken);
  self->taken = 0;
  return TRUE;
}

static void
test_holder_class_init (TestHolderClass *klass)
{
  ACQ_SINK_CLASS (klass)->write = test_holder_write;
  ACQ_SINK_CLASS (klass)->end = test_holder_end;
}

static void
test_holder_init (TestHolder *self)
{
}

typedef struct {
  guint64 offered, written, failed, dropped;
  guint queued, pending;
} Model;

static const AcqLinkCounters *
read_link (AcqSnapshot *snapshot)
{
  const AcqStreamSnapshot *stream = acq_snapshot_find_stream (snapshot, "lamp.lux");

  return &g_array_index (stream->links, AcqLinkSnapshot, 0).counters;
}

static void
compare (AcqHarness *h, const Model *model, AcqDropCause cause)
{
  g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (h);
  const AcqLinkCounters *n = read_link (snapshot);

  g_assert_cmpuint (n->offered, ==, model->offered);
  g_assert_cmpuint (n->written, ==, model->written);
  g_assert_cmpuint (n->dropped[cause], ==, model->dropped);
  g_assert_cmpuint (n->failed[ACQ_FAIL_ENCODE], ==, model->failed);
  g_assert_cmpuint (n->pending, ==, model->pending);
  g_assert_cmpuint (n->queued, ==, model->queued);
  g_assert_cmpuint (n->high_water, <=, CAPACITY);
}

static void
push_some (AcqHarness *h, AcqStream *lux, Model *model, guint n)
{
  for (guint i = 0; i < n; i++) {
    AcqFrame *frame;

    acq_illuminance_begin (lux, &frame)->illuminance = i;
    acq_stream_push (lux, frame, 0, ACQ_TIME_NONE);
    model->offered++;
    if (model->queued < CAPACITY)
      model->queued++;
    else
      model->dropped++;
  }
}

static void
settle_some (TestHolder *sink, Model *model, GRand *random)
{
  guint n = g_rand_int_range (random, 0, model->pending + 1);
  guint bad = g_rand_int_range (random, 0, n + 1);

  if (n == 0)
    return;
  acq_link_settle_written (sink->link, n - bad);
  acq_link_settle_failed (sink->link, bad, ACQ_FAIL_ENCODE);
  model->written += n - bad;
  model->failed += bad;
  model->pending -= n;
  sink->taken -= n;
}

static void
test_model (gconstpointer data)
{
  AcqWhenFull policy = GPOINTER_TO_INT (data);
  AcqDropCause cause = policy == ACQ_WHEN_FULL_DROP_OLDEST ? ACQ_DROP_OLDEST : ACQ_DROP_NEWEST;
  g_autoptr (GRand) random = g_rand_new_with_seed (7 + policy);
  g_autoptr (AcqHarness) h =
      acq_harness_new (g_object_new (test_holder_get_type (), NULL), "holder");
  TestHolder *sink = (TestHolder *) acq_harness_get_node (h);
  AcqQueueConfig queue = { .seconds = 0.001, .max_bytes = 0, .when_full = policy };
  AcqStream *lux = acq_harness_add_input (
      h, "lamp",
      &(AcqStreamInfo){ .name = "lux", .schema = &acq_illuminance_schema, .rate_hz = 100 });
  Model model = { 0 };

  acq_graph_connect (acq_harness_get_graph (h), ACQ_NODE (sink), "lamp", &queue, NULL);
  g_assert_true (acq_harness_start (h, NULL));
  for (int step = 0; step < 2000; step++) {
    switch (g_rand_int_range (random, 0, 3)) {
    case 0:
      push_some (h, lux, &model, g_rand_int_range (random, 0, 90));
      break;
    case 1:
      acq_harness_advance (h, 50 * MS);
      model.pending += model.queued;
      model.queued = 0;
      break;
    default:
      settle_some (sink, &model, random);
      break;
    }
    compare (h, &model, cause);
  }
  acq_harness_stop (h);
  model.written += model.pending + model.queued;
  model.pending = model.queued = 0;
  compare (h, &model, cause);
}

/* A pool at its budget: the push is counted, by cause, and nothing is stored. */
static void
test_memory_budget (void)
{
  g_autoptr (AcqHarness) h =
      acq_harness_new (g_object_new (test_holder_get_type (), NULL), "holder");
  AcqStream *blob = acq_harness_add_input (
      h, "lamp",
      &(AcqStreamInfo){
          .name = "blob", .schema = &acq_raw_schema, .rate_hz = 10, .max_tail = 4 << 20 });
  AcqQueueConfig queue = { .seconds = 1, .max_bytes = 8 << 20, .when_full = -1 };
  g_autoptr (AcqSnapshot) snapshot = NULL;
  const AcqLinkCounters *n;
  g_autoptr (GPtrArray) held = g_ptr_array_new_with_free_func ((GDestroyNotify) acq_frame_unref);

  acq_graph_connect (acq_harness_get_graph (h), acq_harness_get_node (h), "lamp", &queue, NULL);
  g_assert_true (acq_harness_start (h, NULL));
  /* Frames that somebody keeps are not free: 256 MiB of them are beyond the budget here. */
  for (int i = 0; i < 64; i++) {
    AcqFrame *frame;

    acq_raw_begin (blob, 4 << 20, &frame);
    if (!(frame->flags & ACQ_FRAME_SCRATCH)) {
      g_ptr_array_add (held, acq_frame_ref (frame));
      acq_frame_unref (frame);
      continue;
    }
    acq_stream_push (blob, frame, 0, ACQ_TIME_NONE);
  }
  snapshot = acq_harness_snapshot (h);
  n = &g_array_index (acq_snapshot_find_stream (snapshot, "lamp.blob")->links, AcqLinkSnapshot, 0)
           .counters;
  g_assert_cmpuint (n->dropped[ACQ_DROP_MEMORY], >, 0);
  g_assert_cmpuint (n->dropped[ACQ_DROP_MEMORY], ==, n->offered);
  g_assert_cmpuint (n->dropped[ACQ_DROP_MEMORY] + held->len, ==, 64);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/ledger/model/drop-oldest", GINT_TO_POINTER (ACQ_WHEN_FULL_DROP_OLDEST),
                        test_model);
  g_test_add_data_func ("/ledger/model/drop-newest", GINT_TO_POINTER (ACQ_WHEN_FULL_DROP_NEWEST),
                        test_model);
  g_test_add_func ("/ledger/memory-budget", test_memory_budget);
  return g_test_run ();
}
