/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-chunk-private.h"

#include "formats/acq-crc32-private.h"
#include "formats/acq-mcap-codec-private.h"

#include <acq/acq-error.h>

/* What a damaged length may make us allocate. No recorder writes such chunks. */
#define MAX_UNCOMPRESSED_SIZE (1024 * 1024 * 1024)
/* No codec packs better: an lz4 byte stands for 255 at most, a zstd block of 4 for 128 KiB. */
#define MAX_RATIO 65536

void
acq_mcap_room_clear (AcqMcapRoom *self)
{
  g_clear_pointer (&self->data, g_free);
  self->capacity = 0;
}

static gboolean
check_size (const AcqMcapChunk *chunk, GError **error)
{
  guint64 size = chunk->uncompressed_size;

  if (size <= MAX_UNCOMPRESSED_SIZE && size / MAX_RATIO <= chunk->records.size)
    return TRUE;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
               "a chunk says that its %" G_GSIZE_FORMAT " bytes unpack to %" G_GUINT64_FORMAT
               ", which cannot be (at most %d)",
               chunk->records.size, size, MAX_UNCOMPRESSED_SIZE);
  return FALSE;
}

static gboolean
check_crc (const AcqMcapChunk *chunk, AcqMcapSpan records, GError **error)
{
  guint32 crc;

  if (chunk->uncompressed_crc == 0)
    return TRUE;
  crc = acq_crc32 (0, records.data, records.size);
  if (crc == chunk->uncompressed_crc)
    return TRUE;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
               "the records of a chunk have CRC 0x%08x, it says 0x%08x", crc,
               chunk->uncompressed_crc);
  return FALSE;
}

static gboolean
unpack (const AcqMcapChunk *chunk, AcqMcapRoom *room, AcqMcapSpan *ret_records, GError **error)
{
  gsize size = chunk->uncompressed_size;
  gboolean unpacked;

  if (chunk->compression.size == 0 && chunk->records.size == size) {
    *ret_records = chunk->records;
    return TRUE;
  }
  if (!check_size (chunk, error))
    return FALSE;
  if (room->capacity < size) {
    g_free (room->data);
    room->data = g_malloc (size);
    room->capacity = size;
  }
  ret_records->data = room->data;
  unpacked = acq_mcap_unpack (chunk->compression, chunk->records, room->data, size,
                              &ret_records->size, error);
  return unpacked;
}

gboolean
acq_mcap_chunk_unpack (const AcqMcapChunk *chunk, AcqMcapRoom *room, AcqMcapSpan *ret_records,
                       GError **error)
{
  *ret_records = (AcqMcapSpan){ NULL, 0 };
  return unpack (chunk, room, ret_records, error) && check_crc (chunk, *ret_records, error);
}

gboolean
acq_mcap_attachment_is_intact (AcqMcapSpan content, guint32 crc)
{
  return crc == 0 || crc == acq_crc32 (0, content.data, content.size - 4);
}
