/* SPDX-License-Identifier: Apache-2.0 */
#include "fake-plugins.h"

#include <acq/acq-error.h>

/* fake-glove, fake-replay: sources */

typedef struct {
  AcqSource parent_instance;
  char *serial;
  int side;
  gint64 port;
  gint64 timeout;
  double gain;
  gboolean attach;
} FakeGlove;

typedef AcqSourceClass FakeGloveClass;

GType fake_glove_get_type (void);
G_DEFINE_TYPE (FakeGlove, fake_glove, ACQ_TYPE_SOURCE)

static const char *const sides[] = { "left", "right", NULL };

static const AcqOption glove_options[] = {
  { "serial", ACQ_FIELD_STRING (FakeGlove, serial), .help = "Of the device" },
  { "side", ACQ_FIELD_ENUM (FakeGlove, side, sides), .flags = ACQ_OPTION_REQUIRED,
    .help = "Of the body" },
  { "port", ACQ_FIELD_INT (FakeGlove, port), .def = 15001, .min = 1, .max = 65535,
    .help = "UDP port" },
  { "timeout", ACQ_FIELD_DURATION (FakeGlove, timeout), .def = 1, .min = 0.01, .max = 60,
    .help = "How long it may be silent" },
  { "gain", ACQ_FIELD_DOUBLE (FakeGlove, gain), .def = 1, .help = "Of nothing" },
  { "attach", ACQ_FIELD_BOOL (FakeGlove, attach), .help = "To a running program" },
};

static gboolean
fake_glove_check (AcqNode *node, GError **error)
{
  FakeGlove *self = (FakeGlove *) node;

  if (!self->attach || self->serial != NULL)
    return TRUE;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION, "to attach, a serial is needed");
  return FALSE;
}

static void
fake_glove_class_init (FakeGloveClass *klass)
{
  ACQ_NODE_CLASS (klass)->check = fake_glove_check;
  acq_node_class_add_options (ACQ_NODE_CLASS (klass), glove_options, G_N_ELEMENTS (glove_options));
}

static void
fake_glove_init (FakeGlove *self)
{
}

static const AcqStreamTemplate glove_streams[] = {
  { "hand_skeleton", &acq_hand_skeleton_schema, FALSE, "Joints" },
  { "tactile", &acq_raw_schema, FALSE, "Touch" },
  { "imu/palm", &acq_raw_schema, TRUE, "Palm" },
  { 0 },
};

static const AcqPlugin glove = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "fake-glove",
  .summary = "a glove",
  .version = "1",
  .licence = "Apache-2.0",
  .streams = glove_streams,
  .get_type = fake_glove_get_type,
};

typedef AcqSource FakeReplay;
typedef AcqSourceClass FakeReplayClass;

GType fake_replay_get_type (void);
G_DEFINE_TYPE (FakeReplay, fake_replay, ACQ_TYPE_SOURCE)

static void
fake_replay_class_init (FakeReplayClass *klass)
{
}

static void
fake_replay_init (FakeReplay *self)
{
}

static const AcqStreamTemplate replay_streams[] = {
  { "state", &acq_raw_schema, FALSE, "What was recorded" },
  { 0 },
};

static const AcqPlugin replay = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "fake-replay",
  .summary = "a replay",
  .version = "1",
  .licence = "Apache-2.0",
  .streams = replay_streams,
  .get_type = fake_replay_get_type,
  .can_wait = TRUE,
};

/* fake-grid: a transform that takes skeletons and gives each a name of its own */

typedef struct {
  AcqTransform parent_instance;
  double rate;
  gboolean merge;
} FakeGrid;

typedef AcqTransformClass FakeGridClass;

GType fake_grid_get_type (void);
G_DEFINE_TYPE (FakeGrid, fake_grid, ACQ_TYPE_TRANSFORM)

static const AcqOption grid_options[] = {
  { "rate-hz", ACQ_FIELD_DOUBLE (FakeGrid, rate), .def = 100, .min = 1, .max = 2000, .unit = "Hz",
    .help = "Of the grid" },
  { "merge", ACQ_FIELD_BOOL (FakeGrid, merge), .help = "All into one stream" },
};

