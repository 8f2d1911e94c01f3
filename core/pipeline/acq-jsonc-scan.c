/* SPDX-License-Identifier: Apache-2.0 */
/* The characters and scalars of JSON with comments. */
#include "pipeline/acq-jsonc-scan-private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

G_GNUC_PRINTF (3, 0)
static void
report_va (AcqJsonScan *self, AcqJsonPlace place, const char *format, va_list args)
{
  g_autofree char *message = g_strdup_vprintf (format, args);

  self->report (self->data, place, message);
}

void
acq_json_scan_report (AcqJsonScan *self, AcqJsonPlace place, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  report_va (self, place, format, args);
  va_end (args);
}

void
acq_json_scan_break (AcqJsonScan *self, AcqJsonPlace place, const char *format, ...)
{
  va_list args;

  /* The first such mistake is the true one; what follows from it is noise. */
  if (self->broken)
    return;
  self->broken = TRUE;
  va_start (args, format);
  report_va (self, place, format, args);
  va_end (args);
}

void
acq_json_scan_break_at_token (AcqJsonScan *self, const char *wanted)
{
  if (*self->p == '\0')
    acq_json_scan_break (self, self->here, "the text ends, wanted %s", wanted);
  else if ((guchar) *self->p < 0x20)
    acq_json_scan_break (self, self->here, "found the control character 0x%02x, wanted %s",
                         *self->p, wanted);
  else
    acq_json_scan_break (self, self->here, "found \"%.*s\", wanted %s",
                         (int) (g_utf8_next_char (self->p) - self->p), self->p, wanted);
}

void
acq_json_scan_take (AcqJsonScan *self)
{
  if (*self->p == '\0')
    return;
  if (*self->p == '\n') {
    self->here.line++;
    self->here.column = 1;
  } else {
    self->here.column++;
  }
  self->p = g_utf8_next_char (self->p);
}

static void
take_n (AcqJsonScan *self, guint n)
{
  for (guint i = 0; i < n; i++)
    acq_json_scan_take (self);
}

void
acq_json_scan_init (AcqJsonScan *self, const char *text, gsize length, AcqJsonReport report,
                    gpointer data)
{
  const char *end;

  *self = (AcqJsonScan){ .here = { 1, 1 }, .report = report, .data = data };
  self->spare = json_array_new ();
  if (length >= 2 && (memcmp (text, "\xff\xfe", 2) == 0 || memcmp (text, "\xfe\xff", 2) == 0)) {
    self->text = g_strdup ("");
    self->p = self->text;
    acq_json_scan_break (self, self->here, "the text is UTF-16; save it as UTF-8");
    return;
  }
  if (length >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0) {
    text += 3;
    length -= 3;
  }
  gboolean valid = g_utf8_validate_len (text, length, &end);
  self->text = g_strndup (text, end - text);
  self->p = self->text;
  if (valid)
    return;
  /* Find the line of the bad byte, then say what it is. */
  while (*self->p != '\0')
    acq_json_scan_take (self);
  acq_json_scan_break (self, self->here, "found the byte 0x%02x, which is no UTF-8 text",
                       (guchar) *end);
}

void
acq_json_scan_clear (AcqJsonScan *self)
{
  g_clear_pointer (&self->spare, json_array_unref);
  g_clear_pointer (&self->text, g_free);
}

static void
skip_block_comment (AcqJsonScan *self)
{
  AcqJsonPlace open = self->here;

  take_n (self, 2);
  while (*self->p != '\0' && strncmp (self->p, "*/", 2) != 0)
    acq_json_scan_take (self);
  if (*self->p == '\0')
    acq_json_scan_break (self, open, "the comment that begins here has no end");
  take_n (self, 2);
}

