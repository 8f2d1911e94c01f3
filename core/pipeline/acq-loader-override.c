/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `--set path=value`. The path is that of the file with dots between, or the JSON
 * pointer that messages print. Values are JSON, or else a bare word. null takes
 * the key out.
 */
#include <string.h>

#include "pipeline/acq-loader-private.h"

static const char *const top_keys[] = { "recording", "sources", "transforms", "sinks", "expect" };

static GPtrArray *
split_pointer (const char *path)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) parts = g_strsplit (path + 1, "/", -1);

  for (gsize i = 0; parts[i] != NULL; i++) {
    g_autoptr (GString) key = g_string_new (parts[i]);

    g_string_replace (key, "~1", "/", 0);
    g_string_replace (key, "~0", "~", 0);
    g_ptr_array_add (keys, g_string_free (g_steal_pointer (&key), FALSE));
  }
  return keys;
}

/* Patterns of `expect` have dots of their own: there the last part alone is the key. */
static GPtrArray *
split_dotted (const char *path)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  const char *first = strchr (path, '.');
  const char *last = strrchr (path, '.');

  if (g_str_has_prefix (path, "expect.") && last > first) {
    g_ptr_array_add (keys, g_strdup ("expect"));
    g_ptr_array_add (keys, g_strndup (first + 1, last - first - 1));
    g_ptr_array_add (keys, g_strdup (last + 1));
    return keys;
  }
  g_auto (GStrv) parts = g_strsplit (path, ".", -1);
  for (gsize i = 0; parts[i] != NULL; i++)
    g_ptr_array_add (keys, g_strdup (parts[i]));
  return keys;
}

void
acq_loader_mark_overridden (AcqLoader *self, JsonNode *node, const char *override)
{
  g_hash_table_insert (self->overridden, node, (gpointer) override);
  if (JSON_NODE_HOLDS_OBJECT (node)) {
    g_autoptr (GList) members = json_object_get_values (json_node_get_object (node));

    for (GList *l = members; l != NULL; l = l->next)
      acq_loader_mark_overridden (self, l->data, override);
  } else if (JSON_NODE_HOLDS_ARRAY (node)) {
    g_autoptr (GList) elements = json_array_get_elements (json_node_get_array (node));

    for (GList *l = elements; l != NULL; l = l->next)
      acq_loader_mark_overridden (self, l->data, override);
  }
}

static JsonNode *
parse_value (AcqLoader *self, const char *text, const char *override)
{
  g_autoptr (GError) error = NULL;
  JsonNode *node = acq_jsonc_parse_value (text, &error);

  if (node != NULL)
    return node;
  if (*text != '\0' && strchr ("[{\"", *text) != NULL) {
    acq_loader_report_override (self, override, "%s", error->message);
    return NULL;
  }
  return json_node_init_string (json_node_alloc (), text);
}

/* A node that is not there: a new one begins with its plugin, anything else is a slip. */
static gboolean
may_create_node (AcqLoader *self, const GPtrArray *keys, JsonObject *section, const char *override)
{
  const char *id = keys->pdata[1];
  JsonObject *root = json_node_get_object (self->root);
  g_autoptr (GList) ids = json_object_get_members (section);
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  if (strcmp (keys->pdata[2], "plugin") == 0)
    return TRUE;
  for (gsize i = 1; i < 4; i++) {
    JsonNode *other = json_object_get_member (root, top_keys[i]);

    if (other != NULL && JSON_NODE_HOLDS_OBJECT (other) &&
        json_object_has_member (json_node_get_object (other), id)) {
      acq_loader_report_override (self, override, "\"%s\" is in %s, not in %s", id, top_keys[i],
                                  (char *) keys->pdata[0]);
      return FALSE;
    }
  }
  for (GList *l = ids; l != NULL; l = l->next)
    g_ptr_array_add (words, l->data);
  g_autofree char *hint = acq_did_you_mean (id, (const char *const *) words->pdata, words->len);
  acq_loader_report_override (self, override, "there is no \"%s\" in %s%s%s", id,
                              (char *) keys->pdata[0], hint,
                              *hint != '\0' ? "" : "; a new one begins with its plugin");
  return FALSE;
}

