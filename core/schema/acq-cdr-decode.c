/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-cdr.h>

#include <string.h>

#include <acq/acq-error.h>
#include <acq/acq-walk.h>

#include "schema/acq-constants-private.h"

/*
 * The decoder: the same operations backwards, on bytes that may come from
 * anywhere. Padding must be zero and nothing may be left over, so that encoding
 * the result gives the same bytes again.
 */
typedef struct {
  const AcqSchema *schema;
  const guint8 *base; /* where alignment counts from */
  gsize size;
  gsize at;
  gsize mark; /* where the last value began, for errors */
  AcqCdrMessage *message;
  AcqConstantsBuilder *constants;
  GError **error;
} Reader;

static gboolean fail (Reader *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (Reader *self, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (self->error, ACQ_ERROR, ACQ_ERROR_FORMAT, "%s: byte %" G_GSIZE_FORMAT ": %s",
               self->schema->name, self->mark + 4, what);
  return FALSE;
}

/* `times` * `bytes`, aligned; moves on, and gives where they are. */
static gboolean
take (Reader *self, gsize align, gsize bytes, gsize times, const guint8 **ret)
{
  gsize padding = -self->at & (align - 1);

  self->mark = self->at;
  if (padding > self->size - self->at || times > (self->size - self->at - padding) / bytes) {
    g_set_error (self->error, ACQ_ERROR, ACQ_ERROR_TRUNCATED,
                 "%s: byte %" G_GSIZE_FORMAT ": %" G_GSIZE_FORMAT " bytes are needed, the message "
                 "ends after %" G_GSIZE_FORMAT,
                 self->schema->name, self->at + 4, times > 1 ? times * bytes : bytes,
                 self->size + 4);
    return FALSE;
  }
  for (gsize i = 0; i < padding; i++)
    if (self->base[self->at + i] != 0)
      return fail (self, "padding is 0x%02x, not zero", self->base[self->at + i]);
  self->mark = self->at + padding;
  *ret = self->base + self->mark;
  self->at += padding + bytes * times;
  return TRUE;
}

static gboolean
take_u32 (Reader *self, guint32 *ret)
{
  const guint8 *from = NULL;

  if (!take (self, 4, 4, 1, &from))
    return FALSE;
  memcpy (ret, from, 4);
  return TRUE;
}

/* A text without its NUL. */
static gboolean
take_text (Reader *self, const char **ret_text, gsize *ret_length)
{
  guint32 length;
  const guint8 *from = NULL;

  if (!take_u32 (self, &length))
    return FALSE;
  if (length == 0)
    return fail (self, "a string of length 0: the NUL counts");
  if (!take (self, 1, length, 1, &from))
    return FALSE;
  if (memchr (from, 0, length) != from + length - 1)
    return fail (self, "a string of length %u does not end with its only NUL", length);
  if (!g_utf8_validate ((const char *) from, length - 1, NULL))
    return fail (self, "a string is not UTF-8");
  *ret_text = (const char *) from;
  *ret_length = length - 1;
  return TRUE;
}

static gboolean
read_count (Reader *self, const AcqCdrOp *op, guint8 *to, guint32 *ret)
{
  if (!take_u32 (self, ret))
    return FALSE;
  if (*ret > op->max)
    return fail (self, "a sequence of %u elements; at most %u are allowed", *ret, op->max);
  memcpy (to + op->count_offset, ret, 4);
  return TRUE;
}

static gboolean
read_header (Reader *self)
{
  guint32 sec, nanosec;
  const char *text;
  gsize length;

  if (!take_u32 (self, &sec) || !take_u32 (self, &nanosec))
    return FALSE;
  if (nanosec >= 1000000000)
    return fail (self, "%u nanoseconds are more than a second", nanosec);
  if (!take_text (self, &text, &length))
    return FALSE;
  self->message->stamp_ns = (gint64) (gint32) sec * G_GINT64_CONSTANT (1000000000) + nanosec;
  self->message->frame_id = g_strndup (text, length);
  return TRUE;
}

static gboolean
read_string (Reader *self, const AcqCdrOp *op, guint8 *to)
{
  const char *text;
  gsize length;

  if (!take_text (self, &text, &length))
    return FALSE;
  if (length >= op->bytes)
    return fail (self, "a string of %" G_GSIZE_FORMAT " bytes; at most %u are allowed", length,
                 op->bytes - 1);
  memcpy (to + op->offset, text, length);
  return TRUE;
}

static const AcqField *
find_constant (const AcqSchema *schema, guint index)
{
  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];

    if ((field->flags & ACQ_FIELD_CONSTANT) && field->constant == index)
      return field;
  }
  g_assert_not_reached ();
}

static gboolean
read_constant_texts (Reader *self, const AcqField *field, guint32 n)
{
  g_auto (GStrv) texts = NULL;

  if (n > (self->size - self->at) / 5 + 1)
    return fail (self, "%u strings do not fit into the message", n);
  texts = g_new0 (char *, (gsize) n + 1);
  for (guint32 i = 0; i < n; i++) {
    const char *text;
    gsize length;

    if (!take_text (self, &text, &length))
      return FALSE;
    texts[i] = g_strndup (text, length);
  }
  acq_constants_builder_take_raw (self->constants, field->constant, n, NULL,
                                  g_steal_pointer (&texts));
  return TRUE;
}

