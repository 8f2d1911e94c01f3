/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A whole Wuji rig: two gloves, two Hand 2 and the transforms at full rates, into MCAP and NPZ.
 * What the library delivered is in the files, all of it, to the last bit.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>

#include <acq/acq-mcap-reader.h>
#include <acq/acq-npz.h>
#include <acq/acq-zip.h>

#include "run-process.h"
#include "wuji-truth.h"

#define GLOVE_STREAMS                                                                              \
  "\"streams\": [\"tactile*\", \"emf_poses\", \"tip_poses\", \"hand_*\", \"imu/palm\", "           \
  "\"imu_fused/palm\"]"
#define SINKS                                                                                      \
  "\"sinks\": { \"mcap\": { \"plugin\": \"mcap-writer\" }, \"npz\": { \"plugin\": \"npz-writer\" " \
  "} }"

static const struct {
  const char *node, *plugin, *serial;
} nodes[] = {
  { "left_glove", "wuji-glove", "WG1J00000001" },
  { "right_glove", "wuji-glove", "WG1K00000001" },
  { "left_hand", "wuji-hand2", "WH2J00000001" },
  { "right_hand", "wuji-hand2", "WH2K00000001" },
};

/* ---- the library ---- */

typedef struct {
  char *folder, *config, *report_path;
  JsonNode *report;
} Library;

static void
library_init (Library *self, const char *config)
{
  g_autofree char *path = g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "apps", "acq-sim", "wuji",
                                            "libwuji_sdk_c.so", NULL);

  self->folder = g_dir_make_tmp ("wuji-XXXXXX", NULL);
  self->config = g_build_filename (self->folder, "config.json", NULL);
  self->report_path = g_build_filename (self->folder, "report.json", NULL);
  self->report = NULL;
  g_assert_true (g_file_set_contents (self->config, config, -1, NULL));
  g_setenv ("WUJI_SDK_LIBRARY", path, TRUE);
  g_setenv ("ACQ_SIM_WUJI_CONFIG", self->config, TRUE);
  g_setenv ("ACQ_SIM_WUJI_REPORT", self->report_path, TRUE);
}

static void
library_read (Library *self)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  json_parser_load_from_file (parser, self->report_path, &error);
  g_assert_no_error (error);
  self->report = json_parser_steal_root (parser);
}

static void
library_clear (Library *self)
{
  g_clear_pointer (&self->report, json_node_unref);
  run_folder_remove (self->folder);
  g_free (self->folder);
  g_free (self->config);
  g_free (self->report_path);
}

/* The only subscription of a stream; what it delivered must be one run without a gap. */
static JsonObject *
subscription (Library *self, const char *serial, const char *topic)
{
  JsonArray *all =
      json_object_get_array_member (json_node_get_object (self->report), "subscriptions");
  JsonObject *found = NULL;

  for (guint i = 0; i < json_array_get_length (all); i++) {
    JsonObject *one = json_array_get_object_element (all, i);

    if (strcmp (json_object_get_string_member (one, "device"), serial) == 0 &&
        strcmp (json_object_get_string_member (one, "stream"), topic) == 0) {
      g_assert_null (found);
      found = one;
    }
  }
  g_assert_nonnull (found);
  g_assert_cmpint (json_object_get_int_member (found, "lagged"), ==, 0);
  return found;
}

/* ---- MCAP ---- */

static void
check_message (const WujiTruth *truth, const char *serial, const AcqMcapMessage *message)
{
  g_auto (AcqCdrMessage) decoded = { NULL };
  g_autoptr (GError) error = NULL;
  WujiMessage one = { .seq = message->sequence };

  acq_cdr_decode (truth->schema, message->data.data, message->data.size, &decoded, &error);
  g_assert_no_error (error);
  one.payload = decoded.payload;
  if (truth->schema->tail != NULL) {
    one.tail = decoded.payload + truth->schema->tail_offset;
    one.tail_size = decoded.payload_size - truth->schema->tail_offset;
  }
  truth->check (serial, &one);
}

/* Every message of a file goes to the truth of its topic; counts by topic. */
typedef struct {
  const WujiTruth *truth;
  const char *serial;
  guint64 n, first, last;
} Tally;

static GHashTable *
make_tallies (void)
{
  GHashTable *tallies = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (gsize k = 0; k < G_N_ELEMENTS (nodes); k++)
    for (guint i = 0; i < wuji_n_truths; i++) {
      Tally *tally;

      if (strcmp (wuji_truths[i].plugin, nodes[k].plugin) != 0)
        continue;
      tally = g_new0 (Tally, 1);
      tally->truth = &wuji_truths[i];
      tally->serial = nodes[k].serial;
      g_hash_table_insert (tallies,
                           g_strdup_printf ("/%s/%s", nodes[k].node, wuji_truths[i].stream), tally);
    }
  return tallies;
}

