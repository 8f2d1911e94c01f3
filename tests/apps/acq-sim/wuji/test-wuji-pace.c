/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A full rig for a few seconds: two gloves, two Hand 2, all their streams and the transforms.
 * Every frame comes, in order, when it is due. Tells what that costs.
 */

#include "wuji-client.h"

#include <sys/resource.h>

#define SETUP "'chatter':false,'connect-ms':0,'first-frame-ms':0"
#define SECONDS 3

typedef struct {
  Watch watch;
  guint64 n;
} Line;

typedef WujiStatus (*Subscribe) (WujiDevice *dev, WujiAnySubCallback cb, void *user_data,
                                 WujiSub **out_sub);

/* As cheap as can be: no lock, one thread each. */
static void
count (WujiFrameKind kind, const void *frame, void *user_data)
{
  Line *line = user_data;

  if (kind == WUJI_FRAME_KIND_OK)
    line->n++;
  else if (kind == WUJI_FRAME_KIND_LAG)
    line->watch.n_lag++;
}

static const struct {
  const char *function;
  gboolean is_glove;
} wanted[] = {
  { "wuji_glove_subscribe_tactile", TRUE },
  { "wuji_glove_subscribe_tactile_zones", TRUE },
  { "wuji_glove_subscribe_tactile_binary", TRUE },
  { "wuji_glove_subscribe_tactile_residual", TRUE },
  { "wuji_glove_subscribe_tactile_point_cloud", TRUE },
  { "wuji_glove_subscribe_emf_poses", TRUE },
  { "wuji_glove_subscribe_tip_poses", TRUE },
  { "wuji_glove_subscribe_hand_joint_angles", TRUE },
  { "wuji_glove_subscribe_hand_skeleton", TRUE },
  { "wuji_glove_subscribe_imu_palm", TRUE },
  { "wuji_glove_subscribe_imu_data_palm", TRUE },
  { "wuji_hand_2_subscribe_joint_states", FALSE },
  { "wuji_hand_2_subscribe_joint_diagnostics", FALSE },
  { "wuji_hand_2_subscribe_imu", FALSE },
  { "wuji_hand_2_subscribe_fingertip_thumb_data", FALSE },
  { "wuji_hand_2_subscribe_fingertip_index_data", FALSE },
  { "wuji_hand_2_subscribe_fingertip_middle_data", FALSE },
  { "wuji_hand_2_subscribe_fingertip_ring_data", FALSE },
  { "wuji_hand_2_subscribe_fingertip_pinky_data", FALSE },
};

static double
cpu_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void
test_pace (void)
{
  static const char *const serials[4] = { "WG1J1", "WG1K1", "WH2J1", "WH2K1" };
  static Line lines[2 * G_N_ELEMENTS (wanted) + 1];
  WujiDevice *devices[4];
  guint64 total = 0;
  guint n = 0;
  gint64 began;
  double cpu;

  client_configure ("{" SETUP ",'devices':[{'kind':'glove','serial':'WG1J1'},"
                    "{'kind':'glove','serial':'WG1K1'},{'kind':'hand2','serial':'WH2J1'},"
                    "{'kind':'hand2','serial':'WH2K1'}]}");
  for (guint i = 0; i < 4; i++)
    devices[i] = client_connect (serials[i]);
  cpu = cpu_seconds ();
  began = g_get_monotonic_time ();
  for (guint i = 0; i < 4; i++)
    for (gsize w = 0; w < G_N_ELEMENTS (wanted); w++)
      if (wanted[w].is_glove == (i < 2))
        ((Subscribe) client_symbol (wanted[w].function)) (devices[i], count, &lines[n],
                                                          &lines[n].watch.sub),
            n++;
  CALL (wuji_subscribe_tf) (count, &lines[n], &lines[n].watch.sub);
  n++;
  g_usleep (SECONDS * G_USEC_PER_SEC);
  for (guint i = 0; i < n; i++)
    CALL (wuji_sub_close) (lines[i].watch.sub);
  cpu = cpu_seconds () - cpu;
  for (guint i = 0; i < n; i++) {
    total += lines[i].n;
    g_assert_cmpuint (lines[i].watch.n_lag, ==, 0);
  }
  for (guint i = 0; i < 4; i++)
    client_part (devices[i]);
  g_test_message ("%.0f messages a second, %.1f %% of a core, %.2f µs each",
                  (double) total * 1e6 / (double) (g_get_monotonic_time () - began),
                  100 * cpu * 1e6 / (double) (g_get_monotonic_time () - began),
                  1e6 * cpu / (double) total);
  g_assert_cmpuint (total, >, SECONDS * 10000 * 9 / 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  client_load ("{" SETUP ",'devices':[]}");
  g_test_add_func ("/wuji-standin/pace", test_pace);
  return g_test_run ();
}
