/* SPDX-License-Identifier: Apache-2.0 */
#include "mcap-rosbag2.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Text in double quotes, as YAML reads it. */
static void
append_quoted (GString *out, AcqMcapSpan text)
{
  g_string_append_c (out, '"');
  for (gsize i = 0; i < text.size; i++) {
    char c = (char) text.data[i];

    if (c == '\n')
      g_string_append (out, "\\n");
    else if (c == '"' || c == '\\')
      g_string_append_printf (out, "\\%c", c);
    else if ((guchar) c < 0x20)
      g_string_append_printf (out, "\\x%02x", c);
    else
      g_string_append_c (out, c);
  }
  g_string_append_c (out, '"');
}

static guint64
count_of (const AcqMcapStatistics *statistics, guint16 channel_id)
{
  for (gsize i = 0; i < statistics->channel_counts.size / 10; i++) {
    guint16 id;
    guint64 count;

    acq_mcap_count_get (statistics->channel_counts, i, &id, &count);
    if (id == channel_id)
      return count;
  }
  return 0;
}

static void
append_topic (GString *out, AcqMcapReader *reader, const AcqMcapSummary *summary,
              const AcqMcapChannel *channel)
{
  const AcqMcapSchema *schema = acq_mcap_reader_get_schema (reader, channel->schema_id);
  AcqMcapSpan qos = { NULL, 0 };

  acq_mcap_map_lookup (channel->metadata, "offered_qos_profiles", &qos);
  g_string_append (out, "    - topic_metadata:\n        name: ");
  append_quoted (out, channel->topic);
  g_string_append (out, "\n        type: ");
  append_quoted (out, schema != NULL ? schema->name : acq_mcap_text (""));
  g_string_append (out, "\n        serialization_format: cdr\n        offered_qos_profiles: ");
  append_quoted (out, qos);
  g_string_append_printf (out, "\n      message_count: %" G_GUINT64_FORMAT "\n",
                          count_of (&summary->statistics, channel->id));
}

/* Version 5: what every ROS 2 from Humble on reads. */
static GString *
compose (AcqMcapReader *reader, const AcqMcapSummary *summary, const char *mcap_path)
{
  const AcqMcapStatistics *statistics = &summary->statistics;
  guint64 duration = statistics->end_time - statistics->start_time;
  g_autofree char *name = g_path_get_basename (mcap_path);
  GString *out = g_string_new ("rosbag2_bagfile_information:\n"
                               "  version: 5\n"
                               "  storage_identifier: mcap\n");

  g_string_append_printf (out, "  duration:\n    nanoseconds: %" G_GUINT64_FORMAT "\n", duration);
  g_string_append_printf (out,
                          "  starting_time:\n    nanoseconds_since_epoch: %" G_GUINT64_FORMAT "\n",
                          statistics->start_time);
  g_string_append_printf (out, "  message_count: %" G_GUINT64_FORMAT "\n",
                          statistics->message_count);
  g_string_append (out, summary->channels->len != 0 ? "  topics_with_message_count:\n"
                                                    : "  topics_with_message_count: []\n");
  for (guint i = 0; i < summary->channels->len; i++)
    append_topic (out, reader, summary, &g_array_index (summary->channels, AcqMcapChannel, i));
  g_string_append (out, "  compression_format: \"\"\n"
                        "  compression_mode: \"\"\n"
                        "  relative_file_paths:\n    - ");
  append_quoted (out, acq_mcap_text (name));
  g_string_append (out, "\n  files:\n    - path: ");
  append_quoted (out, acq_mcap_text (name));
  g_string_append_printf (
      out,
      "\n      starting_time:\n        nanoseconds_since_epoch: %" G_GUINT64_FORMAT
      "\n      duration:\n        nanoseconds: %" G_GUINT64_FORMAT
      "\n      message_count: %" G_GUINT64_FORMAT "\n",
      statistics->start_time, duration, statistics->message_count);
  return out;
}

static gboolean
write_text (int fd, const char *path, const char *text, GError **error)
{
  gsize left = strlen (text);

  while (left != 0) {
    ssize_t n = write (fd, text, left);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      acq_set_error_errno (error, n < 0 ? errno : ENOSPC, "cannot write %s", path);
      return FALSE;
    }
    text += n;
    left -= n;
  }
  return TRUE;
}

gboolean
mcap_rosbag2_write (const char *mcap_path, AcqTake *take, AcqSink *sink, GError **error)
{
  g_autofree char *path = g_build_filename (acq_take_get_directory (take), "metadata.yaml", NULL);
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new_for_path (mcap_path, error);
  const AcqMcapSummary *summary =
      reader != NULL ? acq_mcap_reader_read_summary (reader, error) : NULL;
  g_autoptr (AcqPartFile) file = NULL;
  g_autoptr (GString) text = NULL;

  if (summary == NULL)
    return FALSE;
  file = acq_part_file_new (path, ACQ_PART_FILE_REPLACE, error);
  if (file == NULL)
    return FALSE;
  text = compose (reader, summary, mcap_path);
  if (!write_text (acq_part_file_get_fd (file), path, text->str, error) ||
      !acq_part_file_publish (file, error))
    return FALSE;
  acq_take_add_file (take, sink, path, text->len);
  return TRUE;
}