static gboolean
fake_grid_derive (AcqTransform *transform, const AcqInputInfo *inputs, guint n, GArray *ret_streams,
                  GError **error)
{
  FakeGrid *self = (FakeGrid *) transform;

  for (guint i = 0; i < n; i++) {
    AcqDerivedStream stream = {
      self->merge ? g_strdup ("merged")
                  : g_strdup_printf ("%s_%s", inputs[i].node, inputs[i].stream),
      inputs[i].schema,
    };

    g_array_append_val (ret_streams, stream);
    if (inputs[i].schema == &acq_raw_schema) {
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_SCHEMA, "%s.%s is %s, which has nothing to resample",
                   inputs[i].node, inputs[i].stream, inputs[i].schema->name);
      return FALSE;
    }
  }
  return TRUE;
}

static void
fake_grid_class_init (FakeGridClass *klass)
{
  klass->derive = fake_grid_derive;
  acq_node_class_add_options (ACQ_NODE_CLASS (klass), grid_options, G_N_ELEMENTS (grid_options));
}

static void
fake_grid_init (FakeGrid *self)
{
}

static const AcqPlugin grid = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "fake-grid",
  .summary = "a grid",
  .version = "1",
  .licence = "Apache-2.0",
  .get_type = fake_grid_get_type,
};

/* fake-disk: a sink */

typedef struct {
  AcqSink parent_instance;
  guint64 chunk_size;
  char **names;
  char *file;
} FakeDisk;

typedef AcqSinkClass FakeDiskClass;

GType fake_disk_get_type (void);
G_DEFINE_TYPE (FakeDisk, fake_disk, ACQ_TYPE_SINK)

static const AcqOption disk_options[] = {
  { "chunk-size", ACQ_FIELD_BYTES (FakeDisk, chunk_size), .def = 1048576, .min = 4096,
    .max = 1073741824, .help = "Of a chunk" },
  { "names", ACQ_FIELD_STRV (FakeDisk, names), .help = "Of something" },
  { "file", ACQ_FIELD_STRING (FakeDisk, file), .flags = ACQ_OPTION_PATH, .help = "Where to" },
};

static void
fake_disk_class_init (FakeDiskClass *klass)
{
  klass->queue_seconds = 30;
  acq_node_class_add_options (ACQ_NODE_CLASS (klass), disk_options, G_N_ELEMENTS (disk_options));
}

static void
fake_disk_init (FakeDisk *self)
{
}

static const AcqPlugin disk = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "fake-disk",
  .summary = "a disk",
  .version = "1",
  .licence = "Apache-2.0",
  .get_type = fake_disk_get_type,
};

AcqRegistry *
fake_registry (void)
{
  const AcqPlugin *const plugins[] = { &glove, &replay, &grid, &disk };
  /* Only these, wherever the tests run. */
  AcqRegistry *registry = g_object_new (ACQ_TYPE_REGISTRY, NULL); /* no directories */

  for (gsize i = 0; i < G_N_ELEMENTS (plugins); i++) {
    g_autoptr (GError) error = NULL;

    acq_registry_add (registry, plugins[i], &error);
    g_assert_no_error (error);
  }
  return registry;
}

char *
fake_unquote (const char *text)
{
  char *copy = g_strdup (text);

  return g_strdelimit (copy, "'", '"');
}

AcqPipeline *
fake_load (AcqRegistry *registry, const char *text, const char *const *overrides)
{
  g_autofree char *json = fake_unquote (text);
  g_autoptr (GPtrArray) problems = NULL;
  AcqPipeline *pipeline = acq_pipeline_load (registry, "p.json", json, overrides, &problems);

  for (guint i = 0; i < problems->len; i++)
    g_test_message ("%s", (char *) problems->pdata[i]);
  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_nonnull (pipeline);
  return pipeline;
}

char *
fake_problems (AcqRegistry *registry, const char *text, const char *const *overrides)
{
  g_autofree char *json = fake_unquote (text);
  g_autoptr (GPtrArray) problems = NULL;
  g_autoptr (AcqPipeline) pipeline =
      acq_pipeline_load (registry, "p.json", json, overrides, &problems);
  g_autoptr (GString) all = g_string_new (NULL);

  g_assert_null (pipeline);
  for (guint i = 0; i < problems->len; i++)
    g_string_append_printf (all, "%s\n", (char *) problems->pdata[i]);
  return g_strdelimit (g_string_free (g_steal_pointer (&all), FALSE), "\"", '\'');
}
