/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-codec-private.h"

#include <acq/acq-error.h>

#include <lz4frame.h>
#include <string.h>
#include <zstd.h>

/* Below this a chunk is not worth the time of a reader. */
#define MIN_PACK_SIZE 1024
#define LZ4_LEVEL_MIN -65537
#define LZ4_LEVEL_MAX 12

struct _AcqMcapCodec {
  AcqMcapCompression compression;
  int level;
  ZSTD_CCtx *zstd;
};

static gboolean
check_level (AcqMcapCompression compression, int level, int min, int max, GError **error)
{
  if (level >= min && level <= max)
    return TRUE;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION, "%s has no level %d: %d to %d are allowed",
               acq_mcap_compression_name (compression), level, min, max);
  return FALSE;
}

static gboolean
set_up_zstd (AcqMcapCodec *self, GError **error)
{
  if (!check_level (self->compression, self->level, ZSTD_minCLevel (), ZSTD_maxCLevel (), error))
    return FALSE;
  /* One frame with its content size, no checksum (the chunk has one), no dictionary. */
  self->zstd = ZSTD_createCCtx ();
  ZSTD_CCtx_setParameter (self->zstd, ZSTD_c_compressionLevel, self->level);
  ZSTD_CCtx_setParameter (self->zstd, ZSTD_c_contentSizeFlag, 1);
  ZSTD_CCtx_setParameter (self->zstd, ZSTD_c_checksumFlag, 0);
  return TRUE;
}

AcqMcapCodec *
acq_mcap_codec_new (AcqMcapCompression compression, int level, GError **error)
{
  g_autoptr (AcqMcapCodec) self = g_new0 (AcqMcapCodec, 1);
  gboolean fits = TRUE;

  self->compression = compression;
  self->level = level;
  switch (compression) {
  case ACQ_MCAP_COMPRESSION_NONE:
    break;
  case ACQ_MCAP_COMPRESSION_LZ4:
    fits = check_level (compression, level, LZ4_LEVEL_MIN, LZ4_LEVEL_MAX, error);
    break;
  case ACQ_MCAP_COMPRESSION_ZSTD:
    fits = set_up_zstd (self, error);
    break;
  }
  return fits ? g_steal_pointer (&self) : NULL;
}

void
acq_mcap_codec_free (AcqMcapCodec *self)
{
  if (self == NULL)
    return;
  ZSTD_freeCCtx (self->zstd);
  g_free (self);
}

const char *
acq_mcap_codec_name (AcqMcapCodec *self)
{
  return acq_mcap_compression_name (self->compression);
}

/*
 * Readers check one frame against the size in the chunk record. Block checksums
 * trip some of them, and the chunk's own CRC makes a content checksum useless.
 */
static LZ4F_preferences_t
lz4_preferences (AcqMcapCodec *self, gsize size)
{
  return (LZ4F_preferences_t){
    .frameInfo = { .contentSize = size,
                   .contentChecksumFlag = LZ4F_noContentChecksum,
                   .blockChecksumFlag = LZ4F_noBlockChecksum },
    .compressionLevel = self->level,
  };
}

gsize
acq_mcap_codec_bound (AcqMcapCodec *self, gsize size)
{
  LZ4F_preferences_t preferences;

  switch (self->compression) {
  case ACQ_MCAP_COMPRESSION_NONE:
    break;
  case ACQ_MCAP_COMPRESSION_LZ4:
    preferences = lz4_preferences (self, size);
    return LZ4F_compressFrameBound (size, &preferences);
  case ACQ_MCAP_COMPRESSION_ZSTD:
    return ZSTD_compressBound (size);
  }
  return 0;
}

gsize
acq_mcap_codec_pack (AcqMcapCodec *self, const guint8 *data, gsize size, guint8 *out,
                     gsize capacity)
{
  LZ4F_preferences_t preferences;
  gsize packed = 0;

  if (size < MIN_PACK_SIZE)
    return 0;
  switch (self->compression) {
  case ACQ_MCAP_COMPRESSION_NONE:
    return 0;
  case ACQ_MCAP_COMPRESSION_LZ4:
    preferences = lz4_preferences (self, size);
    packed = LZ4F_compressFrame (out, capacity, data, size, &preferences);
    if (LZ4F_isError (packed))
      return 0;
    break;
  case ACQ_MCAP_COMPRESSION_ZSTD:
    packed = ZSTD_compress2 (self->zstd, out, capacity, data, size);
    if (ZSTD_isError (packed))
      return 0;
    break;
  }
  /* Less than 2 % saved does not pay for unpacking. */
  return packed < size - size / 50 ? packed : 0;
}

