/* SPDX-License-Identifier: Apache-2.0 */
#include "bench-common.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <time.h>

static gint64
read_clock (clockid_t id)
{
  struct timespec time;

  clock_gettime (id, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

gint64
bench_now_ns (void)
{
  return read_clock (CLOCK_MONOTONIC);
}

double
bench_cpu_s (void)
{
  return read_clock (CLOCK_PROCESS_CPUTIME_ID) * 1e-9;
}

double
bench_thread_cpu_s (void)
{
  return read_clock (CLOCK_THREAD_CPUTIME_ID) * 1e-9;
}

static int
compare (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

void
bench_sort (gint64 *values, gsize n)
{
  if (n > 1)
    qsort (values, n, sizeof *values, compare);
}

gint64
bench_quantile (const gint64 *values, gsize n, double q)
{
  return n != 0 ? values[(gsize) ((n - 1) * q)] : 0;
}

AcqNode *
bench_add_sink (AcqGraph *graph, AcqRegistry *registry, const char *plugin, char *const *options)
{
  g_autoptr (GError) error = NULL;
  AcqNode *sink = acq_registry_create (registry, plugin, "sink", &error);

  for (; sink != NULL && error == NULL && *options != NULL; options++) {
    g_auto (GStrv) pair = g_strsplit (*options, "=", 2);

    acq_node_set_option_text (sink, pair[0], pair[1] != NULL ? pair[1] : "true", &error);
  }
  if (error != NULL || !acq_graph_add (graph, sink, &error))
    g_error ("%s", error->message);
  g_object_unref (sink);
  return sink;
}

void
bench_remove_take (AcqTake *take, const char *directory)
{
  const char *folder = acq_take_get_directory (take);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_remove (path);
  }
  g_rmdir (folder);
  g_rmdir (directory);
}

guint64
bench_count_unwritten (AcqGraph *graph)
{
  g_autoptr (AcqSnapshot) snapshot = acq_graph_snapshot (graph);
  guint64 n = 0;

  for (guint i = 0; i < snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = snapshot->streams->pdata[i];

    for (guint k = 0; k < stream->links->len; k++) {
      const AcqLinkCounters *link = &g_array_index (stream->links, AcqLinkSnapshot, k).counters;

      n += link->offered - link->written;
    }
  }
  return n;
}
