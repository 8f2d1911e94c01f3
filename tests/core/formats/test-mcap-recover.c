/* SPDX-License-Identifier: Apache-2.0 */
#include "mcap-fixture.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const McapLoad load = { .n_channels = 5, .n_messages = 700, .max_size = 120, .seed = 3 };

static GByteArray *
make_file (AcqMcapCompression compression, AcqMcapParts parts)
{
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;

  options.profile = "ros2";
  options.compression = compression;
  options.parts = parts;
  options.chunk_size = 4096;
  return mcap_load_file (&load, &options);
}

static GByteArray *
recover (const guint8 *data, gsize size, AcqMcapRecoverFlags flags, AcqMcapRecovery *recovery)
{
  GByteArray *file = g_byte_array_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (acq_mcap_recover ((AcqMcapSpan){ data, size },
                                   acq_mcap_output_new_for_memory (file), flags, recovery, &error));
  g_assert_no_error (error);
  mcap_assert_sound (file);
  g_assert_cmpuint (mcap_load_check_some (&load, file), ==, recovery->messages);
  return file;
}

/* Where each Chunk record lies. */
static GArray *
chunk_offsets (GByteArray *file)
{
  GArray *offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GBytes) bytes = g_bytes_new_static (file->data, file->len);
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new (bytes, NULL);
  const AcqMcapSummary *summary = acq_mcap_reader_read_summary (reader, NULL);

  for (guint i = 0; i < summary->chunk_indexes->len; i++)
    g_array_append_val (
        offsets, g_array_index (summary->chunk_indexes, AcqMcapChunkIndex, i).chunk_start_offset);
  return offsets;
}

static void
test_whole (void)
{
  for (int c = ACQ_MCAP_COMPRESSION_NONE; c <= ACQ_MCAP_COMPRESSION_ZSTD; c++) {
    g_autoptr (GByteArray) file = make_file (c, ACQ_MCAP_PARTS_ALL);
    g_autoptr (GByteArray) again = NULL;
    AcqMcapRecovery recovery;

    again = recover (file->data, file->len, 0, &recovery);
    g_assert_cmpuint (recovery.messages, ==, load.n_messages);
    g_assert_true (recovery.had_end);
    g_assert_false (acq_mcap_recovery_has_loss (&recovery));
    mcap_load_check (&load, again, load.n_messages);
  }
}

/* Cut anywhere: everything in front of the cut stays, and it only gets more. */
static void
cut_everywhere (AcqMcapCompression compression, AcqMcapParts parts, gboolean heads_survive)
{
  g_autoptr (GByteArray) file = make_file (compression, parts);
  guint64 most = 0;
  guint n_heads = 0;

  for (gsize size = ACQ_MCAP_MAGIC_SIZE; size < file->len; size += 101) {
    g_autofree guint8 *cut = g_memdup2 (file->data, size);
    g_autoptr (GByteArray) again = NULL;
    AcqMcapRecovery recovery;

    again = recover (cut, size, 0, &recovery);
    mcap_load_check (&load, again, recovery.messages);
    g_assert_cmpuint (recovery.messages, >=, most);
    most = recovery.messages;
    n_heads += recovery.cut_chunks;
  }
  g_assert_cmpuint (most, ==, load.n_messages);
  if (heads_survive)
    g_assert_cmpuint (n_heads, >, 50);
}

static void
test_cut (void)
{
  AcqMcapParts in_chunks = ACQ_MCAP_PARTS_ALL | ACQ_MCAP_PART_CHANNELS_IN_CHUNKS;

  cut_everywhere (ACQ_MCAP_COMPRESSION_NONE, ACQ_MCAP_PARTS_ALL, TRUE);
  cut_everywhere (ACQ_MCAP_COMPRESSION_NONE, ACQ_MCAP_PARTS_ALL & ~ACQ_MCAP_PART_CHUNKS, FALSE);
  cut_everywhere (ACQ_MCAP_COMPRESSION_LZ4, ACQ_MCAP_PARTS_ALL, FALSE);
  cut_everywhere (ACQ_MCAP_COMPRESSION_ZSTD, in_chunks, FALSE);
}

