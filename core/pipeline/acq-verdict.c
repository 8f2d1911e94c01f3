/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a run is what the file expects of it. While it runs, the figures are
 * those of the last seconds; at the end, those of the whole take. Where several
 * patterns give the same key for a stream, the last one counts.
 */
#include "pipeline/acq-verdict-private.h"

#include <string.h>

#include "pipeline/acq-pattern-private.h"
#include "plugin/acq-option-private.h"

#define WINDOW_NS (5 * G_GINT64_CONSTANT (1000000000))
#define MAX_SAMPLES 64

typedef struct {
  gint64 host_ns;
  guint64 total;
  guint64 missing;
} Sample;

struct _AcqWindow {
  GArray *samples; /* of Sample, oldest first */
  gint64 max_gap_ns;
  gint64 gap_seen_ns; /* when it last grew */
};

/* A stream, as planned, as measured, or both. */
typedef struct {
  const char *node;
  const char *stream;
  const char *path;
  const AcqStreamSnapshot *now; /* (nullable): nothing came yet */
} Subject;

/* One look at everything. */
typedef struct {
  AcqPipeline *pipeline;
  const AcqSnapshot *snapshot;
  gboolean final;
  gint64 end_ns;
  GPtrArray *results; /* of AcqExpectation */
} Look;

void
acq_window_free (AcqWindow *self)
{
  g_array_unref (self->samples);
  g_free (self);
}

const AcqExpect *
acq_pipeline_find_expect (AcqPipeline *self, const char *node, const char *stream, AcqExpectKey key)
{
  for (guint i = self->expects->len; i-- > 0;) {
    const AcqExpect *expect = &g_array_index (self->expects, AcqExpect, i);

    if ((expect->given & (1u << key)) != 0 && acq_pattern_match (expect->pattern, node, stream))
      return expect;
  }
  return NULL;
}

gboolean
acq_pipeline_is_required (AcqPipeline *self, const AcqPlannedNode *node)
{
  gboolean optional = FALSE;

  /* One stream that must come is enough to need the source. */
  for (guint i = 0; i < node->streams->len; i++) {
    const AcqPlannedStream *stream = &g_array_index (node->streams, AcqPlannedStream, i);
    const AcqExpect *expect =
        acq_pipeline_find_expect (self, node->id, stream->name, ACQ_EXPECT_REQUIRED);

    if (expect != NULL && stream->chosen && expect->required)
      return TRUE;
    optional |= expect != NULL && stream->chosen;
  }
  return !optional;
}

static guint64
count_missing (const AcqStreamSnapshot *now)
{
  guint64 worst = 0;

  for (guint i = 0; i < now->links->len; i++) {
    const AcqLinkCounters *n = &g_array_index (now->links, AcqLinkSnapshot, i).counters;
    guint64 sum = 0;

    for (int c = 0; c < ACQ_DROP_N_CAUSES; c++)
      sum += n->dropped[c];
    for (int c = 0; c < ACQ_FAIL_N_CAUSES; c++)
      sum += n->failed[c];
    worst = MAX (worst, sum);
  }
  return now->counters[ACQ_STREAM_LOST] + worst;
}

static void
add_result (Look *look, const AcqExpect *expect, const Subject *subject, AcqExpectKey key,
            gboolean met, char *message)
{
  AcqExpectation *result = g_new0 (AcqExpectation, 1);

  result->path = g_strdup (expect->pattern);
  result->stream = g_strdup (subject->path);
  result->what = acq_expect_options[key].name;
  result->met = met;
  result->message = message;
  g_ptr_array_add (look->results, result);
}

static AcqWindow *
update_window (Look *look, const Subject *subject)
{
  AcqWindow *window = g_hash_table_lookup (look->pipeline->windows, subject->path);
  const AcqStreamSnapshot *now = subject->now;
  Sample sample = { look->snapshot->host_ns, now->frames + now->counters[ACQ_STREAM_LOST],
                    count_missing (now) };

  if (window == NULL) {
    window = g_new0 (AcqWindow, 1);
    window->samples = g_array_new (FALSE, FALSE, sizeof (Sample));
    g_hash_table_insert (look->pipeline->windows, g_strdup (subject->path), window);
  }
  if (now->max_gap_ns > window->max_gap_ns) {
    window->max_gap_ns = now->max_gap_ns;
    window->gap_seen_ns = sample.host_ns;
  }
  /* One sample from before the window stays: the window is what came since. */
  while (window->samples->len > 1 &&
         (g_array_index (window->samples, Sample, 1).host_ns <= sample.host_ns - WINDOW_NS ||
          window->samples->len >= MAX_SAMPLES))
    g_array_remove_index (window->samples, 0);
  g_array_append_val (window->samples, sample);
  return window;
}

