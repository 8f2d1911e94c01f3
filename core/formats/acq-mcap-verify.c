/* SPDX-License-Identifier: Apache-2.0 */

/* The data section from front to back. Chunks and the summary have files of their own. */

#include <acq/acq-error.h>
#include <acq/acq-mcap-verify.h>

#include "formats/acq-crc32-private.h"
#include "formats/acq-mcap-verify-private.h"

#include <string.h>

#define MAX_PROBLEMS 1000

static void
problem_free (gpointer data)
{
  AcqMcapProblem *self = data;

  g_free (self->text);
  g_free (self);
}

static void
channel_count_free (gpointer data)
{
  AcqMcapChannelCount *self = data;

  g_free (self->topic);
  g_free (self);
}

void
acq_mcap_report_free (AcqMcapReport *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->problems);
  g_ptr_array_unref (self->channels);
  g_free (self);
}

void
acq_verify_problem (AcqVerify *self, gboolean is_error, guint64 offset, const char *format, ...)
{
  AcqMcapReport *report = self->report;
  AcqMcapProblem *problem;
  va_list args;

  if (is_error)
    report->n_errors++;
  else
    report->n_warnings++;
  if (report->problems->len == MAX_PROBLEMS)
    return;
  problem = g_new0 (AcqMcapProblem, 1);
  problem->is_error = is_error;
  problem->offset = offset;
  va_start (args, format);
  problem->text = g_strdup_vprintf (format, args);
  va_end (args);
  g_ptr_array_add (report->problems, problem);
}

gboolean
acq_verify_decode (AcqVerify *self, guint64 offset, guint8 opcode, AcqMcapSpan content,
                   AcqMcapRecord *ret_record)
{
  g_autoptr (GError) error = NULL;

  if (acq_mcap_opcode_name (opcode) == NULL) {
    acq_verify_problem (self, opcode == 0, offset, "a record of unknown kind 0x%02x", opcode);
    return FALSE;
  }
  if (acq_mcap_decode (opcode, content, ret_record, &error))
    return TRUE;
  acq_verify_problem (self, TRUE, offset, "%s", error->message);
  return FALSE;
}

static void
known_free (gpointer data)
{
  AcqVerifyKnown *self = data;

  g_free (self->content);
  g_free (self);
}

static void
init (AcqVerify *self, AcqMcapSpan file, AcqMcapVerifyFlags flags)
{
  *self = (AcqVerify){ .file = file, .flags = flags };
  self->report = g_new0 (AcqMcapReport, 1);
  self->report->problems = g_ptr_array_new_with_free_func (problem_free);
  self->report->hold_back_ns = -1;
  self->report->channels = g_ptr_array_new_with_free_func (channel_count_free);
  self->schemas = g_hash_table_new_full (NULL, NULL, NULL, known_free);
  self->channels = g_hash_table_new_full (NULL, NULL, NULL, known_free);
  self->channel_order = g_ptr_array_new ();
  self->chunks = g_array_new (FALSE, FALSE, sizeof (AcqVerifyChunk));
  self->indexes = g_array_new (FALSE, FALSE, sizeof (AcqVerifyIndex));
  self->attachments = g_array_new (FALSE, FALSE, sizeof (AcqVerifyExtra));
  self->metadata = g_array_new (FALSE, FALSE, sizeof (AcqVerifyExtra));
  self->messages = g_array_new (FALSE, FALSE, sizeof (AcqVerifyMessage));
  self->entries = g_array_new (FALSE, FALSE, sizeof (AcqVerifyMessage));
}

static AcqMcapReport *
clear (AcqVerify *self)
{
  for (guint i = 0; i < self->channel_order->len; i++) {
    AcqVerifyKnown *known = self->channel_order->pdata[i];
    AcqMcapChannelCount *count = g_new0 (AcqMcapChannelCount, 1);

    count->id = known->record.channel.id;
    count->topic = acq_mcap_span_dup (known->record.channel.topic);
    count->n_messages = known->n_messages;
    g_ptr_array_add (self->report->channels, count);
  }
  self->report->n_schemas = g_hash_table_size (self->schemas);
  g_hash_table_unref (self->schemas);
  g_hash_table_unref (self->channels);
  g_ptr_array_unref (self->channel_order);
  g_array_unref (self->chunks);
  g_array_unref (self->indexes);
  g_array_unref (self->attachments);
  g_array_unref (self->metadata);
  g_array_unref (self->messages);
  g_array_unref (self->entries);
  acq_mcap_room_clear (&self->room);
  return self->report;
}

static void
verify_header (AcqVerify *self, guint64 offset, const AcqMcapHeader *header)
{
  if (offset != ACQ_MCAP_MAGIC_SIZE)
    acq_verify_problem (self, TRUE, offset, "a Header that is not the first record");
  if (header->library.size == 0)
    acq_verify_problem (self, FALSE, offset, "the Header names no library");
  if (header->profile.size != 0 && !acq_mcap_span_equal (header->profile, acq_mcap_text ("ros1")) &&
      !acq_mcap_span_equal (header->profile, acq_mcap_text ("ros2"))) {
    g_autofree char *profile = acq_mcap_span_dup (header->profile);
    acq_verify_problem (self, FALSE, offset, "the profile '%s' is not a known one", profile);
  }
}

