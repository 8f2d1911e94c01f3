/* SPDX-License-Identifier: Apache-2.0 */
#include "npz-column.h"

#include <math.h>
#include <string.h>

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
#error "rows are copies of payloads, so the machine has to be little-endian"
#endif

void
npz_column_set_type (NpzColumn *self, AcqKind kind, guint n, guint room)
{
  static const char *const types[] = {
    [ACQ_KIND_BOOL] = "|b1", [ACQ_KIND_I8] = "|i1",  [ACQ_KIND_U8] = "|u1",  [ACQ_KIND_I16] = "<i2",
    [ACQ_KIND_U16] = "<u2",  [ACQ_KIND_I32] = "<i4", [ACQ_KIND_U32] = "<u4", [ACQ_KIND_I64] = "<i8",
    [ACQ_KIND_U64] = "<u8",  [ACQ_KIND_F32] = "<f4", [ACQ_KIND_F64] = "<f8",
  };

  self->kind = kind;
  self->n = n;
  if (kind == ACQ_KIND_STRING) {
    g_snprintf (self->descr, sizeof self->descr, "<U%u", room);
    self->size = room + 1;
    self->value_size = (gsize) room * 4;
  } else {
    g_strlcpy (self->descr, types[kind], sizeof self->descr);
    self->size = acq_kind_size (kind);
    self->value_size = (gsize) n * self->size;
  }
}

/* A number of one kind; a float that was not there is NaN. */
void
npz_column_set_pad (NpzColumn *self, gboolean has_invalid, double invalid)
{
  gint64 integer = has_invalid ? (gint64) invalid : 0;
  double wide = has_invalid ? invalid : NAN;
  float narrow = (float) wide;

  if (self->kind == ACQ_KIND_F64)
    memcpy (self->pad, &wide, sizeof wide);
  else if (self->kind == ACQ_KIND_F32)
    memcpy (self->pad, &narrow, sizeof narrow);
  else
    memcpy (self->pad, &integer, sizeof integer); /* little-endian: any width */
}

static void
put_pad (const NpzColumn *self, gsize n_bytes, guint8 *out)
{
  if (self->kind == ACQ_KIND_STRING) {
    memset (out, 0, n_bytes);
    return;
  }
  for (gsize i = 0; i < n_bytes; i += self->size)
    memcpy (out + i, self->pad, self->size);
}

static void
put_text (const NpzColumn *self, const char *text, guint8 *out)
{
  const char *end = text + strnlen (text, self->size);
  guint8 *out_end = out + self->value_size;

  while (text < end && out < out_end) {
    gunichar c = g_utf8_get_char_validated (text, end - text);
    gboolean good = c < 0x110000;

    text += good ? g_utf8_skip[(guchar) *text] : 1;
    c = good ? c : 0xfffd; /* the replacement character */
    memcpy (out, &c, 4);
    out += 4;
  }
  memset (out, 0, (gsize) (out_end - out));
}

/* @n values side by side. */
static void
put_values (const NpzColumn *self, const guint8 *from, gsize n, guint8 *out)
{
  if (self->kind == ACQ_KIND_STRING)
    put_text (self, (const char *) from, out);
  else if (self->kind == ACQ_KIND_BOOL)
    for (gsize i = 0; i < n * self->n; i++)
      out[i] = from[i] != 0; /* NumPy takes nothing else for a truth */
  else
    memcpy (out, from, n * self->value_size);
}

static void
take_dim (const NpzColumn *self, guint level, const guint8 *at, guint8 *out, gsize n_bytes)
{
  const NpzDim *dim;
  guint32 count;
  gsize element;

  if (level >= MIN (self->n_dims, NPZ_MAX_DIMS)) {
    put_values (self, at + self->offset, 1, out);
    return;
  }
  if (n_bytes == 0)
    return;
  dim = &self->dims[level];
  count = dim->n;
  if (dim->is_sequence) {
    memcpy (&count, at + dim->count_offset, sizeof count);
    count = MIN (count, dim->n);
  }
  element = n_bytes / dim->n;
  at += dim->offset;
  if (level + 1 == self->n_dims && self->kind != ACQ_KIND_STRING && dim->stride == self->value_size)
    put_values (self, at + self->offset, count, out);
  else
    for (guint32 i = 0; i < count; i++)
      take_dim (self, level + 1, at + (gsize) i * dim->stride, out + i * element, element);
  put_pad (self, (dim->n - count) * element, out + count * element);
}

void
npz_column_take (const NpzColumn *self, const guint8 *payload, gsize size, guint8 *row)
{
  guint8 *out = row + self->row_offset;
  gsize n_bytes = self->value_size;

  if (self->is_tail) {
    gsize there = size > self->offset ? size - self->offset : 0;
    gsize n = MIN (there, self->tail_bytes) / self->value_size;

    put_values (self, payload + self->offset, n, out);
    put_pad (self, self->tail_bytes - n * self->value_size, out + n * self->value_size);
    return;
  }
  for (guint i = 0; i < self->n_dims; i++)
    n_bytes *= self->dims[i].n;
  take_dim (self, 0, payload, out, n_bytes);
}

void
npz_column_clear (NpzColumn *self)
{
  g_free (self->key);
  g_free (self->path);
  g_strfreev (self->components);
}