static void
check_loss (Look *look, const AcqExpect *expect, const Subject *subject, const AcqWindow *window)
{
  Sample last = { 0, subject->now->frames + subject->now->counters[ACQ_STREAM_LOST],
                  count_missing (subject->now) };

  if (!look->final && window->samples->len > 1) {
    const Sample *first = &g_array_index (window->samples, Sample, 0);

    last.total -= first->total;
    last.missing -= first->missing;
  }
  double share = last.missing == 0 ? 0 : (double) last.missing / (double) MAX (last.total, 1);
  add_result (look, expect, subject, ACQ_EXPECT_MAX_LOSS, share <= expect->max_loss,
              g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                               " messages are missing (%.3g %%), allowed is %.3g %%",
                               last.missing, last.total, share * 100, expect->max_loss * 100));
}

static void
check_gap (Look *look, const AcqExpect *expect, const Subject *subject, const AcqWindow *window)
{
  const AcqStreamSnapshot *now = subject->now;
  gint64 open_gap = now->last_ns != 0 ? look->end_ns - now->last_ns : 0;
  gboolean recent = look->final || look->snapshot->host_ns - window->gap_seen_ns <= WINDOW_NS;
  gint64 gap = MAX (open_gap, recent ? now->max_gap_ns : 0);

  gboolean met = (double) gap <= expect->max_gap_ms * 1e6;
  /* How long the pauses of the last seconds were is not known, only that none was too long. */
  char *message = met && !look->final
                      ? g_strdup_printf ("no pause above %.4g ms lately", expect->max_gap_ms)
                      : g_strdup_printf ("longest pause %.4g ms, allowed are %.4g ms",
                                         (double) gap / 1e6, expect->max_gap_ms);
  add_result (look, expect, subject, ACQ_EXPECT_MAX_GAP, met, message);
}

/* Of the whole take: from when it had to be there to when the run was over. */
static double
whole_rate (Look *look, const AcqExpect *expect, const Subject *subject, double grace_s)
{
  const AcqStreamSnapshot *now = subject->now;
  gint64 latest = look->pipeline->start_ns + (gint64) (grace_s * 1e9);
  gint64 slack = (gint64) MAX (5e8, 3e9 / MAX (expect->min_rate_hz, 1e-3));
  gint64 from = look->pipeline->start_ns != 0 ? MIN (now->first_ns, latest) : now->first_ns;
  gboolean broke_off = look->end_ns - now->last_ns > slack;
  gint64 to = broke_off ? look->end_ns : now->last_ns;
  guint64 intervals =
      from < now->first_ns || broke_off || now->frames == 0 ? now->frames : now->frames - 1;

  return to > from ? (double) intervals * 1e9 / (double) (to - from) : 0;
}

static void
check_rate (Look *look, const AcqExpect *expect, const Subject *subject, double grace_s)
{
  double rate = look->final ? whole_rate (look, expect, subject, grace_s) : subject->now->rate_hz;

  add_result (
      look, expect, subject, ACQ_EXPECT_MIN_RATE, rate >= expect->min_rate_hz,
      g_strdup_printf ("measured %.4g Hz, wanted at least %.4g Hz", rate, expect->min_rate_hz));
}

/* A source that gave up says why nothing comes. */
static const char *
find_node_problem (const AcqSnapshot *snapshot, const char *id)
{
  for (guint i = 0; i < snapshot->nodes->len; i++) {
    const AcqNodeSnapshot *node = snapshot->nodes->pdata[i];

    if (strcmp (node->id, id) == 0)
      return node->problem;
  }
  return NULL;
}

static char *
describe_absence (Look *look, const Subject *subject)
{
  const char *problem = find_node_problem (look->snapshot, subject->node);

  return problem != NULL ? g_strdup_printf ("no message came: %s", problem)
                         : g_strdup ("no message came");
}

