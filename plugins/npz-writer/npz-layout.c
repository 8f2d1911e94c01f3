/* SPDX-License-Identifier: Apache-2.0 */
#include "npz-layout.h"

#include "npz-column.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define NS_PER_US 1000

enum { T_US, T_DEV_US, T_HOST_US, VALID, N_FIXED };

static const char *const fixed_suffixes[] = { "__t_us", "__t_dev_us", "__t_host_us", "__valid" };

struct _NpzLayout {
  AcqStream *stream;
  GArray *columns;    /* of NpzColumn */
  GPtrArray *omitted; /* paths of fields that stay in MCAP */
  char *fixed_keys[N_FIXED];
  guint n_fixed; /* with or without `valid` */
  AcqNpyField *fields;
  guint n_fields;
};

/* Where a walk over a type stands. */
typedef struct {
  const char *key;
  const char *path;
  const char *unit;
  guint32 offset; /* from the element of the last array */
  guint n_dims;
  NpzDim dims[NPZ_MAX_DIMS];
} Place;

static NpzColumn *
add_column (NpzLayout *self, const Place *place)
{
  NpzColumn column = { .key = g_strdup (place->key),
                       .path = g_strdup (place->path),
                       .unit = place->unit,
                       .offset = place->offset,
                       .n_dims = place->n_dims };

  memcpy (column.dims, place->dims, sizeof column.dims);
  g_array_append_val (self->columns, column);
  return &g_array_index (self->columns, NpzColumn, self->columns->len - 1);
}

/* Names of the numbers of a type, in order: position.x, position.y … */
static void
list_components (const AcqSchema *type, const char *prefix, GPtrArray *names)
{
  for (guint i = 0; i < type->n_fields; i++) {
    const AcqField *f = &type->fields[i];

    for (guint k = 0; k < f->max; k++) {
      g_autofree char *index = f->arity == ACQ_ARITY_FIXED ? g_strdup_printf ("[%u]", k) : NULL;
      g_autofree char *name = g_strconcat (prefix, f->name, index, NULL);

      if (f->kind == ACQ_KIND_STRUCT) {
        g_autofree char *inner = g_strconcat (name, ".", NULL);

        list_components (f->type, inner, names);
      } else {
        g_ptr_array_add (names, g_steal_pointer (&name));
      }
    }
  }
}

/* The `shape` of a tail, `24,31`, as arrays; one array of all when there is none. */
static void
set_tail_shape (NpzColumn *column, const AcqTailLayout *tail)
{
  g_auto (GStrv) parts = g_strsplit (tail->shape != NULL ? tail->shape : "", ",", -1);
  guint64 product = 1;

  column->n_dims = 0;
  for (guint i = 0; parts[i] != NULL && *parts[i] != '\0' && i < NPZ_MAX_DIMS; i++) {
    guint64 n = g_ascii_strtoull (parts[i], NULL, 10);

    column->dims[column->n_dims++] = (NpzDim){ .n = (guint32) n };
    product *= n;
  }
  if (column->n_dims == 0 || product != tail->count) {
    column->n_dims = 1;
    column->dims[0] = (NpzDim){ .n = tail->count };
  }
}

static void
add_tail (NpzLayout *self, const Place *outer, const AcqField *field, const char *stem)
{
  const AcqTailLayout *tail = acq_stream_get_tail (self->stream);
  Place place = *outer;
  NpzColumn *column;

  if (tail == NULL || tail->kind >= ACQ_KIND_STRING || tail->count == 0) {
    g_ptr_array_add (self->omitted, g_strdup (place.path));
    return;
  }
  if (field->npz == NULL)
    place.key = stem; /* a tail that is declared is what the stream is about */
  place.offset = acq_stream_get_schema (self->stream)->tail_offset;
  column = add_column (self, &place);
  column->is_tail = TRUE;
  npz_column_set_type (column, tail->kind, 1, 0);
  npz_column_set_pad (column, tail->has_invalid, tail->invalid);
  column->tail_bytes = tail->count * column->size;
  set_tail_shape (column, tail);
}

static void
add_text (NpzLayout *self, const Place *place, const AcqField *field)
{
  guint room = field->stride - 1;

  if (room > NPZ_TEXT_MAX || room == 0)
    g_ptr_array_add (self->omitted, g_strdup (place->path));
  else
    npz_column_set_type (add_column (self, place), ACQ_KIND_STRING, 1, room);
}

