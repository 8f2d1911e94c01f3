/* SPDX-License-Identifier: Apache-2.0 */
/* The sections `recording` and `expect`. */
#include <string.h>

#include "pipeline/acq-loader-private.h"
#include "pipeline/acq-pattern-private.h"

const AcqOption acq_expect_options[ACQ_EXPECT_N] = {
  [ACQ_EXPECT_REQUIRED] = { "required", ACQ_FIELD_BOOL (AcqExpect, required), .def = TRUE,
                            .help = "false: the run goes on, and succeeds, without it" },
  [ACQ_EXPECT_MIN_RATE] = { "min-rate-hz", ACQ_FIELD_DOUBLE (AcqExpect, min_rate_hz), .min = 0,
                            .max = 1e6, .unit = "Hz", .help = "The rate must not be lower" },
  [ACQ_EXPECT_MAX_GAP] = { "max-gap-ms", ACQ_FIELD_DOUBLE (AcqExpect, max_gap_ms), .min = 0,
                           .max = 1e9, .unit = "ms",
                           .help = "No longer pause between two messages" },
  [ACQ_EXPECT_MAX_LOSS] = { "max-loss", ACQ_FIELD_DOUBLE (AcqExpect, max_loss), .min = 0, .max = 1,
                            .help = "The share that may be lost; 0.001 is one in a thousand" },
  [ACQ_EXPECT_GRACE] = { "grace-s", ACQ_FIELD_DOUBLE (AcqExpect, grace_s), .def = 2, .min = 0,
                         .max = 3600, .unit = "s",
                         .help = "How long after the start it may fail without an alert" },
};

static void
read_expectation (AcqLoader *self, const char *pattern, JsonNode *json)
{
  JsonObject *object = acq_loader_get_object (self, json, "an expectation");
  AcqExpect expect = { .required = TRUE, .grace_s = acq_expect_options[ACQ_EXPECT_GRACE].def };

  if (object == NULL)
    return;
  /* The key is what can be wrong here, not the value. */
  acq_loader_check_pattern (self, pattern, json);
  expect.given = acq_loader_read_table (self, object, acq_expect_options, ACQ_EXPECT_N, &expect,
                                        "an expectation");
  expect.pattern = g_strdup (pattern);
  g_array_append_val (self->pipeline->expects, expect);
}

void
acq_loader_read_expect (AcqLoader *self, JsonNode *node)
{
  JsonObject *object = acq_loader_get_object (self, node, "a section");
  JsonObjectIter iter;
  const char *pattern;
  JsonNode *json;

  if (object == NULL)
    return;
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &pattern, &json)) {
    gsize up = acq_loader_enter (self, pattern);

    read_expectation (self, pattern, json);
    acq_loader_leave (self, up);
  }
}

/* What is kept with a recording is text; numbers and truth values are written as they stand. */
static char *
fact_to_text (AcqLoader *self, JsonNode *json)
{
  static const AcqOption text = { .name = "", .type = ACQ_OPTION_STRING };
  g_autoptr (JsonNode) value = acq_loader_ref_value (self, &text, json);

  if (!JSON_NODE_HOLDS_VALUE (value))
    return NULL;
  if (json_node_get_value_type (value) == G_TYPE_STRING)
    return g_strdup (json_node_get_string (value));
  return acq_json_print (value, FALSE);
}

static gboolean
is_fact_key (const char *key)
{
  for (const char *p = key; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && *p != '-' && *p != '_')
      return FALSE;
  return *key != '\0';
}

static void
read_fact (AcqLoader *self, const char *key, JsonNode *json)
{
  static const char *const known[] = { "directory", "task", "instruction", "operator" };
  g_autofree char *text = fact_to_text (self, json);
  const char *near = acq_nearest_word (key, known, G_N_ELEMENTS (known));

  /* Any key may be kept, but one that looks like a slip of a known one is one. */
  if (near != NULL && strcmp (near, key) != 0) {
    acq_loader_report_key (self, json, "\"%s\" looks like a slip; did you mean \"%s\"?", key, near);
  } else if (!is_fact_key (key)) {
    acq_loader_report_key (self, json,
                           "a key of a recording is made of letters, digits, \"-\" and \"_\"");
  } else if (text == NULL) {
    g_autofree char *found = acq_json_describe (json);

    acq_loader_report (self, json, "found %s, allowed is a text", found);
  } else if (strcmp (key, "directory") == 0) {
    if (*text == '\0')
      acq_loader_report (self, json, "the directory is empty; \".\" is where you are");
    else
      g_hash_table_insert (self->pipeline->recording, g_strdup (key), acq_expand_path (text));
  } else {
    g_hash_table_insert (self->pipeline->recording, g_strdup (key), g_steal_pointer (&text));
  }
}

void
acq_loader_read_recording (AcqLoader *self, JsonNode *node)
{
  JsonObject *object = acq_loader_get_object (self, node, "a section");
  JsonObjectIter iter;
  const char *key;
  JsonNode *json;

  if (object == NULL)
    return;
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &json)) {
    gsize up = acq_loader_enter (self, key);

    read_fact (self, key, json);
    acq_loader_leave (self, up);
  }
}
