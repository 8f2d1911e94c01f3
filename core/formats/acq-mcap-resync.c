/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-mcap-resync-private.h"

#include "formats/acq-le-private.h"

/* From the opcode to the name of the compression: framing and fixed fields. */
#define COMPRESSION_OFFSET (ACQ_MCAP_FRAMING_SIZE + 28)
#define SMALLEST_CHUNK (COMPRESSION_OFFSET + 4 + 8)

static gboolean
is_compression (const guint8 *text, gsize size)
{
  static const char *const names[] = { "", "lz4", "zstd" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strlen (names[i]) == size && memcmp (names[i], text, size) == 0)
      return TRUE;
  return FALSE;
}

/* Where the length of the records is, for a Chunk at @offset; 0 when none can be there. */
static gsize
records_length_at (AcqMcapSpan file, gsize offset)
{
  const guint8 *at = file.data + offset;
  guint32 name_size;

  if (file.size - offset < SMALLEST_CHUNK || at[0] != ACQ_MCAP_CHUNK)
    return 0;
  name_size = acq_le32_get (at + COMPRESSION_OFFSET);
  if (name_size > 4 || file.size - offset < SMALLEST_CHUNK + name_size ||
      !is_compression (at + COMPRESSION_OFFSET + 4, name_size))
    return 0;
  return offset + COMPRESSION_OFFSET + 4 + name_size;
}

gsize
acq_mcap_find_chunk (AcqMcapSpan file, gsize start, gsize end)
{
  while (start < end) {
    const guint8 *found = memchr (file.data + start, ACQ_MCAP_CHUNK, end - start);
    gsize offset, length_at;

    if (found == NULL)
      return end;
    offset = found - file.data;
    length_at = records_length_at (file, offset);
    if (length_at != 0) {
      guint64 outer = acq_le64_get (found + 1);
      guint64 inner = acq_le64_get (file.data + length_at);
      gsize head = length_at + 8 - (offset + ACQ_MCAP_FRAMING_SIZE);

      if (outer >= head && inner == outer - head)
        return offset;
    }
    start = offset + 1;
  }
  return end;
}

gboolean
acq_mcap_salvage_chunk (AcqMcapSpan file, gsize offset, AcqMcapChunk *ret_chunk, gsize *ret_end,
                        gboolean *ret_cut)
{
  gsize length_at = records_length_at (file, offset);
  const guint8 *at = file.data + offset + ACQ_MCAP_FRAMING_SIZE;
  guint64 length, left;

  if (length_at == 0)
    return FALSE;
  length = acq_le64_get (file.data + length_at);
  left = file.size - (length_at + 8);
  *ret_cut = length > left;
  *ret_chunk = (AcqMcapChunk){
    .start_time = acq_le64_get (at),
    .end_time = acq_le64_get (at + 8),
    .uncompressed_size = acq_le64_get (at + 16),
    .uncompressed_crc = acq_le32_get (at + 24),
    .compression = { file.data + offset + COMPRESSION_OFFSET + 4,
                     length_at - (offset + COMPRESSION_OFFSET + 4) },
    .records = { file.data + length_at + 8, MIN (length, left) },
  };
  *ret_end = length_at + 8 + ret_chunk->records.size;
  return TRUE;
}
