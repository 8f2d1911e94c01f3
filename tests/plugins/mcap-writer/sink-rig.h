/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-harness.h>
#include <acq/acq.h>

/*
 * mcap-writer under a fake clock, a rig in front of it, and what reads its files.
 */

#define MS G_GINT64_CONSTANT (1000000)
#define TAXELS 744

typedef struct {
  AcqHarness *h;
  AcqTake *take;
  AcqClock *clock;
  AcqStream *skeleton; /* device time and sequence */
  AcqStream *imu;      /* neither */
  AcqStream *tactile;  /* a tail */
  AcqStream *frames;   /* latched, on a topic of its own */
  guint n;             /* messages of each but the last */
} SinkRig;

/* @options: (nullable): name, text, name, text, NULL */
void sink_rig_set_up (SinkRig *f, const char *const *options);
/* With an attachment and a fact; begins a take. */
void sink_rig_start (SinkRig *f);
void sink_rig_tear_down (SinkRig *f);
float sink_rig_joint_x (guint i, guint joint);
/* Messages number @n in all, a millisecond apart. */
void sink_rig_push (SinkRig *f, guint n);
void sink_rig_push_latched (SinkRig *f, double x);
/* A file of a take, by what follows its base name. */
char *sink_rig_path (AcqTake *take, const char *suffix);
/* A finished file without any problem. */
AcqMcapReader *sink_rig_open (AcqTake *take);
gboolean mcap_is_text (AcqMcapSpan span, const char *text);
const AcqMcapChannel *mcap_find_channel (AcqMcapReader *reader, const char *topic);
/* The next message of a topic; the payload is decoded into @message. */
gboolean mcap_next_of (AcqMcapReader *reader, const char *topic, const AcqSchema *schema,
                       AcqMcapMessage *ret_record, AcqCdrMessage *message);
char *mcap_metadata_of (AcqMcapSpan map, const char *key);
/* A Metadata record by name. */
AcqMcapSpan mcap_find_metadata (AcqMcapReader *reader, const char *name);
guint64 mcap_count_of (AcqMcapReader *reader, const char *topic);
/* The ledger of the link from a stream to the sink. */
const AcqLinkCounters *mcap_sink_counters (AcqSnapshot *snapshot, const char *path);

#define mcap_assert_metadata(map, key, wanted)                                                     \
  do {                                                                                             \
    g_autofree char *found_ = mcap_metadata_of (map, key);                                         \
    g_assert_cmpstr (found_, ==, wanted);                                                          \
  } while (0)
