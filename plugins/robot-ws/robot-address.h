/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* Where a robot is: `ws://HOST[:8081]/` or `udp://HOST[:8082]`; HOST is a name or an address. */
typedef struct {
  gboolean udp;
  char *host; /* without brackets */
  guint16 port;
  char *uri; /* with everything filled in */
} RobotAddress;

/* Returns FALSE with `error` set, and `ret` untouched, when `uri` is no such thing. */
gboolean robot_address_parse (const char *uri, RobotAddress *ret, GError **error);
void robot_address_clear (RobotAddress *self);
