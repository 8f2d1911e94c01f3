/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-version.h"

#include <string.h>

#define FIRST_YEAR 2026
#define NEWEST                                                                                     \
  {                                                                                                \
    G_MAXUINT, G_MAXUINT, G_MAXUINT                                                                \
  }

typedef struct {
  WujiFeature feature;
  const char *what;
  WujiRelease since;
  const char *why; /* what is wrong with older ones */
} FeatureRule;

static const FeatureRule feature_rules[] = {
  { WUJI_FEATURE_GLOVE, "the glove", { 2026, 6, 15 }, "there was no C interface" },
  { WUJI_FEATURE_TF, "the transforms", { 2026, 6, 15 }, "there was no C interface" },
  { WUJI_FEATURE_HAND_2, "Hand 2", { 2026, 7, 1 }, "it had no Hand 2, or frames without a header" },
  { WUJI_FEATURE_HAND_2_DIAGNOSTICS,
    "joint diagnostics",
    { 2026, 8, 3 },
    "its diagnostics frames have another size" },
  { WUJI_FEATURE_HAND_2_FINGERTIPS, "fingertips", { 2026, 7, 21 }, "it had no fingertip streams" },
  { WUJI_FEATURE_HAND,
    "the first-generation hand",
    { 2026, 7, 14 },
    "it did not support that hand" },
  { WUJI_FEATURE_SCAN, "discovery", { 2026, 7, 14 }, "its scan results have another layout" },
  { WUJI_FEATURE_CONNECT_OPTIONS,
    "connect options",
    { 2026, 7, 14 },
    "its connect options have another layout" },
  { WUJI_FEATURE_RESIDUAL, "tactile residuals", { 2026, 8, 3 }, "it had no such stream" },
  { WUJI_FEATURE_SET_RATE, "setting a rate", { 2026, 8, 17 }, "it could not set rates" },
  { WUJI_FEATURE_USERS, "SDK users", { 2026, 7, 14 }, "it had no users" },
};

/* The release is at least `present` with the symbol, and below `absent` without it. */
typedef struct {
  const char *symbol;
  WujiRelease bound;
} SymbolRule;

static const SymbolRule absent_means_older[] = {
  { "wuji_hand_2_decode_joint_status", { 2026, 8, 31 } },
  { "wuji_sub_set_rate", { 2026, 8, 17 } },
  { "wuji_glove_subscribe_tactile_residual", { 2026, 8, 3 } },
  { "wuji_hand_connect_sn", { 2026, 7, 14 } },
  { "wuji_hand_2_subscribe_joint_states", { 2026, 7, 1 } },
};
/* Removed by 2026.8.17. */
static const SymbolRule present_means_older = { "wuji_glove_get_emf_poses_rate_divider",
                                                { 2026, 8, 17 } };

static const WujiRelease known[] = { { 2026, 8, 17 }, { 2026, 8, 31 } };
static const WujiRelease withdrawn[] = { { 2026, 9, 14 }, { 2026, 9, 21 } };

int
wuji_release_compare (WujiRelease a, WujiRelease b)
{
  if (a.year != b.year)
    return a.year < b.year ? -1 : 1;
  if (a.month != b.month)
    return a.month < b.month ? -1 : 1;
  if (a.day != b.day)
    return a.day < b.day ? -1 : 1;
  return 0;
}

/* `2026.8.17`, `v2026.8.17-rc1`, `0.10.0+abc`: three numbers, any suffix. */
gboolean
wuji_release_parse (const char *text, WujiRelease *ret)
{
  guint part[3];

  if (text == NULL)
    return FALSE;
  if (*text == 'v' || *text == 'V')
    text++;
  for (guint i = 0; i < G_N_ELEMENTS (part); i++) {
    guint64 value;
    char *end;

    if (!g_ascii_isdigit (*text))
      return FALSE;
    value = g_ascii_strtoull (text, &end, 10);
    if (value > 999999 || (i < 2 && *end != '.'))
      return FALSE;
    part[i] = (guint) value;
    text = end + 1;
    if (i == 2 && g_ascii_isalnum (*end))
      return FALSE;
  }
  *ret = (WujiRelease){ part[0], part[1], part[2] };
  return TRUE;
}

