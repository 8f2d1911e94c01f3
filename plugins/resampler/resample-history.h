/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/**
 * ResampleSample:
 * @host_ns: when it was measured
 * @slot: the first tick that is not before it
 * @data: (owned): the message
 */
typedef struct {
  gint64 host_ns;
  guint64 slot;
  gpointer data;
} ResampleSample;

/**
 * ResampleHistory:
 *
 * The samples of one input that ticks to come may need. A tick needs the last sample up to it and
 * the first one behind it; so of all that lie between two ticks, only the first and the last are
 * kept. That bounds the memory by the grid, however fast the input is.
 */
typedef struct _ResampleHistory ResampleHistory;

/**
 * resample_history_new:
 * @n_slots: how many stretches between ticks it must cover
 * @free_data: frees a message
 */
ResampleHistory *resample_history_new (guint n_slots, GDestroyNotify free_data);
void resample_history_free (ResampleHistory *self);
void resample_history_clear (ResampleHistory *self);

/**
 * resample_history_add:
 * @self: a history
 * @sample: (transfer full): newer than all others
 *
 * Returns: %FALSE when it is not newer: then it is freed
 */
gboolean resample_history_add (ResampleHistory *self, ResampleSample sample);

/**
 * resample_history_around:
 * @self: a history
 * @host_ns: a tick, not before that of the last call
 * @ret_before: (out) (nullable): the last sample up to it
 * @ret_after: (out) (nullable): the first one behind it
 *
 * Forgets what is older than @ret_before. Both stay valid until the next call of any function.
 */
void resample_history_around (ResampleHistory *self, gint64 host_ns,
                              const ResampleSample **ret_before, const ResampleSample **ret_after);

/** resample_history_count: Returns: how many samples are held */
guint resample_history_count (const ResampleHistory *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ResampleHistory, resample_history_free)
