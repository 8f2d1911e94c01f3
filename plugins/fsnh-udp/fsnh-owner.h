/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/**
 * fsnh_port_owner:
 * @port: a UDP port of this machine
 *
 * Looks through /proc for the program that has bound it. Other users' programs are seen by
 * root only.
 *
 * Returns: (transfer full) (nullable): like `receiver (process 4711)`
 */
char *fsnh_port_owner (guint16 port);
