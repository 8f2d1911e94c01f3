/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-registry.h>

AcqModule *acq_module_new (const char *path);
void acq_module_free (AcqModule *self);

/* Opens the file, once; afterwards it has a plugin or a problem. */
void acq_module_load (AcqModule *self);

/* What is wrong with a descriptor that says it is @name; NULL when nothing is. */
char *acq_plugin_find_problem (const AcqPlugin *plugin, const char *name);

/* `[a-z][a-z0-9]*(-[a-z0-9]+)*`, with another joint for other kinds of names. */
gboolean acq_name_is_valid (const char *name, char joint);
