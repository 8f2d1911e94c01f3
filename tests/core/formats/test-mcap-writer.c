/* SPDX-License-Identifier: Apache-2.0 */
#include "mcap-fixture.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* An empty file, byte by byte: magic, Header, DataEnd, Footer, magic. */
static void
test_empty (void)
{
  static const char wanted[] = ACQ_MCAP_MAGIC "\x01\x09\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0x"
                                              "\x0f\4\0\0\0\0\0\0\0\0\0\0\0"
                                              "\x02\x14\0\0\0\0\0\0\0"
                                              "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xb0\xc9\xc4\x6f"
                                              "\x89MCAP0\r\n";
  AcqMcapWriterOptions options = { .library = "x",
                                   .parts = ACQ_MCAP_PART_SUMMARY_CRC,
                                   .chunk_size = 1024 };
  g_autoptr (GByteArray) file = mcap_load_file (&(McapLoad){ .n_channels = 0 }, &options);

  /* The load declares a schema even without channels; here nothing may be declared. */
  g_byte_array_set_size (file, 0);
  {
    g_autoptr (AcqMcapWriter) writer =
        acq_mcap_writer_new (acq_mcap_output_new_for_memory (file), &options, NULL);
    g_assert_true (acq_mcap_writer_finish (writer, NULL));
  }
  g_assert_cmpmem (file->data, file->len, wanted, sizeof wanted - 1);
}

/* --- round trips -------------------------------------------------------- */

static const McapLoad loads[] = {
  { .n_channels = 1, .n_messages = 1, .max_size = 0 },
  { .n_channels = 3, .n_messages = 2000, .max_size = 300 },
  { .n_channels = 40, .n_messages = 500, .max_size = 9000 }, /* many above the chunk size */
};

static const AcqMcapParts part_sets[] = {
  ACQ_MCAP_PARTS_ALL,
  ACQ_MCAP_PARTS_ALL | ACQ_MCAP_PART_CHANNELS_IN_CHUNKS,
  ACQ_MCAP_PARTS_ALL & ~ACQ_MCAP_PART_CHUNKS,
  ACQ_MCAP_PARTS_ALL & ~(ACQ_MCAP_PART_CHUNK_CRC | ACQ_MCAP_PART_DATA_CRC),
};

static void
round_trip (const McapLoad *load, AcqMcapCompression compression, AcqMcapParts parts, guint workers)
{
  AcqMcapWriterOptions options = { .profile = "ros2",
                                   .parts = parts,
                                   .compression = compression,
                                   .chunk_size = 4096,
                                   .workers = workers };
  g_autoptr (GByteArray) file = mcap_load_file (load, &options);

  mcap_assert_sound (file);
  mcap_load_check (load, file, load->n_messages);
}

static void
test_round_trips (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (loads); i++)
    for (guint j = 0; j < G_N_ELEMENTS (part_sets); j++)
      for (int c = ACQ_MCAP_COMPRESSION_NONE; c <= ACQ_MCAP_COMPRESSION_ZSTD; c++)
        for (guint workers = 0; workers <= 2; workers++)
          round_trip (&loads[i], c, part_sets[j], workers);
}

/* The same file comes out, whatever the number of workers. */
static void
test_workers_agree (void)
{
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  g_autoptr (GByteArray) first = NULL;

  options.compression = ACQ_MCAP_COMPRESSION_LZ4;
  options.chunk_size = 4096;
  for (guint workers = 0; workers < 4; workers++) {
    g_autoptr (GByteArray) file = NULL;

    options.workers = workers;
    file = mcap_load_file (&loads[1], &options);
    if (first == NULL)
      first = g_steal_pointer (&file);
    else
      g_assert_cmpmem (file->data, file->len, first->data, first->len);
  }
}

/* --- what became of the messages ---------------------------------------- */

typedef struct {
  guint64 written[64];
  guint64 failed[64];
  gboolean has_failed;
  int code;
} Tally;

