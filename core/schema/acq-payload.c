/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-walk.h>

#include <math.h>
#include <string.h>

#include <acq/acq-error.h>

/* The elements of one field in one payload. */
typedef struct {
  const guint8 *first;
  gsize n;
} Elements;

static Elements
get_elements (const AcqSchema *schema, const AcqField *field, const guint8 *payload, gsize size)
{
  Elements elements = { payload + field->offset, field->max };

  if (field->flags & ACQ_FIELD_TAIL) {
    elements.first = payload + schema->tail_offset;
    elements.n = (size - schema->tail_offset) / field->stride;
  } else if (field->arity == ACQ_ARITY_SEQUENCE) {
    guint32 count;

    memcpy (&count, payload + field->count_offset, sizeof count);
    elements.n = count;
  }
  return elements;
}

static gboolean
ops_fit (const AcqCdrOp *op, const AcqCdrOp *end, const guint8 *data)
{
  for (; op < end; op += 1 + op->n_ops) {
    guint32 count = op->count;

    if (op->code == ACQ_CDR_SEQ || op->code == ACQ_CDR_SEQ_STRUCT) {
      memcpy (&count, data + op->count_offset, sizeof count);
      if (count > op->max)
        return FALSE;
    }
    for (guint32 i = 0; op->n_ops > 0 && i < count; i++)
      if (!ops_fit (op + 1, op + 1 + op->n_ops, data + op->offset + (gsize) i * op->bytes))
        return FALSE;
  }
  return TRUE;
}

gboolean
acq_schema_counts_fit (const AcqSchema *self, gconstpointer payload)
{
  return ops_fit (self->ops, self->ops + self->n_ops, payload);
}

/* --- the check --- */

static gboolean fail (GError **error, const AcqSchema *schema, const AcqField *field,
                      const char *format, ...) G_GNUC_PRINTF (4, 5);

static gboolean
fail (GError **error, const AcqSchema *schema, const AcqField *field, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_SCHEMA, "%s: %s: %s", schema->name, field->name, what);
  return FALSE;
}

static gboolean
check_string (const AcqSchema *schema, const AcqField *field, const guint8 *at, GError **error)
{
  const guint8 *end = memchr (at, '\0', field->stride);

  if (end == NULL)
    return fail (error, schema, field, "the text does not end within %u bytes", field->stride);
  if (!g_utf8_validate ((const char *) at, end - at, NULL))
    return fail (error, schema, field, "the text is not UTF-8");
  return TRUE;
}

static gboolean
check_tail (const AcqSchema *schema, const AcqField *field, const guint8 *payload, gsize size,
            GError **error)
{
  gsize bytes = size - schema->tail_offset;
  const char *text = (const char *) payload + schema->tail_offset;

  if (bytes % field->stride != 0)
    return fail (error, schema, field, "%" G_GSIZE_FORMAT " bytes are no whole number of %s", bytes,
                 acq_kind_name (field->kind));
  if (bytes / field->stride >= G_MAXUINT32)
    return fail (error, schema, field, "%" G_GSIZE_FORMAT " bytes are too many", bytes);
  /* g_utf8_validate() with a length refuses a NUL as well. */
  if (field->kind == ACQ_KIND_STRING && !g_utf8_validate (text, bytes, NULL))
    return fail (error, schema, field, "the text is not UTF-8, or has a NUL inside");
  return TRUE;
}

static gboolean check_struct (const AcqSchema *schema, const guint8 *payload, gsize size,
                              GError **error);

static gboolean
check_field (const AcqSchema *schema, const AcqField *field, const guint8 *payload, gsize size,
             GError **error)
{
  Elements elements = get_elements (schema, field, payload, size);

  if (elements.n > field->max)
    return fail (error, schema, field, "%" G_GSIZE_FORMAT " elements; at most %u are allowed",
                 elements.n, field->max);
  for (gsize i = 0; i < elements.n; i++) {
    const guint8 *at = elements.first + i * field->stride;

    if (field->kind == ACQ_KIND_STRUCT) {
      if (!check_struct (field->type, at, field->type->size, error))
        return FALSE;
    } else if (field->kind == ACQ_KIND_STRING) {
      if (!check_string (schema, field, at, error))
        return FALSE;
    } else if (field->kind == ACQ_KIND_BOOL) {
      if (*at > 1)
        return fail (error, schema, field, "0x%02x is no bool", *at);
    } else {
      break; /* every bit pattern is a number */
    }
  }
  return TRUE;
}

static gboolean
check_struct (const AcqSchema *schema, const guint8 *payload, gsize size, GError **error)
{
  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];
    gboolean right = TRUE;

    if (field->flags & ACQ_FIELD_TAIL)
      right = check_tail (schema, field, payload, size, error);
    else if (!(field->flags & ACQ_FIELD_CONSTANT))
      right = check_field (schema, field, payload, size, error);
    if (!right)
      return FALSE;
  }
  return TRUE;
}

gboolean
acq_payload_check (const AcqSchema *schema, gconstpointer payload, gsize size, GError **error)
{
  g_return_val_if_fail (schema != NULL && payload != NULL, FALSE);

  if (schema->tail != NULL ? size < schema->tail_offset : size != schema->size) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_SCHEMA,
                 "%s: a payload of %" G_GSIZE_FORMAT " bytes; %s%u are needed", schema->name, size,
                 schema->tail != NULL ? "at least " : "", schema->tail_offset);
    return FALSE;
  }
  return check_struct (schema, payload, size, error);
}

/* --- equality --- */

static gboolean
equal_element (const AcqField *field, const guint8 *a, const guint8 *b)
{
  if (field->kind == ACQ_KIND_STRUCT)
    return acq_payload_equal (field->type, a, field->type->size, b, field->type->size);
  if (field->kind == ACQ_KIND_STRING)
    return strncmp ((const char *) a, (const char *) b, field->stride) == 0;
  return memcmp (a, b, field->stride) == 0;
}

gboolean
acq_payload_equal (const AcqSchema *schema, gconstpointer a, gsize a_size, gconstpointer b,
                   gsize b_size)
{
  g_return_val_if_fail (schema != NULL && a != NULL && b != NULL, FALSE);

  if (a_size != b_size)
    return FALSE;
  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];
    Elements x, y;

    if (field->flags & ACQ_FIELD_CONSTANT)
      continue;
    x = get_elements (schema, field, a, a_size);
    y = get_elements (schema, field, b, b_size);
    if (x.n != y.n)
      return FALSE;
    if ((field->flags & ACQ_FIELD_TAIL) && memcmp (x.first, y.first, x.n * field->stride) != 0)
      return FALSE;
    for (gsize k = 0; !(field->flags & ACQ_FIELD_TAIL) && k < x.n; k++)
      if (!equal_element (field, x.first + k * field->stride, y.first + k * field->stride))
        return FALSE;
  }
  return TRUE;
}
