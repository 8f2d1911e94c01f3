/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-macros.h>

typedef struct _JsonNode JsonNode;

/**
 * acq_json_print:
 * @node: a value of json-glib
 * @pretty: spread over lines
 *
 * As text, with numbers as short as they can be without losing anything; json-glib
 * itself writes 0.1 as 0.10000000000000001.
 *
 * Returns: (transfer full): JSON
 */
ACQ_API char *acq_json_print (JsonNode *node, gboolean pretty);
