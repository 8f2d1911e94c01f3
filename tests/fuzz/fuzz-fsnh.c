/* SPDX-License-Identifier: Apache-2.0 */

/* The packet parser and the sequence of fsnh-udp. The input is one datagram, and then once
 * more a row of datagrams of the lengths that the protocol has. */

#include "fsnh-invariants.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  FsnhSequence sequences[2] = { 0 };
  gsize length;

  fsnh_check_datagram (data, size, sequences);
  for (; size >= FSNH_WRIST_SIZE; data += length, size -= length) {
    length = data[6] == FSNH_FOREARM_JOINTS ? FSNH_FOREARM_SIZE : FSNH_WRIST_SIZE;
    length = MIN (length, size);
    fsnh_check_datagram (data, length, sequences);
  }
  return 0;
}
