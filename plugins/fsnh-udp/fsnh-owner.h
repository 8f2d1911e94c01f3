/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/**
 * fsnh_port_owner:
 * @address: (array fixed-size=16): that could not be bound: IPv6, or IPv4 mapped into it; zeros
 *   are all addresses
 * @port: and its UDP port
 *
 * Looks through /proc for the program that has bound it. Other users' programs are seen by
 * root only.
 *
 * Returns: (transfer full) (nullable): like `receiver (process 4711)`
 */
char *fsnh_port_owner (const guint8 address[16], guint16 port);
