/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/acq-constants-private.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include <acq/acq-error.h>

struct _AcqConstantsBuilder {
  AcqConstants *constants;
  GError *error; /* the first mistake */
};

/* The least and greatest integer of each kind; u64 is bounded by what a gint64 can say. */
static const struct {
  gint64 min, max;
} ranges[] = {
  [ACQ_KIND_BOOL] = { 0, 1 },          [ACQ_KIND_I8] = { G_MININT8, G_MAXINT8 },
  [ACQ_KIND_U8] = { 0, G_MAXUINT8 },   [ACQ_KIND_I16] = { G_MININT16, G_MAXINT16 },
  [ACQ_KIND_U16] = { 0, G_MAXUINT16 }, [ACQ_KIND_I32] = { G_MININT32, G_MAXINT32 },
  [ACQ_KIND_U32] = { 0, G_MAXUINT32 }, [ACQ_KIND_I64] = { G_MININT64, G_MAXINT64 },
  [ACQ_KIND_U64] = { 0, G_MAXINT64 },
};

static gboolean
is_integer (AcqKind kind)
{
  return kind < ACQ_KIND_F32;
}

AcqConstantsBuilder *
acq_constants_builder_new (const AcqSchema *schema)
{
  AcqConstantsBuilder *self;

  g_return_val_if_fail (schema != NULL, NULL);

  self = g_new0 (AcqConstantsBuilder, 1);
  self->constants =
      g_malloc0 (sizeof (AcqConstants) + schema->n_constants * sizeof (AcqConstantValue));
  self->constants->refs = 1;
  self->constants->schema = schema;
  self->constants->n_values = schema->n_constants;
  for (guint i = 0; i < schema->n_fields; i++)
    if (schema->fields[i].flags & ACQ_FIELD_CONSTANT)
      self->constants->values[schema->fields[i].constant].field = &schema->fields[i];
  return self;
}

