/* SPDX-License-Identifier: Apache-2.0 */

#include "sim-faults.h"
#include "sim-options.h"
#include "sim-random.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

/* An entry while it is being read. `times` collects the values of `at`. */
typedef struct {
  const SimFaultGrammar *grammar;
  const SimFaultKind *kind;
  SimFault fault;
  GArray *at; /* of SimFault: when and at only */
  GArray *out;
} Entry;

static gboolean
fail (GError **error, const Entry *entry, const char *key, const char *value, const char *allowed)
{
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "fault %s: %s is \"%s\"; allowed: %s", entry->kind->name, key, value, allowed);
  return FALSE;
}

static char *
join_names (const char *const *names)
{
  return g_strjoinv (", ", (char **) names);
}

static gssize
find_name (const char *const *names, const char *name)
{
  for (gssize i = 0; names[i] != NULL; i++)
    if (strcmp (names[i], name) == 0)
      return i;
  return -1;
}

static gboolean
parse_integer (Entry *entry, const char *key, const char *value, gint64 min, gint64 max,
               gint64 *ret_number, GError **error)
{
  g_autofree char *allowed = NULL;
  gint64 number;

  if (!g_ascii_string_to_signed (value, 10, min, max, &number, NULL)) {
    allowed = g_strdup_printf ("%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, min, max);
    return fail (error, entry, key, value, allowed);
  }
  *ret_number = number;
  return TRUE;
}

static gboolean
parse_at (Entry *entry, const char *value, GError **error)
{
  g_auto (GStrv) items = g_strsplit (value, "/", -1);

  for (char **item = items; *item != NULL; item++) {
    SimFault when = { .when = SIM_FAULT_AT_BEAT };

    if (!g_ascii_string_to_signed (*item, 10, 0, G_MAXINT64, &when.at, NULL)) {
      when.when = SIM_FAULT_AT_TIME;
      if (!sim_parse_duration (*item, &when.at))
        return fail (error, entry, "at", *item, "a beat from 0, or a time like 2s or 500ms");
    }
    g_array_append_val (entry->at, when);
  }
  return TRUE;
}

static gboolean
parse_when (Entry *entry, const char *key, const char *value, gboolean *ret_known, GError **error)
{
  SimFault *fault = &entry->fault;
  char *end = NULL;
  gint64 number;

  *ret_known = TRUE;
  if (strcmp (key, "p") == 0) {
    fault->chance = g_ascii_strtod (value, &end);
    if (end == value || *end != '\0' || !(fault->chance >= 0 && fault->chance <= 1))
      return fail (error, entry, key, value, "0 to 1");
    fault->when = SIM_FAULT_CHANCE;
    return TRUE;
  }
  if (strcmp (key, "at") == 0)
    return parse_at (entry, value, error);
  if (strcmp (key, "every") == 0) {
    fault->when = SIM_FAULT_EVERY;
    return parse_integer (entry, key, value, 1, G_MAXINT64, &fault->at, error);
  }
  if (strcmp (key, "from") == 0 || strcmp (key, "to") == 0) {
    if (!parse_integer (entry, key, value, 0, G_MAXINT64, &number, error))
      return FALSE;
    *(key[0] == 'f' ? &fault->from : &fault->to) = (guint64) number;
    return TRUE;
  }
  *ret_known = FALSE;
  return TRUE;
}

static gboolean
parse_streams (Entry *entry, const char *value, GError **error)
{
  g_auto (GStrv) items = g_strsplit (value, "/", -1);

  entry->fault.streams = 0;
  for (char **item = items; *item != NULL; item++) {
    gssize i = find_name (entry->grammar->streams, *item);

    if (i < 0) {
      g_autofree char *allowed = join_names (entry->grammar->streams);

      return fail (error, entry, "on", *item, allowed);
    }
    entry->fault.streams |= 1u << i;
  }
  return TRUE;
}

static gboolean
unknown_key (const Entry *entry, const char *key, GError **error)
{
  g_autoptr (GString) allowed = g_string_new ("p, at, every, from, to, on");

  for (gsize i = 0; i < SIM_FAULT_MAX_KEYS && entry->kind->keys[i].name != NULL; i++)
    g_string_append_printf (allowed, ", %s", entry->kind->keys[i].name);
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "fault %s has no key \"%s\"; it has: %s", entry->kind->name, key, allowed->str);
  return FALSE;
}

