/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What an MCAP file costs, beside the least that it can cost.
 *
 *   bench-mcap W1|W2 SECONDS DIRECTORY [CASE ...]    one round of all cases, or of some
 *   bench-mcap W1|W2 dump FILE                       the messages, for writers of others
 *
 * SECONDS are the workload's. Files are made in DIRECTORY and removed.
 * One line of JSON for each case:
 *
 *   copying            heads and payloads into 1 MiB, one CRC for each
 *   lz4, zstd          the libraries alone, one core, on the same chunks
 *   writer …           into /dev/null; "bytes" are encoded already, all others are frames
 */

#include "bench-common.h"
#include "rig.h"

#include <isa-l/crc.h>
#include <lz4frame.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define CHUNK (1024 * 1024)
#define START G_GUINT64_CONSTANT (1700000000000000000)

typedef struct {
  double wall;
  double cpu;
} Cost;

typedef enum {
  LEAST = 1 << 0,   /* no writer, but what none can do without */
  ENCODED = 1 << 1, /* messages are bytes already */
  TO_FILE = 1 << 2,
} Flags;

typedef struct {
  const char *name;
  AcqMcapCompression compression;
  Flags flags;
  guint workers;
} Case;

static const Case cases[] = {
  { "copying", ACQ_MCAP_COMPRESSION_NONE, LEAST, 0 },
  { "writer none bytes", ACQ_MCAP_COMPRESSION_NONE, ENCODED, 1 },
  { "writer none", ACQ_MCAP_COMPRESSION_NONE, 0, 1 },
  { "writer none inline", ACQ_MCAP_COMPRESSION_NONE, 0, 0 },
  { "writer none file", ACQ_MCAP_COMPRESSION_NONE, TO_FILE, 1 },
  { "lz4", ACQ_MCAP_COMPRESSION_LZ4, LEAST, 0 },
  { "writer lz4 1", ACQ_MCAP_COMPRESSION_LZ4, 0, 1 },
  { "writer lz4 2", ACQ_MCAP_COMPRESSION_LZ4, 0, 2 },
  { "writer lz4 file", ACQ_MCAP_COMPRESSION_LZ4, TO_FILE, 2 },
  { "zstd", ACQ_MCAP_COMPRESSION_ZSTD, LEAST, 0 },
  { "writer zstd 1", ACQ_MCAP_COMPRESSION_ZSTD, 0, 1 },
  { "writer zstd 2", ACQ_MCAP_COMPRESSION_ZSTD, 0, 2 },
  { "writer zstd file", ACQ_MCAP_COMPRESSION_ZSTD, TO_FILE, 2 },
};

static Cost
cost_begin (void)
{
  return (Cost){ bench_now_ns () * 1e-9, bench_cpu_s () };
}

static Cost
cost_end (Cost begin)
{
  return (Cost){ bench_now_ns () * 1e-9 - begin.wall, bench_cpu_s () - begin.cpu };
}

static guint64
message_time (const Rig *rig, guint turn, const RigMessage *message)
{
  return START + turn * rig->stretch_ms * G_GUINT64_CONSTANT (1000000) +
         message->offset_us * 1000ul;
}

static void
take_crc (const guint8 *data, gsize size, gpointer user_data)
{
  *(guint32 *) user_data ^= crc32_gzip_refl (0, data, size);
}

/* --- the least ---------------------------------------------------------- */

/* Called for each full chunk of heads and payloads. */
typedef void (*ChunkFunc) (const guint8 *data, gsize size, gpointer user_data);

/* Heads as they are in a file: times and numbers cost a compressor something. */
static void
make_head (guint8 *head, const RigMessage *message, guint32 sequence, guint64 time)
{
  guint64 size = ACQ_MCAP_MESSAGE_HEAD_SIZE - ACQ_MCAP_FRAMING_SIZE + message->cdr_size;

  memcpy (head + 1, &size, 8);
  memcpy (head + 9, &message->channel, 2);
  memcpy (head + 11, &sequence, 4);
  memcpy (head + 15, &time, 8);
  memcpy (head + 23, &time, 8);
}

