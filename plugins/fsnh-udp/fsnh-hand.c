/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the reader notices about a hand while the port is locked is kept as notes, and told
 * as events when the lock is gone. Losses are told at most ten times a second; those in
 * between become one gap.
 *
 *   receiving --no frame for silence_ns--> quiet --a frame--> receiving
 *
 * Going quiet is an alert, coming back a gap with its cause: `stall` when the repeats went
 * on, `silence` when nothing came at all. What counts is when packets came, not when they were
 * read: a reader that was stopped finds them waiting.
 *
 * While two programs send the hand, each packet is a restart of the other's sequence. That is
 * one alert, and no more words and no more epochs of the clock until it is over; the rows are
 * suspect, the counters go on.
 */

#include "fsnh-hand.h"

#include "fsnh-allow.h"
#include "fsnh-counters.h"
#include "fsnh-rivals.h"
#include "fsnh-streams.h"

#include <string.h>

#define GAP_INTERVAL_NS 100000000
#define RIVALS_GAP_INTERVAL_NS G_GINT64_CONSTANT (10000000000)
#define CLOCK_PROOF 100 /* packets that must agree before a clock is called ours */
#define CLOCK_NEAR_NS G_GINT64_CONSTANT (1000000000)
#define FIRST_PACKET_NS G_GINT64_CONSTANT (3000000000)

/* A row is a Pose32, so that one memcpy makes a message. */
G_STATIC_ASSERT (sizeof (AcqPose32) == sizeof (FsnhRow));
G_STATIC_ASSERT (offsetof (AcqPose32, orientation.x) == offsetof (FsnhRow, qx));
G_STATIC_ASSERT (offsetof (AcqPose32, orientation.w) == offsetof (FsnhRow, qw));

typedef enum {
  NOTE_RESTART,
  NOTE_MODE,
  NOTE_MOVED,
  NOTE_CONFLICT,
  NOTE_ODD,
  NOTE_CLOCK,
  NOTE_RIVALS,
  NOTE_RIVALS_OVER,
  N_NOTES,
} Note;

/* What rivals make up: none of it is worth a word. */
#define NOTES_OF_RIVALS                                                                            \
  (1u << NOTE_RESTART | 1u << NOTE_MODE | 1u << NOTE_MOVED | 1u << NOTE_CONFLICT)

typedef enum { CLOCK_UNKNOWN, CLOCK_SAME, CLOCK_OTHER } ClockVerdict;

struct _FsnhHand {
  AcqSource *source; /* (unowned) */
  FsnhHandConfig config;
  AcqStream *skeleton; /* (nullable) (unowned) */
  AcqStream *raw;      /* (nullable) (unowned) */
  AcqClock *clock;
  gint64 begun_ns; /* host time */

  /* The reader's, then the node's again. */
  FsnhSequence sequence;
  gint64 last_packet_ns; /* host time; 0: none yet */
  gint64 last_frame_ns;
  gboolean quiet;
  const char *quiet_cause;
  ClockVerdict clock_verdict;
  guint clock_near; /* packets in a row whose clock is ours */

  FsnhRivals rivals;
  gboolean clock_mixed; /* the clock has times of more than one sender */

  guint notes; /* bit set of Note */
  guint32 odd_now, odd_told;
  gboolean conflict_told;
  guint8 mode_now;
  FsnhSource moved_to;
  gint64 gap_from_ns, gap_to_ns, gap_told_ns;
  guint64 gap_lost;
  gboolean gap_of_rivals;
};