static void
add_number (NpzLayout *self, const Place *place, const AcqField *field)
{
  NpzColumn *column = add_column (self, place);

  npz_column_set_type (column, field->kind, 1, 0);
  npz_column_set_pad (column, (field->flags & ACQ_FIELD_HAS_INVALID) != 0, field->invalid);
}

static void
add_matrix (NpzLayout *self, const Place *place, const AcqField *field, AcqKind kind, guint n)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  NpzColumn *column = add_column (self, place);

  npz_column_set_type (column, kind, n, 0);
  npz_column_set_pad (column, FALSE, 0);
  list_components (field->type, "", names);
  g_ptr_array_add (names, NULL);
  column->components = (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/* How many of a sequence were there, where the stream did not declare that. */
static void
add_count (NpzLayout *self, const Place *outer, const AcqField *field, const char *key)
{
  g_autofree char *count_key = g_strdup_printf ("%s.n_%s", key, field->name);
  g_autofree char *path = g_strdup_printf ("%s (count)", outer->path);
  Place place = *outer;
  NpzColumn *column;

  place.key = count_key;
  place.path = path;
  place.unit = NULL;
  place.offset += field->count_offset;
  column = add_column (self, &place);
  npz_column_set_type (column, ACQ_KIND_U32, 1, 0);
  npz_column_set_pad (column, FALSE, 0);
}

/* Puts the array of @field around what comes; FALSE when the stream has none of it. */
static gboolean
enter_array (NpzLayout *self, Place *place, const AcqField *field, const char *outer_key)
{
  NpzDim *dim;
  guint count = field->max;

  if (field->arity == ACQ_ARITY_SEQUENCE &&
      !acq_stream_get_count (self->stream, place->path, &count))
    add_count (self, place, field, outer_key);
  if (count == 0)
    return FALSE;
  dim = &place->dims[place->n_dims++];
  *dim = (NpzDim){ .offset = place->offset + field->offset,
                   .stride = field->stride,
                   .is_sequence = field->arity == ACQ_ARITY_SEQUENCE,
                   .n = count };
  if (dim->is_sequence)
    dim->count_offset = place->offset + field->count_offset;
  place->offset = 0;
  return TRUE;
}

static void walk (NpzLayout *self, const AcqSchema *schema, const Place *outer, const char *stem);

static void
walk_field (NpzLayout *self, const AcqField *field, const Place *outer, const char *stem)
{
  const char *word = field->npz != NULL ? field->npz : field->name;
  g_autofree char *key =
      g_str_equal (word, ".") ? g_strdup (outer->key) : g_strconcat (outer->key, ".", word, NULL);
  g_autofree char *path = outer->path != NULL ? g_strconcat (outer->path, ".", field->name, NULL)
                                              : g_strdup (field->name);
  Place place = *outer;
  AcqKind kind;
  guint n;

  place.key = key;
  place.path = path;
  if (field->unit != NULL)
    place.unit = field->unit;
  if (g_str_equal (word, "-")) {
    g_ptr_array_add (self->omitted, g_strdup (path));
    return;
  }
  if (field->flags & ACQ_FIELD_TAIL) {
    add_tail (self, &place, field, stem);
    return;
  }
  if (field->arity == ACQ_ARITY_ONE)
    place.offset += field->offset;
  else if (!enter_array (self, &place, field, outer->key))
    return;

  if (field->kind == ACQ_KIND_STRING)
    add_text (self, &place, field);
  else if (field->kind != ACQ_KIND_STRUCT)
    add_number (self, &place, field);
  else if (acq_schema_get_flat (field->type, &kind, &n))
    add_matrix (self, &place, field, kind, n);
  else
    walk (self, field->type, &place, stem);
}

static void
walk (NpzLayout *self, const AcqSchema *schema, const Place *outer, const char *stem)
{
  for (guint i = 0; i < schema->n_fields; i++)
    if (!(schema->fields[i].flags & ACQ_FIELD_CONSTANT))
      walk_field (self, &schema->fields[i], outer, stem);
}

static void
set_fields (NpzLayout *self)
{
  self->n_fields = self->n_fixed + self->columns->len;
  self->fields = g_new0 (AcqNpyField, self->n_fields);
  for (guint i = 0; i < self->n_fixed; i++)
    self->fields[i] =
        (AcqNpyField){ .name = self->fixed_keys[i], .descr = i == VALID ? "|b1" : "<i8" };
  for (guint i = 0; i < self->columns->len; i++) {
    const NpzColumn *c = &g_array_index (self->columns, NpzColumn, i);
    AcqNpyField *f = &self->fields[self->n_fixed + i];

    f->name = c->key;
    f->descr = c->descr;
    for (guint k = 0; k < c->n_dims; k++)
      f->dims[f->n_dims++] = c->dims[k].n;
    if (c->n > 1)
      f->dims[f->n_dims++] = c->n;
  }
}

static void
clear_column (gpointer data)
{
  npz_column_clear (data);
}

/* Only what a transform made; but not the stream that is about just that. */
static gboolean
can_lack_measurement (AcqStream *stream)
{
  return ACQ_IS_TRANSFORM (acq_stream_get_node (stream)) &&
         acq_stream_get_schema (stream) != &acq_grid_valid_schema;
}

NpzLayout *
npz_layout_new (AcqStream *stream, const char *stem, GError **error)
{
  g_autoptr (NpzLayout) self = g_new0 (NpzLayout, 1);
  Place place = { .key = stem };
  gsize row_size;

  self->stream = stream;
  self->columns = g_array_new (FALSE, FALSE, sizeof (NpzColumn));
  g_array_set_clear_func (self->columns, clear_column);
  self->omitted = g_ptr_array_new_with_free_func (g_free);
  self->n_fixed = can_lack_measurement (stream) ? N_FIXED : VALID;
  for (guint i = 0; i < self->n_fixed; i++)
    self->fixed_keys[i] = g_strconcat (stem, fixed_suffixes[i], NULL);
  walk (self, acq_stream_get_schema (stream), &place, stem);
  set_fields (self);
  if (!acq_npy_layout (self->fields, self->n_fields, &row_size, error)) {
    g_prefix_error (error, "%s: ", acq_stream_get_path (stream));
    return NULL;
  }
  for (guint i = 0; i < self->columns->len; i++)
    g_array_index (self->columns, NpzColumn, i).row_offset = self->fields[self->n_fixed + i].offset;
  return g_steal_pointer (&self);
}

void
npz_layout_free (NpzLayout *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < N_FIXED; i++)
    g_free (self->fixed_keys[i]);
  g_array_unref (self->columns);
  g_ptr_array_unref (self->omitted);
  g_free (self->fields);
  g_free (self);
}

