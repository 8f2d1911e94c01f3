/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/*
 * The file of one take. All calls come from the sink's thread, and after the take
 * ended from the thread of its finish job.
 */
typedef struct _McapFile McapFile;

typedef struct {
  AcqMcapWriterOptions writer;
  gint64 flush_ns; /* from receipt to the system, at most */
  gboolean rosbag2;
  gboolean discard;
} McapSettings;

/* With all links of the sink so far. */
McapFile *mcap_file_new (AcqSink *sink, AcqTake *take, const McapSettings *settings,
                         GError **error);
void mcap_file_free (McapFile *self);

/* A stream that comes while the take goes on. */
gboolean mcap_file_add_link (McapFile *self, AcqLink *link, GError **error);

gboolean mcap_file_write (McapFile *self, const AcqItem *items, guint n, GError **error);
gboolean mcap_file_tick (McapFile *self, gint64 now_ns, GError **error);

/* No more messages: from now on a failure is the finish job's to tell. */
void mcap_file_end (McapFile *self);
gboolean mcap_file_finish (McapFile *self, GError **error);
