/* SPDX-License-Identifier: Apache-2.0 */
#include "mcap-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

static const McapLoad load = { .n_channels = 4, .n_messages = 300, .max_size = 200, .seed = 9 };

static GBytes *
make_bytes (AcqMcapCompression compression)
{
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;

  options.compression = compression;
  options.chunk_size = 4096;
  return g_byte_array_free_to_bytes (mcap_load_file (&load, &options));
}

/* From the footer to each message by its index entry. */
static void
read_by_index (AcqMcapReader *reader, const AcqMcapChunkIndex *index, guint64 *n_messages)
{
  g_autoptr (GError) error = NULL;
  gsize n_channels = index->message_index_offsets.size / 10;
  AcqMcapItem chunk, entries;
  AcqMcapSpan records;

  g_assert_true (acq_mcap_reader_read_at (reader, index->chunk_start_offset, &chunk, &error));
  g_assert_cmpuint (chunk.opcode, ==, ACQ_MCAP_CHUNK);
  g_assert_true (acq_mcap_reader_unpack (reader, &chunk.record.chunk, &records, &error));
  for (gsize i = 0; i < n_channels; i++) {
    guint16 id;
    guint64 offset;

    acq_mcap_count_get (index->message_index_offsets, i, &id, &offset);
    g_assert_true (acq_mcap_reader_read_at (reader, offset, &entries, &error));
    g_assert_cmpuint (entries.opcode, ==, ACQ_MCAP_MESSAGE_INDEX);
    for (gsize j = 0; j < entries.record.message_index.entries.size / 16; j++) {
      guint64 log_time, at;
      gsize position;
      AcqMcapSpan content;
      AcqMcapRecord record;
      guint8 opcode;

      acq_mcap_message_index_get (entries.record.message_index.entries, j, &log_time, &at);
      position = at;
      g_assert_true (acq_mcap_next (records, &position, &opcode, &content, NULL));
      g_assert_true (acq_mcap_decode (opcode, content, &record, NULL));
      g_assert_cmpuint (record.message.channel_id, ==, id);
      g_assert_cmpuint (record.message.log_time, ==, log_time);
      *n_messages += 1;
    }
  }
}

static void
test_indexed (void)
{
  for (int c = ACQ_MCAP_COMPRESSION_NONE; c <= ACQ_MCAP_COMPRESSION_ZSTD; c++) {
    g_autoptr (GBytes) bytes = make_bytes (c);
    g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new (bytes, NULL);
    const AcqMcapSummary *summary = acq_mcap_reader_read_summary (reader, NULL);
    guint64 n = 0;

    g_assert_nonnull (summary);
    g_assert_true (summary->has_statistics);
    g_assert_cmpuint (summary->statistics.message_count, ==, load.n_messages);
    g_assert_cmpuint (summary->channels->len, ==, load.n_channels);
    g_assert_cmpuint (summary->schemas->len, ==, 1);
    g_assert_cmpuint (summary->summary_offsets->len, ==, 4);
    g_assert_nonnull (acq_mcap_reader_get_channel (reader, 3));
    g_assert_nonnull (acq_mcap_reader_get_schema (reader, 1));
    for (guint i = 0; i < summary->chunk_indexes->len; i++)
      read_by_index (reader, &g_array_index (summary->chunk_indexes, AcqMcapChunkIndex, i), &n);
    g_assert_cmpuint (n, ==, load.n_messages);
  }
}

static void
test_rewind (void)
{
  g_autoptr (GBytes) bytes = make_bytes (ACQ_MCAP_COMPRESSION_LZ4);
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new (bytes, NULL);

  for (guint round = 0; round < 2; round++) {
    AcqMcapMessage message;
    AcqMcapItem item;
    guint n = 0;

    while (acq_mcap_reader_next_message (reader, &message, NULL))
      n++;
    g_assert_cmpuint (n, ==, load.n_messages);
    acq_mcap_reader_rewind (reader);
    g_assert_true (acq_mcap_reader_next (reader, &item, NULL));
    g_assert_cmpuint (item.opcode, ==, ACQ_MCAP_HEADER);
    g_assert_cmpuint (item.offset, ==, ACQ_MCAP_MAGIC_SIZE);
    acq_mcap_reader_rewind (reader);
  }
}

static void
test_truncated (void)
{
  g_autoptr (GBytes) whole = make_bytes (ACQ_MCAP_COMPRESSION_ZSTD);
  gsize size = g_bytes_get_size (whole);
  g_autoptr (GBytes) bytes = g_bytes_new_from_bytes (whole, 0, size / 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new (bytes, NULL);
  AcqMcapMessage message;
  guint n = 0;

  while (acq_mcap_reader_next_message (reader, &message, &error))
    n++;
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED);
  g_assert_cmpuint (n, >, 50);
  g_clear_error (&error);
  g_assert_null (acq_mcap_reader_read_summary (reader, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED);
}

/* A chunk that claims to unpack to gigabytes costs nothing. */
static void
test_bomb (void)
{
  g_autoptr (GBytes) bytes = make_bytes (ACQ_MCAP_COMPRESSION_NONE);
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new (bytes, NULL);
  g_autoptr (GError) error = NULL;
  AcqMcapSpan records;
  AcqMcapChunk chunk = { .uncompressed_size = G_GUINT64_CONSTANT (1) << 40,
                         .compression = acq_mcap_text ("zstd"),
                         .records = acq_mcap_text ("0123456789") };

  g_assert_false (acq_mcap_reader_unpack (reader, &chunk, &records, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
  g_clear_error (&error);
  chunk.uncompressed_size = 10;
  chunk.compression = acq_mcap_text ("bz2");
  g_assert_false (acq_mcap_reader_unpack (reader, &chunk, &records, &error));
  g_assert_cmpstr (error->message, ==,
                   "the compression 'bz2' is not known: '', 'lz4' and 'zstd' are");
}

static void
test_not_mcap (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static ("\x89MCAP1\r\n", 8);

  g_assert_null (acq_mcap_reader_new (bytes, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT);
  g_clear_error (&error);
  g_assert_null (acq_mcap_reader_new_for_path ("/nowhere/a.mcap", &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mcap/reader/indexed", test_indexed);
  g_test_add_func ("/mcap/reader/rewind", test_rewind);
  g_test_add_func ("/mcap/reader/truncated", test_truncated);
  g_test_add_func ("/mcap/reader/bomb", test_bomb);
  g_test_add_func ("/mcap/reader/not-mcap", test_not_mcap);
  return g_test_run ();
}