const AcqNpyField *
npz_layout_get_fields (const NpzLayout *self, guint *ret_n)
{
  *ret_n = self->n_fields;
  return self->fields;
}

void
npz_layout_fill (const NpzLayout *self, const AcqFrame *frame, gint64 t_host_us, guint8 *row)
{
  gboolean has_device = (frame->flags & ACQ_FRAME_DEVICE_TIME) != 0;
  gint64 times[VALID];

  times[T_DEV_US] = has_device ? (gint64) (frame->device_ns / NS_PER_US) : -1;
  times[T_HOST_US] = t_host_us;
  times[T_US] = has_device ? times[T_DEV_US] : t_host_us;
  memcpy (row, times, sizeof times);
  if (self->n_fixed > VALID)
    row[sizeof times] = (frame->flags & ACQ_FRAME_INVALID) == 0;
  for (guint i = 0; i < self->columns->len; i++)
    npz_column_take (&g_array_index (self->columns, NpzColumn, i), frame->payload, frame->size,
                     row);
}

void
npz_layout_describe (const NpzLayout *self, JsonObject *stream)
{
  JsonObject *columns = json_object_new ();

  for (guint i = 0; i < self->columns->len; i++) {
    const NpzColumn *c = &g_array_index (self->columns, NpzColumn, i);
    JsonObject *column = json_object_new ();

    json_object_set_string_member (column, "field", c->path);
    if (c->unit != NULL)
      json_object_set_string_member (column, "unit", c->unit);
    if (c->components != NULL) {
      JsonArray *names = json_array_new ();

      for (char **name = c->components; *name != NULL; name++)
        json_array_add_string_element (names, *name);
      json_object_set_array_member (column, "components", names);
    }
    json_object_set_object_member (columns, c->key, column);
  }
  json_object_set_object_member (stream, "columns", columns);
  if (self->omitted->len > 0) {
    JsonArray *omitted = json_array_new ();

    for (guint i = 0; i < self->omitted->len; i++)
      json_array_add_string_element (omitted, self->omitted->pdata[i]);
    json_object_set_array_member (stream, "not_in_npz", omitted);
  }
}
