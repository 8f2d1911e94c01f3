/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-crc32-private.h"

#include <isa-l/crc.h>

#define POLYNOMIAL 0xedb88320u

guint32
acq_crc32 (guint32 crc, const void *data, gsize size)
{
  return size == 0 ? crc : crc32_gzip_refl (crc, data, size);
}

/* Product of two polynomials over GF(2), modulo the CRC's. Bit 31 is x^0. Without branches: bits
 * of a CRC cannot be predicted. */
static guint32
multiply (guint32 a, guint32 b)
{
  guint32 product = 0;

  for (; a != 0; a <<= 1) {
    product ^= b & -(a >> 31);
    b = (b >> 1) ^ (POLYNOMIAL & -(b & 1));
  }
  return product;
}

guint32
acq_crc32_combine (guint32 first, guint32 second, guint64 second_size)
{
  guint32 shift = 0x00800000u; /* x^8: one byte further */

  /* Appending n bytes multiplies the first CRC by x^(8n): square and multiply. */
  for (; second_size != 0; second_size >>= 1) {
    if (second_size & 1)
      first = multiply (shift, first);
    shift = multiply (shift, shift);
  }
  return first ^ second;
}
