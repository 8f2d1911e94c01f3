/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-fsnh-solver.h"

#include "sim-pace.h"
#include "sim-random.h"

#include <math.h>
#include <string.h>

/* A packet that comes too late looks like a restarted sender to a receiver (120 numbers or
 * one second), and is no reordering any more: let go of it before. */
#define HELD_NUMBERS 110
#define HELD_NS 900000000

/* A restarted program is known by smaller numbers: leave room for losses behind it. */
#define RESTART_BACK 1000

/* What the faults of one beat make of its packet. */
typedef struct {
  gboolean lost;
  guint copies;
  guint behind;
  guint repeats; /* lose this one, then repeat it so often */
  guint odd;
  gboolean broken;
  guint64 broken_random;
  guint broken_reason; /* 0: any */
} Fate;

typedef struct {
  SimFsnhDatagram datagram;
  guint behind; /* later packets to wait for */
} Held;

void
sim_fsnh_solver_begin (SimFsnhSolver *self)
{
  /* Far from zero, so that the number before the first exists. */
  self->solution = (G_GUINT64_CONSTANT (1) << 33) + self->start_index - 1;
  self->burst = g_ptr_array_new_with_free_func (g_free);
  self->held = g_ptr_array_new_with_free_func (g_free);
}

static void
release (SimFsnhSolver *self, guint i)
{
  g_autofree Held *held = g_ptr_array_steal_index (self->held, i);

  self->emit (&held->datagram, self->user_data);
}

/* Sends a packet of this hand, and what waited for it. */
static void
send_packet (SimFsnhSolver *self, const SimFsnhDatagram *d)
{
  for (guint i = 0; i < self->held->len;) {
    const SimFsnhDatagram *held = &((Held *) g_ptr_array_index (self->held, i))->datagram;

    if ((gint64) (d->solution - held->solution) > HELD_NUMBERS ||
        (gint64) (d->head.timestamp_ns - held->head.timestamp_ns) > HELD_NS)
      release (self, i);
    else
      i++;
  }
  self->emit (d, self->user_data);
  for (guint i = 0; i < self->held->len;) {
    Held *held = g_ptr_array_index (self->held, i);

    if (--held->behind == 0)
      release (self, i);
    else
      i++;
  }
}

static void
flush_burst (SimFsnhSolver *self)
{
  for (guint i = 0; i < self->burst->len; i++)
    send_packet (self, g_ptr_array_index (self->burst, i));
  g_ptr_array_set_size (self->burst, 0);
  self->burst_left = 0;
}

static void
flush_all (SimFsnhSolver *self)
{
  flush_burst (self);
  while (self->held->len > 0)
    release (self, 0);
}

static void
deliver (SimFsnhSolver *self, const SimFsnhDatagram *d)
{
  if (self->burst_left == 0) {
    send_packet (self, d);
    return;
  }
  g_ptr_array_add (self->burst, g_memdup2 (d, sizeof *d));
  if (--self->burst_left == 0)
    flush_burst (self);
}

static guint64
clock_now (const SimFsnhSolver *self)
{
  return self->clock_ns + (guint64) sim_beat_ns (self->beat, self->rate_hz) +
         (guint64) self->clock_shift_ns;
}

static gboolean
restart (SimFsnhSolver *self, const SimFault *fault)
{
  gboolean machine = fault->values[0] == 1;
  guint32 index = (guint32) fault->values[1];
  guint64 last_t;

  flush_all (self);
  last_t = self->ledger->last.timestamp_ns;
  if (machine) {
    if (last_t < G_GUINT64_CONSTANT (4000000000))
      return FALSE; /* the clock has no room to go back visibly */
    self->clock_shift_ns -= (gint64) (clock_now (self) - last_t / 2);
  } else if ((gint32) (index - self->ledger->last.index) > -RESTART_BACK) {
    index = self->ledger->last.index - RESTART_BACK;
  }
  self->life++;
  self->solution = (G_GUINT64_CONSTANT (1) << 33) + index - 1;
  return TRUE;
}

static gboolean
change_mode (SimFsnhSolver *self, gint64 to)
{
  SimFsnhMode wanted = to == 1 ? SIM_FSNH_WRIST
                       : to == 2
                           ? SIM_FSNH_FOREARM
                           : (self->mode == SIM_FSNH_WRIST ? SIM_FSNH_FOREARM : SIM_FSNH_WRIST);

  if (wanted == self->mode)
    return FALSE;
  self->mode = wanted;
  return TRUE;
}

static guint64
beats_in (const SimFsnhSolver *self, gint64 ms)
{
  return (guint64) ceil ((double) ms * self->rate_hz / 1000);
}

