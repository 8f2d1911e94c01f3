/* SPDX-License-Identifier: Apache-2.0 */

/* The stand-in keeps the vendor's rules. */

#include "wuji-client.h"

#include <string.h>

#define SETUP "'chatter':false,'connect-ms':0,'connect-fail-ms':0,'scan-ms':0,'first-frame-ms':0"
#define RIG                                                                                        \
  "{" SETUP ",'devices':[{'kind':'glove','serial':'WG1J1'},{'kind':'glove','serial':'WG1K1',"      \
  "'session':'held-bridged'},{'kind':'hand2','serial':'WH2J1'},"                                   \
  "{'kind':'hand2','serial':'WH2K1','session':'held-direct'},{'kind':'hand','serial':'WH1J1'}]}"

/* ---- lifecycle ---- */

static void
note_seq (Watch *watch, const void *frame)
{
  watch->last_seq = ((const WujiFrameHeader *) frame)->seq;
  watch->last_stamp = ((const WujiFrameHeader *) frame)->timestamp_us;
}

static void
subscribe (Watch *watch, WujiDevice *device, const char *topic, const char *function)
{
  WujiStatus status;

  watch_init (watch, note_seq, "WG1J1", topic);
  status = ((__typeof__ (&wuji_glove_subscribe_tactile)) client_symbol (function)) (
      device, watch_callback, watch, &watch->sub);
  g_assert_cmpint (status, ==, WUJI_STATUS_OK);
}

static void
test_close_says_end (void)
{
  WujiDevice *device;
  Watch watch;

  client_configure (RIG);
  device = client_connect ("WG1J1");
  subscribe (&watch, device, "tactile", "wuji_glove_subscribe_tactile");
  g_assert_true (watch_wait (&watch, &watch.n_ok, 3));
  watch_close (&watch);
  g_assert_cmpuint (watch.n_end, ==, 1);
  client_part (device);
}

static void
test_disconnect_says_end (void)
{
  WujiDevice *device;
  Watch tactile, emf;
  uint8_t up;

  client_configure (RIG);
  device = client_connect ("WG1J1");
  subscribe (&tactile, device, "tactile", "wuji_glove_subscribe_tactile");
  subscribe (&emf, device, "emf_poses", "wuji_glove_subscribe_emf_poses");
  g_assert_true (watch_wait (&emf, &emf.n_ok, 2));
  g_assert_cmpint (CALL (wuji_dev_disconnect) (device), ==, WUJI_STATUS_OK);
  g_assert_true (watch_wait (&tactile, &tactile.n_end, 1));
  g_assert_true (watch_wait (&emf, &emf.n_end, 1));
  up = CALL (wuji_dev_is_connected) (device);
  g_assert_cmpuint (up, ==, 0);
  g_assert_cmpint (CALL (wuji_glove_sync_time) (device, &(WujiTimeSyncResult){ 0 }), ==,
                   WUJI_STATUS_ERR_DISCONNECTED);
  watch_close (&tactile);
  watch_close (&emf);
  CALL (wuji_dev_release) (device);
}

/* Two subscriptions of one stream, and three streams of one source: the same frames. */
static void
test_shared_sequence (void)
{
  WujiDevice *device;
  Watch one, two, skeleton;

  client_configure (RIG);
  device = client_connect ("WG1J1");
  subscribe (&one, device, "emf_poses", "wuji_glove_subscribe_emf_poses");
  subscribe (&two, device, "emf_poses", "wuji_glove_subscribe_emf_poses");
  subscribe (&skeleton, device, "hand_skeleton", "wuji_glove_subscribe_hand_skeleton");
  g_assert_true (watch_wait (&one, &one.n_ok, 10));
  g_assert_cmpint (CALL (wuji_dev_disconnect) (device), ==, WUJI_STATUS_OK);
  watch_close (&one);
  watch_close (&two);
  watch_close (&skeleton);
  g_assert_cmpuint (ABS ((int) (one.last_seq - two.last_seq)), <=, 1);
  g_assert_cmpuint (ABS ((int) (one.last_seq - skeleton.last_seq)), <=, 1);
  if (one.last_seq == two.last_seq)
    g_assert_cmpuint (one.last_stamp, ==, two.last_stamp);
  if (one.last_seq == skeleton.last_seq)
    g_assert_cmpuint (one.last_stamp, ==, skeleton.last_stamp);
  CALL (wuji_dev_release) (device);
}