static gboolean
finish_unpack (const char *name, gsize size, gsize got, gboolean whole, const char *reason,
               gsize *ret_size, GError **error)
{
  *ret_size = got;
  if (reason != NULL)
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "%s: %s after %" G_GSIZE_FORMAT " bytes", name,
                 reason, got);
  else if (!whole)
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_TRUNCATED,
                 "%s: the frame ends early, after %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes",
                 name, got, size);
  else if (got != size)
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "%s: the frame holds %" G_GSIZE_FORMAT " bytes, the record says %" G_GSIZE_FORMAT,
                 name, got, size);
  else
    return TRUE;
  return FALSE;
}

static gboolean
unpack_lz4 (AcqMcapSpan packed, guint8 *out, gsize size, gsize *ret_size, GError **error)
{
  LZ4F_dctx *context = NULL;
  gsize in = 0, got = 0, hint = 1;
  const char *reason = NULL;
  guint8 nothing;

  /* A record that says that its frame is empty has no buffer. */
  if (out == NULL)
    out = &nothing;
  LZ4F_createDecompressionContext (&context, LZ4F_VERSION);
  while (in < packed.size && hint != 0) {
    gsize n_out = size - got;
    gsize n_in = packed.size - in;

    hint = LZ4F_decompress (context, out + got, &n_out, packed.data + in, &n_in, NULL);
    if (LZ4F_isError (hint)) {
      reason = LZ4F_getErrorName (hint);
      break;
    }
    in += n_in;
    got += n_out;
    if (n_in == 0 && n_out == 0)
      break;
  }
  LZ4F_freeDecompressionContext (context);
  if (reason == NULL && hint == 0 && in != packed.size)
    reason = "bytes behind the frame";
  if (reason == NULL && hint != 0 && got == size && in < packed.size)
    reason = "the frame holds more than the record says";
  return finish_unpack ("lz4", size, got, hint == 0, reason, ret_size, error);
}

static gboolean
unpack_zstd (AcqMcapSpan packed, guint8 *out, gsize size, gsize *ret_size, GError **error)
{
  ZSTD_DCtx *context = ZSTD_createDCtx ();
  ZSTD_inBuffer in = { packed.data, packed.size, 0 };
  ZSTD_outBuffer to = { out, size, 0 };
  gsize hint = 1;
  const char *reason = NULL;

  while (in.pos < in.size && hint != 0) {
    gsize before = in.pos + to.pos;

    hint = ZSTD_decompressStream (context, &to, &in);
    if (ZSTD_isError (hint)) {
      reason = ZSTD_getErrorName (hint);
      break;
    }
    if (in.pos + to.pos == before)
      break;
  }
  ZSTD_freeDCtx (context);
  /* Some writers leave padding behind the frame; readers accept it. */
  if (reason == NULL && hint != 0 && to.pos == size && in.pos < in.size)
    reason = "the frame holds more than the record says";
  return finish_unpack ("zstd", size, to.pos, hint == 0, reason, ret_size, error);
}

static gboolean
copy_stored (AcqMcapSpan packed, guint8 *out, gsize size, gsize *ret_size, GError **error)
{
  *ret_size = MIN (size, packed.size);
  if (*ret_size != 0)
    memcpy (out, packed.data, *ret_size);
  if (size == packed.size)
    return TRUE;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
               "the chunk stores %" G_GSIZE_FORMAT " bytes, the record says %" G_GSIZE_FORMAT,
               packed.size, size);
  return FALSE;
}

gboolean
acq_mcap_unpack (AcqMcapSpan compression, AcqMcapSpan packed, guint8 *out, gsize size,
                 gsize *ret_size, GError **error)
{
  g_autofree char *name = NULL;

  *ret_size = 0;
  if (compression.size == 0)
    return copy_stored (packed, out, size, ret_size, error);
  if (acq_mcap_span_equal (compression, acq_mcap_text ("lz4")))
    return unpack_lz4 (packed, out, size, ret_size, error);
  if (acq_mcap_span_equal (compression, acq_mcap_text ("zstd")))
    return unpack_zstd (packed, out, size, ret_size, error);

  name = acq_mcap_span_dup (compression);
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
               "the compression '%s' is not known: '', 'lz4' and 'zstd' are", name);
  return FALSE;
}