static void
on_written (gpointer user_data, const AcqMcapWritten *written, guint n_written, const GError *error)
{
  Tally *tally = user_data;

  for (guint i = 0; i < n_written; i++) {
    g_assert_cmpuint (GPOINTER_TO_UINT (written[i].data), ==, written[i].channel_id + 1u);
    if (error == NULL) {
      g_assert_false (tally->has_failed); /* in order: nothing is written behind a failure */
      tally->written[written[i].channel_id] += written[i].n_messages;
    } else {
      tally->failed[written[i].channel_id] += written[i].n_messages;
    }
  }
  if (error != NULL) {
    tally->has_failed = TRUE;
    tally->code = error->code;
  }
}

static guint64
total (const guint64 *counts)
{
  guint64 sum = 0;

  for (guint i = 0; i < 64; i++)
    sum += counts[i];
  return sum;
}

static guint
write_until_full (const McapLoad *load, AcqMcapWriter *writer)
{
  g_autoptr (GByteArray) buffer = g_byte_array_new ();
  guint accepted = 0;

  /* Declare with an empty load: its messages are none. */
  McapLoad declare_only = *load;
  declare_only.n_messages = 0;
  if (!mcap_load_write (&declare_only, writer, NULL))
    return 0;
  while (accepted < load->n_messages) {
    AcqMcapMessage message = mcap_load_message (load, accepted, buffer);
    if (!acq_mcap_writer_add_message (writer, &message, NULL))
      break;
    accepted++;
  }
  return accepted;
}

/* Wherever the disk fails: a valid file of what was said to be written, and no message lost. */
static void
fail_at (gsize limit, guint workers)
{
  const McapLoad *load = &loads[1];
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) failure = NULL;
  g_autoptr (AcqMcapWriter) writer = NULL;
  g_autoptr (AcqMcapReport) report = NULL;
  AcqMcapMetadata ledger = { acq_mcap_text ("ledger") };
  Tally tally = { 0 };
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  guint accepted;

  options.profile = "ros2";
  options.chunk_size = 4096;
  options.workers = workers;
  options.written = on_written;
  options.user_data = &tally;
  writer = acq_mcap_writer_new (mcap_faulty_output (file, limit, ENOSPC, TRUE), &options, NULL);
  accepted = write_until_full (load, writer);
  acq_mcap_writer_flush (writer, NULL);
  acq_mcap_writer_drain (writer);
  acq_mcap_writer_add_metadata (writer, &ledger); /* how it ended is told in spite of all */
  if (!acq_mcap_writer_finish (writer, &error)) {
    /* Not even the head was taken. */
    g_assert_error (error, ACQ_ERROR, ACQ_ERROR_NO_SPACE);
    g_assert_cmpuint (file->len, ==, 0);
    g_assert_cmpuint (total (tally.failed), ==, accepted);
    return;
  }
  failure = acq_mcap_writer_get_error (writer);
  g_assert_error (failure, ACQ_ERROR, ACQ_ERROR_NO_SPACE);

  g_assert_cmpuint (total (tally.written) + total (tally.failed), ==, accepted);
  /* Valid, if perhaps without a summary, when that was what did not fit. */
  report = acq_mcap_verify ((AcqMcapSpan){ file->data, file->len }, ACQ_MCAP_VERIFY_ORDER);
  g_assert_cmpuint (report->n_errors, ==, 0);
  g_assert_cmpuint (report->n_messages, ==, total (tally.written));
  g_assert_cmpuint (report->n_metadata, ==, 1);
  mcap_load_check (load, file, total (tally.written));
}

static void
test_failing_output (void)
{
  g_autoptr (GByteArray) whole = NULL;
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;

  options.profile = "ros2";
  options.chunk_size = 4096;
  whole = mcap_load_file (&loads[1], &options);
  for (gsize limit = 300; limit < whole->len; limit += 5003)
    for (guint workers = 0; workers <= 2; workers += 2)
      fail_at (limit, workers);
}