/* ---- errors and texts ---- */

static void *
fail_elsewhere (void *data)
{
  g_assert_null (CALL (wuji_last_error) ());
  g_assert_cmpint (CALL (wuji_glove_get_port) (NULL, NULL), ==, WUJI_STATUS_ERR_INVALID_ARG);
  g_assert_nonnull (strstr (CALL (wuji_last_error) (), "wuji_glove_get_port"));
  return NULL;
}

static void
test_last_error (void)
{
  pthread_t thread;

  client_configure (RIG);
  g_assert_cmpint (CALL (wuji_glove_sync_time) (NULL, NULL), ==, WUJI_STATUS_ERR_INVALID_ARG);
  pthread_create (&thread, NULL, fail_elsewhere, NULL);
  pthread_join (thread, NULL);
  g_assert_nonnull (strstr (CALL (wuji_last_error) (), "wuji_glove_sync_time"));
}

static void
test_texts (void)
{
  WujiDevice *device;
  char text[64];
  size_t needed = 0;

  client_configure (RIG);
  device = client_connect ("WG1J1");
  /* Size with the NUL, nothing cut. */
  g_assert_cmpint (CALL (wuji_glove_get_sn) (device, NULL, 0, &needed), ==,
                   WUJI_STATUS_ERR_BUFFER_TOO_SMALL);
  g_assert_cmpuint (needed, ==, 6);
  memset (text, 'x', sizeof text);
  g_assert_cmpint (CALL (wuji_glove_get_sn) (device, text, 5, NULL), ==,
                   WUJI_STATUS_ERR_BUFFER_TOO_SMALL);
  g_assert_cmpint (text[0], ==, 'x');
  g_assert_cmpint (CALL (wuji_glove_get_sn) (device, text, 6, &needed), ==, WUJI_STATUS_OK);
  g_assert_cmpstr (text, ==, "WG1J1");
  /* The other contract: size without it, -1 for a short buffer. */
  g_assert_cmpint (CALL (wuji_dev_serial_number) (device, NULL, 0), ==, 5);
  g_assert_cmpint (CALL (wuji_dev_serial_number) (device, text, 5), ==, -1);
  g_assert_cmpint (CALL (wuji_dev_serial_number) (device, text, 6), ==, 5);
  g_assert_cmpint (CALL (wuji_hand_2_joint_label) (19, text, sizeof text, NULL), ==,
                   WUJI_STATUS_OK);
  g_assert_cmpstr (text, ==, "pinky_S4");
  g_assert_cmpint (CALL (wuji_hand_joint_label) (5, text, sizeof text, NULL), ==, WUJI_STATUS_OK);
  g_assert_cmpstr (text, ==, "index_joint2");
  client_part (device);
}

/* ---- finding and connecting ---- */

static void
test_scan (void)
{
  WujiDiscovered *found;
  size_t n;

  client_configure (RIG);
  g_assert_cmpint (CALL (wuji_scan) (&found, &n), ==, WUJI_STATUS_OK);
  g_assert_cmpuint (n, ==, 5);
  g_assert_cmpstr (found[0].serial_number, ==, "WG1J1");
  g_assert_cmpstr (found[0].model, ==, "WujiGlove");
  g_assert_cmpstr (found[0].address, ==, "192.168.1.100:50001");
  g_assert_cmpuint (found[2].device_id, ==, WUJI_DEVICE_TYPE_WUJI_HAND_2);
  g_assert_cmpuint (found[4].device_id, ==, WUJI_DEVICE_TYPE_WUJI_HAND);
  g_assert_cmpuint (found[4].transport, ==, WUJI_TRANSPORT_TYPE_USB);
  CALL (wuji_discovered_free) (found, n);
  CALL (wuji_discovered_free) (NULL, 0);
}

