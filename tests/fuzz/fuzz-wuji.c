/* SPDX-License-Identifier: Apache-2.0 */

/* The texts that a Wuji device and its library say: layouts of fingertips, versions, sides. */

#include "wuji-fingertip-format.h"
#include "wuji-side.h"
#include "wuji-version.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static gboolean
has_all (const char *name, gpointer data)
{
  return TRUE;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  WujiFingertipFormat format = { 0 };

  if (wuji_fingertip_parse (text, &format))
    g_assert (wuji_fingertip_bytes (&format) > 0 && wuji_fingertip_bytes (&format) < 1 << 20);
  wuji_version_judge (text, has_all, NULL);
  wuji_side_from_text (text);
  wuji_side_from_serial (text);
  return 0;
}
