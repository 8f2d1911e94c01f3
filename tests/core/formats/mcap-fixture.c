/* SPDX-License-Identifier: Apache-2.0 */
#include "mcap-fixture.h"

#include <string.h>

/* --- messages ----------------------------------------------------------- */

static guint32
mix (guint32 x)
{
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

AcqMcapMessage
mcap_load_message (const McapLoad *load, guint i, GByteArray *buffer)
{
  guint32 random = mix (load->seed * 1000003u + i);
  gsize size = load->max_size == 0 ? 0 : random % (load->max_size + 1);

  g_byte_array_set_size (buffer, size);
  for (gsize j = 0; j < size; j++) /* repeats enough to shrink, not enough to vanish */
    buffer->data[j] = (mix (random + j / 7) & 0x3f) + (j & 1);
  return (AcqMcapMessage){
    .channel_id = random % load->n_channels,
    .sequence = i + 1,
    .log_time = (guint64) i * 1000, /* the first one at 0, which is a time like any other */
    .publish_time = (guint64) i * 1000 + random % 7,
    .data = { buffer->data, size },
  };
}

static gboolean
declare (const McapLoad *load, AcqMcapWriter *writer, GError **error)
{
  static const char *const metadata[] = { "side", "left", "axes", "xyz", NULL };
  g_autoptr (GByteArray) map = g_byte_array_new ();
  AcqMcapSchema schema = { 1, acq_mcap_text ("test/msg/Bytes"), acq_mcap_text ("ros2msg"),
                           acq_mcap_text ("uint8[] data\n") };

  acq_mcap_map_encode (map, metadata);
  if (!acq_mcap_writer_add_schema (writer, &schema, error))
    return FALSE;
  for (guint i = 0; i < load->n_channels; i++) {
    g_autofree char *topic = g_strdup_printf ("/channel/%u", i);
    AcqMcapChannel channel = {
      i, i % 2, acq_mcap_text (topic), acq_mcap_text ("cdr"), { map->data, map->len }
    };
    if (!acq_mcap_writer_add_channel (writer, &channel, GUINT_TO_POINTER (i + 1), error))
      return FALSE;
  }
  return TRUE;
}

gboolean
mcap_load_write (const McapLoad *load, AcqMcapWriter *writer, GError **error)
{
  g_autoptr (GByteArray) buffer = g_byte_array_new ();

  if (!declare (load, writer, error))
    return FALSE;
  for (guint i = 0; i < load->n_messages; i++) {
    AcqMcapMessage message = mcap_load_message (load, i, buffer);
    if (!acq_mcap_writer_add_message (writer, &message, error))
      return FALSE;
  }
  return TRUE;
}

void
mcap_load_check (const McapLoad *load, GByteArray *file, guint n)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (file->data, file->len);
  g_autoptr (GByteArray) buffer = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new (bytes, &error);
  AcqMcapMessage found;
  guint i = 0;

  g_assert_no_error (error);
  while (acq_mcap_reader_next_message (reader, &found, &error)) {
    AcqMcapMessage wanted = mcap_load_message (load, i++, buffer);
    g_autofree char *topic = g_strdup_printf ("/channel/%u", wanted.channel_id);

    g_assert_cmpuint (found.channel_id, ==, wanted.channel_id);
    g_assert_cmpuint (found.sequence, ==, wanted.sequence);
    g_assert_cmpuint (found.log_time, ==, wanted.log_time);
    g_assert_cmpuint (found.publish_time, ==, wanted.publish_time);
    g_assert_cmpmem (found.data.data, found.data.size, wanted.data.data, wanted.data.size);
    g_assert_true (acq_mcap_span_equal (
        acq_mcap_reader_get_channel (reader, found.channel_id)->topic, acq_mcap_text (topic)));
  }
  g_assert_no_error (error);
  g_assert_cmpuint (i, ==, n);
}

