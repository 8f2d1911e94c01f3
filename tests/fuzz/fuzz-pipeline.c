/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pipeline files and overrides. What stands behind a byte 0xff is a `--set`.
 * Whatever comes, the loader gives a pipeline or problems, and the text of a
 * pipeline is one again.
 */
#include <string.h>

#include "../core/pipeline/fake-plugins.h"
#include "pipeline/acq-jsonc-private.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

static void
check_again (AcqRegistry *registry, AcqPipeline *pipeline)
{
  g_autoptr (GPtrArray) problems = NULL;
  g_autoptr (AcqPipeline) again =
      acq_pipeline_load (registry, "again", acq_pipeline_get_text (pipeline), NULL, &problems);
  g_autofree char *dot = acq_pipeline_to_dot (pipeline, NULL);

  g_assert_nonnull (dot);
  g_assert_nonnull (again);
  g_assert_cmpstr (acq_pipeline_get_text (again), ==, acq_pipeline_get_text (pipeline));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static AcqRegistry *registry;
  const guint8 *split = size > 0 ? memchr (data, 0xff, size) : NULL;
  gsize length = split != NULL ? (gsize) (split - data) : size;
  g_autofree char *text = g_strndup ((const char *) data, length);
  g_autofree char *override =
      split != NULL ? g_strndup ((const char *) split + 1, size - length - 1) : NULL;
  const char *const overrides[] = { override, NULL };
  g_autoptr (GPtrArray) problems = NULL;
  g_autoptr (AcqJsonc) doc = acq_jsonc_parse ((const char *) data, size);

  if (registry == NULL)
    registry = fake_registry ();
  g_assert_true (acq_jsonc_get_root (doc) != NULL || acq_jsonc_get_problems (doc)->len > 0);
  g_autoptr (AcqPipeline) pipeline =
      acq_pipeline_load (registry, "fuzz", text, override != NULL ? overrides : NULL, &problems);
  g_assert_true ((pipeline == NULL) == (problems->len > 0));
  if (pipeline != NULL)
    check_again (registry, pipeline);
  return 0;
}
