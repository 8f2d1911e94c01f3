/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim-faults.h"
#include "sim-fsnh-ledger.h"

/* The faults, in the order of the grammar's table. */
typedef enum {
  SIM_FSNH_FAULT_LOSS,
  SIM_FSNH_FAULT_DUPLICATE,
  SIM_FSNH_FAULT_REORDER,
  SIM_FSNH_FAULT_BURST,
  SIM_FSNH_FAULT_STALL,
  SIM_FSNH_FAULT_REPEAT_WITHOUT_NEW,
  SIM_FSNH_FAULT_SILENCE,
  SIM_FSNH_FAULT_RESTART,
  SIM_FSNH_FAULT_JUMP,
  SIM_FSNH_FAULT_MODE,
  SIM_FSNH_FAULT_SENDER,
  SIM_FSNH_FAULT_FOREARM_STALE,
  SIM_FSNH_FAULT_ODD,
  SIM_FSNH_FAULT_INDEX_CONFLICT,
  SIM_FSNH_FAULT_MALFORMED,
  SIM_FSNH_FAULT_FOREIGN,
  SIM_FSNH_FAULT_WRONG_SOURCE,
  SIM_FSNH_N_FAULTS,
} SimFsnhFault;

extern const SimFaultGrammar sim_fsnh_grammar;

/**
 * SimFsnhEmit:
 * @datagram: what is sent now; count it in the ledger before returning
 * @user_data: the solver's
 */
typedef void (*SimFsnhEmit) (const SimFsnhDatagram *datagram, gpointer user_data);

/**
 * SimFsnhSolver:
 * @hand: which hand
 * @mode: at the start
 * @rate_hz: beats per second
 * @start_index: frame_index of the first solution
 * @clock_ns: the sender's clock at beat 0
 * @seed: for the faults that come by chance
 * @plan: the faults
 * @writer: makes packets
 * @ledger: what a receiver knows of this hand so far
 * @emit: takes the datagrams
 * @user_data: for @emit
 * @struck: how often each fault struck, by #SimFsnhFault
 *
 * One hand of the host software: in each beat it solves, or not, and sends a packet, or
 * something that a fault makes of it. It knows no socket and no time of day.
 */
typedef struct {
  SimFsnhHand hand;
  SimFsnhMode mode;
  double rate_hz;
  guint32 start_index;
  guint64 clock_ns;
  guint64 seed;
  const SimFaultPlan *plan;
  const SimFsnhWriter *writer;
  const SimFsnhHandLedger *ledger;
  SimFsnhEmit emit;
  gpointer user_data;
  guint64 struck[SIM_FSNH_N_FAULTS];

  /*< private >*/
  guint64 beat;
  guint64 solution;
  gboolean begun;
  gint64 clock_shift_ns;
  guint life;
  guint conflicts;
  guint64 loss_left, stall_left, silence_left, stale_left, sender_left, burst_left;
  GPtrArray *burst;     /* of SimFsnhDatagram: to be sent back to back */
  GPtrArray *held;      /* of Held: to be sent behind later ones */
  SimFsnhDatagram last; /* the newest packet, for copies */
} SimFsnhSolver;

/**
 * sim_fsnh_solver_begin:
 * @self: its public fields are set, the rest is zero
 */
void sim_fsnh_solver_begin (SimFsnhSolver *self);

/**
 * sim_fsnh_solver_beat:
 * @self: a solver
 *
 * One beat: emits no, one or many datagrams.
 */
void sim_fsnh_solver_beat (SimFsnhSolver *self);

/**
 * sim_fsnh_solver_end:
 * @self: a solver
 *
 * Emits what is still held back, and frees everything.
 */
void sim_fsnh_solver_end (SimFsnhSolver *self);
