/* SPDX-License-Identifier: Apache-2.0 */
/* Modules that must be refused; BAD_… says what is wrong with this one. */
#include <stdlib.h>

#include <gmodule.h>

#include <acq/acq-plugin.h>

static GType
get_type (void)
{
#ifdef BAD_FOREIGN_ABI
  abort (); /* nothing of a foreign module may be called */
#endif
  return G_TYPE_OBJECT;
}

#ifdef BAD_UNRESOLVED
extern void acq_this_is_nowhere (void);

G_MODULE_EXPORT void call_it (void);

G_MODULE_EXPORT void
call_it (void)
{
  acq_this_is_nowhere ();
}
#endif

#ifdef BAD_NO_SYMBOL
G_MODULE_EXPORT const char something_else[] = "no plugin";
GType (*keep) (void) = get_type;
#else
#ifndef BAD_ABI
#define BAD_ABI ACQ_PLUGIN_ABI
#endif
G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = BAD_ABI,
  .name = BAD_NAME,
  .summary = "must be refused",
  .version = "1",
  .licence = "Apache-2.0",
  .get_type = get_type,
};
#endif