/* A damaged chunk is lost alone, and its indexes tell how many messages that were. */
static void
test_damaged_chunk (void)
{
  g_autoptr (GByteArray) file = make_file (ACQ_MCAP_COMPRESSION_NONE, ACQ_MCAP_PARTS_ALL);
  g_autoptr (GArray) offsets = chunk_offsets (file);
  guint64 third = g_array_index (offsets, guint64, 2);
  g_autoptr (GByteArray) again = NULL;
  AcqMcapRecovery recovery;

  file->data[third + 1000] ^= 0x40; /* in a payload or a head: the CRC tells */
  again = recover (file->data, file->len, 0, &recovery);
  g_assert_cmpuint (recovery.lost_chunks, ==, 1);
  g_assert_cmpuint (recovery.lost_messages, >, 10);
  g_assert_cmpuint (recovery.messages + recovery.lost_messages, ==, load.n_messages);
  g_assert_cmpuint (recovery.lost_bytes, ==, 0);
  g_assert_true (acq_mcap_recovery_has_loss (&recovery));
}

static const struct {
  const char *what;
  guint at; /* from the opcode of the third chunk */
  guint8 flip;
  gboolean others_survive;
} frame_damage[] = {
  { "opcode", 0, 0x80, TRUE },
  { "length, a little", 1, 0x04, TRUE },
  { "length, kilobytes", 2, 0x10, TRUE },
  { "length, beyond the file", 6, 0x40, TRUE },
  { "records length", 42 + 1, 0x08, TRUE },
  { "records length, huge", 42 + 5, 0x08, TRUE },
  { "uncompressed size", 9 + 16, 0x01, TRUE },
  { "compression", 9 + 28, 0x01, TRUE },
};

/* Whatever byte of a chunk's frame is wrong: no other chunk goes with it. */
static void
test_damaged_frame (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (frame_damage); i++) {
    g_autoptr (GByteArray) file = make_file (ACQ_MCAP_COMPRESSION_NONE, ACQ_MCAP_PARTS_ALL);
    g_autoptr (GArray) offsets = chunk_offsets (file);
    guint64 third = g_array_index (offsets, guint64, 2);
    g_autoptr (GByteArray) again = NULL;
    AcqMcapRecovery recovery;

    g_test_message ("%s", frame_damage[i].what);
    file->data[third + frame_damage[i].at] ^= frame_damage[i].flip;
    again = recover (file->data, file->len, 0, &recovery);
    /* About 4096 / (31 + 60) messages are in a chunk. */
    g_assert_cmpuint (recovery.messages, >=, load.n_messages - 60);
  }
}

/* Schemas and channels may be lost with their chunk: the summary still has them. */
static void
test_channels_from_summary (void)
{
  g_autoptr (GByteArray) file =
      make_file (ACQ_MCAP_COMPRESSION_LZ4, ACQ_MCAP_PARTS_ALL | ACQ_MCAP_PART_CHANNELS_IN_CHUNKS);
  g_autoptr (GArray) offsets = chunk_offsets (file);
  g_autoptr (GByteArray) again = NULL;
  AcqMcapRecovery recovery;

  file->data[g_array_index (offsets, guint64, 0) + 300] ^= 0xff;
  again = recover (file->data, file->len, 0, &recovery);
  g_assert_cmpuint (recovery.lost_chunks, ==, 1);
  g_assert_cmpuint (recovery.messages + recovery.lost_messages, ==, load.n_messages);
  g_assert_cmpuint (recovery.messages, >, load.n_messages / 2);
}

/* A flipped bit anywhere never brings wrong data into the new file: CRCs tell. */
static void
test_flipped_bits (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (int c = ACQ_MCAP_COMPRESSION_NONE; c <= ACQ_MCAP_COMPRESSION_ZSTD; c++) {
    g_autoptr (GByteArray) file = make_file (c, ACQ_MCAP_PARTS_ALL);

    for (guint round = 0; round < 60; round++) {
      g_autoptr (GByteArray) again = NULL;
      guint at = g_rand_int_range (rand, 600, file->len);
      guint8 bit = 1 << g_rand_int_range (rand, 0, 8);
      AcqMcapRecovery recovery;

      file->data[at] ^= bit;
      again = recover (file->data, file->len, 0, &recovery);
      g_assert_cmpuint (recovery.messages, >=, load.n_messages - 60);
      file->data[at] ^= bit;
    }
  }
}