FsnhHand *
fsnh_hand_new (AcqSource *source, const FsnhHandConfig *config)
{
  FsnhHand *self = g_new0 (FsnhHand, 1);

  self->source = source;
  self->config = *config;
  self->clock = acq_clock_new (acq_node_get_id (ACQ_NODE (source)), ACQ_CLOCK_MONOTONIC);
  if (acq_source_wants (source, "hand_skeleton"))
    self->skeleton = fsnh_add_skeleton (source, config, self->clock);
  if (acq_source_wants (source, "raw"))
    self->raw = fsnh_add_raw (source, config);
  /* After a reconnect the stream is the one from before, with its clock. */
  if (self->skeleton != NULL && acq_stream_get_clock (self->skeleton) != self->clock) {
    acq_clock_unref (self->clock);
    self->clock = acq_clock_ref (acq_stream_get_clock (self->skeleton));
  }
  self->begun_ns = acq_node_now (ACQ_NODE (source));
  return self;
}

void
fsnh_hand_free (FsnhHand *self)
{
  if (self == NULL)
    return;
  acq_clock_unref (self->clock);
  g_free (self);
}

guint
fsnh_hand_get_side (const FsnhHand *self)
{
  return self->config.side;
}

AcqSource *
fsnh_hand_get_source (const FsnhHand *self)
{
  return self->source;
}

AcqStream *
fsnh_hand_get_raw (const FsnhHand *self)
{
  return self->raw;
}

static gint64
last_frame_or_begin (const FsnhHand *self)
{
  return self->last_frame_ns != 0 ? self->last_frame_ns : self->begun_ns;
}

/* With the port locked */

static void
push_row (FsnhHand *self, const FsnhPacket *packet, const FsnhArrival *arrival)
{
  gboolean forearm =
      packet->n_joints == FSNH_FOREARM_JOINTS && self->config.layout == FSNH_AS_RECEIVED;
  AcqFrame *frame;
  AcqHandSkeleton *msg = acq_hand_skeleton_begin (self->skeleton, &frame);
  FsnhRow rows[FSNH_WRIST_JOINTS];

  msg->side =
      packet->hand == FSNH_LEFT ? ACQ_HAND_SKELETON_SIDE_LEFT : ACQ_HAND_SKELETON_SIDE_RIGHT;
  msg->root = forearm ? ACQ_HAND_SKELETON_ROOT_FOREARM : ACQ_HAND_SKELETON_ROOT_WRIST;
  msg->status = packet->status;
  msg->n_joints = FSNH_WRIST_JOINTS;
  fsnh_packet_rows (packet, self->config.layout, rows);
  memcpy (msg->joints, rows, sizeof rows);
  frame->host_ns = arrival->host_ns;
  if (arrival->kernel_time)
    frame->flags |= ACQ_FRAME_KERNEL_TIME;
  if (self->rivals.active || (packet->flags & ~(guint32) FSNH_FOREARM_STALE) != 0)
    frame->flags |= ACQ_FRAME_SUSPECT;
  acq_stream_push (self->skeleton, frame, packet->frame_index, packet->timestamp_ns);
}

/* Is the sender's clock this machine's? Only a label: nothing is computed from it. */
static void
judge_clock (FsnhHand *self, const FsnhPacket *packet, const FsnhArrival *arrival)
{
  gint64 apart = (gint64) (packet->timestamp_ns - (guint64) arrival->mono_ns);

  if (self->clock_verdict != CLOCK_UNKNOWN)
    return;
  if (apart < -CLOCK_NEAR_NS || apart > CLOCK_NEAR_NS)
    self->clock_verdict = CLOCK_OTHER;
  else if (++self->clock_near == CLOCK_PROOF)
    self->clock_verdict = CLOCK_SAME;
  if (self->clock_verdict != CLOCK_UNKNOWN)
    self->notes |= 1u << NOTE_CLOCK;
}

