/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/* A map of texts while it is put together; a key that is set again has its last value. */
typedef struct _McapTexts McapTexts;

McapTexts *mcap_texts_new (void);
void mcap_texts_free (McapTexts *self);

/* (nullable) @value: then nothing is set. */
void mcap_texts_set (McapTexts *self, const char *key, const char *value);
void mcap_texts_set_int (McapTexts *self, const char *key, gint64 value);
/* (transfer full) @value, (nullable). */
void mcap_texts_take (McapTexts *self, const char *key, char *value);
void mcap_texts_take_json (McapTexts *self, const char *key, JsonNode *node);

/* The map in its on-disk form, until the next call or the end. */
AcqMcapSpan mcap_texts_encode (McapTexts *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (McapTexts, mcap_texts_free)
