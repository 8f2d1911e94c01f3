/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-walk.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The fewest digits that give the same number back. */
static void
append_real (GString *out, double value, gboolean single)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  char format[] = "%.15g";

  if (!isfinite (value)) {
    g_string_append (out, "null");
    return;
  }
  for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++) {
    double back;

    format[2] = '0' + digits / 10;
    format[3] = '0' + digits % 10;
    g_ascii_formatd (text, sizeof text, format, value);
    back = g_ascii_strtod (text, NULL);
    if (single ? (float) back == (float) value : back == value)
      break;
  }
  g_string_append (out, text);
}

static void
append_text (GString *out, const char *text, gsize length)
{
  g_string_append_c (out, '"');
  for (gsize i = 0; i < length; i++) {
    guchar c = text[i];

    if (c == '"' || c == '\\')
      g_string_append_printf (out, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      g_string_append_printf (out, "\\u%04x", c);
    else
      g_string_append_c (out, c);
  }
  g_string_append_c (out, '"');
}

#define LOAD(type, at)                                                                             \
  ({                                                                                               \
    type value_;                                                                                   \
    memcpy (&value_, (at), sizeof value_);                                                         \
    value_;                                                                                        \
  })

static void
append_element (GString *out, const AcqField *field, const guint8 *at)
{
  switch (field->kind) {
  case ACQ_KIND_BOOL:
    g_string_append (out, *at ? "true" : "false");
    break;
  case ACQ_KIND_I8:
    g_string_append_printf (out, "%d", (gint8) *at);
    break;
  case ACQ_KIND_U8:
    g_string_append_printf (out, "%u", *at);
    break;
  case ACQ_KIND_I16:
    g_string_append_printf (out, "%d", LOAD (gint16, at));
    break;
  case ACQ_KIND_U16:
    g_string_append_printf (out, "%u", LOAD (guint16, at));
    break;
  case ACQ_KIND_I32:
    g_string_append_printf (out, "%d", LOAD (gint32, at));
    break;
  case ACQ_KIND_U32:
    g_string_append_printf (out, "%u", LOAD (guint32, at));
    break;
  case ACQ_KIND_I64:
    g_string_append_printf (out, "%" G_GINT64_FORMAT, LOAD (gint64, at));
    break;
  case ACQ_KIND_U64:
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, LOAD (guint64, at));
    break;
  case ACQ_KIND_F32:
    append_real (out, LOAD (float, at), TRUE);
    break;
  case ACQ_KIND_F64:
    append_real (out, LOAD (double, at), FALSE);
    break;
  case ACQ_KIND_STRING:
    append_text (out, (const char *) at, strnlen ((const char *) at, field->stride));
    break;
  case ACQ_KIND_STRUCT:
    acq_payload_append_json (field->type, at, field->type->size, out);
    break;
  }
}

static void
append_array (GString *out, const AcqField *field, const guint8 *first, gsize n)
{
  g_string_append_c (out, '[');
  for (gsize i = 0; i < n; i++) {
    if (i > 0)
      g_string_append_c (out, ',');
    append_element (out, field, first + i * field->stride);
  }
  g_string_append_c (out, ']');
}

static void
append_tail (GString *out, const AcqField *field, const guint8 *first, gsize size)
{
  if (field->kind == ACQ_KIND_STRING) {
    append_text (out, (const char *) first, size);
  } else if (field->kind == ACQ_KIND_U8) {
    g_autofree char *text = g_base64_encode (first, size);

    g_string_append_printf (out, "\"%s\"", text);
  } else {
    append_array (out, field, first, size / field->stride);
  }
}

void
acq_payload_append_json (const AcqSchema *schema, gconstpointer payload, gsize size, GString *out)
{
  const guint8 *bytes = payload;
  char separator = '{';

  g_return_if_fail (schema != NULL && payload != NULL && out != NULL);

  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];

    if (field->flags & ACQ_FIELD_CONSTANT)
      continue;
    g_string_append_printf (out, "%c\"%s\":", separator, field->name);
    separator = ',';
    if (field->flags & ACQ_FIELD_TAIL)
      append_tail (out, field, bytes + schema->tail_offset, size - schema->tail_offset);
    else if (field->arity == ACQ_ARITY_ONE)
      append_element (out, field, bytes + field->offset);
    else
      append_array (out, field, bytes + field->offset,
                    field->arity == ACQ_ARITY_FIXED ? field->max
                                                    : LOAD (guint32, bytes + field->count_offset));
  }
  g_string_append_c (out, '}');
}
