/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-node.h>

/**
 * ACQ_PLUGIN_ABI:
 *
 * Counts incompatible changes of what plugins see. A module of another number is
 * refused.
 */
#define ACQ_PLUGIN_ABI 1

/**
 * AcqStreamTemplate:
 * @name: a stream that the plugin can have
 * @schema: its type
 * @optional: not there unless `streams` names it
 * @help: one sentence
 */
typedef struct {
  const char *name;
  const AcqSchema *schema;
  gboolean optional;
  const char *help;
} AcqStreamTemplate;

/**
 * AcqPlugin:
 * @abi: %ACQ_PLUGIN_ABI
 * @name: kebab-case; the module file is named after it
 * @summary: one line
 * @version: of the plugin
 * @licence: SPDX expression
 * @streams: (nullable): what a source can have, ended by an empty one
 * @get_type: of an #AcqSource, #AcqTransform or #AcqSink
 * @scan: (nullable): lists devices that can be reached, a line each, for `acq-inspect --scan`
 * @can_wait: a source that may be held back without losing anything, such as a replay: only
 *   behind it may a queue have the policy `wait`
 *
 * The one symbol that leaves a module: `G_MODULE_EXPORT const AcqPlugin acq_plugin`.
 */
struct _AcqPlugin {
  guint32 abi;
  const char *name;
  const char *summary;
  const char *version;
  const char *licence;
  const AcqStreamTemplate *streams;
  GType (*get_type) (void);
  char **(*scan) (AcqNode *configured, GError **error);
  gboolean can_wait;
};
