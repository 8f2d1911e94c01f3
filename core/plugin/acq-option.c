/* SPDX-License-Identifier: Apache-2.0 */
/* Option tables: sizes, durations, ranges and defaults as text, and back. */
#include <acq/acq-option.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "plugin/acq-option-private.h"

typedef struct {
  const char *name;
  double factor;
} Unit;

/* Largest first, as they are chosen for printing; the SI ones are only read. */
static const Unit byte_units[] = {
  { "TiB", 1099511627776.0 },
  { "GiB", 1073741824.0 },
  { "MiB", 1048576.0 },
  { "KiB", 1024.0 },
};
static const Unit si_byte_units[] = {
  { "TB", 1e12 }, { "GB", 1e9 }, { "MB", 1e6 }, { "kB", 1e3 }, { "KB", 1e3 }, { "B", 1 },
};
/* In nanoseconds, so that whole numbers of every unit stay exact. */
static const Unit time_units[] = {
  { "d", 86400e9 }, { "h", 3600e9 }, { "min", 60e9 }, { "s", 1e9 },
  { "ms", 1e6 },    { "us", 1e3 },   { "µs", 1e3 },   { "ns", 1 },
};

const char *
acq_option_type_to_string (AcqOptionType type)
{
  switch (type) {
  case ACQ_OPTION_BOOL:
    return "bool";
  case ACQ_OPTION_INT:
    return "int";
  case ACQ_OPTION_DOUBLE:
    return "double";
  case ACQ_OPTION_ENUM:
    return "enum";
  case ACQ_OPTION_STRING:
    return "string";
  case ACQ_OPTION_STRV:
    return "list";
  case ACQ_OPTION_BYTES:
    return "bytes";
  case ACQ_OPTION_DURATION:
    return "duration";
  }
  g_return_val_if_reached ("unknown");
}

/* A plain decimal number: no hexadecimal, no infinity, no space in front. */
static gboolean
parse_number (const char *text, const char **ret_rest, double *ret_value)
{
  const char *p = text;
  char *end;
  double value;

  if (*p == '-')
    p++;
  if (!g_ascii_isdigit (*p) || (*p == '0' && (p[1] == 'x' || p[1] == 'X')))
    return FALSE;
  errno = 0;
  value = g_ascii_strtod (text, &end);
  if (errno == ERANGE || !isfinite (value))
    return FALSE;
  *ret_rest = end;
  *ret_value = value;
  return TRUE;
}

static const Unit *
find_unit (const Unit *units, gsize n, const char *name)
{
  for (gsize i = 0; i < n; i++)
    if (strcmp (units[i].name, name) == 0)
      return &units[i];
  return NULL;
}

gboolean
acq_parse_bytes (const char *text, guint64 *ret_bytes)
{
  const char *rest;
  double value;

  if (!parse_number (text, &rest, &value))
    return FALSE;
  if (*rest == '\0') {
    char *end;

    errno = 0;
    guint64 whole = g_ascii_strtoull (text, &end, 10);
    if (errno != 0 || *end != '\0' || *text == '-')
      return FALSE;
    *ret_bytes = whole;
    return TRUE;
  }
  if (*rest == ' ')
    rest++;
  const Unit *unit = find_unit (byte_units, G_N_ELEMENTS (byte_units), rest);
  if (unit == NULL)
    unit = find_unit (si_byte_units, G_N_ELEMENTS (si_byte_units), rest);
  if (unit == NULL || value < 0 || value * unit->factor >= 0x1p64)
    return FALSE;
  *ret_bytes = (guint64) round (value * unit->factor);
  return TRUE;
}

gboolean
acq_parse_duration (const char *text, gint64 *ret_ns)
{
  const char *rest;
  double value, factor = 1e9;

  if (!parse_number (text, &rest, &value))
    return FALSE;
  if (*rest == ' ')
    rest++;
  if (*rest != '\0') {
    const Unit *unit = find_unit (time_units, G_N_ELEMENTS (time_units), rest);

    if (unit == NULL)
      return FALSE;
    factor = unit->factor;
  }
  if (fabs (value * factor) >= 0x1p63)
    return FALSE;
  *ret_ns = (gint64) round (value * factor);
  return TRUE;
}

