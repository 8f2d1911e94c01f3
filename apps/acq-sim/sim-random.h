/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* Random numbers that are a function of the seed and of what they are for. A decision
 * never depends on how many decisions came before it, so adding one fault to a plan
 * leaves the others where they were. */

/**
 * sim_random_at:
 * @seed: the run's seed
 * @purpose: what the number is for (an entry of the fault plan, a kind of noise)
 * @stream: for whom (a hand, a motor)
 * @beat: when
 *
 * Returns: 64 well mixed bits, the same for the same arguments on every machine
 */
guint64 sim_random_at (guint64 seed, guint64 purpose, guint64 stream, guint64 beat);

/**
 * sim_random_unit:
 * @bits: a result of sim_random_at()
 *
 * Returns: a number in [0, 1)
 */
double sim_random_unit (guint64 bits);

/**
 * sim_random_below:
 * @bits: a result of sim_random_at()
 * @limit: above 0
 *
 * Returns: a number in 0 … @limit - 1
 */
guint32 sim_random_below (guint64 bits, guint32 limit);

/**
 * sim_random_fill:
 * @bits: a result of sim_random_at()
 * @bytes: where to write
 * @length: how many
 *
 * Fills with bytes that follow from @bits.
 */
void sim_random_fill (guint64 bits, guint8 *bytes, gsize length);