static void
fill_chunks (const Rig *rig, guint turns, ChunkFunc func, gpointer user_data)
{
  guint8 head[ACQ_MCAP_MESSAGE_HEAD_SIZE] = { ACQ_MCAP_MESSAGE };
  g_autofree guint8 *chunk = g_malloc (CHUNK);
  gsize size = 0;

  for (guint turn = 0; turn < turns; turn++)
    for (guint i = 0; i < rig->n_messages; i++) {
      const RigMessage *message = &rig->messages[i];

      if (size + sizeof head + message->cdr_size > CHUNK) {
        func (chunk, size, user_data);
        size = 0;
      }
      if (func != take_crc) /* that case only copies */
        make_head (head, message, i, message_time (rig, turn, message));
      memcpy (chunk + size, head, sizeof head);
      memcpy (chunk + size + sizeof head, message->cdr, message->cdr_size);
      size += sizeof head + message->cdr_size;
    }
  func (chunk, size, user_data);
}

typedef struct {
  AcqMcapCompression compression;
  guint8 *out;
  gsize capacity;
  ZSTD_CCtx *zstd;
  Cost sum;
} Library;

static void
take_library (const guint8 *data, gsize size, gpointer user_data)
{
  Library *library = user_data;
  LZ4F_preferences_t preferences = { .frameInfo = { .contentSize = size } };
  Cost begin = cost_begin (), cost;

  if (library->compression == ACQ_MCAP_COMPRESSION_LZ4)
    LZ4F_compressFrame (library->out, library->capacity, data, size, &preferences);
  else
    ZSTD_compressCCtx (library->zstd, library->out, library->capacity, data, size, 1);
  cost = cost_end (begin);
  library->sum.wall += cost.wall;
  library->sum.cpu += cost.cpu;
}

static Cost
run_least (const Case *one, const Rig *rig, guint turns)
{
  guint32 crc = 0;
  Library library = {
    one->compression, g_malloc (2 * CHUNK), 2 * CHUNK, ZSTD_createCCtx (), { 0, 0 }
  };
  Cost begin = cost_begin (), cost;

  if (one->compression == ACQ_MCAP_COMPRESSION_NONE)
    fill_chunks (rig, turns, take_crc, &crc);
  else
    fill_chunks (rig, turns, take_library, &library);
  cost = one->compression == ACQ_MCAP_COMPRESSION_NONE ? cost_end (begin) : library.sum;
  ZSTD_freeCCtx (library.zstd);
  g_free (library.out);
  return cost;
}

/* --- the writer --------------------------------------------------------- */

static void
declare (AcqMcapWriter *writer, const Rig *rig)
{
  AcqMcapSchema schema = { 1, acq_mcap_text ("a/msg/A"), acq_mcap_text ("ros2msg"),
                           acq_mcap_text ("uint8 x\n") };

  acq_mcap_writer_add_schema (writer, &schema, NULL);
  for (guint i = 0; i < rig->n_channels; i++) {
    g_autofree char *topic = g_strdup_printf ("/%u", i);
    AcqMcapChannel channel = { i, 1, acq_mcap_text (topic), acq_mcap_text ("cdr") };
    acq_mcap_writer_add_channel (writer, &channel, NULL, NULL);
  }
}

static void
write_bytes (AcqMcapWriter *writer, const Rig *rig, guint turns)
{
  for (guint turn = 0; turn < turns; turn++)
    for (guint i = 0; i < rig->n_messages; i++) {
      const RigMessage *from = &rig->messages[i];
      guint64 time = message_time (rig, turn, from);
      AcqMcapMessage message = { from->channel, i, time, time, { from->cdr, from->cdr_size } };
      acq_mcap_writer_add_message (writer, &message, NULL);
    }
}

