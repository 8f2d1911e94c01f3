/* SPDX-License-Identifier: Apache-2.0 */
#include "random-payload.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Texts of one to four bytes a character; the first six are ASCII. */
static const char *const letters[] = { "a", "Z", "_", "\"", "\\", "\x01", "é", "→", "𝄞" };

static gsize
random_text (char *to, gsize room, RandomStyle style, GRand *rand)
{
  const int n_letters = style == RANDOM_ASCII ? 6 : G_N_ELEMENTS (letters);
  gsize length = 0;
  gsize limit = style == RANDOM_EMPTY      ? 0
                : style == RANDOM_EXTREMES ? room
                                           : (gsize) g_rand_int_range (rand, 0, room + 1);

  for (;;) {
    const char *letter = letters[g_rand_int_range (rand, 0, n_letters)];
    gsize size = strlen (letter);

    if (length + size > limit)
      break;
    memcpy (to + length, letter, size);
    length += size;
  }
  if (style == RANDOM_EXTREMES)
    for (; length < limit; length++)
      to[length] = 'x';
  return length;
}

static guint64
random_bits (GRand *rand)
{
  return (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
}

static double
random_real (RandomStyle style, gboolean single, GRand *rand)
{
  const double extremes[] = { INFINITY,
                              -INFINITY,
                              NAN,
                              -0.0,
                              single ? FLT_MAX : DBL_MAX,
                              single ? -FLT_MIN : -DBL_MIN,
                              single ? FLT_TRUE_MIN : DBL_TRUE_MIN };

  if (style == RANDOM_EMPTY)
    return 0;
  if (style == RANDOM_EXTREMES || g_rand_int_range (rand, 0, 16) == 0)
    return extremes[g_rand_int_range (rand, 0, G_N_ELEMENTS (extremes))];
  return g_rand_double_range (rand, -1e6, 1e6);
}

static void
fill_scalar (AcqKind kind, guint8 *at, RandomStyle style, GRand *rand)
{
  const guint64 extremes[] = { 0, G_MAXUINT64, G_MAXINT64, (guint64) G_MININT64, 1, 0x80808080u };
  guint64 bits = style == RANDOM_EMPTY ? 0
                 : style == RANDOM_EXTREMES
                     ? extremes[g_rand_int_range (rand, 0, G_N_ELEMENTS (extremes))]
                     : random_bits (rand);

  if (kind == ACQ_KIND_F32) {
    float value = random_real (style, TRUE, rand);

    memcpy (at, &value, sizeof value);
  } else if (kind == ACQ_KIND_F64) {
    double value = random_real (style, FALSE, rand);

    memcpy (at, &value, sizeof value);
  } else {
    if (kind == ACQ_KIND_BOOL)
      bits &= 1;
    memcpy (at, &bits, acq_kind_size (kind));
  }
}

static guint32
random_count (guint32 max, RandomStyle style, GRand *rand)
{
  if (style == RANDOM_EMPTY)
    return 0;
  return style == RANDOM_EXTREMES ? max : (guint32) g_rand_int_range (rand, 0, max + 1);
}

static void
fill_struct (const AcqSchema *schema, guint8 *payload, RandomStyle style, GRand *rand)
{
  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];
    guint32 n = field->max;

    if (field->flags & (ACQ_FIELD_CONSTANT | ACQ_FIELD_TAIL))
      continue;
    if (field->arity == ACQ_ARITY_SEQUENCE) {
      n = random_count (field->max, style, rand);
      memcpy (payload + field->count_offset, &n, sizeof n);
    }
    for (guint32 k = 0; k < n; k++) {
      guint8 *at = payload + field->offset + (gsize) k * field->stride;

      if (field->kind == ACQ_KIND_STRUCT)
        fill_struct (field->type, at, style, rand);
      else if (field->kind == ACQ_KIND_STRING)
        at[random_text ((char *) at, field->stride - 1, style, rand)] = '\0';
      else
        fill_scalar (field->kind, at, style, rand);
    }
  }
}

