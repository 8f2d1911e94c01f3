/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-npy-private.h"

#include <acq/acq-error.h>

#include <string.h>

/*
 * The header is a Python dictionary literal with exactly the keys descr,
 * fortran_order and shape, in any order. Only what NumPy writes is understood:
 * strings without escapes, decimal numbers, tuples and lists of them.
 */

typedef struct {
  const char *begin;
  const char *p;
  const char *end;
  AcqNpyHeader *header;
  GArray *fields;
  GError **error;
} Parser;

static gboolean
fail (Parser *self, const char *expected)
{
  g_set_error (self->error, ACQ_ERROR, ACQ_ERROR_FORMAT, "NPY header: expected %s at character %d",
               expected, (int) (self->p - self->begin));
  return FALSE;
}

static void
skip_space (Parser *self)
{
  while (self->p < self->end && (*self->p == ' ' || *self->p == '\t'))
    self->p++;
}

static gboolean
accept (Parser *self, char c)
{
  skip_space (self);
  if (self->p >= self->end || *self->p != c)
    return FALSE;
  self->p++;
  return TRUE;
}

static gboolean
accept_word (Parser *self, const char *word)
{
  gsize n = strlen (word);

  skip_space (self);
  if ((gsize) (self->end - self->p) < n || memcmp (self->p, word, n) != 0)
    return FALSE;
  self->p += n;
  return TRUE;
}

static gboolean
parse_string (Parser *self, const char **ret_string)
{
  const char *from;
  char quote;

  skip_space (self);
  if (self->p >= self->end || (*self->p != '\'' && *self->p != '"'))
    return fail (self, "a string");
  quote = *self->p++;
  from = self->p;
  for (; self->p < self->end && *self->p != quote; self->p++)
    if (*self->p < ' ' || *self->p > '~' || *self->p == '\\')
      return fail (self, "printable ASCII without backslashes");
  if (self->p >= self->end)
    return fail (self, "the end of a string");
  *ret_string = g_string_chunk_insert_len (self->header->strings, from, self->p - from);
  self->p++;
  return TRUE;
}

static gboolean
parse_number (Parser *self, guint64 *ret_number)
{
  const char *from;
  guint64 n = 0;

  skip_space (self);
  for (from = self->p; self->p < self->end && g_ascii_isdigit (*self->p); self->p++) {
    if (n > (G_MAXINT64 - 9) / 10)
      return fail (self, "a smaller number");
    n = n * 10 + (guint64) (*self->p - '0');
  }
  /* Python reads no number with a leading zero. */
  if (self->p == from || (*from == '0' && self->p > from + 1))
    return fail (self, "a number");
  *ret_number = n;
  return TRUE;
}

/* `()`, `(3,)`, `(3, 4)`; `(3)` is a number in brackets. */
static gboolean
parse_shape (Parser *self, guint64 *dims, guint *ret_n)
{
  gboolean comma = FALSE;
  guint n = 0;

  if (!accept (self, '('))
    return fail (self, "'('");
  while (!accept (self, ')')) {
    if (n > 0 && !comma)
      return fail (self, "',' or ')'");
    if (n == ACQ_NPY_MAX_DIMS)
      return fail (self, "at most " G_STRINGIFY (ACQ_NPY_MAX_DIMS) " axes");
    if (!parse_number (self, &dims[n++]))
      return FALSE;
    comma = accept (self, ',');
  }
  if (n == 1 && !comma)
    return fail (self, "',' in a tuple of one");
  *ret_n = n;
  return TRUE;
}

static gboolean
parse_type (Parser *self, const char **ret_descr)
{
  if (!parse_string (self, ret_descr))
    return FALSE;
  if (acq_npy_descr_size (*ret_descr) == 0) {
    g_set_error (self->error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "NPY header: type '%s' is not one that can be read without pickle", *ret_descr);
    return FALSE;
  }
  return TRUE;
}

/* `('name', '<f4')` or `('name', '<f4', (21, 7))`. */
static gboolean
parse_field (Parser *self)
{
  AcqNpyField field = { 0 };

  if (!accept (self, '('))
    return fail (self, "'(' of a column");
  if (!parse_string (self, &field.name))
    return FALSE;
  if (!accept (self, ','))
    return fail (self, "','");
  if (!parse_type (self, &field.descr))
    return FALSE;
  if (accept (self, ',')) {
    if (!parse_shape (self, field.dims, &field.n_dims))
      return FALSE;
    accept (self, ',');
  }
  if (!accept (self, ')'))
    return fail (self, "')' of a column");
  g_array_append_val (self->fields, field);
  return TRUE;
}

static gboolean
parse_descr (Parser *self)
{
  if (!accept (self, '[')) {
    AcqNpyField field = { 0 };

    if (!parse_type (self, &field.descr))
      return FALSE;
    g_array_append_val (self->fields, field);
    return TRUE;
  }
  do {
    if (accept (self, ']'))
      break;
    if (!parse_field (self))
      return FALSE;
    if (!accept (self, ',')) {
      if (!accept (self, ']'))
        return fail (self, "',' or ']'");
      break;
    }
  } while (TRUE);
  return self->fields->len > 0 || fail (self, "a column before this");
}

