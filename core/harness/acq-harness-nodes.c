/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/acq-harness-nodes-private.h"

#include <pthread.h>

typedef struct {
  AcqSource parent_instance;
} AcqHarnessSource;

typedef struct {
  AcqSourceClass parent_class;
} AcqHarnessSourceClass;

G_DEFINE_TYPE (AcqHarnessSource, acq_harness_source, ACQ_TYPE_SOURCE)

static void
acq_harness_source_class_init (AcqHarnessSourceClass *klass)
{
}

static void
acq_harness_source_init (AcqHarnessSource *self)
{
}

typedef struct {
  GQueue frames;
  guint count;
} Collected;

typedef struct {
  AcqSink parent_instance;
  pthread_mutex_t lock;
  GHashTable *streams; /* under lock: path → Collected */
} AcqHarnessSink;

typedef struct {
  AcqSinkClass parent_class;
} AcqHarnessSinkClass;

G_DEFINE_TYPE (AcqHarnessSink, acq_harness_sink, ACQ_TYPE_SINK)

static void
free_collected (gpointer data)
{
  Collected *self = data;

  g_queue_clear_full (&self->frames, (GDestroyNotify) acq_frame_unref);
  g_free (self);
}

static Collected *
collected (AcqHarnessSink *self, const char *path)
{
  Collected *found = g_hash_table_lookup (self->streams, path);

  if (found == NULL) {
    found = g_new0 (Collected, 1);
    g_queue_init (&found->frames);
    g_hash_table_insert (self->streams, g_strdup (path), found);
  }
  return found;
}

static gboolean
acq_harness_sink_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  AcqHarnessSink *self = (AcqHarnessSink *) sink;

  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < n; i++) {
    Collected *list = collected (self, acq_stream_get_path (items[i].frame->stream));

    g_queue_push_tail (&list->frames, acq_frame_ref (items[i].frame));
    list->count++;
    acq_link_settle_written (items[i].link, 1);
  }
  pthread_mutex_unlock (&self->lock);
  return TRUE;
}

AcqFrame *
acq_harness_sink_pop (AcqSink *sink, const char *path)
{
  AcqHarnessSink *self = (AcqHarnessSink *) sink;
  AcqFrame *frame;

  pthread_mutex_lock (&self->lock);
  frame = g_queue_pop_head (&collected (self, path)->frames);
  pthread_mutex_unlock (&self->lock);
  return frame;
}

guint
acq_harness_sink_count (AcqSink *sink, const char *path)
{
  AcqHarnessSink *self = (AcqHarnessSink *) sink;
  guint count;

  pthread_mutex_lock (&self->lock);
  count = collected (self, path)->count;
  pthread_mutex_unlock (&self->lock);
  return count;
}

static void
acq_harness_sink_finalize (GObject *object)
{
  AcqHarnessSink *self = (AcqHarnessSink *) object;

  g_hash_table_unref (self->streams);
  pthread_mutex_destroy (&self->lock);
  G_OBJECT_CLASS (acq_harness_sink_parent_class)->finalize (object);
}

static void
acq_harness_sink_class_init (AcqHarnessSinkClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acq_harness_sink_finalize;
  ACQ_SINK_CLASS (klass)->write = acq_harness_sink_write;
  ACQ_SINK_CLASS (klass)->max_latency_ms = 0;
  ACQ_SINK_CLASS (klass)->queue_seconds = 30;
}

static void
acq_harness_sink_init (AcqHarnessSink *self)
{
  pthread_mutex_init (&self->lock, NULL);
  self->streams = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_collected);
}
