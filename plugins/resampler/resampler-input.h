/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

#include "resample-grid.h"
#include "resample-history.h"
#include "resample-plan.h"

/**
 * ResamplerInput:
 * @in: what comes
 * @out: what goes out, one message for each tick
 * @max_gap_ns: two messages further apart than this have nothing between them
 * @latched: a message holds until the next one, however long
 * @place: in the stream `valid`, or -1
 * @next: the first tick that was not emitted
 * @late_ns: host time of the last message that came too late, or 0
 *
 * One stream on its way to the grid. Thread: the resampler's.
 */
typedef struct {
  AcqStream *in;
  AcqStream *out;
  ResamplePlan *plan;
  ResampleHistory *history;
  guint8 *blank;
  gsize blank_size;
  gint64 max_gap_ns;
  gboolean latched;
  int place;
  guint64 next;
  gint64 late_ns;
} ResamplerInput;

/**
 * ResamplerSettings:
 * @rate_hz: of the grid
 * @latency_ns: how long a tick waits for what comes behind it
 * @max_gap_ns: 0 is three nominal periods of the input
 */
typedef struct {
  double rate_hz;
  gint64 latency_ns;
  gint64 max_gap_ns;
} ResamplerSettings;

/** resampler_input_dup_name: Returns: (transfer full): what the stream is called on the grid */
char *resampler_input_dup_name (const char *node, const char *stream);

/**
 * resampler_input_new:
 * @node: the resampler
 * @in: a published stream
 * @name: of the stream to add
 * @settings: of the resampler
 */
ResamplerInput *resampler_input_new (AcqTransform *node, AcqStream *in, const char *name,
                                     const ResamplerSettings *settings);
void resampler_input_free (ResamplerInput *self);

/** resampler_input_begin: a take begins: nothing is known but what a latched stream said last */
void resampler_input_begin (ResamplerInput *self, const ResampleGrid *grid, guint64 first);

/**
 * resampler_input_add:
 * @self: an input
 * @frame: came now
 * @grid: the grid
 *
 * Late is what belongs to a tick that was emitted; it counts, and may still serve the next tick.
 *
 * Returns: %FALSE when it was late
 */
gboolean resampler_input_add (ResamplerInput *self, AcqFrame *frame, const ResampleGrid *grid);

/**
 * resampler_input_emit:
 * @self: an input
 * @host_ns: the tick
 * @known_ns: everything up to here has come
 *
 * Pushes the message of one tick.
 *
 * Returns: whether a measurement was near enough
 */
gboolean resampler_input_emit (ResamplerInput *self, gint64 host_ns, gint64 known_ns);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ResamplerInput, resampler_input_free)
