/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/acq-loader-private.h"

#include <string.h>

/* A mistake, with what it is sorted by. */
typedef struct {
  AcqJsonPlace place;
  guint order;
  char *line;
} Problem;

static void
free_problem (gpointer data)
{
  Problem *problem = data;

  g_free (problem->line);
  g_free (problem);
}

gsize
acq_loader_enter (AcqLoader *self, const char *key)
{
  gsize up = self->path->len;

  acq_json_pointer_append (self->path, key);
  return up;
}

gsize
acq_loader_enter_index (AcqLoader *self, guint index)
{
  gsize up = self->path->len;

  g_string_append_printf (self->path, "/%u", index);
  return up;
}

void
acq_loader_leave (AcqLoader *self, gsize up)
{
  g_string_truncate (self->path, up);
}

static void
add_problem (AcqLoader *self, AcqJsonPlace place, char *line)
{
  Problem *problem = g_new (Problem, 1);

  if (self->problems == NULL)
    self->problems = g_ptr_array_new_with_free_func (free_problem);
  *problem = (Problem){ place, self->problems->len, line };
  g_ptr_array_add (self->problems, problem);
}

static const char *
shown_path (const char *path)
{
  return *path != '\0' ? path : "/";
}

static void report_va (AcqLoader *self, JsonNode *at, AcqJsonPlace place, const char *format,
                       va_list args) G_GNUC_PRINTF (4, 0);

static void
report_va (AcqLoader *self, JsonNode *at, AcqJsonPlace place, const char *format, va_list args)
{
  const char *override = g_hash_table_lookup (self->overridden, at);
  const char *path = shown_path (self->path->str);
  g_autofree char *message = g_strdup_vprintf (format, args);

  /* What it says was found wrong before. */
  if (acq_jsonc_is_bad (self->doc, at))
    return;
  if (override != NULL)
    add_problem (self, (AcqJsonPlace){ G_MAXUINT, 0 },
                 g_strdup_printf ("--set %s: %s: %s", override, path, message));
  else
    add_problem (
        self, place,
        g_strdup_printf ("%s:%u:%u: %s: %s", self->name, place.line, place.column, path, message));
}

void
acq_loader_report (AcqLoader *self, JsonNode *at, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  report_va (self, at, acq_jsonc_get_place (self->doc, at), format, args);
  va_end (args);
}

void
acq_loader_report_key (AcqLoader *self, JsonNode *at, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  report_va (self, at, acq_jsonc_get_key_place (self->doc, at), format, args);
  va_end (args);
}

void
acq_loader_report_override (AcqLoader *self, const char *override, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  add_problem (self, (AcqJsonPlace){ G_MAXUINT, 0 },
               g_strdup_printf ("--set %s: %s", override, message));
}

static int
compare_problems (gconstpointer a, gconstpointer b)
{
  const Problem *x = *(const Problem *const *) a, *y = *(const Problem *const *) b;

  if (x->place.line != y->place.line)
    return x->place.line < y->place.line ? -1 : 1;
  if (x->place.column != y->place.column)
    return x->place.column < y->place.column ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

GPtrArray *
acq_loader_format_problems (AcqLoader *self)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  const GPtrArray *syntax = acq_jsonc_get_problems (self->doc);

  for (guint i = 0; i < syntax->len; i++) {
    const AcqJsonProblem *p = syntax->pdata[i];

    add_problem (self, p->place,
                 g_strdup_printf ("%s:%u:%u: %s: %s", self->name, p->place.line, p->place.column,
                                  shown_path (p->path), p->message));
  }
  if (self->problems == NULL)
    return lines;
  g_ptr_array_sort (self->problems, compare_problems);
  for (guint i = 0; i < self->problems->len; i++) {
    Problem *problem = self->problems->pdata[i];

    g_ptr_array_add (lines, g_steal_pointer (&problem->line));
  }
  g_clear_pointer (&self->problems, g_ptr_array_unref);
  return lines;
}

JsonObject *
acq_loader_get_object (AcqLoader *self, JsonNode *node, const char *what)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    return json_node_get_object (node);
  g_autofree char *found = acq_json_describe (node);
  acq_loader_report (self, node, "found %s, but %s is an object { … }", found, what);
  return NULL;
}

JsonNode *
acq_loader_ref_value (AcqLoader *self, const AcqOption *option, JsonNode *node)
{
  const char *override = g_hash_table_lookup (self->overridden, node);
  JsonNode *value = NULL;

  /* Text behind the first "=" of the override; only scalars are retyped, the rest is JSON. */
  if (g_hash_table_contains (self->whole, node) && JSON_NODE_HOLDS_VALUE (node))
    value = acq_option_text_to_json (option, strchr (override, '=') + 1, NULL);
  if (value != NULL) {
    acq_loader_mark_overridden (self, value, override);
    g_ptr_array_add (self->kept, json_node_ref (value));
  }
  return value != NULL ? value : json_node_ref (node);
}

gboolean
acq_loader_parse (AcqLoader *self, const AcqOption *option, JsonNode *node,
                  AcqOptionValue *ret_value)
{
  g_autoptr (JsonNode) value = acq_loader_ref_value (self, option, node);
  g_autoptr (GError) error = NULL;

  if (acq_option_parse (option, value, ret_value, &error))
    return TRUE;
  acq_loader_report (self, node, "%s", error->message);
  return FALSE;
}

guint
acq_loader_read_table (AcqLoader *self, JsonObject *object, const AcqOption *options, guint n,
                       gpointer instance, const char *what)
{
  guint given = 0;
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &node)) {
    const AcqOption *option = acq_option_find (options, n, key);
    gsize up = acq_loader_enter (self, key);
    AcqOptionValue value;

    if (option == NULL) {
      g_autoptr (GPtrArray) names = g_ptr_array_new ();

      for (guint i = 0; i < n; i++)
        g_ptr_array_add (names, (gpointer) options[i].name);
      const char *const *words = (const char *const *) names->pdata;
      g_autofree char *hint = acq_did_you_mean (key, words, n);
      g_autofree char *allowed = acq_words_to_text (words, n);
      acq_loader_report_key (self, node, "%s has no key \"%s\", allowed is %s%s", what, key,
                             allowed, hint);
    } else if (acq_loader_parse (self, option, node, &value)) {
      acq_option_store (option, instance, &value);
      given |= 1u << (option - options);
    }
    acq_loader_leave (self, up);
  }
  return given;
}
