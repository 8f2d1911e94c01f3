/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>
#include <stdio.h>

/* The fault plan: what shall go wrong, and when.
 *
 * On the command line, entries separated by commas, each a kind and its keys separated
 * by colons:
 *
 *   loss:p=0.01,stall:at=400:n=30,malformed:every=50:reason=bad_magic
 *
 * When: `p=` chance per beat, `at=` a beat (from 0) or a time (`2s`, `500ms`), several
 * separated by `/`; `every=` each n-th beat; `from=` and `to=` (beats) bound the first and
 * the last. For whom: `on=` one of the device's stream names, else all. Every other key
 * belongs to the kind.
 *
 * The same as JSON, in a file whose name ends in .json: an array of objects, `at` may be
 * an array: [{"kind": "loss", "p": 0.01}, {"kind": "stall", "at": [400, "5s"], "n": 30}]. */

#define SIM_FAULT_MAX_KEYS 4

/**
 * SimFaultKey:
 * @name: the key's name
 * @help: one line
 * @choices: (nullable): the words allowed, %NULL-terminated; then the value is the
 *   position in this list. Without: the value is an integer
 * @def: the value when the key is not given
 * @min: smallest integer
 * @max: largest integer
 */
typedef struct {
  const char *name;
  const char *help;
  const char *const *choices;
  gint64 def;
  gint64 min;
  gint64 max;
} SimFaultKey;

/**
 * SimFaultKind:
 * @name: the word in the plan
 * @help: one line: what happens
 * @keys: what else can be said, ends at the first without a name
 *
 * A device declares its kinds as an array; the position is the kind's number.
 */
typedef struct {
  const char *name;
  const char *help;
  SimFaultKey keys[SIM_FAULT_MAX_KEYS];
} SimFaultKind;

typedef enum {
  SIM_FAULT_NEVER,
  SIM_FAULT_CHANCE,
  SIM_FAULT_AT_BEAT,
  SIM_FAULT_AT_TIME,
  SIM_FAULT_EVERY,
} SimFaultWhen;

/**
 * SimFault:
 * @kind: position in the device's table of kinds
 * @number: position in the plan; part of the random decisions
 * @streams: bit n is set when it concerns the n-th stream
 * @when: how it is triggered
 * @chance: for %SIM_FAULT_CHANCE, 0 … 1
 * @at: a beat, a time in nanoseconds, or a period in beats
 * @from: first beat that may fire
 * @to: last beat that may fire
 * @values: the keys of the kind, in its order
 */
typedef struct {
  guint kind;
  guint number;
  guint32 streams;
  SimFaultWhen when;
  double chance;
  gint64 at;
  guint64 from;
  guint64 to;
  gint64 values[SIM_FAULT_MAX_KEYS];
} SimFault;

/**
 * SimFaultGrammar:
 * @kinds: the device's kinds
 * @n_kinds: how many
 * @streams: the words for `on=`, %NULL-terminated, at most 32
 */
typedef struct {
  const SimFaultKind *kinds;
  gsize n_kinds;
  const char *const *streams;
} SimFaultGrammar;

/**
 * SimFaultPlan:
 * @faults: the entries in the order of the plan
 * @n_faults: how many
 */
typedef struct {
  SimFault *faults;
  gsize n_faults;
} SimFaultPlan;

/**
 * sim_fault_plan_parse:
 * @grammar: what is allowed
 * @spec: (nullable): the text, or the name of a file that ends in .json; %NULL is an
 *   empty plan
 * @error: names the entry, what was found and what is allowed
 *
 * Returns: (transfer full) (nullable): the plan; free with sim_fault_plan_free()
 */
SimFaultPlan *sim_fault_plan_parse (const SimFaultGrammar *grammar, const char *spec,
                                    GError **error);

/**
 * sim_fault_plan_free:
 * @plan: (nullable): a plan
 */
void sim_fault_plan_free (SimFaultPlan *plan);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimFaultPlan, sim_fault_plan_free)

/**
 * sim_fault_fires:
 * @fault: an entry
 * @seed: the run's seed
 * @stream: position in the grammar's streams
 * @beat: the stream's beat
 * @beat_ns: when that beat is due, after the start
 * @period_ns: length of a beat; a time between two beats fires at the later one
 *
 * Returns: whether the entry strikes this beat. The same arguments give the same answer
 */
gboolean sim_fault_fires (const SimFault *fault, guint64 seed, guint stream, guint64 beat,
                          gint64 beat_ns, gint64 period_ns);

/**
 * sim_fault_grammar_help:
 * @grammar: what is allowed
 *
 * Returns: (transfer full): the text for `--help`
 */
char *sim_fault_grammar_help (const SimFaultGrammar *grammar);
