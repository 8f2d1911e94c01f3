/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>
#include <string.h>

/* Little-endian integers at any address. */

static inline guint16
acq_le16_get (const void *at)
{
  guint16 value;

  memcpy (&value, at, sizeof value);
  return GUINT16_FROM_LE (value);
}

static inline guint32
acq_le32_get (const void *at)
{
  guint32 value;

  memcpy (&value, at, sizeof value);
  return GUINT32_FROM_LE (value);
}

static inline guint64
acq_le64_get (const void *at)
{
  guint64 value;

  memcpy (&value, at, sizeof value);
  return GUINT64_FROM_LE (value);
}

static inline guint8 *
acq_le16_put (guint8 *at, guint16 value)
{
  value = GUINT16_TO_LE (value);
  memcpy (at, &value, sizeof value);
  return at + sizeof value;
}

static inline guint8 *
acq_le32_put (guint8 *at, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (at, &value, sizeof value);
  return at + sizeof value;
}

static inline guint8 *
acq_le64_put (guint8 *at, guint64 value)
{
  value = GUINT64_TO_LE (value);
  memcpy (at, &value, sizeof value);
  return at + sizeof value;
}
