/* SPDX-License-Identifier: Apache-2.0 */
#include "mcap-texts.h"

#include <acq/acq-json.h>
#include <json-glib/json-glib.h>

struct _McapTexts {
  GHashTable *values; /* key -> value */
  GByteArray *bytes;
};

McapTexts *
mcap_texts_new (void)
{
  McapTexts *self = g_new0 (McapTexts, 1);

  self->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->bytes = g_byte_array_new ();
  return self;
}

void
mcap_texts_free (McapTexts *self)
{
  g_hash_table_unref (self->values);
  g_byte_array_unref (self->bytes);
  g_free (self);
}

void
mcap_texts_take (McapTexts *self, const char *key, char *value)
{
  if (value != NULL)
    g_hash_table_replace (self->values, g_strdup (key), value);
}

void
mcap_texts_set (McapTexts *self, const char *key, const char *value)
{
  mcap_texts_take (self, key, g_strdup (value));
}

void
mcap_texts_set_int (McapTexts *self, const char *key, gint64 value)
{
  mcap_texts_take (self, key, g_strdup_printf ("%" G_GINT64_FORMAT, value));
}

void
mcap_texts_take_json (McapTexts *self, const char *key, JsonNode *node)
{
  if (node == NULL)
    return;
  mcap_texts_take (self, key, acq_json_print (node, FALSE));
  json_node_unref (node);
}

AcqMcapSpan
mcap_texts_encode (McapTexts *self)
{
  g_autoptr (GPtrArray) pairs = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, self->values);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    g_ptr_array_add (pairs, key);
    g_ptr_array_add (pairs, value);
  }
  g_ptr_array_add (pairs, NULL);
  g_byte_array_set_size (self->bytes, 0);
  acq_mcap_map_encode (self->bytes, (const char *const *) pairs->pdata);
  return (AcqMcapSpan){ self->bytes->data, self->bytes->len };
}
