/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "pipeline/acq-jsonc-private.h"
#include "pipeline/acq-pipeline-private.h"
#include "plugin/acq-option-private.h"

/*
 * The loading of one file: where we are in it, and what is wrong so far. Every
 * part reads on after a mistake, and nothing is reported that merely follows
 * from another mistake.
 */

typedef struct {
  const char *name; /* of the file */
  AcqRegistry *registry;
  AcqPipeline *pipeline;
  AcqJsonc *doc;
  JsonNode *root;
  GString *path;          /* JSON pointer of what is being read */
  GPtrArray *problems;    /* of Problem, unsorted */
  GHashTable *overridden; /* JsonNode → the `--set` that put it there (unowned) */
  GHashTable *whole;      /* of JsonNode: what an override gave as a whole, not a part of that */
  GPtrArray *kept;        /* of JsonNode: replaced ones, since places are known by address */
} AcqLoader;

/* Down to a member and back: `gsize up = acq_loader_enter (l, key); … acq_loader_leave (l, up);` */
gsize acq_loader_enter (AcqLoader *self, const char *key);
gsize acq_loader_enter_index (AcqLoader *self, guint index);
void acq_loader_leave (AcqLoader *self, gsize up);

/* A mistake in the value @at, or in its key. */
void acq_loader_report (AcqLoader *self, JsonNode *at, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void acq_loader_report_key (AcqLoader *self, JsonNode *at, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* A mistake in a `--set` itself. */
void acq_loader_report_override (AcqLoader *self, const char *override, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* All of them, as lines, in the order of the file. */
GPtrArray *acq_loader_format_problems (AcqLoader *self);

/* The object in @node, or NULL after a report. @what: "a section", "a queue" … */
JsonObject *acq_loader_get_object (AcqLoader *self, JsonNode *node, const char *what);

/* A value for one row of a table, reported when it is wrong. An override may be a bare word. */
gboolean acq_loader_parse (AcqLoader *self, const AcqOption *option, JsonNode *node,
                           AcqOptionValue *ret_value);
/* The JSON that an override means for this row: its bare word made a text where that is wanted. */
JsonNode *acq_loader_ref_value (AcqLoader *self, const AcqOption *option, JsonNode *node);

/*
 * Members of @object into the fields of @instance by a table; unknown ones are
 * reported. Returns which rows were given, as bits.
 */
guint acq_loader_read_table (AcqLoader *self, JsonObject *object, const AcqOption *options, guint n,
                             gpointer instance, const char *what);

/* All of @node comes from @override. */
void acq_loader_mark_overridden (AcqLoader *self, JsonNode *node, const char *override);
/* Puts the value of `path=value` into the tree. */
void acq_loader_apply_override (AcqLoader *self, const char *override);

/* The parts of a file. */
void acq_loader_read_recording (AcqLoader *self, JsonNode *node);
void acq_loader_read_nodes (AcqLoader *self, JsonNode *node, AcqSection section);
void acq_loader_read_inputs (AcqLoader *self, AcqPlannedNode *node, JsonNode *json);
void acq_loader_read_queue (AcqLoader *self, JsonNode *json, AcqQueueConfig *queue);
void acq_loader_resolve (AcqLoader *self);
void acq_loader_read_expect (AcqLoader *self, JsonNode *node);
/* Whether a pattern matches anything; if not, it is reported at @at. */
gboolean acq_loader_check_pattern (AcqLoader *self, const char *pattern, JsonNode *at);