/* The object or list that holds the last key; made where the file has none. */
static JsonNode *
find_holder (AcqLoader *self, const GPtrArray *keys, const char *override)
{
  JsonNode *at = self->root;

  for (guint i = 0; i + 1 < keys->len; i++) {
    const char *key = keys->pdata[i];
    JsonNode *next = NULL;

    if (JSON_NODE_HOLDS_ARRAY (at)) {
      guint64 index;

      if (g_ascii_string_to_unsigned (key, 10, 0, G_MAXUINT, &index, NULL) &&
          index < json_array_get_length (json_node_get_array (at)))
        next = json_array_get_element (json_node_get_array (at), (guint) index);
    } else if (JSON_NODE_HOLDS_OBJECT (at)) {
      JsonObject *object = json_node_get_object (at);

      next = json_object_get_member (object, key);
      if (next == NULL) {
        gboolean is_node = i == 1 && strcmp (keys->pdata[0], "expect") != 0 &&
                           strcmp (keys->pdata[0], "recording") != 0;

        if (is_node && !may_create_node (self, keys, object, override))
          return NULL;
        next = json_node_new (JSON_NODE_OBJECT);
        json_node_take_object (next, json_object_new ());
        acq_loader_mark_overridden (self, next, override);
        json_object_set_member (object, key, next);
      }
    }
    if (next == NULL || JSON_NODE_HOLDS_VALUE (next) || JSON_NODE_HOLDS_NULL (next)) {
      acq_loader_report_override (self, override, "\"%s\" has nothing in it that could be set",
                                  key);
      return NULL;
    }
    at = next;
  }
  return at;
}

static void
set_member (AcqLoader *self, JsonObject *object, const char *key, JsonNode *value)
{
  JsonNode *before = json_object_get_member (object, key);

  if (before != NULL)
    g_ptr_array_add (self->kept, json_node_ref (before));
  if (JSON_NODE_HOLDS_NULL (value)) {
    json_object_remove_member (object, key);
    g_ptr_array_add (self->kept, value);
  } else {
    json_object_set_member (object, key, value);
  }
}

static gboolean
set_element (AcqLoader *self, JsonArray *array, const char *key, JsonNode *value)
{
  guint64 index;
  guint n = json_array_get_length (array);
  g_autoptr (GList) elements = NULL;

  if (!g_ascii_string_to_unsigned (key, 10, 0, G_MAXUINT, &index, NULL) || index >= n)
    return FALSE;
  /* json-glib cannot replace an element: take the list apart and put it together again. */
  elements = json_array_get_elements (array);
  for (GList *l = elements; l != NULL; l = l->next)
    g_ptr_array_add (self->kept, json_node_ref (l->data));
  while (json_array_get_length (array) > 0)
    json_array_remove_element (array, 0);
  guint i = 0;
  for (GList *l = elements; l != NULL; l = l->next, i++)
    json_array_add_element (array, i == index ? value : json_node_ref (l->data));
  return TRUE;
}

static gboolean
check_path (AcqLoader *self, const GPtrArray *keys, const char *override)
{
  gboolean known = FALSE;

  for (guint i = 0; i < MAX (keys->len, 1); i++)
    if (keys->len == 0 || *(char *) keys->pdata[i] == '\0') {
      acq_loader_report_override (self, override, "a part of the path is empty");
      return FALSE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (top_keys); i++)
    known |= strcmp (keys->pdata[0], top_keys[i]) == 0;
  if (!known) {
    g_autofree char *hint = acq_did_you_mean (keys->pdata[0], top_keys, G_N_ELEMENTS (top_keys));
    g_autofree char *allowed = acq_words_to_text (top_keys, G_N_ELEMENTS (top_keys));

    acq_loader_report_override (self, override, "there is no section \"%s\", allowed is %s%s",
                                (char *) keys->pdata[0], allowed, hint);
  } else if (keys->len < 2) {
    acq_loader_report_override (self, override, "a whole section cannot be set; name a key in it");
  }
  return known && keys->len >= 2;
}

void
acq_loader_apply_override (AcqLoader *self, const char *override)
{
  const char *equals = strchr (override, '=');

  if (!g_utf8_validate (override, -1, NULL)) {
    g_autofree char *shown = g_utf8_make_valid (override, -1);

    acq_loader_report_override (self, shown, "this is no UTF-8 text");
    return;
  }
  if (equals == NULL || equals == override) {
    acq_loader_report_override (self, override,
                                "wanted is path=value, for example sinks.mcap.chunk-size=4MiB");
    return;
  }
  g_autofree char *path = g_strndup (override, equals - override);
  g_autoptr (GPtrArray) keys = *path == '/' ? split_pointer (path) : split_dotted (path);
  if (!check_path (self, keys, override))
    return;
  JsonNode *holder = find_holder (self, keys, override);
  JsonNode *value = holder != NULL ? parse_value (self, equals + 1, override) : NULL;
  if (value == NULL)
    return;
  const char *last = keys->pdata[keys->len - 1];
  acq_loader_mark_overridden (self, value, override);
  g_hash_table_add (self->whole, value);
  if (JSON_NODE_HOLDS_OBJECT (holder)) {
    set_member (self, json_node_get_object (holder), last, value);
  } else if (!set_element (self, json_node_get_array (holder), last, value)) {
    acq_loader_report_override (self, override, "the list has no element \"%s\"", last);
    g_ptr_array_add (self->kept, value);
  }
}
