/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-link.h>
#include <acq/acq-node.h>
#include <acq/acq-take.h>

/**
 * AcqItem:
 * @frame: (unowned): acq_frame_ref() it to keep it beyond the call
 * @link: by which it came
 *
 * One frame of a batch. Batches are ordered by host time across links.
 */
typedef struct {
  AcqFrame *frame;
  AcqLink *link;
} AcqItem;
