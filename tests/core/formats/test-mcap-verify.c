/* SPDX-License-Identifier: Apache-2.0 */
#include "mcap-fixture.h"

#include <string.h>

static const McapLoad load = { .n_channels = 3, .n_messages = 200, .max_size = 100, .seed = 5 };

#define CRCS                                                                                       \
  (ACQ_MCAP_PART_CHUNK_CRC | ACQ_MCAP_PART_ATTACHMENT_CRC | ACQ_MCAP_PART_DATA_CRC |               \
   ACQ_MCAP_PART_SUMMARY_CRC)

/* A file with one of everything. */
static GByteArray *
make_file (AcqMcapParts parts)
{
  static const char *const pairs[] = { "k", "v", NULL };
  GByteArray *file = g_byte_array_new ();
  g_autoptr (GByteArray) map = g_byte_array_new ();
  AcqMcapWriterOptions options = { .profile = "ros2", .parts = parts, .chunk_size = 4096 };
  g_autoptr (AcqMcapWriter) writer =
      acq_mcap_writer_new (acq_mcap_output_new_for_memory (file), &options, NULL);
  AcqMcapAttachment attachment = { 11, 12, acq_mcap_text ("name"), acq_mcap_text ("text/plain"),
                                   acq_mcap_text ("content") };
  AcqMcapMetadata metadata = { acq_mcap_text ("notes") };

  acq_mcap_map_encode (map, pairs);
  metadata.metadata = (AcqMcapSpan){ map->data, map->len };
  g_assert_true (acq_mcap_writer_add_attachment (writer, &attachment, NULL));
  acq_mcap_writer_add_metadata (writer, &metadata);
  g_assert_true (mcap_load_write (&load, writer, NULL));
  g_assert_true (acq_mcap_writer_finish (writer, NULL));
  return file;
}

/* Where the content of record number @nth of a kind begins. */
static gsize
find_record (GByteArray *file, guint8 wanted, guint nth)
{
  AcqMcapSpan span = { file->data, file->len - ACQ_MCAP_MAGIC_SIZE };
  gsize position = ACQ_MCAP_MAGIC_SIZE;
  AcqMcapSpan content;
  guint8 opcode;

  while (acq_mcap_next (span, &position, &opcode, &content, NULL))
    if (opcode == wanted && nth-- == 0)
      return content.data - span.data;
  g_assert_not_reached ();
}

static void
test_sound (void)
{
  static const AcqMcapParts sets[] = {
    ACQ_MCAP_PARTS_ALL,
    ACQ_MCAP_PARTS_ALL & ~CRCS,
    ACQ_MCAP_PARTS_ALL | ACQ_MCAP_PART_CHANNELS_IN_CHUNKS,
    ACQ_MCAP_PARTS_ALL & ~ACQ_MCAP_PART_CHUNKS,
  };

  for (guint i = 0; i < G_N_ELEMENTS (sets); i++) {
    g_autoptr (GByteArray) file = make_file (sets[i]);
    mcap_assert_sound (file);
  }
}

static void
test_report (void)
{
  g_autoptr (GByteArray) file = make_file (ACQ_MCAP_PARTS_ALL);
  g_autoptr (AcqMcapReport) report =
      acq_mcap_verify ((AcqMcapSpan){ file->data, file->len }, ACQ_MCAP_VERIFY_ORDER);
  guint64 n = 0;

  g_assert_cmpuint (report->n_messages, ==, load.n_messages);
  g_assert_cmpuint (report->n_schemas, ==, 1);
  g_assert_cmpuint (report->n_attachments, ==, 1);
  g_assert_cmpuint (report->n_metadata, ==, 1);
  g_assert_cmpuint (report->n_chunks, >, 2);
  g_assert_cmpuint (report->start_time, ==, 0);
  g_assert_cmpuint (report->end_time, ==, (load.n_messages - 1) * 1000);
  g_assert_cmpuint (report->max_step_back_ns, ==, 0);
  g_assert_cmpuint (report->channels->len, ==, load.n_channels);
  for (guint i = 0; i < report->channels->len; i++)
    n += ((AcqMcapChannelCount *) report->channels->pdata[i])->n_messages;
  g_assert_cmpuint (n, ==, load.n_messages);
}

