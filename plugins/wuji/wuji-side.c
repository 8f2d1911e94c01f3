/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-side.h"

#include <string.h>

static const AcqSide zero_is_left[] = { ACQ_SIDE_LEFT, ACQ_SIDE_RIGHT };
static const AcqSide zero_is_right[] = { ACQ_SIDE_RIGHT, ACQ_SIDE_LEFT };

AcqSide
wuji_side_from_handedness (guint32 value)
{
  return value < G_N_ELEMENTS (zero_is_left) ? zero_is_left[value] : ACQ_SIDE_UNKNOWN;
}

AcqSide
wuji_side_from_hand (guint8 value)
{
  return value < G_N_ELEMENTS (zero_is_right) ? zero_is_right[value] : ACQ_SIDE_UNKNOWN;
}

AcqSide
wuji_side_from_tactile_board (guint8 value)
{
  return value < G_N_ELEMENTS (zero_is_left) ? zero_is_left[value] : ACQ_SIDE_UNKNOWN;
}

AcqSide
wuji_side_from_serial (const char *serial)
{
  if (serial == NULL || strnlen (serial, 4) < 4)
    return ACQ_SIDE_UNKNOWN;
  switch (serial[3]) {
  case 'J':
    return ACQ_SIDE_LEFT;
  case 'K':
    return ACQ_SIDE_RIGHT;
  default:
    return ACQ_SIDE_UNKNOWN;
  }
}

AcqSide
wuji_side_from_text (const char *text)
{
  gboolean left = FALSE;
  gboolean right = FALSE;
  g_autofree char *lower = NULL;
  g_auto (GStrv) words = NULL;

  if (text == NULL)
    return ACQ_SIDE_UNKNOWN;
  lower = g_ascii_strdown (text, -1);
  words = g_strsplit_set (lower, " _-/:.", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    left |= strcmp (words[i], "left") == 0 || strcmp (words[i], "l") == 0;
    right |= strcmp (words[i], "right") == 0 || strcmp (words[i], "r") == 0;
  }
  if (left == right)
    return ACQ_SIDE_UNKNOWN;
  return left ? ACQ_SIDE_LEFT : ACQ_SIDE_RIGHT;
}

const char *
wuji_side_letter (AcqSide side)
{
  switch (side) {
  case ACQ_SIDE_LEFT:
    return "l";
  case ACQ_SIDE_RIGHT:
    return "r";
  case ACQ_SIDE_UNKNOWN:
    break;
  }
  return "";
}