guint
mcap_load_check_some (const McapLoad *load, GByteArray *file)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (file->data, file->len);
  g_autoptr (GByteArray) buffer = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new (bytes, &error);
  AcqMcapMessage found;
  guint32 last = 0;
  guint n = 0;

  g_assert_no_error (error);
  for (; acq_mcap_reader_next_message (reader, &found, &error); n++) {
    AcqMcapMessage wanted;

    g_assert_cmpuint (found.sequence, >, last);
    last = found.sequence;
    g_assert_cmpuint (last, <=, load->n_messages);
    wanted = mcap_load_message (load, last - 1, buffer);
    g_assert_cmpuint (found.channel_id, ==, wanted.channel_id);
    g_assert_cmpuint (found.log_time, ==, wanted.log_time);
    g_assert_cmpmem (found.data.data, found.data.size, wanted.data.data, wanted.data.size);
  }
  g_assert_no_error (error);
  return n;
}

GByteArray *
mcap_load_file (const McapLoad *load, const AcqMcapWriterOptions *options)
{
  GByteArray *file = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapWriter) writer =
      acq_mcap_writer_new (acq_mcap_output_new_for_memory (file), options, &error);

  g_assert_no_error (error);
  g_assert_true (mcap_load_write (load, writer, &error));
  g_assert_true (acq_mcap_writer_finish (writer, &error));
  g_assert_no_error (error);
  return file;
}

/* --- a disk that fails -------------------------------------------------- */

typedef struct {
  GByteArray *bytes;
  gsize limit;
  int saved_errno;
} Faulty;

static gboolean
faulty_write (gpointer data, struct iovec *iov, guint n_iov, GError **error)
{
  Faulty *self = data;

  for (guint i = 0; i < n_iov; i++) {
    gsize room = self->limit > self->bytes->len ? self->limit - self->bytes->len : 0;
    gsize size = MIN (room, iov[i].iov_len);

    g_byte_array_append (self->bytes, iov[i].iov_base, size);
    if (size < iov[i].iov_len) {
      acq_set_error_errno (error, self->saved_errno, "cannot write the test output");
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
faulty_truncate (gpointer data, guint64 size, GError **error)
{
  Faulty *self = data;

  g_byte_array_set_size (self->bytes, size);
  self->limit = G_MAXSIZE; /* what was cut off leaves room for the end */
  return TRUE;
}

static void
faulty_free (gpointer data)
{
  Faulty *self = data;

  g_byte_array_unref (self->bytes);
  g_free (self);
}

AcqMcapOutput *
mcap_faulty_output (GByteArray *bytes, gsize limit, int saved_errno, gboolean can_truncate)
{
  static const AcqMcapOutputFuncs with_truncate = { .write = faulty_write,
                                                    .truncate = faulty_truncate,
                                                    .free = faulty_free };
  static const AcqMcapOutputFuncs without_truncate = { .write = faulty_write, .free = faulty_free };
  Faulty *self = g_new0 (Faulty, 1);

  self->bytes = g_byte_array_ref (bytes);
  self->limit = limit;
  self->saved_errno = saved_errno;
  return acq_mcap_output_new (can_truncate ? &with_truncate : &without_truncate, self);
}

/* --- checks ------------------------------------------------------------- */

char *
mcap_problems (const AcqMcapReport *report)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < report->problems->len; i++) {
    const AcqMcapProblem *problem = report->problems->pdata[i];
    g_string_append_printf (text, "%s at %" G_GUINT64_FORMAT ": %s\n",
                            problem->is_error ? "error" : "warning", problem->offset,
                            problem->text);
  }
  return g_string_free (text, FALSE);
}

void
mcap_assert_sound (GByteArray *file)
{
  AcqMcapSpan span = { file->data, file->len };
  g_autoptr (AcqMcapReport) report = acq_mcap_verify (span, ACQ_MCAP_VERIFY_ORDER);
  g_autofree char *problems = mcap_problems (report);

  g_assert_cmpstr (problems, ==, "");
}
