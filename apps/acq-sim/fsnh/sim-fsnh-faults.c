/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-fsnh-solver.h"

static const char *const hands[] = { "left", "right", NULL };
static const char *const restarts[] = { "program", "machine", NULL };
static const char *const modes[] = { "toggle", "wrist", "forearm", NULL };
static const char *const foreign_sizes[] = { "any", "240", "1860", NULL };

/* "any", and then the names of the defects in their order. */
static const char *const defects[] = {
  "any",
  "bad_length",
  "bad_magic",
  "bad_version",
  "bad_hand",
  "bad_joint_count",
  "length_joint_mismatch",
  "bad_quat_order",
  "reserved_status_bits",
  "forearm_bit_on_21",
  "nonfinite",
  "bad_quat_norm",
  NULL,
};

static const SimFaultKind kinds[SIM_FSNH_N_FAULTS] = {
  [SIM_FSNH_FAULT_LOSS] = { "loss",
                            "the packet is lost on the way",
                            { { "n", "this many beats", NULL, 1, 1, 1000000 } } },
  [SIM_FSNH_FAULT_DUPLICATE] = { "duplicate",
                                 "the network delivers the packet again",
                                 { { "n", "copies", NULL, 1, 1, 1000 } } },
  [SIM_FSNH_FAULT_REORDER] = { "reorder",
                               "the packet comes behind later ones",
                               { { "by", "this many later packets first, for at most 0.9 s", NULL,
                                   1, 1, 100 } } },
  [SIM_FSNH_FAULT_BURST] = { "burst",
                             "packets are held back and come at once",
                             { { "n", "packets", NULL, 10, 2, 10000 } } },
  [SIM_FSNH_FAULT_STALL] = { "stall",
                             "the solver stands still: repeats of the last solution",
                             { { "n", "beats", NULL, 12, 1, 1000000 } } },
  [SIM_FSNH_FAULT_REPEAT_WITHOUT_NEW] = { "repeat-without-new",
                                          "a new packet is lost and its repeats are not",
                                          { { "n", "repeats", NULL, 1, 1, 1000000 } } },
  [SIM_FSNH_FAULT_SILENCE] = { "silence",
                               "nothing is solved and nothing is sent",
                               { { "ms", "milliseconds", NULL, 500, 1, 86400000 } } },
  [SIM_FSNH_FAULT_RESTART] = { "restart",
                               "the sender starts anew with other frame numbers",
                               { { "what", "the program, or the machine with its clock", restarts,
                                   0 },
                                 { "index", "the first frame number, if a receiver can tell by it",
                                   NULL, 0, 0, G_MAXUINT32 } } },
  [SIM_FSNH_FAULT_JUMP] = { "jump",
                            "frame numbers are left out",
                            { { "by", "this many", NULL, 10, 1, 1000000000 } } },
  [SIM_FSNH_FAULT_MODE] = { "mode",
                            "the sender changes to the other number of joints",
                            { { "form", "the mode from now on", modes, 0 } } },
  [SIM_FSNH_FAULT_SENDER] = { "sender",
                              "packets come from another port",
                              { { "n", "this many beats, 0 is all that follow", NULL, 0, 0,
                                  1000000 } } },
  [SIM_FSNH_FAULT_FOREARM_STALE] = { "forearm-stale",
                                     "forearm mode: the forearm is out of sight",
                                     { { "n", "beats", NULL, 12, 1, 1000000 } } },
  [SIM_FSNH_FAULT_ODD] = { "odd",
                           "a valid packet with something odd in it, off the closed form",
                           { { "what", "what is odd", sim_fsnh_oddity_names, 0 } } },
  [SIM_FSNH_FAULT_INDEX_CONFLICT] = { "index-conflict",
                                      "a second, different packet with the same number" },
  [SIM_FSNH_FAULT_MALFORMED] = { "malformed",
                                 "a broken packet, beside the good one",
                                 { { "reason", "the one rule that it breaks", defects, 0 },
                                   { "instead", "1: instead of the good one", NULL, 0, 0, 1 } } },
  [SIM_FSNH_FAULT_FOREIGN] = { "foreign",
                               "a datagram of another product on the same port",
                               { { "size", "its size", foreign_sizes, 0 } } },
  [SIM_FSNH_FAULT_WRONG_SOURCE] = { "wrong-source",
                                    "a copy from another address (see --wrong-source); the\n"
                                    "                         report assumes that the receiver "
                                    "allows only the sender's own" },
};

const SimFaultGrammar sim_fsnh_grammar = { kinds, G_N_ELEMENTS (kinds), hands };
