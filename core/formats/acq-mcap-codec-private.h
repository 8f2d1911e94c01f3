/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-mcap-writer.h>

/* Turns the records of a chunk into their stored form and back. A codec belongs to one thread. */
typedef struct _AcqMcapCodec AcqMcapCodec;

/* (transfer full); %ACQ_ERROR_OPTION when the level is out of range. */
AcqMcapCodec *acq_mcap_codec_new (AcqMcapCompression compression, int level, GError **error);
void acq_mcap_codec_free (AcqMcapCodec *self);

/* Bytes that packing @size bytes may need. */
gsize acq_mcap_codec_bound (AcqMcapCodec *self, gsize size);

/* The name that a chunk packed by this codec carries. */
const char *acq_mcap_codec_name (AcqMcapCodec *self);

/* Packs into one frame. Returns its size, or 0 when storing the bytes as they are is better. */
gsize acq_mcap_codec_pack (AcqMcapCodec *self, const guint8 *data, gsize size, guint8 *out,
                           gsize capacity);

/*
 * Unpacks the records of a chunk into @out, which takes @size bytes. On failure
 * *ret_size still says how many bytes at the start of @out are good, so that
 * recovery can save the head of a chunk that was cut.
 */
gboolean acq_mcap_unpack (AcqMcapSpan compression, AcqMcapSpan packed, guint8 *out, gsize size,
                          gsize *ret_size, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqMcapCodec, acq_mcap_codec_free)
