/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-harness.h>
#include <acq/acq.h>
#include <json-glib/json-glib.h>

/*
 * npz-writer under a fake clock, a glove and an arm that push closed forms, and
 * what reads the archive back. Mistakes end the test.
 */

#define MS G_GINT64_CONSTANT (1000000)
#define START_US (ACQ_HARNESS_START_NS / 1000)
#define TAXELS 744

typedef struct {
  AcqHarness *h;
  AcqTake *take;
  AcqClock *clock;
  AcqStream *skeleton; /* device time, 21 joints, no confidence */
  AcqStream *tactile;  /* a tail that is declared */
  AcqStream *raw;      /* a tail that is not, and texts */
  AcqStream *angles;   /* counts that are not declared, constants */
  AcqStream *imu;      /* a name of two segments, quaternions and matrices */
  AcqStream *empty;    /* never a message */
  AcqStream *frames;   /* latched; an array of structs with texts */
  guint n;             /* messages pushed of each but the last two */
} NpzRig;

/* @options: name, value, …, NULL; may be NULL. */
void npz_rig_init (NpzRig *f, const char *const *options);

/* Begins a take. */
void npz_rig_start (NpzRig *f);
void npz_rig_clear (NpzRig *f);

/* The values of message @i. */
float npz_rig_joint (guint i, guint joint, guint component);
float npz_rig_taxel (guint i, guint k);
guint npz_rig_angle_count (guint i);

void npz_rig_push_skeleton (NpzRig *f, guint i);
void npz_rig_push_frames (NpzRig *f, const char *parent, double x);

/* The next @n messages of all streams, a millisecond apart. */
void npz_rig_push (NpzRig *f, guint n);

/* Reading. */
char *npz_rig_path (AcqTake *take, const char *suffix);
AcqZipReader *npz_rig_open (AcqTake *take);

/* Checks type and shape, for example `<f4` and `300,21,7`. */
GBytes *npz_rig_read (AcqZipReader *zip, const char *key, const char *descr, const char *shape);
char *npz_rig_text (GBytes *bytes, guint i, guint n_chars);
JsonObject *npz_rig_meta (AcqZipReader *zip, JsonNode **ret_root);
const AcqLinkCounters *npz_rig_counters (AcqSnapshot *snapshot, const char *path);

#define ARRAY(zip, ctype, name, key, descr, shape)                                                 \
  g_autoptr (GBytes) name##_bytes = npz_rig_read (zip, key, descr, shape);                         \
  const ctype *name = g_bytes_get_data (name##_bytes, NULL)
