/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-constants.h>
#include <acq/acq-schema.h>

/*
 * CDR as ROS 2 writes it: XCDR1, little endian, four bytes of encapsulation
 * first. This is the payload of a message in MCAP.
 */

/**
 * AcqCdrInput:
 * @schema: the type
 * @payload: struct and tail, aligned to 8
 * @payload_size: bytes of both
 * @stamp_ns: for `header.stamp`; outside 1901 to 2038 it is clamped
 * @frame_id: (nullable): for `header.frame_id`
 * @constants: (nullable): of the same schema; %NULL is: all empty
 *
 * A message to encode. The caller keeps everything.
 */
typedef struct {
  const AcqSchema *schema;
  gconstpointer payload;
  gsize payload_size;
  gint64 stamp_ns;
  const char *frame_id;
  const AcqConstants *constants;
} AcqCdrInput;

/**
 * acq_cdr_bound:
 * @input: a message; @payload is not looked at
 *
 * Returns: bytes that acq_cdr_encode() may write at most
 */
ACQ_API gsize acq_cdr_bound (const AcqCdrInput *input);

/**
 * acq_cdr_encode:
 * @input: a message whose counts are within their limits and whose strings end
 * @out: room for acq_cdr_bound() bytes; no alignment is needed
 *
 * Encodes. No allocation, no system call, no checks: what acq_stream_push()
 * accepted is right.
 *
 * Thread: any. Returns: bytes written
 */
ACQ_API gsize acq_cdr_encode (const AcqCdrInput *input, guint8 *out);

/**
 * AcqCdrMessage:
 * @payload: struct and tail, allocated; padding and unused elements are zero
 * @payload_size: bytes of both
 * @stamp_ns: from the header; 0 without one
 * @frame_id: (nullable): from the header, allocated
 * @constants: (nullable): of types that have some
 *
 * A message that was decoded.
 */
typedef struct {
  guint8 *payload;
  gsize payload_size;
  gint64 stamp_ns;
  char *frame_id;
  AcqConstants *constants;
} AcqCdrMessage;

/**
 * acq_cdr_decode:
 * @schema: the type
 * @data: CDR bytes
 * @size: how many
 * @ret_message: (out): clear with acq_cdr_message_clear(); untouched on failure
 * @error: says what is wrong at which byte
 *
 * Strict: accepts exactly what acq_cdr_encode() writes for some message. Made
 * for recovery, replay and tests; @data may come from anywhere.
 */
ACQ_API gboolean acq_cdr_decode (const AcqSchema *schema, const guint8 *data, gsize size,
                                 AcqCdrMessage *ret_message, GError **error);

/** acq_cdr_message_clear: Frees what is inside and zeroes it; all zero is fine. */
ACQ_API void acq_cdr_message_clear (AcqCdrMessage *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AcqCdrMessage, acq_cdr_message_clear)
