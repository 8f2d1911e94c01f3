/* SPDX-License-Identifier: Apache-2.0 */

/* The device's clock, other releases of the library, and the transforms. */

#include "wuji-rig.h"

#include <acq/acq-registry.h>
#include <string.h>
#include <unistd.h>

#define GLOVE(faults)                                                                              \
  "{" RIG_SETUP ",'devices':[{'kind':'glove','serial':'WG1J1'}],'faults':[" faults "]}"

/* ---- clock ---- */

static void
test_clock_synced (void)
{
  AcqHarness *harness = rig_start (GLOVE (""), "wuji-glove", "node", "streams", "imu/palm", NULL);
  const AcqEvent *event = rig_event (harness, "sync");
  AcqClockEstimate estimate;

  g_assert_cmpuint (event->kind, ==, ACQ_EVENT_KIND_CLOCK);
  {
    g_autoptr (AcqFrame) frame = rig_pop (harness, "imu/palm");

    acq_clock_estimate (acq_stream_get_clock (frame->stream), &estimate);
  }
  g_assert_cmpint (estimate.kind, ==, ACQ_CLOCK_UTC);
  g_assert_cmpuint (estimate.epoch, ==, 1);
  g_assert_cmpuint (rig_event (harness, "time_exchange")->count, ==, 5);
  g_assert_nonnull (
      strstr (rig_event (harness, "time_exchange")->details, "\"round_trip_us\":400"));
  rig_end (harness);
}

/* Uptime first, UTC from the first exchange on; the frames are as the device stamped them. */
static void
test_clock_late (void)
{
  AcqHarness *harness = rig_start (GLOVE ("{'kind':'sync-late','for':'500ms'}"), "wuji-glove",
                                   "node", "streams", "imu/palm", NULL);
  guint n_uptime = 0;
  gboolean was_utc = FALSE;

  rig_event (harness, "time_exchange_failed");
  rig_event (harness, "sync");
  for (guint i = 0; i < 480; i++) {
    g_autoptr (AcqFrame) frame = rig_pop (harness, "imu/palm");
    gboolean is_utc = frame->device_ns > G_GUINT64_CONSTANT (1000000000000000000);

    g_assert_true (is_utc || !was_utc);
    g_assert_true (is_utc || frame->device_ns > 1000000000000u);
    n_uptime += !is_utc;
    was_utc = is_utc;
  }
  g_assert_true (was_utc);
  g_assert_cmpuint (n_uptime, >, 20);
  g_assert_cmpuint (acq_harness_count_events (harness, "sync"), ==, 1);
  rig_end (harness);
}

static void
test_clock_steps (void)
{
  AcqHarness *harness = rig_start (GLOVE (""), "wuji-glove", "node", "streams",
                                   "[\"imu/palm\",\"hand_skeleton\"]", NULL);

  g_assert_true (acq_harness_wait_frames (harness, "hand_skeleton", 10, 5));
  client_fault ("{'kind':'sync-step','value':3000000}");
  rig_event (harness, "step");
  rig_event (harness, "clock_off");
  g_assert_true (acq_harness_wait_frames (harness, "imu/palm", 400, 5));
  g_assert_cmpuint (acq_harness_count_events (harness, "step"), ==, 1);
  rig_end (harness);
}

/* ---- other releases, by what they call themselves and how they lay things out ---- */

static void
test_layout_refused (void)
{
  AcqHarness *harness =
      rig_start ("{" RIG_SETUP ",'version':'2026.11.23','layout':{'skeleton-stride':72},"
                 "'devices':[{'kind':'glove','serial':'WG1J1'}]}",
                 "wuji-glove", "node", "streams", "[\"hand_skeleton\",\"tactile\"]", NULL);
  const AcqEvent *event = rig_event (harness, "layout_refused");

  g_assert_cmpuint (event->severity, ==, ACQ_EVENT_SEVERITY_ERROR);
  g_assert_nonnull (strstr (event->message, "2026.11.23"));
  rig_event (harness, "library_version");
  g_assert_true (acq_harness_wait_frames (harness, "tactile", 10, 5));
  g_assert_cmpuint (acq_harness_count (harness, "hand_skeleton"), ==, 0);
  rig_end (harness);
}

static void
test_scan_refused (void)
{
  client_configure (
      "{" RIG_SETUP ",'version':'2026.11.23','layout':{'discovered-stride':170},"
      "'devices':[{'kind':'glove','serial':'WG1J1'},{'kind':'glove','serial':'WG1K1'}]}");
  rig_fail (rig_new ("wuji-glove", "node", "side", "left", NULL), "give the serial number instead");
}

static void
test_wide_tactile (void)
{
  AcqHarness *harness = rig_start ("{" RIG_SETUP ",'layout':{'taxel-columns':32},"
                                   "'devices':[{'kind':'glove','serial':'WG1J1'}]}",
                                   "wuji-glove", "node", "streams", "tactile", NULL);
  g_autoptr (AcqFrame) frame = rig_pop (harness, "tactile");
  const AcqImage *image = (const AcqImage *) frame->payload;
  gsize size = 0;

  acq_frame_tail (frame, &size);
  g_assert_cmpuint (size, ==, 768 * 4);
  g_assert_cmpuint (image->width, ==, 32);
  g_assert_cmpuint (acq_stream_get_tail (frame->stream)->count, ==, 768);
  rig_end (harness);
}

