/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>
#include <acq/acq-npz.h>

GBytes *
acq_npz_read (AcqZipReader *zip, const char *key, AcqNpyHeader *ret_header, GError **error)
{
  g_autofree char *name = g_strconcat (key, ".npy", NULL);
  const AcqZipEntry *entry = acq_zip_reader_lookup (zip, name);
  g_auto (AcqNpyHeader) header = { 0 };
  g_autoptr (GBytes) content = NULL;
  const guint8 *data;
  gsize size;

  if (entry == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "the archive has no array '%s'", key);
    return NULL;
  }
  content = acq_zip_reader_read (zip, entry, error);
  if (content == NULL)
    return NULL;
  data = g_bytes_get_data (content, &size);
  if (!acq_npy_header_parse (data, size, &header, error)) {
    g_prefix_error (error, "array '%s': ", key);
    return NULL;
  }
  if (size - header.data_offset != header.n_items * header.row_size) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT,
                 "array '%s' has %" G_GSIZE_FORMAT
                 " bytes of data, its header says %" G_GUINT64_FORMAT,
                 key, size - header.data_offset, header.n_items * header.row_size);
    return NULL;
  }
  size -= header.data_offset;
  *ret_header = header;
  header = (AcqNpyHeader){ 0 };
  return g_bytes_new_from_bytes (content, ret_header->data_offset, size);
}

char *
acq_npz_read_text (AcqZipReader *zip, const char *key, GError **error)
{
  g_auto (AcqNpyHeader) header = { 0 };
  g_autoptr (GBytes) bytes = acq_npz_read (zip, key, &header, error);
  gsize size;
  const guint8 *data;

  if (bytes == NULL)
    return NULL;
  if (header.n_dims != 0 || header.fields[0].name != NULL ||
      !g_str_has_prefix (header.fields[0].descr, "<U")) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_FORMAT, "array '%s' is not a text without axes", key);
    return NULL;
  }
  data = g_bytes_get_data (bytes, &size);
  return acq_npy_text_decode (data, size, error);
}
