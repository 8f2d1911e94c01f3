/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "formats/acq-mcap-block-private.h"

/*
 * A ring of blocks between the producer and the file. Workers pack blocks in
 * parallel; whoever finds the next block in order packed writes it, and those
 * behind it, while the others go on packing. Nobody waits for a turn.
 */
typedef struct _AcqMcapQueue AcqMcapQueue;

/* Writes a packed block; calls come in order, one at a time. */
typedef void (*AcqMcapQueueWrite) (gpointer data, AcqMcapBlock *block);

AcqMcapQueue *acq_mcap_queue_new (const AcqMcapWriterOptions *options, AcqMcapQueueWrite write,
                                  gpointer data, GError **error);

/* Drains and joins the workers. */
void acq_mcap_queue_free (AcqMcapQueue *self);

/* An empty block, to be handed back with submit. Blocks until one is free. */
AcqMcapBlock *acq_mcap_queue_acquire (AcqMcapQueue *self);
void acq_mcap_queue_submit (AcqMcapQueue *self);

/* Waits until every submitted block is written. */
void acq_mcap_queue_drain (AcqMcapQueue *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqMcapQueue, acq_mcap_queue_free)
