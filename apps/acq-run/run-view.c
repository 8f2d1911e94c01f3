/* SPDX-License-Identifier: Apache-2.0 */
#include "run-view.h"

#include <string.h>
#include <sys/statvfs.h>

/* Speeds are means over this. */
#define WINDOW_NS G_GINT64_CONSTANT (5000000000)

typedef struct {
  gint64 host_ns;
  guint64 bytes;
} Look;

struct _RunRates {
  GHashTable *sinks; /* id → GArray of Look, oldest first */
};

RunRates *
run_rates_new (void)
{
  RunRates *self = g_new0 (RunRates, 1);

  self->sinks =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  return self;
}

void
run_rates_free (RunRates *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->sinks);
  g_free (self);
}

static double
bytes_per_second (RunRates *self, const AcqNodeSnapshot *node, gint64 now_ns)
{
  GArray *looks = g_hash_table_lookup (self->sinks, node->id);
  const Look *first;
  Look now = { now_ns, node->progress.bytes };

  if (looks == NULL) {
    looks = g_array_new (FALSE, FALSE, sizeof (Look));
    g_hash_table_insert (self->sinks, g_strdup (node->id), looks);
  }
  /* One before the window stays, so that the span is never shorter than it. */
  while (looks->len > 1 && g_array_index (looks, Look, 1).host_ns <= now_ns - WINDOW_NS)
    g_array_remove_index (looks, 0);
  g_array_append_val (looks, now);
  first = &g_array_index (looks, Look, 0);
  if (now.host_ns <= first->host_ns || now.bytes < first->bytes)
    return 0;
  return (now.bytes - first->bytes) / ((now.host_ns - first->host_ns) * 1e-9);
}

static guint64
free_bytes_of (const AcqNodeSnapshot *node, const char *directory)
{
  struct statvfs disk;

  if (node->progress.free_bytes > 0)
    return node->progress.free_bytes;
  /* A sink that writes nothing fills no disk. */
  if (node->progress.bytes == 0 || directory == NULL || statvfs (directory, &disk) != 0)
    return 0;
  return (guint64) disk.f_bavail * disk.f_frsize;
}

GArray *
run_rates_look (RunRates *self, const AcqSnapshot *snapshot, AcqTake *take)
{
  const char *directory = take != NULL ? acq_take_get_directory (take) : NULL;
  GArray *sinks = g_array_new (FALSE, TRUE, sizeof (RunSinkView));
  double total = 0;

  for (guint i = 0; i < snapshot->nodes->len; i++) {
    const AcqNodeSnapshot *node = snapshot->nodes->pdata[i];
    RunSinkView view = { .node = node, .seconds_left = -1, .finishing = -1 };

    if (!g_str_equal (node->kind, "sink"))
      continue;
    view.bytes = node->progress.bytes;
    view.free_bytes = free_bytes_of (node, directory);
    view.bytes_per_s = bytes_per_second (self, node, snapshot->host_ns);
    if (take != NULL)
      view.finishing = acq_take_get_progress (take, node->id);
    total += view.bytes_per_s;
    g_array_append_val (sinks, view);
  }
  /* They share the disk of the take, so they fill it together. */
  for (guint i = 0; i < sinks->len; i++) {
    RunSinkView *view = &g_array_index (sinks, RunSinkView, i);

    if (view->free_bytes > 0 && total > 0)
      view->seconds_left = view->free_bytes / total;
  }
  return sinks;
}

gboolean
run_view_is_engine (const AcqStreamSnapshot *stream)
{
  return g_str_has_prefix (stream->path, "acq.");
}

guint64
run_view_dropped (const AcqStreamSnapshot *stream)
{
  guint64 sum = 0;

  for (guint i = 0; i < stream->links->len; i++) {
    const AcqLinkCounters *n = &g_array_index (stream->links, AcqLinkSnapshot, i).counters;

    for (int c = 0; c < ACQ_DROP_N_CAUSES; c++)
      sum += n->dropped[c];
    for (int c = 0; c < ACQ_FAIL_N_CAUSES; c++)
      sum += n->failed[c];
  }
  return sum;
}

char *
run_view_rejected_text (const AcqPortSnapshot *port)
{
  GString *causes = g_string_new (NULL);
  guint64 sum = 0;
  char *text = NULL;

  for (guint i = 0; i < port->rejected->len; i++) {
    const AcqCount *count = &g_array_index (port->rejected, AcqCount, i);

    if (count->n == 0)
      continue;
    g_string_append_printf (causes, "%s%s %" G_GUINT64_FORMAT, sum > 0 ? ", " : "", count->name,
                            count->n);
    sum += count->n;
  }
  if (sum > 0)
    text =
        g_strdup_printf ("%s: %" G_GUINT64_FORMAT " rejected (%s)", port->name, sum, causes->str);
  g_string_free (causes, TRUE);
  return text;
}

double
run_view_fill (const AcqStreamSnapshot *stream)
{
  double fill = 0;

  for (guint i = 0; i < stream->links->len; i++) {
    const AcqLinkCounters *n = &g_array_index (stream->links, AcqLinkSnapshot, i).counters;

    if (n->capacity > 0)
      fill = MAX (fill, (double) n->queued / n->capacity);
  }
  return fill;
}

const char *
run_view_phase_word (RunPhase phase)
{
  static const char *const words[] = { "opening", "recording", "stopping", "stopped" };

  return words[phase];
}
