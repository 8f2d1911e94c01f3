/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What an MCAP file costs, beside the least that it can cost.
 *
 *   copy+crc   heads and payloads copied into 1 MiB, one CRC for each
 *   lz4, zstd  the libraries alone, one core, on the same chunks
 *   writer     into /dev/null; "bytes" are encoded already, "cdr" are frames
 *
 * Rounds go through all cases in turn; each row is a median. Ratios are of CPU
 * time for copy+crc, of throughput for the libraries.
 *
 *   bench-mcap [ROUNDS [SECONDS [CASE]]]
 *
 * CASE is the number of one case, to look at it with a profiler.
 *
 *   bench-mcap dump DIRECTORY
 *
 * writes what is gone through, again and again, for peers in other languages, as
 * W1.bin and W2.bin: for each message u16 channel, u32 offset in us, u32 size,
 * bytes, all little endian.
 */

#include "mcap-rig.h"

#include <isa-l/crc.h>
#include <lz4frame.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#define CHUNK (1024 * 1024)
#define MAX_ROUNDS 15
#define START G_GUINT64_CONSTANT (1700000000000000000)

typedef struct {
  double wall;
  double cpu;
} Cost;

typedef struct {
  const char *name;
  AcqMcapCompression compression;
  gboolean is_writer;
  gboolean encodes;
  guint workers;
  int baseline; /* index of the case to compare with; -1 for none */
} Case;

static const Case cases[] = {
  { "copy+crc", 0, FALSE, FALSE, 0, -1 },
  { "writer none, bytes", ACQ_MCAP_COMPRESSION_NONE, TRUE, FALSE, 1, 0 },
  { "writer none, cdr", ACQ_MCAP_COMPRESSION_NONE, TRUE, TRUE, 1, 0 },
  { "writer none, cdr, in line", ACQ_MCAP_COMPRESSION_NONE, TRUE, TRUE, 0, 0 },
  { "lz4 library", ACQ_MCAP_COMPRESSION_LZ4, FALSE, FALSE, 0, -1 },
  { "writer lz4, cdr, 1 worker", ACQ_MCAP_COMPRESSION_LZ4, TRUE, TRUE, 1, 4 },
  { "writer lz4, cdr, 2 workers", ACQ_MCAP_COMPRESSION_LZ4, TRUE, TRUE, 2, 4 },
  { "zstd 1 library", ACQ_MCAP_COMPRESSION_ZSTD, FALSE, FALSE, 0, -1 },
  { "writer zstd 1, cdr, 1 worker", ACQ_MCAP_COMPRESSION_ZSTD, TRUE, TRUE, 1, 7 },
  { "writer zstd 1, cdr, 2 workers", ACQ_MCAP_COMPRESSION_ZSTD, TRUE, TRUE, 2, 7 },
};

