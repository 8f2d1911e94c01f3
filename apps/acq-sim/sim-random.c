/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-random.h"

/* The finalizer of splitmix64: every bit of the input reaches every bit of the output. */
static guint64
mix (guint64 x)
{
  x += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

guint64
sim_random_at (guint64 seed, guint64 purpose, guint64 stream, guint64 beat)
{
  return mix (mix (mix (mix (seed) ^ purpose) ^ stream) ^ beat);
}

double
sim_random_unit (guint64 bits)
{
  return (double) (bits >> 11) * 0x1p-53;
}

guint32
sim_random_below (guint64 bits, guint32 limit)
{
  return (guint32) (((bits >> 32) * limit) >> 32);
}

void
sim_random_fill (guint64 bits, guint8 *bytes, gsize length)
{
  for (gsize i = 0; i < length; i++) {
    if (i % 8 == 0)
      bits = mix (bits);
    bytes[i] = (guint8) (bits >> (8 * (i % 8)));
  }
}
