/* SPDX-License-Identifier: Apache-2.0 */

/* Sources and sinks that fail, hang, get lost and come back: who is named, and what goes on. */

#include <pthread.h>
#include <string.h>

#include <acq/acq-harness.h>
#include <acq/acq.h>

/* A source with every fault. */

typedef struct {
  AcqSource parent_instance;
  gboolean fail_open;
  gint64 lose_after; /* messages; 0 is never */
  gboolean lose_once;
  gboolean hang_open;
  gboolean hang_close;
  gboolean use_thread; /* push from a thread of its own, and lose from there */
  AcqStream *lux;
  guint opened, closed;
  GThread *thread;
} TestFaulty;

typedef struct {
  AcqSourceClass parent_class;
} TestFaultyClass;

GType test_faulty_get_type (void);
G_DEFINE_TYPE (TestFaulty, test_faulty, ACQ_TYPE_SOURCE)

/* Hanging calls wait here until the test lets them go. */
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_cond = PTHREAD_COND_INITIALIZER;
static gboolean gate_open;

static void
hang (void)
{
  pthread_mutex_lock (&gate_lock);
  while (!gate_open)
    pthread_cond_wait (&gate_cond, &gate_lock);
  pthread_mutex_unlock (&gate_lock);
}

static void
set_gate (gboolean is_open)
{
  pthread_mutex_lock (&gate_lock);
  gate_open = is_open;
  pthread_cond_broadcast (&gate_cond);
  pthread_mutex_unlock (&gate_lock);
}

static void
push_one (TestFaulty *self, double value)
{
  AcqFrame *frame;

  acq_illuminance_begin (self->lux, &frame)->illuminance = value;
  acq_stream_push (self->lux, frame, 0, ACQ_TIME_NONE);
}

static gpointer
push_thread (gpointer data)
{
  TestFaulty *self = data;

  for (gint64 i = 0; i < self->lose_after; i++)
    push_one (self, i);
  acq_source_lost (ACQ_SOURCE (self), "silence", "nothing came from its thread");
  return NULL;
}

static gboolean
test_faulty_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  TestFaulty *self = (TestFaulty *) node;

  self->opened++;
  if (self->hang_open)
    hang ();
  if (self->fail_open) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE, "no lamp on socket 7; plug it in");
    return FALSE;
  }
  self->lux = acq_source_add_stream (
      ACQ_SOURCE (node),
      &(AcqStreamInfo){ .name = "lux", .schema = &acq_illuminance_schema, .rate_hz = 1000 });
  if (self->use_thread && self->opened == 1)
    self->thread = g_thread_new ("push", push_thread, self);
  return TRUE;
}

static gboolean
test_faulty_run (AcqSource *source, GCancellable *cancellable, GError **error)
{
  TestFaulty *self = (TestFaulty *) source;
  g_autoptr (GMainContext) context = g_main_context_ref (acq_source_get_context (source));

  if (self->lose_after > 0 && !self->use_thread && (!self->lose_once || self->opened == 1)) {
    for (gint64 i = 0; i < self->lose_after; i++)
      push_one (self, i);
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE, "the lamp went out");
    return FALSE;
  }
  if (!self->use_thread)
    push_one (self, -1);
  while (!g_cancellable_is_cancelled (cancellable))
    g_main_context_iteration (context, TRUE);
  return TRUE;
}

static void
test_faulty_close (AcqNode *node)
{
  TestFaulty *self = (TestFaulty *) node;

  self->closed++;
  if (self->hang_close)
    hang ();
  if (self->thread != NULL)
    g_thread_join (g_steal_pointer (&self->thread));
}

static const AcqOption options[] = {
  { "fail-open", ACQ_FIELD_BOOL (TestFaulty, fail_open), .help = "Refuse to open" },
  { "lose-after", ACQ_FIELD_INT (TestFaulty, lose_after), .help = "Get lost after so many" },
  { "lose-once", ACQ_FIELD_BOOL (TestFaulty, lose_once), .help = "Only the first time" },
  { "hang-open", ACQ_FIELD_BOOL (TestFaulty, hang_open), .help = "Never return from open" },
  { "hang-close", ACQ_FIELD_BOOL (TestFaulty, hang_close), .help = "Never return from close" },
  { "use-thread", ACQ_FIELD_BOOL (TestFaulty, use_thread), .help = "Push from a thread" },
};

static void
test_faulty_class_init (TestFaultyClass *klass)
{
  ACQ_NODE_CLASS (klass)->open = test_faulty_open;
  ACQ_NODE_CLASS (klass)->close = test_faulty_close;
  ACQ_SOURCE_CLASS (klass)->run = test_faulty_run;
  acq_node_class_add_options (ACQ_NODE_CLASS (klass), options, G_N_ELEMENTS (options));
}

static void
test_faulty_init (TestFaulty *self)
{
}

static AcqHarness *
faulty (const char *const *settings)
{
  AcqHarness *h = acq_harness_new (g_object_new (test_faulty_get_type (), NULL), "lamp");

  acq_harness_set_live (h);
  acq_harness_set (h, "retry-min", "0.01");
  acq_harness_set (h, "retry-max", "0.02");
  for (guint i = 0; settings[i] != NULL; i += 2)
    acq_harness_set (h, settings[i], settings[i + 1]);
  return h;
}

