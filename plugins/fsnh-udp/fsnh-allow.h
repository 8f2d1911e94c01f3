/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "fsnh-sequence.h"

#include <gio/gio.h>
#include <sys/socket.h>

/**
 * FsnhAllow:
 *
 * Who may send: addresses, networks, and addresses with a port. Immutable.
 */
typedef struct _FsnhAllow FsnhAllow;

/**
 * fsnh_allow_new:
 * @entries: (nullable): like `192.168.1.7`, `192.168.1.0/24`, `192.168.1.7:4000`, `fe80::1`,
 *   `[fe80::1]:4000`; %NULL or empty lets everybody in
 * @error: which entry is wrong
 *
 * Returns: (transfer full) (nullable): free with fsnh_allow_free()
 */
FsnhAllow *fsnh_allow_new (char *const *entries, GError **error);
void fsnh_allow_free (FsnhAllow *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FsnhAllow, fsnh_allow_free)

/**
 * fsnh_allow_lets_in:
 * @self: a list
 * @source: a sender
 *
 * Thread: any.
 */
gboolean fsnh_allow_lets_in (const FsnhAllow *self, const FsnhSource *source);

/**
 * fsnh_allow_equal:
 *
 * Returns: whether both say the same
 */
gboolean fsnh_allow_equal (const FsnhAllow *a, const FsnhAllow *b);

/**
 * fsnh_source_from_sockaddr:
 * @address: as recvmsg() gives it
 * @ret_source: the same; IPv4 is mapped into IPv6
 */
void fsnh_source_from_sockaddr (const struct sockaddr_storage *address, FsnhSource *ret_source);

/* Longest text of a source, with its terminator: [address%scope]:port. */
#define FSNH_SOURCE_TEXT 80

/**
 * fsnh_source_to_text:
 * @source: a sender
 * @text: like `127.0.0.1:4000` or `[::1]:4000`
 */
void fsnh_source_to_text (const FsnhSource *source, char text[FSNH_SOURCE_TEXT]);
