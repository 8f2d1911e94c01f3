/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "fsnh-sequence.h"

/**
 * fsnh_counters_to_json:
 * @sequence: a hand
 * @text: where to write
 * @size: bytes of @text
 *
 * All counters of a hand as a JSON object: classes, flags, durations, first and last index
 * and timestamp. Counts of zero are left out.
 */
void fsnh_counters_to_json (const FsnhSequence *sequence, char *text, gsize size);
