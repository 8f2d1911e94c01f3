/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number-sink: keeps numbers in a file, and fails in every way that a sink can
 *
 * `<base>.numbers` is one float64 for each frame, in order.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <gmodule.h>

#include <acq/acq.h>

enum { FAULT_NONE, FAULT_OPEN_FAILS, FAULT_FAILS, FAULT_NO_SPACE, FAULT_HANGS };

static const char *const fault_words[] = {
  "none", "open-fails", "fails", "no-space", "hangs", NULL
};

struct _NumberSink {
  AcqSink parent;

  /* options */
  int fault;
  gint64 at;
  gint64 delay;
  guint64 free_bytes;

  /* the sink's thread */
  AcqPartFile *file;
  guint64 frames;
};

G_DECLARE_FINAL_TYPE (NumberSink, number_sink, NUMBER, SINK, AcqSink)
G_DEFINE_TYPE (NumberSink, number_sink, ACQ_TYPE_SINK)

static const AcqOption options[] = {
  { "fault", ACQ_FIELD_ENUM (NumberSink, fault, fault_words), .help = "What does not work" },
  { "at", ACQ_FIELD_INT (NumberSink, at), .def = 1, .min = 1, .max = 1e9,
    .help = "The frame at which it fails" },
  { "delay", ACQ_FIELD_DURATION (NumberSink, delay), .def = 0, .min = 0, .max = 60,
    .help = "How long each batch takes" },
  { "free", ACQ_FIELD_BYTES (NumberSink, free_bytes), .def = 0,
    .help = "What it says is left on its disk" },
};

static gboolean
number_sink_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  if (NUMBER_SINK (node)->fault != FAULT_OPEN_FAILS)
    return TRUE;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "there is no paper");
  return FALSE;
}

static gboolean
number_sink_begin (AcqSink *sink, AcqTake *take, GError **error)
{
  NumberSink *self = NUMBER_SINK (sink);
  g_autofree char *path = acq_take_path_for (take, sink, ".numbers");

  self->file = acq_part_file_new (path, ACQ_PART_FILE_NEW, error);
  self->frames = 0;
  return self->file != NULL;
}

static gboolean
write_number (NumberSink *self, double number, GError **error)
{
  gssize n = pwrite (acq_part_file_get_fd (self->file), &number, sizeof number,
                     (off_t) (self->frames * sizeof number));

  if (n == sizeof number)
    return TRUE;
  acq_set_error_errno (error, n < 0 ? errno : ENOSPC, "writing %s",
                       acq_part_file_get_part_path (self->file));
  return FALSE;
}

/* The `at`-th frame is where it happens. */
static gboolean
misbehave (NumberSink *self, GError **error)
{
  if (self->frames + 1 < (guint64) self->at)
    return TRUE;
  while (self->fault == FAULT_HANGS)
    sleep (1);
  if (self->fault == FAULT_FAILS)
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "the pen broke");
  if (self->fault == FAULT_NO_SPACE)
    acq_set_error_errno (error, ENOSPC, "writing");
  return self->fault == FAULT_NONE;
}

static gboolean
number_sink_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  NumberSink *self = NUMBER_SINK (sink);
  AcqSinkProgress progress = { 0 };

  if (self->delay > 0)
    g_usleep ((gulong) (self->delay / 1000));
  for (guint i = 0; i < n; i++) {
    const AcqIlluminance *msg = (const AcqIlluminance *) items[i].frame->payload;

    if (!misbehave (self, error) || !write_number (self, msg->illuminance, error))
      return FALSE;
    self->frames++;
    acq_link_settle_written (items[i].link, 1);
  }
  progress.bytes = self->frames * sizeof (double);
  progress.free_bytes = self->free_bytes;
  acq_sink_set_progress (sink, &progress);
  return TRUE;
}

static gboolean
number_sink_end (AcqSink *sink, AcqTake *take, GError **error)
{
  NumberSink *self = NUMBER_SINK (sink);
  AcqPartFile *file = g_steal_pointer (&self->file);
  gboolean ok;

  if (file == NULL)
    return TRUE;
  ok = acq_part_file_publish (file, error);
  if (ok)
    acq_take_add_file (take, sink, acq_part_file_get_path (file), self->frames * sizeof (double));
  acq_part_file_free (file);
  return ok;
}

static void
number_sink_class_init (NumberSinkClass *klass)
{
  AcqSinkClass *sink_class = ACQ_SINK_CLASS (klass);

  ACQ_NODE_CLASS (klass)->open = number_sink_open;
  sink_class->begin = number_sink_begin;
  sink_class->write = number_sink_write;
  sink_class->end = number_sink_end;
  sink_class->max_latency_ms = 20;
  acq_node_class_add_options (ACQ_NODE_CLASS (klass), options, G_N_ELEMENTS (options));
}

static void
number_sink_init (NumberSink *self)
{
}

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "number-sink",
  .summary = "Keeps numbers; for tests",
  .version = "1.0",
  .licence = "Apache-2.0",
  .get_type = number_sink_get_type,
};
