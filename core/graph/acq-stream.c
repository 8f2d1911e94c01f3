/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/acq-stream-private.h"

#include <math.h>
#include <string.h>

#include <acq/acq-host-clock.h>
#include <acq/acq-node.h>

AcqLinkArray *
acq_link_array_new (AcqLink *const *links, guint n)
{
  AcqLinkArray *self = g_malloc (sizeof (AcqLinkArray) + n * sizeof (AcqLink *));

  atomic_init (&self->refs, 1);
  self->n = n;
  for (guint i = 0; i < n; i++)
    self->links[i] = acq_link_ref (links[i]);
  return self;
}

void
acq_link_array_unref (AcqLinkArray *self)
{
  if (self == NULL || atomic_fetch_sub (&self->refs, 1) != 1)
    return;
  for (guint i = 0; i < self->n; i++)
    acq_link_unref (self->links[i]);
  g_free (self);
}

static void
clear_count (gpointer data)
{
  g_free (((AcqDeclaredCount *) data)->path);
}

AcqStream *
acq_stream_new (AcqNode *node, AcqHostClock *host_clock, const AcqStreamInfo *info)
{
  AcqStream *self = g_new0 (AcqStream, 1);
  const char *id = acq_node_get_id (node);

  self->node = node;
  self->host_clock = acq_host_clock_ref (host_clock);
  self->name = g_strdup (info->name);
  self->path = g_strdup_printf ("%s.%s", id, info->name);
  self->topic =
      info->topic != NULL ? g_strdup (info->topic) : g_strdup_printf ("/%s/%s", id, info->name);
  self->frame_id = g_strdup (info->frame_id != NULL ? info->frame_id : id);
  self->info = *info;
  self->info.name = self->name;
  self->info.topic = self->topic;
  self->info.frame_id = self->frame_id;
  if (info->clock != NULL)
    acq_clock_ref (info->clock);
  if (info->constants != NULL)
    acq_constants_ref (info->constants);
  if (info->tail != NULL) {
    self->tail = *info->tail;
    self->tail_shape = g_strdup (info->tail->shape);
    self->tail.shape = self->tail_shape;
    self->info.tail = &self->tail;
    if (self->info.max_tail == 0)
      self->info.max_tail = self->tail.count * acq_kind_size (self->tail.kind);
  }
  self->counts = g_array_new (FALSE, TRUE, sizeof (AcqDeclaredCount));
  g_array_set_clear_func (self->counts, clear_count);
  self->metadata = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < info->schema->n_fields; i++) {
    const AcqField *field = &info->schema->fields[i];
    AcqDeclaredCount any = { field, g_strdup (field->name), ACQ_COUNT_ANY, field->count_offset };

    if (field->arity == ACQ_ARITY_SEQUENCE &&
        !(field->flags & (ACQ_FIELD_TAIL | ACQ_FIELD_CONSTANT)))
      g_array_append_val (self->counts, any);
    else
      g_free (any.path);
  }
  for (int i = 0; i < ACQ_STREAM_N_BINS; i++)
    self->bins[i].slot = -1;
  self->budget = G_MAXUINT64;
  pthread_mutex_init (&self->lock, NULL);
  self->current = acq_link_array_new (NULL, 0);
  self->links = acq_stream_ref_links (self);
  return self;
}

void
acq_stream_free (AcqStream *self)
{
  if (self->latched != NULL)
    acq_frame_unref (self->latched);
  acq_link_array_unref (self->links);
  acq_link_array_unref (self->current);
  for (int i = 0; i <= ACQ_STREAM_N_CLASSES; i++) {
    if (self->pools[i] != NULL)
      acq_pool_unref (self->pools[i]);
  }
  g_free (self->scratch);
  g_clear_pointer (&self->info.clock, acq_clock_unref);
  g_clear_pointer (&self->info.constants, acq_constants_unref);
  g_array_unref (self->counts);
  g_hash_table_unref (self->metadata);
  acq_host_clock_unref (self->host_clock);
  pthread_mutex_destroy (&self->lock);
  g_free (self->tail_shape);
  g_free (self->frame_id);
  g_free (self->topic);
  g_free (self->path);
  g_free (self->name);
  g_free (self);
}

/* Setting up */

