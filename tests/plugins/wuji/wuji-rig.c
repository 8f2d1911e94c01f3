/* SPDX-License-Identifier: Apache-2.0 */
#include "wuji-rig.h"

#include <stdarg.h>
#include <string.h>

static char *
in_build (const char *a, const char *b, const char *c)
{
  return g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), a, b, c, NULL);
}

void
rig_load (void)
{
  g_autofree char *library = in_build ("apps", "acq-sim", "wuji");
  g_autofree char *file = g_build_filename (library, "libwuji_sdk_c.so", NULL);

  g_setenv ("WUJI_SDK_LIBRARY", file, TRUE);
  client_load ("{" RIG_SETUP ",'devices':[]}");
}

static AcqHarness *
new_valist (const char *plugin, const char *id, va_list args)
{
  g_autofree char *directory = in_build ("plugins", "wuji", NULL);
  AcqHarness *harness = acq_harness_new_plugin (directory, plugin, id);
  const char *name;

  acq_harness_set_live (harness);
  while ((name = va_arg (args, const char *)) != NULL)
    acq_harness_set (harness, name, va_arg (args, const char *));
  return harness;
}

AcqHarness *
rig_new (const char *plugin, const char *id, ...)
{
  AcqHarness *harness;
  va_list args;

  va_start (args, id);
  harness = new_valist (plugin, id, args);
  va_end (args);
  return harness;
}

AcqHarness *
rig_start (const char *config, const char *plugin, const char *id, ...)
{
  g_autoptr (GError) error = NULL;
  AcqHarness *harness;
  va_list args;

  client_configure (config);
  va_start (args, id);
  harness = new_valist (plugin, id, args);
  va_end (args);
  acq_harness_start (harness, &error);
  g_assert_no_error (error);
  return harness;
}

void
rig_end (AcqHarness *harness)
{
  g_autofree char *report = NULL;

  acq_harness_stop (harness);
  acq_snapshot_free (acq_harness_snapshot (harness));
  report = g_strdelimit (client_report (), " \n", '_');
  g_assert_nonnull (strstr (report, "\"forbidden_looked_up\"_:_[],"));
  g_assert_nonnull (strstr (report, "\"memory_not_given_back\"_:_0,"));
  g_assert_nonnull (strstr (report, "\"blocking_calls_in_callbacks\"_:_0,"));
  g_assert_null (strstr (report, "\"closed\"_:_false"));
  acq_harness_free (harness);
}

void
rig_fail (AcqHarness *harness, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (acq_harness_start (harness, &error));
  if (strstr (error->message, words) == NULL)
    g_error ("expected \"%s\" in: %s", words, error->message);
  acq_harness_free (harness);
}

AcqFrame *
rig_pop (AcqHarness *harness, const char *stream)
{
  gint64 until = g_get_monotonic_time () + 5 * G_USEC_PER_SEC;
  AcqFrame *frame;

  while ((frame = acq_harness_pop (harness, stream)) == NULL) {
    if (g_get_monotonic_time () > until)
      g_error ("no frame of %s", stream);
    g_usleep (1000);
  }
  return frame;
}

const AcqEvent *
rig_event (AcqHarness *harness, const char *name)
{
  const AcqEvent *event = acq_harness_wait_event (harness, name, 5);

  if (event == NULL)
    g_error ("no event %s", name);
  return event;
}

guint64
rig_count (AcqHarness *harness, const char *path, AcqStreamCounter counter)
{
  g_autoptr (AcqSnapshot) snapshot = acq_harness_snapshot (harness);
  const AcqStreamSnapshot *stream = acq_snapshot_find_stream (snapshot, path);

  g_assert_nonnull (stream);
  return stream->counters[counter];
}
