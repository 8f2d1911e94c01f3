/* SPDX-License-Identifier: Apache-2.0 */

/* Opening: which library, which device, which hand; and what is kept about it. */

#include "wuji-rig.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define TWO                                                                                        \
  "{" RIG_SETUP ",'devices':[{'kind':'glove','serial':'WG1J1'},{'kind':'glove','serial':'WG1K1',"  \
  "'session':'held-bridged'},{'kind':'hand2','serial':'WH2J1','session':'held-direct'},"           \
  "{'kind':'hand2','serial':'WH2K1','reported-side':'left'},{'kind':'hand','serial':'WH1J1'}]}"

/* ---- what does not open, and why ---- */

static void
test_refusals (void)
{
  static const struct {
    const char *plugin, *option, *value, *words;
  } cases[] = {
    { "wuji-glove", "serial", "WG1J9", "not found: WG1J9" },
    { "wuji-glove", "streams", "tactile",
      "there are 2 Wuji Gloves; say which one with serial or side" },
    { "wuji-glove", "address", "10.0.0.1:50001", "--scan" },
    { "wuji-hand2", "serial", "WH2J1", "another program has the device" },
    { "wuji-hand", "side", "right", "no right first-generation Wuji Hand was found" },
    { "wuji-glove", "library", "/nowhere/libwuji_sdk_c.so", "/nowhere/libwuji_sdk_c.so" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    client_configure (TWO);
    rig_fail (rig_new (cases[i].plugin, "node", cases[i].option, cases[i].value, NULL),
              cases[i].words);
  }
  client_configure (TWO);
  rig_fail (rig_new ("wuji-hand2", "node", "serial", "WH2K1", "side", "right", NULL),
            "WH2K1 is a left hand (says the hand), but side is right");
  client_configure (TWO);
  rig_fail (rig_new ("wuji-glove", "node", "serial", "WG1K1", "attach", "direct", NULL),
            "another program has the device");
}

/* Wrong together, before any device is touched. */
static void
test_checks (void)
{
  static const struct {
    const char *plugin, *options[5], *words;
  } cases[] = {
    { "wuji-glove", { "serial", "WG1J1", "address", "10.0.0.1:1" }, "give one of them" },
    { "wuji-glove", { "address", "10.0.0.1" }, "has no port" },
    { "wuji-glove", { "serial", "WG1J1", "side", "right" }, "its fourth character is J" },
    { "wuji-glove", { "rates", "imu/palm" }, "is not a stream of this plugin, an equals sign" },
    { "wuji-glove", { "rates", "imu/palm=0" }, "is not a stream" },
    { "wuji-glove", { "rates", "imu/plam=100" }, "is not a stream" },
    { "wuji-tf", { "frames", "left=glove" }, "is not l=NODE or r=NODE" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    AcqHarness *harness = rig_new (cases[i].plugin, "node", NULL);
    g_autoptr (GError) error = NULL;

    for (guint k = 0; cases[i].options[k] != NULL; k += 2)
      acq_harness_set (harness, cases[i].options[k], cases[i].options[k + 1]);
    g_assert_false (acq_node_check (acq_harness_get_node (harness), &error));
    if (strstr (error->message, cases[i].words) == NULL)
      g_error ("expected \"%s\" in: %s", cases[i].words, error->message);
    acq_harness_free (harness);
  }
}

/* ---- which device ---- */

static void
test_ways_to_it (void)
{
  static const struct {
    const char *option, *value, *serial, *transport;
  } cases[] = {
    { "serial", "WG1J1", "WG1J1", "udp" },
    { "address", "192.168.1.101:50001", "WG1K1", "bridge" },
    { "side", "left", "WG1J1", "udp" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    AcqHarness *harness =
        rig_start (TWO, "wuji-glove", "node", cases[i].option, cases[i].value, NULL);
    g_autofree char *serial = acq_node_get_fact (acq_harness_get_node (harness), "serial");
    g_autofree char *transport =
        acq_node_get_fact (acq_harness_get_node (harness), "wuji.transport");

    g_assert_cmpstr (serial, ==, cases[i].serial);
    g_assert_cmpstr (transport, ==, cases[i].transport);
    rig_end (harness);
  }
}

static void
test_scan (void)
{
  AcqHarness *harness = rig_new ("wuji-glove", "node", NULL);
  AcqNode *node = acq_harness_get_node (harness);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) lines = NULL;

  client_configure (TWO);
  lines = acq_node_get_plugin (node)->scan (node, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_strv_length (lines), ==, 2);
  g_assert_cmpstr (lines[0], ==, "WG1J1  WujiGlove  left  udp  192.168.1.100:50001");
  acq_harness_free (harness);
}

/* ---- what is kept ---- */

static void
test_provenance (void)
{
  g_autofree char *model = g_build_filename (g_get_tmp_dir (), "wuji-test-model.urdf", NULL);
  g_autofree char *config = g_strdup_printf (
      "{" RIG_SETUP ",'user':{'id':'u7','name':'Ann'},'devices':[{'kind':'glove',"
      "'serial':'WG1J1','firmware':'0.12.3','hand-model-path':'%s'},{'kind':'hand2',"
      "'serial':'WH2K1','hardware':[1,4,2],'offline-joints':[19]}]}",
      model);
  static const struct {
    const char *plugin, *key, *value;
  } facts[] = {
    { "wuji-glove", "section", "gloves" },
    { "wuji-glove", "kind", "wuji" },
    { "wuji-glove", "side", "left" },
    { "wuji-glove", "firmware", "0.12.3" },
    { "wuji-glove", "wuji.sdk_version", "2026.8.17" },
    { "wuji-glove", "wuji.sdk_trust", "known" },
    { "wuji-glove", "wuji.user_id", "u7" },
    { "wuji-glove", "wuji.user_is_default", "false" },
    { "wuji-glove", "wuji.user_name", NULL },
    { "wuji-glove", "wuji.hand_model_sha256",
      "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" },
    { "wuji-hand2", "hardware", "1.4.2" },
    { "wuji-hand2", "side", "right" },
    { "wuji-hand2", "wuji.joint_numbers", "by rule" },
  };
  const char *plugins[] = { "wuji-glove", "wuji-hand2" };

  g_assert_true (g_file_set_contents (model, "a", 1, NULL));
  for (guint p = 0; p < 2; p++) {
    AcqHarness *harness = rig_start (config, plugins[p], "node", NULL);
    AcqNode *node = acq_harness_get_node (harness);
    g_autofree char *hash = acq_node_get_fact (node, "wuji.library_sha256");

    g_assert_cmpuint (strlen (hash), ==, 64);
    for (gsize i = 0; i < G_N_ELEMENTS (facts); i++) {
      g_autofree char *value = acq_node_get_fact (node, facts[i].key);

      if (strcmp (facts[i].plugin, plugins[p]) == 0)
        g_assert_cmpstr (value, ==, facts[i].value);
    }
    if (p == 0) {
      g_autoptr (GPtrArray) kept = acq_graph_list_attachments (acq_harness_get_graph (harness), 0);

      g_assert_cmpstr (((AcqAttachment *) kept->pdata[0])->name, ==, "wuji-test-model.urdf");
    } else {
      g_autofree char *limits = acq_node_get_fact (node, "wuji.effort_limits_a");
      g_autofree char *kd = acq_node_get_fact (node, "wuji.mit_kd");

      g_assert_true (g_str_has_prefix (limits, "[1,1.0625,1.125,"));
      g_assert_true (g_str_has_suffix (limits, ",null]"));
      g_assert_true (g_str_has_suffix (kd, "0.25,null]"));
    }
    rig_end (harness);
  }
  g_unlink (model);
}

static void
test_names (void)
{
  AcqHarness *harness = rig_start (TWO, "wuji-hand2", "right_hand", "serial", "WH2K1", NULL);
  g_autoptr (AcqFrame) frame = rig_pop (harness, "joint_states");
  const char *const *names =
      acq_constants_get_strv (acq_stream_get_constants (frame->stream), "name");

  g_assert_cmpstr (names[0], ==, "right_hand_thumb_cmc_flex");
  g_assert_cmpstr (names[19], ==, "right_hand_pinky_dip");
  g_assert_cmpstr (acq_stream_get_frame_id (frame->stream), ==, "right_hand_wrist");
  /* The hand says left, its serial number right: the hand counts, and it is told. */
  g_assert_cmpstr (acq_stream_get_metadata (frame->stream, "side"), ==, "left");
  rig_event (harness, "side_conflict");
  rig_end (harness);
}

/* ---- rates ---- */

static void
test_rates (void)
{
  AcqHarness *harness = rig_start (TWO, "wuji-glove", "node", "serial", "WG1J1", "streams",
                                   "[\"imu/palm\",\"hand_skeleton\"]", "rates",
                                   "[\"imu/palm=300\",\"hand_skeleton=30\"]", NULL);
  const AcqEvent *granted = rig_event (harness, "rate_granted");
  guint64 stamp = 0;

  g_assert_cmpuint (granted->count, ==, 400);
  rig_event (harness, "rate_refused");
  for (guint i = 0; i < 60; i++) {
    g_autoptr (AcqFrame) frame = rig_pop (harness, "imu/palm");

    if (i > 40)
      g_assert_cmpuint (frame->device_ns - stamp, ==, 2500000);
    stamp = frame->device_ns;
  }
  g_assert_cmpuint (rig_count (harness, "node.imu/palm", ACQ_STREAM_LOST), ==, 0);
  rig_end (harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rig_load ();
  g_test_add_func ("/wuji/open/refusals", test_refusals);
  g_test_add_func ("/wuji/open/checks", test_checks);
  g_test_add_func ("/wuji/open/ways", test_ways_to_it);
  g_test_add_func ("/wuji/open/scan", test_scan);
  g_test_add_func ("/wuji/open/provenance", test_provenance);
  g_test_add_func ("/wuji/open/names", test_names);
  g_test_add_func ("/wuji/open/rates", test_rates);
  return g_test_run ();
}