static void fail (AcqConstantsBuilder *self, const char *field, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static void
fail (AcqConstantsBuilder *self, const char *field, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  if (self->error != NULL)
    return;
  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  self->error = g_error_new (ACQ_ERROR, ACQ_ERROR_SCHEMA, "%s: constant %s: %s",
                             self->constants->schema->name, field, what);
}

/* The value to set, when `n` elements of text or of numbers are right for it. */
static AcqConstantValue *
find_value (AcqConstantsBuilder *self, const char *name, gboolean text, gsize n)
{
  const AcqField *field = acq_schema_find_field (self->constants->schema, name);

  if (field == NULL || !(field->flags & ACQ_FIELD_CONSTANT)) {
    fail (self, name, "the type has no @constant field of that name");
    return NULL;
  }
  if ((field->kind == ACQ_KIND_STRING) != text) {
    fail (self, name, "it is %s, not %s", acq_kind_name (field->kind), text ? "text" : "a number");
    return NULL;
  }
  if (field->arity == ACQ_ARITY_SEQUENCE ? field->max != 0 && n > field->max : n != field->max) {
    fail (self, name, "%" G_GSIZE_FORMAT " values, %s%u is needed", n,
          field->arity == ACQ_ARITY_SEQUENCE ? "at most " : "", field->max);
    return NULL;
  }
  return &self->constants->values[field->constant];
}

static void
clear_value (AcqConstantValue *value)
{
  g_clear_pointer (&value->data, g_free);
  g_clear_pointer (&value->strv, g_strfreev);
  g_clear_pointer (&value->cdr[0], g_byte_array_unref);
  g_clear_pointer (&value->cdr[1], g_byte_array_unref);
  value->n = 0;
}

void
acq_constants_builder_take_raw (AcqConstantsBuilder *self, guint index, guint n, guint8 *data,
                                char **strv)
{
  AcqConstantValue *value = &self->constants->values[index];

  clear_value (value);
  value->n = n;
  value->data = data;
  value->strv = strv;
}

void
acq_constants_builder_set_strv (AcqConstantsBuilder *self, const char *field,
                                const char *const *values)
{
  gsize n = g_strv_length ((char **) values);
  AcqConstantValue *value = find_value (self, field, TRUE, n);

  if (value == NULL)
    return;
  for (gsize i = 0; i < n; i++) {
    if (!g_utf8_validate (values[i], -1, NULL)) {
      fail (self, field, "text %" G_GSIZE_FORMAT " is not UTF-8", i);
      return;
    }
  }
  acq_constants_builder_take_raw (self, value->field->constant, n, NULL,
                                  g_strdupv ((char **) values));
}

void
acq_constants_builder_set_string (AcqConstantsBuilder *self, const char *field, const char *value)
{
  const char *values[] = { value, NULL };

  acq_constants_builder_set_strv (self, field, values);
}

static void
store_int (AcqKind kind, guint8 *at, gint64 value)
{
  /* Little endian: the low bytes come first. */
  memcpy (at, &value, acq_kind_size (kind));
}

void
acq_constants_builder_set_ints (AcqConstantsBuilder *self, const char *field, const gint64 *values,
                                guint n)
{
  AcqConstantValue *value = find_value (self, field, FALSE, n);
  g_autofree guint8 *data = NULL;
  AcqKind kind;

  if (value == NULL)
    return;
  kind = value->field->kind;
  if (!is_integer (kind)) {
    fail (self, field, "it is %s, not an integer", acq_kind_name (kind));
    return;
  }
  data = g_malloc0 ((gsize) n * 8 + 1);
  for (guint i = 0; i < n; i++) {
    if (values[i] < ranges[kind].min || values[i] > ranges[kind].max) {
      fail (self, field, "%" G_GINT64_FORMAT " is no %s", values[i], acq_kind_name (kind));
      return;
    }
    store_int (kind, data + (gsize) i * acq_kind_size (kind), values[i]);
  }
  acq_constants_builder_take_raw (self, value->field->constant, n, g_steal_pointer (&data), NULL);
}

static gboolean
store_double (AcqKind kind, guint8 *at, double value)
{
  float single = (float) value;

  if (kind == ACQ_KIND_F64) {
    memcpy (at, &value, sizeof value);
  } else if (kind == ACQ_KIND_F32) {
    memcpy (at, &single, sizeof single);
  } else {
    if (!(value >= (double) ranges[kind].min && value <= (double) ranges[kind].max) ||
        value >= 9223372036854775808.0 || value != floor (value))
      return FALSE;
    store_int (kind, at, (gint64) value);
  }
  return TRUE;
}

void
acq_constants_builder_set_doubles (AcqConstantsBuilder *self, const char *field,
                                   const double *values, guint n)
{
  AcqConstantValue *value = find_value (self, field, FALSE, n);
  g_autofree guint8 *data = NULL;
  AcqKind kind;

  if (value == NULL)
    return;
  kind = value->field->kind;
  data = g_malloc0 ((gsize) n * 8 + 1);
  for (guint i = 0; i < n; i++) {
    if (!store_double (kind, data + (gsize) i * acq_kind_size (kind), values[i])) {
      fail (self, field, "%g is no %s", values[i], acq_kind_name (kind));
      return;
    }
  }
  acq_constants_builder_take_raw (self, value->field->constant, n, g_steal_pointer (&data), NULL);
}

static void
append_aligned (GByteArray *cdr, gsize phase, guint align, gconstpointer data, gsize size)
{
  static const guint8 zeros[8];

  g_byte_array_append (cdr, zeros, -(phase + cdr->len) & (align - 1));
  g_byte_array_append (cdr, data, size);
}

void
acq_constant_append_cdr (GByteArray *cdr, gsize phase, const AcqConstantValue *value)
{
  const AcqField *field = value->field;
  guint32 n = field->arity == ACQ_ARITY_SEQUENCE ? value->n : field->max;
  guint size = acq_kind_size (field->kind);

  if (field->arity == ACQ_ARITY_SEQUENCE)
    append_aligned (cdr, phase, 4, &n, sizeof n);
  if (field->kind == ACQ_KIND_STRING) {
    for (guint32 i = 0; i < n; i++) {
      const char *text = value->strv != NULL ? value->strv[i] : "";
      guint32 length = strlen (text) + 1;

      append_aligned (cdr, phase, 4, &length, sizeof length);
      g_byte_array_append (cdr, (const guint8 *) text, length);
    }
  } else if (n > 0) {
    append_aligned (cdr, phase, size, value->data, (gsize) n * size);
  }
}

/* What was never set is empty, or zero; then the CDR forms. */
static void
finish_value (AcqConstantValue *value)
{
  const AcqField *field = value->field;
  gboolean sequence = field->arity == ACQ_ARITY_SEQUENCE;

  if (value->data == NULL && value->strv == NULL) {
    value->n = sequence ? 0 : field->max;
    if (field->kind == ACQ_KIND_STRING) {
      value->strv = g_new0 (char *, value->n + 1);
      for (guint i = 0; i < value->n; i++)
        value->strv[i] = g_strdup ("");
    } else {
      value->data = g_malloc0 ((gsize) value->n * 8 + 1);
    }
  }
  value->align = sequence || field->kind == ACQ_KIND_STRING ? 4 : acq_kind_size (field->kind);
  for (guint i = 0; i < 2; i++) {
    value->cdr[i] = g_byte_array_new ();
    acq_constant_append_cdr (value->cdr[i], i * value->align % 8, value);
  }
}

AcqConstants *
acq_constants_builder_end (AcqConstantsBuilder *self, GError **error)
{
  AcqConstants *constants;

  g_return_val_if_fail (self != NULL, NULL);

  constants = self->constants;
  if (self->error != NULL) {
    g_propagate_error (error, self->error);
    g_clear_pointer (&constants, acq_constants_unref);
  } else {
    for (guint i = 0; i < constants->n_values; i++) {
      finish_value (&constants->values[i]);
      constants->cdr_max +=
          7 + MAX (constants->values[i].cdr[0]->len, constants->values[i].cdr[1]->len);
    }
  }
  g_free (self);
  return constants;
}

AcqConstants *
acq_constants_new_strv (const AcqSchema *schema, const char *field, const char *const *values,
                        GError **error)
{
  AcqConstantsBuilder *builder = acq_constants_builder_new (schema);

  acq_constants_builder_set_strv (builder, field, values);
  return acq_constants_builder_end (builder, error);
}

AcqConstants *
acq_constants_ref (AcqConstants *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  atomic_fetch_add_explicit (&self->refs, 1, memory_order_relaxed);
  return self;
}

void
acq_constants_unref (AcqConstants *self)
{
  if (self == NULL || atomic_fetch_sub_explicit (&self->refs, 1, memory_order_acq_rel) != 1)
    return;
  for (guint i = 0; i < self->n_values; i++)
    clear_value (&self->values[i]);
  g_free (self);
}

const AcqSchema *
acq_constants_get_schema (const AcqConstants *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->schema;
}

static const AcqConstantValue *
get_value (const AcqConstants *self, const char *name)
{
  for (guint i = 0; i < self->n_values; i++)
    if (g_str_equal (self->values[i].field->name, name))
      return &self->values[i];
  return NULL;
}

const char *const *
acq_constants_get_strv (const AcqConstants *self, const char *field)
{
  const AcqConstantValue *value;

  g_return_val_if_fail (self != NULL && field != NULL, NULL);

  value = get_value (self, field);
  return value != NULL ? (const char *const *) value->strv : NULL;
}

gconstpointer
acq_constants_get_data (const AcqConstants *self, const char *field, guint *ret_n)
{
  const AcqConstantValue *value;

  g_return_val_if_fail (self != NULL && field != NULL, NULL);

  value = get_value (self, field);
  if (value == NULL || value->data == NULL)
    return NULL;
  if (ret_n != NULL)
    *ret_n = value->n;
  return value->data;
}

guint
acq_constants_get_count (const AcqConstants *self, const char *field)
{
  const AcqConstantValue *value;

  g_return_val_if_fail (self != NULL && field != NULL, 0);

  value = get_value (self, field);
  return value != NULL ? value->n : 0;
}

/* Whether nothing but what a missing set means is there. */
static gboolean
is_empty (const AcqConstants *self)
{
  g_autoptr (AcqConstants) empty =
      acq_constants_builder_end (acq_constants_builder_new (self->schema), NULL);

  return acq_constants_equal (self, empty);
}

gboolean
acq_constants_equal (const AcqConstants *a, const AcqConstants *b)
{
  if (a == b)
    return TRUE;
  if (a == NULL || b == NULL)
    return is_empty (a != NULL ? a : b);
  if (!acq_schema_equal (a->schema, b->schema))
    return FALSE;
  for (guint i = 0; i < a->n_values; i++) {
    const GByteArray *x = a->values[i].cdr[0];
    const GByteArray *y = b->values[i].cdr[0];

    if (x->len != y->len || memcmp (x->data, y->data, x->len) != 0)
      return FALSE;
  }
  return TRUE;
}