static void
test_open_fails (void)
{
  g_autoptr (AcqHarness) h = faulty ((const char *[]){ "fail-open", "true", NULL });
  g_autoptr (GError) error = NULL;

  g_assert_false (acq_harness_start (h, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE);
  g_assert_cmpstr (error->message, ==, "lamp: no lamp on socket 7; plug it in");
}

/* Not required: the graph starts, the source is tried again and again. */
static void
test_open_fails_optional (void)
{
  g_autoptr (AcqHarness) h = faulty ((const char *[]){ "fail-open", "true", NULL });
  TestFaulty *lamp = (TestFaulty *) acq_harness_get_node (h);

  acq_graph_set_required (acq_harness_get_graph (h), "lamp", FALSE);
  g_assert_true (acq_harness_start (h, NULL));
  g_assert_nonnull (acq_harness_wait_event (h, "open_failed", 5));
  g_assert_true (acq_harness_wait_state (h, ACQ_NODE_LOST, 5));
  acq_harness_stop (h);
  g_assert_cmpuint (acq_harness_count_events (h, "open_failed"), ==, 1);
  g_assert_cmpuint (lamp->opened, >=, 1);
  g_assert_cmpuint (lamp->opened, ==, lamp->closed);
}

static void
test_reconnect (gconstpointer from_thread)
{
  g_autoptr (AcqHarness) h =
      faulty ((const char *[]){ "lose-after", "10", "lose-once", "true", "use-thread",
                                from_thread ? "true" : "false", NULL });
  const AcqEvent *back;
  g_autoptr (AcqSnapshot) snapshot = NULL;
  TestFaulty *lamp = (TestFaulty *) acq_harness_get_node (h);

  g_assert_true (acq_harness_start (h, NULL));
  g_assert_nonnull (acq_harness_wait_event (h, from_thread ? "silence" : "lost", 5));
  g_assert_nonnull (acq_harness_wait_event (h, "reconnected", 5));
  if (!from_thread)
    g_assert_true (acq_harness_wait_frames (h, "lux", 11, 5));
  back = acq_harness_find_event (h, "reconnected");
  g_assert_cmpint (back->to_ns, >, back->from_ns);
  acq_harness_stop (h);
  snapshot = acq_harness_snapshot (h);
  /* The stream is the same one before and after. */
  g_assert_cmpuint (acq_snapshot_find_stream (snapshot, "lamp.lux")->frames, ==,
                    from_thread ? 10 : 11);
  g_assert_cmpuint (lamp->opened, ==, 2);
  g_assert_cmpuint (lamp->closed, ==, 2);
  g_assert_cmpuint (((AcqNodeSnapshot *) snapshot->nodes->pdata[0])->reconnects, ==, 1);
}

static void
test_stuck_open (void)
{
  AcqHarness *h = faulty ((const char *[]){ "hang-open", "true", "open-timeout", "0.2", NULL });
  g_autoptr (GError) error = NULL;
  gint64 begin = g_get_monotonic_time ();

  set_gate (FALSE);
  g_assert_false (acq_harness_start (h, &error));
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 3 * G_USEC_PER_SEC);
  g_assert_nonnull (strstr (error->message, "lamp: it did not answer in time"));
  g_assert_cmpint (acq_node_get_state (acq_harness_get_node (h)), ==, ACQ_NODE_STUCK);
  /* The abandoned thread comes back late, and touches nothing that is gone. */
  set_gate (TRUE);
  acq_harness_free (h);
}

static void
test_stuck_close (void)
{
  AcqHarness *h = faulty ((const char *[]){ "hang-close", "true", NULL });
  gint64 begin;

  set_gate (FALSE);
  g_assert_true (acq_harness_start (h, NULL));
  g_assert_true (acq_harness_wait_frames (h, "lux", 1, 5));
  begin = g_get_monotonic_time ();
  acq_harness_stop (h);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 9 * G_USEC_PER_SEC);
  g_assert_nonnull (acq_harness_find_event (h, "stuck"));
  g_assert_cmpint (acq_node_get_state (acq_harness_get_node (h)), ==, ACQ_NODE_STUCK);
  set_gate (TRUE);
  acq_harness_free (h);
}

/* Sinks with faults. */

typedef struct {
  AcqSink parent_instance;
  guint fail_at; /* the n-th frame */
  gboolean hang;
  gboolean full; /* fail as a full disk does */
  guint n;
  guint ended;
} TestBadSink;

typedef struct {
  AcqSinkClass parent_class;
} TestBadSinkClass;

GType test_bad_sink_get_type (void);
G_DEFINE_TYPE (TestBadSink, test_bad_sink, ACQ_TYPE_SINK)

static gboolean
test_bad_sink_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  TestBadSink *self = (TestBadSink *) sink;

  for (guint i = 0; i < n; i++) {
    if (++self->n == self->fail_at) {
      g_set_error (error, ACQ_ERROR, self->full ? ACQ_ERROR_NO_SPACE : ACQ_ERROR_FAILED, "no ink");
      return FALSE;
    }
    acq_link_settle_written (items[i].link, 1);
  }
  if (self->hang)
    hang ();
  return TRUE;
}

