/* SPDX-License-Identifier: Apache-2.0 */

/* The pure checks of the Wuji plugins: canaries, sequences, symbols. */

#include <math.h>
#include <string.h>

#include "wuji-api.h"
#include "wuji-canary.h"
#include "wuji-fingertip-format.h"
#include "wuji-sequence.h"

/* ---- canaries: what is right passes, and one slip each does not ---- */

typedef struct {
  WujiHandSkeleton skeleton;
  WujiSkeletonJoint joints[WUJI_SKELETON_JOINTS];
  WujiJointStateFrame states;
  WujiJointStateEntry entries[24];
  WujiJointDiagnosticsFrame diagnostics;
  WujiJointDiagnosticsEntry health[24];
  WujiTactileFrame grid;
  float taxels[WUJI_TAXELS_WIDE];
  WujiPointCloud cloud;
  WujiPointField fields[4];
  uint8_t points[64];
  WujiDiscovered found[2];
} Good;

static void
make_good (Good *good)
{
  memset (good, 0, sizeof *good);
  good->skeleton.joints = good->joints;
  good->skeleton.joints_len = WUJI_SKELETON_JOINTS;
  for (guint i = 0; i < WUJI_SKELETON_JOINTS; i++) {
    g_snprintf (good->joints[i].name, sizeof good->joints[i].name, "joint_%u", i);
    good->joints[i].pose.orientation.w = 1.0f;
  }
  good->states.joints = good->entries;
  good->states.joints_len = good->states.num_joints = 3;
  good->diagnostics.joints = good->health;
  good->diagnostics.joints_len = good->diagnostics.num_joints = 3;
  for (guint i = 0; i < 24; i++) {
    good->entries[i].nid = good->health[i].nid = (uint8_t) (i + 1 + i / 4);
    good->health[i].vbus_v_fb = 24.0f;
    good->health[i].mcu_temp_c_fb = 40.0f;
  }
  good->grid.data = good->taxels;
  good->grid.data_len = WUJI_TAXELS;
  good->cloud.fields = good->fields;
  good->cloud.fields_len = 4;
  good->cloud.data = good->points;
  good->cloud.data_len = 64;
  good->cloud.point_stride = 16;
  for (guint i = 0; i < 4; i++) {
    good->fields[i].name[0] = "xyzp"[i];
    good->fields[i].offset = 4 * i;
    good->fields[i].type_ = 7;
  }
  g_strlcpy (good->found[0].serial_number, "WG1J1", 64);
}

enum { SKELETON, STATES, DIAGNOSTICS, GRID, CLOUD };

static void
skeleton_short (Good *good)
{
  good->skeleton.joints_len = 20;
}

static void
skeleton_null (Good *good)
{
  good->skeleton.joints = NULL;
}

static void
skeleton_name (Good *good)
{
  memset (good->joints[7].name, 'x', sizeof good->joints[7].name);
}

static void
skeleton_norm (Good *good)
{
  good->joints[20].pose.orientation.w = 0.5f;
}

static void
skeleton_far (Good *good)
{
  good->joints[3].pose.position[1] = 1e20f;
}

static void
states_long (Good *good)
{
  good->states.joints_len = good->states.num_joints = 21;
}

static void
states_mismatch (Good *good)
{
  good->states.num_joints = 4;
}

static void
states_slot (Good *good)
{
  good->entries[1].nid = 5;
}

static void
states_zero (Good *good)
{
  good->entries[1].nid = 0;
}

static void
states_twice (Good *good)
{
  good->entries[1].nid = good->entries[0].nid;
}

static void
states_nan (Good *good)
{
  good->entries[2].velocity = NAN;
}

static void
states_null (Good *good)
{
  good->states.joints = NULL;
}

static void
diagnostics_volts (Good *good)
{
  good->health[0].vbus_v_fb = 1e9f;
}

static void
diagnostics_cold (Good *good)
{
  good->health[2].mcu_temp_c_fb = -273.0f;
}

