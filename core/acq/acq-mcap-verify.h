/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-mcap.h>

/**
 * AcqMcapProblem:
 * @is_error: the file breaks a rule; else it is only unusual
 * @offset: where in the file, or in the records of the chunk that @text names
 * @text: what is wrong, in words
 */
typedef struct {
  gboolean is_error;
  guint64 offset;
  char *text;
} AcqMcapProblem;

/**
 * AcqMcapChannelCount:
 * @id: the channel
 * @topic: its topic
 * @n_messages: how many the file holds
 */
typedef struct {
  guint16 id;
  char *topic;
  guint64 n_messages;
} AcqMcapChannelCount;

/**
 * AcqMcapReport:
 * @problems: (element-type AcqMcapProblem): in the order in which they were found, the first 1000
 * @n_errors: all of them
 * @n_warnings: all of them
 * @n_messages: messages that can be read
 * @n_chunks: chunks
 * @n_schemas: different ones in the data section
 * @n_attachments: attachments
 * @n_metadata: metadata records
 * @channels: (element-type AcqMcapChannelCount): in file order
 * @start_time: smallest log time; 0 without messages
 * @end_time: largest log time
 * @max_step_back_ns: how far a message's log time lies behind the largest one in front of it in
 *   the file, at most
 * @hold_back_ns: how far it may, by the largest `acq.hold_back_ns` in the metadata of channels; -1
 *   when none has it. More than that is a warning
 *
 * What is in a file, and what is wrong with it.
 */
typedef struct {
  GPtrArray *problems;
  guint64 n_errors;
  guint64 n_warnings;
  guint64 n_messages;
  guint64 n_chunks;
  guint n_schemas;
  guint64 n_attachments;
  guint64 n_metadata;
  GPtrArray *channels;
  guint64 start_time;
  guint64 end_time;
  guint64 max_step_back_ns;
  gint64 hold_back_ns;
} AcqMcapReport;

/**
 * AcqMcapVerifyFlags:
 * @ACQ_MCAP_VERIFY_ORDER: log times that do not strictly increase within a channel are errors; else
 *   warnings
 */
typedef enum {
  ACQ_MCAP_VERIFY_DEFAULT = 0,
  ACQ_MCAP_VERIFY_ORDER = 1 << 0,
} AcqMcapVerifyFlags;

/**
 * acq_mcap_verify:
 * @file: the whole file
 * @flags: how strict
 *
 * Checks everything that a file says about itself: framing, every CRC, that
 * schemas and channels come before their use, what chunks say of their content,
 * each entry of each message index, each index and offset of the summary, and
 * all counts.
 *
 * Thread: any
 *
 * Returns: (transfer full): the findings
 */
ACQ_API AcqMcapReport *acq_mcap_verify (AcqMcapSpan file, AcqMcapVerifyFlags flags);

/**
 * acq_mcap_verify_path:
 * @path: a file
 * @flags: how strict
 * @error: %ACQ_ERROR_IO when it cannot be read
 *
 * Returns: (transfer full): the findings
 */
ACQ_API AcqMcapReport *acq_mcap_verify_path (const char *path, AcqMcapVerifyFlags flags,
                                             GError **error);

ACQ_API void acq_mcap_report_free (AcqMcapReport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqMcapReport, acq_mcap_report_free)