static void
check_subject (Look *look, const Subject *subject)
{
  const AcqExpect *keys[ACQ_EXPECT_N];
  gboolean came = subject->now != NULL && subject->now->frames > 0;
  AcqWindow *window = subject->now != NULL ? update_window (look, subject) : NULL;
  double grace_s = acq_expect_options[ACQ_EXPECT_GRACE].def;

  for (int key = 0; key < ACQ_EXPECT_N; key++)
    keys[key] = acq_pipeline_find_expect (look->pipeline, subject->node, subject->stream,
                                          (AcqExpectKey) key);
  if (keys[ACQ_EXPECT_GRACE] != NULL)
    grace_s = keys[ACQ_EXPECT_GRACE]->grace_s;
  gboolean starting =
      !look->final && (double) (look->snapshot->host_ns - look->pipeline->start_ns) < grace_s * 1e9;
  gboolean may_be_absent =
      keys[ACQ_EXPECT_REQUIRED] != NULL && !keys[ACQ_EXPECT_REQUIRED]->required && !came;

  for (int key = 0; key < ACQ_EXPECT_GRACE; key++) {
    const AcqExpect *expect = keys[key];

    if (expect == NULL)
      continue;
    if (may_be_absent)
      add_result (look, expect, subject, (AcqExpectKey) key, TRUE,
                  g_strdup ("it is not there, and not required"));
    else if (starting)
      add_result (look, expect, subject, (AcqExpectKey) key, TRUE, g_strdup ("it is starting"));
    else if (!came)
      add_result (look, expect, subject, (AcqExpectKey) key, FALSE,
                  describe_absence (look, subject));
    else if (key == ACQ_EXPECT_MIN_RATE)
      check_rate (look, expect, subject, grace_s);
    else if (key == ACQ_EXPECT_MAX_GAP)
      check_gap (look, expect, subject, window);
    else if (key == ACQ_EXPECT_MAX_LOSS)
      check_loss (look, expect, subject, window);
    else
      add_result (look, expect, subject, ACQ_EXPECT_REQUIRED, TRUE, g_strdup ("it is there"));
  }
}

static const AcqStreamSnapshot *
find_stream (const AcqSnapshot *snapshot, const char *path)
{
  for (guint i = 0; i < snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = snapshot->streams->pdata[i];

    if (strcmp (stream->path, path) == 0)
      return stream;
  }
  return NULL;
}

/* Streams that were planned, also those that never came. */
static void
check_planned (Look *look, GHashTable *seen)
{
  GPtrArray *nodes = look->pipeline->nodes;

  for (guint i = 0; i < nodes->len; i++) {
    const AcqPlannedNode *node = nodes->pdata[i];

    for (guint j = 0; node->enabled && j < node->streams->len; j++) {
      const AcqPlannedStream *stream = &g_array_index (node->streams, AcqPlannedStream, j);
      char *path = g_strconcat (node->id, ".", stream->name, NULL);
      Subject subject = { node->id, stream->name, path, find_stream (look->snapshot, path) };

      g_hash_table_add (seen, path);
      if (stream->chosen)
        check_subject (look, &subject);
    }
  }
}

static void
check_unplanned (Look *look, GHashTable *seen)
{
  for (guint i = 0; i < look->snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = look->snapshot->streams->pdata[i];
    g_autofree char *node = acq_pattern_dup_node (stream->path);
    Subject subject = { node, acq_pattern_stream (stream->path), stream->path, stream };

    if (!g_hash_table_contains (seen, stream->path))
      check_subject (look, &subject);
  }
}

/* When the run began, and until when it went on, as far as anything shows. */
static void
note_times (Look *look)
{
  AcqPipeline *self = look->pipeline;
  gint64 last = self->last_live_ns;

  if (!look->final) {
    last = self->last_live_ns = look->snapshot->host_ns;
    if (self->start_ns == 0)
      self->start_ns = look->snapshot->host_ns;
  }
  for (guint i = 0; i < look->snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = look->snapshot->streams->pdata[i];

    if (stream->first_ns != 0 && (self->start_ns == 0 || stream->first_ns < self->start_ns))
      self->start_ns = stream->first_ns;
    /* The engine's own streams go on while sources close. */
    if (!g_str_has_prefix (stream->path, "acq."))
      last = MAX (last, stream->last_ns);
  }
  look->end_ns = last;
}

static void
free_expectation (gpointer data)
{
  AcqExpectation *self = data;

  g_free (self->path);
  g_free (self->stream);
  g_free (self->message);
  g_free (self);
}

GPtrArray *
acq_pipeline_evaluate (AcqPipeline *self, const AcqSnapshot *snapshot, gboolean final)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Look look = { .pipeline = self, .snapshot = snapshot, .final = final };

  look.results = g_ptr_array_new_with_free_func (free_expectation);
  note_times (&look);
  check_planned (&look, seen);
  check_unplanned (&look, seen);
  return look.results;
}
