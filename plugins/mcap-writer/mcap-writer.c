/* SPDX-License-Identifier: Apache-2.0 */

/**
 * mcap-writer: one MCAP file for each take, with every stream at its full rate.
 *
 * Messages are CDR with `ros2msg` schemas, so Foxglove, ROS 2 and the libraries
 * of other languages read them. `log_time` is host time, `publish_time` the
 * device's own. Metadata say what the numbers mean, who recorded, and where every
 * frame went; pipeline file and calibrations are attachments.
 *
 * Threads: the slots run on the sink's thread, which encodes. Workers of the
 * writer compress, compute checksums and write; they settle the frames. A thread
 * of its own waits for the disk. finish() runs on a thread of its own, beside the
 * next take.
 */

#include "mcap-file.h"

#define MCAP_TYPE_WRITER (mcap_writer_get_type ())
G_DECLARE_FINAL_TYPE (McapWriter, mcap_writer, MCAP, WRITER, AcqSink)

struct _McapWriter {
  AcqSink parent_instance;

  /* Options. */
  int compression; /* AcqMcapCompression */
  gint64 level;
  guint64 chunk_size;
  gint64 flush_interval_ms;
  gint64 workers;
  gboolean data_crc;
  gboolean rosbag2_metadata;
  gboolean discard;

  /* State: the sink's thread. */
  McapFile *file; /* (nullable): of the take that goes on */
};

G_DEFINE_FINAL_TYPE (McapWriter, mcap_writer, ACQ_TYPE_SINK)

static const char *const compressions[] = { "none", "lz4", "zstd", NULL };

static const AcqOption options[] = {
  { "compression", ACQ_FIELD_ENUM (McapWriter, compression, compressions),
    .def = ACQ_MCAP_COMPRESSION_LZ4, .help = "How chunks are stored" },
  { "level", ACQ_FIELD_INT (McapWriter, level), .def = 0, .min = -100, .max = 22,
    .help = "Of the compression: 0 is lz4's fast mode and zstd's default; from 3 on lz4 is slow" },
  { "chunk-size", ACQ_FIELD_BYTES (McapWriter, chunk_size), .def = 1024 * 1024, .min = 1024,
    .max = 256 * 1024 * 1024, .unit = "B",
    .help = "Messages are compressed and indexed in chunks of this size" },
  { "flush-interval-ms", ACQ_FIELD_INT (McapWriter, flush_interval_ms), .def = 1000, .min = 10,
    .max = 60000, .unit = "ms",
    .help = "How much a crash may cost: from receipt of a message until the system has it" },
  { "workers", ACQ_FIELD_INT (McapWriter, workers), .def = 1, .min = 1, .max = 16,
    .help = "Threads that compress and write", .flags = ACQ_OPTION_ADVANCED },
  { "data-crc", ACQ_FIELD_BOOL (McapWriter, data_crc), .def = TRUE,
    .help = "A checksum over all data, beside that of each chunk", .flags = ACQ_OPTION_ADVANCED },
  { "rosbag2-metadata", ACQ_FIELD_BOOL (McapWriter, rosbag2_metadata), .def = FALSE,
    .help = "A metadata.yaml beside the file, which makes its folder a bag of ROS 2" },
  { "discard", ACQ_FIELD_BOOL (McapWriter, discard), .def = FALSE,
    .help = "Does everything but keep the file: for measurements", .flags = ACQ_OPTION_ADVANCED },
};

static McapSettings
make_settings (McapWriter *self)
{
  McapSettings settings = {
    .writer = ACQ_MCAP_WRITER_OPTIONS_INIT,
    .flush_ns = self->flush_interval_ms * 1000000,
    .rosbag2 = self->rosbag2_metadata && !self->discard,
    .discard = self->discard,
  };

  settings.writer.profile = "ros2";
  settings.writer.compression = self->compression;
  settings.writer.level = (int) self->level;
  settings.writer.chunk_size = self->chunk_size;
  settings.writer.workers = (guint) self->workers;
  settings.writer.sync_interval_ms = (guint) self->flush_interval_ms;
  if (!self->data_crc)
    settings.writer.parts &= ~ACQ_MCAP_PART_DATA_CRC;
  return settings;
}

/* The levels of a compression are its library's to know. */
static gboolean
mcap_writer_check (AcqNode *node, GError **error)
{
  AcqMcapWriterOptions trial = make_settings (MCAP_WRITER (node)).writer;
  g_autoptr (AcqMcapWriter) writer = NULL;

  trial.workers = 0;
  trial.sync_interval_ms = 0;
  writer = acq_mcap_writer_new (acq_mcap_output_new_null (), &trial, error);
  return writer != NULL;
}

static gboolean
mcap_writer_add_link (AcqSink *sink, AcqLink *link, GError **error)
{
  McapWriter *self = MCAP_WRITER (sink);

  return self->file == NULL || mcap_file_add_link (self->file, link, error);
}

static gboolean
mcap_writer_begin (AcqSink *sink, AcqTake *take, GError **error)
{
  McapWriter *self = MCAP_WRITER (sink);
  McapSettings settings = make_settings (self);

  if (self->discard)
    acq_node_notice (ACQ_NODE (sink), ACQ_EVENT_SEVERITY_WARNING, "discard",
                     "nothing is recorded: the option 'discard' is set");
  self->file = mcap_file_new (sink, take, &settings, error);
  return self->file != NULL;
}

static gboolean
mcap_writer_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  return mcap_file_write (MCAP_WRITER (sink)->file, items, n, error);
}

static gboolean
mcap_writer_tick (AcqSink *sink, gint64 now_ns, GError **error)
{
  McapWriter *self = MCAP_WRITER (sink);

  return self->file == NULL || mcap_file_tick (self->file, now_ns, error);
}

static gboolean
finish (AcqTake *take, gpointer data, GError **error)
{
  return mcap_file_finish (data, error);
}

static gboolean
mcap_writer_end (AcqSink *sink, AcqTake *take, GError **error)
{
  McapWriter *self = MCAP_WRITER (sink);

  if (self->file == NULL)
    return TRUE; /* it never began */
  mcap_file_end (self->file);
  acq_sink_set_finish_job (sink, finish, g_steal_pointer (&self->file),
                           (GDestroyNotify) mcap_file_free);
  return TRUE;
}

static void
mcap_writer_close (AcqNode *node)
{
  g_clear_pointer (&MCAP_WRITER (node)->file, mcap_file_free);
}

static void
mcap_writer_class_init (McapWriterClass *klass)
{
  AcqNodeClass *node_class = ACQ_NODE_CLASS (klass);
  AcqSinkClass *sink_class = ACQ_SINK_CLASS (klass);

  node_class->check = mcap_writer_check;
  node_class->close = mcap_writer_close;
  sink_class->add_link = mcap_writer_add_link;
  sink_class->begin = mcap_writer_begin;
  sink_class->write = mcap_writer_write;
  sink_class->tick = mcap_writer_tick;
  sink_class->end = mcap_writer_end;
  sink_class->max_latency_ms = 10;
  sink_class->queue_seconds = 30;
  sink_class->engine_streams = TRUE;
  acq_node_class_add_options (node_class, options, G_N_ELEMENTS (options));
}

static void
mcap_writer_init (McapWriter *self)
{
}

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "mcap-writer",
  .summary = "Every stream at its full rate into an MCAP file, for Foxglove, ROS 2 and Python",
  .version = ACQ_VERSION,
  .licence = "Apache-2.0",
  .get_type = mcap_writer_get_type,
};
