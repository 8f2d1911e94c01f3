/* SPDX-License-Identifier: Apache-2.0 */
#include "recover.h"

static const char *
result_word (RecoverResult result)
{
  static const char *const words[] = { "whole", "recovered", "loss", "before", "empty", "failed" };

  return words[result];
}

static JsonObject *
item_object (const RecoverItem *item)
{
  JsonObject *object = json_object_new ();
  JsonObject *counts = json_object_new ();

  json_object_set_string_member (object, "from", item->from);
  if (item->to != NULL && item->result != RECOVER_FAILED && item->result != RECOVER_EMPTY)
    json_object_set_string_member (object, "to", item->to);
  json_object_set_string_member (object, "kind", item->kind);
  json_object_set_string_member (object, "result", result_word (item->result));
  if (item->problem != NULL)
    json_object_set_string_member (object, "problem", item->problem);
  for (guint i = 0; i < item->counts->len; i++) {
    const RecoverCount *count = &g_array_index (item->counts, RecoverCount, i);

    json_object_set_int_member (counts, count->name, (gint64) count->n);
  }
  json_object_set_object_member (object, "counts", counts);
  return object;
}

JsonNode *
recover_to_json (GPtrArray *items)
{
  JsonObject *object = json_object_new ();
  JsonArray *files = json_array_new ();
  JsonNode *node = json_node_init (json_node_alloc (), JSON_NODE_OBJECT);

  for (guint i = 0; i < items->len; i++)
    json_array_add_object_element (files, item_object (items->pdata[i]));
  json_object_set_int_member (object, "exit", recover_exit_code (items));
  json_object_set_array_member (object, "files", files);
  json_node_take_object (node, object);
  return node;
}

static void
append_counts (GString *text, const RecoverItem *item, gboolean losses, const char *title)
{
  gboolean any = FALSE;

  for (guint i = 0; i < item->counts->len; i++) {
    const RecoverCount *count = &g_array_index (item->counts, RecoverCount, i);

    if (count->is_loss != losses || count->n == 0)
      continue;
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT " %s", any ? ", " : title, count->n,
                            count->words);
    any = TRUE;
  }
  if (any)
    g_string_append_c (text, '\n');
}

char *
recover_item_text (const RecoverItem *item)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s\n", item->from);
  switch (item->result) {
  case RECOVER_WHOLE:
    g_string_append (text, "  is whole; there is nothing to do\n");
    break;
  case RECOVER_DONE:
    g_string_append_printf (text, "  → %s, nothing was lost\n", item->to);
    break;
  case RECOVER_LOSS:
    g_string_append_printf (text, "  → %s, with loss\n", item->to);
    break;
  case RECOVER_BEFORE:
    g_string_append_printf (text, "  left alone: %s exists already\n", item->to);
    break;
  case RECOVER_EMPTY:
    g_string_append (text, "  nothing was written yet when the recorder ended\n");
    break;
  case RECOVER_FAILED:
    g_string_append_printf (text, "  failed: %s\n", item->problem);
    break;
  }
  append_counts (text, item, FALSE, "  kept: ");
  append_counts (text, item, TRUE, "  lost: ");
  return g_string_free (text, FALSE);
}
