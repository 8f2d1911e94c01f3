/* SPDX-License-Identifier: Apache-2.0 */

/* Texts, maps and arrays inside MCAP records. */

#include <acq/acq-mcap.h>

#include "formats/acq-le-private.h"

#define INDEX_ENTRY_SIZE 16
#define COUNT_ENTRY_SIZE 10

AcqMcapSpan
acq_mcap_text (const char *text)
{
  return (AcqMcapSpan){ (const guint8 *) text, text != NULL ? strlen (text) : 0 };
}

char *
acq_mcap_span_dup (AcqMcapSpan span)
{
  return g_utf8_make_valid (span.size != 0 ? (const char *) span.data : "", span.size);
}

gboolean
acq_mcap_span_equal (AcqMcapSpan a, AcqMcapSpan b)
{
  return a.size == b.size && (a.size == 0 || memcmp (a.data, b.data, a.size) == 0);
}

static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  return strcmp (**(const char *const *const *) a, **(const char *const *const *) b);
}

static void
append_text (GByteArray *out, const char *text)
{
  guint8 size[4];

  acq_le32_put (size, strlen (text));
  g_byte_array_append (out, size, sizeof size);
  g_byte_array_append (out, (const guint8 *) text, strlen (text));
}

void
acq_mcap_map_encode (GByteArray *out, const char *const *pairs)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();

  for (guint i = 0; pairs[i] != NULL; i += 2)
    g_ptr_array_add (sorted, (gpointer) &pairs[i]);
  g_ptr_array_sort (sorted, compare_pairs);
  for (guint i = 0; i < sorted->len; i++) {
    const char *const *pair = sorted->pdata[i];
    append_text (out, pair[0]);
    append_text (out, pair[1]);
  }
}

static gboolean
take_text (AcqMcapSpan bytes, gsize *inout_position, AcqMcapSpan *ret_text)
{
  gsize position = *inout_position;
  guint32 size;

  if (bytes.size - position < 4)
    return FALSE;
  size = acq_le32_get (bytes.data + position);
  position += 4;
  if (size > bytes.size - position)
    return FALSE;
  *ret_text = (AcqMcapSpan){ bytes.data + position, size };
  *inout_position = position + size;
  return TRUE;
}

gboolean
acq_mcap_map_next (AcqMcapSpan map, gsize *inout_position, AcqMcapSpan *ret_key,
                   AcqMcapSpan *ret_value)
{
  gsize position = *inout_position;
  AcqMcapSpan key, value;

  if (!take_text (map, &position, &key) || !take_text (map, &position, &value))
    return FALSE;
  *ret_key = key;
  *ret_value = value;
  *inout_position = position;
  return TRUE;
}

gboolean
acq_mcap_map_lookup (AcqMcapSpan map, const char *key, AcqMcapSpan *ret_value)
{
  AcqMcapSpan wanted = acq_mcap_text (key);
  AcqMcapSpan found, value;
  gsize position = 0;

  while (acq_mcap_map_next (map, &position, &found, &value))
    if (acq_mcap_span_equal (found, wanted)) {
      *ret_value = value;
      return TRUE;
    }
  return FALSE;
}

void
acq_mcap_message_index_get (AcqMcapSpan entries, gsize i, guint64 *ret_log_time,
                            guint64 *ret_offset)
{
  const guint8 *at = entries.data + i * INDEX_ENTRY_SIZE;

  *ret_log_time = acq_le64_get (at);
  *ret_offset = acq_le64_get (at + 8);
}

void
acq_mcap_count_get (AcqMcapSpan counts, gsize i, guint16 *ret_channel_id, guint64 *ret_value)
{
  const guint8 *at = counts.data + i * COUNT_ENTRY_SIZE;

  *ret_channel_id = acq_le16_get (at);
  *ret_value = acq_le64_get (at + 2);
}
