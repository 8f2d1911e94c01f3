/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-registry-private.h"

#include <acq/acq-error.h>

#include <string.h>

#define N_IDS 65536

void
acq_mcap_registry_init (AcqMcapRegistry *self)
{
  self->entries = g_new0 (AcqMcapEntry *, N_IDS);
  self->n = 0;
  self->declared = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
  self->scratch = g_byte_array_new ();
}

void
acq_mcap_registry_clear (AcqMcapRegistry *self)
{
  for (guint left = self->n, id = 0; left != 0; id++) {
    AcqMcapEntry *entry = self->entries[id];

    if (entry == NULL)
      continue;
    g_byte_array_unref (entry->record);
    g_free (entry);
    left--;
  }
  g_free (self->entries);
  g_ptr_array_unref (self->declared);
  g_byte_array_unref (self->scratch);
}

AcqMcapEntry *
acq_mcap_registry_add (AcqMcapRegistry *self, guint16 id, const AcqMcapRecord *record,
                       GError **error)
{
  AcqMcapEntry *entry = self->entries[id];
  GByteArray *bytes = self->scratch;

  g_byte_array_set_size (bytes, 0);
  acq_mcap_encode (bytes, record);
  if (entry == NULL) {
    self->entries[id] = entry = g_new0 (AcqMcapEntry, 1);
    entry->record = g_byte_array_sized_new (bytes->len);
    entry->number = self->n++;
    g_byte_array_append (entry->record, bytes->data, bytes->len);
    return entry;
  }
  if (entry->record->len != bytes->len ||
      memcmp (entry->record->data, bytes->data, bytes->len) != 0) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "%s %u is declared already, with another content",
                 acq_mcap_opcode_name (record->opcode), id);
    return NULL;
  }
  return entry;
}

void
acq_mcap_registry_place (AcqMcapRegistry *self, AcqMcapEntry *entry)
{
  g_ptr_array_add (self->declared, g_byte_array_ref (entry->record));
  entry->placed = TRUE;
}
