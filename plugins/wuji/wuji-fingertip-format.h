/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* What a fingertip's JSON text says, as far as lengths go. */
typedef struct {
  gboolean parsed;
  guint points, point_stride, aggregate_stride;
  gboolean all_i16;
  char unit[16];
} WujiFingertipFormat;

/* A pure function of the text; FALSE, and ret untouched, when it cannot be used. */
gboolean wuji_fingertip_parse (const char *text, WujiFingertipFormat *ret);

/* How long a frame is. */
gsize wuji_fingertip_bytes (const WujiFingertipFormat *format);
