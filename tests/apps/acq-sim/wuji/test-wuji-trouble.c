/* SPDX-License-Identifier: Apache-2.0 */

/* What goes wrong goes wrong as planned, and the report says so. */

#include "wuji-client.h"

#include <math.h>
#include <string.h>

#define SETUP "'chatter':false,'connect-ms':0,'connect-fail-ms':0,'scan-ms':0,'first-frame-ms':0"
#define GLOVE SETUP ",'devices':[{'kind':'glove','serial':'WG1J1'}]"
#define HAND SETUP ",'devices':[{'kind':'hand2','serial':'WH2J1'}]"

typedef __typeof__ (&wuji_glove_subscribe_tactile) Subscribe;

static void
start (Watch *watch, WatchCheck check, WujiDevice *device, const char *function)
{
  watch_init (watch, check, "WG1J1", "");
  g_assert_cmpint (
      ((Subscribe) client_symbol (function)) (device, watch_callback, watch, &watch->sub), ==,
      WUJI_STATUS_OK);
}

static void
note (Watch *watch, const void *frame)
{
  watch->last_seq = ((const WujiFrameHeader *) frame)->seq;
  watch->last_stamp = ((const WujiFrameHeader *) frame)->timestamp_us;
}

static gint64
since_utc_us (uint64_t stamp)
{
  return ABS ((gint64) stamp - g_get_real_time ());
}

/* ---- one frame ---- */