static guint64
read_mcap (RunProcess *run, GHashTable *tallies)
{
  g_autofree char *path = run_process_find_file (run, ".mcap");
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqMcapReader) reader = acq_mcap_reader_new_for_path (path, &error);
  AcqMcapMessage message;
  guint64 n_tf = 0;

  g_assert_no_error (error);
  while (acq_mcap_reader_next_message (reader, &message, &error)) {
    const AcqMcapChannel *channel = acq_mcap_reader_get_channel (reader, message.channel_id);
    g_autofree char *topic = g_strndup ((const char *) channel->topic.data, channel->topic.size);
    Tally *tally = g_hash_table_lookup (tallies, topic);

    n_tf += strcmp (topic, "/tf") == 0;
    if (tally == NULL)
      continue;
    if (tally->n == 0)
      tally->first = message.sequence;
    else
      g_assert_cmpuint (message.sequence, ==, tally->last + 1);
    tally->last = message.sequence;
    tally->n++;
    check_message (tally->truth, tally->serial, &message);
  }
  g_assert_no_error (error);
  return n_tf;
}

static void
check_mcap (RunProcess *run, Library *library)
{
  g_autoptr (GHashTable) tallies = make_tallies ();
  guint64 n_tf = read_mcap (run, tallies);
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, tallies);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    const Tally *tally = value;
    JsonObject *sub = subscription (library, tally->serial, tally->truth->topic);
    JsonObject *range;

    g_test_message ("%s: %" G_GUINT64_FORMAT, (const char *) key, tally->n);
    g_assert_cmpuint (json_array_get_length (json_object_get_array_member (sub, "runs")), ==, 1);
    range = json_array_get_object_element (json_object_get_array_member (sub, "runs"), 0);
    g_assert_cmpuint (tally->n, ==, json_object_get_int_member (sub, "ok"));
    g_assert_cmpuint (tally->first, ==, json_object_get_int_member (range, "first"));
    g_assert_cmpuint (tally->last, ==, json_object_get_int_member (range, "last"));
  }
  g_assert_cmpuint (n_tf, ==, json_object_get_int_member (subscription (library, "", "tf"), "ok"));
}

/* ---- NPZ: keys, shapes and types of a rig ---- */

static GBytes *
read_array (AcqZipReader *zip, const char *key, const char *descr, const guint64 *shape)
{
  AcqNpyHeader header;
  g_autoptr (GError) error = NULL;
  GBytes *bytes = acq_npz_read (zip, key, &header, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (header.fields[0].descr, ==, descr);
  for (guint i = 0; shape[i] != 0; i++)
    g_assert_cmpuint (header.shape[i + 1], ==, shape[i]);
  acq_npy_header_clear (&header);
  return bytes;
}

static void
check_npz (RunProcess *run, Library *library)
{
  g_autofree char *path = run_process_find_file (run, ".npz");
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqZipReader) zip = acq_zip_reader_open (path, &error);

  g_assert_no_error (error);
  for (guint k = 0; k < 2; k++) {
    g_autofree char *skeleton_key = g_strdup_printf ("%s__hand_skeleton", nodes[k].node);
    g_autofree char *tactile_key = g_strdup_printf ("%s__tactile", nodes[k].node);
    g_autofree char *time_key = g_strdup_printf ("%s__tactile__t_host_us", nodes[k].node);
    g_autoptr (GBytes) skeleton =
        read_array (zip, skeleton_key, "<f4", (const guint64[]){ 21, 7, 0 });
    g_autoptr (GBytes) tactile = read_array (zip, tactile_key, "<f4", (const guint64[]){ 744, 0 });
    g_autoptr (GBytes) time = read_array (zip, time_key, "<i8", (const guint64[]){ 0 });
    JsonObject *sub = subscription (library, nodes[k].serial, "tactile");
    gsize n, n_times;
    const float *pose = g_bytes_get_data (skeleton, &n);
    const gint64 *us = g_bytes_get_data (time, &n_times);
    const float *taxel;

    /* The wrist never turns. */
    for (gsize i = 0; i < n / sizeof (float); i += 147)
      g_assert_cmpmem (&pose[i], 28, ((const float[]){ 0, 0, 0, 0, 0, 0, 1 }), 28);
    g_assert_cmpuint (n_times / 8, ==, json_object_get_int_member (sub, "ok"));
    for (gsize i = 1; i < n_times / 8; i++)
      g_assert_cmpint (us[i], >, us[i - 1]);
    taxel = g_bytes_get_data (tactile, &n);
    for (gsize i = 0; i < n / sizeof (float); i++)
      g_assert_true (taxel[i] == -1.0f || taxel[i] >= 0.0f);
  }
}

