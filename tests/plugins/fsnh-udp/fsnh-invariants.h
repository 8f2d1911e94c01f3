/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "fsnh-sequence.h"

/**
 * fsnh_check_datagram:
 * @bytes: anything
 * @length: how long
 * @sequences: (array fixed-size=2): left and right; a valid packet goes into its hand's
 *
 * Aborts unless what the parser and the sequence say is possible, whatever the bytes: a
 * valid packet has the length that it claims and gives rows of numbers, and the ledger
 * balances behind it.
 *
 * Returns: what the parser said
 */
FsnhReason fsnh_check_datagram (const guint8 *bytes, gsize length, FsnhSequence sequences[2]);
