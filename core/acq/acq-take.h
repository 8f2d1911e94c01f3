/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-types.h>

/*
 * A take is one episode, its own folder. It is made by the graph when recording
 * begins, and shared by all sinks. Immutable but for its lists of files and
 * facts, which are locked.
 */

ACQ_API AcqTake *acq_take_ref (AcqTake *self);
ACQ_API void acq_take_unref (AcqTake *self);

/** acq_take_get_directory: the absolute path of the take's folder, which exists */
ACQ_API const char *acq_take_get_directory (AcqTake *self);
/** acq_take_get_base: the base name of its files, for example `session_20260101_120000_pour` */
ACQ_API const char *acq_take_get_base (AcqTake *self);
ACQ_API const char *acq_take_get_task (AcqTake *self);
/** acq_take_get_start: host time, nanoseconds */
ACQ_API gint64 acq_take_get_start (AcqTake *self);
/** acq_take_get_stop: host time, nanoseconds; G_MAXINT64 while it goes on */
ACQ_API gint64 acq_take_get_stop (AcqTake *self);

/**
 * acq_take_get_fact:
 * @self: a take
 * @key: for example `instruction`, `operator`
 *
 * Returns: (nullable) (transfer full): what the `recording` section said
 */
ACQ_API char *acq_take_get_fact (AcqTake *self, const char *key);

/** acq_take_list_facts: Returns: (transfer container): sorted keys, %NULL-terminated */
ACQ_API const char **acq_take_list_facts (AcqTake *self);

/**
 * acq_take_path_for:
 * @self: a take
 * @sink: the node that writes
 * @suffix: for example `.mcap`
 *
 * `<directory>/<base><suffix>`, with the node's id in the base name when the
 * graph has two sinks of that plugin.
 *
 * Returns: (transfer full): an absolute path
 */
ACQ_API char *acq_take_path_for (AcqTake *self, AcqSink *sink, const char *suffix);

/**
 * acq_take_add_file:
 * @self: a take
 * @sink: (nullable): who made it
 * @path: its final name
 * @bytes: its size
 *
 * Tells of a finished file. Thread: any.
 */
ACQ_API void acq_take_add_file (AcqTake *self, AcqSink *sink, const char *path, guint64 bytes);

/**
 * acq_take_set_progress:
 * @self: a take
 * @sink: who works
 * @fraction: 0..1
 *
 * How far a finish job is. Thread: any.
 */
ACQ_API void acq_take_set_progress (AcqTake *self, AcqSink *sink, double fraction);

/**
 * acq_take_get_progress:
 * @self: a take
 * @sink: id of a sink
 *
 * Thread: any.
 *
 * Returns: what acq_take_set_progress() said last, or -1
 */
ACQ_API double acq_take_get_progress (AcqTake *self, const char *sink);

/**
 * acq_take_is_aborted:
 * @self: a take
 *
 * A finish job looks at this now and then, and leaves a recoverable file when it
 * is %TRUE. Thread: any.
 */
ACQ_API gboolean acq_take_is_aborted (AcqTake *self);

/**
 * acq_take_list_files:
 * @self: a take
 *
 * Returns: (transfer full): absolute paths so far, %NULL-terminated. Thread: any
 */
ACQ_API char **acq_take_list_files (AcqTake *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqTake, acq_take_unref)
