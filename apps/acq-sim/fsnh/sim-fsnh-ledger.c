/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-fsnh-ledger.h"

#include "sim-report.h"

#define LARGEST_GAP 100000
#define SECOND_NS G_GUINT64_CONSTANT (1000000000)

static const char *const foreign_names[SIM_FSNH_N_FOREIGN] = { "foreign_fnim_240",
                                                               "foreign_pico_1860" };

static const char *const class_names[SIM_FSNH_N_CLASSES] = {
  "first",     "sender_restart", "new",    "gap", "repeat_without_new", "repeat",
  "duplicate", "index_conflict", "reorder"
};

static const char *const hand_names[SIM_FSNH_N_HANDS] = { "left", "right" };

/* A restarted sender is known by its numbers: smaller ones, or a clock that fell back. Where
 * both happen to go on upwards nobody can tell, and the new life continues the old one. */
static gboolean
restarted (SimFsnhHandLedger *hand, const SimFsnhDatagram *d)
{
  guint64 t = d->head.timestamp_ns, last_t = hand->last.timestamp_ns;
  guint32 ahead = d->head.index - hand->last.index;

  if (d->life == hand->life)
    return FALSE;
  hand->life = d->life;
  hand->shift = 0;
  if ((t < last_t && last_t - t > SECOND_NS) || ahead > LARGEST_GAP)
    return TRUE;
  hand->shift = hand->newest + ahead - d->solution;
  return FALSE;
}

static SimFsnhClass
frame_class (SimFsnhHandLedger *hand, const SimFsnhDatagram *d, guint64 skipped)
{
  if (skipped >= LARGEST_GAP)
    return SIM_FSNH_CLASS_SENDER_RESTART;
  hand->lost += skipped;
  if (!d->head.solved)
    return SIM_FSNH_CLASS_REPEAT_WITHOUT_NEW;
  return skipped == 0 ? SIM_FSNH_CLASS_NEW : SIM_FSNH_CLASS_GAP;
}

static SimFsnhClass
classify (SimFsnhHandLedger *hand, const SimFsnhDatagram *d)
{
  guint64 solution;

  if (hand->classes[SIM_FSNH_CLASS_FIRST] == 0)
    return SIM_FSNH_CLASS_FIRST;
  if (restarted (hand, d))
    return SIM_FSNH_CLASS_SENDER_RESTART;
  solution = d->solution + hand->shift;
  if (solution < hand->newest)
    return SIM_FSNH_CLASS_REORDER;
  if (solution > hand->newest)
    return frame_class (hand, d, solution - hand->newest - 1);
  if (!d->head.solved)
    return SIM_FSNH_CLASS_REPEAT;
  return (int) d->variant == hand->variant ? SIM_FSNH_CLASS_DUPLICATE
                                           : SIM_FSNH_CLASS_INDEX_CONFLICT;
}

static void
count_flags (SimFsnhHandLedger *hand, const SimFsnhDatagram *d)
{
  guint odd = d->odd;

  if (odd >> SIM_FSNH_COMPONENT_ORDER_SUSPECT & 1) /* such a root is no identity either */
    odd |= 1u << SIM_FSNH_FOREARM_ROOT_NOT_ZERO;
  hand->source_changed += d->sender != hand->locked;
  hand->forearm_stale += d->head.mode == SIM_FSNH_FOREARM && !d->head.forearm_seen;
  for (guint i = 0; i < SIM_FSNH_N_ODDITIES; i++)
    hand->odd[i] += odd >> i & 1;
}

static void
count_packet (SimFsnhHandLedger *hand, const SimFsnhDatagram *d)
{
  SimFsnhClass klass = classify (hand, d);
  gboolean first = klass == SIM_FSNH_CLASS_FIRST;

  hand->classes[klass]++;
  if (first || klass == SIM_FSNH_CLASS_SENDER_RESTART)
    hand->locked = d->sender;
  count_flags (hand, d);
  if (klass == SIM_FSNH_CLASS_INDEX_CONFLICT && hand->variant < 0)
    hand->variant = (int) d->variant;
  if (klass >= SIM_FSNH_CLASS_REPEAT) /* no frame */
    return;
  if (first)
    hand->first = d->head;
  else
    hand->mode_changed += d->head.mode != hand->last.mode;
  hand->last = d->head;
  hand->newest = d->solution + hand->shift;
  hand->life = d->life;
  hand->variant = d->head.solved ? (int) d->variant : -1;
}

