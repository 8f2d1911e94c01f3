/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

#define LAB_THERMO_MAX_SPOTS 16

typedef struct {
  guint32 counter;
  float celsius;
  guint n_spots;
  float spots[LAB_THERMO_MAX_SPOTS];
} LabThermoReading;

/*
 * Reads "T <counter> <celsius> [<spot> ...]\n". Returns NULL and fills @ret, or a static
 * word that says which rule the packet broke, with @ret untouched.
 */
const char *lab_thermo_parse (const char *data, gsize size, LabThermoReading *ret);
