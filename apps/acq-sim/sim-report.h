/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <json-glib/json-glib.h>

/**
 * sim_report_count:
 * @builder: inside an object
 * @name: member name
 * @value: its value
 *
 * Adds one number.
 */
void sim_report_count (JsonBuilder *builder, const char *name, guint64 value);

/**
 * sim_report_counts:
 * @builder: inside an object
 * @name: member name of the new object
 * @names: one name for each count, %NULL entries are left out
 * @counts: the counts; zeros are left out
 * @n: how many
 *
 * Adds an object with the counts that are not zero, as the ledger of `acq-run` has them.
 */
void sim_report_counts (JsonBuilder *builder, const char *name, const char *const *names,
                        const guint64 *counts, gsize n);

/**
 * sim_report_write:
 * @builder: complete
 * @path: a file, replaced as a whole; `-` is standard output
 * @error: why it could not be written
 */
gboolean sim_report_write (JsonBuilder *builder, const char *path, GError **error);