static void
write_frames (AcqMcapWriter *writer, const Rig *rig, guint turns)
{
  for (guint turn = 0; turn < turns; turn++)
    for (guint i = 0; i < rig->n_messages; i++) {
      const RigMessage *from = &rig->messages[i];
      guint64 time = message_time (rig, turn, from);
      guint8 *out = acq_mcap_writer_begin (writer, from->channel, from->bound, NULL);

      acq_mcap_writer_commit (writer, acq_cdr_encode (&from->input, out), i, time, time);
    }
}

static Cost
run_writer (const Case *one, const Rig *rig, guint turns, const char *path, guint64 *ret_bytes)
{
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  Cost begin = cost_begin ();
  AcqMcapOutput *output = acq_mcap_output_new_for_path (path, &error);
  g_autoptr (AcqMcapWriter) writer = NULL;

  options.compression = one->compression;
  options.level = one->compression == ACQ_MCAP_COMPRESSION_ZSTD ? 1 : 0;
  options.workers = one->workers;
  writer = output != NULL ? acq_mcap_writer_new (output, &options, &error) : NULL;
  if (writer == NULL)
    g_error ("%s", error->message);
  declare (writer, rig);
  if (one->flags & ENCODED)
    write_bytes (writer, rig, turns);
  else
    write_frames (writer, rig, turns);
  if (!acq_mcap_writer_finish (writer, &error))
    g_error ("%s", error->message);
  *ret_bytes = acq_mcap_writer_get_size (writer);
  return cost_end (begin);
}

static void
run (const Case *one, const Rig *rig, guint turns, const char *directory)
{
  g_autofree char *file = g_build_filename (directory, "bench.mcap", NULL);
  guint64 written = 0;
  Cost cost;

  if (one->flags & LEAST)
    cost = run_least (one, rig, turns);
  else
    cost = run_writer (one, rig, turns, one->flags & TO_FILE ? file : "/dev/null", &written);
  unlink (file);
  printf ("{\"case\":\"%s\",\"messages\":%" G_GUINT64_FORMAT ",\"bytes\":%" G_GUINT64_FORMAT
          ",\"written\":%" G_GUINT64_FORMAT ",\"wall_s\":%.6f,\"cpu_s\":%.6f}\n",
          one->name, (guint64) rig->n_messages * turns, rig->bytes * turns, written, cost.wall,
          cost.cpu);
  fflush (stdout);
}

/* --- for others --------------------------------------------------------- */

/*
 * Little-endian u32: channels, messages, milliseconds of the stretch; then for each
 * message of it: channel, offset in microseconds, size, and its bytes.
 */
static void
dump (const Rig *rig, const char *path)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  guint32 head[3] = { rig->n_channels, rig->n_messages, rig->stretch_ms };

  g_byte_array_append (out, (guint8 *) head, sizeof head);
  for (guint i = 0; i < rig->n_messages; i++) {
    const RigMessage *message = &rig->messages[i];

    head[0] = message->channel;
    head[1] = message->offset_us;
    head[2] = (guint32) message->cdr_size;
    g_byte_array_append (out, (guint8 *) head, sizeof head);
    g_byte_array_append (out, message->cdr, (guint) message->cdr_size);
  }
  if (!g_file_set_contents (path, (char *) out->data, out->len, NULL))
    g_error ("cannot write %s", path);
}

static gboolean
is_wanted (const Case *one, char *const *names)
{
  return *names == NULL || g_strv_contains ((const char *const *) names, one->name);
}

int
main (int argc, char **argv)
{
  g_autoptr (Rig) rig = NULL;
  guint seconds;

  if (argc < 4) {
    g_printerr ("usage: bench-mcap W1|W2 SECONDS DIRECTORY [CASE ...]\n"
                "       bench-mcap W1|W2 dump FILE\n");
    return 2;
  }
  rig = g_str_equal (argv[1], "W2") ? rig_new_w2 () : rig_new_w1 ();
  if (g_str_equal (argv[2], "dump")) {
    dump (rig, argv[3]);
    return 0;
  }
  seconds = (guint) g_ascii_strtoull (argv[2], NULL, 10);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    if (is_wanted (&cases[i], argv + 4))
      run (&cases[i], rig, seconds * 1000 / rig->stretch_ms, argv[3]);
  return 0;
}
