/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-zip.h>

#include <string.h>

/* The records of the format, by the names of its specification (APPNOTE). */
#define ZIP_LOCAL_MAGIC 0x04034b50u
#define ZIP_LOCAL_SIZE 30
#define ZIP_CENTRAL_MAGIC 0x02014b50u
#define ZIP_CENTRAL_SIZE 46
#define ZIP_END_MAGIC 0x06054b50u
#define ZIP_END_SIZE 22
#define ZIP_END64_MAGIC 0x06064b50u
#define ZIP_END64_SIZE 56
#define ZIP_LOCATOR64_MAGIC 0x07064b50u
#define ZIP_LOCATOR64_SIZE 20

#define ZIP_VERSION 45 /* 4.5 is the first with ZIP64 */
#define ZIP_MADE_BY (3 << 8 | ZIP_VERSION)
#define ZIP_FLAG_UTF8 (1 << 11)

#define ZIP_EXTRA_ZIP64 0x0001
#define ZIP_EXTRA_ALIGN 0xd935

static inline guint8 *
zip_put16 (guint8 *p, guint v)
{
  guint16 le = GUINT16_TO_LE ((guint16) v);

  memcpy (p, &le, sizeof le);
  return p + sizeof le;
}

static inline guint8 *
zip_put32 (guint8 *p, guint32 v)
{
  guint32 le = GUINT32_TO_LE (v);

  memcpy (p, &le, sizeof le);
  return p + sizeof le;
}

static inline guint8 *
zip_put64 (guint8 *p, guint64 v)
{
  guint64 le = GUINT64_TO_LE (v);

  memcpy (p, &le, sizeof le);
  return p + sizeof le;
}

static inline guint
zip_get16 (const guint8 *p)
{
  return p[0] | (guint) p[1] << 8;
}

static inline guint32
zip_get32 (const guint8 *p)
{
  return zip_get16 (p) | (guint32) zip_get16 (p + 2) << 16;
}

static inline guint64
zip_get64 (const guint8 *p)
{
  return zip_get32 (p) | (guint64) zip_get32 (p + 4) << 32;
}

/* A relative path that cannot leave the directory where it is unpacked. */
gboolean acq_zip_is_name (const char *name, gsize length);
