/* SPDX-License-Identifier: Apache-2.0 */

/*
 * mcap-conformance CASE.json  writes the file that a case of the MCAP
 *                             conformance suite describes to standard output
 * mcap-conformance DIR        compares every case below DIR with the file beside
 *                             it, byte for byte, and prints passed/total
 *
 * A case lists records and, as features, the parts of the file that are on.
 * Records behind DataEnd are what the writer must add by itself. Cases with
 * padded records ("pad") are for readers.
 */

#include <acq/acq-mcap-writer.h>

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *feature;
  AcqMcapParts part;
} features[] = {
  { "ch", ACQ_MCAP_PART_CHUNKS },           { "mx", ACQ_MCAP_PART_MESSAGE_INDEX },
  { "st", ACQ_MCAP_PART_STATISTICS },       { "rsh", ACQ_MCAP_PART_REPEAT_SCHEMAS },
  { "rch", ACQ_MCAP_PART_REPEAT_CHANNELS }, { "ax", ACQ_MCAP_PART_ATTACHMENT_INDEX },
  { "mdx", ACQ_MCAP_PART_METADATA_INDEX },  { "chx", ACQ_MCAP_PART_CHUNK_INDEX },
  { "sum", ACQ_MCAP_PART_SUMMARY_OFFSETS },
};

static JsonNode *
field (JsonArray *fields, const char *name)
{
  for (guint i = 0; i < json_array_get_length (fields); i++) {
    JsonArray *pair = json_array_get_array_element (fields, i);
    if (g_str_equal (json_array_get_string_element (pair, 0), name))
      return json_array_get_element (pair, 1);
  }
  g_error ("the record has no field '%s'", name);
}

static guint64
number (JsonArray *fields, const char *name)
{
  return g_ascii_strtoull (json_node_get_string (field (fields, name)), NULL, 10);
}

static AcqMcapSpan
text (JsonArray *fields, const char *name)
{
  return acq_mcap_text (json_node_get_string (field (fields, name)));
}

/* Bytes are arrays of decimal strings. */
static AcqMcapSpan
bytes (JsonArray *fields, const char *name, GByteArray *store)
{
  JsonArray *values = json_node_get_array (field (fields, name));

  for (guint i = 0; i < json_array_get_length (values); i++) {
    guint8 byte = atoi (json_array_get_string_element (values, i));
    g_byte_array_append (store, &byte, 1);
  }
  return (AcqMcapSpan){ store->data, store->len };
}

static AcqMcapSpan
map (JsonArray *fields, const char *name, GByteArray *store)
{
  JsonObject *object = json_node_get_object (field (fields, name));
  g_autoptr (GPtrArray) pairs = g_ptr_array_new ();
  g_autoptr (GList) keys = json_object_get_members (object);

  for (GList *key = keys; key != NULL; key = key->next) {
    g_ptr_array_add (pairs, key->data);
    g_ptr_array_add (pairs, (gpointer) json_object_get_string_member (object, key->data));
  }
  g_ptr_array_add (pairs, NULL);
  acq_mcap_map_encode (store, (const char *const *) pairs->pdata);
  return (AcqMcapSpan){ store->data, store->len };
}

static gboolean
add_schema (AcqMcapWriter *writer, JsonArray *fields, GByteArray *store, GError **error)
{
  AcqMcapSchema schema = { number (fields, "id"), text (fields, "name"), text (fields, "encoding"),
                           bytes (fields, "data", store) };

  return acq_mcap_writer_add_schema (writer, &schema, error);
}

static gboolean
add_channel (AcqMcapWriter *writer, JsonArray *fields, GByteArray *store, GError **error)
{
  AcqMcapChannel channel = { number (fields, "id"), number (fields, "schema_id"),
                             text (fields, "topic"), text (fields, "message_encoding"),
                             map (fields, "metadata", store) };

  return acq_mcap_writer_add_channel (writer, &channel, NULL, error);
}

static gboolean
add_message (AcqMcapWriter *writer, JsonArray *fields, GByteArray *store, GError **error)
{
  AcqMcapMessage message = { number (fields, "channel_id"), number (fields, "sequence"),
                             number (fields, "log_time"), number (fields, "publish_time"),
                             bytes (fields, "data", store) };

  return acq_mcap_writer_add_message (writer, &message, error);
}

static gboolean
add_attachment (AcqMcapWriter *writer, JsonArray *fields, GByteArray *store, GError **error)
{
  AcqMcapAttachment attachment = { number (fields, "log_time"), number (fields, "create_time"),
                                   text (fields, "name"), text (fields, "media_type"),
                                   bytes (fields, "data", store) };

  return acq_mcap_writer_add_attachment (writer, &attachment, error);
}

static gboolean
add_metadata (AcqMcapWriter *writer, JsonArray *fields, GByteArray *store, GError **error)
{
  AcqMcapMetadata metadata = { text (fields, "name"), map (fields, "metadata", store) };

  acq_mcap_writer_add_metadata (writer, &metadata);
  return TRUE;
}

