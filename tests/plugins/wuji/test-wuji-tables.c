/* SPDX-License-Identifier: Apache-2.0 */

/* The tables of the Wuji plugins: sides, joints, releases. */

#include "wuji-joints.h"
#include "wuji-side.h"
#include "wuji-version.h"

#include <string.h>

/* ---- sides: every encoding of the vendor ---- */

static void
test_side_numbers (void)
{
  static const struct {
    guint value;
    AcqSide handedness, hand, board;
  } cases[] = {
    { 0, ACQ_SIDE_LEFT, ACQ_SIDE_RIGHT, ACQ_SIDE_LEFT },
    { 1, ACQ_SIDE_RIGHT, ACQ_SIDE_LEFT, ACQ_SIDE_RIGHT },
    { 2, ACQ_SIDE_UNKNOWN, ACQ_SIDE_UNKNOWN, ACQ_SIDE_UNKNOWN },
    { 255, ACQ_SIDE_UNKNOWN, ACQ_SIDE_UNKNOWN, ACQ_SIDE_UNKNOWN },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_cmpint (wuji_side_from_handedness (cases[i].value), ==, cases[i].handedness);
    g_assert_cmpint (wuji_side_from_hand ((guint8) cases[i].value), ==, cases[i].hand);
    g_assert_cmpint (wuji_side_from_tactile_board ((guint8) cases[i].value), ==, cases[i].board);
  }
  g_assert_cmpint (wuji_side_from_handedness (0x100), ==, ACQ_SIDE_UNKNOWN);
}

static void
test_side_texts (void)
{
  static const struct {
    const char *serial, *text;
    AcqSide by_serial, by_text;
  } cases[] = {
    { "WG1J00000001", "left", ACQ_SIDE_LEFT, ACQ_SIDE_LEFT },
    { "WH2K00000001", "Right", ACQ_SIDE_RIGHT, ACQ_SIDE_RIGHT },
    { "WG1j", "LEFT_HAND", ACQ_SIDE_UNKNOWN, ACQ_SIDE_LEFT },
    { "WG1", "r", ACQ_SIDE_UNKNOWN, ACQ_SIDE_RIGHT },
    { "", "leftright", ACQ_SIDE_UNKNOWN, ACQ_SIDE_UNKNOWN },
    { "WG1X", "left or right", ACQ_SIDE_UNKNOWN, ACQ_SIDE_UNKNOWN },
    { NULL, NULL, ACQ_SIDE_UNKNOWN, ACQ_SIDE_UNKNOWN },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_cmpint (wuji_side_from_serial (cases[i].serial), ==, cases[i].by_serial);
    g_assert_cmpint (wuji_side_from_text (cases[i].text), ==, cases[i].by_text);
  }
  g_assert_cmpstr (wuji_side_letter (ACQ_SIDE_LEFT), ==, "l");
  g_assert_cmpstr (wuji_side_letter (ACQ_SIDE_RIGHT), ==, "r");
  g_assert_cmpstr (wuji_side_letter (ACQ_SIDE_UNKNOWN), ==, "");
}

/* ---- joints ---- */

static void
test_joint_numbers (void)
{
  /* As the vendor's frames number them, finger by finger. */
  static const guint nids[WUJI_HAND_JOINTS] = { 1,  2,  3,  4,  6,  7,  8,  9,  11, 12,
                                                13, 14, 16, 17, 18, 19, 21, 22, 23, 24 };
  guint n_valid = 0;

  for (guint joint = 0; joint < WUJI_HAND_JOINTS; joint++) {
    g_assert_cmpuint (wuji_nid_from_joint (joint), ==, nids[joint]);
    g_assert_cmpint (wuji_joint_from_nid (nids[joint]), ==, (int) joint);
  }
  g_assert_cmpuint (wuji_nid_from_joint (WUJI_HAND_JOINTS), ==, 0);
  for (guint nid = 0; nid < 256; nid++)
    n_valid += wuji_joint_from_nid (nid) >= 0;
  g_assert_cmpuint (n_valid, ==, WUJI_HAND_JOINTS);
  for (guint slot = 0; slot <= 25; slot += 5)
    g_assert_cmpint (wuji_joint_from_nid (slot), ==, -1);
}

static void
test_joint_names (void)
{
  const struct {
    const char *const *names;
    guint n;
  } tables[] = {
    { wuji_finger_names, WUJI_FINGERS },
    { wuji_skeleton_names, WUJI_SKELETON_JOINTS },
    { wuji_angle_names, WUJI_FINGERS * WUJI_FINGER_ANGLES },
    { wuji_hand2_joint_names, WUJI_HAND_JOINTS },
    { wuji_hand_joint_names, WUJI_HAND_JOINTS },
  };

  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++) {
    g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

    for (guint i = 0; i < tables[t].n; i++) {
      g_assert_nonnull (tables[t].names[i]);
      g_assert_true (g_hash_table_add (seen, (gpointer) tables[t].names[i]));
    }
    g_assert_null (tables[t].names[tables[t].n]);
  }
  for (guint i = 1; i < WUJI_SKELETON_JOINTS; i++)
    g_assert_cmpint (wuji_skeleton_parents[i], ==, i % 4 == 1 ? 0 : (int) i - 1);
}

/* ---- releases ---- */