static void
note_verdict (FsnhHand *self, const FsnhPacket *packet, const FsnhVerdict *verdict,
              const FsnhArrival *arrival)
{
  guint32 odd = packet->flags & ~(guint32) FSNH_FOREARM_STALE & ~self->odd_told;

  if (odd != 0) {
    self->odd_now |= odd;
    self->notes |= 1u << NOTE_ODD;
  }
  if (verdict->mode_changed) {
    self->mode_now = packet->n_joints;
    self->notes |= 1u << NOTE_MODE;
  }
  if (verdict->source_moved) {
    self->moved_to = arrival->source;
    self->notes |= 1u << NOTE_MOVED;
  }
  if (verdict->klass == FSNH_CLASS_INDEX_CONFLICT && !verdict->upgraded && !self->conflict_told)
    self->notes |= 1u << NOTE_CONFLICT;
  if (verdict->lost > 0) {
    if (self->gap_lost == 0)
      self->gap_from_ns = self->last_frame_ns;
    self->gap_to_ns = arrival->host_ns;
    self->gap_lost += verdict->lost;
    self->gap_of_rivals |= self->rivals.active;
  }
  if (self->rivals.active)
    self->notes &= ~NOTES_OF_RIVALS;
}

static void
restart_clock (FsnhHand *self)
{
  acq_source_clock_restarted (self->source, self->clock, ACQ_CLOCK_MONOTONIC, "restart");
  self->clock_verdict = CLOCK_UNKNOWN;
  self->clock_near = 0;
  self->clock_mixed = FALSE;
}

/* The first restart of rivals still begins an epoch, so that the one before stays clean; the
 * next begins when they are over. */
static void
watch_senders (FsnhHand *self, const FsnhVerdict *verdict, const FsnhArrival *arrival)
{
  gboolean restart = verdict->klass == FSNH_CLASS_SENDER_RESTART;
  gboolean begin;

  if (fsnh_rivals_end (&self->rivals, arrival->host_ns))
    self->notes |= 1u << NOTE_RIVALS_OVER;
  begin = fsnh_rivals_take (&self->rivals, &arrival->source, restart, arrival->host_ns);
  if (begin)
    self->notes |= 1u << NOTE_RIVALS;
  if (self->rivals.active && !begin) {
    self->clock_mixed |= restart;
    return;
  }
  if (restart)
    self->notes |= 1u << NOTE_RESTART;
  if (restart || self->clock_mixed)
    restart_clock (self);
}

static void
count (FsnhHand *self, const FsnhPacket *packet, const FsnhVerdict *verdict,
       const FsnhArrival *arrival)
{
  static const AcqStreamCounter counters[FSNH_N_LEDGER] = {
    [FSNH_LEDGER_REPEAT] = ACQ_STREAM_REPEATS,
    [FSNH_LEDGER_DUPLICATE] = ACQ_STREAM_DUPLICATES,
    [FSNH_LEDGER_LATE] = ACQ_STREAM_LATE,
  };

  acq_source_count_accepted (self->source, 1);
  if (self->skeleton == NULL)
    return;
  if (verdict->lost > 0)
    acq_stream_count (self->skeleton, ACQ_STREAM_LOST, verdict->lost);
  if (verdict->ledger == FSNH_LEDGER_FRAME ||
      (verdict->ledger == FSNH_LEDGER_REPEAT && self->config.repeats))
    push_row (self, packet, arrival);
  else
    acq_stream_count (self->skeleton, counters[verdict->ledger], 1);
}

/* A frame: one that was missed, or one whose like had come and gone before it was read. What is
 * known to be lost is a gap of the sequence. */
static void
end_quiet (FsnhHand *self, const FsnhVerdict *verdict, gint64 arrival_ns)
{
  gint64 limit = self->config.silence_ns;
  const char *cause = self->quiet_cause;

  if (!self->quiet) {
    if (self->last_frame_ns == 0 || verdict->lost > 0 || arrival_ns - self->last_frame_ns < limit)
      return;
    cause = arrival_ns - self->last_packet_ns < limit ? "stall" : "silence";
  }
  acq_source_gap (self->source, self->skeleton, last_frame_or_begin (self), arrival_ns, 0, cause);
  self->quiet = FALSE;
}

