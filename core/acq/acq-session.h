/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-snapshot.h>

/*
 * `<base>.session.json`: what a take is, for the tools of a rig. It is made of
 * what the nodes declare about themselves with acq_node_set_fact(): `section`
 * (for example `gloves`) says where a device is listed, `kind` becomes
 * `glove_type`, `serial` and `side` become `sn` and `slot`; other facts are kept
 * as they are.
 */

/**
 * AcqVerdict:
 * @result: for example `pass` or `fail`
 * @reasons: (nullable): %NULL-terminated, in words; what is wrong
 *
 * What a take is worth.
 */
typedef struct {
  const char *result;
  const char *const *reasons;
} AcqVerdict;

/**
 * acq_session_to_json:
 * @graph: that recorded it
 * @take: a take that is over
 * @snapshot: the final ledger
 * @verdict: (nullable): what it is worth
 *
 * Times of streams are those of the whole run: exact where it made one take.
 * `overlap_s` is how long all streams with a nominal rate overlap; 0 when one of
 * them has no message.
 *
 * Returns: (transfer full): the object
 */
ACQ_API JsonNode *acq_session_to_json (AcqGraph *graph, AcqTake *take, const AcqSnapshot *snapshot,
                                       const AcqVerdict *verdict);

/**
 * acq_session_write:
 * @graph: that recorded it
 * @take: a take that is over
 * @snapshot: the final ledger
 * @verdict: (nullable): what it is worth
 * @error: why it could not be written; then nothing is left behind
 *
 * Writes it into the take's folder and adds it to the take's files.
 *
 * Returns: %TRUE if the file is there
 */
ACQ_API gboolean acq_session_write (AcqGraph *graph, AcqTake *take, const AcqSnapshot *snapshot,
                                    const AcqVerdict *verdict, GError **error);
