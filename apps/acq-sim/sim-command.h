/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* How a program ends. */
enum {
  SIM_EXIT_OK = 0,
  SIM_EXIT_FAILED = 1, /* a socket, a file or the network refused us */
  SIM_EXIT_USAGE = 2,  /* an option is wrong */
};

/**
 * SimCommand:
 * @name: the word after `acq-sim`
 * @summary: one line for `acq-sim --help`
 * @run: does the work; `argv[0]` is `acq-sim <name>`. Returns an exit code
 *
 * One simulated device. Each lives in its own folder and is listed once, in acq-sim.c.
 */
typedef struct {
  const char *name;
  const char *summary;
  int (*run) (int argc, char **argv);
} SimCommand;