char *
acq_number_to_text (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (fabs (value) < 0x1p53 && value == trunc (value))
    return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) value);
  for (int digits = 6; digits <= 17; digits++) {
    char format[8];

    g_snprintf (format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd (text, sizeof text, format, value);
    if (g_ascii_strtod (text, NULL) == value)
      break;
  }
  return g_strdup (text);
}

char *
acq_bytes_to_text (guint64 bytes)
{
  for (gsize i = 0; i < G_N_ELEMENTS (byte_units); i++) {
    guint64 factor = (guint64) byte_units[i].factor;

    if (bytes >= factor && bytes % factor == 0)
      return g_strdup_printf ("%" G_GUINT64_FORMAT "%s", bytes / factor, byte_units[i].name);
  }
  return g_strdup_printf ("%" G_GUINT64_FORMAT, bytes);
}

char *
acq_duration_to_text (double seconds)
{
  double ns = seconds * 1e9;
  const Unit *unit = &time_units[3];

  if (fabs (ns) >= 120e9 && fmod (ns, 60e9) == 0)
    unit = &time_units[2];
  else if (ns != 0 && fabs (ns) < 1e3)
    unit = &time_units[7];
  else if (ns != 0 && fabs (ns) < 1e6)
    unit = &time_units[5];
  else if (ns != 0 && fabs (ns) < 1e9)
    unit = &time_units[4];
  g_autofree char *number = acq_number_to_text (round (ns) / unit->factor);
  return g_strconcat (number, unit->name, NULL);
}

/* One bound in the option's own way of writing. */
static char *
bound_to_text (const AcqOption *self, double value)
{
  if (self->type == ACQ_OPTION_BYTES)
    return acq_bytes_to_text (value >= 0x1p64 ? G_MAXUINT64 : (guint64) value);
  if (self->type == ACQ_OPTION_DURATION)
    return acq_duration_to_text (value);
  return acq_number_to_text (value);
}

static char *
limits_to_text (const AcqOption *self)
{
  gboolean unsigned_type = self->type == ACQ_OPTION_BYTES || self->type == ACQ_OPTION_DURATION;
  gboolean unit_inside = unsigned_type || self->unit == NULL;
  g_autofree char *low = bound_to_text (self, self->min);
  g_autofree char *high = NULL;
  g_autofree char *unit = unit_inside ? g_strdup ("") : g_strconcat (" ", self->unit, NULL);

  if (self->min == 0 && self->max == 0)
    return g_strdup (unit);
  /* Nobody reads 1.79769e+308 as a limit. */
  if (self->max < self->min || self->max >= 0x1p53)
    return self->min == 0 && unsigned_type ? g_strdup ("")
                                           : g_strdup_printf (" of at least %s%s", low, unit);
  high = bound_to_text (self, self->max);
  return g_strdup_printf (" from %s to %s%s", low, high, unit);
}

char *
acq_option_range_to_string (const AcqOption *self)
{
  g_autofree char *limits = limits_to_text (self);

  switch (self->type) {
  case ACQ_OPTION_BOOL:
    return g_strdup ("true or false");
  case ACQ_OPTION_INT:
    return g_strdup_printf ("a whole number%s", limits);
  case ACQ_OPTION_DOUBLE:
    return g_strdup_printf ("a number%s", limits);
  case ACQ_OPTION_ENUM:
    return acq_words_to_text (self->words, g_strv_length ((char **) self->words));
  case ACQ_OPTION_STRING:
    return g_strdup ("a text");
  case ACQ_OPTION_STRV:
    return g_strdup ("a list of texts");
  case ACQ_OPTION_BYTES:
    return g_strdup_printf ("a number of bytes or a size such as \"64MiB\"%s", limits);
  case ACQ_OPTION_DURATION:
    return g_strdup_printf ("a number of seconds or a duration such as \"250ms\"%s", limits);
  }
  g_return_val_if_reached (NULL);
}