/* One byte of one field of one record, in a file without CRCs: the verifier names the field. */
static const struct {
  guint8 opcode;
  guint nth;
  guint at; /* in the content */
  const char *problem;
} damages[] = {
  { ACQ_MCAP_SCHEMA, 0, 0, "names Schema 1, which is not there yet" },
  { ACQ_MCAP_CHANNEL, 0, 0, "which is not there yet" },
  { ACQ_MCAP_CHUNK, 0, 0, "the chunk says log times" },
  { ACQ_MCAP_CHUNK, 1, 8, "the chunk says log times" },
  { ACQ_MCAP_CHUNK, 0, 16, "the chunk stores" },
  { ACQ_MCAP_CHUNK, 0, 24, "the records of a chunk have CRC" },
  { ACQ_MCAP_CHUNK, 0, 40, "Channel record: field" },
  { ACQ_MCAP_MESSAGE_INDEX, 0, 0, "is not what the chunk at" },
  { ACQ_MCAP_MESSAGE_INDEX, 1, 6, "is not what the chunk at" },
  { ACQ_MCAP_MESSAGE_INDEX, 1, 14, "is not what the chunk at" },
  { ACQ_MCAP_ATTACHMENT, 0, 0, "log_time says" },
  { ACQ_MCAP_ATTACHMENT_INDEX, 0, 0, "AttachmentIndex points to" },
  { ACQ_MCAP_ATTACHMENT_INDEX, 0, 8, "length says" },
  { ACQ_MCAP_ATTACHMENT_INDEX, 0, 24, "create_time says" },
  { ACQ_MCAP_ATTACHMENT_INDEX, 0, 32, "data_size says" },
  { ACQ_MCAP_ATTACHMENT_INDEX, 0, 44, "another name or media type" },
  { ACQ_MCAP_METADATA_INDEX, 0, 0, "MetadataIndex points to" },
  { ACQ_MCAP_METADATA_INDEX, 0, 8, "length says" },
  { ACQ_MCAP_METADATA_INDEX, 0, 20, "another name than the record" },
  { ACQ_MCAP_CHUNK_INDEX, 1, 0, "message_start_time says" },
  { ACQ_MCAP_CHUNK_INDEX, 1, 8, "message_end_time says" },
  { ACQ_MCAP_CHUNK_INDEX, 1, 16, "where no chunk is" },
  { ACQ_MCAP_CHUNK_INDEX, 1, 24, "chunk_length says" },
  { ACQ_MCAP_CHUNK_INDEX, 1, 36, "has channel" },
  { ACQ_MCAP_CHUNK_INDEX, 1, 38, "indexed at" },
  { ACQ_MCAP_CHUNK_INDEX, 1, 66, "message_index_length says" },
  { ACQ_MCAP_CHUNK_INDEX, 1, 78, "compressed_size says" },
  { ACQ_MCAP_CHUNK_INDEX, 1, 86, "uncompressed_size says" },
  { ACQ_MCAP_STATISTICS, 0, 0, "message_count says" },
  { ACQ_MCAP_STATISTICS, 0, 8, "schema_count says" },
  { ACQ_MCAP_STATISTICS, 0, 10, "channel_count says" },
  { ACQ_MCAP_STATISTICS, 0, 14, "attachment_count says" },
  { ACQ_MCAP_STATISTICS, 0, 18, "metadata_count says" },
  { ACQ_MCAP_STATISTICS, 0, 22, "chunk_count says" },
  { ACQ_MCAP_STATISTICS, 0, 26, "message_start_time says" },
  { ACQ_MCAP_STATISTICS, 0, 34, "message_end_time says" },
  { ACQ_MCAP_STATISTICS, 0, 46, "Statistics give channel" },
  { ACQ_MCAP_STATISTICS, 0, 48, "Statistics give channel" },
  { ACQ_MCAP_SCHEMA, 1, 6, "of the summary differs" },
  { ACQ_MCAP_CHANNEL, 3, 0, "of the summary" },
  { ACQ_MCAP_SUMMARY_OFFSET, 0, 0, "SummaryOffset names a group" },
  { ACQ_MCAP_SUMMARY_OFFSET, 2, 1, "groups of the summary have a SummaryOffset" },
  { ACQ_MCAP_SUMMARY_OFFSET, 3, 9, "SummaryOffset names a group" },
  { ACQ_MCAP_FOOTER, 0, 0, "summary_start says" },
  { ACQ_MCAP_FOOTER, 0, 8, "summary_offset_start says" },
  { ACQ_MCAP_FOOTER, 0, 16, "summary_crc says" },
  { ACQ_MCAP_FOOTER, 0, 24, "does not end with the magic bytes" },
  { ACQ_MCAP_DATA_END, 0, 0, "the data section has CRC" },
  { ACQ_MCAP_HEADER, 0, 4, "is not a known one" },
};

static void
test_damages (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (damages); i++) {
    g_autoptr (GByteArray) file = make_file (ACQ_MCAP_PARTS_ALL & ~CRCS);
    g_autoptr (AcqMcapReport) report = NULL;
    g_autofree char *problems = NULL;

    file->data[find_record (file, damages[i].opcode, damages[i].nth) + damages[i].at] ^= 1;
    report = acq_mcap_verify ((AcqMcapSpan){ file->data, file->len }, ACQ_MCAP_VERIFY_ORDER);
    problems = mcap_problems (report);
    g_test_message ("%s %u + %u", acq_mcap_opcode_name (damages[i].opcode), damages[i].nth,
                    damages[i].at);
    if (strstr (problems, damages[i].problem) == NULL)
      g_error ("'%s' is not among:\n%s", damages[i].problem, problems);
  }
}

