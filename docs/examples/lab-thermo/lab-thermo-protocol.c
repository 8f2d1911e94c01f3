/* SPDX-License-Identifier: Apache-2.0 */
#include "lab-thermo-protocol.h"

#include <math.h>
#include <string.h>

#define MAX_PACKET 512

/* A number up to the next blank; %NULL when there is none, or not a finite one. */
static const char *
parse_float (const char *text, float *ret)
{
  char *end = NULL;
  double value = g_ascii_strtod (text, &end);

  if (end == text || !isfinite (value) || (*end != ' ' && *end != '\0'))
    return NULL;
  *ret = (float) value;
  return end;
}

const char *
lab_thermo_parse (const char *data, gsize size, LabThermoReading *ret)
{
  LabThermoReading reading = { 0 };
  char text[MAX_PACKET + 1];
  const char *p = text + 2;
  char *end = NULL;
  guint64 counter;

  if (size > MAX_PACKET)
    return "too_long";
  if (size < 3 || memcmp (data, "T ", 2) != 0 || data[size - 1] != '\n')
    return "bad_frame";
  if (memchr (data, '\0', size) != NULL)
    return "bad_frame";
  memcpy (text, data, size - 1);
  text[size - 1] = '\0';

  counter = g_ascii_isdigit (*p) ? g_ascii_strtoull (p, &end, 10) : G_MAXUINT64;
  if (counter > G_MAXUINT32 || *end != ' ')
    return "bad_counter";
  reading.counter = (guint32) counter;

  p = parse_float (end + 1, &reading.celsius);
  if (p == NULL)
    return "bad_value";
  while (*p == ' ') {
    if (reading.n_spots == LAB_THERMO_MAX_SPOTS)
      return "too_long";
    p = parse_float (p + 1, &reading.spots[reading.n_spots++]);
    if (p == NULL)
      return "bad_value";
  }
  *ret = reading;
  return NULL;
}
