/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

#include "wuji-abi.h"

/*
 * Checks of what the SDK hands us, before a byte of it is believed. Pure functions:
 * each gives NULL, or the reason to refuse the frame (a static word for the ledger).
 *
 * The cheap ones (lengths, numbers of joints) are made on every frame. With `strict`
 * the values are looked at too: for the first frame of a release whose interface nobody
 * has read, where a moved field shows as nonsense.
 */

typedef const char *(*WujiCanary) (const void *frame, gboolean strict);

const char *wuji_canary_grid (const void *frame, gboolean strict);
const char *wuji_canary_zones (const void *frame, gboolean strict);
const char *wuji_canary_cloud (const void *frame, gboolean strict);
const char *wuji_canary_emf (const void *frame, gboolean strict);
const char *wuji_canary_tips (const void *frame, gboolean strict);
const char *wuji_canary_angles (const void *frame, gboolean strict);
const char *wuji_canary_skeleton (const void *frame, gboolean strict);
const char *wuji_canary_imu (const void *frame, gboolean strict);
const char *wuji_canary_joint_states (const void *frame, gboolean strict);
const char *wuji_canary_diagnostics (const void *frame, gboolean strict);
const char *wuji_canary_fingertip (const void *frame, gboolean strict);
const char *wuji_canary_hand_states (const void *frame, gboolean strict);
const char *wuji_canary_board (const void *frame, gboolean strict);
const char *wuji_canary_board_status (const void *frame, gboolean strict);
const char *wuji_canary_transforms (const void *frame, gboolean strict);
/* Results of a scan; always strict. */
const char *wuji_canary_scan (const WujiDiscovered *found, size_t n);

/* Printable UTF-8 that ends inside of its field. */
gboolean wuji_is_text (const char *text, size_t size, gboolean may_be_empty);
