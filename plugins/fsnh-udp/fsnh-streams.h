/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "fsnh-hand.h"

/**
 * fsnh_add_skeleton:
 * @source: a node, being opened
 * @config: its hand
 * @clock: the sender's
 *
 * Returns: (transfer none): the stream of the hand's rows
 */
AcqStream *fsnh_add_skeleton (AcqSource *source, const FsnhHandConfig *config, AcqClock *clock);

/** fsnh_add_raw: Returns: (transfer none): the stream of datagrams as they came */
AcqStream *fsnh_add_raw (AcqSource *source, const FsnhHandConfig *config);
