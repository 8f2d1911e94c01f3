/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-frame.h>

/*
 * AcqPool: frames of one size. The pusher alone takes frames; anybody gives them
 * back. Taking is a pop from a private list; when that is empty, the whole
 * return stack is claimed with one atomic exchange, so there is no ABA. No
 * system call and no allocation once the pool is as large as the traffic needs.
 *
 * A pool outlives its stream while frames are out: each frame holds it.
 */
AcqPool *acq_pool_new (gsize payload_bytes);
void acq_pool_unref (AcqPool *self);

/* The payload bytes that every frame of this pool has room for. */
gsize acq_pool_get_payload (AcqPool *self);

/* Bytes that one frame costs. */
gsize acq_pool_get_frame_bytes (AcqPool *self);

/* Pusher only. Returns NULL when the pool has none and may not grow. */
AcqFrame *acq_pool_take (AcqPool *self, gboolean may_grow, gsize *grown_bytes);
