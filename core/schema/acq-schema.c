/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/acq-schema-private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <acq/acq-error.h>

static const struct {
  const char *name;
  guint size;
} kinds[] = {
  [ACQ_KIND_BOOL] = { "bool", 1 },     [ACQ_KIND_I8] = { "int8", 1 },
  [ACQ_KIND_U8] = { "uint8", 1 },      [ACQ_KIND_I16] = { "int16", 2 },
  [ACQ_KIND_U16] = { "uint16", 2 },    [ACQ_KIND_I32] = { "int32", 4 },
  [ACQ_KIND_U32] = { "uint32", 4 },    [ACQ_KIND_I64] = { "int64", 8 },
  [ACQ_KIND_U64] = { "uint64", 8 },    [ACQ_KIND_F32] = { "float32", 4 },
  [ACQ_KIND_F64] = { "float64", 8 },   [ACQ_KIND_STRING] = { "string", 0 },
  [ACQ_KIND_STRUCT] = { "struct", 0 },
};

/* Types of plugins: few, so a list. */
static pthread_mutex_t registered_lock = PTHREAD_MUTEX_INITIALIZER;
static GPtrArray *registered; /* under registered_lock */

guint
acq_kind_size (AcqKind kind)
{
  g_return_val_if_fail (kind < G_N_ELEMENTS (kinds), 0);
  return kinds[kind].size;
}

const char *
acq_kind_name (AcqKind kind)
{
  g_return_val_if_fail (kind < G_N_ELEMENTS (kinds), NULL);
  return kinds[kind].name;
}

static const AcqField *
find_member (const AcqSchema *self, const char *name, gsize length)
{
  for (guint i = 0; i < self->n_fields; i++) {
    const AcqField *field = &self->fields[i];

    if (strncmp (field->name, name, length) == 0 && field->name[length] == '\0')
      return field;
  }
  return NULL;
}

const AcqField *
acq_schema_find_field (const AcqSchema *self, const char *path)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (path != NULL, NULL);

  for (;;) {
    gsize length = strcspn (path, ".");
    const AcqField *field = find_member (self, path, length);

    if (field == NULL || path[length] == '\0')
      return field;
    if (field->type == NULL)
      return NULL;
    self = field->type;
    path += length + 1;
  }
}

static int
compare_name (gconstpointer key, gconstpointer element)
{
  const AcqSchema *const *schema = element;

  return strcmp (key, (*schema)->name);
}

static const AcqSchema *
find_registered (const char *name)
{
  for (guint i = 0; registered != NULL && i < registered->len; i++) {
    const AcqSchema *schema = g_ptr_array_index (registered, i);

    if (g_str_equal (schema->name, name))
      return schema;
  }
  return NULL;
}

const AcqSchema *
acq_schema_lookup (const char *name)
{
  const AcqSchema *const *found;
  const AcqSchema *schema;

  g_return_val_if_fail (name != NULL, NULL);

  found = bsearch (name, acq_schema_table, acq_schema_table_length, sizeof *acq_schema_table,
                   compare_name);
  if (found != NULL)
    return *found;

  pthread_mutex_lock (&registered_lock);
  schema = find_registered (name);
  pthread_mutex_unlock (&registered_lock);
  return schema;
}

gboolean
acq_schema_register (const AcqSchema *schema, GError **error)
{
  const AcqSchema *known;

  g_return_val_if_fail (schema != NULL, FALSE);

  known = acq_schema_lookup (schema->name);
  if (known == NULL) {
    pthread_mutex_lock (&registered_lock);
    known = find_registered (schema->name);
    if (known == NULL) {
      if (registered == NULL)
        registered = g_ptr_array_new ();
      g_ptr_array_add (registered, (gpointer) schema);
    }
    pthread_mutex_unlock (&registered_lock);
  }
  if (known == NULL || acq_schema_equal (known, schema))
    return TRUE;

  g_set_error (error, ACQ_ERROR, ACQ_ERROR_SCHEMA,
               "two message types are called %s, with different text: rename the one of the plugin",
               schema->name);
  return FALSE;
}

gboolean
acq_schema_equal (const AcqSchema *a, const AcqSchema *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, FALSE);

  return a == b || (g_str_equal (a->name, b->name) && g_str_equal (a->text, b->text) &&
                    a->size == b->size && a->tail_offset == b->tail_offset);
}

const AcqSchema *const *
acq_schema_list (guint *ret_length)
{
  g_return_val_if_fail (ret_length != NULL, NULL);

  *ret_length = acq_schema_table_length;
  return acq_schema_table;
}
