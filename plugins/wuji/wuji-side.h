/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/*
 * Left and right. The SDK has four encodings, two of which are each other's
 * opposite, and none is the core's. Each has one function here; nothing else in
 * the plugins compares a handedness with a number.
 */

/* WujiHandedness, four bytes: 0 left, 1 right. */
AcqSide wuji_side_from_handedness (guint32 value);

/* wuji_hand_get_handedness() of the first-generation hand: 0 right, 1 left. */
AcqSide wuji_side_from_hand (guint8 value);

/* wuji_hand_get_tactile_handedness() of its tactile board: 0 left, 1 right. */
AcqSide wuji_side_from_tactile_board (guint8 value);

/* The fourth character of a serial number: J left, K right. */
AcqSide wuji_side_from_serial (const char *serial);

/*
 * What wuji_glove_get_hand_side() says. Its words are not documented: left, right,
 * l or r counts in any case, alone or as one of several words, but not both.
 */
AcqSide wuji_side_from_text (const char *text);

/* "l" and "r", the letter that the SDK's frame ids begin with; "" for an unknown side. */
const char *wuji_side_letter (AcqSide side);
