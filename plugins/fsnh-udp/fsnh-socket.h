/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/**
 * FsnhSocketConfig:
 * @address: IP address to bind; a multicast group is joined as well
 * @port: UDP port
 * @interface: (nullable): where the group or the link-local address is
 * @receive_buffer: bytes to ask for
 */
typedef struct {
  const char *address;
  guint16 port;
  const char *interface;
  guint64 receive_buffer;
} FsnhSocketConfig;

/**
 * fsnh_socket_check:
 * @config: what is wanted
 * @error: what is wrong with it
 *
 * Looks at the words only, touches no socket.
 */
gboolean fsnh_socket_check (const FsnhSocketConfig *config, GError **error);

/**
 * fsnh_socket_name:
 * @config: a checked one
 *
 * Returns: (transfer full): the port's name in the ledger, like `udp 0.0.0.0:15001`
 */
char *fsnh_socket_name (const FsnhSocketConfig *config);

/**
 * fsnh_socket_open:
 * @config: a checked one
 * @ret_granted: bytes of the receive buffer that the system gave
 * @error: why not; when the port is taken, by whom
 *
 * Opens a socket that no other program shares, with receive times and drop counts of the
 * kernel switched on.
 *
 * Returns: the descriptor, not blocking; -1 on failure
 */
int fsnh_socket_open (const FsnhSocketConfig *config, guint64 *ret_granted, GError **error);

/**
 * fsnh_socket_drops:
 * @fd: an open socket
 *
 * Returns: datagrams that the kernel dropped since it was opened, modulo 2³²
 */
guint32 fsnh_socket_drops (int fd);