static gboolean
read_constant (Reader *self, const AcqCdrOp *op)
{
  const AcqField *field = find_constant (self->schema, op->count);
  guint size = acq_kind_size (field->kind);
  guint32 n = field->max;
  const guint8 *from;

  if (field->arity == ACQ_ARITY_SEQUENCE) {
    if (!take_u32 (self, &n))
      return FALSE;
    if (field->max != 0 && n > field->max)
      return fail (self, "%u values of constant %s; at most %u are allowed", n, field->name,
                   field->max);
  }
  if (field->kind == ACQ_KIND_STRING)
    return read_constant_texts (self, field, n);
  if (n == 0)
    return TRUE;
  if (!take (self, size, size, n, &from))
    return FALSE;
  for (guint32 i = 0; field->kind == ACQ_KIND_BOOL && i < n; i++)
    if (from[i] > 1)
      return fail (self, "constant %s is 0x%02x, which is no bool", field->name, from[i]);
  acq_constants_builder_take_raw (self->constants, field->constant, n,
                                  g_memdup2 (from, (gsize) n * size), NULL);
  return TRUE;
}

static gboolean
read_tail (Reader *self, const AcqCdrOp *op, guint8 **payload)
{
  AcqCdrMessage *message = self->message;
  const guint8 *from = NULL;
  gsize size;

  if (op->code == ACQ_CDR_TAIL_STRING) {
    if (!take_text (self, (const char **) &from, &size))
      return FALSE;
  } else {
    guint32 n;

    if (!take_u32 (self, &n) || (n > 0 && !take (self, op->align, op->bytes, n, &from)))
      return FALSE;
    size = (gsize) n * op->bytes;
  }
  if (size == 0)
    return TRUE;
  message->payload = g_realloc (message->payload, self->schema->tail_offset + size);
  message->payload_size = self->schema->tail_offset + size;
  memcpy (message->payload + self->schema->tail_offset, from, size);
  *payload = message->payload;
  return TRUE;
}

static gboolean run (Reader *self, const AcqCdrOp *op, const AcqCdrOp *end, guint8 *to);

static gboolean
read_loop (Reader *self, const AcqCdrOp *op, guint8 *to)
{
  guint32 count = op->count;

  if (op->code == ACQ_CDR_SEQ_STRUCT && !read_count (self, op, to, &count))
    return FALSE;
  for (guint32 i = 0; i < count; i++)
    if (!run (self, op + 1, op + 1 + op->n_ops, to + op->offset + (gsize) i * op->bytes))
      return FALSE;
  return TRUE;
}

static gboolean
read_copy (Reader *self, const AcqCdrOp *op, guint8 *to)
{
  const guint8 *from;
  guint32 count = 1;

  if (op->code == ACQ_CDR_SEQ && !read_count (self, op, to, &count))
    return FALSE;
  if (count == 0)
    return TRUE;
  if (!take (self, op->align, op->bytes, count, &from))
    return FALSE;
  memcpy (to + op->offset, from, (gsize) op->bytes * count);
  return TRUE;
}

static gboolean
run_one (Reader *self, const AcqCdrOp *op, guint8 **to)
{
  switch (op->code) {
  case ACQ_CDR_COPY:
  case ACQ_CDR_SEQ:
    return read_copy (self, op, *to);
  case ACQ_CDR_SEQ_STRUCT:
  case ACQ_CDR_ARRAY_STRUCT:
    return read_loop (self, op, *to);
  case ACQ_CDR_STRING:
    return read_string (self, op, *to);
  case ACQ_CDR_CONSTANT:
    return read_constant (self, op);
  case ACQ_CDR_HEADER:
    return read_header (self);
  case ACQ_CDR_TAIL:
  case ACQ_CDR_TAIL_STRING:
    return read_tail (self, op, to);
  }
  g_assert_not_reached ();
}

static gboolean
run (Reader *self, const AcqCdrOp *op, const AcqCdrOp *end, guint8 *to)
{
  for (; op < end; op += 1 + op->n_ops)
    if (!run_one (self, op, &to))
      return FALSE;
  return TRUE;
}

static gboolean
read_message (Reader *self)
{
  const AcqSchema *schema = self->schema;

  if (!run (self, schema->ops, schema->ops + schema->n_ops, self->message->payload))
    return FALSE;
  self->mark = self->at;
  if (self->at != self->size)
    return fail (self, "%" G_GSIZE_FORMAT " bytes are left over", self->size - self->at);
  return acq_payload_check (schema, self->message->payload, self->message->payload_size,
                            self->error);
}

gboolean
acq_cdr_decode (const AcqSchema *schema, const guint8 *data, gsize size, AcqCdrMessage *ret_message,
                GError **error)
{
  static const guint8 little_endian[4] = { 0, 1, 0, 0 };
  g_auto (AcqCdrMessage) message = { 0 };
  g_autoptr (AcqConstants) constants = NULL;
  Reader reader = { .schema = schema, .message = &message, .error = error };
  gboolean right;

  g_return_val_if_fail (schema != NULL && ret_message != NULL, FALSE);

  if (size < 4 || memcmp (data, little_endian, 4) != 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "%s: the message does not begin with 00 01 00 00, the mark of little-endian CDR",
                 schema->name);
    return FALSE;
  }
  reader.base = data + 4;
  reader.size = size - 4;
  reader.constants = acq_constants_builder_new (schema);
  message.payload_size = schema->tail_offset;
  message.payload = g_malloc0 (message.payload_size);
  right = read_message (&reader);
  constants = acq_constants_builder_end (reader.constants, NULL);
  if (!right)
    return FALSE;
  if (schema->n_constants > 0)
    message.constants = g_steal_pointer (&constants);
  *ret_message = message;
  message = (AcqCdrMessage){ 0 };
  return TRUE;
}

void
acq_cdr_message_clear (AcqCdrMessage *self)
{
  g_return_if_fail (self != NULL);

  g_free (self->payload);
  g_free (self->frame_id);
  acq_constants_unref (self->constants);
  *self = (AcqCdrMessage){ 0 };
}
