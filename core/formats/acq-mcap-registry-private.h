/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-mcap.h>

/* The schemas, or the channels, that a writer was told of, by id. */

typedef struct {
  GByteArray *record; /* encoded; shared with the declared array once it is in the file */
  guint16 schema_id;
  guint number; /* dense, in order of registration */
  gpointer data;
  gboolean placed; /* in a block already */
} AcqMcapEntry;

typedef struct {
  AcqMcapEntry **entries; /* by id; mostly untouched memory */
  guint n;
  GPtrArray *declared; /* of GByteArray: placed, in file order */
  GByteArray *scratch;
} AcqMcapRegistry;

void acq_mcap_registry_init (AcqMcapRegistry *self);
void acq_mcap_registry_clear (AcqMcapRegistry *self);

/*
 * Registers a Schema or a Channel record under @id. The same record again gives
 * the entry that is there; another one under the same id is an error.
 */
AcqMcapEntry *acq_mcap_registry_add (AcqMcapRegistry *self, guint16 id, const AcqMcapRecord *record,
                                     GError **error);

/* (nullable) */
static inline AcqMcapEntry *
acq_mcap_registry_get (AcqMcapRegistry *self, guint16 id)
{
  return self->entries[id];
}

/* Notes that the record is in the file. */
void acq_mcap_registry_place (AcqMcapRegistry *self, AcqMcapEntry *entry);
