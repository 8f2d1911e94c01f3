/* SPDX-License-Identifier: Apache-2.0 */

#include "fsnh-counters.h"

static void
add (GString *json, const char *name, guint64 n)
{
  g_string_append_printf (json, "%s\"%s\":%" G_GUINT64_FORMAT, json->len > 1 ? "," : "", name, n);
}

static void
add_count (GString *json, const char *name, guint64 n)
{
  if (n != 0)
    add (json, name, n);
}

void
fsnh_counters_to_json (const FsnhSequence *sequence, char *text, gsize size)
{
  g_autoptr (GString) json = g_string_new ("{");

  add (json, "accepted", sequence->accepted);
  for (guint i = 0; i < FSNH_N_CLASSES; i++)
    add_count (json, fsnh_class_name (i), sequence->classes[i]);
  add_count (json, "lost", sequence->lost);
  for (guint i = 0; i < FSNH_N_FLAGS; i++)
    add_count (json, fsnh_flag_name (i), sequence->flags[i]);
  add_count (json, "started_on_repeat", sequence->started_on_repeat);
  add_count (json, "upgraded", sequence->upgraded);
  add_count (json, "mode_changed", sequence->mode_changed);
  add_count (json, "source_changed", sequence->source_changed);
  add (json, "longest_stall_ms", (guint64) sequence->longest_stall_ns / 1000000);
  add (json, "longest_silence_ms", (guint64) sequence->longest_silence_ns / 1000000);
  if (sequence->accepted > 0) {
    add (json, "first_index", sequence->first_index);
    add (json, "last_index", sequence->last_index);
    add (json, "first_timestamp_ns", sequence->first_timestamp_ns);
    add (json, "last_timestamp_ns", sequence->last_timestamp_ns);
  }
  g_string_append_c (json, '}');
  g_strlcpy (text, json->str, size);
}
