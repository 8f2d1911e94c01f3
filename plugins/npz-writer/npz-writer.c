/* SPDX-License-Identifier: Apache-2.0 */

/**
 * npz-writer: one NPZ file for each take, with an array for every field.
 *
 * `numpy.load (path, allow_pickle=False)` opens it. Shapes come from the counts
 * that a stream declares, so a hand skeleton is one array (T, 21, 7). Keys are
 * `<node>__<stream>` or `<node>__<stream>.<field>`, with three columns of time
 * each, and `meta`, a JSON text that says what everything is.
 *
 * During the take every stream is a table in `<file>.spool/`, an .npy file of its
 * own that NumPy opens at any moment; at the end the tables are taken apart into
 * the arrays of the archive. A crash leaves the spool, and acq-recover finishes it.
 *
 * Threads: the slots run on the sink's thread, which fills rows in memory and
 * writes them in blocks. finish() runs on a thread of its own, beside the next
 * take.
 */

#include "npz-names.h"
#include "npz-take.h"

#define NPZ_TYPE_WRITER (npz_writer_get_type ())
G_DECLARE_FINAL_TYPE (NpzWriter, npz_writer, NPZ, WRITER, AcqSink)

struct _NpzWriter {
  AcqSink parent_instance;

  /* Options. */
  int compression; /* index of compressions[] */
  gint64 flush_interval_ms;
  char **device_names;

  /* State: the sink's thread. */
  NpzTake *take; /* (nullable): the one that goes on */
};

G_DEFINE_FINAL_TYPE (NpzWriter, npz_writer, ACQ_TYPE_SINK)

static const char *const compressions[] = { "none", "deflate", NULL };
static const AcqZipMethod methods[] = { ACQ_ZIP_STORED, ACQ_ZIP_DEFLATED };

static const AcqOption options[] = {
  { "compression", ACQ_FIELD_ENUM (NpzWriter, compression, compressions), .def = 0,
    .help = "How arrays are kept: deflate is about a third of the size and slower to load" },
  { "device-names", ACQ_FIELD_STRV (NpzWriter, device_names),
    .help = "What nodes are called in the keys, for example [\"left_glove=glove_0\"]" },
  { "flush-interval-ms", ACQ_FIELD_INT (NpzWriter, flush_interval_ms), .def = 1000, .min = 10,
    .max = 60000, .unit = "ms",
    .help = "How much a crash may cost: from receipt of a message until the system has it" },
};

static gboolean
npz_writer_check (AcqNode *node, GError **error)
{
  return npz_names_check (NPZ_WRITER (node)->device_names, error);
}

/* Before any device is touched: sinks open first. */
static gboolean
npz_writer_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  return npz_names_check_nodes (NPZ_WRITER (node)->device_names, acq_node_get_graph (node), error);
}

/* A slot that fails is the sink's last: file and ledger are made to agree first. */
static gboolean
checked (NpzWriter *self, gboolean ok)
{
  if (!ok)
    npz_take_rescue (self->take);
  return ok;
}

static gboolean
npz_writer_add_link (AcqSink *sink, AcqLink *link, GError **error)
{
  NpzWriter *self = NPZ_WRITER (sink);

  return self->take == NULL || checked (self, npz_take_add_link (self->take, link, error));
}

static gboolean
npz_writer_begin (AcqSink *sink, AcqTake *take, GError **error)
{
  NpzWriter *self = NPZ_WRITER (sink);
  NpzSettings settings = { .method = methods[self->compression],
                           .flush_ns = self->flush_interval_ms * 1000000,
                           .device_names = self->device_names };

  self->take = npz_take_new (sink, take, &settings, error);
  return self->take != NULL;
}

static gboolean
npz_writer_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  NpzWriter *self = NPZ_WRITER (sink);

  return checked (self, npz_take_write (self->take, items, n, error));
}

static gboolean
npz_writer_tick (AcqSink *sink, gint64 now_ns, GError **error)
{
  NpzWriter *self = NPZ_WRITER (sink);

  return self->take == NULL || checked (self, npz_take_tick (self->take, now_ns, error));
}

static gboolean
finish (AcqTake *take, gpointer data, GError **error)
{
  return npz_take_finish (data, error);
}

static gboolean
npz_writer_end (AcqSink *sink, AcqTake *take, GError **error)
{
  NpzWriter *self = NPZ_WRITER (sink);
  gboolean ok;

  if (self->take == NULL)
    return TRUE; /* it never began */
  ok = npz_take_end (self->take, error);
  acq_sink_set_finish_job (sink, finish, g_steal_pointer (&self->take),
                           (GDestroyNotify) npz_take_free);
  return ok;
}

static void
npz_writer_close (AcqNode *node)
{
  g_clear_pointer (&NPZ_WRITER (node)->take, npz_take_free);
}

static void
npz_writer_class_init (NpzWriterClass *klass)
{
  AcqNodeClass *node_class = ACQ_NODE_CLASS (klass);
  AcqSinkClass *sink_class = ACQ_SINK_CLASS (klass);

  node_class->check = npz_writer_check;
  node_class->open = npz_writer_open;
  node_class->close = npz_writer_close;
  sink_class->add_link = npz_writer_add_link;
  sink_class->begin = npz_writer_begin;
  sink_class->write = npz_writer_write;
  sink_class->tick = npz_writer_tick;
  sink_class->end = npz_writer_end;
  sink_class->max_latency_ms = 50;
  sink_class->queue_seconds = 30;
  acq_node_class_add_options (node_class, options, G_N_ELEMENTS (options));
}

static void
npz_writer_init (NpzWriter *self)
{
}

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "npz-writer",
  .summary = "Every field of every stream as an array in an NPZ file, for NumPy",
  .version = ACQ_VERSION,
  .licence = "Apache-2.0",
  .get_type = npz_writer_get_type,
};