static gboolean
parse_item (Parser *self, guint *seen)
{
  AcqNpyHeader *h = self->header;
  const char *key;
  guint bit;

  if (!parse_string (self, &key))
    return FALSE;
  if (!accept (self, ':'))
    return fail (self, "':'");

  bit = g_str_equal (key, "descr") ? 1 : g_str_equal (key, "fortran_order") ? 2 : 4;
  if ((bit == 4 && !g_str_equal (key, "shape")) || *seen & bit)
    return fail (self, "each of descr, fortran_order and shape once before this");
  *seen |= bit;

  if (bit == 1)
    return parse_descr (self);
  if (bit == 4)
    return parse_shape (self, h->shape, &h->n_dims);
  h->fortran_order = accept_word (self, "True");
  return h->fortran_order || accept_word (self, "False") || fail (self, "True or False");
}

static gboolean
parse_dictionary (Parser *self)
{
  guint seen = 0;
  gboolean comma = TRUE;

  if (!accept (self, '{'))
    return fail (self, "'{'");
  while (!accept (self, '}')) {
    if (!comma)
      return fail (self, "',' or '}'");
    if (!parse_item (self, &seen))
      return FALSE;
    comma = accept (self, ',');
  }
  if (seen != 7)
    return fail (self, "descr, fortran_order and shape before this");
  skip_space (self);
  if (self->p < self->end && *self->p == '\n')
    self->p++;
  return self->p == self->end || fail (self, "nothing but spaces and a line end");
}

/* Where the text begins, and how long it is. */
static gboolean
find_text (const guint8 *data, gsize size, gsize *ret_offset, gsize *ret_length, GError **error)
{
  gsize wide, length;

  if (size > 0 && memcmp (data, ACQ_NPY_MAGIC, MIN (size, ACQ_NPY_MAGIC_SIZE)) != 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "not an NPY file: the magic bytes are wrong");
    return FALSE;
  }
  if (size < 12) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED,
                 "%" G_GSIZE_FORMAT " bytes are less than any NPY file has", size);
    return FALSE;
  }
  if (data[6] < 1 || data[6] > 3 || data[7] != 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "NPY version %u.%u is unknown: 1.0, 2.0 and 3.0 are", data[6], data[7]);
    return FALSE;
  }
  wide = data[6] == 1 ? 2 : 4;
  length = data[8] | (gsize) data[9] << 8;
  if (wide == 4)
    length |= (gsize) data[10] << 16 | (gsize) data[11] << 24;
  if (length > ACQ_NPY_MAX_HEADER) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "NPY header of %" G_GSIZE_FORMAT " bytes, %u are allowed", length,
                 ACQ_NPY_MAX_HEADER);
    return FALSE;
  }
  *ret_offset = 8 + wide;
  *ret_length = length;
  return TRUE;
}

gsize
acq_npy_header_size (const guint8 *data, gsize size, GError **error)
{
  gsize offset, length;

  return find_text (data, size, &offset, &length, error) ? offset + length : 0;
}

static gboolean
finish_header (AcqNpyHeader *self, GError **error)
{
  gsize row_size;
  guint64 bytes;

  if (!acq_npy_layout (self->fields, self->n_fields, &row_size, error))
    return FALSE;
  if (!acq_npy_product (self->shape, self->n_dims, row_size, &bytes) ||
      !acq_npy_product (self->shape, self->n_dims, 1, &self->n_items)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "NPY header: the shape is too large");
    return FALSE;
  }
  self->row_size = row_size;
  return TRUE;
}

gboolean
acq_npy_header_parse (const guint8 *data, gsize size, AcqNpyHeader *ret_header, GError **error)
{
  g_auto (AcqNpyHeader) header = { 0 };
  gsize offset, length;
  Parser parser;
  gboolean ok;

  if (!find_text (data, size, &offset, &length, error))
    return FALSE;
  if (size < offset + length) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED,
                 "the NPY header has %" G_GSIZE_FORMAT " bytes, %" G_GSIZE_FORMAT " are here",
                 offset + length, size);
    return FALSE;
  }

  header.strings = g_string_chunk_new (256);
  header.data_offset = offset + length;
  parser = (Parser){ .begin = (const char *) data + offset, .header = &header, .error = error };
  parser.p = parser.begin;
  parser.end = parser.begin + length;
  parser.fields = g_array_new (FALSE, FALSE, sizeof (AcqNpyField));
  ok = parse_dictionary (&parser);
  header.n_fields = parser.fields->len;
  header.fields = (AcqNpyField *) g_array_free (parser.fields, FALSE);
  if (!ok || !finish_header (&header, error))
    return FALSE;

  *ret_header = header;
  header = (AcqNpyHeader){ 0 };
  return TRUE;
}
