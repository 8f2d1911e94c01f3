/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of nodes. The table of a class gives GObject properties and JSON keys;
 * whoever sets one, the value goes through acq_node_apply_option(). A class
 * inherits the options of its parents, so sources have `streams` and `stamp`.
 */
#include "graph/acq-node-options-private.h"

#include <string.h>

#include <acq/acq-error.h>
#include <acq/acq-plugin.h>

#include "pipeline/acq-pattern-private.h"
#include "plugin/acq-option-private.h"

/* From a property to its row, and from an instance to the required options that it was given. */
static GQuark
option_quark (void)
{
  return g_quark_from_static_string ("acq-option");
}

static GQuark
given_quark (void)
{
  return g_quark_from_static_string ("acq-options-given");
}

/* Keys that the pipeline file uses for other things. */
static const char *const reserved[] = { "plugin", "enabled", "label", "inputs",
                                        "queue",  "name",    "id",    "expect" };

static const AcqOption *
own_options (AcqNodeClass *klass, guint *ret_n)
{
  AcqNodeClass *parent = g_type_class_peek_parent (klass);
  gboolean is_node = ACQ_IS_NODE_CLASS (parent);

  /* Class structs begin as copies of the parent's. */
  if (is_node && klass->options == parent->options) {
    *ret_n = 0;
    return NULL;
  }
  *ret_n = klass->n_options;
  return klass->options;
}

static void
to_property (const AcqOption *option, JsonNode *json, GValue *value)
{
  switch (option->type) {
  case ACQ_OPTION_BOOL:
    g_value_set_boolean (value, json_node_get_boolean (json));
    return;
  case ACQ_OPTION_DOUBLE:
    g_value_set_double (value, json_node_get_double (json));
    return;
  case ACQ_OPTION_INT:
    g_value_set_int64 (value, json_node_get_int (json));
    return;
  default:
    g_value_set_string (value, json_node_get_string (json));
  }
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  const AcqOption *option = g_param_spec_get_qdata (pspec, option_quark ());
  AcqOptionValue held = acq_option_peek (option, object);

  if (option->type == ACQ_OPTION_STRV)
    g_value_set_boxed (value, held.v);
  else if (option->type == ACQ_OPTION_BYTES)
    g_value_set_uint64 (value, held.u);
  else if (option->type == ACQ_OPTION_DURATION)
    g_value_set_double (value, (double) held.i / 1e9);
  else {
    g_autoptr (JsonNode) json = acq_option_value_to_json (option, &held);

    to_property (option, json, value);
  }
}

static JsonNode *
from_property (const GValue *value)
{
  JsonNode *json = json_node_alloc ();

  if (G_VALUE_HOLDS_BOOLEAN (value))
    return json_node_init_boolean (json, g_value_get_boolean (value));
  if (G_VALUE_HOLDS_DOUBLE (value))
    return json_node_init_double (json, g_value_get_double (value));
  if (G_VALUE_HOLDS_INT64 (value))
    return json_node_init_int (json, g_value_get_int64 (value));
  if (G_VALUE_HOLDS_UINT64 (value))
    return json_node_init_int (json, (gint64) MIN (g_value_get_uint64 (value), G_MAXINT64));
  if (G_VALUE_HOLDS_STRING (value) && g_value_get_string (value) != NULL)
    return json_node_init_string (json, g_value_get_string (value));
  if (G_VALUE_HOLDS (value, G_TYPE_STRV) && g_value_get_boxed (value) != NULL) {
    AcqOptionValue words = { .v = g_value_get_boxed (value) };
    AcqOption list = { .type = ACQ_OPTION_STRV };

    json_node_free (json);
    return acq_option_value_to_json (&list, &words);
  }
  return json_node_init_null (json);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  g_autoptr (JsonNode) json = from_property (value);
  g_autoptr (GError) error = NULL;

  /* A property setter cannot fail; wrong values from code are mistakes of the code. */
  if (!acq_node_set_option (ACQ_NODE (object), pspec->name, json, &error))
    g_critical ("%s", error->message);
}

static GParamSpec *
make_property (const AcqOption *o)
{
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  switch (o->type) {
  case ACQ_OPTION_BOOL:
    return g_param_spec_boolean (o->name, NULL, o->help, o->def != 0, flags);
  case ACQ_OPTION_INT:
    return g_param_spec_int64 (o->name, NULL, o->help, G_MININT64, G_MAXINT64, (gint64) o->def,
                               flags);
  case ACQ_OPTION_DOUBLE:
  case ACQ_OPTION_DURATION: /* seconds */
    return g_param_spec_double (o->name, NULL, o->help, -G_MAXDOUBLE, G_MAXDOUBLE, o->def, flags);
  case ACQ_OPTION_BYTES:
    return g_param_spec_uint64 (o->name, NULL, o->help, 0, G_MAXUINT64, (guint64) o->def, flags);
  case ACQ_OPTION_STRV:
    return g_param_spec_boxed (o->name, NULL, o->help, G_TYPE_STRV, flags);
  case ACQ_OPTION_ENUM:
    return g_param_spec_string (o->name, NULL, o->help, o->words[(int) o->def], flags);
  case ACQ_OPTION_STRING:
    return g_param_spec_string (o->name, NULL, o->help, o->def_text, flags);
  }
  g_return_val_if_reached (NULL);
}