void
fsnh_hand_take (FsnhHand *self, const FsnhPacket *packet, const guint8 *bytes,
                const FsnhArrival *arrival)
{
  FsnhVerdict verdict =
      fsnh_sequence_next (&self->sequence, packet, bytes, &arrival->source, arrival->mono_ns);

  watch_senders (self, &verdict, arrival);
  count (self, packet, &verdict, arrival);
  judge_clock (self, packet, arrival);
  note_verdict (self, packet, &verdict, arrival);
  if (verdict.ledger == FSNH_LEDGER_FRAME) {
    end_quiet (self, &verdict, arrival->host_ns);
    self->last_frame_ns = arrival->host_ns;
  }
  self->last_packet_ns = arrival->host_ns;
}

/* With the port not locked */

static void
tell_odd (FsnhHand *self)
{
  AcqNode *node = ACQ_NODE (self->source);

  for (guint bit = 0; bit < FSNH_N_FLAGS; bit++) {
    if ((self->odd_now >> bit & 1) == 0)
      continue;
    if (1u << bit == FSNH_COMPONENT_ORDER_SUSPECT)
      acq_node_notice (node, ACQ_EVENT_SEVERITY_ERROR, fsnh_flag_name (bit),
                       "%s: the forearm's quaternion looks as if w were not first. All rotations "
                       "of this recording may be in another order than it says; compare with the "
                       "glove's own view before recording on",
                       acq_node_get_id (node));
    else
      acq_node_notice (node, ACQ_EVENT_SEVERITY_WARNING, fsnh_flag_name (bit),
                       "%s: packets are odd (%s); they are recorded as they came, and counted",
                       acq_node_get_id (node), fsnh_flag_name (bit));
  }
  self->odd_told |= self->odd_now;
  self->odd_now = 0;
}

static void
tell_clock (FsnhHand *self)
{
  AcqNode *node = ACQ_NODE (self->source);
  const char *whose =
      self->clock_verdict == CLOCK_SAME ? "this machine's monotonic clock" : "another clock";

  acq_node_set_fact (node, "sender_clock", whose);
  acq_node_notice (node, ACQ_EVENT_SEVERITY_INFO, "sender_clock",
                   "%s: the sender's times are of %s", acq_node_get_id (node), whose);
}

static void
tell_rivals (FsnhHand *self)
{
  AcqNode *node = ACQ_NODE (self->source);
  char one[FSNH_SOURCE_TEXT], other[FSNH_SOURCE_TEXT];

  fsnh_source_to_text (&self->rivals.pair[0], one);
  fsnh_source_to_text (&self->rivals.pair[1], other);
  acq_node_notice (node, ACQ_EVENT_SEVERITY_ERROR, "two_senders",
                   "%s: two programs send this hand, from %s and from %s; what is recorded is a "
                   "mixture of both. Stop one of them, or name the right one in \"allow\"",
                   acq_node_get_id (node), one, other);
}

static void
tell_note (FsnhHand *self, Note note)
{
  AcqNode *node = ACQ_NODE (self->source);
  const char *id = acq_node_get_id (node);
  char text[FSNH_SOURCE_TEXT];

  switch (note) {
  case NOTE_RESTART:
    acq_node_notice (node, ACQ_EVENT_SEVERITY_WARNING, "sender_restart",
                     "%s: the sender was restarted; its numbers and its clock begin anew", id);
    return;
  case NOTE_MODE:
    acq_node_notice (node, ACQ_EVENT_SEVERITY_WARNING, "mode_changed",
                     "%s: the sender changed to %u joints, relative to the %s", id, self->mode_now,
                     self->mode_now == FSNH_FOREARM_JOINTS ? "forearm" : "wrist");
    return;
  case NOTE_MOVED:
    fsnh_source_to_text (&self->moved_to, text);
    acq_node_notice (node, ACQ_EVENT_SEVERITY_WARNING, "source_changed",
                     "%s: packets come from %s now; if two programs send the same hand, end one",
                     id, text);
    return;
  case NOTE_CONFLICT:
    self->conflict_told = TRUE;
    acq_node_notice (node, ACQ_EVENT_SEVERITY_WARNING, "index_conflict",
                     "%s: two different packets had one number; the first is kept. Do two programs "
                     "send the same hand?",
                     id);
    return;
  case NOTE_ODD:
    tell_odd (self);
    return;
  case NOTE_CLOCK:
    tell_clock (self);
    return;
  case NOTE_RIVALS:
    tell_rivals (self);
    return;
  case NOTE_RIVALS_OVER:
    fsnh_source_to_text (&self->rivals.sender, text);
    acq_node_notice (node, ACQ_EVENT_SEVERITY_INFO, "two_senders_over",
                     "%s: the hand has one sender again, %s; rows from here on are of one hand", id,
                     text);
    return;
  case N_NOTES:
    return;
  }
}