void
acq_stream_set_count (AcqStream *self, const char *field, guint count)
{
  AcqDeclaredCount declared = { .count = count };

  if (atomic_load (&self->published))
    return;
  declared.field = acq_schema_find_sequence (self->info.schema, field, &declared.offset);
  if (declared.field == NULL || count > declared.field->max) {
    g_critical ("%s: %s has no sequence '%s' that holds %u elements", self->path,
                self->info.schema->name, field, count);
    return;
  }
  for (guint i = 0; i < self->counts->len; i++) {
    AcqDeclaredCount *known = &g_array_index (self->counts, AcqDeclaredCount, i);

    if (known->offset == declared.offset) {
      known->count = count;
      return;
    }
  }
  /* Inside a nested struct. */
  declared.path = g_strdup (field);
  g_array_append_val (self->counts, declared);
}

void
acq_stream_set_metadata (AcqStream *self, const char *key, const char *value)
{
  if (atomic_load (&self->published))
    return;
  if (value == NULL)
    g_hash_table_remove (self->metadata, key);
  else
    g_hash_table_replace (self->metadata, g_strdup (key), g_strdup (value));
}

void
acq_stream_set_links (AcqStream *self, AcqLink *const *links, guint n)
{
  AcqLinkArray *fresh = acq_link_array_new (links, n);
  AcqLinkArray *old;

  pthread_mutex_lock (&self->lock);
  old = self->current;
  self->current = fresh;
  atomic_fetch_add_explicit (&self->generation, 1, memory_order_release);
  pthread_mutex_unlock (&self->lock);
  acq_link_array_unref (old);
}

AcqLinkArray *
acq_stream_ref_links (AcqStream *self)
{
  AcqLinkArray *links;

  pthread_mutex_lock (&self->lock);
  links = self->current;
  atomic_fetch_add (&links->refs, 1);
  pthread_mutex_unlock (&self->lock);
  return links;
}

/* Taking a frame */

static gsize
payload_size (AcqStream *self, gsize tail_bytes)
{
  const AcqSchema *schema = self->info.schema;

  return schema->tail != NULL ? schema->tail_offset + tail_bytes : schema->size;
}

gsize
acq_stream_frame_bytes (AcqStream *self)
{
  return sizeof (AcqFrame) + payload_size (self, self->info.max_tail);
}

static AcqFrame *
take_scratch (AcqStream *self)
{
  if (self->scratch == NULL)
    self->scratch = g_malloc (acq_stream_frame_bytes (self));
  self->scratch->flags = ACQ_FRAME_SCRATCH;
  return self->scratch;
}

/* The pool for payloads of @size: exact for types without tail, else the smallest class. */
static AcqPool **
pool_for (AcqStream *self, gsize size, gsize *ret_class_size)
{
  gsize class_size = 1024;
  int i;

  if (self->info.schema->tail == NULL) {
    *ret_class_size = size;
    return &self->pools[0];
  }
  for (i = 0; i < ACQ_STREAM_N_CLASSES && class_size < size; i++)
    class_size *= 2;
  /* The last class holds the largest message that the stream declared. */
  if (i == ACQ_STREAM_N_CLASSES)
    class_size = payload_size (self, self->info.max_tail);
  *ret_class_size = class_size;
  return &self->pools[i];
}

static gpointer
begin (AcqStream *self, gsize tail_bytes, AcqFrame **frame)
{
  gsize size = payload_size (self, tail_bytes);
  gsize class_size;
  AcqPool **pool = pool_for (self, size, &class_size);
  gboolean may_grow = self->pool_bytes < atomic_load_explicit (&self->budget, memory_order_relaxed);
  gsize grown = 0;
  AcqFrame *taken;

  if (G_UNLIKELY (*pool == NULL))
    *pool = acq_pool_new (class_size);
  taken = acq_pool_take (*pool, may_grow, &grown);
  self->pool_bytes += grown;
  if (G_UNLIKELY (taken == NULL))
    taken = take_scratch (self);
  else
    taken->flags = 0;
  taken->stream = self;
  taken->size = size;
  taken->host_ns = acq_host_clock_now (self->host_clock);
  /* Zeroed, so that a field which a plugin forgot is empty, and not an older message's. */
  memset (taken->payload, 0, self->info.schema->size);
  *frame = taken;
  return taken->payload;
}

gpointer
acq_stream_begin (AcqStream *self, const AcqSchema *schema, AcqFrame **frame)
{
  if (G_UNLIKELY (schema != self->info.schema))
    g_error ("%s carries %s and not %s", self->path, self->info.schema->name, schema->name);
  return begin (self, 0, frame);
}

gpointer
acq_stream_begin_sized (AcqStream *self, const AcqSchema *schema, gsize tail_bytes,
                        AcqFrame **frame)
{
  if (G_UNLIKELY (schema != self->info.schema))
    g_error ("%s carries %s and not %s", self->path, self->info.schema->name, schema->name);
  if (G_UNLIKELY (tail_bytes > self->info.max_tail))
    g_error ("%s: a tail of %zu bytes, declared are at most %zu", self->path, tail_bytes,
             self->info.max_tail);
  return begin (self, tail_bytes, frame);
}