void
acq_node_class_add_options (AcqNodeClass *klass, const AcqOption *options, guint n)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  guint n_before;
  const AcqOption *before = own_options (klass, &n_before);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  for (guint i = 0; i < n; i++) {
    for (gsize j = 0; j < G_N_ELEMENTS (reserved); j++)
      g_return_if_fail (strcmp (options[i].name, reserved[j]) != 0);
    GParamSpec *pspec = make_property (&options[i]);

    g_param_spec_set_qdata (pspec, option_quark (), (gpointer) &options[i]);
    g_object_class_install_property (object_class, n_before + i + 1, pspec);
  }
  if (before != NULL) {
    /* A second table of one class: joined for the life of the class, which is that of the
     * process. */
    AcqOption *joined = g_new (AcqOption, n_before + n);

    memcpy (joined, before, n_before * sizeof *joined);
    memcpy (joined + n_before, options, n * sizeof *joined);
    options = joined;
  }
  klass->options = options;
  klass->n_options = n_before + n;
}

const AcqOption *
acq_node_class_list_options (AcqNodeClass *klass, guint *ret_n)
{
  return own_options (klass, ret_n);
}

GPtrArray *
acq_node_class_list_all_options (AcqNodeClass *klass)
{
  GPtrArray *all = g_ptr_array_new ();

  for (gpointer k = klass; ACQ_IS_NODE_CLASS (k); k = g_type_class_peek_parent (k)) {
    guint n;
    const AcqOption *own = own_options (k, &n);

    for (guint i = 0; i < n; i++)
      g_ptr_array_add (all, (gpointer) &own[i]);
  }
  return all;
}

const AcqOption *
acq_node_class_find_option (AcqNodeClass *klass, const char *name)
{
  for (gpointer k = klass; ACQ_IS_NODE_CLASS (k); k = g_type_class_peek_parent (k)) {
    guint n;
    const AcqOption *own = own_options (k, &n);
    const AcqOption *option = acq_option_find (own, n, name);

    if (option != NULL)
      return option;
  }
  return NULL;
}

void
acq_node_init_options (AcqNode *self)
{
  g_autoptr (GPtrArray) all = acq_node_class_list_all_options (ACQ_NODE_GET_CLASS (self));

  for (guint i = 0; i < all->len; i++) {
    AcqOptionValue value;

    acq_option_get_default (all->pdata[i], &value);
    acq_option_store (all->pdata[i], self, &value);
  }
}

void
acq_node_clear_options (AcqNode *self)
{
  g_autoptr (GPtrArray) all = acq_node_class_list_all_options (ACQ_NODE_GET_CLASS (self));

  for (guint i = 0; i < all->len; i++) {
    AcqOptionValue nothing = { 0 };

    acq_option_store (all->pdata[i], self, &nothing);
  }
}