static gboolean
test_bad_sink_end (AcqSink *sink, AcqTake *take, GError **error)
{
  ((TestBadSink *) sink)->ended++;
  return TRUE;
}

static void
test_bad_sink_class_init (TestBadSinkClass *klass)
{
  ACQ_SINK_CLASS (klass)->write = test_bad_sink_write;
  ACQ_SINK_CLASS (klass)->end = test_bad_sink_end;
}

static void
test_bad_sink_init (TestBadSink *self)
{
}

static AcqHarness *
with_bad_sink (TestBadSink **ret_sink)
{
  AcqHarness *h = acq_harness_new (g_object_new (test_faulty_get_type (), NULL), "lamp");

  acq_harness_set_live (h);
  acq_harness_set (h, "lose-after", "100");
  acq_harness_set (h, "retry-min", "0.05");
  *ret_sink = g_object_new (test_bad_sink_get_type (), NULL);
  acq_harness_add_node (h, ACQ_NODE (*ret_sink), "paper");
  acq_graph_connect (acq_harness_get_graph (h), ACQ_NODE (*ret_sink), "*", NULL, NULL);
  return h;
}

static void
check_bad_link (AcqHarness *h, guint64 written, AcqFailCause cause)
{
  g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (h);
  const AcqStreamSnapshot *stream = acq_snapshot_find_stream (snapshot, "lamp.lux");

  for (guint i = 0; i < stream->links->len; i++) {
    const AcqLinkSnapshot *link = &g_array_index (stream->links, AcqLinkSnapshot, i);
    const AcqLinkCounters *n = &link->counters;

    g_assert_cmpuint (n->offered, ==, stream->frames);
    g_assert_cmpuint (n->pending + n->queued, ==, 0);
    if (g_str_equal (link->sink, "paper")) {
      g_assert_cmpuint (n->written, ==, written);
      g_assert_cmpuint (n->failed[cause], >=, 1);
    } else
      g_assert_cmpuint (n->written, ==, stream->frames);
  }
}

static void
test_sink_fails (gconstpointer full)
{
  TestBadSink *sink;
  g_autoptr (AcqHarness) h = with_bad_sink (&sink);

  sink->fail_at = 42;
  sink->full = full != NULL;
  g_assert_true (acq_harness_start (h, NULL));
  g_assert_nonnull (acq_harness_wait_event (h, "failed", 5));
  g_assert_cmpint (acq_graph_check (acq_harness_get_graph (h)), ==, ACQ_GRAPH_SINK_FAILED);
  /* The other sink goes on. */
  g_assert_true (acq_harness_wait_frames (h, "lux", 150, 5));
  acq_harness_stop (h);
  g_assert_cmpuint (sink->ended, ==, 1);
  check_bad_link (h, 41, full != NULL ? ACQ_FAIL_NO_SPACE : ACQ_FAIL_SINK);
  g_object_unref (sink);
}

static void
test_sink_hangs (void)
{
  TestBadSink *sink;
  AcqHarness *h = with_bad_sink (&sink);
  gint64 begin;

  set_gate (FALSE);
  sink->hang = TRUE;
  g_assert_true (acq_harness_start (h, NULL));
  g_assert_true (acq_harness_wait_frames (h, "lux", 100, 5));
  begin = g_get_monotonic_time ();
  acq_graph_stop (acq_harness_get_graph (h), 1);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 3 * G_USEC_PER_SEC);
  g_assert_nonnull (acq_harness_find_event (h, "stuck"));
  {
    g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (h);
    const AcqStreamSnapshot *stream = acq_snapshot_find_stream (snapshot, "lamp.lux");

    for (guint i = 0; i < stream->links->len; i++) {
      const AcqLinkCounters *n = &g_array_index (stream->links, AcqLinkSnapshot, i).counters;

      g_assert_cmpuint (n->pending + n->queued, ==, 0);
      g_assert_cmpuint (n->offered, ==, stream->frames);
    }
  }
  set_gate (TRUE);
  g_object_unref (sink);
  acq_harness_stop (h);
  acq_harness_free (h);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lifecycle/open-fails", test_open_fails);
  g_test_add_func ("/lifecycle/open-fails-optional", test_open_fails_optional);
  g_test_add_data_func ("/lifecycle/reconnect/run", NULL, test_reconnect);
  g_test_add_data_func ("/lifecycle/reconnect/thread", GINT_TO_POINTER (1), test_reconnect);
  g_test_add_func ("/lifecycle/stuck-open", test_stuck_open);
  g_test_add_func ("/lifecycle/stuck-close", test_stuck_close);
  g_test_add_data_func ("/lifecycle/sink-fails", NULL, test_sink_fails);
  g_test_add_data_func ("/lifecycle/sink-full", GINT_TO_POINTER (1), test_sink_fails);
  g_test_add_func ("/lifecycle/sink-hangs", test_sink_hangs);
  return g_test_run ();
}