/* Worse: many of them, and the file cut. A valid file comes out all the same. */
static void
test_mutations (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);

  for (int c = ACQ_MCAP_COMPRESSION_NONE; c <= ACQ_MCAP_COMPRESSION_ZSTD; c++) {
    g_autoptr (GByteArray) file = make_file (c, ACQ_MCAP_PARTS_ALL);

    for (guint round = 0; round < 60; round++) {
      gsize size = g_rand_int_range (rand, 10, file->len + 1);
      g_autofree guint8 *copy = g_memdup2 (file->data, size);
      g_autoptr (GByteArray) out = g_byte_array_new ();
      g_autoptr (AcqMcapReport) report = NULL;
      AcqMcapRecovery recovery;

      for (guint n = g_rand_int_range (rand, 1, 40); n != 0; n--)
        copy[g_rand_int_range (rand, 8, size)] = g_rand_int_range (rand, 0, 256);
      g_assert_true (acq_mcap_recover ((AcqMcapSpan){ copy, size },
                                       acq_mcap_output_new_for_memory (out), round % 2, &recovery,
                                       NULL));
      report = acq_mcap_verify ((AcqMcapSpan){ out->data, out->len }, 0);
      g_assert_cmpuint (report->n_errors, ==, 0);
      g_assert_cmpuint (report->n_messages, ==, recovery.messages);
      acq_mcap_report_free (acq_mcap_verify ((AcqMcapSpan){ copy, size }, 0));
    }
  }
}

static void
test_keep_damaged (void)
{
  g_autoptr (GByteArray) file = make_file (ACQ_MCAP_COMPRESSION_NONE, ACQ_MCAP_PARTS_ALL);
  g_autoptr (GArray) offsets = chunk_offsets (file);
  g_autoptr (GByteArray) again = NULL;
  AcqMcapRecovery recovery;

  /* The chunk's CRC itself: the messages are right. */
  file->data[g_array_index (offsets, guint64, 1) + 9 + 24] ^= 1;
  again = recover (file->data, file->len, 0, &recovery);
  g_assert_cmpuint (recovery.lost_chunks, ==, 1);
  g_clear_pointer (&again, g_byte_array_unref);
  again = recover (file->data, file->len, ACQ_MCAP_RECOVER_KEEP_DAMAGED, &recovery);
  g_assert_cmpuint (recovery.messages, ==, load.n_messages);
}

static void
test_not_mcap (void)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  AcqMcapRecovery recovery;

  g_assert_false (acq_mcap_recover (acq_mcap_text ("#ROSBAG V2.0"),
                                    acq_mcap_output_new_for_memory (file), 0, &recovery, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
}

/* --- files -------------------------------------------------------------- */

static void
test_paths (void)
{
  g_autofree char *directory = g_dir_make_tmp ("acq-mcap-XXXXXX", NULL);
  g_autofree char *to = g_build_filename (directory, "a.mcap", NULL);
  g_autofree char *from = g_strconcat (to, ".part", NULL);
  g_autoptr (GByteArray) file = make_file (ACQ_MCAP_COMPRESSION_LZ4, ACQ_MCAP_PARTS_ALL);
  g_autoptr (AcqMcapReport) report = NULL;
  g_autoptr (GError) error = NULL;
  AcqMcapRecovery recovery = { 0 };
  int fd;

  g_assert_true (g_file_set_contents (from, (char *) file->data, file->len / 2, NULL));
  fd = g_open (from, O_RDONLY | O_CLOEXEC, 0);
  g_assert_cmpint (flock (fd, LOCK_EX), ==, 0);
  g_assert_false (acq_mcap_recover_path (from, to, 0, &recovery, &error));
  g_assert_nonnull (strstr (error->message, "still being written"));
  g_clear_error (&error);
  close (fd);

  g_assert_true (acq_mcap_recover_path (from, to, 0, &recovery, &error));
  g_assert_no_error (error);
  report = acq_mcap_verify_path (to, ACQ_MCAP_VERIFY_ORDER, &error);
  g_assert_cmpuint (report->n_errors, ==, 0);
  g_assert_cmpuint (report->n_messages, ==, recovery.messages);
  g_assert_cmpuint (recovery.messages, >, 0);

  g_assert_false (acq_mcap_recover_path (from, to, 0, &recovery, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  g_assert_cmpint (g_unlink (from), ==, 0);
  g_assert_cmpint (g_unlink (to), ==, 0);
  g_assert_cmpint (g_rmdir (directory), ==, 0); /* nothing else was left behind */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mcap/recover/whole", test_whole);
  g_test_add_func ("/mcap/recover/cut", test_cut);
  g_test_add_func ("/mcap/recover/damaged-chunk", test_damaged_chunk);
  g_test_add_func ("/mcap/recover/damaged-frame", test_damaged_frame);
  g_test_add_func ("/mcap/recover/channels-from-summary", test_channels_from_summary);
  g_test_add_func ("/mcap/recover/flipped-bits", test_flipped_bits);
  g_test_add_func ("/mcap/recover/mutations", test_mutations);
  g_test_add_func ("/mcap/recover/keep-damaged", test_keep_damaged);
  g_test_add_func ("/mcap/recover/not-mcap", test_not_mcap);
  g_test_add_func ("/mcap/recover/paths", test_paths);
  return g_test_run ();
}
