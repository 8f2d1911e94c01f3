/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wuji-fingertip-format.h"
#include "wuji-session.h"

/*
 * Fingertips send opaque bytes; a JSON text that is asked for once per finger says how they
 * read, and a digest in every frame says which text that is. When the digest changes, the
 * text is asked for again, on the source's thread, and frames are marked meanwhile.
 */

AcqStream *wuji_fingertip_declare (WujiFeed *feed, const void *frame);
const char *wuji_fingertip_fits (WujiFeed *feed, const void *frame);
AcqFrame *wuji_fingertip_fill (WujiFeed *feed, const void *frame);
/* Asks again for the texts of fingers whose digest changed. The source's thread. */
void wuji_fingertip_tick (WujiSession *session);
