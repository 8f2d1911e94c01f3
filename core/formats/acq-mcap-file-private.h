/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "formats/acq-mcap-block-private.h"

/*
 * The file as far as it is written: its length, its running CRC, and what the
 * summary will say. Calls come in file order, one at a time, except those
 * marked "any thread".
 */
typedef struct _AcqMcapFile AcqMcapFile;

/* Takes @output. @options must live as long as the file. */
AcqMcapFile *acq_mcap_file_new (AcqMcapOutput *output, const AcqMcapWriterOptions *options);
void acq_mcap_file_free (AcqMcapFile *self);

/* Writes a packed block and tells what became of it. */
void acq_mcap_file_write (AcqMcapFile *self, AcqMcapBlock *block);

/* Any thread: waits until what was written is on the disk, of a file that still is there. */
void acq_mcap_file_sync (AcqMcapFile *self);

/*
 * Writes what stands behind the chunks, and publishes. @last (nullable) has records
 * that were added after a failure; the arrays hold encoded records.
 */
gboolean acq_mcap_file_finish (AcqMcapFile *self, AcqMcapBlock *last, GPtrArray *schemas,
                               GPtrArray *channels, GError **error);

/* Any thread. */
gboolean acq_mcap_file_has_failed (AcqMcapFile *self);
GError *acq_mcap_file_get_error (AcqMcapFile *self);
guint64 acq_mcap_file_get_size (AcqMcapFile *self);
/* What a chunk may have: less than the options say where there is little room. */
gsize acq_mcap_file_get_chunk_limit (AcqMcapFile *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqMcapFile, acq_mcap_file_free)
