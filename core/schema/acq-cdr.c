/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-cdr.h>

#include <string.h>

#include "schema/acq-constants-private.h"

/*
 * The encoder: an interpreter of AcqCdrOp. It runs for every message of every
 * stream, so it has no call that memcpy could not be, and writes padding as eight
 * zeros at once, of which the next value keeps what it needs. That is why the
 * bound has some slack.
 */
G_STATIC_ASSERT (G_BYTE_ORDER == G_LITTLE_ENDIAN);

#define ENCAPSULATION 4
#define SLACK 16

static inline guint8 *
align_to (guint8 *at, const guint8 *base, gsize align)
{
  memset (at, 0, 8);
  return at + (-(gsize) (at - base) & (align - 1));
}

static inline guint8 *
put_u32 (guint8 *at, guint32 value)
{
  memcpy (at, &value, sizeof value);
  return at + sizeof value;
}

static inline guint8 *
put_text (guint8 *at, const guint8 *base, const char *text, gsize length)
{
  at = put_u32 (align_to (at, base, 4), length + 1);
  memcpy (at, text, length);
  at[length] = '\0';
  return at + length + 1;
}

static guint8 *
put_header (guint8 *at, const guint8 *base, const AcqCdrInput *input)
{
  gint64 sec = input->stamp_ns / G_GINT64_CONSTANT (1000000000);
  gint32 nanosec = input->stamp_ns % G_GINT64_CONSTANT (1000000000);
  const char *frame_id = input->frame_id != NULL ? input->frame_id : "";

  if (nanosec < 0) {
    nanosec += 1000000000;
    sec--;
  }
  at = align_to (at, base, 4);
  at = put_u32 (at, (guint32) CLAMP (sec, G_MININT32, G_MAXINT32));
  at = put_u32 (at, nanosec);
  return put_text (at, base, frame_id, strlen (frame_id));
}

/* A stream that never set its constants: nothing in a sequence, "" and 0 elsewhere. */
static guint8 *
put_empty_constant (guint8 *at, const guint8 *base, const AcqSchema *schema, guint index)
{
  const AcqField *field = schema->fields;

  while (!(field->flags & ACQ_FIELD_CONSTANT) || field->constant != index)
    field++;
  if (field->arity == ACQ_ARITY_SEQUENCE)
    return put_u32 (align_to (at, base, 4), 0);
  for (guint32 i = 0; i < field->max; i++) {
    gsize size = acq_kind_size (field->kind);

    if (field->kind == ACQ_KIND_STRING) {
      at = put_text (at, base, "", 0);
    } else {
      at = align_to (at, base, size);
      memset (at, 0, size);
      at += size;
    }
  }
  return at;
}

static guint8 *
put_constant (guint8 *at, const guint8 *base, const AcqCdrInput *input, guint index)
{
  const AcqConstantValue *value;
  const GByteArray *cdr;

  if (G_UNLIKELY (input->constants == NULL))
    return put_empty_constant (at, base, input->schema, index);
  value = &input->constants->values[index];
  at = align_to (at, base, value->align);
  cdr = value->cdr[(at - base) % 8 != 0];
  memcpy (at, cdr->data, cdr->len);
  return at + cdr->len;
}

static guint8 *
put_tail (guint8 *at, const guint8 *base, const AcqCdrInput *input, const AcqCdrOp *op)
{
  gsize size = input->payload_size - input->schema->tail_offset;
  const guint8 *tail = (const guint8 *) input->payload + input->schema->tail_offset;

  if (op->code == ACQ_CDR_TAIL_STRING)
    return put_text (at, base, (const char *) tail, size);
  at = put_u32 (align_to (at, base, 4), size / op->bytes);
  if (size == 0)
    return at;
  at = align_to (at, base, op->align);
  memcpy (at, tail, size);
  return at + size;
}

/* Counts are bounded once more, so that memory stays safe whatever the caller did. */
static inline guint32
get_count (const guint8 *data, const AcqCdrOp *op)
{
  guint32 count;

  memcpy (&count, data + op->count_offset, sizeof count);
  g_assert (count <= op->max);
  return count;
}

static guint8 *
run (const AcqCdrOp *op, const AcqCdrOp *end, const guint8 *data, guint8 *at, const guint8 *base,
     const AcqCdrInput *input)
{
  while (op < end) {
    const guint8 *from = data + op->offset;
    guint32 count;

    switch (op->code) {
    case ACQ_CDR_COPY:
      at = align_to (at, base, op->align);
      memcpy (at, from, op->bytes);
      at += op->bytes;
      break;
    case ACQ_CDR_SEQ:
      count = get_count (data, op);
      at = put_u32 (align_to (at, base, 4), count);
      if (count == 0)
        break;
      at = align_to (at, base, op->align);
      memcpy (at, from, (gsize) count * op->bytes);
      at += (gsize) count * op->bytes;
      break;
    case ACQ_CDR_SEQ_STRUCT:
    case ACQ_CDR_ARRAY_STRUCT:
      count = op->count;
      if (op->code == ACQ_CDR_SEQ_STRUCT) {
        count = get_count (data, op);
        at = put_u32 (align_to (at, base, 4), count);
      }
      for (guint32 i = 0; i < count; i++)
        at = run (op + 1, op + 1 + op->n_ops, from + (gsize) i * op->bytes, at, base, input);
      op += op->n_ops;
      break;
    case ACQ_CDR_STRING:
      at = put_text (at, base, (const char *) from, strnlen ((const char *) from, op->bytes - 1));
      break;
    case ACQ_CDR_CONSTANT:
      at = put_constant (at, base, input, op->count);
      break;
    case ACQ_CDR_HEADER:
      at = put_header (at, base, input);
      break;
    case ACQ_CDR_TAIL:
    case ACQ_CDR_TAIL_STRING:
      at = put_tail (at, base, input, op);
      break;
    }
    op++;
  }
  return at;
}

gsize
acq_cdr_bound (const AcqCdrInput *input)
{
  const AcqSchema *schema = input->schema;
  gsize size = schema->cdr_max + SLACK;

  if (input->frame_id != NULL && schema->has_header)
    size += strlen (input->frame_id);
  if (schema->tail != NULL)
    size += input->payload_size - schema->tail_offset;
  if (input->constants != NULL)
    size += input->constants->cdr_max;
  else
    for (guint i = 0; i < schema->n_fields; i++)
      if (schema->fields[i].flags & ACQ_FIELD_CONSTANT)
        size += 8 + (gsize) MAX (schema->fields[i].max, 1) * 8;
  return size;
}

gsize
acq_cdr_encode (const AcqCdrInput *input, guint8 *out)
{
  static const guint8 little_endian[ENCAPSULATION] = { 0, 1, 0, 0 };
  const AcqSchema *schema = input->schema;
  guint8 *base = out + ENCAPSULATION;

  memcpy (out, little_endian, ENCAPSULATION);
  return run (schema->ops, schema->ops + schema->n_ops, input->payload, base, base, input) - out;
}
