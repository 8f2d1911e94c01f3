/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-npz.h>

/* What is in the directory of a spool. */
typedef struct {
  GPtrArray *tables; /* of AcqNpyTable, in order of their stems */
  GPtrArray *texts;  /* of AcqNpzText, `meta` first */
} AcqNpzContent;

typedef struct {
  char *key;
  char *json;
} AcqNpzText;

/* @report counts what cannot be read, if @flags allow that. */
gboolean acq_npz_content_load (AcqNpzContent *self, const char *directory, AcqNpzSpoolFlags flags,
                               AcqNpzReport *report, GError **error);
void acq_npz_content_clear (AcqNpzContent *self);

/* Adds to `meta` what the tables know, and what was recovered. */
gboolean acq_npz_content_complete_meta (AcqNpzContent *self, AcqNpzSpoolFlags flags,
                                        const AcqNpzReport *report, GError **error);

/* The prefix of the table's keys: its file name without `.npy`. Transfer full. */
char *acq_npz_table_dup_stem (AcqNpyTable *table);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AcqNpzContent, acq_npz_content_clear)
