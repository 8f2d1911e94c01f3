/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-snapshot.h>

/* What the status shows: the ledger, and what follows from two looks at it. */

typedef enum {
  RUN_OPENING,
  RUN_RECORDING,
  RUN_STOPPING,
  RUN_STOPPED,
} RunPhase;

/**
 * RunSinkView:
 * @node: (unowned): of the snapshot
 * @free_bytes: left on its disk; 0 is unknown
 * @bytes_per_s: over the last seconds
 * @seconds_left: until its disk is full; negative when unknown
 * @finishing: how far the finishing of its file is, 0 to 1; negative before it begins
 */
typedef struct {
  const AcqNodeSnapshot *node;
  guint64 bytes;
  guint64 free_bytes;
  double bytes_per_s;
  double seconds_left;
  double finishing;
} RunSinkView;

/**
 * RunView:
 * @snapshot: (unowned): the ledger
 * @phase: what we are doing
 * @elapsed_s: since frames could flow
 * @duration_s: how long it shall go on; 0 is without end
 * @directory: (nullable) (unowned): of the take
 * @sinks: (element-type RunSinkView): in the order of the snapshot
 */
typedef struct {
  const AcqSnapshot *snapshot;
  RunPhase phase;
  double elapsed_s;
  double duration_s;
  const char *directory;
  GArray *sinks;
} RunView;

/** RunRates: remembers earlier looks */
typedef struct _RunRates RunRates;

RunRates *run_rates_new (void);
void run_rates_free (RunRates *self);

/**
 * run_rates_look:
 * @self: earlier looks
 * @snapshot: the ledger now
 * @take: (nullable): whose disk counts for sinks that do not say
 *
 * Returns: (transfer full) (element-type RunSinkView): the sinks
 */
GArray *run_rates_look (RunRates *self, const AcqSnapshot *snapshot, AcqTake *take);

/** run_view_is_engine: one of the engine's own streams, which tables leave out */
gboolean run_view_is_engine (const AcqStreamSnapshot *stream);
/** run_view_dropped: frames of a stream that some consumer did not get or could not keep */
guint64 run_view_dropped (const AcqStreamSnapshot *stream);
/**
 * run_view_rejected_text:
 * @port: of the snapshot
 *
 * Returns: (transfer full) (nullable): `udp 0.0.0.0:15001: 12 rejected (bad_magic 10, crc 2)`;
 *   %NULL when every packet was understood
 */
char *run_view_rejected_text (const AcqPortSnapshot *port);
/** run_view_fill: of its fullest queue, 0 to 1 */
double run_view_fill (const AcqStreamSnapshot *stream);
/** run_view_phase_word: `opening`, `recording`, `stopping`, `stopped` */
const char *run_view_phase_word (RunPhase phase);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RunRates, run_rates_free)
