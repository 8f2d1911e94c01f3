/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "pipeline/acq-jsonc-private.h"

/* The characters and scalars of acq-jsonc.c: texts, numbers, words, comments. */

typedef void (*AcqJsonReport) (gpointer data, AcqJsonPlace place, const char *message);

typedef struct {
  const char *p;
  AcqJsonPlace here;
  gboolean broken;
  char *text;       /* our copy, NUL-terminated, as far as it is good */
  JsonArray *spare; /* values that the tree cannot hold, kept alive with it */
  AcqJsonReport report;
  gpointer data;
} AcqJsonScan;

void acq_json_scan_init (AcqJsonScan *self, const char *text, gsize length, AcqJsonReport report,
                         gpointer data);
void acq_json_scan_clear (AcqJsonScan *self);

/* One character on; @p is never moved past the end. */
void acq_json_scan_take (AcqJsonScan *self);
/* Over white space and comments. */
void acq_json_scan_skip (AcqJsonScan *self);

static inline AcqJsonPlace
acq_json_scan_place (const AcqJsonScan *self)
{
  return self->here;
}

/* A mistake that is stepped over, and one that is not. */
void acq_json_scan_report (AcqJsonScan *self, AcqJsonPlace place, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void acq_json_scan_break (AcqJsonScan *self, AcqJsonPlace place, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* "found X, wanted Y", X being what stands here. */
void acq_json_scan_break_at_token (AcqJsonScan *self, const char *wanted);

/* NULL when broken. A value that was stepped over is @ret_bad. */
char *acq_json_scan_key (AcqJsonScan *self);
JsonNode *acq_json_scan_scalar (AcqJsonScan *self, gboolean *ret_bad);
