/* SPDX-License-Identifier: Apache-2.0 */

/* session.json: devices from what the nodes declare, times of streams, overlap. */

#include <string.h>

#include <acq/acq-harness.h>
#include <acq/acq.h>
#include <json-glib/json-glib.h>

#define MS G_GINT64_CONSTANT (1000000)

typedef struct {
  AcqHarness *h;
  AcqTake *take;
  JsonNode *node;
  JsonObject *root;
} Fixture;

/* The node under test is of no interest: something must take the frames. */
typedef AcqSink TestSink;
typedef AcqSinkClass TestSinkClass;

GType test_sink_get_type (void);
G_DEFINE_TYPE (TestSink, test_sink, ACQ_TYPE_SINK)

static gboolean
test_sink_write (AcqSink *sink, const AcqItem *items, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    acq_link_settle_written (items[i].link, 1);
  return TRUE;
}

static void
test_sink_class_init (TestSinkClass *klass)
{
  klass->write = test_sink_write;
}

static void
test_sink_init (TestSink *self)
{
}

static AcqStream *
add_stream (Fixture *f, const char *node, const char *name, double rate_hz, gboolean latched)
{
  return acq_harness_add_input (f->h, node,
                                &(AcqStreamInfo){ .name = name,
                                                  .schema = &acq_illuminance_schema,
                                                  .rate_hz = rate_hz,
                                                  .latched = latched });
}

static void
declare (Fixture *f, const char *id, const char *const *facts)
{
  AcqNode *node = acq_graph_get_node (acq_harness_get_graph (f->h), id);

  for (; *facts != NULL; facts += 2)
    acq_node_set_fact (node, facts[0], facts[1]);
}

static void
push (AcqStream *stream)
{
  AcqFrame *frame;

  acq_illuminance_begin (stream, &frame);
  acq_stream_push (stream, frame, 0, ACQ_TIME_NONE);
}

static void
setup (Fixture *f, gconstpointer data)
{
  f->h = acq_harness_new (g_object_new (test_sink_get_type (), NULL), "sink");
}

static void
start (Fixture *f)
{
  f->take = acq_take_ref (acq_harness_begin_take (f->h, NULL));
  g_assert_true (acq_harness_start (f->h, NULL));
}

static void
finish (Fixture *f, const AcqVerdict *verdict)
{
  g_autoptr (AcqSnapshot) snapshot = NULL;

  acq_harness_stop (f->h);
  snapshot = acq_harness_snapshot (f->h);
  f->node = acq_session_to_json (acq_harness_get_graph (f->h), f->take, snapshot, verdict);
  f->root = json_node_get_object (f->node);
}

static void
teardown (Fixture *f, gconstpointer data)
{
  g_clear_pointer (&f->node, json_node_unref);
  g_clear_pointer (&f->take, acq_take_unref);
  acq_harness_free (f->h);
}

static void
assert_range (JsonObject *object, gint64 first_us, gint64 last_us)
{
  JsonArray *range = json_object_get_array_member (object, "t_host_us_range");

  g_assert_cmpuint (json_array_get_length (range), ==, 2);
  g_assert_cmpint (json_array_get_int_element (range, 0), ==, first_us);
  g_assert_cmpint (json_array_get_int_element (range, 1), ==, last_us);
}

static JsonObject *
stream_of (Fixture *f, const char *path)
{
  return json_object_get_object_member (json_object_get_object_member (f->root, "streams"), path);
}

static void
test_devices (Fixture *f, gconstpointer data)
{
  JsonArray *gloves;
  JsonObject *left;

  add_stream (f, "left_glove", "a", 100, FALSE);
  add_stream (f, "right_glove", "a", 100, FALSE);
  add_stream (f, "wrists", "a", 100, FALSE);
  declare (f, "left_glove",
           (const char *const[]){ "section", "gloves", "kind", "wuji", "serial", "WG1", "side",
                                  "left", "device_name", "glove_0", NULL });
  declare (f, "right_glove",
           (const char *const[]){ "section", "gloves", "kind", "manus", "firmware", "1.2", NULL });
  declare (
      f, "wrists",
      (const char *const[]){ "section", "tracker", "kind", "poses", "transport", "udp", NULL });
  start (f);
  finish (f, NULL);

  g_assert_cmpstr (json_object_get_string_member (f->root, "glove_type"), ==, "wuji+manus");
  gloves = json_object_get_array_member (f->root, "gloves");
  g_assert_cmpuint (json_array_get_length (gloves), ==, 2);
  left = json_array_get_object_element (gloves, 0);
  g_assert_cmpstr (json_object_get_string_member (left, "device_name"), ==, "glove_0");
  g_assert_cmpstr (json_object_get_string_member (left, "node"), ==, "left_glove");
  g_assert_cmpstr (json_object_get_string_member (left, "sn"), ==, "WG1");
  g_assert_cmpstr (json_object_get_string_member (left, "slot"), ==, "left");
  left = json_array_get_object_element (gloves, 1);
  g_assert_cmpstr (json_object_get_string_member (left, "device_name"), ==, "right_glove");
  g_assert_true (json_object_get_null_member (left, "slot"));
  g_assert_cmpstr (json_object_get_string_member (left, "firmware"), ==, "1.2");
  g_assert_cmpstr (json_object_get_string_member (
                       json_object_get_object_member (f->root, "tracker"), "transport"),
                   ==, "udp");
  g_assert_cmpstr (json_object_get_string_member (f->root, "base"), ==,
                   acq_take_get_base (f->take));
}

