/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-cdr.h>
#include <acq/acq-walk.h>

/* What a random message is made of. */
typedef enum {
  RANDOM_ANY,      /* counts and values all over their ranges */
  RANDOM_EXTREMES, /* everything full, values at the ends of their ranges */
  RANDOM_EMPTY,    /* no element, no text, all zero */
  RANDOM_ASCII,    /* as any, but text is ASCII: some writers know no other */
  RANDOM_N_STYLES,
} RandomStyle;

/* A message that owns what it needs; padding holds rubbish on purpose. */
typedef struct {
  AcqCdrInput input;
  guint8 *payload;
  char *frame_id;
  AcqConstants *constants;
} RandomMessage;

void random_message_init (RandomMessage *self, const AcqSchema *schema, RandomStyle style,
                          GRand *rand);
void random_message_clear (RandomMessage *self);

/* Encodes into exactly acq_cdr_bound() bytes; the caller frees. */
guint8 *random_message_encode (const RandomMessage *self, gsize *ret_size);