/* With CRCs, a flipped bit anywhere is an error. */
static void
test_every_bit_counts (void)
{
  g_autoptr (GByteArray) file = make_file (ACQ_MCAP_PARTS_ALL);

  for (gsize i = 0; i < file->len; i += 13) {
    AcqMcapReport *report;

    file->data[i] ^= 0x10;
    report = acq_mcap_verify ((AcqMcapSpan){ file->data, file->len }, 0);
    g_assert_cmpuint (report->n_errors, >, 0);
    acq_mcap_report_free (report);
    file->data[i] ^= 0x10;
  }
}

static void
test_cut (void)
{
  g_autoptr (GByteArray) file = make_file (ACQ_MCAP_PARTS_ALL);

  for (gsize size = 0; size < file->len; size += 17) {
    g_autofree guint8 *copy = g_memdup2 (file->data, MAX (size, 1));
    g_autoptr (AcqMcapReport) report = acq_mcap_verify ((AcqMcapSpan){ copy, size }, 0);
    g_assert_cmpuint (report->n_errors, >, 0);
  }
}

/* Order is judged within a channel; across channels the step back is measured. */
static void
test_order (void)
{
  static const struct {
    guint16 channel_id;
    guint64 log_time;
  } messages[] = { { 0, 100 }, { 1, 90 }, { 0, 101 }, { 1, 91 }, { 0, 101 } };
  g_autoptr (GByteArray) file = g_byte_array_new ();
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  McapLoad declared = { .n_channels = 2 };
  g_autoptr (AcqMcapWriter) writer = NULL;
  g_autoptr (AcqMcapReport) strict = NULL;
  g_autoptr (AcqMcapReport) lax = NULL;
  g_autofree char *problems = NULL;

  writer = acq_mcap_writer_new (acq_mcap_output_new_for_memory (file), &options, NULL);
  g_assert_true (mcap_load_write (&declared, writer, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (messages); i++) {
    AcqMcapMessage message = { messages[i].channel_id, 0, messages[i].log_time,
                               messages[i].log_time };
    g_assert_true (acq_mcap_writer_add_message (writer, &message, NULL));
  }
  g_assert_true (acq_mcap_writer_finish (writer, NULL));
  strict = acq_mcap_verify ((AcqMcapSpan){ file->data, file->len }, ACQ_MCAP_VERIFY_ORDER);
  problems = mcap_problems (strict);
  g_assert_cmpstr (problems, ==, "error at 124: channel 0: log time 101 does not come after 101\n");
  g_assert_cmpuint (strict->max_step_back_ns, ==, 10);
  lax = acq_mcap_verify ((AcqMcapSpan){ file->data, file->len }, 0);
  g_assert_cmpuint (lax->n_errors, ==, 0);
  g_assert_cmpuint (lax->n_warnings, ==, 1);
}

/* A channel that states how far messages may step back across channels is held to it. */
static void
test_hold_back (void)
{
  static const char *const limits[] = { "10", "9" };
  static const guint64 times[] = { 100, 90 };

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
    const char *const pairs[] = { "acq.hold_back_ns", limits[i], NULL };
    g_autoptr (GByteArray) file = g_byte_array_new ();
    g_autoptr (GByteArray) map = g_byte_array_new ();
    g_autoptr (AcqMcapReport) report = NULL;
    AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
    g_autoptr (AcqMcapWriter) writer =
        acq_mcap_writer_new (acq_mcap_output_new_for_memory (file), &options, NULL);

    acq_mcap_map_encode (map, pairs);
    for (guint id = 0; id < 2; id++) {
      AcqMcapChannel channel = {
        id, 0, acq_mcap_text ("/t"), acq_mcap_text ("cdr"), { map->data, map->len }
      };
      AcqMcapMessage message = { id, 0, times[id], times[id] };

      g_assert_true (acq_mcap_writer_add_channel (writer, &channel, NULL, NULL));
      g_assert_true (acq_mcap_writer_add_message (writer, &message, NULL));
    }
    g_assert_true (acq_mcap_writer_finish (writer, NULL));
    report = acq_mcap_verify ((AcqMcapSpan){ file->data, file->len }, ACQ_MCAP_VERIFY_ORDER);
    g_assert_cmpint (report->hold_back_ns, ==, 10 - i);
    g_assert_cmpuint (report->n_errors, ==, 0);
    g_assert_cmpuint (report->n_warnings, ==, i);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mcap/verify/sound", test_sound);
  g_test_add_func ("/mcap/verify/report", test_report);
  g_test_add_func ("/mcap/verify/damages", test_damages);
  g_test_add_func ("/mcap/verify/every-bit-counts", test_every_bit_counts);
  g_test_add_func ("/mcap/verify/cut", test_cut);
  g_test_add_func ("/mcap/verify/order", test_order);
  g_test_add_func ("/mcap/verify/hold-back", test_hold_back);
  return g_test_run ();
}