static double
read_clock (clockid_t id)
{
  struct timespec time;

  clock_gettime (id, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static Cost
cost_begin (void)
{
  return (Cost){ read_clock (CLOCK_MONOTONIC), read_clock (CLOCK_PROCESS_CPUTIME_ID) };
}

static Cost
cost_end (Cost begin)
{
  return (Cost){ read_clock (CLOCK_MONOTONIC) - begin.wall,
                 read_clock (CLOCK_PROCESS_CPUTIME_ID) - begin.cpu };
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
  double in;
  double packed;
} Library;

static double ratios[ACQ_MCAP_COMPRESSION_ZSTD + 1]; /* of the last workload */

static void
take_library (const guint8 *data, gsize size, gpointer user_data)
{
  Library *library = user_data;
  LZ4F_preferences_t preferences = { .frameInfo = { .contentSize = size } };
  Cost begin = cost_begin (), cost;
  gsize packed;

  if (library->compression == ACQ_MCAP_COMPRESSION_LZ4)
    packed = LZ4F_compressFrame (library->out, library->capacity, data, size, &preferences);
  else
    packed = ZSTD_compressCCtx (library->zstd, library->out, library->capacity, data, size, 1);
  cost = cost_end (begin);
  library->sum.wall += cost.wall;
  library->sum.cpu += cost.cpu;
  library->in += size;
  library->packed += packed;
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
  ratios[one->compression] = library.in / library.packed;
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
      guint8 *out =
          acq_mcap_writer_begin (writer, from->channel, acq_cdr_bound (&from->input), NULL);
      acq_mcap_writer_commit (writer, acq_cdr_encode (&from->input, out), i, time, time);
    }
}

static Cost
run_writer (const Case *one, const Rig *rig, guint turns)
{
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  Cost begin = cost_begin ();
  AcqMcapOutput *output = acq_mcap_output_new_for_path ("/dev/null", &error);
  g_autoptr (AcqMcapWriter) writer = NULL;

  options.compression = one->compression;
  options.level = one->compression == ACQ_MCAP_COMPRESSION_ZSTD ? 1 : 0;
  options.workers = one->workers;
  writer = acq_mcap_writer_new (output, &options, &error);
  if (writer == NULL)
    g_error ("%s", error->message);
  declare (writer, rig);
  if (one->encodes)
    write_frames (writer, rig, turns);
  else
    write_bytes (writer, rig, turns);
  if (!acq_mcap_writer_finish (writer, &error))
    g_error ("%s", error->message);
  return cost_end (begin);
}

/* --- tables ------------------------------------------------------------- */

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static Cost
median (const Cost *costs, guint n)
{
  double wall[MAX_ROUNDS], cpu[MAX_ROUNDS];

  for (guint i = 0; i < n; i++) {
    wall[i] = costs[i].wall;
    cpu[i] = costs[i].cpu;
  }
  qsort (wall, n, sizeof *wall, compare);
  qsort (cpu, n, sizeof *cpu, compare);
  return (Cost){ wall[n / 2], cpu[n / 2] };
}

static void
run (const Rig *rig, guint rounds, guint seconds, int only)
{
  guint turns = seconds * 1000 / rig->stretch_ms;
  Cost costs[G_N_ELEMENTS (cases)][MAX_ROUNDS] = { 0 };
  double bytes = (double) rig->bytes * turns, messages = (double) rig->n_messages * turns;

  for (guint round = 0; round < rounds; round++)
    for (int i = 0; i < (int) G_N_ELEMENTS (cases); i++)
      if (only < 0 || i == only)
        costs[i][round] = cases[i].is_writer ? run_writer (&cases[i], rig, turns)
                                             : run_least (&cases[i], rig, turns);
  printf ("%s: %.0f messages, %.0f MB, %u channels\n", rig->name, messages, bytes / 1e6,
          rig->n_channels);
  for (int i = 0; i < (int) G_N_ELEMENTS (cases); i++) {
    Cost cost = median (costs[i], rounds);

    if (only >= 0 && i != only)
      continue;

    printf ("  %-30s %7.0f MB/s  %6.2f M msg/s  %6.1f ns CPU/msg", cases[i].name,
            bytes / cost.wall / 1e6, messages / cost.wall / 1e6, cost.cpu / messages * 1e9);
    if (cases[i].baseline == 0)
      printf ("  %5.2f x the CPU of copy+crc", cost.cpu / median (costs[0], rounds).cpu);
    else if (cases[i].baseline > 0)
      printf ("  %5.2f x the speed of the library",
              median (costs[cases[i].baseline], rounds).wall / cost.wall);
    else if (i != 0)
      printf ("  ratio %.2f", ratios[cases[i].compression]);
    printf ("\n");
  }
}

static void
dump (const Rig *rig, const char *directory)
{
  g_autofree char *name = g_strconcat (rig->name, ".bin", NULL);
  g_autofree char *path = g_build_filename (directory, name, NULL);
  FILE *out = fopen (path, "we");

  for (guint i = 0; i < rig->n_messages; i++) {
    const RigMessage *message = &rig->messages[i];
    guint32 size = message->cdr_size;

    fwrite (&message->channel, 2, 1, out);
    fwrite (&message->offset_us, 4, 1, out);
    fwrite (&size, 4, 1, out);
    fwrite (message->cdr, 1, size, out);
  }
  if (fclose (out) != 0)
    g_error ("cannot write %s", path);
}

int
main (int argc, char **argv)
{
  guint rounds = argc > 1 ? (guint) atoi (argv[1]) : 5;
  guint seconds = argc > 2 ? (guint) atoi (argv[2]) : 20;
  int only = argc > 3 ? atoi (argv[3]) : -1;
  g_autoptr (Rig) w1 = rig_new_w1 ();
  g_autoptr (Rig) w2 = rig_new_w2 ();

  if (argc == 3 && g_str_equal (argv[1], "dump")) {
    dump (w1, argv[2]);
    dump (w2, argv[2]);
    return 0;
  }
  rounds = CLAMP (rounds, 1, MAX_ROUNDS);
  run (w1, rounds, seconds, only);
  run (w2, rounds, seconds, only);
  return 0;
}
