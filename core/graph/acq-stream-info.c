/* SPDX-License-Identifier: Apache-2.0 */
/* What a stream says about itself once it is published. */
#include <string.h>

#include "graph/acq-stream-private.h"

const AcqField *
acq_schema_find_sequence (const AcqSchema *schema, const char *path, guint32 *ret_count_offset)
{
  g_auto (GStrv) words = g_strsplit (path, ".", -1);
  const AcqField *field = NULL;
  guint32 offset = 0;

  for (guint i = 0; words[i] != NULL; i++) {
    if (i > 0 && (field->kind != ACQ_KIND_STRUCT || field->arity != ACQ_ARITY_ONE))
      return NULL;
    if (i > 0)
      offset += field->offset;
    field = acq_schema_find_field (i > 0 ? field->type : schema, words[i]);
    if (field == NULL)
      return NULL;
  }
  if (field == NULL || field->arity != ACQ_ARITY_SEQUENCE ||
      (field->flags & (ACQ_FIELD_TAIL | ACQ_FIELD_CONSTANT)) != 0)
    return NULL;
  *ret_count_offset = offset + field->count_offset;
  return field;
}

AcqNode *
acq_stream_get_node (AcqStream *self)
{
  return self->node;
}

const char *
acq_stream_get_name (AcqStream *self)
{
  return self->name;
}

const char *
acq_stream_get_path (AcqStream *self)
{
  return self->path;
}

const char *
acq_stream_get_topic (AcqStream *self)
{
  return self->topic;
}

const char *
acq_stream_get_frame_id (AcqStream *self)
{
  return self->frame_id;
}

const AcqSchema *
acq_stream_get_schema (AcqStream *self)
{
  return self->info.schema;
}

double
acq_stream_get_rate (AcqStream *self)
{
  return self->info.rate_hz;
}

gint64
acq_stream_get_latency (AcqStream *self)
{
  return self->info.latency_ns;
}

gsize
acq_stream_get_max_tail (AcqStream *self)
{
  return self->info.max_tail;
}

gboolean
acq_stream_is_latched (AcqStream *self)
{
  return self->info.latched;
}

gboolean
acq_stream_has_sequence (AcqStream *self)
{
  return self->info.has_sequence;
}

gboolean
acq_stream_is_mapped (AcqStream *self)
{
  return atomic_load (&self->mapped);
}

AcqClock *
acq_stream_get_clock (AcqStream *self)
{
  return self->info.clock;
}

AcqConstants *
acq_stream_get_constants (AcqStream *self)
{
  return self->info.constants;
}

const AcqTailLayout *
acq_stream_get_tail (AcqStream *self)
{
  return self->info.tail;
}

gboolean
acq_stream_get_count (AcqStream *self, const char *field, guint *ret_count)
{
  for (guint i = 0; i < self->counts->len; i++) {
    const AcqDeclaredCount *declared = &g_array_index (self->counts, AcqDeclaredCount, i);

    if (declared->count != ACQ_COUNT_ANY && strcmp (declared->path, field) == 0) {
      *ret_count = declared->count;
      return TRUE;
    }
  }
  return FALSE;
}

const char *
acq_stream_get_metadata (AcqStream *self, const char *key)
{
  return g_hash_table_lookup (self->metadata, key);
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

const char **
acq_stream_list_metadata (AcqStream *self)
{
  guint n;
  const char **keys = (const char **) g_hash_table_get_keys_as_array (self->metadata, &n);

  qsort (keys, n, sizeof *keys, compare_keys);
  return keys;
}

AcqFrame *
acq_stream_ref_latched (AcqStream *self)
{
  AcqFrame *frame;

  pthread_mutex_lock (&self->lock);
  frame = self->latched != NULL ? acq_frame_ref (self->latched) : NULL;
  pthread_mutex_unlock (&self->lock);
  return frame;
}

void
acq_stream_set_user_data (AcqStream *self, gpointer data)
{
  self->user_data = data;
}

gpointer
acq_stream_get_user_data (AcqStream *self)
{
  return self->user_data;
}

const guint8 *
acq_frame_tail (const AcqFrame *self, gsize *ret_size)
{
  const AcqSchema *schema = self->stream->info.schema;

  if (schema->tail == NULL)
    return NULL;
  if (ret_size != NULL)
    *ret_size = self->size - schema->tail_offset;
  return self->payload + schema->tail_offset;
}
