/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "npz-layout.h"

/* What the options say. Strings belong to the node. */
typedef struct {
  AcqZipMethod method;
  gint64 flush_ns;
  char **device_names; /* (nullable) */
} NpzSettings;

/* One stream of a take. */
typedef struct {
  AcqLink *link;
  AcqStream *stream;
  char *stem;
  NpzLayout *layout;
  AcqNpySpool *table;
  guint64 n_settled;  /* frames of which the engine knows that the system has them */
  gint64 last_us;     /* host time of the last row */
  guint64 n_adjusted; /* rows whose host time was moved to stay behind the one before */
  gint64 oldest_ns;   /* host time of the oldest row that is not written; 0: none */
} NpzStream;

/* The recording of one take: a table for each stream, then the archive. */
typedef struct {
  AcqSink *sink; /* (unowned) */
  AcqTake *take;
  NpzSettings settings;
  AcqNpzSpool *spool;
  GPtrArray *streams; /* of NpzStream */
  GHashTable *stems;  /* of stems in use */
  gboolean describe;  /* what `meta` says is out of date */
  gboolean ended;
  gboolean damaged; /* a table could not be written */
  gint64 told_ns;   /* when the status was told last */
} NpzTake;

NpzTake *npz_take_new (AcqSink *sink, AcqTake *take, const NpzSettings *settings, GError **error);
gboolean npz_take_add_link (NpzTake *self, AcqLink *link, GError **error);
gboolean npz_take_write (NpzTake *self, const AcqItem *items, guint n, GError **error);
gboolean npz_take_tick (NpzTake *self, gint64 now_ns, GError **error);

/*
 * After a failure, before the engine hears of it and counts all the rest as failed: rows that
 * other tables still take are written and settled.
 */
void npz_take_rescue (NpzTake *self);

/* Writes what is left. After it only npz_take_finish() may be called, on any thread. */
gboolean npz_take_end (NpzTake *self, GError **error);

/* Makes the archive. */
gboolean npz_take_finish (NpzTake *self, GError **error);

void npz_take_free (NpzTake *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpzTake, npz_take_free)