/* ---- runs ---- */

static double
children_cpu (void)
{
  struct rusage usage;

  getrusage (RUSAGE_CHILDREN, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void
test_rig (void)
{
  Library library;
  double before = children_cpu ();
  g_autoptr (RunProcess) run = NULL;

  library_init (&library, "{\"chatter\":false,\"devices\":["
                          "{\"kind\":\"glove\",\"serial\":\"WG1J00000001\"},"
                          "{\"kind\":\"glove\",\"serial\":\"WG1K00000001\"},"
                          "{\"kind\":\"hand2\",\"serial\":\"WH2J00000001\"},"
                          "{\"kind\":\"hand2\",\"serial\":\"WH2K00000001\"}]}");
  run = run_process_run (&(RunSetup){
      "{ \"sources\": {"
      "\"left_glove\": { \"plugin\": \"wuji-glove\", \"side\": \"left\", " GLOVE_STREAMS " },"
      "\"right_glove\": { \"plugin\": \"wuji-glove\", \"side\": \"right\", " GLOVE_STREAMS " },"
      "\"left_hand\": { \"plugin\": \"wuji-hand2\", \"side\": \"left\", \"streams\": [\"*\"] },"
      "\"right_hand\": { \"plugin\": \"wuji-hand2\", \"side\": \"right\", \"streams\": [\"*\"] },"
      "\"frames\": { \"plugin\": \"wuji-tf\" } }, " SINKS " }",
      "--duration 3s" });
  g_assert_cmpint (run->exit_code, ==, 0);
  g_test_message ("%.2f s of CPU for 3 s of recording", children_cpu () - before);
  run_process_check_balance (run);
  library_read (&library);
  check_mcap (run, &library);
  check_npz (run, &library);
  library_clear (&library);
}

/* What each fault is worth in the end. */
static void
test_exit_codes (void)
{
  static const struct {
    const char *more, *node, *expect;
    int exit_code;
  } cases[] = {
    { "", "", "", 0 },
    { "\"faults\":[{\"kind\":\"lag\",\"on\":\"tactile\",\"at\":40,\"n\":3}],", "", "", 3 },
    { "\"faults\":[{\"kind\":\"lag\",\"on\":\"tactile\",\"at\":40,\"n\":1}],", "",
      ", \"expect\": { \"g.tactile\": { \"max-loss\": 0.1 } }", 0 },
    { "\"faults\":[{\"kind\":\"repeat\",\"at\":40}],", "", "", 0 },
    { "\"faults\":[{\"kind\":\"disconnect\",\"at\":\"600ms\",\"for\":\"200ms\"}],",
      ", \"retry-min\": 0.05", "", 0 },
    { "", ", \"side\": \"right\"", "", 2 },
    { "", ", \"address\": \"1.2.3.4:5\"", "", 2 },
    { "\"calls\":[{\"call\":\"wuji_connect\",\"status\":-5,\"text\":\"session already exists\"}],",
      "", "", 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *config = g_strdup_printf (
        "{\"chatter\":false,\"connect-ms\":0,\"connect-fail-ms\":0,\"first-frame-ms\":0,%s"
        "\"devices\":[{\"kind\":\"glove\",\"serial\":\"WG1J1\"}]}",
        cases[i].more);
    g_autofree char *pipeline = g_strdup_printf (
        "{ \"sources\": { \"g\": { \"plugin\": \"wuji-glove\", \"serial\": \"WG1J1\"%s } }, " SINKS
        "%s }",
        cases[i].node, cases[i].expect);
    g_autoptr (RunProcess) run = NULL;
    Library library;

    g_test_message ("case %u", i);
    library_init (&library, config);
    run = run_process_run (&(RunSetup){ pipeline, "--duration 1.5s" });
    if (run->exit_code != cases[i].exit_code)
      g_error ("case %u: exit code %d: %s", i, run->exit_code, run->err);
    if (cases[i].exit_code == 0)
      run_process_check_balance (run);
    library_clear (&library);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pipeline-wuji/rig", test_rig);
  g_test_add_func ("/pipeline-wuji/exit-codes", test_exit_codes);
  return g_test_run ();
}
