/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-npz.h>

#include <stdint.h>
#include <string.h>

/* NPY headers and whole archives, by the first byte. */

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
read_header (const uint8_t *data, size_t size)
{
  g_auto (AcqNpyHeader) header = { 0 };
  g_auto (AcqNpyHeader) again = { 0 };
  g_autoptr (GBytes) bytes = NULL;

  if (!acq_npy_header_parse (data, size, &header, NULL))
    return;
  bytes = acq_npy_header_encode (&header, NULL);
  if (bytes == NULL ||
      !acq_npy_header_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &again,
                             NULL) ||
      again.row_size != header.row_size || again.n_items != header.n_items)
    g_error ("an accepted header does not survive");
}

static void
read_archive (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (AcqZipReader) zip = acq_zip_reader_new (bytes, NULL);

  for (guint i = 0; zip != NULL && i < acq_zip_reader_get_n_entries (zip); i++) {
    const AcqZipEntry *entry = acq_zip_reader_get_entry (zip, i);
    g_autofree char *key = g_strndup (entry->name, strcspn (entry->name, "."));
    g_autofree char *text = NULL;
    g_auto (AcqNpyHeader) header = { 0 };
    g_autoptr (GBytes) content = acq_zip_reader_read (zip, entry, NULL);
    g_autoptr (GBytes) array = acq_npz_read (zip, key, &header, NULL);

    if (content != NULL && g_bytes_get_size (content) != entry->size)
      g_error ("content of another size");
    if (array != NULL && g_bytes_get_size (array) != header.n_items * header.row_size)
      g_error ("array of another size");
    text = acq_npz_read_text (zip, key, NULL);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  if (data[0] & 1)
    read_header (data + 1, size - 1);
  else
    read_archive (data + 1, size - 1);
  return 0;
}
