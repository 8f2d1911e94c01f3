/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

typedef struct _JsonObject JsonObject;

/*
 * How the messages of one stream become a row: times first, then one column for
 * each field that is a number, an array of numbers or a short text. What is a
 * matrix stays one: 21 poses are (21, 7). Made once, from the descriptor of the
 * type and the counts that the stream declares.
 */
typedef struct _NpzLayout NpzLayout;

/* @stem is what all keys begin with, `<device>__<stream>`. NULL and an error for a clash of keys.
 */
NpzLayout *npz_layout_new (AcqStream *stream, const char *stem, GError **error);
void npz_layout_free (NpzLayout *self);

const AcqNpyField *npz_layout_get_fields (const NpzLayout *self, guint *ret_n);

/* Fills the row of one message. No allocation, no system call. */
void npz_layout_fill (const NpzLayout *self, const AcqFrame *frame, gint64 t_host_us, guint8 *row);

/* Adds `columns` and, where something stays out of NPZ, `not_in_npz`. */
void npz_layout_describe (const NpzLayout *self, JsonObject *stream);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpzLayout, npz_layout_free)