static gboolean
is_among (WujiRelease release, const WujiRelease *list, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (wuji_release_compare (release, list[i]) == 0)
      return TRUE;
  return FALSE;
}

/* The first release that is too new for the symbols that are there. */
static WujiRelease
symbols_ceiling (WujiHasSymbol has, gpointer data)
{
  WujiRelease ceiling = NEWEST;

  for (gsize i = 0; i < G_N_ELEMENTS (absent_means_older); i++)
    if (!has (absent_means_older[i].symbol, data) &&
        wuji_release_compare (absent_means_older[i].bound, ceiling) < 0)
      ceiling = absent_means_older[i].bound;
  if (has (present_means_older.symbol, data) &&
      wuji_release_compare (present_means_older.bound, ceiling) < 0)
    ceiling = present_means_older.bound;
  return ceiling;
}

WujiVersion
wuji_version_judge (const char *text, WujiHasSymbol has, gpointer data)
{
  WujiVersion self = { .release = NEWEST, .trust = WUJI_TRUST_CHECKED };
  WujiRelease ceiling = symbols_ceiling (has, data);
  WujiRelease named;
  gboolean contradicted;

  g_strlcpy (self.text, text != NULL ? text : "", sizeof self.text);
  /* The C library is younger than calendar releases: one that says 0.10.0 counts otherwise. */
  self.parsed = wuji_release_parse (text, &named) && named.year >= FIRST_YEAR;
  if (self.parsed)
    self.release = named;
  contradicted = self.parsed && wuji_release_compare (self.release, ceiling) >= 0;
  if (wuji_release_compare (ceiling, self.release) <= 0 && ceiling.day != G_MAXUINT) {
    self.release = ceiling; /* just below it: the day before counts */
    self.release.day--;
  }

  if (contradicted)
    self.notice = "the release that the library names should export more than it does; it is "
                  "treated as the older one that its symbols belong to";
  else if (!self.parsed)
    self.notice = "the library's version cannot be read; it is treated as what its symbols "
                  "belong to, and what arrives is checked before it is trusted";
  else if (is_among (self.release, known, G_N_ELEMENTS (known)))
    self.trust = WUJI_TRUST_KNOWN;
  else if (is_among (self.release, withdrawn, G_N_ELEMENTS (withdrawn)))
    self.notice = "the vendor withdrew this release; install 2026.8.31 instead";
  else if (wuji_release_compare (self.release, known[G_N_ELEMENTS (known) - 1]) > 0)
    self.notice = "this release is newer than those whose interface is known; what arrives is "
                  "checked before it is trusted";
  else
    self.notice = "this release is older than those whose interface is known; what arrives is "
                  "checked before it is trusted";

  for (gsize i = 0; i < G_N_ELEMENTS (feature_rules); i++)
    if (wuji_release_compare (self.release, feature_rules[i].since) >= 0)
      self.features |= feature_rules[i].feature;
  if (!(self.features & WUJI_FEATURE_GLOVE)) {
    self.trust = WUJI_TRUST_REFUSED;
    self.notice = "this release has no C interface; install 2026.8.17 or newer";
  }
  return self;
}

char *
wuji_version_explain (const WujiVersion *self, WujiFeature feature)
{
  for (gsize i = 0; i < G_N_ELEMENTS (feature_rules); i++) {
    const FeatureRule *rule = &feature_rules[i];

    if (rule->feature == feature)
      return g_strdup_printf ("Wuji SDK %s is too old for %s: before %u.%u.%u %s; install "
                              "2026.8.17 or newer",
                              self->text[0] != '\0' ? self->text : "(no version)", rule->what,
                              rule->since.year, rule->since.month, rule->since.day, rule->why);
  }
  g_return_val_if_reached (NULL);
}
