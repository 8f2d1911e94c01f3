/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-mcap-output.h>
#include <acq/acq-mcap.h>

/**
 * AcqMcapRecovery:
 * @messages: kept
 * @attachments: kept
 * @metadata: kept
 * @had_end: the file was finished once
 * @lost_messages: known to have been there: in a message index, or without a channel
 * @lost_chunks: damaged as a whole; unless an index counts their messages, nobody knows how many
 * @cut_chunks: of which only the messages at the head were saved
 * @lost_attachments: damaged
 * @lost_records: other records that make no sense
 * @lost_bytes: that are not part of any record
 *
 * What became of the content of a damaged file.
 */
typedef struct {
  guint64 messages;
  guint64 attachments;
  guint64 metadata;
  gboolean had_end;
  guint64 lost_messages;
  guint64 lost_chunks;
  guint64 cut_chunks;
  guint64 lost_attachments;
  guint64 lost_records;
  guint64 lost_bytes;
} AcqMcapRecovery;

/**
 * AcqMcapRecoverFlags:
 * @ACQ_MCAP_RECOVER_KEEP_DAMAGED: keep also what does not match its CRC, and the readable head of
 *   chunks that are damaged
 */
typedef enum {
  ACQ_MCAP_RECOVER_DEFAULT = 0,
  ACQ_MCAP_RECOVER_KEEP_DAMAGED = 1 << 0,
} AcqMcapRecoverFlags;

/**
 * acq_mcap_recovery_has_loss:
 * @self: what became of a file
 *
 * Returns: whether anything that was in the file is not in the new one
 */
ACQ_API gboolean acq_mcap_recovery_has_loss (const AcqMcapRecovery *self);

/**
 * acq_mcap_recover:
 * @file: a file, cut or damaged anywhere
 * @output: (transfer full): where the new file goes; published when it is whole
 * @flags: what to keep
 * @ret_recovery: (out): what was kept and lost
 * @error: the output's, or %ACQ_ERROR_FORMAT when this is no MCAP file
 *
 * Makes a strictly valid file of what is left of another. It reads over damage:
 * behind bytes that are no records it looks for the next chunk. The new file
 * has a Metadata record `acq.recovery` with these counts.
 *
 * Thread: any
 */
ACQ_API gboolean acq_mcap_recover (AcqMcapSpan file, AcqMcapOutput *output,
                                   AcqMcapRecoverFlags flags, AcqMcapRecovery *ret_recovery,
                                   GError **error);

/**
 * acq_mcap_recover_path:
 * @from: a file; it stays as it is
 * @to: the new file, which must not exist
 * @flags: what to keep
 * @ret_recovery: (out): what was kept and lost
 * @error: as acq_mcap_recover(), and %ACQ_ERROR_IO when a recorder still writes @from
 *
 * @from may be `<to>.part`.
 *
 * Thread: any
 */
ACQ_API gboolean acq_mcap_recover_path (const char *from, const char *to, AcqMcapRecoverFlags flags,
                                        AcqMcapRecovery *ret_recovery, GError **error);
