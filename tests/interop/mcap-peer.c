/* SPDX-License-Identifier: Apache-2.0 */

/*
 * mcap-peer FILE COMPRESSION CHUNK-SIZE WORKERS: writes a file for test-mcap.js,
 * which knows by the same rules what must be in it.
 *
 * Message i of 3000 is on channel i % 4, a std_msgs/Float64MultiArray-like type
 * with i % 50 values i + j / 8, logged at 1e18 + i * 1000.
 */

#include <acq/acq.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_MESSAGES 3000
#define N_CHANNELS 4

static gsize
encode (guint8 *out, guint i)
{
  static const guint8 encapsulation[] = { 0, 1, 0, 0 };
  guint32 index = i, n = i % 50;

  memcpy (out, encapsulation, 4);
  memcpy (out + 4, &index, 4);
  memcpy (out + 8, &n, 4);
  memset (out + 12, 0, 4); /* doubles are aligned to 8, counted from byte 4 */
  if (n == 0)
    return 12;
  for (guint j = 0; j < n; j++) {
    double value = i + j / 8.0;
    memcpy (out + 12 + (gsize) j * 8, &value, 8);
  }
  return 12 + (gsize) n * 8;
}

static gboolean
declare (AcqMcapWriter *writer, GError **error)
{
  static const char *const pairs[] = { "offered_qos_profiles", "[]", "side", "left", NULL };
  g_autoptr (GByteArray) map = g_byte_array_new ();
  AcqMcapSchema schema = { 7, acq_mcap_text ("test_msgs/msg/Values"), acq_mcap_text ("ros2msg"),
                           acq_mcap_text ("uint32 index\nfloat64[] values\n") };

  acq_mcap_map_encode (map, pairs);
  if (!acq_mcap_writer_add_schema (writer, &schema, error))
    return FALSE;
  for (guint i = 0; i < N_CHANNELS; i++) {
    g_autofree char *topic = g_strdup_printf ("/values/%u", i);
    AcqMcapChannel channel = {
      i, 7, acq_mcap_text (topic), acq_mcap_text ("cdr"), { map->data, map->len }
    };
    if (!acq_mcap_writer_add_channel (writer, &channel, NULL, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_extras (AcqMcapWriter *writer, GError **error)
{
  static const char *const pairs[] = { "task", "pour", NULL };
  g_autoptr (GByteArray) map = g_byte_array_new ();
  AcqMcapAttachment attachment = { 5, 6, acq_mcap_text ("a.json"),
                                   acq_mcap_text ("application/json"), acq_mcap_text ("{}") };
  AcqMcapMetadata metadata = { acq_mcap_text ("session") };

  acq_mcap_map_encode (map, pairs);
  metadata.metadata = (AcqMcapSpan){ map->data, map->len };
  acq_mcap_writer_add_metadata (writer, &metadata);
  return acq_mcap_writer_add_attachment (writer, &attachment, error);
}

static gboolean
write_file (const char *path, const AcqMcapWriterOptions *options, GError **error)
{
  AcqMcapOutput *output = acq_mcap_output_new_for_path (path, error);
  g_autoptr (AcqMcapWriter) writer = NULL;

  if (output == NULL)
    return FALSE;
  writer = acq_mcap_writer_new (output, options, error);
  if (writer == NULL || !declare (writer, error))
    return FALSE;
  for (guint i = 0; i < N_MESSAGES; i++) {
    guint64 log_time = G_GUINT64_CONSTANT (1000000000000000000) + (guint64) i * 1000;
    guint8 *out = acq_mcap_writer_begin (writer, i % N_CHANNELS, 16 + 50 * 8, error);

    if (out == NULL)
      return FALSE;
    acq_mcap_writer_commit (writer, encode (out, i), i, log_time, log_time - 5);
    if (i == N_MESSAGES / 2 && !add_extras (writer, error))
      return FALSE;
  }
  return acq_mcap_writer_finish (writer, error);
}

int
main (int argc, char **argv)
{
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;

  if (argc != 5)
    return 2;
  options.profile = "ros2";
  for (int c = ACQ_MCAP_COMPRESSION_NONE; c <= ACQ_MCAP_COMPRESSION_ZSTD; c++)
    if (g_str_equal (argv[2], acq_mcap_compression_name (c)))
      options.compression = c;
  options.chunk_size = (gsize) g_ascii_strtoull (argv[3], NULL, 10);
  options.workers = (guint) g_ascii_strtoull (argv[4], NULL, 10);
  if (write_file (argv[1], &options, &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
