/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "fsnh-allow.h"
#include "fsnh-hand.h"

/**
 * FsnhReader:
 *
 * The thread that reads a socket: takes datagrams in batches with the kernel's receive times,
 * counts every one of them on the port, and gives the valid ones to their hand.
 */
typedef struct _FsnhReader FsnhReader;

/**
 * FsnhReaderConfig:
 * @fd: (unowned): of fsnh_socket_open()
 * @port: (unowned): the ledger
 * @clock: (unowned): host time
 * @allow: (unowned): who may send
 * @constants: the numbers of the header
 */
typedef struct {
  int fd;
  AcqPort *port;
  AcqHostClock *clock;
  const FsnhAllow *allow;
  FsnhConstants constants;
} FsnhReaderConfig;

/**
 * fsnh_reader_start:
 * @config: copied; what it points to outlives the reader
 * @error: why there is no thread
 *
 * Returns: (transfer full) (nullable): end it with fsnh_reader_stop()
 */
FsnhReader *fsnh_reader_start (const FsnhReaderConfig *config, GError **error);

/**
 * fsnh_reader_stop:
 * @self: (transfer full): no hand is joined
 *
 * Counts what is still in the socket, and waits for the thread to end.
 */
void fsnh_reader_stop (FsnhReader *self);

/**
 * fsnh_reader_is_broken:
 *
 * Returns: whether the socket failed; then its hands have been told, and nothing is read
 */
gboolean fsnh_reader_is_broken (FsnhReader *self);

/**
 * fsnh_reader_expect:
 * @self: a reader
 *
 * A hand will join: nothing is read before, so that its first packets are not counted as
 * nobody's. Thread: any.
 */
void fsnh_reader_expect (FsnhReader *self);

/** fsnh_reader_join: an expected hand gets the packets of its side from now on. Thread: any */
void fsnh_reader_join (FsnhReader *self, FsnhHand *hand);

/**
 * fsnh_reader_part:
 * @self: a reader
 * @hand: a hand that joined
 *
 * Reads what has arrived until now. When it returns, @hand is not known any more. Thread: any.
 */
void fsnh_reader_part (FsnhReader *self, FsnhHand *hand);