static gboolean
parse_key (Entry *entry, const char *key, const char *value, GError **error)
{
  gboolean known;

  if (!parse_when (entry, key, value, &known, error))
    return FALSE;
  if (known)
    return TRUE;
  if (strcmp (key, "on") == 0)
    return parse_streams (entry, value, error);
  for (gsize i = 0; i < SIM_FAULT_MAX_KEYS && entry->kind->keys[i].name != NULL; i++) {
    const SimFaultKey *k = &entry->kind->keys[i];

    if (strcmp (k->name, key) != 0)
      continue;
    if (k->choices == NULL)
      return parse_integer (entry, key, value, k->min, k->max, &entry->fault.values[i], error);
    entry->fault.values[i] = find_name (k->choices, value);
    if (entry->fault.values[i] < 0) {
      g_autofree char *allowed = join_names (k->choices);

      return fail (error, entry, key, value, allowed);
    }
    return TRUE;
  }
  return unknown_key (entry, key, error);
}

static gboolean
begin_entry (Entry *entry, const char *name, GError **error)
{
  g_autoptr (GString) allowed = NULL;

  for (gsize i = 0; i < entry->grammar->n_kinds; i++) {
    entry->kind = &entry->grammar->kinds[i];
    if (strcmp (entry->kind->name, name) != 0)
      continue;
    entry->fault = (SimFault){ .kind = (guint) i, .streams = G_MAXUINT32, .to = G_MAXUINT64 };
    for (gsize k = 0; k < SIM_FAULT_MAX_KEYS; k++)
      entry->fault.values[k] = entry->kind->keys[k].def;
    g_array_set_size (entry->at, 0);
    return TRUE;
  }
  allowed = g_string_new (NULL);
  for (gsize i = 0; i < entry->grammar->n_kinds; i++)
    g_string_append_printf (allowed, "%s%s", i ? ", " : "", entry->grammar->kinds[i].name);
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "there is no fault \"%s\"; there are: %s", name, allowed->str);
  return FALSE;
}

/* One plan entry for each value of `at`, or one for p and every. */
static gboolean
end_entry (Entry *entry, GError **error)
{
  gboolean other = entry->fault.when != SIM_FAULT_NEVER;

  if (other == (entry->at->len > 0)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "fault %s needs one of p=, at= and every=, to say when", entry->kind->name);
    return FALSE;
  }
  for (guint i = 0; i < MAX (entry->at->len, 1); i++) {
    SimFault fault = entry->fault;

    if (entry->at->len > 0) {
      fault.when = g_array_index (entry->at, SimFault, i).when;
      fault.at = g_array_index (entry->at, SimFault, i).at;
    }
    fault.number = entry->out->len;
    g_array_append_val (entry->out, fault);
  }
  return TRUE;
}

static gboolean
parse_text (Entry *entry, const char *spec, GError **error)
{
  g_auto (GStrv) items = g_strsplit (spec, ",", -1);

  for (char **item = items; *item != NULL; item++) {
    g_auto (GStrv) parts = g_strsplit (g_strstrip (*item), ":", -1);

    if (parts[0] == NULL || parts[0][0] == '\0')
      continue;
    if (!begin_entry (entry, parts[0], error))
      return FALSE;
    for (char **part = parts + 1; *part != NULL; part++) {
      char *equals = strchr (*part, '=');

      if (equals == NULL) {
        g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                     "fault %s: \"%s\" is not KEY=VALUE", parts[0], *part);
        return FALSE;
      }
      *equals = '\0';
      if (!parse_key (entry, *part, equals + 1, error))
        return FALSE;
    }
    if (!end_entry (entry, error))
      return FALSE;
  }
  return TRUE;
}

static char *
json_value_text (JsonNode *node)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (JSON_NODE_HOLDS_ARRAY (node)) {
    g_autoptr (GString) joined = g_string_new (NULL);
    JsonArray *array = json_node_get_array (node);

    for (guint i = 0; i < json_array_get_length (array); i++) {
      JsonNode *element = json_array_get_element (array, i);
      g_autofree char *one = JSON_NODE_HOLDS_VALUE (element) ? json_value_text (element) : NULL;

      g_string_append_printf (joined, "%s%s", i ? "/" : "", one ? one : "?");
    }
    return g_string_free (g_steal_pointer (&joined), FALSE);
  }
  if (!JSON_NODE_HOLDS_VALUE (node))
    return g_strdup ("?");
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    return json_node_dup_string (node);
  if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    return g_strdup_printf ("%d", json_node_get_boolean (node));
  if (json_node_get_value_type (node) == G_TYPE_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  return g_strdup (g_ascii_dtostr (text, sizeof text, json_node_get_double (node)));
}

