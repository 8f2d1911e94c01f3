/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-sequence.h"

#include <string.h>

#define SECOND_NS G_GUINT64_CONSTANT (1000000000)
#define REORDER_WINDOW 120
#define LARGEST_GAP 100000

static const struct {
  const char *name;
  FsnhLedger ledger;
} classes[FSNH_N_CLASSES] = {
  [FSNH_CLASS_FIRST] = { "first", FSNH_LEDGER_FRAME },
  [FSNH_CLASS_SENDER_RESTART] = { "sender_restart", FSNH_LEDGER_FRAME },
  [FSNH_CLASS_NEW] = { "new", FSNH_LEDGER_FRAME },
  [FSNH_CLASS_GAP] = { "gap", FSNH_LEDGER_FRAME },
  [FSNH_CLASS_REPEAT_WITHOUT_NEW] = { "repeat_without_new", FSNH_LEDGER_FRAME },
  [FSNH_CLASS_REPEAT] = { "repeat", FSNH_LEDGER_REPEAT },
  [FSNH_CLASS_DUPLICATE] = { "duplicate", FSNH_LEDGER_DUPLICATE },
  [FSNH_CLASS_INDEX_CONFLICT] = { "index_conflict", FSNH_LEDGER_DUPLICATE },
  [FSNH_CLASS_REORDER] = { "reorder", FSNH_LEDGER_LATE },
};

static const char *const ledger_names[FSNH_N_LEDGER] = { "frames", "repeats", "duplicates",
                                                         "late" };

const char *
fsnh_class_name (FsnhClass klass)
{
  return classes[klass].name;
}

FsnhLedger
fsnh_class_ledger (FsnhClass klass)
{
  return classes[klass].ledger;
}

const char *
fsnh_ledger_name (FsnhLedger ledger)
{
  return ledger_names[ledger];
}

static FsnhClass
classify (const FsnhSequence *self, const FsnhPacket *packet, const guint8 *bytes, gsize n_bytes)
{
  gint32 d = (gint32) (packet->frame_index - self->last_index);
  guint64 t = packet->timestamp_ns, last_t = self->last_timestamp_ns;
  gboolean solved = (packet->status & FSNH_STATUS_NEW) != 0;

  if (self->accepted == 0)
    return FSNH_CLASS_FIRST;
  if (t < last_t && last_t - t > SECOND_NS)
    return FSNH_CLASS_SENDER_RESTART;
  if (d < 0 && t > last_t)
    return FSNH_CLASS_SENDER_RESTART;
  if (d < -REORDER_WINDOW || d > LARGEST_GAP)
    return FSNH_CLASS_SENDER_RESTART;
  if (d < 0)
    return FSNH_CLASS_REORDER;
  if (d == 0 && !solved)
    return FSNH_CLASS_REPEAT;
  if (d == 0 && n_bytes == self->n_bytes && memcmp (bytes, self->bytes, n_bytes) == 0)
    return FSNH_CLASS_DUPLICATE;
  if (d == 0)
    return FSNH_CLASS_INDEX_CONFLICT;
  if (!solved)
    return FSNH_CLASS_REPEAT_WITHOUT_NEW;
  return d == 1 ? FSNH_CLASS_NEW : FSNH_CLASS_GAP;
}

gboolean
fsnh_source_equal (const FsnhSource *a, const FsnhSource *b)
{
  return a->port == b->port && a->scope == b->scope &&
         memcmp (a->address, b->address, sizeof a->address) == 0;
}

static void
track_times (FsnhSequence *self, FsnhClass klass, gint64 receive_ns)
{
  if (self->accepted > 0)
    self->longest_silence_ns = MAX (self->longest_silence_ns, receive_ns - self->last_receive_ns);
  self->last_receive_ns = receive_ns;

  if (klass == FSNH_CLASS_REPEAT && !self->stalled) {
    self->stalled = TRUE;
    self->stall_begin_ns = receive_ns;
  }
  if (self->stalled)
    self->longest_stall_ns = MAX (self->longest_stall_ns, receive_ns - self->stall_begin_ns);
  if (classes[klass].ledger == FSNH_LEDGER_FRAME)
    self->stalled = FALSE;
}

static void
track_source (FsnhSequence *self, const FsnhSource *source, FsnhVerdict *verdict)
{
  gboolean begins =
      verdict->klass == FSNH_CLASS_FIRST || verdict->klass == FSNH_CLASS_SENDER_RESTART;

  verdict->source_moved = self->accepted > 0 && !fsnh_source_equal (source, &self->previous);
  if (begins) /* a restarted program has another port: that is no change of sender */
    self->locked = *source;
  verdict->source_changed = !fsnh_source_equal (source, &self->locked);
  self->previous = *source;
}

/* A packet that gives a row becomes the one that the next are compared with. */
static void
remember (FsnhSequence *self, const FsnhPacket *packet, const guint8 *bytes, gsize n_bytes,
          FsnhVerdict *verdict)
{
  gboolean solved = (packet->status & FSNH_STATUS_NEW) != 0;

  if (self->accepted == 0) {
    self->first_index = packet->frame_index;
    self->first_timestamp_ns = packet->timestamp_ns;
  }
  verdict->mode_changed = self->accepted > 0 && packet->n_joints != self->last_joints;
  if (verdict->klass == FSNH_CLASS_GAP || verdict->klass == FSNH_CLASS_REPEAT_WITHOUT_NEW)
    verdict->lost = packet->frame_index - self->last_index - 1;
  verdict->started_on_repeat = !solved && verdict->klass != FSNH_CLASS_REPEAT_WITHOUT_NEW;
  self->known_from_repeat = !solved;
  self->last_index = packet->frame_index;
  self->last_timestamp_ns = packet->timestamp_ns;
  self->last_joints = packet->n_joints;
  self->n_bytes = (guint16) n_bytes;
  memcpy (self->bytes, bytes, n_bytes);
}

static void
count (FsnhSequence *self, guint32 flags, const FsnhVerdict *verdict)
{
  self->accepted++;
  self->classes[verdict->klass]++;
  self->ledger[verdict->ledger]++;
  self->lost += verdict->lost;
  self->started_on_repeat += (guint64) verdict->started_on_repeat;
  self->upgraded += (guint64) verdict->upgraded;
  self->mode_changed += (guint64) verdict->mode_changed;
  self->source_changed += (guint64) verdict->source_changed;
  for (guint bit = 0; flags != 0; bit++, flags >>= 1)
    self->flags[bit] += flags & 1;
}

FsnhVerdict
fsnh_sequence_next (FsnhSequence *self, const FsnhPacket *packet, const guint8 *bytes,
                    const FsnhSource *source, gint64 receive_ns)
{
  gsize n_bytes = FSNH_HEADER_SIZE + packet->n_joints * (gsize) FSNH_JOINT_SIZE;
  FsnhVerdict verdict = { .klass = classify (self, packet, bytes, n_bytes) };

  verdict.ledger = classes[verdict.klass].ledger;
  track_times (self, verdict.klass, receive_ns);
  track_source (self, source, &verdict);
  if (verdict.ledger == FSNH_LEDGER_FRAME) {
    remember (self, packet, bytes, n_bytes, &verdict);
  } else if (verdict.klass == FSNH_CLASS_INDEX_CONFLICT && self->known_from_repeat) {
    /* Keep the row, but know the original's bytes: its copies are duplicates. */
    verdict.upgraded = TRUE;
    self->known_from_repeat = FALSE;
    self->n_bytes = (guint16) n_bytes;
    memcpy (self->bytes, bytes, n_bytes);
  }
  count (self, packet->flags, &verdict);
  return verdict;
}
