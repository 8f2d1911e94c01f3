/* SPDX-License-Identifier: Apache-2.0 */

/* The stand-in stops whoever breaks a rule, and says which. */

#include "wuji-client.h"

#include <stdlib.h>
#include <unistd.h>

#define SETUP "'chatter':false,'connect-ms':0,'scan-ms':0,'first-frame-ms':0"
#define RIG "{" SETUP ",'devices':[{'kind':'glove','serial':'WG1J1'}]}"

static void
subscribe (Watch *watch, WujiDevice *device, const char *topic, const char *function)
{
  WujiStatus status;

  watch_init (watch, NULL, "WG1J1", topic);
  status = ((__typeof__ (&wuji_glove_subscribe_tactile)) client_symbol (function)) (
      device, watch_callback, watch, &watch->sub);
  g_assert_cmpint (status, ==, WUJI_STATUS_OK);
}

typedef void (*Crime) (void);

static void
close_myself (WujiFrameKind kind, const void *frame, void *user_data)
{
  Watch *watch = user_data;
  WujiSub *sub;

  pthread_mutex_lock (&watch->lock);
  sub = watch->sub;
  pthread_mutex_unlock (&watch->lock);
  if (sub != NULL)
    CALL (wuji_sub_close) (sub);
}

static void
crime_own_callback (void)
{
  WujiDevice *device = client_connect ("WG1J1");
  Watch watch;
  WujiSub *sub;

  watch_init (&watch, NULL, "WG1J1", "tactile");
  CALL (wuji_glove_subscribe_tactile) (device, close_myself, &watch, &sub);
  pthread_mutex_lock (&watch.lock);
  watch.sub = sub;
  pthread_mutex_unlock (&watch.lock);
  sleep (5);
}

static void
crime_close_twice (void)
{
  WujiDevice *device = client_connect ("WG1J1");
  Watch watch;

  subscribe (&watch, device, "tactile", "wuji_glove_subscribe_tactile");
  watch_close (&watch);
  CALL (wuji_sub_close) (watch.sub);
}

static void
crime_use_after_release (void)
{
  WujiDevice *device = client_connect ("WG1J1");

  client_part (device);
  CALL (wuji_dev_is_connected) (device);
}

static void
crime_release_twice (void)
{
  WujiDevice *device = client_connect ("WG1J1");

  client_part (device);
  CALL (wuji_dev_release) (device);
}

static void
crime_release_with_subscription (void)
{
  WujiDevice *device = client_connect ("WG1J1");
  Watch watch;

  subscribe (&watch, device, "tactile", "wuji_glove_subscribe_tactile");
  client_part (device);
}

static void
crime_release_connected (void)
{
  CALL (wuji_dev_release) (client_connect ("WG1J1"));
}

static void
crime_free_twice (void)
{
  WujiDiscovered *found;
  size_t n;

  CALL (wuji_scan) (&found, &n);
  CALL (wuji_discovered_free) (found, n);
  CALL (wuji_discovered_free) (found, n);
}

static void
crime_free_other_length (void)
{
  WujiDiscovered *found;
  size_t n;

  CALL (wuji_scan) (&found, &n);
  CALL (wuji_discovered_free) (found, n - 1);
}

static void
crime_move (void)
{
  ((void (*) (void)) client_symbol ("wuji_hand_2_enable")) ();
}

static void
crime_exit_open (void)
{
  WujiDevice *device = client_connect ("WG1J1");
  static Watch watch;

  subscribe (&watch, device, "tactile", "wuji_glove_subscribe_tactile");
  exit (0);
}

static void
crime_exit_connected (void)
{
  client_connect ("WG1J1");
  exit (0);
}

static void
crime_code_0 (void)
{
  CALL (wuji_hand_2_describe_error) (0, &(WujiErrorInfo){ 0 });
}

static void
crime_no_init (void)
{
}

static const struct {
  const char *name;
  Crime commit;
  const char *stderr_pattern;
} crimes[] = {
  { "own-callback", crime_own_callback, "*misuse: wuji_sub_close: *own callback*" },
  { "close-twice", crime_close_twice, "*misuse: wuji_sub_close: *closed before*" },
  { "use-after-release", crime_use_after_release, "*misuse: wuji_dev_is_connected: *released*" },
  { "release-twice", crime_release_twice, "*misuse: wuji_dev_release: *released*" },
  { "release-with-subscription", crime_release_with_subscription,
    "*misuse: wuji_dev_release: *still open*" },
  { "release-connected", crime_release_connected, "*misuse: wuji_dev_release: *disconnect*" },
  { "free-twice", crime_free_twice, "*misuse: wuji_discovered_free: *freed before*" },
  { "free-other-length", crime_free_other_length, "*misuse: wuji_discovered_free: *length*" },
  { "move", crime_move, "*misuse: wuji_hand_2_enable: a recorder only looks*" },
  { "exit-open", crime_exit_open, "*misuse: exit: 1 subscriptions*" },
  { "exit-connected", crime_exit_connected, "*misuse: exit: 1 device handles*" },
  { "code-0", crime_code_0, "*misuse: wuji_hand_2_describe_error: code 0*" },
  { "no-init", crime_no_init, "*misuse: wuji_scan: called before wuji_init*" },
};

static void
test_crime (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);

  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 20000000, 0);
    g_test_trap_assert_failed ();
    g_test_trap_assert_stderr (crimes[i].stderr_pattern);
    return;
  }
  if (crimes[i].commit == crime_no_init) {
    CALL (wuji_scan) (NULL, NULL);
    return;
  }
  client_configure (RIG);
  crimes[i].commit ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  client_load ("{" SETUP ",'devices':[]}");
  for (gsize i = 0; i < G_N_ELEMENTS (crimes); i++) {
    g_autofree char *path = g_strdup_printf ("/wuji-standin/misuse/%s", crimes[i].name);

    g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_crime);
  }
  return g_test_run ();
}
