/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations and losses, on ledgers that are made up. */
#include <string.h>

#include "fake-plugins.h"

#define S G_GINT64_CONSTANT (1000000000)
#define MS G_GINT64_CONSTANT (1000000)

static AcqRegistry *registry;

/* left and right to the sinks disk and two; only `expect` differs. */
static AcqPipeline *
load (const char *expect)
{
  g_autofree char *text = g_strdup_printf ("{'sources':{" FAKE_GLOVES "},'sinks':{" FAKE_DISK
                                           ",'two':{'plugin':'fake-disk'}},'expect':%s}",
                                           expect);

  return fake_load (registry, text, NULL);
}

typedef struct {
  const char *path;
  guint64 frames;
  gint64 first_ns, last_ns, max_gap_ns;
  double rate_hz;
  guint64 lost;
  guint64 dropped[2]; /* oldest, for disk and two */
  guint64 failed;     /* to write, for disk */
} Stream;

static void
free_stream (gpointer data)
{
  AcqStreamSnapshot *stream = data;

  g_array_unref (stream->links);
  g_free (stream);
}

static AcqSnapshot *
make_snapshot (gint64 host_ns, const Stream *streams, gsize n)
{
  static const char *const sinks[] = { "disk", "two" };
  AcqSnapshot *self = g_new0 (AcqSnapshot, 1);

  self->host_ns = host_ns;
  self->ports = g_ptr_array_new ();
  self->nodes = g_ptr_array_new ();
  self->streams = g_ptr_array_new_with_free_func (free_stream);
  for (gsize i = 0; i < n; i++) {
    AcqStreamSnapshot *stream = g_new0 (AcqStreamSnapshot, 1);

    stream->path = streams[i].path;
    stream->frames = streams[i].frames;
    stream->first_ns = streams[i].first_ns;
    stream->last_ns = streams[i].last_ns;
    stream->max_gap_ns = streams[i].max_gap_ns;
    stream->rate_hz = streams[i].rate_hz;
    stream->counters[ACQ_STREAM_LOST] = streams[i].lost;
    stream->links = g_array_new (FALSE, TRUE, sizeof (AcqLinkSnapshot));
    for (gsize k = 0; k < G_N_ELEMENTS (sinks); k++) {
      AcqLinkSnapshot link = { .sink = sinks[k] };

      link.counters.dropped[ACQ_DROP_OLDEST] = streams[i].dropped[k];
      link.counters.failed[ACQ_FAIL_WRITE] = k == 0 ? streams[i].failed : 0;
      g_array_append_val (stream->links, link);
    }
    g_ptr_array_add (self->streams, stream);
  }
  return self;
}

/* Every result as a line: what, stream, + or -, message. */
static char *
evaluate (AcqPipeline *pipeline, gint64 host_ns, const Stream *streams, gsize n, gboolean final)
{
  g_autoptr (AcqSnapshot) snapshot = make_snapshot (host_ns, streams, n);
  g_autoptr (GPtrArray) results = acq_pipeline_evaluate (pipeline, snapshot, final);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < results->len; i++) {
    const AcqExpectation *e = results->pdata[i];

    g_string_append_printf (text, "%s %s %s: %s\n", e->met ? "+" : "-", e->stream, e->what,
                            e->message);
  }
  return g_string_free (text, FALSE);
}