static const struct {
  const char *type;
  gboolean (*add) (AcqMcapWriter *writer, JsonArray *fields, GByteArray *store, GError **error);
} adders[] = {
  { "Schema", add_schema },         { "Channel", add_channel },   { "Message", add_message },
  { "Attachment", add_attachment }, { "Metadata", add_metadata },
};

static gboolean
add_record (AcqMcapWriter *writer, JsonObject *record, GError **error)
{
  const char *type = json_object_get_string_member (record, "type");
  g_autoptr (GByteArray) store = g_byte_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (adders); i++)
    if (g_str_equal (adders[i].type, type))
      return adders[i].add (writer, json_object_get_array_member (record, "fields"), store, error);
  g_error ("a record of type '%s' in the data section", type);
}

static AcqMcapParts
read_parts (JsonObject *root)
{
  JsonObject *meta = json_object_get_object_member (root, "meta");
  JsonObject *variant = json_object_get_object_member (meta, "variant");
  JsonArray *names = json_object_get_array_member (variant, "features");
  AcqMcapParts parts = ACQ_MCAP_PART_CHUNK_CRC | ACQ_MCAP_PART_ATTACHMENT_CRC |
                       ACQ_MCAP_PART_DATA_CRC | ACQ_MCAP_PART_SUMMARY_CRC |
                       ACQ_MCAP_PART_CHANNELS_IN_CHUNKS;

  for (guint i = 0; i < json_array_get_length (names); i++)
    for (guint j = 0; j < G_N_ELEMENTS (features); j++)
      if (g_str_equal (features[j].feature, json_array_get_string_element (names, i)))
        parts |= features[j].part;
  return parts;
}

static gboolean
write_records (JsonObject *root, AcqMcapOutput *output, GError **error)
{
  JsonArray *records = json_object_get_array_member (root, "records");
  JsonArray *header =
      json_object_get_array_member (json_array_get_object_element (records, 0), "fields");
  AcqMcapWriterOptions options = ACQ_MCAP_WRITER_OPTIONS_INIT;
  g_autoptr (AcqMcapWriter) writer = NULL;

  options.parts = read_parts (root);
  options.profile = json_node_get_string (field (header, "profile"));
  options.library = json_node_get_string (field (header, "library"));
  writer = acq_mcap_writer_new (output, &options, error);
  if (writer == NULL)
    return FALSE;
  for (guint i = 1; i < json_array_get_length (records); i++) {
    JsonObject *record = json_array_get_object_element (records, i);
    if (g_str_equal (json_object_get_string_member (record, "type"), "DataEnd"))
      break;
    if (!add_record (writer, record, error))
      return FALSE;
  }
  return acq_mcap_writer_finish (writer, error);
}

static gboolean
write_case (const char *path, AcqMcapOutput *output, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();

  if (!json_parser_load_from_file (parser, path, error)) {
    acq_mcap_output_free (output);
    return FALSE;
  }
  return write_records (json_node_get_object (json_parser_get_root (parser)), output, error);
}

static gboolean
case_passes (const char *path)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *stem = g_strndup (path, strlen (path) - strlen (".json"));
  g_autofree char *wanted_path = g_strconcat (stem, ".mcap", NULL);
  g_autofree char *wanted = NULL;
  gsize size;

  if (!write_case (path, acq_mcap_output_new_for_memory (bytes), &error) ||
      !g_file_get_contents (wanted_path, &wanted, &size, &error)) {
    printf ("FAIL %s: %s\n", path, error->message);
    return FALSE;
  }
  if (size == bytes->len && memcmp (wanted, bytes->data, size) == 0)
    return TRUE;
  printf ("FAIL %s: differs from the file beside it\n", path);
  return FALSE;
}

static void
run_directory (const char *path, guint *passed, guint *total)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);
    if (g_file_test (child, G_FILE_TEST_IS_DIR)) {
      run_directory (child, passed, total);
    } else if (g_str_has_suffix (name, ".json") && strstr (name, "-pad") == NULL) {
      *passed += case_passes (child);
      *total += 1;
    }
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  guint passed = 0, total = 0;

  if (argc != 2) {
    fprintf (stderr, "usage: %s DIR | CASE.json > CASE.mcap\n", argv[0]);
    return 2;
  }
  if (g_file_test (argv[1], G_FILE_TEST_IS_DIR)) {
    run_directory (argv[1], &passed, &total);
    printf ("%u/%u\n", passed, total);
    return total != 0 && passed == total ? 0 : 1;
  }
  if (!write_case (argv[1], acq_mcap_output_new_for_fd (dup (STDOUT_FILENO), "stdout"), &error)) {
    fprintf (stderr, "%s: %s\n", argv[1], error->message);
    return 1;
  }
  return 0;
}
