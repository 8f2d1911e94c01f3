/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-walk.h>

#include <string.h>

/* Where a walk over a type stands: what the outer fields say about the inner ones. */
typedef struct {
  const char *path;
  const char *unit;
  gboolean hold;
  guint32 offset; /* from the element of the last dimension */
  guint n_dims;
  AcqLeafDim dims[ACQ_LEAF_MAX_DIMS];
} Place;

static void
add_dim (Place *place, const AcqField *field)
{
  AcqLeafDim *dim;

  g_assert (place->n_dims < ACQ_LEAF_MAX_DIMS); /* acq-msg-gen refuses more */
  dim = &place->dims[place->n_dims++];
  dim->is_sequence = field->arity == ACQ_ARITY_SEQUENCE;
  dim->offset = place->offset + field->offset;
  dim->count_offset = dim->is_sequence ? place->offset + field->count_offset : 0;
  dim->stride = field->stride;
  dim->max = field->max;
  place->offset = 0;
}

static void
add_leaf (GArray *leaves, const Place *place, const AcqField *field)
{
  AcqLeaf leaf = {
    .path = g_strdup (place->path),
    .field = field,
    .kind = field->kind,
    .interp = place->hold ? ACQ_INTERP_HOLD : field->interp,
    .n = 1,
    .offset = place->offset,
    .size = field->kind == ACQ_KIND_STRING ? field->stride : acq_kind_size (field->kind),
    .unit = place->unit,
    .has_invalid = (field->flags & ACQ_FIELD_HAS_INVALID) != 0,
    .invalid = field->invalid,
    .is_tail = (field->flags & ACQ_FIELD_TAIL) != 0,
    .n_dims = place->n_dims,
  };

  memcpy (leaf.dims, place->dims, sizeof leaf.dims);
  g_array_append_val (leaves, leaf);
}

/* A quaternion is one leaf of four: its parts mean nothing alone. */
static void
add_quaternion (GArray *leaves, const Place *place, const AcqField *field)
{
  AcqLeaf *leaf;

  add_leaf (leaves, place, field);
  leaf = &g_array_index (leaves, AcqLeaf, leaves->len - 1);
  leaf->kind = field->type->fields[0].kind;
  leaf->size = acq_kind_size (leaf->kind);
  leaf->n = 4;
}

static void
walk (GArray *leaves, const AcqSchema *schema, const Place *outer)
{
  for (guint i = 0; i < schema->n_fields; i++) {
    const AcqField *field = &schema->fields[i];
    g_autofree char *path = NULL;
    Place place = *outer;

    if (field->flags & ACQ_FIELD_CONSTANT)
      continue;
    path = place.path[0] != '\0' ? g_strjoin (".", place.path, field->name, NULL)
                                 : g_strdup (field->name);
    place.path = path;
    place.hold |= field->interp == ACQ_INTERP_HOLD;
    if (field->unit != NULL)
      place.unit = field->unit;
    if (field->flags & ACQ_FIELD_TAIL)
      place.offset = schema->tail_offset;
    else if (field->arity != ACQ_ARITY_ONE)
      add_dim (&place, field);
    else
      place.offset += field->offset;

    if (field->kind != ACQ_KIND_STRUCT)
      add_leaf (leaves, &place, field);
    else if (field->interp == ACQ_INTERP_SLERP && !place.hold)
      add_quaternion (leaves, &place, field);
    else
      walk (leaves, field->type, &place);
  }
}

/* Whether `next` begins where `leaf` ends and reads the same way. */
static gboolean
can_merge (const AcqLeaf *leaf, const AcqLeaf *next)
{
  return leaf->kind == next->kind && leaf->kind != ACQ_KIND_STRING && !leaf->is_tail &&
         !next->is_tail && leaf->interp == next->interp && leaf->interp != ACQ_INTERP_SLERP &&
         leaf->has_invalid == next->has_invalid &&
         memcmp (&leaf->invalid, &next->invalid, sizeof leaf->invalid) == 0 &&
         leaf->offset + leaf->n * leaf->size == next->offset && leaf->n_dims == next->n_dims &&
         memcmp (leaf->dims, next->dims, sizeof leaf->dims) == 0;
}

