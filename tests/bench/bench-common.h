/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/* What the benchmarks have in common. */

/* CLOCK_MONOTONIC. */
gint64 bench_now_ns (void);

/* Of the whole process, or of the calling thread: user and system. */
double bench_cpu_s (void);
double bench_thread_cpu_s (void);

void bench_sort (gint64 *values, gsize n);

/* Of sorted values. */
gint64 bench_quantile (const gint64 *values, gsize n, double q);

/*
 * Adds a sink to the graph, or ends the program. Options are words like
 * `compression=lz4`; NULL ends them.
 */
AcqNode *bench_add_sink (AcqGraph *graph, AcqRegistry *registry, const char *plugin,
                         char *const *options);

/* Removes the files of a take, its folder, and @directory, where it was made. */
void bench_remove_take (AcqTake *take, const char *directory);

/* Frames that were offered to a link and not written. */
guint64 bench_count_unwritten (AcqGraph *graph);