static void
test_final (void)
{
  /* 10 s at 100 Hz: intervals of 10 ms from 0 to 10 s. */
  const Stream good = { "left.tactile", 1001, 100 * S, 110 * S, 10 * MS };
  const struct {
    const char *expect;
    Stream stream;
    const char *result;
  } cases[] = {
    { "{'left.tactile':{'min-rate-hz':100}}", good,
      "+ left.tactile min-rate-hz: measured 100 Hz, wanted at least 100 Hz\n" },
    { "{'left.tactile':{'min-rate-hz':100.5}}", good,
      "- left.tactile min-rate-hz: measured 100 Hz, wanted at least 100.5 Hz\n" },
    { "{'left.tactile':{'max-gap-ms':10}}", good,
      "+ left.tactile max-gap-ms: longest pause 10 ms, allowed are 10 ms\n" },
    { "{'left.tactile':{'max-gap-ms':9.9}}", good,
      "- left.tactile max-gap-ms: longest pause 10 ms, allowed are 9.9 ms\n" },
    { "{'left.tactile':{'max-loss':0.01}}",
      { "left.tactile", 990, 100 * S, 110 * S, 10 * MS, 100, 6, { 1, 4 } },
      "- left.tactile max-loss: 10 of 996 messages are missing (1 %), allowed is 1 %\n" },
    { "{'left.tactile':{'max-loss':0.0101}}",
      { "left.tactile", 990, 100 * S, 110 * S, 10 * MS, 100, 6, { 1, 4 } },
      "+ left.tactile max-loss: 10 of 996 messages are missing (1 %), allowed is 1.01 %\n" },
    /* The last pattern that gives a key counts; each key on its own. */
    { "{'left':{'max-loss':0.5,'min-rate-hz':1000},'*.tactile':{'min-rate-hz':1},'right':{}}", good,
      "- left.hand_skeleton min-rate-hz: no message came\n"
      "- left.hand_skeleton max-loss: no message came\n"
      "+ left.tactile min-rate-hz: measured 100 Hz, wanted at least 1 Hz\n"
      "+ left.tactile max-loss: 0 of 1001 messages are missing (0 %), allowed is 50 %\n"
      "- right.tactile min-rate-hz: no message came\n" },
    { "{'left.tactile':{'required':true},'right.tactile':{'required':true}}", good,
      "+ left.tactile required: it is there\n"
      "- right.tactile required: no message came\n" },
    { "{'right.tactile':{'required':false,'min-rate-hz':10}}", good,
      "+ right.tactile required: it is not there, and not required\n"
      "+ right.tactile min-rate-hz: it is not there, and not required\n" },
    /* Once it is there, what is expected of it holds. */
    { "{'left.tactile':{'required':false,'min-rate-hz':101}}", good,
      "+ left.tactile required: it is there\n"
      "- left.tactile min-rate-hz: measured 100 Hz, wanted at least 101 Hz\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AcqPipeline) pipeline = load (cases[i].expect);
    g_autofree char *result = evaluate (pipeline, 111 * S, &cases[i].stream, 1, TRUE);

    g_test_message ("case %" G_GSIZE_FORMAT, i);
    g_assert_cmpstr (result, ==, cases[i].result);
  }
}

/* A stream that came late or broke off is measured against the whole run, not its own life. */
static void
test_whole_run (void)
{
  const Stream streams[] = {
    { "left.tactile", 1001, 100 * S, 110 * S, 10 * MS },       /* the whole run */
    { "left.hand_skeleton", 801, 102 * S, 110 * S, 10 * MS },  /* within the grace */
    { "right.tactile", 501, 105 * S, 110 * S, 10 * MS },       /* too late */
    { "right.hand_skeleton", 501, 100 * S, 105 * S, 10 * MS }, /* broke off */
  };
  g_autoptr (AcqPipeline) pipeline = load ("{'*':{'min-rate-hz':99,'max-gap-ms':100}}");
  g_autofree char *result = evaluate (pipeline, 111 * S, streams, G_N_ELEMENTS (streams), TRUE);

  g_assert_cmpstr (result, ==,
                   "+ left.hand_skeleton min-rate-hz: measured 100 Hz, wanted at least 99 Hz\n"
                   "+ left.hand_skeleton max-gap-ms: longest pause 10 ms, allowed are 100 ms\n"
                   "+ left.tactile min-rate-hz: measured 100 Hz, wanted at least 99 Hz\n"
                   "+ left.tactile max-gap-ms: longest pause 10 ms, allowed are 100 ms\n"
                   "- right.hand_skeleton min-rate-hz: measured 50.1 Hz, wanted at least 99 Hz\n"
                   "- right.hand_skeleton max-gap-ms: longest pause 5000 ms, allowed are 100 ms\n"
                   "- right.tactile min-rate-hz: measured 62.62 Hz, wanted at least 99 Hz\n"
                   "+ right.tactile max-gap-ms: longest pause 10 ms, allowed are 100 ms\n");
}

/* While it runs: nothing in the grace period, then the last seconds, and it gets well again. */
static void
test_live (void)
{
  g_autoptr (AcqPipeline) pipeline =
      load ("{'left.tactile':{'min-rate-hz':99,'max-gap-ms':100,'max-loss':0.1,'grace-s':3}}");
  const struct {
    gint64 now;
    Stream stream;
    const char *result;
  } looks[] = {
    { 100 * S,
      { "left.tactile" },
      "+ left.tactile min-rate-hz: it is starting\n"
      "+ left.tactile max-gap-ms: it is starting\n"
      "+ left.tactile max-loss: it is starting\n" },
    { 104 * S,
      { "left.tactile" },
      "- left.tactile min-rate-hz: no message came\n"
      "- left.tactile max-gap-ms: no message came\n"
      "- left.tactile max-loss: no message came\n" },
    { 106 * S,
      { "left.tactile", 100, 105 * S, 106 * S, 10 * MS, 100 },
      "+ left.tactile min-rate-hz: measured 100 Hz, wanted at least 99 Hz\n"
      "+ left.tactile max-gap-ms: no pause above 100 ms lately\n"
      "+ left.tactile max-loss: 0 of 100 messages are missing (0 %), allowed is 10 %\n" },
    /* A pause and a loss are seen … */
    { 108 * S,
      { "left.tactile", 260, 105 * S, 108 * S, 400 * MS, 90, 40 },
      "- left.tactile min-rate-hz: measured 90 Hz, wanted at least 99 Hz\n"
      "- left.tactile max-gap-ms: longest pause 400 ms, allowed are 100 ms\n"
      "- left.tactile max-loss: 40 of 300 messages are missing (13.3 %), allowed is 10 %\n" },
    /* … and forgotten when the window has moved on. */
    { 114 * S,
      { "left.tactile", 860, 105 * S, 114 * S, 400 * MS, 100, 40 },
      "+ left.tactile min-rate-hz: measured 100 Hz, wanted at least 99 Hz\n"
      "+ left.tactile max-gap-ms: no pause above 100 ms lately\n"
      "+ left.tactile max-loss: 0 of 600 messages are missing (0 %), allowed is 10 %\n" },
    /* It stands still right now. */
    { 116 * S,
      { "left.tactile", 960, 105 * S, 115 * S, 400 * MS, 100, 40 },
      "+ left.tactile min-rate-hz: measured 100 Hz, wanted at least 99 Hz\n"
      "- left.tactile max-gap-ms: longest pause 1000 ms, allowed are 100 ms\n"
      "+ left.tactile max-loss: 0 of 700 messages are missing (0 %), allowed is 10 %\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (looks); i++) {
    g_autofree char *result = evaluate (pipeline, looks[i].now, &looks[i].stream, 1, FALSE);

    g_test_message ("look %" G_GSIZE_FORMAT, i);
    g_assert_cmpstr (result, ==, looks[i].result);
  }
}

static char *
list_losses (AcqPipeline *pipeline, const Stream *stream, gboolean strict, guint64 kernel_drops)
{
  g_autoptr (AcqSnapshot) snapshot = make_snapshot (1, stream, 1);
  AcqPortSnapshot port = { .name = (char *) "udp 0.0.0.0:1",
                           .packets_word = (char *) "datagrams",
                           .kernel_drops = kernel_drops };
  g_autoptr (GPtrArray) reasons = NULL;
  GString *text = g_string_new (NULL);

  g_ptr_array_add (snapshot->ports, &port);
  gboolean ok = acq_pipeline_loss_allowed (pipeline, snapshot, strict, &reasons);
  g_assert_cmpint (ok, ==, reasons->len == 0);
  for (guint i = 0; i < reasons->len; i++)
    g_string_append_printf (text, "%s\n", (char *) reasons->pdata[i]);
  return g_string_free (text, FALSE);
}

static void
test_loss (void)
{
  const struct {
    const char *expect;
    Stream stream;
    gboolean strict;
    const char *reasons;
  } cases[] = {
    { "{}", { "left.tactile", 1000 }, FALSE, "" },
    { "{}", { "left.tactile", 0 }, FALSE, "" },
    { "{}",
      { "left.tactile", 999, .lost = 1 },
      FALSE,
      "left.tactile: 1 of 1000 messages are missing (1 never came), 0.1 %; allowed is 0 %\n" },
    { "{'left':{'max-loss':0.001}}", { "left.tactile", 999, .lost = 1 }, FALSE, "" },
    { "{'left':{'max-loss':0.001}}",
      { "left.tactile", 999, .lost = 1 },
      TRUE,
      "left.tactile: 1 of 1000 messages are missing (1 never came), 0.1 %; allowed is 0 %\n" },
    { "{'right':{'max-loss':0.5}}",
      { "left.tactile", 1000, .dropped = { 0, 5 } },
      FALSE,
      "left.tactile → two: 5 of 1000 messages are missing (5 dropped: oldest), 0.5 %; allowed is 0 "
      "%\n" },
    /* Together with what never came it is too much for one sink, and not for the other. */
    { "{'left':{'max-loss':0.01}}",
      { "left.tactile", 995, .lost = 5, .dropped = { 5, 4 }, .failed = 2 },
      FALSE,
      "left.tactile → disk: 12 of 1000 messages are missing (5 never came, 5 dropped: oldest, 2 "
      "failed: write), 1.2 %; allowed is 1 %\n" },
    { "{}",
      { "acq.ledger", 10, .failed = 1 },
      FALSE,
      "acq.ledger → disk: 1 of 10 messages are missing (1 failed: write), 10 %; allowed is 0 %\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AcqPipeline) pipeline = load (cases[i].expect);
    g_autofree char *reasons = list_losses (pipeline, &cases[i].stream, cases[i].strict, 0);

    g_test_message ("case %" G_GSIZE_FORMAT, i);
    g_assert_cmpstr (reasons, ==, cases[i].reasons);
  }
}

static void
test_kernel_drops (void)
{
  g_autoptr (AcqPipeline) pipeline = load ("{}");
  const Stream stream = { "left.tactile", 1000 };
  g_autofree char *usual = list_losses (pipeline, &stream, FALSE, 3);
  g_autofree char *strict = list_losses (pipeline, &stream, TRUE, 3);

  g_assert_cmpstr (usual, ==, "");
  g_assert_cmpstr (strict, ==, "udp 0.0.0.0:1: the kernel dropped 3 datagrams\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  registry = fake_registry ();
  g_test_add_func ("/verdict/final", test_final);
  g_test_add_func ("/verdict/whole-run", test_whole_run);
  g_test_add_func ("/verdict/live", test_live);
  g_test_add_func ("/verdict/loss", test_loss);
  g_test_add_func ("/verdict/kernel-drops", test_kernel_drops);
  int result = g_test_run ();
  g_object_unref (registry);
  return result;
}