static void
grid_length (Good *good)
{
  good->grid.data_len = 745;
}

static void
grid_nan (Good *good)
{
  good->taxels[100] = NAN;
}

static void
grid_frame_id (Good *good)
{
  memset (good->grid.header.frame_id, 1, sizeof good->grid.header.frame_id);
}

static void
cloud_stride (Good *good)
{
  good->cloud.point_stride = 24;
}

static void
cloud_type (Good *good)
{
  good->fields[1].type_ = 8;
}

static void
cloud_offset (Good *good)
{
  good->fields[3].offset = 14;
}

static const char *
check (const Good *good, guint which, gboolean strict)
{
  switch (which) {
  case SKELETON:
    return wuji_canary_skeleton (&good->skeleton, strict);
  case STATES:
    return wuji_canary_joint_states (&good->states, strict);
  case DIAGNOSTICS:
    return wuji_canary_diagnostics (&good->diagnostics, strict);
  case GRID:
    return wuji_canary_grid (&good->grid, strict);
  default:
    return wuji_canary_cloud (&good->cloud, strict);
  }
}

static void
test_canaries (void)
{
  static const struct {
    guint which;
    void (*slip) (Good *good);
    const char *reason;
    gboolean only_strict;
  } cases[] = {
    { SKELETON, skeleton_short, "length", FALSE },
    { SKELETON, skeleton_null, "null", FALSE },
    { SKELETON, skeleton_name, "name", TRUE },
    { SKELETON, skeleton_norm, "pose", TRUE },
    { SKELETON, skeleton_far, "pose", TRUE },
    { STATES, states_long, "length", FALSE },
    { STATES, states_mismatch, "count_mismatch", FALSE },
    { STATES, states_slot, "nid", FALSE },
    { STATES, states_zero, "nid", FALSE },
    { STATES, states_twice, "nid_twice", FALSE },
    { STATES, states_null, "null", FALSE },
    { STATES, states_nan, "not_finite", TRUE },
    { DIAGNOSTICS, diagnostics_volts, "out_of_range", TRUE },
    { DIAGNOSTICS, diagnostics_cold, "out_of_range", TRUE },
    { GRID, grid_length, "length", FALSE },
    { GRID, grid_nan, "not_finite", TRUE },
    { GRID, grid_frame_id, "frame_id", TRUE },
    { CLOUD, cloud_stride, "length", FALSE },
    { CLOUD, cloud_type, "field", FALSE },
    { CLOUD, cloud_offset, "field", FALSE },
  };
  Good good;

  for (guint which = SKELETON; which <= CLOUD; which++) {
    make_good (&good);
    g_assert_cmpstr (check (&good, which, TRUE), ==, NULL);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    make_good (&good);
    cases[i].slip (&good);
    g_assert_cmpstr (check (&good, cases[i].which, TRUE), ==, cases[i].reason);
    g_assert_cmpstr (check (&good, cases[i].which, FALSE), ==,
                     cases[i].only_strict ? NULL : cases[i].reason);
  }
}

static void
test_canary_scan (void)
{
  Good good;

  make_good (&good);
  g_assert_cmpstr (wuji_canary_scan (good.found, 2), ==, NULL);
  good.found[1].device_id = 4;
  g_assert_cmpstr (wuji_canary_scan (good.found, 2), ==, "kind");
  g_assert_cmpstr (wuji_canary_scan (good.found, 1), ==, NULL);
  good.found[0].serial_number[0] = '\x01';
  g_assert_cmpstr (wuji_canary_scan (good.found, 1), ==, "name");
  g_assert_cmpstr (wuji_canary_scan (NULL, 0), ==, NULL);
  g_assert_cmpstr (wuji_canary_scan (NULL, 1), ==, "null");
}

/* ---- sequences ---- */

