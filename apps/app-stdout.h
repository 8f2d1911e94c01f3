/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <errno.h>
#include <stdio.h>

#include <glib.h>

/**
 * app_finish:
 * @out: (nullable): where everything was printed; %NULL is one that could not be opened
 * @exit_code: what the program came to
 *
 * The end of a program that prints. What is printed is in a buffer, and a full disk
 * shows only when that is written.
 *
 * Returns: @exit_code; 1 instead of 0, with a message, when the output is not whole
 */
static inline int
app_finish (FILE *out, int exit_code)
{
  errno = 0;
  if (out != NULL && fflush (out) == 0 && !ferror (out))
    return exit_code;
  g_printerr ("%s: standard output could not be written%s%s\n", g_get_prgname (),
              errno != 0 ? ": " : "", errno != 0 ? g_strerror (errno) : "");
  return exit_code != 0 ? exit_code : 1;
}
