/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest good module. */
#include <gmodule.h>

#include <acq/acq.h>

typedef AcqSource TestSource;
typedef AcqSourceClass TestSourceClass;

GType test_source_get_type (void);
G_DEFINE_TYPE (TestSource, test_source, ACQ_TYPE_SOURCE)

static void
test_source_class_init (TestSourceClass *klass)
{
}

static void
test_source_init (TestSource *self)
{
}

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "test-source",
  .summary = "nothing at all",
  .version = "1",
  .licence = "Apache-2.0",
  .get_type = test_source_get_type,
};
