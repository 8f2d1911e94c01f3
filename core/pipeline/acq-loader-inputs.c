/* SPDX-License-Identifier: Apache-2.0 */
/* What a consumer takes, and how its queues behave: as the file says it, not yet looked up. */
#include <string.h>

#include "pipeline/acq-loader-private.h"

static const char *const when_full_words[] = { "drop-oldest", "drop-newest", "wait", NULL };

const AcqOption acq_queue_options[3] = {
  { "seconds", ACQ_FIELD_DOUBLE (AcqQueueConfig, seconds), .min = 0.01, .max = 3600, .unit = "s",
    .help = "How much it holds, at the nominal rate of the stream" },
  { "memory", ACQ_FIELD_BYTES (AcqQueueConfig, max_bytes), .min = 4096, .max = 0x1p40,
    .help = "How many bytes it holds at most" },
  { "when-full", ACQ_FIELD_ENUM (AcqQueueConfig, when_full, when_full_words),
    .help = "What happens to a message that finds no room; only a source that can wait, such as a "
            "replay, may have \"wait\"" },
};

void
acq_loader_read_queue (AcqLoader *self, JsonNode *json, AcqQueueConfig *queue)
{
  JsonObject *object = acq_loader_get_object (self, json, "a queue");

  if (object != NULL)
    acq_loader_read_table (self, object, acq_queue_options, G_N_ELEMENTS (acq_queue_options), queue,
                           "a queue");
}

/* The form of a pattern; whether it matches anything is another matter. */
static gboolean
is_pattern (const char *text)
{
  const char *dot = strchr (text, '.');

  if (*text == '\0' || strchr (text, ' ') != NULL || dot == text)
    return FALSE;
  return dot == NULL || (dot[1] != '\0' && strchr (dot + 1, '.') == NULL);
}

static void
add_input (AcqLoader *self, AcqPlannedNode *node, JsonNode *json, const AcqQueueConfig *queue)
{
  const char *text = json_node_get_string (json);
  AcqPlannedInput input = { .queue = *queue, .json = json };

  input.exclude = *text == '!';
  text += input.exclude;
  if (!is_pattern (text)) {
    acq_loader_report (self, json,
                       "\"%s\" is no input; allowed is \"node\", \"node.stream\", globs of both, "
                       "and \"!\" in front to leave out",
                       text);
    return;
  }
  input.pattern = g_strdup (text);
  input.path = g_strdup (self->path->str);
  g_array_append_val (node->inputs, input);
}

static gboolean
is_text (JsonNode *json)
{
  return JSON_NODE_HOLDS_VALUE (json) && json_node_get_value_type (json) == G_TYPE_STRING;
}

static void
read_input_object (AcqLoader *self, AcqPlannedNode *node, JsonNode *json)
{
  static const char *const keys[] = { "from", "queue" };
  JsonObject *object = json_node_get_object (json);
  JsonNode *from = json_object_get_member (object, "from");
  AcqQueueConfig queue = node->queue;
  JsonObjectIter iter;
  const char *key;
  JsonNode *member;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &member)) {
    gsize up = acq_loader_enter (self, key);

    if (strcmp (key, "queue") == 0)
      acq_loader_read_queue (self, member, &queue);
    else if (strcmp (key, "from") != 0) {
      g_autofree char *hint = acq_did_you_mean (key, keys, G_N_ELEMENTS (keys));

      acq_loader_report_key (self, member,
                             "an input has no key \"%s\", allowed is \"from\" or "
                             "\"queue\"%s",
                             key, hint);
    } else if (!is_text (member)) {
      g_autofree char *found = acq_json_describe (member);

      acq_loader_report (self, member, "found %s, allowed is a text such as \"node.stream\"",
                         found);
    }
    acq_loader_leave (self, up);
  }
  if (from == NULL)
    acq_loader_report (self, json, "the key \"from\" is missing; it names the input");
  if (from == NULL || !is_text (from))
    return;
  gsize up = acq_loader_enter (self, "from");
  add_input (self, node, from, &queue);
  acq_loader_leave (self, up);
}

void
acq_loader_read_inputs (AcqLoader *self, AcqPlannedNode *node, JsonNode *json)
{
  static const AcqOption list = { .name = "inputs", .type = ACQ_OPTION_STRV };
  g_autoptr (JsonNode) value = acq_loader_ref_value (self, &list, json);

  node->has_inputs = TRUE;
  if (!JSON_NODE_HOLDS_ARRAY (value)) {
    g_autofree char *found = acq_json_describe (json);

    acq_loader_report (self, json,
                       "found %s, allowed is a list such as [ \"node\", \"node.stream\" ]", found);
    return;
  }
  JsonArray *array = json_node_get_array (value);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonNode *element = json_array_get_element (array, i);
    gsize up = acq_loader_enter_index (self, i);

    if (is_text (element)) {
      add_input (self, node, element, &node->queue);
    } else if (JSON_NODE_HOLDS_OBJECT (element)) {
      read_input_object (self, node, element);
    } else {
      g_autofree char *found = acq_json_describe (element);

      acq_loader_report (self, element,
                         "found %s, allowed is a text such as \"node.stream\", or { \"from\": …, "
                         "\"queue\": … }",
                         found);
    }
    acq_loader_leave (self, up);
  }
}
