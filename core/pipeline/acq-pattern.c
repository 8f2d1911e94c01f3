/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/acq-pattern-private.h"

#include <string.h>

gboolean
acq_glob_match (const char *glob, const char *text)
{
  const char *star = NULL, *retry = NULL;

  /* Names are ASCII, so bytes are characters. Only the last star ever has to give way. */
  while (*text != '\0') {
    if (*glob == '*') {
      star = ++glob;
      retry = text;
    } else if (*glob != '\0' && (*glob == '?' || *glob == *text)) {
      glob++;
      text++;
    } else if (star != NULL) {
      glob = star;
      text = ++retry;
    } else {
      return FALSE;
    }
  }
  while (*glob == '*')
    glob++;
  return *glob == '\0';
}

gboolean
acq_glob_is_literal (const char *glob)
{
  return strpbrk (glob, "*?") == NULL;
}

char *
acq_pattern_dup_node (const char *pattern)
{
  return g_strndup (pattern, strcspn (pattern, "."));
}

const char *
acq_pattern_stream (const char *pattern)
{
  const char *dot = strchr (pattern, '.');

  return dot != NULL ? dot + 1 : NULL;
}

gboolean
acq_pattern_match_node (const char *pattern, const char *node)
{
  g_autofree char *glob = acq_pattern_dup_node (pattern);

  if (strcmp (node, "acq") == 0)
    return strcmp (glob, "acq") == 0;
  return acq_glob_match (glob, node);
}

gboolean
acq_pattern_is_whole_node (const char *pattern)
{
  const char *stream = acq_pattern_stream (pattern);

  return stream == NULL || strcmp (stream, "*") == 0;
}

gboolean
acq_pattern_match (const char *pattern, const char *node, const char *stream)
{
  const char *glob = acq_pattern_stream (pattern);

  return acq_pattern_match_node (pattern, node) && (glob == NULL || acq_glob_match (glob, stream));
}
