/* SPDX-License-Identifier: Apache-2.0 */
#include "resample-plan.h"

#include <math.h>
#include <string.h>

#include "resample-slerp.h"

#define QUATERNION 4

/* Compiling */

static gboolean
is_float (AcqKind kind)
{
  return kind == ACQ_KIND_F32 || kind == ACQ_KIND_F64;
}

static gboolean
is_number (AcqKind kind)
{
  return kind != ACQ_KIND_STRING && kind != ACQ_KIND_STRUCT && kind != ACQ_KIND_BOOL;
}

/* Arrays whose elements follow each other without a gap are one long run. */
static void
fold (ResampleOp *op)
{
  while (op->n_dims > 0) {
    const AcqLeafDim *inner = &op->dims[op->n_dims - 1];

    if (inner->is_sequence || inner->stride != op->n * op->size)
      return;
    op->n *= inner->max;
    op->offset += inner->offset;
    op->n_dims--;
  }
}

static ResampleMode
mode_of (AcqKind kind, AcqInterp interp)
{
  if (!is_float (kind) || interp == ACQ_INTERP_HOLD)
    return RESAMPLE_HELD;
  return interp == ACQ_INTERP_SLERP ? RESAMPLE_SLERP : RESAMPLE_LINEAR;
}

static void
add_op (GArray *ops, ResampleOp op, gboolean has_invalid, double invalid)
{
  if (op.mode == RESAMPLE_HELD && !(has_invalid && is_number (op.kind)))
    return;
  /* As the message holds it: -0.1 in single precision is not -0.1. */
  if (has_invalid)
    op.none = op.kind == ACQ_KIND_F32 ? (float) invalid : invalid;
  else
    op.none = NAN;
  fold (&op);
  g_array_append_val (ops, op);
}

static void
add_leaf (GArray *ops, const AcqLeaf *leaf)
{
  ResampleOp op = { .mode = mode_of (leaf->kind, leaf->interp),
                    .kind = leaf->kind,
                    .n = leaf->n,
                    .offset = leaf->offset,
                    .size = leaf->size,
                    .is_tail = leaf->is_tail,
                    .n_dims = leaf->n_dims };

  memcpy (op.dims, leaf->dims, sizeof op.dims);
  add_op (ops, op, leaf->has_invalid, leaf->invalid);
}

static void
add_tail (GArray *ops, const AcqSchema *schema, const AcqTailLayout *tail)
{
  ResampleOp op = { .mode = mode_of (tail->kind, tail->interp),
                    .kind = tail->kind,
                    .offset = schema->tail_offset,
                    .size = acq_kind_size (tail->kind),
                    .is_tail = TRUE };

  add_op (ops, op, tail->has_invalid, tail->invalid);
}

ResamplePlan *
resample_plan_new (const AcqSchema *schema, const AcqTailLayout *tail)
{
  g_autoptr (AcqLeaves) leaves = acq_leaves_new (schema, ACQ_LEAVES_MERGE);
  GArray *ops = g_array_new (FALSE, FALSE, sizeof (ResampleOp));
  ResamplePlan *self = g_new0 (ResamplePlan, 1);

  for (guint i = 0; i < leaves->n; i++) {
    if (!leaves->leaves[i].is_tail)
      add_leaf (ops, &leaves->leaves[i]);
    else if (tail != NULL)
      add_tail (ops, schema, tail);
    else
      add_leaf (ops, &leaves->leaves[i]);
  }
  self->n = ops->len;
  self->ops = (ResampleOp *) (void *) g_array_free (ops, FALSE);
  return self;
}

void
resample_plan_free (ResamplePlan *self)
{
  if (self == NULL)
    return;
  g_free (self->ops);
  g_free (self);
}

gboolean
resample_plan_blends (const ResamplePlan *self)
{
  for (guint i = 0; i < self->n; i++) {
    if (self->ops[i].mode != RESAMPLE_HELD)
      return TRUE;
  }
  return FALSE;
}

/* Numbers */

static inline double
get (const ResampleOp *op, const guint8 *from)
{
  float single;
  double number;

  if (op->kind == ACQ_KIND_F32) {
    memcpy (&single, from, sizeof single);
    return single;
  }
  memcpy (&number, from, sizeof number);
  return number;
}

static void
put_integer (AcqKind kind, guint8 *to, double number)
{
  gint64 signed_number = kind == ACQ_KIND_U64 ? 0 : (gint64) number;
  guint64 bits = kind == ACQ_KIND_U64 ? (guint64) number : (guint64) signed_number;

  /* Little endian, as everything here: the low bytes come first. */
  memcpy (to, &bits, acq_kind_size (kind));
}

static inline void
put (const ResampleOp *op, guint8 *to, double number)
{
  float single = (float) number;

  if (op->kind == ACQ_KIND_F32)
    memcpy (to, &single, sizeof single);
  else if (op->kind == ACQ_KIND_F64)
    memcpy (to, &number, sizeof number);
  else
    put_integer (op->kind, to, number);
}

static inline gboolean
is_measured (const ResampleOp *op, double number)
{
  return isfinite (number) && number != op->none;
}

static void
blend_line (const ResampleOp *op, guint8 *at, const guint8 *later, gsize n, double u)
{
  for (gsize i = 0; i < n; i++, at += op->size, later += op->size) {
    double a = get (op, at);
    double b = get (op, later);

    if (is_measured (op, a) && is_measured (op, b))
      put (op, at, a == b ? a : (1 - u) * a + u * b);
    else if (memcmp (at, later, op->size) != 0 && !(isnan (a) && isnan (b)))
      put (op, at, op->none);
  }
}

