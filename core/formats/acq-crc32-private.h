/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* CRC-32 of zip, gzip and MCAP (IEEE 802.3), 0 for no bytes. */

/* Continues @crc, 0 at first, over @size bytes. Fast for large blocks only. */
guint32 acq_crc32 (guint32 crc, const void *data, gsize size);

/* The CRC of two blocks in a row, from the CRC of each. */
guint32 acq_crc32_combine (guint32 first, guint32 second, guint64 second_size);