/* From the latest first frame to the earliest last one of what has a rate. */
static void
test_overlap (Fixture *f, gconstpointer data)
{
  AcqStream *a = add_stream (f, "glove", "a", 100, FALSE);
  AcqStream *b = add_stream (f, "glove", "b", 50, FALSE);
  AcqStream *seldom = add_stream (f, "glove", "seldom", 0, FALSE);
  AcqStream *latched = add_stream (f, "glove", "latched", 10, TRUE);
  gint64 start_us = ACQ_HARNESS_START_NS / 1000;

  start (f);
  push (latched);
  acq_harness_advance (f->h, 100 * MS);
  push (a);
  acq_harness_advance (f->h, 50 * MS);
  push (b);
  acq_harness_advance (f->h, 1000 * MS);
  push (a);
  push (seldom);
  acq_harness_advance (f->h, 10 * MS);
  push (b);
  finish (f, NULL);

  assert_range (stream_of (f, "glove.a"), start_us + 100000, start_us + 1150000);
  assert_range (stream_of (f, "glove.b"), start_us + 150000, start_us + 1160000);
  assert_range (stream_of (f, "glove.seldom"), start_us + 1150000, start_us + 1150000);
  g_assert_true (json_object_get_boolean_member (stream_of (f, "glove.a"), "counts_for_overlap"));
  g_assert_false (
      json_object_get_boolean_member (stream_of (f, "glove.seldom"), "counts_for_overlap"));
  g_assert_false (
      json_object_get_boolean_member (stream_of (f, "glove.latched"), "counts_for_overlap"));
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (f->root, "overlap_s"), 1, 1e-9);
}

static void
test_no_overlap (Fixture *f, gconstpointer data)
{
  AcqStream *a = add_stream (f, "glove", "a", 100, FALSE);
  AcqStream *b = add_stream (f, "glove", "b", 100, FALSE);

  start (f);
  push (a);
  acq_harness_advance (f->h, 10 * MS);
  push (a);
  acq_harness_advance (f->h, 10 * MS);
  push (b);
  acq_harness_advance (f->h, 10 * MS);
  push (b);
  finish (f, NULL);
  g_assert_cmpfloat (json_object_get_double_member (f->root, "overlap_s"), ==, 0);
}

/* A glove that never said anything overlaps with nothing. */
static void
test_silent_stream (Fixture *f, gconstpointer data)
{
  AcqStream *a = add_stream (f, "glove", "a", 100, FALSE);

  add_stream (f, "glove", "silent", 100, FALSE);
  start (f);
  push (a);
  acq_harness_advance (f->h, 1000 * MS);
  push (a);
  finish (f, NULL);
  g_assert_false (json_object_has_member (stream_of (f, "glove.silent"), "t_host_us_range"));
  g_assert_cmpint (json_object_get_int_member (stream_of (f, "glove.silent"), "frames"), ==, 0);
  g_assert_cmpfloat (json_object_get_double_member (f->root, "overlap_s"), ==, 0);
}

static void
test_write (Fixture *f, gconstpointer data)
{
  AcqStream *a = add_stream (f, "glove", "a", 100, FALSE);
  const char *const reasons[] = { "too little", NULL };
  const AcqVerdict verdict = { "fail", reasons };
  g_autoptr (AcqSnapshot) snapshot = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_auto (GStrv) files = NULL;
  JsonObject *object;

  start (f);
  push (a);
  finish (f, NULL);
  snapshot = acq_harness_snapshot (f->h);
  g_assert_true (
      acq_session_write (acq_harness_get_graph (f->h), f->take, snapshot, &verdict, &error));
  g_assert_no_error (error);
  files = acq_take_list_files (f->take);
  g_assert_cmpuint (g_strv_length (files), ==, 1);
  g_assert_true (g_str_has_suffix (files[0], ".session.json"));
  g_assert_true (json_parser_load_from_file (parser, files[0], NULL));
  object = json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)),
                                          "verdict");
  g_assert_cmpstr (json_object_get_string_member (object, "result"), ==, "fail");
  g_assert_cmpstr (
      json_array_get_string_element (json_object_get_array_member (object, "reasons"), 0), ==,
      "too little");
  /* A file that is there is never replaced. */
  g_assert_false (
      acq_session_write (acq_harness_get_graph (f->h), f->take, snapshot, &verdict, &error));
  g_assert_error (error, ACQ_ERROR, ACQ_ERROR_IO);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*func) (Fixture *f, gconstpointer data);
  } tests[] = {
    { "/session/devices", test_devices },       { "/session/overlap", test_overlap },
    { "/session/no-overlap", test_no_overlap }, { "/session/silent-stream", test_silent_stream },
    { "/session/write", test_write },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, setup, tests[i].func, teardown);
  return g_test_run ();
}
