/* SPDX-License-Identifier: Apache-2.0 */

/**
 * acq-sim: simulated devices that speak the real protocols over real sockets.
 *
 * A new device is a folder with one SimCommand, and one line in the table below. What
 * they share: sim-options (command line), sim-pace (deadlines and interrupts), sim-random
 * (seeds), sim-faults (the fault plan), sim-report (what was really sent, as JSON).
 */

#include "sim-command.h"
#include "../app-stdout.h"
#include "fsnh/sim-fsnh-command.h"
#include "robot/sim-robot-command.h"
#include "wuji/sim-wuji-command.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static const SimCommand *const commands[] = {
  &sim_fsnh_command, &sim_robot_command, &sim_wuji_command, NULL, /* ends the table */
};

static void
print_help (FILE *out)
{
  fprintf (out, "Usage:\n  acq-sim DEVICE [OPTION…]\n\n"
                "Pretends to be a device, so that a recording can be tried without one.\n\n"
                "Devices:\n");
  for (gsize i = 0; commands[i] != NULL; i++)
    fprintf (out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fprintf (out, "\n'acq-sim DEVICE --help' explains the options and faults of one device.\n"
                "'acq-sim --version' prints the version.\n");
}

static const SimCommand *
find_command (const char *name)
{
  for (gsize i = 0; commands[i] != NULL; i++)
    if (strcmp (commands[i]->name, name) == 0)
      return commands[i];
  return NULL;
}

int
main (int argc, char **argv)
{
  g_autofree char *program = NULL;
  const SimCommand *command;

  setlocale (LC_ALL, "");
  g_set_prgname ("acq-sim");
  if (argc < 2) {
    print_help (stderr);
    return SIM_EXIT_USAGE;
  }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0) {
    print_help (stdout);
    return app_finish (stdout, SIM_EXIT_OK);
  }
  if (strcmp (argv[1], "--version") == 0) {
    printf ("acq-sim %s\n", ACQ_VERSION);
    return app_finish (stdout, SIM_EXIT_OK);
  }
  command = find_command (argv[1]);
  if (command == NULL) {
    fprintf (stderr, "acq-sim: there is no device \"%s\"; 'acq-sim --help' lists them\n", argv[1]);
    return SIM_EXIT_USAGE;
  }
  program = g_strdup_printf ("acq-sim %s", command->name);
  g_set_prgname (program);
  argv[1] = program;
  return app_finish (stdout, command->run (argc - 1, argv + 1));
}