static void
merge (GArray *leaves)
{
  guint kept = 0;

  for (guint i = 1; i < leaves->len; i++) {
    AcqLeaf *leaf = &g_array_index (leaves, AcqLeaf, kept);
    AcqLeaf *next = &g_array_index (leaves, AcqLeaf, i);

    if (can_merge (leaf, next)) {
      leaf->n += next->n;
      g_free ((char *) next->path);
    } else {
      g_array_index (leaves, AcqLeaf, ++kept) = *next;
    }
  }
  if (leaves->len > 0)
    g_array_set_size (leaves, kept + 1);
}

AcqLeaves *
acq_leaves_new (const AcqSchema *schema, AcqLeavesFlags flags)
{
  const Place place = { .path = "" };
  AcqLeaves *self;
  GArray *leaves;

  g_return_val_if_fail (schema != NULL, NULL);

  self = g_new0 (AcqLeaves, 1);
  leaves = g_array_new (FALSE, FALSE, sizeof (AcqLeaf));
  walk (leaves, schema, &place);
  if (flags & ACQ_LEAVES_MERGE)
    merge (leaves);
  self->schema = schema;
  self->n = leaves->len;
  self->leaves = (AcqLeaf *) (void *) g_array_free (leaves, FALSE);
  return self;
}

void
acq_leaves_free (AcqLeaves *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n; i++)
    g_free ((char *) self->leaves[i].path);
  g_free (self->leaves);
  g_free (self);
}

static void
visit_dim (const AcqLeaf *leaf, guint level, guint *index, const guint8 *at, AcqLeafFunc func,
           gpointer user_data)
{
  const AcqLeafDim *dim;
  const guint8 *element;
  guint32 count;

  if (level >= MIN (leaf->n_dims, ACQ_LEAF_MAX_DIMS)) {
    func (leaf, index, at + leaf->offset, leaf->n, user_data);
    return;
  }
  dim = &leaf->dims[level];
  element = at + dim->offset;
  count = dim->max;
  if (dim->is_sequence)
    memcpy (&count, at + dim->count_offset, sizeof count);
  index[level] = 0;
  if (level + 1 == leaf->n_dims && dim->stride == leaf->n * leaf->size &&
      leaf->kind != ACQ_KIND_STRING) {
    if (count > 0)
      func (leaf, index, element + leaf->offset, (gsize) count * leaf->n, user_data);
    return;
  }
  for (guint32 i = 0; i < count; i++) {
    index[level] = i;
    visit_dim (leaf, level + 1, index, element + (gsize) i * dim->stride, func, user_data);
  }
}

void
acq_leaf_visit (const AcqLeaf *leaf, gconstpointer payload, gsize size, AcqLeafFunc func,
                gpointer user_data)
{
  guint index[ACQ_LEAF_MAX_DIMS + 1] = { 0 };

  g_return_if_fail (leaf != NULL && payload != NULL && func != NULL);

  if (leaf->is_tail) {
    gsize bytes = size > leaf->offset ? size - leaf->offset : 0;

    func (leaf, index, (const guint8 *) payload + leaf->offset, bytes / leaf->field->stride,
          user_data);
    return;
  }
  visit_dim (leaf, 0, index, payload, func, user_data);
}

static gboolean
flatten (const AcqSchema *self, AcqKind *kind, guint *n, gboolean *known)
{
  for (guint i = 0; i < self->n_fields; i++) {
    const AcqField *field = &self->fields[i];
    guint inner = 0;

    if (field->arity == ACQ_ARITY_SEQUENCE || field->kind == ACQ_KIND_STRING ||
        (field->flags & (ACQ_FIELD_CONSTANT | ACQ_FIELD_TAIL)) != 0)
      return FALSE;
    if (field->kind == ACQ_KIND_STRUCT) {
      if (!flatten (field->type, kind, &inner, known))
        return FALSE;
    } else {
      if (*known && *kind != field->kind)
        return FALSE;
      *kind = field->kind;
      *known = TRUE;
      inner = 1;
    }
    *n += inner * field->max;
  }
  return TRUE;
}

gboolean
acq_schema_get_flat (const AcqSchema *self, AcqKind *ret_kind, guint *ret_n)
{
  AcqKind kind = ACQ_KIND_BOOL;
  gboolean known = FALSE;
  guint n = 0;

  g_return_val_if_fail (self != NULL && ret_kind != NULL && ret_n != NULL, FALSE);

  /* One kind means one alignment, so there is no padding. */
  if (self->has_header || !flatten (self, &kind, &n, &known))
    return FALSE;
  *ret_kind = kind;
  *ret_n = n;
  return TRUE;
}
