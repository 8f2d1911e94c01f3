/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/* Longer texts stay in MCAP: each of their characters costs four bytes a row. */
#define NPZ_TEXT_MAX 64

#define NPZ_MAX_DIMS 4

/* One array around a value. */
typedef struct {
  guint32 offset; /* of element 0, from the element of the array before */
  guint32 stride;
  guint32 count_offset; /* of the uint32_t count, if is_sequence */
  gboolean is_sequence;
  guint32 n; /* elements in the row */
} NpzDim;

/* One array of the archive, and how its part of a row is taken from a payload. */
typedef struct {
  char *key;
  char *path; /* of the field, for people */
  const char *unit;
  char **components; /* (nullable): names of the numbers side by side */
  char descr[16];
  AcqKind kind;
  gboolean is_tail;
  guint32 offset; /* of the value, from the element of the last array */
  guint32 n;      /* numbers side by side */
  guint32 size;   /* bytes of one in the payload; of a text its room, NUL included */
  guint32 tail_bytes;
  guint n_dims;
  NpzDim dims[NPZ_MAX_DIMS];
  guint8 pad[8];    /* a number that is not there */
  gsize value_size; /* bytes of one value in the row */
  gsize row_offset;
} NpzColumn;

/* NumPy's type of a kind; @room of a text without its NUL. */
void npz_column_set_type (NpzColumn *self, AcqKind kind, guint n, guint room);

/* What stands where a sequence is shorter than its array. */
void npz_column_set_pad (NpzColumn *self, gboolean has_invalid, double invalid);

/* Takes the value from a payload of @size bytes into the row. */
void npz_column_take (const NpzColumn *self, const guint8 *payload, gsize size, guint8 *row);

void npz_column_clear (NpzColumn *self);