/* What each does to the run of sequence numbers of a tactile stream. */
static void
test_sequence (void)
{
  static const struct {
    const char *fault;
    guint gaps, lags, ends, errors;
  } cases[] = {
    { "'kind':'lag','at':5,'n':7", 1, 1, 0, 0 },
    { "'kind':'gap','at':5", 1, 0, 0, 0 },
    { "'kind':'gap','at':5,'n':3", 1, 0, 0, 0 },
    { "'kind':'repeat','at':5", 1, 0, 0, 0 },
    { "'kind':'reorder','at':5", 3, 0, 0, 0 },
    { "'kind':'end','at':5", 0, 0, 1, 0 },
    { "'kind':'error','at':5,'text':'boom'", 0, 0, 0, 1 },
    { "'kind':'stall','at':5,'for':'50ms'", 1, 0, 0, 0 },
    { "'kind':'gap','every':4,'times':2", 2, 0, 0, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *config =
        g_strdup_printf ("{" GLOVE ",'faults':[{%s,'on':'imu_raw/palm'}]}", cases[i].fault);
    WujiDevice *device;
    Watch watch;

    g_test_message ("%s", cases[i].fault);
    client_configure (config);
    device = client_connect ("WG1J1");
    start (&watch, note, device, "wuji_glove_subscribe_imu_palm");
    if (cases[i].ends + cases[i].errors > 0)
      g_assert_true (watch_wait (&watch, cases[i].ends ? &watch.n_end : &watch.n_error, 1));
    else
      g_assert_true (watch_wait (&watch, &watch.n_ok, 20));
    watch_close (&watch);
    g_assert_cmpuint (watch.n_gaps, ==, cases[i].gaps);
    g_assert_cmpuint (watch.n_lag, ==, cases[i].lags);
    g_assert_cmpuint (watch.n_error, ==, cases[i].errors);
    if (cases[i].ends + cases[i].errors > 0)
      g_assert_cmpuint (watch.n_ok, ==, 5);
    client_part (device);
  }
}

static void
check_garbage (Watch *watch, const void *data)
{
  const WujiJointStateFrame *frame = data;

  watch->last_seq = frame->header.seq;
  if (watch->n_ok != 3)
    return;
  if (frame->joints == NULL)
    watch->value = -1;
  else if (frame->num_joints != frame->joints_len)
    watch->value = -2;
  else if (frame->joints[0].nid == 5)
    watch->value = -3;
  else if (frame->joints_len > 1 && frame->joints[1].nid == frame->joints[0].nid)
    watch->value = -4;
  else if (frame->joints_len > 0 && isnan (frame->joints[0].position))
    watch->value = -5;
  else
    watch->value = (double) frame->joints_len;
}

static void
test_garbage (void)
{
  static const struct {
    const char *how;
    double value;
  } cases[] = {
    { "null", -1 },
    { "mismatch", -2 },
    { "nid", -3 },
    { "twice", -4 },
    { "nan", -5 },
    { "length','value':33,'text':'", 33 },
    { "length','value':0,'text':'", 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *config = g_strdup_printf (
        "{" HAND ",'faults':[{'kind':'garbage','at':3,'on':'joint_states','how':'%s'}]}",
        cases[i].how);
    WujiDevice *device;
    Watch watch;

    client_configure (config);
    device = client_connect ("WH2J1");
    start (&watch, check_garbage, device, "wuji_hand_2_subscribe_joint_states");
    g_assert_true (watch_wait (&watch, &watch.n_ok, 6));
    watch_close (&watch);
    g_assert_cmpfloat (watch.value, ==, cases[i].value);
    client_part (device);
  }
}

/* ---- layouts of other releases ---- */

static void
check_wide (Watch *watch, const void *data)
{
  const WujiTactileFrame *frame = data;

  note (watch, frame);
  watch_expect (watch, frame->data_len == 768, "length");
  watch_expect (watch, frame->data[31] == -1.0f && frame->data[32] == -1.0f, "last column");
  watch_expect (watch,
                frame->data[14 * 32 + 3] == sim_wuji_taxel (sim_wuji_key ("WG1J1", "tactile"),
                                                            frame->header.seq, 14 * 31 + 3),
                "taxel");
}

/* Before 2026.8.3: 24 bytes each, without the response rate. */
static void
check_small_diagnostics (Watch *watch, const void *data)
{
  const WujiJointDiagnosticsFrame *frame = data;
  const uint8_t *bytes = (const uint8_t *) frame->joints;

  note (watch, frame);
  for (unsigned i = 0; i < 20; i++)
    watch_expect (watch, bytes[24 * i] == i / 4 * 5 + i % 4 + 1, "nid at a stride of 24");
}

static void
test_layouts (void)
{
  WujiDevice *device;
  Watch watch;

  client_configure ("{" GLOVE ",'version':'2026.6.15'}");
  g_assert_cmpstr (CALL (wuji_version) (), ==, "2026.6.15");
  device = client_connect ("WG1J1");
  start (&watch, check_wide, device, "wuji_glove_subscribe_tactile");
  g_assert_true (watch_wait (&watch, &watch.n_ok, 2));
  watch_close (&watch);
  client_part (device);

  client_configure ("{" HAND ",'version':'2026.7.21'}");
  device = client_connect ("WH2J1");
  start (&watch, check_small_diagnostics, device, "wuji_hand_2_subscribe_joint_diagnostics");
  g_assert_true (watch_wait (&watch, &watch.n_ok, 2));
  watch_close (&watch);
  client_part (device);
}

/* ---- clock ---- */

static void
check_clock (Watch *watch, const void *data)
{
  const WujiFrameHeader *header = data;

  watch->last_seq = header->seq;
  watch->last_stamp = header->timestamp_us;
  if (watch->value == 0 && since_utc_us (header->timestamp_us) < 1000000)
    watch->value = watch->n_ok + 1;
}

static void
test_sync_late (void)
{
  WujiTimeSyncResult result = { 0 };
  WujiDevice *device;
  Watch watch;

  client_configure ("{" GLOVE ",'faults':[{'kind':'sync-late','for':'200ms'}]}");
  device = client_connect ("WG1J1");
  g_assert_cmpint (CALL (wuji_glove_sync_time) (device, &result), ==, WUJI_STATUS_ERR_TIMEOUT);
  g_assert_cmpint (result.offset_us, ==, 0);
  start (&watch, check_clock, device, "wuji_glove_subscribe_imu_palm");
  g_assert_true (watch_wait (&watch, &watch.n_ok, 300));
  watch_close (&watch);
  g_assert_cmpfloat (watch.value, >, 10);
  g_assert_cmpuint (watch.n_gaps, ==, 0);
  g_assert_cmpint (CALL (wuji_glove_sync_time) (device, &result), ==, WUJI_STATUS_OK);
  g_assert_cmpint (since_utc_us (result.synced_at_us), <, 1000000);
  g_assert_cmpint (result.round_trip_us, ==, 400);
  client_part (device);
}

static void
test_sync_step (void)
{
  WujiDevice *device;
  Watch watch;

  client_configure ("{" GLOVE "}");
  device = client_connect ("WG1J1");
  start (&watch, check_clock, device, "wuji_glove_subscribe_tactile");
  g_assert_true (watch_wait (&watch, &watch.n_ok, 3));
  client_fault ("{'kind':'sync-step','value':-3000000}");
  g_assert_true (watch_wait (&watch, &watch.n_ok, 20));
  watch_close (&watch);
  g_assert_cmpfloat (watch.value, ==, 1);
  g_assert_cmpint (since_utc_us (watch.last_stamp), >, 2500000);
  g_assert_cmpint (since_utc_us (watch.last_stamp), <, 5000000);
  client_part (device);
}

/* ---- joints and fingertips ---- */

static void
check_offline (Watch *watch, const void *data)
{
  const WujiJointDiagnosticsFrame *frame = data;

  note (watch, frame);
  watch_expect (watch, frame->joints_len >= 17, "number of joints");
  if (frame->joints_len == 17 && frame->joints[2].nid == 6)
    watch->value = 1;
  for (size_t i = 0; i < frame->joints_len; i++)
    if (frame->joints[i].error_code_current != 0)
      watch_expect (watch,
                    frame->joints[i].error_code_current == 0x2102 && frame->joints[i].nid == 24,
                    "fault code");
}

static void
test_joints (void)
{
  WujiDevice *device;
  float limits[20];
  uint32_t online = 0;
  uint8_t n = 0;
  Watch watch;

  client_configure ("{" HAND ",'faults':["
                    "{'kind':'offline','at':'30ms','for':'2s','joints':[2,3,7]},"
                    "{'kind':'fault-code','at':'20ms','for':'50ms','joint':19,'value':8450}]}");
  device = client_connect ("WH2J1");
  start (&watch, check_offline, device, "wuji_hand_2_subscribe_joint_diagnostics");
  g_assert_true (watch_wait (&watch, &watch.n_ok, 80));
  g_assert_cmpint (CALL (wuji_hand_2_online_joints_count) (device, &n), ==, WUJI_STATUS_OK);
  g_assert_cmpint (CALL (wuji_hand_2_get_all_effort_limit) (device, limits, &online), ==,
                   WUJI_STATUS_OK);
  g_assert_true (watch_wait (&watch, &watch.n_ok, 120));
  watch_close (&watch);
  g_assert_cmpfloat (watch.value, ==, 1);
  g_assert_cmpuint (n, ==, __builtin_popcount (online));
  client_part (device);
}

static void
check_digest (Watch *watch, const void *data)
{
  const WujiFingertipSensorData *frame = data;

  note (watch, frame);
  watch->value = frame->info_digest;
}

static void
test_digest (void)
{
  WujiFingertipSensorInfo first = { .digest = 0 };
  WujiFingertipSensorInfo second = { .digest = 0 };
  WujiDevice *device;
  Watch watch;

  client_configure ("{" HAND "}");
  device = client_connect ("WH2J1");
  g_assert_cmpint (CALL (wuji_hand_2_get_fingertip_info) (device, 0, &first), ==, WUJI_STATUS_OK);
  g_assert_nonnull (strstr (first.format, "\"point_count\":40"));
  start (&watch, check_digest, device, "wuji_hand_2_subscribe_fingertip_thumb_data");
  g_assert_true (watch_wait (&watch, &watch.n_ok, 3));
  g_assert_cmpfloat (watch.value, ==, first.digest);
  client_fault ("{'kind':'digest'}");
  g_assert_true (watch_wait (&watch, &watch.n_ok, 8));
  g_assert_cmpint (CALL (wuji_hand_2_get_fingertip_info) (device, 0, &second), ==, WUJI_STATUS_OK);
  watch_close (&watch);
  g_assert_cmpuint (second.digest, !=, first.digest);
  g_assert_cmpfloat (watch.value, ==, second.digest);
  client_part (device);
}

/* ---- links ---- */

static void
test_disconnect (void)
{
  WujiConnectTarget target = { WUJI_CONNECT_TARGET_KIND_SN, "WG1J1" };
  WujiDevice *device;
  Watch watch;
  uint64_t before;

  client_configure ("{" GLOVE "}");
  device = client_connect ("WG1J1");
  start (&watch, note, device, "wuji_glove_subscribe_tactile");
  g_assert_true (watch_wait (&watch, &watch.n_ok, 3));
  client_fault ("{'kind':'disconnect','for':'150ms','as':'error','reboot':true,'text':'cable'}");
  g_assert_true (watch_wait (&watch, &watch.n_error, 1));
  before = watch.last_seq;
  g_assert_cmpuint (CALL (wuji_dev_is_connected) (device), ==, 0);
  watch_close (&watch);
  client_part (device);
  g_assert_cmpint (CALL (wuji_connect) (&target, "again", NULL, &device), ==,
                   WUJI_STATUS_ERR_TIMEOUT);
  for (guint i = 0; i < 100; i++) {
    if (CALL (wuji_connect) (&target, "again", NULL, &device) == WUJI_STATUS_OK)
      break;
    g_usleep (10000);
  }
  g_assert_cmpuint (CALL (wuji_dev_is_connected) (device), ==, 1);
  start (&watch, note, device, "wuji_glove_subscribe_tactile");
  g_assert_true (watch_wait (&watch, &watch.n_ok, 3));
  watch_close (&watch);
  g_assert_cmpuint (before, >, 100000);
  g_assert_cmpuint (watch.first_seq, <, 1000);
  client_part (device);
}

/* A dead link that nobody noticed: no frames, no end, and still connected by name. */
static void
test_silent (void)
{
  WujiDevice *device;
  Watch watch;
  guint n;

  client_configure ("{" GLOVE ",'faults':[{'kind':'disconnect','at':'60ms','as':'silent'}]}");
  device = client_connect ("WG1J1");
  start (&watch, note, device, "wuji_glove_subscribe_imu_palm");
  g_usleep (120000);
  pthread_mutex_lock (&watch.lock);
  n = watch.n_ok;
  pthread_mutex_unlock (&watch.lock);
  g_usleep (50000);
  g_assert_cmpuint (CALL (wuji_dev_is_connected) (device), ==, 1);
  pthread_mutex_lock (&watch.lock);
  g_assert_cmpuint (watch.n_ok, ==, n);
  g_assert_cmpuint (watch.n_end + watch.n_error, ==, 0);
  pthread_mutex_unlock (&watch.lock);
  watch_close (&watch);
  client_part (device);
}

static void
test_takeover (void)
{
  WujiConnectTarget target = { WUJI_CONNECT_TARGET_KIND_SN, "WG1J1" };
  WujiDevice *device;
  Watch watch;

  client_configure ("{" GLOVE ",'faults':[{'kind':'takeover','at':'40ms'}]}");
  device = client_connect ("WG1J1");
  start (&watch, note, device, "wuji_glove_subscribe_tactile");
  g_assert_true (watch_wait (&watch, &watch.n_end, 1));
  watch_close (&watch);
  client_part (device);
  g_assert_cmpint (CALL (wuji_connect) (&target, "again", NULL, &device), ==,
                   WUJI_STATUS_ERR_PROTOCOL);
  g_assert_nonnull (strstr (CALL (wuji_last_error) (), "0x0013"));
}

static void
test_calls (void)
{
  WujiConnectTarget target = { WUJI_CONNECT_TARGET_KIND_SN, "WG1J1" };
  WujiDevice *device;

  client_configure ("{" GLOVE ",'calls':[{'call':'wuji_connect','status':-99,'text':'no luck',"
                    "'times':1}]}");
  g_assert_cmpint (CALL (wuji_connect) (&target, "a", NULL, &device), ==, WUJI_STATUS_ERR_INTERNAL);
  g_assert_cmpstr (CALL (wuji_last_error) (), ==, "no luck");
  client_part (client_connect ("WG1J1"));
}

/* ---- streams without frames ---- */

static void
test_untrained (void)
{
  WujiDevice *device;
  Watch residual, finger, tactile;

  client_configure ("{" SETUP ",'devices':[{'kind':'glove','serial':'WG1J1','trained':false}]}");
  device = client_connect ("WG1J1");
  start (&residual, note, device, "wuji_glove_subscribe_tactile_residual");
  start (&finger, note, device, "wuji_glove_subscribe_imu_ring");
  start (&tactile, note, device, "wuji_glove_subscribe_tactile");
  g_assert_true (watch_wait (&tactile, &tactile.n_ok, 10));
  watch_close (&residual);
  watch_close (&finger);
  watch_close (&tactile);
  g_assert_cmpuint (residual.n_ok + finger.n_ok, ==, 0);
  client_part (device);
}

static void
block_once (Watch *watch, const void *frame)
{
  note (watch, frame);
  if (watch->n_ok == 2)
    g_usleep (100000);
}

/* A callback that blocks loses what its queue cannot hold, and is told. */
static void
test_backpressure (void)
{
  WujiDevice *device;
  Watch watch;

  client_configure ("{" GLOVE ",'queue':10}");
  device = client_connect ("WG1J1");
  start (&watch, block_once, device, "wuji_glove_subscribe_imu_palm");
  g_assert_true (watch_wait (&watch, &watch.n_lag, 1));
  g_assert_true (watch_wait (&watch, &watch.n_ok, 5));
  watch_close (&watch);
  g_assert_cmpuint (watch.n_gaps, >=, 1);
  client_part (device);
}

/* ---- the report ---- */

static void
test_report (void)
{
  g_autofree char *report = NULL;
  g_autofree char *run = NULL;
  WujiDevice *device;
  Watch watch;

  client_configure ("{" GLOVE ",'faults':[{'kind':'end','at':6,'on':'tactile'}]}");
  device = client_connect ("WG1J1");
  start (&watch, note, device, "wuji_glove_subscribe_tactile");
  g_assert_true (watch_wait (&watch, &watch.n_end, 1));
  watch_close (&watch);
  client_part (device);
  report = g_strdelimit (client_report (), " \n", '_');
  run = g_strdup_printf ("\"first\"_:_%u,", watch.first_seq);
  g_assert_nonnull (strstr (report, run));
  g_assert_nonnull (strstr (report, "\"ok\"_:_6,"));
  g_assert_nonnull (strstr (report, "\"terminal\"_:_\"end\""));
  g_assert_nonnull (strstr (report, "\"memory_not_given_back\"_:_0,"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  client_load ("{" SETUP ",'devices':[]}");
  g_test_add_func ("/wuji-standin/trouble/sequence", test_sequence);
  g_test_add_func ("/wuji-standin/trouble/garbage", test_garbage);
  g_test_add_func ("/wuji-standin/trouble/layouts", test_layouts);
  g_test_add_func ("/wuji-standin/trouble/sync-late", test_sync_late);
  g_test_add_func ("/wuji-standin/trouble/sync-step", test_sync_step);
  g_test_add_func ("/wuji-standin/trouble/joints", test_joints);
  g_test_add_func ("/wuji-standin/trouble/digest", test_digest);
  g_test_add_func ("/wuji-standin/trouble/disconnect", test_disconnect);
  g_test_add_func ("/wuji-standin/trouble/silent", test_silent);
  g_test_add_func ("/wuji-standin/trouble/takeover", test_takeover);
  g_test_add_func ("/wuji-standin/trouble/calls", test_calls);
  g_test_add_func ("/wuji-standin/trouble/untrained", test_untrained);
  g_test_add_func ("/wuji-standin/trouble/backpressure", test_backpressure);
  g_test_add_func ("/wuji-standin/trouble/report", test_report);
  return g_test_run ();
}
