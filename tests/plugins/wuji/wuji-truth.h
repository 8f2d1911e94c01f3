/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/* What the stand-in's motion is, as messages: for nodes under test and for files. */

typedef struct {
  const guint8 *payload;
  const guint8 *tail;
  gsize tail_size;
  uint32_t seq;
} WujiMessage;

/* Ends the test when a value is another one. */
typedef void (*WujiTruthCheck) (const char *serial, const WujiMessage *message);

typedef struct {
  const char *plugin, *serial; /* one that has it */
  const char *stream, *topic;  /* ours and the vendor's */
  const char *frame_id;        /* of a node called `node` */
  const AcqSchema *schema;
  WujiTruthCheck check;
} WujiTruth;

extern const WujiTruth wuji_truths[];
extern const guint wuji_n_truths;
