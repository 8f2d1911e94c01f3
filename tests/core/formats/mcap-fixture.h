/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/*
 * What the MCAP tests share: messages whose content follows from their number,
 * an output that fails at a chosen byte, and a check of whole files.
 */

typedef struct {
  guint n_channels;
  guint n_messages;
  gsize max_size; /* of a payload */
  guint seed;
} McapLoad;

/* Message @i of a load. The span is overwritten by the next call with the same buffer. */
AcqMcapMessage mcap_load_message (const McapLoad *load, guint i, GByteArray *buffer);

/* Declares the channels of a load and writes its messages. Stops at the first failure. */
gboolean mcap_load_write (const McapLoad *load, AcqMcapWriter *writer, GError **error);

/* Reads a file and compares the first @n messages with the load, and that there are no more. */
void mcap_load_check (const McapLoad *load, GByteArray *file, guint n);

/* As above for any of the messages, in order; returns how many. */
guint mcap_load_check_some (const McapLoad *load, GByteArray *file);

/* A complete file in memory. */
GByteArray *mcap_load_file (const McapLoad *load, const AcqMcapWriterOptions *options);

/* An output into @bytes that fails when it would grow beyond @limit, after writing up to it. */
AcqMcapOutput *mcap_faulty_output (GByteArray *bytes, gsize limit, int saved_errno,
                                   gboolean can_truncate);

/* Fails the test with the list of problems when there are any. */
void mcap_assert_sound (GByteArray *file);

/* The problems as one text, for messages and comparisons. */
char *mcap_problems (const AcqMcapReport *report);