/* Faults that last, or change what follows. Returns: whether it struck. */
static gboolean
strike_state (SimFsnhSolver *self, const SimFault *fault)
{
  guint64 n = (guint64) fault->values[0];

  switch ((SimFsnhFault) fault->kind) {
  case SIM_FSNH_FAULT_LOSS:
    self->loss_left = MAX (self->loss_left, n);
    return TRUE;
  case SIM_FSNH_FAULT_BURST:
    if (self->burst_left == 0)
      self->burst_left = n;
    return TRUE;
  case SIM_FSNH_FAULT_STALL:
    self->stall_left = MAX (self->stall_left, n);
    return TRUE;
  case SIM_FSNH_FAULT_SILENCE:
    self->silence_left = MAX (self->silence_left, beats_in (self, fault->values[0]));
    return TRUE;
  case SIM_FSNH_FAULT_RESTART:
    return restart (self, fault);
  case SIM_FSNH_FAULT_JUMP:
    self->solution += n;
    return TRUE;
  case SIM_FSNH_FAULT_MODE:
    return change_mode (self, fault->values[0]);
  case SIM_FSNH_FAULT_SENDER:
    self->sender_left = n == 0 ? G_MAXUINT64 : MAX (self->sender_left, n);
    return TRUE;
  case SIM_FSNH_FAULT_FOREARM_STALE:
    self->stale_left = MAX (self->stale_left, n);
    return self->mode == SIM_FSNH_FOREARM;
  default:
    return FALSE;
  }
}

static guint64
randomness (const SimFsnhSolver *self, const SimFault *fault)
{
  /* Another purpose than the decision whether it strikes. */
  return sim_random_at (self->seed, fault->number + 1000000u, self->hand, self->beat);
}

/* Faults of this beat's packet alone. Returns: whether it struck. */
static gboolean
strike_fate (SimFsnhSolver *self, const SimFault *fault, Fate *fate)
{
  switch ((SimFsnhFault) fault->kind) {
  case SIM_FSNH_FAULT_DUPLICATE:
    fate->copies = MAX (fate->copies, (guint) fault->values[0]);
    return TRUE;
  case SIM_FSNH_FAULT_REORDER:
    fate->behind = MAX (fate->behind, (guint) fault->values[0]);
    return TRUE;
  case SIM_FSNH_FAULT_REPEAT_WITHOUT_NEW:
    fate->repeats = MAX (fate->repeats, (guint) fault->values[0]);
    return TRUE;
  case SIM_FSNH_FAULT_ODD:
    fate->odd |= 1u << fault->values[0];
    return TRUE;
  case SIM_FSNH_FAULT_MALFORMED:
    if (fault->values[1] == 0)
      return FALSE;
    fate->broken = TRUE;
    fate->broken_random = randomness (self, fault);
    fate->broken_reason = (guint) fault->values[0];
    return TRUE;
  default:
    return FALSE;
  }
}

static void
break_packet (SimFsnhDatagram *d, guint reason, guint64 random)
{
  guint defect = reason > 0 ? reason - 1 : sim_random_below (random, SIM_FSNH_N_DEFECTS);

  d->what = SIM_FSNH_DEFECTIVE;
  d->detail = defect;
  d->length = sim_fsnh_break (d->bytes, d->length, defect, random);
}

static SimFsnhDatagram *
write_packet (SimFsnhSolver *self, gboolean solved)
{
  SimFsnhDatagram *d = &self->last;

  d->what = SIM_FSNH_PACKET;
  d->head = (SimFsnhHead){
    .hand = self->hand,
    .mode = self->mode,
    .index = (guint32) self->solution,
    .timestamp_ns = clock_now (self),
    .solved = solved,
    .forearm_seen = solved && self->stale_left == 0,
  };
  d->solution = self->solution;
  d->life = self->life;
  d->variant = 0;
  d->odd = 0;
  d->sender = self->sender_left > 0 ? SIM_FSNH_FROM_SECOND : SIM_FSNH_FROM_MAIN;
  d->length = sim_fsnh_write (self->writer, &d->head, d->bytes);
  return d;
}

/* Returns: whether the beat's good packet was sent at once. */
static gboolean
send_beat (SimFsnhSolver *self, SimFsnhDatagram *d, const Fate *fate)
{
  gboolean lost = self->loss_left > 0 || (fate->repeats > 0 && d->head.solved);

  for (guint i = 0; i < SIM_FSNH_N_ODDITIES; i++)
    if ((fate->odd >> i & 1) && sim_fsnh_make_odd (d->bytes, d->head.mode, i))
      d->odd |= 1u << i;
  if (fate->repeats > 0 && d->head.solved)
    self->stall_left = MAX (self->stall_left, fate->repeats);
  if (lost)
    return FALSE;
  if (fate->broken) {
    SimFsnhDatagram broken = *d;

    break_packet (&broken, fate->broken_reason, fate->broken_random);
    self->emit (&broken, self->user_data);
    return FALSE;
  }
  if (fate->behind > 0) {
    Held *held = g_new (Held, 1);

    flush_burst (self); /* or it could overtake what waits there, by any distance */
    held->datagram = *d;
    held->behind = fate->behind;
    g_ptr_array_add (self->held, held);
  } else {
    deliver (self, d);
  }
  for (guint i = 0; i < fate->copies; i++)
    deliver (self, d);
  return fate->behind == 0;
}