static void
test_connect (void)
{
  static const struct {
    uint8_t kind;
    const char *value, *alias;
    gboolean bridge;
    WujiStatus status;
  } cases[] = {
    { 0, "WG1J1", "a", TRUE, WUJI_STATUS_OK },
    { 1, "192.168.1.100:50001", "a", FALSE, WUJI_STATUS_OK },
    { 1, "192.168.1.100", "a", TRUE, WUJI_STATUS_ERR_INVALID_ARG },
    { 2, "WG1J1", "a", TRUE, WUJI_STATUS_ERR_INVALID_ARG },
    { 0, "WG1J1", NULL, TRUE, WUJI_STATUS_ERR_INVALID_ARG },
    { 0, "WG1J1", "a/b", TRUE, WUJI_STATUS_ERR_INVALID_ARG },
    { 0, "nobody", "a", TRUE, WUJI_STATUS_ERR_NOT_FOUND },
    { 0, "WG1K1", "a", TRUE, WUJI_STATUS_OK },
    { 0, "WG1K1", "a", FALSE, WUJI_STATUS_ERR_PROTOCOL },
    { 0, "WH2K1", "a", TRUE, WUJI_STATUS_ERR_PROTOCOL },
  };

  client_configure (RIG);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    WujiConnectTarget target = { cases[i].kind, cases[i].value };
    WujiConnectOptions options = CALL (wuji_connect_options_default) ();
    WujiDevice *device = NULL;

    g_assert_cmpuint (options.auto_time_sync_interval_ms, ==, 30000);
    options.enable_bridge = cases[i].bridge;
    g_assert_cmpint (CALL (wuji_connect) (&target, cases[i].alias, &options, &device), ==,
                     cases[i].status);
    if (device != NULL)
      client_part (device);
    if (cases[i].status == WUJI_STATUS_ERR_PROTOCOL)
      g_assert_nonnull (strstr (CALL (wuji_last_error) (), "session already exists"));
  }
}

/* ---- numbers of joints, codes ---- */

static void
test_tables (void)
{
  WujiErrorInfo info;

  client_configure (RIG);
  g_assert_cmpuint (CALL (wuji_hand_2_joint_id_from_bus_node) (4, 4), ==, 23);
  g_assert_cmpuint (CALL (wuji_hand_2_joint_id_from_bus_node) (0, 0), ==, 0xff);
  g_assert_cmpint (CALL (wuji_hand_2_describe_error) (0x2102, &info), ==, WUJI_STATUS_OK);
  g_assert_cmpstr (info.name, ==, "Overcurrent");
  g_assert_cmpstr (info.severity, ==, "ImmediateStop");
  g_assert_cmpint (CALL (wuji_hand_2_describe_error) (0x1103, &info), ==, WUJI_STATUS_OK);
  g_assert_cmpstr (info.cause, ==, "");
  g_assert_cmpint (CALL (wuji_hand_2_describe_error) (0x7777, &info), ==,
                   WUJI_STATUS_ERR_NOT_FOUND);
}

static void
test_users (void)
{
  WujiUserInfo user;

  client_configure ("{" SETUP ",'devices':[],'user':{'id':'u7','name':'Ann'}}");
  g_assert_cmpint (CALL (wuji_current_user) (&user), ==, WUJI_STATUS_OK);
  g_assert_cmpstr (user.user_id, ==, "u7");
  g_assert_null (user.external_id);
  g_assert_false (user.is_default);
  CALL (wuji_user_info_free) (&user);
  CALL (wuji_user_info_free) (&user);
}

/* ---- rate ---- */