/* The words of a stream list must be names of the plugin, or globs that match one. */
static gboolean
check_stream_words (AcqNode *self, char **words, GError **error)
{
  const AcqPlugin *plugin = acq_node_get_plugin (self);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  if (words == NULL || plugin == NULL || plugin->streams == NULL)
    return TRUE;
  for (const AcqStreamTemplate *t = plugin->streams; t->name != NULL; t++)
    g_ptr_array_add (names, (gpointer) t->name);
  for (gsize i = 0; words[i] != NULL; i++) {
    gboolean found = FALSE;

    for (guint j = 0; j < names->len && !found; j++)
      found = acq_glob_match (words[i], names->pdata[j]);
    if (!found) {
      const char *const *all = (const char *const *) names->pdata;
      g_autofree char *hint = acq_did_you_mean (words[i], all, names->len);
      g_autofree char *allowed = acq_words_to_text (all, names->len);

      g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                   "found the stream \"%s\", allowed is %s, or a glob of them%s", words[i], allowed,
                   hint);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
is_frozen (AcqNode *self)
{
  AcqNodeState state = acq_node_get_state (self);

  return state != ACQ_NODE_NEW && state != ACQ_NODE_CLOSED && state != ACQ_NODE_FAILED;
}

gboolean
acq_node_apply_option (AcqNode *self, const AcqOption *option, JsonNode *json, GError **error)
{
  AcqOptionValue value;

  if (is_frozen (self)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "options are frozen while a node is %s; set them before it is opened",
                 acq_node_state_to_string (acq_node_get_state (self)));
    return FALSE;
  }
  if (!acq_option_parse (option, json, &value, error))
    return FALSE;
  if ((option->flags & ACQ_OPTION_STREAMS) != 0 && !check_stream_words (self, value.v, error)) {
    acq_option_value_clear (option, &value);
    return FALSE;
  }
  acq_option_store (option, self, &value);
  if ((option->flags & ACQ_OPTION_REQUIRED) != 0) {
    GHashTable *given = g_object_get_qdata (G_OBJECT (self), given_quark ());

    if (given == NULL) {
      given = g_hash_table_new (NULL, NULL);
      g_object_set_qdata_full (G_OBJECT (self), given_quark (), given,
                               (GDestroyNotify) g_hash_table_unref);
    }
    g_hash_table_add (given, (gpointer) option);
  }
  g_object_notify (G_OBJECT (self), option->name);
  return TRUE;
}

static const char *
kind_of (AcqNode *self)
{
  const AcqPlugin *plugin = acq_node_get_plugin (self);

  return plugin != NULL ? plugin->name : G_OBJECT_TYPE_NAME (self);
}

static const AcqOption *
find_option (AcqNode *self, const char *name, GError **error)
{
  AcqNodeClass *klass = ACQ_NODE_GET_CLASS (self);
  const AcqOption *option = acq_node_class_find_option (klass, name);

  if (option != NULL)
    return option;
  g_autoptr (GPtrArray) all = acq_node_class_list_all_options (klass);
  for (guint i = 0; i < all->len; i++)
    all->pdata[i] = (gpointer) ((const AcqOption *) all->pdata[i])->name;
  g_autofree char *hint = acq_did_you_mean (name, (const char *const *) all->pdata, all->len);
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION, "%s has no option \"%s\"%s", kind_of (self),
               name, hint);
  return NULL;
}

gboolean
acq_node_set_option (AcqNode *self, const char *name, JsonNode *value, GError **error)
{
  const AcqOption *option = find_option (self, name, error);

  if (option == NULL)
    return FALSE;
  if (acq_node_apply_option (self, option, value, error))
    return TRUE;
  g_prefix_error (error, "option \"%s\" of %s: ", name, kind_of (self));
  return FALSE;
}

gboolean
acq_node_set_option_text (AcqNode *self, const char *name, const char *text, GError **error)
{
  const AcqOption *option = find_option (self, name, error);
  g_autoptr (JsonNode) value = NULL;

  if (option == NULL)
    return FALSE;
  value = acq_option_text_to_json (option, text, error);
  if (value != NULL && acq_node_apply_option (self, option, value, error))
    return TRUE;
  g_prefix_error (error, "option \"%s\" of %s: ", name, kind_of (self));
  return FALSE;
}

GPtrArray *
acq_node_list_missing_options (AcqNode *self)
{
  GPtrArray *all = acq_node_class_list_all_options (ACQ_NODE_GET_CLASS (self));
  GHashTable *given = g_object_get_qdata (G_OBJECT (self), given_quark ());

  for (guint i = all->len; i-- > 0;) {
    const AcqOption *option = all->pdata[i];

    if ((option->flags & ACQ_OPTION_REQUIRED) == 0 ||
        (given != NULL && g_hash_table_contains (given, option)))
      g_ptr_array_remove_index (all, i);
  }
  return all;
}

gboolean
acq_node_check (AcqNode *self, GError **error)
{
  AcqNodeClass *klass = ACQ_NODE_GET_CLASS (self);
  g_autoptr (GPtrArray) missing = acq_node_list_missing_options (self);

  if (missing->len > 0) {
    const AcqOption *option = missing->pdata[0];
    g_autofree char *range = acq_option_range_to_string (option);

    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION, "option \"%s\" of %s is missing; it is %s",
                 option->name, kind_of (self), range);
    return FALSE;
  }
  return klass->check == NULL || klass->check (self, error);
}

JsonNode *
acq_node_options_to_json (AcqNode *self)
{
  g_autoptr (GPtrArray) all = acq_node_class_list_all_options (ACQ_NODE_GET_CLASS (self));
  JsonObject *object = json_object_new ();

  for (guint i = 0; i < all->len; i++) {
    const AcqOption *option = all->pdata[i];
    AcqOptionValue value = acq_option_peek (option, self);

    json_object_set_member (object, option->name, acq_option_value_to_json (option, &value));
  }
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  json_node_take_object (node, object);
  return node;
}