static void
send_foreign (SimFsnhSolver *self, const SimFault *fault)
{
  static const gsize sizes[SIM_FSNH_N_FOREIGN] = { 240, 1860 };
  guint64 random = randomness (self, fault);
  SimFsnhDatagram d = { .what = SIM_FSNH_FOREIGN };

  d.detail = fault->values[0] > 0 ? (guint) fault->values[0] - 1
                                  : sim_random_below (random, SIM_FSNH_N_FOREIGN);
  d.length = sizes[d.detail];
  sim_random_fill (random, d.bytes, d.length);
  self->emit (&d, self->user_data);
}

/* Datagrams beside the beat's own. Returns: whether it struck. */
static gboolean
strike_extra (SimFsnhSolver *self, const SimFault *fault, gboolean sent)
{
  SimFsnhDatagram d;

  switch ((SimFsnhFault) fault->kind) {
  case SIM_FSNH_FAULT_INDEX_CONFLICT:
    if (!sent || !self->last.head.solved)
      return FALSE;
    d = self->last;
    d.variant = ++self->conflicts;
    d.bytes[d.length - 28] ^= 1; /* the last bit of the last joint's x */
    d.bytes[d.length - 27] ^= (guint8) d.variant;
    deliver (self, &d);
    return TRUE;
  case SIM_FSNH_FAULT_MALFORMED:
    if (fault->values[1] != 0 || !self->begun)
      return FALSE;
    d = self->last;
    break_packet (&d, (guint) fault->values[0], randomness (self, fault));
    self->emit (&d, self->user_data);
    return TRUE;
  case SIM_FSNH_FAULT_FOREIGN:
    send_foreign (self, fault);
    return TRUE;
  case SIM_FSNH_FAULT_WRONG_SOURCE:
    if (!self->begun)
      return FALSE;
    d = self->last;
    d.what = SIM_FSNH_WRONG_SOURCE;
    d.sender = SIM_FSNH_FROM_WRONG;
    self->emit (&d, self->user_data);
    return TRUE;
  default:
    return FALSE;
  }
}

static gboolean
fires (const SimFsnhSolver *self, const SimFault *fault)
{
  gint64 beat_ns = sim_beat_ns (self->beat, self->rate_hz);
  gint64 period_ns = beat_ns - (self->beat > 0 ? sim_beat_ns (self->beat - 1, self->rate_hz) : 0);

  return sim_fault_fires (fault, self->seed, self->hand, self->beat, beat_ns,
                          self->beat > 0 ? period_ns : 1);
}

static gboolean
one_beat (SimFsnhSolver *self, const Fate *fate)
{
  gboolean solved = self->stall_left == 0;
  SimFsnhDatagram *d;
  gboolean sent;

  if (solved || !self->begun)
    self->solution++;
  if (!solved)
    self->stall_left--;
  d = write_packet (self, solved);
  self->begun = TRUE;
  sent = send_beat (self, d, fate);
  if (self->loss_left > 0)
    self->loss_left--;
  if (self->stale_left > 0)
    self->stale_left--;
  if (self->sender_left > 0 && self->sender_left != G_MAXUINT64)
    self->sender_left--;
  return sent;
}

void
sim_fsnh_solver_beat (SimFsnhSolver *self)
{
  const SimFaultPlan *plan = self->plan;
  gboolean sent = FALSE;
  Fate fate = { 0 };

  for (gsize i = 0; i < plan->n_faults; i++) {
    const SimFault *fault = &plan->faults[i];

    if (fires (self, fault) && (strike_state (self, fault) || strike_fate (self, fault, &fate)))
      self->struck[fault->kind]++;
  }
  if (self->silence_left > 0)
    self->silence_left--;
  else
    sent = one_beat (self, &fate);
  for (gsize i = 0; i < plan->n_faults; i++)
    if (fires (self, &plan->faults[i]) && strike_extra (self, &plan->faults[i], sent))
      self->struck[plan->faults[i].kind]++;
  self->beat++;
}

void
sim_fsnh_solver_end (SimFsnhSolver *self)
{
  flush_all (self);
  g_clear_pointer (&self->burst, g_ptr_array_unref);
  g_clear_pointer (&self->held, g_ptr_array_unref);
}
