/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

#define FSNH_VECTOR_MAX 1860
#define FSNH_N_VECTORS 17

/**
 * FsnhVector:
 * @id: `A` … `Q`
 * @length: bytes of the datagram
 * @sha256: of the datagram
 * @reason: the name it must be refused with, `valid` where it is not
 * @bytes: the datagram
 *
 * The datagrams that define the protocol. Every float in them is exact.
 */
typedef struct {
  char id;
  gsize length;
  const char *sha256;
  const char *reason;
  guint8 bytes[FSNH_VECTOR_MAX];
} FsnhVector;

/**
 * fsnh_vector_get:
 * @id: `A` … `Q`
 * @ret_vector: the datagram
 */
void fsnh_vector_get (char id, FsnhVector *ret_vector);

/**
 * fsnh_vector_put_u32:
 * @bytes: a datagram
 * @offset: where
 * @value: little-endian
 */
void fsnh_vector_put_u32 (guint8 *bytes, gsize offset, guint32 value);
void fsnh_vector_put_u64 (guint8 *bytes, gsize offset, guint64 value);
void fsnh_vector_put_f32 (guint8 *bytes, gsize offset, float value);
