/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wuji-session.h"

/* Where to connect to. */
typedef struct {
  gboolean by_address;
  char *value; /* serial number or address */
} WujiTarget;

void wuji_target_clear (WujiTarget *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WujiTarget, wuji_target_clear)

/* By serial number or address as the options say; else the only device of that kind and side. */
gboolean wuji_find (const WujiApi *api, const WujiOptions *options, WujiClass device_class,
                    WujiTarget *ret_target, GError **error);
