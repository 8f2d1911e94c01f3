/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wuji-session.h"

/*
 * Faults of a hand, told when they change and joint by joint: twenty joints repeat their code
 * a thousand times a second. A code is opaque; what it means comes from the library's
 * catalogue, and a code that is not in it is kept as a number.
 */

typedef struct {
  WujiSession *session;
  const char *const *joints; /* their names */
  guint32 codes[WUJI_HAND_JOINTS];
  guint32 present; /* joints of the last frame */
  gboolean has_present;
} WujiFaults;

/* A frame's code of one joint. Any thread, one at a time for one joint. */
void wuji_faults_see (WujiFaults *self, guint joint, guint nid, guint32 code);
/* A bitfield instead of a code (first generation): told raw. */
void wuji_faults_see_bits (WujiFaults *self, guint joint, guint32 bits);
/* Which joints are in a frame. One thread. */
void wuji_faults_see_present (WujiFaults *self, guint32 present);

/* What the library's severity means for us; what is not known is most severe. For tests. */
guint wuji_fault_severity (const char *severity, gboolean is_test);
