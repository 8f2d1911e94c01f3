/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/*
 * Which releases of the SDK may do what. The library has no version of its
 * layout: `wuji_version()` says a release, and the symbols that are there or not
 * bracket it. Whichever of the two is older wins, because an older layout read
 * as a newer one is read wrong without a sign.
 */

/* A calendar release such as 2026.8.17, or 0.10.0: compare as numbers. */
typedef struct {
  guint year, month, day;
} WujiRelease;

typedef enum {
  WUJI_FEATURE_GLOVE = 1 << 0,
  WUJI_FEATURE_HAND_2 = 1 << 1,
  WUJI_FEATURE_HAND_2_DIAGNOSTICS = 1 << 2,
  WUJI_FEATURE_HAND_2_FINGERTIPS = 1 << 3,
  WUJI_FEATURE_HAND = 1 << 4,
  WUJI_FEATURE_TF = 1 << 5,
  WUJI_FEATURE_SCAN = 1 << 6,
  WUJI_FEATURE_CONNECT_OPTIONS = 1 << 7,
  WUJI_FEATURE_RESIDUAL = 1 << 8,
  WUJI_FEATURE_SET_RATE = 1 << 9,
  WUJI_FEATURE_USERS = 1 << 10,
} WujiFeature;

typedef enum {
  WUJI_TRUST_KNOWN,   /* a release whose header was read: the layout is what wuji-abi.h says */
  WUJI_TRUST_CHECKED, /* every first frame has to pass its canaries, and people are told */
  WUJI_TRUST_REFUSED, /* no C interface, or one that we cannot read */
} WujiTrust;

typedef struct {
  char text[64];       /* as the library said it */
  gboolean parsed;     /* release is what text says */
  WujiRelease release; /* the one whose rules hold */
  WujiTrust trust;
  guint features;     /* WujiFeature: what may be used */
  const char *notice; /* (nullable): what people should know */
} WujiVersion;

typedef gboolean (*WujiHasSymbol) (const char *name, gpointer data);

gboolean wuji_release_parse (const char *text, WujiRelease *ret);
int wuji_release_compare (WujiRelease a, WujiRelease b);

/* What may be done with a library that says text and exports what has() knows. */
WujiVersion wuji_version_judge (const char *text, WujiHasSymbol has, gpointer data);

/* Why a feature may not be used: for the error message. */
char *wuji_version_explain (const WujiVersion *self, WujiFeature feature);
