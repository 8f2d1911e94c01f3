/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-node.h>

/* Defaults of all classes of @self, once it is constructed; and the end of its texts. */
void acq_node_init_options (AcqNode *self);
void acq_node_clear_options (AcqNode *self);

/*
 * Options of a class and of its parents, the most derived first: the loader, the
 * JSON Schema and acq-inspect see the same list.
 */
GPtrArray *acq_node_class_list_all_options (AcqNodeClass *klass);
const AcqOption *acq_node_class_find_option (AcqNodeClass *klass, const char *name);

/* As acq_node_set_option(), but the error does not repeat whose option it is. */
gboolean acq_node_apply_option (AcqNode *self, const AcqOption *option, JsonNode *value,
                                GError **error);

/* Required options that were not given. (transfer container) */
GPtrArray *acq_node_list_missing_options (AcqNode *self);
