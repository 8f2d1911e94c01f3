/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-pipeline.h>
#include <acq/acq-transform.h>

/* What a loaded pipeline knows of its nodes, and what it expects of their streams. */

typedef enum {
  ACQ_SECTION_SOURCES,
  ACQ_SECTION_TRANSFORMS,
  ACQ_SECTION_SINKS,
  ACQ_N_SECTIONS,
} AcqSection;

/* A stream that a node can have. */
typedef struct {
  char *name;
  const AcqSchema *schema;
  gboolean chosen; /* it will be there, as the options stand */
} AcqPlannedStream;

/* One entry of `inputs`. */
typedef struct {
  char *pattern; /* without the `!` */
  gboolean exclude;
  AcqQueueConfig queue;
  char *path;     /* JSON pointer, for mistakes that are found later */
  JsonNode *json; /* (unowned): while loading */
} AcqPlannedInput;

/* A stream of another node that a consumer will take. */
typedef struct {
  guint node;
  guint stream;
  guint input; /* which entry of `inputs` decided; G_MAXUINT: there are none */
} AcqPlannedEdge;

typedef struct _AcqPlannedNode AcqPlannedNode;

struct _AcqPlannedNode {
  char *id;
  AcqSection section;
  const AcqPlugin *plugin;
  AcqNode *node;
  gboolean enabled;
  gboolean is_clean;   /* nothing is wrong with it so far */
  gboolean is_open;    /* what streams it has is not known: whatever is asked of it may be right */
  gboolean has_inputs; /* `inputs` is given */
  GArray *streams;     /* of AcqPlannedStream */
  GArray *inputs;      /* of AcqPlannedInput */
  GArray *edges;       /* of AcqPlannedEdge */
  AcqQueueConfig queue;
  JsonNode *json; /* (unowned) (nullable): while loading */
  guint mark;     /* of the walk that looks for cycles */
  gboolean knows_impatient;
  const AcqPlannedNode *impatient; /* (nullable): a source before it that cannot wait */
};

/* Which of the keys of an expectation were given: its rows in expect_options. */
typedef enum {
  ACQ_EXPECT_REQUIRED,
  ACQ_EXPECT_MIN_RATE,
  ACQ_EXPECT_MAX_GAP,
  ACQ_EXPECT_MAX_LOSS,
  ACQ_EXPECT_GRACE,
  ACQ_EXPECT_N,
} AcqExpectKey;

extern const AcqOption acq_expect_options[ACQ_EXPECT_N];

typedef struct {
  char *pattern;
  guint given; /* bits of AcqExpectKey */
  gboolean required;
  double min_rate_hz;
  double max_gap_ms;
  double max_loss;
  double grace_s;
} AcqExpect;

struct _AcqPipeline {
  GObject parent_instance;
  AcqGraph *graph;
  GHashTable *recording; /* text → text */
  char *text;
  GPtrArray *nodes;    /* of AcqPlannedNode, in the order of the file; the last is `acq` */
  GArray *expects;     /* of AcqExpect, in the order of the file */
  GHashTable *windows; /* path of a stream → what was seen of it lately; see the verdict */
  gint64 start_ns;     /* when it began, as far as is known; 0 before */
  gint64 last_live_ns; /* when it was last looked at while it ran */
};

AcqPlannedNode *acq_planned_node_new (const char *id, AcqSection section, JsonNode *json);
void acq_planned_node_free (AcqPlannedNode *self);
/* An array that owns its names. */
GArray *acq_planned_streams_new (void);

/*
 * Whether a consumer takes a stream, and the entry of `inputs` that decides, the
 * last that matches; G_MAXUINT when all is taken without one. @stream NULL: some
 * stream or other of the node, whatever its name.
 */
gboolean acq_planned_node_takes (const AcqPlannedNode *self, const AcqPlannedNode *from,
                                 const char *stream, guint *ret_input);

AcqPlannedNode *acq_pipeline_find_node (AcqPipeline *self, const char *id);

/* Queue objects of consumers and inputs; also for the JSON Schema. */
extern const AcqOption acq_queue_options[3];

/* What the keys of every node are for: also for the JSON Schema. */
extern const char *const acq_section_names[ACQ_N_SECTIONS];
GType acq_section_type (AcqSection section);
