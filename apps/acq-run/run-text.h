/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* Numbers as people read them. All return (transfer full). */

/** run_text_bytes: `812 B`, `1.2 MB`, `3.45 GB` */
char *run_text_bytes (guint64 bytes);
/** run_text_clock: `00:01:23`, `27:00:00` */
char *run_text_clock (double seconds);
/** run_text_left: `3 d 4 h`, `2 h 5 min`, `45 s`; `-` when it is unknown (negative) */
char *run_text_left (double seconds);
/** run_text_age: `8 ms`, `1.2 s`, `3 min`; `-` when it is unknown (negative) */
char *run_text_age (double seconds);