static void
blend_quaternions (const ResampleOp *op, guint8 *at, const guint8 *later, gsize n, double u)
{
  gsize bytes = QUATERNION * (gsize) op->size;

  for (gsize i = 0; i + QUATERNION <= n; i += QUATERNION, at += bytes, later += bytes) {
    double a[QUATERNION], b[QUATERNION];
    gboolean measured = TRUE;

    for (guint part = 0; part < QUATERNION; part++) {
      a[part] = get (op, at + part * op->size);
      b[part] = get (op, later + part * op->size);
      /* The invalid value of one part would be a legal number: it is the four together. */
      measured = measured && isfinite (a[part]) && isfinite (b[part]);
    }
    measured = measured && resample_slerp (a, b, u, a);
    if (!measured && memcmp (at, later, bytes) == 0)
      continue;
    for (guint part = 0; part < QUATERNION; part++)
      put (op, at + part * op->size, measured ? a[part] : op->none);
  }
}

static void
invalidate (const ResampleOp *op, guint8 *at, gsize n)
{
  for (gsize i = 0; i < n; i++, at += op->size)
    put (op, at, op->none);
}

/* Places */

static void
run (const ResampleOp *op, guint8 *at, const guint8 *later, gsize n, double u)
{
  if (later == NULL)
    invalidate (op, at, n);
  else if (op->mode == RESAMPLE_LINEAR)
    blend_line (op, at, later, n, u);
  else if (op->mode == RESAMPLE_SLERP)
    blend_quaternions (op, at, later, n, u);
}

static guint32
count_of (const AcqLeafDim *dim, const guint8 *at)
{
  guint32 count = dim->max;

  if (dim->is_sequence)
    memcpy (&count, at + dim->count_offset, sizeof count);
  return MIN (count, dim->max);
}

static void
walk (const ResampleOp *op, guint level, guint8 *at, const guint8 *later, double u)
{
  const AcqLeafDim *dim;
  guint32 count;

  if (level >= MIN (op->n_dims, G_N_ELEMENTS (op->dims))) {
    run (op, at + op->offset, later != NULL ? later + op->offset : NULL, op->n, u);
    return;
  }
  dim = &op->dims[level];
  count = count_of (dim, at);
  if (later != NULL && count_of (dim, later) != count)
    return;
  at += dim->offset;
  later = later != NULL ? later + dim->offset : NULL;
  for (guint32 i = 0; i < count; i++) {
    gsize offset = (gsize) i * dim->stride;

    walk (op, level + 1, at + offset, later != NULL ? later + offset : NULL, u);
  }
}

static void
walk_tail (const ResampleOp *op, guint8 *payload, gsize size, const guint8 *later, gsize later_size,
           double u)
{
  if (size <= op->offset || (later != NULL && later_size != size))
    return;
  run (op, payload + op->offset, later != NULL ? later + op->offset : NULL,
       (size - op->offset) / op->size, u);
}

void
resample_plan_blend (const ResamplePlan *self, guint8 *payload, gsize size, const guint8 *later,
                     gsize later_size, double u)
{
  for (guint i = 0; i < self->n; i++) {
    const ResampleOp *op = &self->ops[i];

    if (op->mode == RESAMPLE_HELD || (op->mode == RESAMPLE_LINEAR && later == payload))
      continue;
    if (op->is_tail)
      walk_tail (op, payload, size, later, later_size, u);
    else
      walk (op, 0, payload, later, u);
  }
}

void
resample_plan_invalidate (const ResamplePlan *self, guint8 *payload, gsize size)
{
  for (guint i = 0; i < self->n; i++) {
    const ResampleOp *op = &self->ops[i];

    if (op->is_tail)
      walk_tail (op, payload, size, NULL, 0, 0);
    else
      walk (op, 0, payload, NULL, 0);
  }
}

/* The message before the first */

static void
set_counts (AcqStream *stream, const AcqSchema *schema, const char *prefix, guint8 *at)
{
  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];
    g_autofree char *path = NULL;
    guint count = 0;

    if (field->flags & (ACQ_FIELD_CONSTANT | ACQ_FIELD_TAIL))
      continue;
    path = g_strconcat (prefix, field->name, NULL);
    if (field->arity == ACQ_ARITY_SEQUENCE && acq_stream_get_count (stream, path, &count)) {
      guint32 n = MIN (count, field->max);

      memcpy (at + field->count_offset, &n, sizeof n);
    } else if (field->arity == ACQ_ARITY_ONE && field->kind == ACQ_KIND_STRUCT) {
      g_autofree char *inner = g_strconcat (path, ".", NULL);

      set_counts (stream, field->type, inner, at + field->offset);
    }
  }
}

guint8 *
resample_plan_new_blank (const ResamplePlan *self, AcqStream *stream, gsize *ret_size)
{
  const AcqSchema *schema = acq_stream_get_schema (stream);
  const AcqTailLayout *tail = acq_stream_get_tail (stream);
  gsize size = schema->tail != NULL ? schema->tail_offset : schema->size;
  guint8 *blank;

  if (schema->tail != NULL && tail != NULL)
    size +=
        MIN ((gsize) tail->count * acq_kind_size (tail->kind), acq_stream_get_max_tail (stream));
  blank = g_malloc0 (MAX (size, schema->size));
  set_counts (stream, schema, "", blank);
  resample_plan_invalidate (self, blank, size);
  *ret_size = size;
  return blank;
}