static gsize
random_tail (const AcqSchema *schema, guint8 *to, gsize room, RandomStyle style, GRand *rand)
{
  guint32 n = random_count (room / schema->tail->stride, style, rand);

  if (schema->tail->kind == ACQ_KIND_STRING) {
    n = random_text ((char *) to, room, style, rand);
    return n;
  }
  for (guint32 i = 0; i < n; i++)
    fill_scalar (schema->tail->kind, to + (gsize) i * schema->tail->stride, style, rand);
  return (gsize) n * schema->tail->stride;
}

static AcqConstants *
random_constants (const AcqSchema *schema, RandomStyle style, GRand *rand)
{
  AcqConstantsBuilder *builder = acq_constants_builder_new (schema);

  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];
    guint32 n = field->arity == ACQ_ARITY_SEQUENCE
                    ? random_count (field->max != 0 ? field->max : 40, style, rand)
                    : field->max;

    if (!(field->flags & ACQ_FIELD_CONSTANT))
      continue;
    if (field->kind == ACQ_KIND_STRING) {
      g_auto (GStrv) texts = g_new0 (char *, n + 1);

      for (guint32 k = 0; k < n; k++) {
        texts[k] = g_malloc0 (64);
        random_text (texts[k], 40, style, rand);
      }
      acq_constants_builder_set_strv (builder, field->name, (const char *const *) texts);
    } else {
      g_autofree gint64 *values = g_new0 (gint64, n + 1);
      g_autofree double *reals = g_new0 (double, n + 1);

      for (guint32 k = 0; k < n; k++)
        reals[k] = values[k] = g_rand_int_range (rand, 0, 2);
      if (field->kind == ACQ_KIND_F32 || field->kind == ACQ_KIND_F64)
        acq_constants_builder_set_doubles (builder, field->name, reals, n);
      else
        acq_constants_builder_set_ints (builder, field->name, values, n);
    }
  }
  return acq_constants_builder_end (builder, NULL);
}

void
random_message_init (RandomMessage *self, const AcqSchema *schema, RandomStyle style, GRand *rand)
{
  const gsize tail_room = 600;
  gsize size = schema->tail_offset + (schema->tail != NULL ? tail_room : 0);
  char frame_id[65];

  self->payload = g_malloc (size);
  for (gsize i = 0; i < size; i++)
    self->payload[i] = g_rand_int (rand);
  fill_struct (schema, self->payload, style, rand);
  if (schema->tail != NULL)
    size = schema->tail_offset +
           random_tail (schema, self->payload + schema->tail_offset, tail_room, style, rand);
  frame_id[random_text (frame_id, sizeof frame_id - 1, style, rand)] = '\0';
  self->frame_id = g_strdup (schema->has_header ? frame_id : "");
  self->constants = schema->n_constants > 0 ? random_constants (schema, style, rand) : NULL;
  self->input = (AcqCdrInput){
    .schema = schema,
    .payload = self->payload,
    .payload_size = size,
    .frame_id = self->frame_id,
    .constants = self->constants,
  };
  if (schema->has_header && style == RANDOM_EXTREMES)
    self->input.stamp_ns = G_GINT64_CONSTANT (2147483647999999999);
  else if (schema->has_header && style != RANDOM_EMPTY)
    self->input.stamp_ns = (gint64) (random_bits (rand) % G_GINT64_CONSTANT (4000000000000000000)) -
                           G_GINT64_CONSTANT (2000000000000000000);
}

void
random_message_clear (RandomMessage *self)
{
  g_free (self->payload);
  g_free (self->frame_id);
  acq_constants_unref (self->constants);
  memset (self, 0, sizeof *self);
}

guint8 *
random_message_encode (const RandomMessage *self, gsize *ret_size)
{
  gsize bound = acq_cdr_bound (&self->input);
  guint8 *out = g_malloc (bound); /* exact, so that a sanitizer sees an overrun */

  *ret_size = acq_cdr_encode (&self->input, out);
  g_assert_cmpuint (*ret_size, <=, bound);
  return out;
}