void
acq_json_scan_skip (AcqJsonScan *self)
{
  while (!self->broken) {
    if (*self->p == ' ' || *self->p == '\t' || *self->p == '\n' || *self->p == '\r') {
      acq_json_scan_take (self);
    } else if (strncmp (self->p, "/*", 2) == 0) {
      skip_block_comment (self);
    } else if (strncmp (self->p, "//", 2) == 0 || *self->p == '#') {
      if (*self->p == '#')
        acq_json_scan_report (self, self->here, "a comment begins with \"//\", not with \"#\"");
      while (*self->p != '\0' && *self->p != '\n')
        acq_json_scan_take (self);
    } else {
      return;
    }
  }
}

static gboolean
read_hex4 (AcqJsonScan *self, gunichar *ret_code)
{
  gunichar code = 0;

  for (int i = 0; i < 4; i++) {
    if (!g_ascii_isxdigit (*self->p))
      return FALSE;
    code = code * 16 + (gunichar) g_ascii_xdigit_value (*self->p);
    acq_json_scan_take (self);
  }
  *ret_code = code;
  return TRUE;
}

/* Behind `\u`. A pair of surrogates is one character; half a pair is none. */
static gboolean
read_unicode_escape (AcqJsonScan *self, GString *text)
{
  gunichar code, low;

  if (!read_hex4 (self, &code))
    return FALSE;
  if (code >= 0xd800 && code < 0xdc00) {
    if (strncmp (self->p, "\\u", 2) != 0)
      return FALSE;
    take_n (self, 2);
    if (!read_hex4 (self, &low) || low < 0xdc00 || low > 0xdfff)
      return FALSE;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  if (code == 0 || (code >= 0xdc00 && code < 0xe000))
    return FALSE;
  g_string_append_unichar (text, code);
  return TRUE;
}

static gboolean
read_escape (AcqJsonScan *self, GString *text)
{
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";

  acq_json_scan_take (self);
  if (*self->p == 'u') {
    acq_json_scan_take (self);
    return read_unicode_escape (self, text);
  }
  const char *name = *self->p != '\0' ? strchr (names, *self->p) : NULL;
  if (name == NULL)
    return FALSE;
  g_string_append_c (text, values[name - names]);
  acq_json_scan_take (self);
  return TRUE;
}

static char *
read_text (AcqJsonScan *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  AcqJsonPlace open = self->here;
  char quote = *self->p;

  if (quote != '"')
    acq_json_scan_report (self, open, "a text stands in double quotes, not in single ones");
  acq_json_scan_take (self);
  while (*self->p != quote) {
    AcqJsonPlace place = self->here;

    if (*self->p == '\0' || *self->p == '\n') {
      acq_json_scan_break (self, open, "the text that begins here has no closing quote");
      return NULL;
    }
    if ((guchar) *self->p < 0x20) {
      acq_json_scan_report (self, place, "a control character in a text is written \\u%04x",
                            *self->p);
      acq_json_scan_take (self);
    } else if (*self->p != '\\') {
      g_string_append_len (text, self->p, g_utf8_next_char (self->p) - self->p);
      acq_json_scan_take (self);
    } else if (!read_escape (self, text)) {
      acq_json_scan_report (self, place,
                            "this escape means nothing; allowed are \\\" \\\\ \\/ \\b \\f \\n \\r "
                            "\\t and \\u with four hexadecimal digits of a character");
    }
  }
  acq_json_scan_take (self);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
is_word_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '-' || c == '+' || c == '.' || c == '$';
}

static char *
read_word (AcqJsonScan *self)
{
  const char *start = self->p;

  while (is_word_char (*self->p))
    acq_json_scan_take (self);
  return g_strndup (start, self->p - start);
}

char *
acq_json_scan_key (AcqJsonScan *self)
{
  if (*self->p == '"' || *self->p == '\'')
    return read_text (self);
  AcqJsonPlace place = self->here;
  if (!is_word_char (*self->p)) {
    acq_json_scan_break_at_token (self, "a key in double quotes");
    return NULL;
  }
  g_autofree char *word = read_word (self);
  acq_json_scan_report (self, place, "a key stands in double quotes: \"%s\"", word);
  return g_steal_pointer (&word);
}

/* The grammar of RFC 8259, to the letter. */
static gboolean
is_json_number (const char *p, gboolean *ret_whole)
{
  gboolean whole = TRUE;

  if (*p == '-')
    p++;
  if (!g_ascii_isdigit (*p))
    return FALSE;
  if (*p++ != '0')
    while (g_ascii_isdigit (*p))
      p++;
  if (*p == '.') {
    whole = FALSE;
    if (!g_ascii_isdigit (*++p))
      return FALSE;
    while (g_ascii_isdigit (*p))
      p++;
  }
  if (*p == 'e' || *p == 'E') {
    whole = FALSE;
    p++;
    if (*p == '+' || *p == '-')
      p++;
    if (!g_ascii_isdigit (*p))
      return FALSE;
    while (g_ascii_isdigit (*p))
      p++;
  }
  *ret_whole = whole;
  return *p == '\0';
}

static JsonNode *
number_node (AcqJsonScan *self, AcqJsonPlace place, const char *word, gboolean *ret_bad)
{
  JsonNode *node = json_node_alloc ();
  gboolean whole = FALSE;

  if (!is_json_number (word, &whole)) {
    gboolean hex = g_str_has_prefix (word, "0x") || g_str_has_prefix (word, "0X");
    char *end;
    guint64 value = hex ? g_ascii_strtoull (word + 2, &end, 16) : 0;

    if (hex && *end == '\0' && end > word + 2 && value < G_MAXINT64)
      acq_json_scan_report (self, place, "%s is no number in JSON; write %" G_GUINT64_FORMAT, word,
                            value);
    else
      acq_json_scan_report (self, place, "%s is no number in JSON", word);
    *ret_bad = TRUE;
    return json_node_init_int (node, 0);
  }
  errno = 0;
  if (whole) {
    gint64 value = g_ascii_strtoll (word, NULL, 10);

    if (errno != ERANGE)
      return json_node_init_int (node, value);
  } else {
    double value = g_ascii_strtod (word, NULL);

    if (isfinite (value))
      return json_node_init_double (node, value);
  }
  acq_json_scan_report (self, place, "%s is too large for a %s", word,
                        whole ? "whole number of 64 bits" : "number");
  *ret_bad = TRUE;
  return json_node_init_int (node, 0);
}

static JsonNode *
word_node (AcqJsonScan *self, AcqJsonPlace place, const char *word, gboolean *ret_bad)
{
  JsonNode *node = json_node_alloc ();

  if (strcmp (word, "true") == 0 || strcmp (word, "false") == 0)
    return json_node_init_boolean (node, *word == 't');
  if (strcmp (word, "null") == 0)
    return json_node_init_null (node);
  *ret_bad = TRUE;
  if (g_ascii_strcasecmp (word, "true") == 0 || g_ascii_strcasecmp (word, "false") == 0)
    acq_json_scan_report (self, place, "found %s; write true and false in small letters", word);
  else if (g_ascii_strcasecmp (word, "nan") == 0 || g_ascii_strncasecmp (word, "inf", 3) == 0)
    acq_json_scan_report (self, place, "%s is no number in JSON", word);
  else
    acq_json_scan_report (self, place, "found the bare word %s; a text stands in double quotes",
                          word);
  return json_node_init_string (node, word);
}

JsonNode *
acq_json_scan_scalar (AcqJsonScan *self, gboolean *ret_bad)
{
  AcqJsonPlace place = self->here;

  if (*self->p == '"' || *self->p == '\'') {
    g_autofree char *text = read_text (self);

    return text != NULL ? json_node_init_string (json_node_alloc (), text) : NULL;
  }
  if (!is_word_char (*self->p)) {
    acq_json_scan_break_at_token (self, "a value");
    return NULL;
  }
  g_autofree char *word = read_word (self);
  if (g_ascii_isdigit (*word) || strchr ("+-.", *word) != NULL)
    return number_node (self, place, word, ret_bad);
  return word_node (self, place, word, ret_bad);
}
