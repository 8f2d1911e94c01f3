/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-npz.h>

/* A member `<key>.npy`: its header, then @header's size of data by acq_npz_writer_put(). */
gboolean acq_npz_writer_begin (AcqNpzWriter *self, const char *key, const AcqNpyHeader *header,
                               GError **error);
gboolean acq_npz_writer_put (AcqNpzWriter *self, const void *data, gsize size, GError **error);
gboolean acq_npz_writer_end (AcqNpzWriter *self, GError **error);

/* Counts for the progress, and fails when somebody cancelled. */
gboolean acq_npz_writer_step (AcqNpzWriter *self, guint64 bytes, GError **error);
