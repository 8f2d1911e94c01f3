/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-recovery-private.h"

gboolean
acq_mcap_recovery_has_loss (const AcqMcapRecovery *self)
{
  return self->lost_messages != 0 || self->lost_chunks != 0 || self->cut_chunks != 0 ||
         self->lost_attachments != 0 || self->lost_records != 0 || self->lost_bytes != 0;
}

void
acq_mcap_recovery_note (const AcqMcapRecovery *self, AcqMcapWriter *writer)
{
  const struct {
    const char *key;
    guint64 value;
  } counts[] = {
    { "messages", self->messages },
    { "lost_messages", self->lost_messages },
    { "lost_chunks", self->lost_chunks },
    { "cut_chunks", self->cut_chunks },
    { "lost_attachments", self->lost_attachments },
    { "lost_records", self->lost_records },
    { "lost_bytes", self->lost_bytes },
  };
  g_autoptr (GPtrArray) pairs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GByteArray) map = g_byte_array_new ();
  AcqMcapMetadata metadata = { acq_mcap_text ("acq.recovery") };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_ptr_array_add (pairs, g_strdup (counts[i].key));
    g_ptr_array_add (pairs, g_strdup_printf ("%" G_GUINT64_FORMAT, counts[i].value));
  }
  g_ptr_array_add (pairs, g_strdup ("had_end"));
  g_ptr_array_add (pairs, g_strdup (self->had_end ? "true" : "false"));
  g_ptr_array_add (pairs, NULL);
  acq_mcap_map_encode (map, (const char *const *) pairs->pdata);
  metadata.metadata = (AcqMcapSpan){ map->data, map->len };
  acq_mcap_writer_add_metadata (writer, &metadata);
}