/* Pushing */

static inline void
add_relaxed (_Atomic guint64 *counter, guint64 n)
{
  /* One writer: a load and a store are enough, and cheaper than a locked add. */
  atomic_store_explicit (counter, atomic_load_explicit (counter, memory_order_relaxed) + n,
                         memory_order_relaxed);
}

static void
count_interval (AcqStream *self, gint64 host_ns)
{
  gint64 last = atomic_load_explicit (&self->last_ns, memory_order_relaxed);
  gint64 slot = host_ns / ACQ_STREAM_BIN_NS;
  AcqRateBin *bin = &self->bins[slot % ACQ_STREAM_N_BINS];

  if (bin->slot != slot) {
    atomic_store_explicit (&bin->slot, slot, memory_order_relaxed);
    atomic_store_explicit (&bin->count, 0, memory_order_relaxed);
    atomic_store_explicit (&bin->n_intervals, 0, memory_order_relaxed);
    atomic_store_explicit (&bin->sum, 0, memory_order_relaxed);
    atomic_store_explicit (&bin->sum_sq, 0, memory_order_relaxed);
  }
  atomic_store_explicit (&bin->count, bin->count + 1, memory_order_relaxed);
  if (last != 0) {
    double interval = (host_ns - last) * 1e-9;

    atomic_store_explicit (&bin->n_intervals, bin->n_intervals + 1, memory_order_relaxed);
    atomic_store_explicit (&bin->sum, bin->sum + interval, memory_order_relaxed);
    atomic_store_explicit (&bin->sum_sq, bin->sum_sq + interval * interval, memory_order_relaxed);
    if (host_ns - last > atomic_load_explicit (&self->max_gap_ns, memory_order_relaxed))
      atomic_store_explicit (&self->max_gap_ns, host_ns - last, memory_order_relaxed);
  } else
    atomic_store_explicit (&self->first_ns, host_ns, memory_order_relaxed);
  atomic_store_explicit (&self->last_ns, host_ns, memory_order_relaxed);
}

static void
tell_once (AcqStream *self, const AcqDeclaredCount *declared, guint32 count)
{
  gboolean fits = count <= declared->field->max;

  if (!self->count_warned)
    acq_node_notice (self->node, ACQ_EVENT_SEVERITY_WARNING, fits ? "count_mismatch" : "too_long",
                     "%s: a message has %u elements in '%s', %s %u; %s", self->path, count,
                     declared->path, fits ? "declared are" : "its type holds at most",
                     fits ? declared->count : declared->field->max,
                     fits ? "files of arrays leave such messages out" : "it is dropped");
  self->count_warned = TRUE;
}

/* Declared counts hold in every message. FALSE for a message that does not even fit its type. */
static gboolean
check_counts (AcqStream *self, AcqFrame *frame)
{
  for (guint i = 0; i < self->counts->len; i++) {
    const AcqDeclaredCount *declared = &g_array_index (self->counts, AcqDeclaredCount, i);
    guint32 count;

    memcpy (&count, frame->payload + declared->offset, sizeof count);
    if (G_LIKELY (count == declared->count))
      continue;
    if (count > declared->field->max) {
      tell_once (self, declared, count);
      return FALSE;
    }
    if (declared->count == ACQ_COUNT_ANY)
      continue;
    frame->flags |= ACQ_FRAME_SUSPECT;
    tell_once (self, declared, count);
  }
  return TRUE;
}

/* header.stamp: one meaning per stream and take, causal and monotone. */
static void
stamp (AcqStream *self, AcqFrame *frame)
{
  gint64 mapped = frame->host_ns;

  if (atomic_load_explicit (&self->mapped, memory_order_relaxed)) {
    gboolean failed = !(frame->flags & ACQ_FRAME_DEVICE_TIME) ||
                      !acq_clock_map (self->info.clock, frame->device_ns, &mapped);

    if (failed != self->map_failed)
      acq_node_notice (self->node, ACQ_EVENT_SEVERITY_WARNING,
                       failed ? "stamp_fallback" : "stamp_mapped",
                       failed ? "%s: the device clock is not locked; stamps are host time for now"
                              : "%s: the device clock is locked again; stamps are mapped",
                       self->path);
    self->map_failed = failed;
    mapped = MIN (mapped, frame->host_ns);
  }
  frame->stamp_ns = MAX (mapped, self->last_stamp_ns + 1);
  self->last_stamp_ns = frame->stamp_ns;
}