static void
test_rate (void)
{
  WujiDevice *device;
  Watch imu, skeleton;
  uint16_t granted = 0;
  uint64_t before;
  guint n;

  client_configure (RIG);
  device = client_connect ("WG1J1");
  subscribe (&imu, device, "imu_raw/palm", "wuji_glove_subscribe_imu_palm");
  subscribe (&skeleton, device, "hand_skeleton", "wuji_glove_subscribe_hand_skeleton");
  g_assert_true (watch_wait (&imu, &imu.n_ok, 10));
  g_assert_cmpint (CALL (wuji_sub_set_rate) (imu.sub, 300, &granted), ==, WUJI_STATUS_OK);
  g_assert_cmpuint (granted, ==, 400);
  g_assert_cmpint (CALL (wuji_sub_set_rate) (skeleton.sub, 60, &granted), ==,
                   WUJI_STATUS_ERR_UNSUPPORTED);
  pthread_mutex_lock (&imu.lock);
  n = imu.n_ok;
  pthread_mutex_unlock (&imu.lock);
  g_assert_true (watch_wait (&imu, &imu.n_ok, n + 10));
  before = imu.last_stamp;
  g_assert_true (watch_wait (&imu, &imu.n_ok, n + 11));
  pthread_mutex_lock (&imu.lock);
  g_assert_cmpuint ((imu.last_stamp - before) % 2500, ==, 0);
  pthread_mutex_unlock (&imu.lock);
  watch_close (&imu);
  watch_close (&skeleton);
  g_assert_cmpuint (imu.n_gaps, ==, 0);
  client_part (device);
}

/* Looking for what moves a hand is told, calling it is stopped. */
static void
test_report_of_lookups (void)
{
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  client_configure (RIG);
  before = client_report ();
  client_symbol ("wuji_hand_2_disable");
  after = client_report ();
  g_assert_null (strstr (before, "wuji_hand_2_disable"));
  g_assert_nonnull (strstr (after, "wuji_hand_2_disable"));
}

/* Releases differ in what they export. */
static void
test_variants (void)
{
  static const struct {
    const char *symbol;
    gboolean baseline, v7_21, v8_31, v11_23, broken;
  } cases[] = {
    { "wuji_sub_close", TRUE, TRUE, TRUE, TRUE, FALSE },
    { "wuji_sub_set_rate", TRUE, FALSE, TRUE, TRUE, TRUE },
    { "wuji_glove_subscribe_tactile_residual", TRUE, FALSE, TRUE, TRUE, TRUE },
    { "wuji_glove_get_emf_poses_rate_divider", FALSE, TRUE, FALSE, FALSE, FALSE },
    { "wuji_hand_2_decode_joint_status", FALSE, FALSE, TRUE, TRUE, FALSE },
    { "wuji_hand_2_nid_to_joint_index", FALSE, FALSE, FALSE, TRUE, FALSE },
    { "wuji_hand_2_subscribe_joint_states", TRUE, TRUE, TRUE, TRUE, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_cmpint (client_has ("", cases[i].symbol), ==, cases[i].baseline);
    g_assert_cmpint (client_has ("-7.21", cases[i].symbol), ==, cases[i].v7_21);
    g_assert_cmpint (client_has ("-8.31", cases[i].symbol), ==, cases[i].v8_31);
    g_assert_cmpint (client_has ("-11.23", cases[i].symbol), ==, cases[i].v11_23);
    g_assert_cmpint (client_has ("-broken", cases[i].symbol), ==, cases[i].broken);
  }
  g_assert_cmpstr (CALL (wuji_version) (), ==, "2026.8.17");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  client_load ("{" SETUP ",'devices':[]}");
  g_test_add_func ("/wuji-standin/close-says-end", test_close_says_end);
  g_test_add_func ("/wuji-standin/disconnect-says-end", test_disconnect_says_end);
  g_test_add_func ("/wuji-standin/shared-sequence", test_shared_sequence);
  g_test_add_func ("/wuji-standin/last-error", test_last_error);
  g_test_add_func ("/wuji-standin/texts", test_texts);
  g_test_add_func ("/wuji-standin/scan", test_scan);
  g_test_add_func ("/wuji-standin/connect", test_connect);
  g_test_add_func ("/wuji-standin/tables", test_tables);
  g_test_add_func ("/wuji-standin/users", test_users);
  g_test_add_func ("/wuji-standin/rate", test_rate);
  g_test_add_func ("/wuji-standin/lookups", test_report_of_lookups);
  g_test_add_func ("/wuji-standin/variants", test_variants);
  return g_test_run ();
}