static void
test_release_parse (void)
{
  static const struct {
    const char *text;
    gboolean good;
    WujiRelease release;
  } cases[] = {
    { "2026.8.17", TRUE, { 2026, 8, 17 } },
    { "v2026.11.23", TRUE, { 2026, 11, 23 } },
    { "2026.8.31-rc1", TRUE, { 2026, 8, 31 } },
    { "0.10.0+abc", TRUE, { 0, 10, 0 } },
    { "2026.8.17.2", TRUE, { 2026, 8, 17 } },
    { "2026.8", FALSE, { 0 } },
    { "2026.8.", FALSE, { 0 } },
    { "2026.8.17a", FALSE, { 0 } },
    { "2026..17", FALSE, { 0 } },
    { "99999999999999999999.1.1", FALSE, { 0 } },
    { "-1.2.3", FALSE, { 0 } },
    { "", FALSE, { 0 } },
    { NULL, FALSE, { 0 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    WujiRelease release = { 7, 7, 7 };

    g_assert_cmpint (wuji_release_parse (cases[i].text, &release), ==, cases[i].good);
    g_assert_cmpint (
        wuji_release_compare (release, cases[i].good ? cases[i].release : (WujiRelease){ 7, 7, 7 }),
        ==, 0);
  }
}

/* What each release exports; `data` is the newest symbol's place in this list. */
static gboolean
has_symbol (const char *name, gpointer data)
{
  static const char *const in_order[] = {
    "wuji_hand_2_subscribe_joint_states",    "wuji_hand_connect_sn",
    "wuji_glove_subscribe_tactile_residual", "wuji_sub_set_rate",
    "wuji_hand_2_decode_joint_status",
  };
  gsize n = GPOINTER_TO_SIZE (data);

  for (gsize i = 0; i < G_N_ELEMENTS (in_order); i++)
    if (strcmp (name, in_order[i]) == 0)
      return i < n;
  return n < 4 && strcmp (name, "wuji_glove_get_emf_poses_rate_divider") == 0;
}

static void
test_version_judge (void)
{
  enum {
    OLD = WUJI_FEATURE_GLOVE | WUJI_FEATURE_TF,
    V7_1 = OLD | WUJI_FEATURE_HAND_2,
    V7_14 = V7_1 | WUJI_FEATURE_HAND | WUJI_FEATURE_SCAN | WUJI_FEATURE_CONNECT_OPTIONS |
            WUJI_FEATURE_USERS,
    V7_21 = V7_14 | WUJI_FEATURE_HAND_2_FINGERTIPS,
    V8_3 = V7_21 | WUJI_FEATURE_HAND_2_DIAGNOSTICS | WUJI_FEATURE_RESIDUAL,
    ALL = V8_3 | WUJI_FEATURE_SET_RATE,
  };
  static const struct {
    const char *text;
    gsize symbols;
    WujiTrust trust;
    guint features;
    gboolean told;
  } cases[] = {
    { "2026.8.17", 4, WUJI_TRUST_KNOWN, ALL, FALSE },
    { "2026.8.31", 5, WUJI_TRUST_KNOWN, ALL, FALSE },
    { "2026.11.23", 5, WUJI_TRUST_CHECKED, ALL, TRUE },
    { "2026.9.21", 5, WUJI_TRUST_CHECKED, ALL, TRUE },
    { "2026.8.3", 3, WUJI_TRUST_CHECKED, V8_3, TRUE },
    { "2026.7.21", 2, WUJI_TRUST_CHECKED, V7_21, TRUE },
    { "2026.7.14", 2, WUJI_TRUST_CHECKED, V7_14, TRUE },
    { "2026.7.1", 1, WUJI_TRUST_CHECKED, V7_1, TRUE },
    { "2026.6.18", 0, WUJI_TRUST_CHECKED, OLD, TRUE },
    { "2026.5.26", 0, WUJI_TRUST_REFUSED, 0, TRUE },
    /* A name that its symbols belie: the older one counts. */
    { "2026.8.17", 3, WUJI_TRUST_CHECKED, V8_3, TRUE },
    { "2026.11.23", 2, WUJI_TRUST_CHECKED, V7_21, TRUE },
    /* No name at all, or one of another kind. */
    { "", 5, WUJI_TRUST_CHECKED, ALL, TRUE },
    { NULL, 4, WUJI_TRUST_CHECKED, ALL, TRUE },
    { "0.10.0", 4, WUJI_TRUST_CHECKED, ALL, TRUE },
    { "garbage", 2, WUJI_TRUST_CHECKED, V7_21, TRUE },
    { "garbage", 0, WUJI_TRUST_CHECKED, OLD, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    WujiVersion version =
        wuji_version_judge (cases[i].text, has_symbol, GSIZE_TO_POINTER (cases[i].symbols));

    g_test_message ("%s with %zu", cases[i].text, cases[i].symbols);
    g_assert_cmpint (version.trust, ==, cases[i].trust);
    g_assert_cmphex (version.features, ==, cases[i].features);
    g_assert_cmpint (version.notice != NULL, ==, cases[i].told);
    g_assert_cmpstr (version.text, ==, cases[i].text != NULL ? cases[i].text : "");
  }
}

static void
test_version_explain (void)
{
  WujiVersion version = wuji_version_judge ("2026.7.21", has_symbol, GSIZE_TO_POINTER (2));
  g_autofree char *why = wuji_version_explain (&version, WUJI_FEATURE_HAND_2_DIAGNOSTICS);

  g_assert_cmpstr (why, ==,
                   "Wuji SDK 2026.7.21 is too old for joint diagnostics: before 2026.8.3 its "
                   "diagnostics frames have another size; install 2026.8.17 or newer");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wuji/side/numbers", test_side_numbers);
  g_test_add_func ("/wuji/side/texts", test_side_texts);
  g_test_add_func ("/wuji/joints/numbers", test_joint_numbers);
  g_test_add_func ("/wuji/joints/names", test_joint_names);
  g_test_add_func ("/wuji/version/parse", test_release_parse);
  g_test_add_func ("/wuji/version/judge", test_version_judge);
  g_test_add_func ("/wuji/version/explain", test_version_explain);
  return g_test_run ();
}