static void
test_accepted_version (void)
{
  AcqHarness *harness = rig_start (
      "{" RIG_SETUP ",'version':'2026.10.26','devices':[{'kind':'glove','serial':'WG1J1'}]}",
      "wuji-glove", "node", "streams", "tactile", "accept-version", "2026.10.26", NULL);
  g_autofree char *trust = acq_node_get_fact (acq_harness_get_node (harness), "wuji.sdk_trust");

  g_assert_cmpstr (trust, ==, "known");
  g_assert_cmpuint (acq_harness_count_events (harness, "library_version"), ==, 0);
  rig_end (harness);
}

/* Real other libraries: another set of symbols, another file. */
static char *
variant (const char *name)
{
  g_autofree char *file = g_strdup_printf ("libwuji_sdk_c-%s.so", name);

  return g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "apps", "acq-sim", "wuji", file, NULL);
}

static void
test_variants (void)
{
  static const struct {
    const char *variant, *plugin, *streams, *words;
  } cases[] = {
    { "7.21", "wuji-hand2", "joint_diagnostics",
      "Wuji SDK 2026.7.21 is too old for joint diagnostics" },
    { "7.21", "wuji-glove", "tactile_residual", "too old for tactile residuals" },
    { "broken", "wuji-glove", "tactile", "wuji_sub_close" },
  };
  g_autofree char *file = NULL;
  int fd = g_file_open_tmp ("wuji-XXXXXX.json", &file, NULL);

  close (fd);
  g_file_set_contents (file,
                       "{\"chatter\":false,\"connect-ms\":0,\"first-frame-ms\":0,\"devices\":["
                       "{\"kind\":\"glove\",\"serial\":\"WG1J1\"},"
                       "{\"kind\":\"hand2\",\"serial\":\"WH2J1\"}]}",
                       -1, NULL);
  g_setenv ("ACQ_SIM_WUJI_CONFIG", file, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *library = variant (cases[i].variant);

    rig_fail (rig_new (cases[i].plugin, "node", "library", library, "streams", cases[i].streams,
                       "serial", cases[i].plugin[5] == 'g' ? "WG1J1" : "WH2J1", NULL),
              cases[i].words);
  }
  {
    /* Joint states of a release from before the diagnostics changed are fine. */
    g_autofree char *library = variant ("7.21");
    AcqHarness *harness = rig_new ("wuji-hand2", "node", "library", library, "serial", "WH2J1",
                                   "streams", "joint_states", NULL);
    g_autoptr (GError) error = NULL;

    acq_harness_start (harness, &error);
    g_assert_no_error (error);
    g_assert_true (acq_harness_wait_frames (harness, "joint_states", 10, 5));
    acq_harness_stop (harness);
    acq_harness_free (harness);
  }
  unlink (file);
}

/* ---- transforms ---- */

static void
test_tf (void)
{
  g_autofree char *directory =
      g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "plugins", "wuji", NULL);
  AcqRegistry *registry = acq_registry_new (directory);
  AcqHarness *harness = rig_new ("wuji-tf", "frames", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AcqNode) glove = acq_registry_create (registry, "wuji-glove", "left_glove", &error);
  const AcqTFMessage *tf;

  g_assert_no_error (error);
  client_configure ("{" RIG_SETUP ",'devices':[{'kind':'glove','serial':'WG1J1'}]}");
  acq_harness_add_node (harness, glove, "left_glove");
  acq_harness_start (harness, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 50; i++) {
    g_autoptr (AcqFrame) frame = rig_pop (harness, "tf");

    tf = (const AcqTFMessage *) frame->payload;
    g_assert_cmpuint (tf->n_transforms, ==, 1);
    g_assert_cmpstr (tf->transforms[0].header.frame_id, ==, "waist");
    g_assert_cmpstr (tf->transforms[0].child_frame_id, ==, "left_glove_wrist");
    g_assert_cmpfloat_with_epsilon (tf->transforms[0].transform.translation.x, 0.125, 0.07);
    g_assert_cmpstr (acq_stream_get_topic (frame->stream), ==, "/tf");
    g_assert_cmpint (ABS ((gint64) frame->device_ns - frame->host_ns), <, 1000000000);
  }
  {
    g_autoptr (AcqFrame) frame = rig_pop (harness, "tf_static");

    tf = (const AcqTFMessage *) frame->payload;
    g_assert_cmpuint (tf->n_transforms, ==, 2);
    g_assert_cmpstr (tf->transforms[0].child_frame_id, ==, "left_glove_hand_emf_tx");
    g_assert_cmpstr (tf->transforms[1].header.frame_id, ==, "left_glove_wrist");
    g_assert_true (acq_stream_is_latched (frame->stream));
    g_assert_cmpstr (acq_stream_get_topic (frame->stream), ==, "/tf_static");
  }
  rig_end (harness);
  g_object_unref (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rig_load ();
  g_test_add_func ("/wuji/clock/synced", test_clock_synced);
  g_test_add_func ("/wuji/clock/late", test_clock_late);
  g_test_add_func ("/wuji/clock/steps", test_clock_steps);
  g_test_add_func ("/wuji/release/layout-refused", test_layout_refused);
  g_test_add_func ("/wuji/release/scan-refused", test_scan_refused);
  g_test_add_func ("/wuji/release/wide-tactile", test_wide_tactile);
  g_test_add_func ("/wuji/release/accepted", test_accepted_version);
  g_test_add_func ("/wuji/release/variants", test_variants);
  g_test_add_func ("/wuji/tf", test_tf);
  return g_test_run ();
}