static gboolean
parse_object (Entry *entry, JsonObject *object, GError **error)
{
  JsonNode *kind = json_object_get_member (object, "kind");
  g_autofree char *name = kind != NULL ? json_value_text (kind) : g_strdup ("");
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;

  if (!begin_entry (entry, name, error))
    return FALSE;
  json_object_iter_init (&iter, object);
  while (json_object_iter_next (&iter, &key, &node)) {
    g_autofree char *value = json_value_text (node);

    if (strcmp (key, "kind") != 0 && !parse_key (entry, key, value, error))
      return FALSE;
  }
  return end_entry (entry, error);
}

static gboolean
parse_file (Entry *entry, const char *path, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonArray *array = NULL;

  if (!json_parser_load_from_file (parser, path, error))
    return FALSE;
  if (JSON_NODE_HOLDS_ARRAY (json_parser_get_root (parser)))
    array = json_node_get_array (json_parser_get_root (parser));
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++) {
    JsonNode *element = json_array_get_element (array, i);

    if (!JSON_NODE_HOLDS_OBJECT (element)) {
      array = NULL;
      break;
    }
    if (!parse_object (entry, json_node_get_object (element), error)) {
      g_prefix_error (error, "%s: entry %u: ", path, i);
      return FALSE;
    }
  }
  if (array == NULL) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "%s: a fault plan is an array of objects", path);
    return FALSE;
  }
  return TRUE;
}

SimFaultPlan *
sim_fault_plan_parse (const SimFaultGrammar *grammar, const char *spec, GError **error)
{
  g_autoptr (GArray) at = g_array_new (FALSE, FALSE, sizeof (SimFault));
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (SimFault));
  Entry entry = { .grammar = grammar, .at = at, .out = out };
  SimFaultPlan *plan;
  gboolean ok = TRUE;

  if (spec != NULL && g_str_has_suffix (spec, ".json"))
    ok = parse_file (&entry, spec, error);
  else if (spec != NULL)
    ok = parse_text (&entry, spec, error);
  if (!ok)
    return NULL;
  plan = g_new0 (SimFaultPlan, 1);
  plan->n_faults = out->len;
  plan->faults = (SimFault *) g_array_free (g_steal_pointer (&out), FALSE);
  return plan;
}

void
sim_fault_plan_free (SimFaultPlan *plan)
{
  if (plan == NULL)
    return;
  g_free (plan->faults);
  g_free (plan);
}

gboolean
sim_fault_fires (const SimFault *fault, guint64 seed, guint stream, guint64 beat, gint64 beat_ns,
                 gint64 period_ns)
{
  if ((fault->streams >> stream & 1) == 0 || beat < fault->from || beat > fault->to)
    return FALSE;
  switch (fault->when) {
  case SIM_FAULT_NEVER:
    return FALSE;
  case SIM_FAULT_CHANCE:
    return sim_random_unit (sim_random_at (seed, fault->number, stream, beat)) < fault->chance;
  case SIM_FAULT_AT_BEAT:
    return beat == (guint64) fault->at;
  case SIM_FAULT_AT_TIME:
    return beat_ns >= fault->at && (beat_ns - period_ns < fault->at);
  case SIM_FAULT_EVERY:
    return beat > 0 && beat % (guint64) fault->at == 0;
  }
  return FALSE;
}

static void
describe_key (GString *text, const SimFaultKey *key)
{
  if (key->choices != NULL) {
    g_autofree char *allowed = g_strjoinv ("|", (char **) key->choices);

    g_string_append_printf (text, "      %s=%s\n        %s (default %s)\n", key->name, allowed,
                            key->help, key->choices[key->def]);
  } else {
    g_string_append_printf (text, "      %s=N  %s (default %" G_GINT64_FORMAT ")\n", key->name,
                            key->help, key->def);
  }
}

char *
sim_fault_grammar_help (const SimFaultGrammar *grammar)
{
  GString *text = g_string_new (
      "Faults:\n"
      "  --faults takes KIND:KEY=VALUE:…, entries separated by commas, or a .json file with an\n"
      "  array of objects {\"kind\": …}. When an entry strikes:\n"
      "    p=0.01        with this chance in each beat\n"
      "    at=100/2.5s   at these beats (from 0) or times\n"
      "    every=50      at each n-th beat\n"
      "    from=N to=N   never before or after these beats\n");
  g_autofree char *streams = g_strjoinv ("|", (char **) grammar->streams);

  g_string_append_printf (text, "    on=%s  only there\n\n  Kinds:\n", streams);
  for (gsize i = 0; i < grammar->n_kinds; i++) {
    const SimFaultKind *kind = &grammar->kinds[i];

    g_string_append_printf (text, "    %-20s %s\n", kind->name, kind->help);
    for (gsize k = 0; k < SIM_FAULT_MAX_KEYS && kind->keys[k].name != NULL; k++)
      describe_key (text, &kind->keys[k]);
  }
  return g_string_free (text, FALSE);
}
