/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim-faults.h"

/**
 * SimOptions:
 * @seed: `--seed`: the same seed and options send the same bytes
 * @duration_ns: `--duration` in nanoseconds, 0 = until interrupted
 * @report: (nullable): `--report`: where the JSON report goes, `-` is standard output
 * @quiet: `--quiet`: no progress lines
 * @faults: `--faults`: what shall go wrong, never %NULL after parsing
 *
 * What every simulated device understands. Fill by sim_options_parse(), free what is in
 * it with sim_options_clear().
 */
typedef struct {
  gint64 seed;
  gint64 duration_ns;
  char *report;
  gboolean quiet;
  SimFaultPlan *faults;

  /*< private >*/
  char *duration_text;
  char *faults_text;
} SimOptions;

/**
 * sim_options_parse:
 * @self: zeroed, or with the device's own defaults in it
 * @entries: the device's own options
 * @grammar: the device's faults
 * @description: what the device is, for `--help`
 * @argc: argument count
 * @argv: arguments; nothing may be left of them
 * @error: what is wrong with which option
 *
 * Returns: %FALSE with @error set when the command line is wrong
 */
gboolean sim_options_parse (SimOptions *self, const GOptionEntry *entries,
                            const SimFaultGrammar *grammar, const char *description, int argc,
                            char **argv, GError **error);

void sim_options_clear (SimOptions *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SimOptions, sim_options_clear)

/**
 * sim_option_in_range:
 * @name: the option, for the error
 * @value: its value
 * @min: smallest allowed
 * @max: largest allowed
 *
 * Returns: %FALSE with @error set when @value is outside
 */
gboolean sim_option_in_range (const char *name, double value, double min, double max,
                              GError **error);

/**
 * sim_option_choice:
 * @name: the option, for the error
 * @value: (nullable): its value; %NULL stands for the first word
 * @words: the allowed words, %NULL-terminated
 *
 * Returns: the position of @value in @words, or -1 with @error set
 */
int sim_option_choice (const char *name, const char *value, const char *const *words,
                       GError **error);

/**
 * sim_parse_duration:
 * @text: `10`, `10s`, `2.5s`, `500ms`, `2min`; without a unit seconds
 * @ret_ns: nanoseconds
 *
 * Returns: %FALSE when @text is no duration of 0 or more
 */
gboolean sim_parse_duration (const char *text, gint64 *ret_ns);
