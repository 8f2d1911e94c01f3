/* SPDX-License-Identifier: Apache-2.0 */
#include "run-text.h"

/* Beyond this, nobody cares how long a disk lasts. */
#define MANY_DAYS 99

char *
run_text_bytes (guint64 bytes)
{
  static const char *const units[] = { "kB", "MB", "GB", "TB", "PB" };
  double value = bytes / 1000.0;
  gsize unit = 0;

  if (bytes < 1000)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " B", bytes);
  while (value >= 999.5 && unit + 1 < G_N_ELEMENTS (units)) {
    value /= 1000;
    unit++;
  }
  return g_strdup_printf (value < 9.995   ? "%.2f %s"
                          : value < 99.95 ? "%.1f %s"
                                          : "%.0f %s",
                          value, units[unit]);
}

char *
run_text_clock (double seconds)
{
  gint64 whole = seconds > 0 ? (gint64) seconds : 0;

  return g_strdup_printf ("%02" G_GINT64_FORMAT ":%02d:%02d", whole / 3600, (int) (whole / 60 % 60),
                          (int) (whole % 60));
}

char *
run_text_left (double seconds)
{
  gint64 whole = (gint64) seconds;

  if (seconds < 0)
    return g_strdup ("-");
  if (seconds >= MANY_DAYS * 86400.0)
    return g_strdup_printf (">%d d", MANY_DAYS);
  if (whole >= 86400)
    return g_strdup_printf ("%d d %d h", (int) (whole / 86400), (int) (whole / 3600 % 24));
  if (whole >= 3600)
    return g_strdup_printf ("%d h %d min", (int) (whole / 3600), (int) (whole / 60 % 60));
  if (whole >= 120)
    return g_strdup_printf ("%d min", (int) (whole / 60));
  return g_strdup_printf ("%d s", (int) whole);
}

char *
run_text_age (double seconds)
{
  if (seconds < 0)
    return g_strdup ("-");
  if (seconds < 1)
    return g_strdup_printf ("%.0f ms", seconds * 1e3);
  if (seconds < 120)
    return g_strdup_printf ("%.1f s", seconds);
  return g_strdup_printf ("%.0f min", seconds / 60);
}