/* No cut, no valid file: then finishing says so. */
static void
test_stuck_output (void)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapWriter) writer = NULL;
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;

  options.chunk_size = 4096;
  writer = acq_mcap_writer_new (mcap_faulty_output (file, 9000, EIO, FALSE), &options, NULL);
  g_assert_false (mcap_load_write (&loads[1], writer, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (acq_mcap_writer_finish (writer, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
}

static void
test_written (void)
{
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  Tally tally = { 0 };
  g_autoptr (GByteArray) file = NULL;
  g_autoptr (AcqMcapReport) report = NULL;

  options.chunk_size = 4096;
  options.workers = 2;
  options.written = on_written;
  options.user_data = &tally;
  file = mcap_load_file (&loads[2], &options);
  report = acq_mcap_verify ((AcqMcapSpan){ file->data, file->len }, 0);
  g_assert_cmpuint (report->channels->len, ==, loads[2].n_channels);
  for (guint i = 0; i < report->channels->len; i++) {
    const AcqMcapChannelCount *count = report->channels->pdata[i];
    g_assert_cmpuint (tally.written[count->id], ==, count->n_messages);
  }
  g_assert_cmpuint (total (tally.written), ==, loads[2].n_messages);
}

/* --- real files --------------------------------------------------------- */

static void
test_full_device (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapWriter) writer = NULL;
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  AcqMcapOutput *output = acq_mcap_output_new_for_path ("/dev/full", &error);

  g_assert_no_error (error);
  writer = acq_mcap_writer_new (output, &options, &error);
  g_assert_false (acq_mcap_writer_finish (writer, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_NO_SPACE);
}

/* A limit on the file's size stands in for a full disk: the end must still fit below it. */
static void
test_file_at_its_limit (gconstpointer data)
{
  g_autofree char *directory = g_dir_make_tmp ("acq-mcap-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "full.mcap", NULL);
  g_autoptr (AcqMcapReport) report = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) failure = NULL;
  struct rlimit before, limit = { GPOINTER_TO_UINT (data) * 1024, RLIM_INFINITY };
  struct stat info;
  McapLoad load = { .n_channels = 8, .n_messages = 20000, .max_size = 2000 };
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  Tally tally = { 0 };

  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &before);
  limit.rlim_max = before.rlim_max;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  options.profile = "ros2";
  options.workers = 1; /* with chunks as large as the default: they become smaller */
  options.sync_interval_ms = 5;
  options.written = on_written;
  options.user_data = &tally;
  {
    AcqMcapOutput *output = acq_mcap_output_new_for_path (path, &error);
    g_autoptr (AcqMcapWriter) writer = acq_mcap_writer_new (output, &options, &error);
    guint accepted;

    /* The head goes first; with it the writer sees how much room there is. */
    g_assert_true (acq_mcap_writer_flush (writer, &error));
    acq_mcap_writer_drain (writer);
    accepted = write_until_full (&load, writer);
    g_assert_cmpuint (accepted, <, load.n_messages);
    g_assert_true (acq_mcap_writer_finish (writer, &error));
    failure = acq_mcap_writer_get_error (writer);
    g_assert_nonnull (failure);
    g_assert_cmpuint (total (tally.written) + total (tally.failed), ==, accepted);
  }
  setrlimit (RLIMIT_FSIZE, &before);

  report = acq_mcap_verify_path (path, ACQ_MCAP_VERIFY_ORDER, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report->n_errors + report->n_warnings, ==, 0);
  g_assert_cmpuint (report->n_messages, ==, total (tally.written));
  g_assert_cmpuint (report->n_messages, >, 0);
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_cmpint (info.st_size, >, GPOINTER_TO_UINT (data) * 1024 / 2);
  /* What was reserved for the end is given back. */
  g_assert_cmpint (info.st_blocks * 512, <, info.st_size + 1024 * 1024);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

/* --- rules -------------------------------------------------------------- */

static void
test_rules (void)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  AcqMcapSchema schema = { 0, acq_mcap_text ("a"), acq_mcap_text ("ros2msg") };
  AcqMcapChannel channel = { 4, 9, acq_mcap_text ("/a"), acq_mcap_text ("cdr") };
  g_autoptr (AcqMcapWriter) writer = NULL;
  guint64 log_time;

  options.chunk_size = 10;
  g_assert_null (acq_mcap_writer_new (acq_mcap_output_new_null (), &options, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_OPTION);
  g_clear_error (&error);
  options.chunk_size = 4096;
  options.compression = ACQ_MCAP_COMPRESSION_ZSTD;
  options.level = 99;
  g_assert_null (acq_mcap_writer_new (acq_mcap_output_new_null (), &options, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_OPTION);
  g_clear_error (&error);

  options.level = 1;
  writer = acq_mcap_writer_new (acq_mcap_output_new_for_memory (file), &options, &error);
  g_assert_false (acq_mcap_writer_add_schema (writer, &schema, &error));
  g_clear_error (&error);
  g_assert_false (acq_mcap_writer_add_channel (writer, &channel, NULL, &error));
  g_assert_cmpstr (error->message, ==, "channel 4 needs schema 9, which is not declared");
  g_clear_error (&error);
  g_assert_null (acq_mcap_writer_begin (writer, 4, 10, &error));
  g_assert_cmpstr (error->message, ==, "channel 4 is not declared");
  g_clear_error (&error);

  schema.id = 9;
  g_assert_true (acq_mcap_writer_add_schema (writer, &schema, &error));
  g_assert_true (acq_mcap_writer_add_schema (writer, &schema, &error));
  g_assert_true (acq_mcap_writer_add_channel (writer, &channel, NULL, &error));
  g_assert_true (acq_mcap_writer_add_channel (writer, &channel, NULL, &error));
  channel.topic = acq_mcap_text ("/b");
  g_assert_false (acq_mcap_writer_add_channel (writer, &channel, NULL, &error));
  g_assert_cmpstr (error->message, ==, "Channel 4 is declared already, with another content");

  /* A message that is given up leaves no trace. */
  g_assert_nonnull (acq_mcap_writer_begin (writer, 4, 100, NULL));
  g_assert_false (acq_mcap_writer_get_open_time (writer, &log_time));
  memcpy (acq_mcap_writer_begin (writer, 4, 100, NULL), "xy", 2);
  acq_mcap_writer_commit (writer, 2, 1, 77, 78);
  g_assert_true (acq_mcap_writer_get_open_time (writer, &log_time));
  g_assert_cmpuint (log_time, ==, 77);
  g_assert_true (acq_mcap_writer_flush (writer, NULL));
  g_assert_false (acq_mcap_writer_get_open_time (writer, &log_time));
  g_assert_true (acq_mcap_writer_finish (writer, NULL));
  {
    g_autoptr (AcqMcapReport) report =
        acq_mcap_verify ((AcqMcapSpan){ file->data, file->len }, ACQ_MCAP_VERIFY_ORDER);
    g_assert_cmpuint (report->n_errors, ==, 0);
    g_assert_cmpuint (report->n_messages, ==, 1);
    g_assert_cmpuint (report->start_time, ==, 77);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mcap/writer/empty", test_empty);
  g_test_add_func ("/mcap/writer/round-trips", test_round_trips);
  g_test_add_func ("/mcap/writer/workers-agree", test_workers_agree);
  g_test_add_func ("/mcap/writer/written", test_written);
  g_test_add_func ("/mcap/writer/failing-output", test_failing_output);
  g_test_add_func ("/mcap/writer/stuck-output", test_stuck_output);
  g_test_add_func ("/mcap/writer/full-device", test_full_device);
  g_test_add_data_func ("/mcap/writer/file-at-its-limit/6MiB", GUINT_TO_POINTER (6 * 1024),
                        test_file_at_its_limit);
  g_test_add_data_func ("/mcap/writer/file-at-its-limit/600KiB", GUINT_TO_POINTER (600),
                        test_file_at_its_limit);
  g_test_add_data_func ("/mcap/writer/file-at-its-limit/100KiB", GUINT_TO_POINTER (100),
                        test_file_at_its_limit);
  g_test_add_func ("/mcap/writer/rules", test_rules);
  return g_test_run ();
}