/* A run of numbers: what each is, and how many are known to be lost in the end. */
static void
test_sequences (void)
{
  enum {
    F = WUJI_SEQUENCE_FRESH,
    D = WUJI_SEQUENCE_DUPLICATE,
    L = WUJI_SEQUENCE_LATE,
    R = WUJI_SEQUENCE_RESTART
  };
  static const struct {
    const char *what;
    guint32 first, step;
    guint n; /* so many in a row before the numbers below */
    guint32 then[6];
    int verdicts[6];
    guint n_then;
    guint64 lost;
  } cases[] = {
    { "nothing lost", 5, 1, 100, { 105 }, { F }, 1, 0 },
    { "three lost", 5, 1, 100, { 108 }, { F }, 1, 3 },
    { "lost while learning", 5, 1, 4, { 11, 12, 13 }, { F, F, F }, 3, 2 },
    { "every fourth", 100, 4, 50, { 300, 304 }, { F, F }, 2, 0 },
    { "every fourth, one lost", 100, 4, 50, { 304 }, { F }, 1, 1 },
    { "back to every one", 100, 4, 50, { 300, 301, 302 }, { F, F, F }, 3, 0 },
    { "twice the same", 0, 1, 50, { 49, 50 }, { D, F }, 2, 0 },
    { "behind its successor", 0, 1, 50, { 51, 50, 52 }, { F, L, F }, 3, 1 },
    { "wraps", G_MAXUINT32 - 20, 1, 30, { 10 }, { F }, 1, 1 },
    { "began anew", 1000000, 1, 50, { 3, 4 }, { R, F }, 2, 0 },
    { "far ahead", 10, 1, 50, { 90000000, 90000001 }, { R, F }, 2, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    WujiSequence sequence;
    guint64 lost, total = 0;

    g_test_message ("%s", cases[i].what);
    wuji_sequence_init (&sequence);
    for (guint k = 0; k < cases[i].n; k++) {
      g_assert_cmpint (wuji_sequence_next (&sequence, cases[i].first + k * cases[i].step, &lost),
                       ==, F);
      total += lost;
    }
    for (guint k = 0; k < cases[i].n_then; k++) {
      g_assert_cmpint (wuji_sequence_next (&sequence, cases[i].then[k], &lost), ==,
                       cases[i].verdicts[k]);
      total += lost;
    }
    g_assert_cmpuint (total + wuji_sequence_end (&sequence), ==, cases[i].lost);
  }
}

/* ---- layouts of fingertips ---- */

#define FIELDS "[{\"name\":\"fx\",\"type\":\"i16\"}]"
#define FORMAT(v, encoding, points, stride, aggregate, point_fields)                               \
  "{\"v\":" v ",\"encoding\":\"" encoding "\",\"unit\":\"N\",\"point_count\":" points              \
  ",\"point_stride\":" stride ",\"aggregate_stride\":" aggregate ",\"point_fields\":" point_fields \
  ",\"aggregate_fields\":" FIELDS "}"

static void
test_fingertips (void)
{
  static const struct {
    const char *text;
    gboolean good, all_i16;
    gsize bytes;
  } cases[] = {
    { FORMAT ("1", "point_array", "40", "6", "8", FIELDS), TRUE, TRUE, 248 },
    { FORMAT ("1", "point_array", "34", "6", "0", FIELDS), TRUE, TRUE, 204 },
    { FORMAT ("1", "point_array", "34", "7", "8", FIELDS), TRUE, FALSE, 246 },
    { FORMAT ("1", "point_array", "34", "4", "8", "[{\"type\":\"f32\"}]"), TRUE, FALSE, 144 },
    { FORMAT ("1", "point_array", "34", "4", "8", "7"), TRUE, FALSE, 144 },
    { FORMAT ("2", "point_array", "40", "6", "8", FIELDS), FALSE, FALSE, 0 },
    { FORMAT ("1", "image", "40", "6", "8", FIELDS), FALSE, FALSE, 0 },
    { FORMAT ("1", "point_array", "0", "6", "8", FIELDS), FALSE, FALSE, 0 },
    { FORMAT ("1", "point_array", "40", "-6", "8", FIELDS), FALSE, FALSE, 0 },
    { FORMAT ("1", "point_array", "40", "6.5", "8", FIELDS), FALSE, FALSE, 0 },
    { FORMAT ("1", "point_array", "99999999", "6", "8", FIELDS), FALSE, FALSE, 0 },
    { "{\"v\":1,\"encoding\":\"point_array\",\"positions\":[[0.1,0.2", FALSE, FALSE, 0 },
    { "[]", FALSE, FALSE, 0 },
    { "", FALSE, FALSE, 0 },
    { "\xff\xfe", FALSE, FALSE, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    WujiFingertipFormat format = { .points = 12345 };

    g_test_message ("case %zu", i);
    g_assert_cmpint (wuji_fingertip_parse (cases[i].text, &format), ==, cases[i].good);
    if (!cases[i].good) {
      g_assert_cmpuint (format.points, ==, 12345);
      continue;
    }
    g_assert_cmpuint (wuji_fingertip_bytes (&format), ==, cases[i].bytes);
    g_assert_cmpint (format.all_i16, ==, cases[i].all_i16);
    g_assert_cmpstr (format.unit, ==, "N");
  }
}

/* Whatever comes, it is refused or it fits. */
static void
test_fingertip_mutants (void)
{
  static const char good[] = FORMAT ("1", "point_array", "40", "6", "8", FIELDS);

  for (guint i = 0; i < 3000; i++) {
    char text[sizeof good];
    WujiFingertipFormat format = { 0 };

    memcpy (text, good, sizeof good);
    for (int k = g_test_rand_int_range (1, 4); k > 0; k--)
      text[g_test_rand_int_range (0, sizeof good - 1)] = (char) g_test_rand_int_range (1, 256);
    if (wuji_fingertip_parse (text, &format))
      g_assert_cmpuint (wuji_fingertip_bytes (&format), <, 1 << 20);
  }
}

/* ---- symbols: nothing that a recorder has no business with ---- */

static void
test_symbols (void)
{
  static const char *const forbidden[] = {
    "enable",  "disable", "_set_",     "calibrate", "reboot", "publish", "clear", "origin",
    "execute", "switch",  "emergency", "_pub_",     "create", "delete",  "update"
  };

  for (guint class = WUJI_CLASS_GLOVE; class <= WUJI_CLASS_TF; class ++) {
    gsize n;
    const AcqVendorSymbol *symbols = wuji_api_symbols ((WujiClass) class, &n);
    g_autoptr (GHashTable) offsets = g_hash_table_new (NULL, NULL);

    g_assert_cmpuint (n, >, 20);
    for (gsize i = 0; i < n; i++) {
      const char *known;

      g_assert_true (g_str_has_prefix (symbols[i].name, "wuji_"));
      /* One place, one function; some are looked for twice: to tell releases, and to be used. */
      known = g_hash_table_lookup (offsets, GSIZE_TO_POINTER (symbols[i].offset + 1));
      g_assert_cmpstr (known != NULL ? known : symbols[i].name, ==, symbols[i].name);
      g_hash_table_insert (offsets, GSIZE_TO_POINTER (symbols[i].offset + 1),
                           (gpointer) symbols[i].name);
      g_assert_cmpuint (symbols[i].offset + sizeof (void *), <=, sizeof (WujiApi));
      if (strcmp (symbols[i].name, "wuji_sub_set_rate") == 0)
        continue; /* a rate of ours, which ends with our subscription */
      for (gsize k = 0; k < G_N_ELEMENTS (forbidden); k++)
        if (strstr (symbols[i].name, forbidden[k]) != NULL)
          g_error ("%s is looked up", symbols[i].name);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wuji/canary/frames", test_canaries);
  g_test_add_func ("/wuji/canary/scan", test_canary_scan);
  g_test_add_func ("/wuji/sequence", test_sequences);
  g_test_add_func ("/wuji/fingertip/texts", test_fingertips);
  g_test_add_func ("/wuji/fingertip/mutants", test_fingertip_mutants);
  g_test_add_func ("/wuji/symbols", test_symbols);
  return g_test_run ();
}