static void
update_links (AcqStream *self, guint generation)
{
  AcqLinkArray *old = self->links;

  self->links = acq_stream_ref_links (self);
  self->seen_generation = generation;
  acq_link_array_unref (old);
}

static void
keep_latched (AcqStream *self, AcqFrame *frame)
{
  AcqFrame *old;

  pthread_mutex_lock (&self->lock);
  old = self->latched;
  self->latched = acq_frame_ref (frame);
  pthread_mutex_unlock (&self->lock);
  if (old != NULL)
    acq_frame_unref (old);
}

/* The message is counted on every link, and stored nowhere. */
static void
push_nothing (AcqStream *self, AcqDropCause cause)
{
  for (guint i = 0; i < self->links->n; i++)
    acq_link_push_nothing (self->links->links[i], cause);
}

void
acq_stream_push (AcqStream *self, AcqFrame *frame, guint64 seq, guint64 device_ns)
{
  guint generation;
  guint n;

  if (G_UNLIKELY (!atomic_load_explicit (&self->published, memory_order_acquire)))
    acq_graph_publish_stream (acq_node_get_graph (self->node), self);
  generation = atomic_load_explicit (&self->generation, memory_order_acquire);
  if (G_UNLIKELY (generation != self->seen_generation))
    update_links (self, generation);
  if (G_UNLIKELY (atomic_load_explicit (&self->ended, memory_order_relaxed)))
    atomic_store_explicit (&self->ended, FALSE, memory_order_relaxed);

  frame->host_ns = MAX (frame->host_ns, self->last_host_ns + 1);
  count_interval (self, frame->host_ns);
  self->last_host_ns = frame->host_ns;
  self->counter++;
  frame->seq = self->info.has_sequence ? seq : self->counter;
  frame->device_ns = device_ns;
  add_relaxed (&self->frames, 1);
  add_relaxed (&self->bytes, frame->size);
  if (self->info.has_sequence)
    frame->flags |= ACQ_FRAME_SEQUENCE;
  if (device_ns != ACQ_TIME_NONE) {
    frame->flags |= ACQ_FRAME_DEVICE_TIME;
    if (self->info.clock != NULL)
      acq_clock_evidence (self->info.clock, device_ns, frame->host_ns, -1);
  }
  stamp (self, frame);
  if (G_UNLIKELY (frame->flags & ACQ_FRAME_SCRATCH)) {
    push_nothing (self, ACQ_DROP_MEMORY);
    return;
  }
  if (G_UNLIKELY (!check_counts (self, frame))) {
    push_nothing (self, ACQ_DROP_TOO_LONG);
    acq_frame_unref (frame);
    return;
  }
  n = self->links->n;
  atomic_store_explicit (&frame->refs, n + 1, memory_order_relaxed);
  if (G_UNLIKELY (self->info.latched))
    keep_latched (self, frame);
  for (guint i = 0; i < n; i++)
    acq_link_push (self->links->links[i], frame);
  acq_frame_unref (frame);
}

void
acq_stream_end (AcqStream *self)
{
  AcqLinkArray *links = acq_stream_ref_links (self);

  atomic_store (&self->ended, TRUE);
  for (guint i = 0; i < links->n; i++)
    acq_link_set_ended (links->links[i], TRUE);
  acq_link_array_unref (links);
}

void
acq_stream_count (AcqStream *self, AcqStreamCounter counter, guint64 n)
{
  add_relaxed (&self->n[counter], n);
}

void
acq_stream_window (AcqStream *self, gint64 now_ns, double *ret_rate, double *ret_jitter)
{
  gint64 last_slot = now_ns / ACQ_STREAM_BIN_NS - 1; /* the newest whole one */
  gint64 first_slot = last_slot - 9;
  gint64 start_ns = MAX (first_slot * ACQ_STREAM_BIN_NS, self->first_ns);
  double seconds = ((last_slot + 1) * ACQ_STREAM_BIN_NS - start_ns) * 1e-9;
  guint count = 0, n = 0;
  double sum = 0, sum_sq = 0;

  for (int i = 0; i < ACQ_STREAM_N_BINS; i++) {
    AcqRateBin *bin = &self->bins[i];

    if (bin->slot < first_slot || bin->slot > last_slot)
      continue;
    count += bin->count;
    n += bin->n_intervals;
    sum += bin->sum;
    sum_sq += bin->sum_sq;
  }
  *ret_rate = seconds > 0 ? count / seconds : 0;
  *ret_jitter = n > 1 ? sqrt (MAX (0, (sum_sq - sum * sum / n) / (n - 1))) : 0;
}
