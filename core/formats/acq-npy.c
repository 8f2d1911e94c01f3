/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-npy-private.h"

#include <acq/acq-error.h>

#include <string.h>

/* NumPy leaves the same room, so its own writers can patch our headers, and we theirs. */
#define GROWTH_DIGITS 21

gboolean
acq_npy_product (const guint64 *dims, guint n, guint64 size, guint64 *ret_product)
{
  guint64 product = size;

  /* An axis of no length makes the array empty, however long the others are. */
  for (guint i = 0; i < n; i++)
    if (dims[i] == 0)
      product = 0;
  for (guint i = 0; i < n && product > 0; i++)
    if (!g_uint64_checked_mul (&product, product, dims[i]) || product > G_MAXINT64)
      return FALSE;
  *ret_product = product;
  return TRUE;
}

/* `[unit]` of a time type, `[ns]` or `[25us]`. */
static gboolean
is_time_unit (const char *s)
{
  static const char *const units[] = { "Y",  "M",  "W",  "D",  "h",  "m",  "s",
                                       "ms", "us", "ns", "ps", "fs", "as", NULL };
  gsize n = strlen (s);
  g_autofree char *unit = NULL;

  if (n < 3 || s[0] != '[' || s[n - 1] != ']')
    return FALSE;
  s++;
  if (*s >= '1' && *s <= '9')
    for (guint digits = 0; g_ascii_isdigit (*s) && digits < 6; digits++)
      s++;
  unit = g_strndup (s, strlen (s) - 1);
  return g_strv_contains (units, unit);
}

static gboolean
is_size_of (char code, guint64 n)
{
  switch (code) {
  case 'b':
    return n == 1;
  case 'i':
  case 'u':
    return n == 1 || n == 2 || n == 4 || n == 8;
  case 'f':
    return n == 2 || n == 4 || n == 8;
  case 'c':
    return n == 8 || n == 16;
  case 'M':
  case 'm':
    return n == 8;
  case 'S':
  case 'V':
    return n >= 1 && n <= G_MAXINT32;
  case 'U':
    return n >= 1 && n <= G_MAXINT32 / 4;
  default:
    return FALSE;
  }
}

gsize
acq_npy_descr_size (const char *descr)
{
  gboolean one_byte, time;
  guint64 n = 0;
  const char *s;

  if (descr == NULL || descr[0] == '\0' || strchr ("<>|", descr[0]) == NULL || descr[1] == '\0')
    return 0;
  for (s = descr + 2; g_ascii_isdigit (*s) && s < descr + 12; s++)
    n = n * 10 + (guint64) (*s - '0');
  if (s == descr + 2 || descr[2] == '0' || !is_size_of (descr[1], n))
    return 0;

  time = descr[1] == 'M' || descr[1] == 'm';
  if (*s != '\0' && !(time && is_time_unit (s)))
    return 0;
  one_byte = strchr ("bSV", descr[1]) != NULL || n == 1;
  if (descr[1] != 'U' && one_byte != (descr[0] == '|'))
    return 0;
  if (descr[1] == 'U' && descr[0] == '|')
    return 0;
  return descr[1] == 'U' ? n * 4 : n;
}

static gboolean
is_name (const char *name)
{
  for (const char *s = name; *s != '\0'; s++)
    if (*s < ' ' || *s > '~' || *s == '\'' || *s == '"' || *s == '\\')
      return FALSE;
  return TRUE;
}

gboolean
acq_npy_layout (AcqNpyField *fields, guint n_fields, gsize *ret_row_size, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  guint64 row_size = 0;

  for (guint i = 0; i < n_fields; i++) {
    AcqNpyField *f = &fields[i];
    guint64 size = acq_npy_descr_size (f->descr);
    const char *name = f->name != NULL ? f->name : "";

    if (size == 0) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                   "column '%s' has type '%s', which NumPy does not read without pickle", name,
                   f->descr != NULL ? f->descr : "(none)");
      return FALSE;
    }
    if (f->name != NULL && *name == '\0' && f->descr[1] != 'V') {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                   "a column of type '%s' has no name; only padding ('|V4') may have none",
                   f->descr);
      return FALSE;
    }
    if (!is_name (name) || (*name != '\0' && !g_hash_table_add (names, (gpointer) name))) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                   "column name '%s' is there twice, or is not printable ASCII without quotes and "
                   "backslashes",
                   name);
      return FALSE;
    }
    if (f->n_dims > ACQ_NPY_MAX_DIMS || !acq_npy_product (f->dims, f->n_dims, size, &size) ||
        row_size + size > G_MAXINT32) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                   "column '%s' makes a row larger than %d bytes or has more than %d axes", name,
                   G_MAXINT32, ACQ_NPY_MAX_DIMS);
      return FALSE;
    }
    f->offset = row_size;
    f->size = size;
    row_size += size;
  }
  *ret_row_size = row_size;
  return TRUE;
}

static void
append_shape (GString *out, const guint64 *dims, guint n)
{
  g_string_append_c (out, '(');
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, i > 0 ? ", %" G_GUINT64_FORMAT : "%" G_GUINT64_FORMAT, dims[i]);
  g_string_append (out, n == 1 ? ",)" : ")");
}

