/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/*
 * The server side of WebSocket, by hand: a well-behaved library cannot send the masked frames,
 * wrong opcodes and half answers that a client must survive. Pure functions on bytes.
 */

typedef enum {
  SIM_WS_CONTINUATION = 0,
  SIM_WS_TEXT = 1,
  SIM_WS_BINARY = 2,
  SIM_WS_CLOSE = 8,
  SIM_WS_PING = 9,
  SIM_WS_PONG = 10,
} SimWsOpcode;

typedef struct {
  gboolean fin, masked;
  guint8 rsv; /* three bits */
  guint8 opcode;
  guint8 *payload; /* (unowned): in the buffer, unmasked in place */
  gsize length;
} SimWsFrame;

/* Returns the bytes of the frame at the start of the buffer, 0 when more are needed. */
gsize sim_ws_parse (guint8 *bytes, gsize size, SimWsFrame *ret);

/* Appends a frame; `mask` for the fault of masking as a server. */
void sim_ws_append (GByteArray *out, gboolean fin, guint8 rsv, guint8 opcode, gboolean mask,
                    const void *payload, gsize length);

/*
 * Looks for a whole upgrade request. Returns its length, 0 when more is needed, or -1 with
 * `ret_problem` set when it is no request that a robot would accept. `ret_accept` is freed by
 * the caller.
 */
gssize sim_ws_parse_request (const char *bytes, gsize size, char **ret_accept,
                             const char **ret_problem);