void
sim_fsnh_ledger_sent (SimFsnhLedger *self, const SimFsnhDatagram *d)
{
  self->datagrams++;
  self->bytes += d->length;
  switch (d->what) {
  case SIM_FSNH_PACKET:
    count_packet (&self->hands[d->head.hand], d);
    return;
  case SIM_FSNH_DEFECTIVE:
    self->rejected[d->detail]++;
    return;
  case SIM_FSNH_FOREIGN:
    self->foreign[d->detail]++;
    return;
  case SIM_FSNH_WRONG_SOURCE:
    self->wrong_source++;
    return;
  }
}

static guint64
sum (const guint64 *counts, guint from, guint to)
{
  guint64 total = 0;

  for (guint i = from; i <= to; i++)
    total += counts[i];
  return total;
}

guint64
sim_fsnh_ledger_accepted (const SimFsnhLedger *self, SimFsnhHand hand)
{
  return sum (self->hands[hand].classes, 0, SIM_FSNH_N_CLASSES - 1);
}

static void
report_flags (const SimFsnhHandLedger *hand, JsonBuilder *builder)
{
  const char *const names[] = { "mode_changed", "source_changed", "forearm_stale" };
  const guint64 counts[] = { hand->mode_changed, hand->source_changed, hand->forearm_stale };

  json_builder_set_member_name (builder, "flags");
  json_builder_begin_object (builder);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (counts[i] != 0)
      sim_report_count (builder, names[i], counts[i]);
  for (guint i = 0; i < SIM_FSNH_N_ODDITIES; i++)
    if (hand->odd[i] != 0)
      sim_report_count (builder, sim_fsnh_oddity_names[i], hand->odd[i]);
  json_builder_end_object (builder);
}

static void
report_hand (const SimFsnhHandLedger *hand, JsonBuilder *builder)
{
  const guint64 *classes = hand->classes;

  json_builder_begin_object (builder);
  sim_report_count (builder, "accepted", sum (classes, 0, SIM_FSNH_N_CLASSES - 1));
  sim_report_count (builder, "frames",
                    sum (classes, SIM_FSNH_CLASS_FIRST, SIM_FSNH_CLASS_REPEAT_WITHOUT_NEW));
  sim_report_count (builder, "repeats", classes[SIM_FSNH_CLASS_REPEAT]);
  sim_report_count (builder, "duplicates",
                    sum (classes, SIM_FSNH_CLASS_DUPLICATE, SIM_FSNH_CLASS_INDEX_CONFLICT));
  sim_report_count (builder, "late", classes[SIM_FSNH_CLASS_REORDER]);
  sim_report_count (builder, "lost", hand->lost);
  sim_report_counts (builder, "classes", class_names, classes, SIM_FSNH_N_CLASSES);
  report_flags (hand, builder);
  sim_report_count (builder, "first_index", hand->first.index);
  sim_report_count (builder, "last_index", hand->last.index);
  sim_report_count (builder, "first_timestamp_ns", hand->first.timestamp_ns);
  sim_report_count (builder, "last_timestamp_ns", hand->last.timestamp_ns);
  json_builder_end_object (builder);
}

void
sim_fsnh_ledger_report (const SimFsnhLedger *self, JsonBuilder *builder)
{
  sim_report_count (builder, "datagrams", self->datagrams);
  sim_report_count (builder, "bytes", self->bytes);
  sim_report_count (builder, "wrong_source", self->wrong_source);
  sim_report_counts (builder, "foreign", foreign_names, self->foreign, SIM_FSNH_N_FOREIGN);
  sim_report_counts (builder, "rejected", sim_fsnh_defect_names, self->rejected,
                     SIM_FSNH_N_DEFECTS);
  json_builder_set_member_name (builder, "hands");
  json_builder_begin_object (builder);
  for (guint i = 0; i < SIM_FSNH_N_HANDS; i++)
    if (sim_fsnh_ledger_accepted (self, i) > 0) {
      json_builder_set_member_name (builder, hand_names[i]);
      report_hand (&self->hands[i], builder);
    }
  json_builder_end_object (builder);
}
