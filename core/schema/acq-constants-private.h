/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-constants.h>

/*
 * The value of one constant field. Its CDR form is made once. Where the form
 * begins in a message decides its inner padding; since every constant begins with
 * something aligned to its first scalar, two forms are enough: begun at a multiple
 * of 8, and begun 4 behind one.
 */
typedef struct {
  const AcqField *field;
  guint n;
  guint8 *data; /* numbers, in the field's kind */
  char **strv;  /* strings, NULL-terminated */
  guint align;  /* of the first scalar */
  GByteArray *cdr[2];
} AcqConstantValue;

struct _AcqConstants {
  _Atomic int refs;
  const AcqSchema *schema;
  gsize cdr_max; /* bytes of all in CDR at most, padding included */
  guint n_values;
  AcqConstantValue values[];
};

/* CDR of a constant that was never set, at the end of a form begun at `phase`. */
void acq_constant_append_cdr (GByteArray *cdr, gsize phase, const AcqConstantValue *value);

/* Raw values without conversion, for the decoder; the count was checked. */
void acq_constants_builder_take_raw (AcqConstantsBuilder *self, guint index, guint n, guint8 *data,
                                     char **strv);
