/* SPDX-License-Identifier: Apache-2.0 */
/* Words for people: lists of what is allowed, and the one that was meant. */
#include <string.h>

#include "plugin/acq-option-private.h"

#define MAX_WORD 64

/* Case and the two ways to join words do not count. */
static gsize
fold (const char *word, char folded[MAX_WORD])
{
  gsize n = 0;

  for (; word[n] != '\0' && n < MAX_WORD; n++)
    folded[n] = word[n] == '_' || word[n] == ' ' ? '-' : g_ascii_tolower (word[n]);
  return n;
}

/* Insertions, deletions, changes and swaps of neighbours (optimal string alignment). */
static guint
distance (const char *a, gsize n_a, const char *b, gsize n_b)
{
  guint row[3][MAX_WORD + 1];
  guint *before = row[0], *last = row[1], *now = row[2];

  for (gsize j = 0; j <= n_b; j++)
    last[j] = j;
  for (gsize i = 1; i <= n_a; i++) {
    now[0] = i;
    for (gsize j = 1; j <= n_b; j++) {
      guint change = last[j - 1] + (a[i - 1] != b[j - 1]);
      guint best = MIN (change, MIN (last[j], now[j - 1]) + 1);

      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = MIN (best, before[j - 2] + 1);
      now[j] = best;
    }
    guint *free_row = before;
    before = last;
    last = now;
    now = free_row;
  }
  return last[n_b];
}

/* "rate" for "rate-hz", "que" for "queue", "glove" for "wuji-glove". */
static gboolean
is_part (const char *a, gsize n_a, const char *b, gsize n_b)
{
  if (n_a < 3 || n_a >= n_b)
    return FALSE;
  return memcmp (a, b, n_a) == 0 ||
         (memcmp (a, b + n_b - n_a, n_a) == 0 && b[n_b - n_a - 1] == '-');
}

const char *
acq_nearest_word (const char *word, const char *const *words, gsize n)
{
  char folded[MAX_WORD], other[MAX_WORD];
  gsize n_folded = fold (word, folded);
  const char *best = NULL;
  guint best_score = G_MAXUINT;
  gboolean is_tie = FALSE;

  if (n_folded == MAX_WORD)
    return NULL;
  for (gsize i = 0; i < n; i++) {
    gsize n_other = fold (words[i], other);
    guint d = distance (folded, n_folded, other, n_other);
    /* A third of the letters may be wrong; a part of a longer name comes after that. */
    guint score = d <= MAX (n_folded, n_other) / 3             ? d
                  : is_part (folded, n_folded, other, n_other) ? MAX_WORD + d
                                                               : G_MAXUINT;
    if (score < best_score) {
      best = words[i];
      best_score = score;
      is_tie = FALSE;
    } else if (score == best_score) {
      is_tie = TRUE;
    }
  }
  /* A part of two names means neither. */
  return is_tie && best_score >= MAX_WORD ? NULL : best;
}

char *
acq_did_you_mean (const char *word, const char *const *words, gsize n)
{
  const char *nearest = acq_nearest_word (word, words, n);

  return nearest != NULL ? g_strdup_printf ("; did you mean \"%s\"?", nearest) : g_strdup ("");
}

char *
acq_words_to_text (const char *const *words, gsize n)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (text, "%s\"%s\"", i == 0 ? "" : i == n - 1 ? " or " : ", ", words[i]);
  return g_string_free (text, FALSE);
}