static void
append_descr (GString *out, const AcqNpyHeader *self)
{
  if (self->fields[0].name == NULL) {
    g_string_append_printf (out, "'%s'", self->fields[0].descr);
    return;
  }
  g_string_append_c (out, '[');
  for (guint i = 0; i < self->n_fields; i++) {
    const AcqNpyField *f = &self->fields[i];

    g_string_append_printf (out, "%s('%s', '%s'", i > 0 ? ", " : "", f->name, f->descr);
    if (f->n_dims > 0) {
      g_string_append (out, ", ");
      append_shape (out, f->dims, f->n_dims);
    }
    g_string_append_c (out, ')');
  }
  g_string_append_c (out, ']');
}

/* Room for the digits that the growing axis does not have yet. */
static void
append_room (GString *out, const AcqNpyHeader *self)
{
  guint axis = self->fortran_order ? self->n_dims - 1 : 0;
  char digits[GROWTH_DIGITS + 1];

  if (self->n_dims == 0)
    return;
  g_snprintf (digits, sizeof digits, "%" G_GUINT64_FORMAT, self->shape[axis]);
  for (gsize n = strlen (digits); n < GROWTH_DIGITS; n++)
    g_string_append_c (out, ' ');
}

static gboolean
check_header (const AcqNpyHeader *self, GError **error)
{
  gsize row_size;
  g_autofree AcqNpyField *copy = g_memdup2 (self->fields, self->n_fields * sizeof *copy);
  gboolean plain = self->n_fields == 1 && copy[0].name == NULL && copy[0].n_dims == 0;
  guint64 size;

  for (guint i = 0; !plain && i < self->n_fields; i++)
    if (copy[i].name == NULL)
      plain = TRUE; /* neither the one nor the other */
  if (self->n_fields == 0 || (plain && self->n_fields > 1) || (plain && copy[0].n_dims > 0) ||
      self->n_dims > ACQ_NPY_MAX_DIMS) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "an array has one type without a name, or named columns, and at most %d axes",
                 ACQ_NPY_MAX_DIMS);
    return FALSE;
  }
  if (!acq_npy_layout (copy, self->n_fields, &row_size, error))
    return FALSE;
  if (!acq_npy_product (self->shape, self->n_dims, row_size, &size)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "an array of this shape has no size");
    return FALSE;
  }
  return TRUE;
}

GBytes *
acq_npy_header_encode (const AcqNpyHeader *self, GError **error)
{
  g_autoptr (GString) out = NULL;
  gsize prefix = ACQ_NPY_MAGIC_SIZE + 2 + 2;
  gsize total;
  guint32 length;

  if (!check_header (self, error))
    return NULL;

  out = g_string_new ("{'descr': ");
  append_descr (out, self);
  g_string_append_printf (
      out, ", 'fortran_order': %s, 'shape': ", self->fortran_order ? "True" : "False");
  append_shape (out, self->shape, self->n_dims);
  g_string_append (out, ", }");
  append_room (out, self);

  total = (prefix + out->len + 1 + ACQ_NPY_ALIGN - 1) & ~(gsize) (ACQ_NPY_ALIGN - 1);
  if (total - prefix > G_MAXUINT16) {
    prefix += 2;
    total = (prefix + out->len + 1 + ACQ_NPY_ALIGN - 1) & ~(gsize) (ACQ_NPY_ALIGN - 1);
  }
  if (total > ACQ_NPY_MAX_HEADER) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "%u columns make a header of %" G_GSIZE_FORMAT " bytes, %u are allowed",
                 self->n_fields, total, ACQ_NPY_MAX_HEADER);
    return NULL;
  }
  while (prefix + out->len + 1 < total)
    g_string_append_c (out, ' ');
  g_string_append_c (out, '\n');

  length = GUINT32_TO_LE ((guint32) out->len);
  g_string_prepend_len (out, (const char *) &length, (gssize) (prefix - ACQ_NPY_MAGIC_SIZE - 2));
  g_string_prepend_len (out, prefix == 10 ? "\x01\x00" : "\x02\x00", 2);
  g_string_prepend_len (out, ACQ_NPY_MAGIC, ACQ_NPY_MAGIC_SIZE);
  return g_string_free_to_bytes (g_steal_pointer (&out));
}

void
acq_npy_header_clear (AcqNpyHeader *self)
{
  g_clear_pointer (&self->fields, g_free);
  g_clear_pointer (&self->strings, g_string_chunk_free);
  self->n_fields = 0;
}

GBytes *
acq_npy_text_encode (const char *text, gsize *ret_length, GError **error)
{
  glong n;
  gunichar *wide;

  if (!g_utf8_validate (text, -1, NULL)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "text is not valid UTF-8");
    return NULL;
  }
  wide = g_utf8_to_ucs4_fast (text, -1, &n);
  for (glong i = 0; i < n; i++)
    wide[i] = GUINT32_TO_LE (wide[i]);
  n = MAX (n, 1); /* the terminator serves as the one zero */
  *ret_length = (gsize) n;
  return g_bytes_new_take (wide, (gsize) n * 4);
}

char *
acq_npy_text_decode (const guint8 *data, gsize size, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL);

  while (size >= 4 && memcmp (data + size - 4, "\0\0\0", 4) == 0)
    size -= 4;
  for (gsize i = 0; i + 4 <= size; i += 4) {
    guint32 c;

    memcpy (&c, data + i, 4);
    c = GUINT32_FROM_LE (c);
    if (c == 0 || !g_unichar_validate (c)) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                   "0x%08x at character %" G_GSIZE_FORMAT " is not a code point of text", c, i / 4);
      return NULL;
    }
    g_string_append_unichar (out, c);
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}