static void
verify_data_end (AcqVerify *self, guint64 offset, AcqMcapSpan content,
                 const AcqMcapDataEnd *data_end)
{
  guint32 crc;

  self->data_end = offset;
  if (content.size != 4)
    acq_verify_problem (self, TRUE, offset, "DataEnd has %" G_GSIZE_FORMAT " bytes instead of 4",
                        content.size);
  if (data_end->data_section_crc == 0)
    return;
  crc = acq_crc32 (0, self->file.data, offset);
  if (crc != data_end->data_section_crc)
    acq_verify_problem (self, TRUE, offset, "the data section has CRC 0x%08x, DataEnd says 0x%08x",
                        crc, data_end->data_section_crc);
}

static void
verify_extra (AcqVerify *self, guint64 offset, AcqMcapSpan content, const AcqMcapRecord *record)
{
  AcqVerifyExtra extra = { offset, ACQ_MCAP_FRAMING_SIZE + content.size, *record };

  if (record->opcode == ACQ_MCAP_METADATA) {
    self->report->n_metadata++;
    g_array_append_val (self->metadata, extra);
    return;
  }
  self->report->n_attachments++;
  g_array_append_val (self->attachments, extra);
  if (!acq_mcap_attachment_is_intact (content, record->attachment.crc))
    acq_verify_problem (self, TRUE, offset, "the CRC of an attachment is wrong");
}

static void
verify_top_record (AcqVerify *self, guint64 offset, guint8 opcode, AcqMcapSpan content)
{
  AcqMcapRecord record;

  if (opcode != ACQ_MCAP_MESSAGE_INDEX)
    acq_verify_chunk_end (self);
  if (offset == ACQ_MCAP_MAGIC_SIZE && opcode != ACQ_MCAP_HEADER)
    acq_verify_problem (self, TRUE, offset, "the first record is not a Header");
  if (!acq_verify_decode (self, offset, opcode, content, &record))
    return;
  switch (opcode) {
  case ACQ_MCAP_HEADER:
    verify_header (self, offset, &record.header);
    break;
  case ACQ_MCAP_SCHEMA:
  case ACQ_MCAP_CHANNEL:
  case ACQ_MCAP_MESSAGE:
    acq_verify_record (self, offset, opcode, content, &record, FALSE);
    break;
  case ACQ_MCAP_CHUNK:
    acq_verify_chunk (self, offset, &record.chunk);
    break;
  case ACQ_MCAP_MESSAGE_INDEX:
    acq_verify_message_index (self, offset, &record.message_index,
                              ACQ_MCAP_FRAMING_SIZE + content.size);
    break;
  case ACQ_MCAP_ATTACHMENT:
  case ACQ_MCAP_METADATA:
    verify_extra (self, offset, content, &record);
    break;
  case ACQ_MCAP_DATA_END:
    verify_data_end (self, offset, content, &record.data_end);
    break;
  default:
    acq_verify_problem (self, TRUE, offset, "a %s record does not belong in the data section",
                        acq_mcap_opcode_name (opcode));
    break;
  }
}

/* Across channels a recorder promises order to within a time that it states. */
static void
verify_hold_back (AcqVerify *self)
{
  AcqMcapReport *report = self->report;

  for (guint i = 0; i < self->channel_order->len; i++) {
    const AcqVerifyKnown *known = self->channel_order->pdata[i];
    g_autofree char *text = NULL;
    AcqMcapSpan value;

    if (!acq_mcap_map_lookup (known->record.channel.metadata, "acq.hold_back_ns", &value))
      continue;
    text = acq_mcap_span_dup (value);
    report->hold_back_ns = MAX (report->hold_back_ns, g_ascii_strtoll (text, NULL, 10));
  }
  if (report->hold_back_ns >= 0 && report->max_step_back_ns > (guint64) report->hold_back_ns)
    acq_verify_problem (self, FALSE, 0,
                        "log times go back by %" G_GUINT64_FORMAT
                        " ns across channels, which promise %" G_GINT64_FORMAT " ns at most",
                        report->max_step_back_ns, report->hold_back_ns);
}

static void
verify_file (AcqVerify *self)
{
  g_autoptr (GError) error = NULL;
  gsize position = ACQ_MCAP_MAGIC_SIZE;
  AcqMcapSpan content;
  guint8 opcode;

  if (self->file.size < ACQ_MCAP_MAGIC_SIZE ||
      memcmp (self->file.data, ACQ_MCAP_MAGIC, ACQ_MCAP_MAGIC_SIZE) != 0) {
    acq_verify_problem (self, TRUE, 0, "the file does not begin with the magic bytes");
    return;
  }
  while (self->data_end == 0) {
    guint64 offset = position;

    if (!acq_mcap_next (self->file, &position, &opcode, &content, &error)) {
      acq_verify_problem (self, TRUE, offset, "the data section has no end: %s",
                          error != NULL ? error->message : "the file just stops");
      return;
    }
    verify_top_record (self, offset, opcode, content);
  }
  if (self->has_loose_messages && self->chunks->len != 0)
    acq_verify_problem (self, FALSE, 0,
                        "some messages are in chunks and some are not: indexed readers miss those");
  verify_hold_back (self);
  acq_verify_summary (self, position);
}

AcqMcapReport *
acq_mcap_verify (AcqMcapSpan file, AcqMcapVerifyFlags flags)
{
  AcqVerify self;

  init (&self, file, flags);
  verify_file (&self);
  return clear (&self);
}

AcqMcapReport *
acq_mcap_verify_path (const char *path, AcqMcapVerifyFlags flags, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GMappedFile) map = g_mapped_file_new (path, FALSE, &local_error);
  AcqMcapSpan file;

  if (map == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_IO, "cannot read '%s': %s", path,
                 local_error->message);
    return NULL;
  }
  file.data = (const guint8 *) g_mapped_file_get_contents (map);
  file.size = g_mapped_file_get_length (map);
  return acq_mcap_verify (file, flags);
}