static void
tell_gap (FsnhHand *self, gint64 now_ns)
{
  gint64 interval = self->rivals.active ? RIVALS_GAP_INTERVAL_NS : GAP_INTERVAL_NS;

  if (self->gap_lost == 0 || now_ns - self->gap_told_ns < interval)
    return;
  acq_source_gap (self->source, self->skeleton, self->gap_from_ns, self->gap_to_ns, self->gap_lost,
                  self->gap_of_rivals ? "two_senders" : "sequence");
  self->gap_lost = 0;
  self->gap_of_rivals = FALSE;
  self->gap_told_ns = now_ns;
}

static void
tell_quiet (FsnhHand *self, gint64 read_ns, gint64 dropped_ns)
{
  AcqNode *node = ACQ_NODE (self->source);
  const char *id = acq_node_get_id (node);
  gint64 since = MAX (last_frame_or_begin (self), dropped_ns);
  gint64 limit = self->last_frame_ns != 0 ? self->config.silence_ns
                                          : MAX (self->config.silence_ns, FIRST_PACKET_NS);
  double seconds = (double) (read_ns - since) * 1e-9;

  if (self->quiet || read_ns - since < limit)
    return;
  self->quiet = TRUE;
  if (self->last_packet_ns != 0 && read_ns - self->last_packet_ns < limit) {
    self->quiet_cause = "stall";
    acq_node_notice (node, ACQ_EVENT_SEVERITY_WARNING, "stall",
                     "%s: the sender has been repeating itself for %.1f s; is the glove on, and in "
                     "sight of its tracking?",
                     id, seconds);
    return;
  }
  self->quiet_cause = "silence";
  acq_node_notice (node, ACQ_EVENT_SEVERITY_WARNING, "silence",
                   self->last_packet_ns != 0
                       ? "%s: nothing has come for %.1f s; is the glove's software still running?"
                       : "%s: nothing has come for %.1f s; does the glove's software send to this "
                         "machine and port?",
                   id, seconds);
}

void
fsnh_hand_tell (FsnhHand *self, gint64 now_ns)
{
  for (guint note = 0; self->notes != 0; note++) {
    if (self->notes & 1u << note)
      tell_note (self, note);
    self->notes &= ~(1u << note);
  }
  tell_gap (self, now_ns);
}

void
fsnh_hand_watch (FsnhHand *self, gint64 read_ns, gint64 dropped_ns)
{
  if (fsnh_rivals_end (&self->rivals, read_ns))
    tell_note (self, NOTE_RIVALS_OVER);
  tell_quiet (self, read_ns, dropped_ns);
}

void
fsnh_hand_end (FsnhHand *self)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_NOTICE, .severity = ACQ_EVENT_SEVERITY_INFO };
  AcqNode *node = ACQ_NODE (self->source);

  self->gap_told_ns = 0;
  tell_gap (self, acq_node_now (node));
  g_strlcpy (event.name, "counters", sizeof event.name);
  g_snprintf (event.message, sizeof event.message,
              "%s: %" G_GUINT64_FORMAT " packets, %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT
              " lost",
              acq_node_get_id (node), self->sequence.accepted,
              self->sequence.ledger[FSNH_LEDGER_FRAME], self->sequence.lost);
  fsnh_counters_to_json (&self->sequence, event.details, sizeof event.details);
  acq_node_event (node, &event);
}
