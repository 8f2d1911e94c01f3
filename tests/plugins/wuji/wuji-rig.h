/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A Wuji node under test, on the stand-in library of this build. */

#include <acq/acq-harness.h>
#include <acq/acq.h>

#include "wuji-client.h"

/* Nothing slower than it must be. Quotes are ' instead of ". */
#define RIG_SETUP                                                                                  \
  "'chatter':false,'connect-ms':0,'connect-fail-ms':0,'scan-ms':0,'first-frame-ms':0"

/* Loads the library; call first in main(). */
void rig_load (void);
/* A live harness with that plugin; options as name, text, name, text, …, NULL. */
AcqHarness *rig_new (const char *plugin, const char *id, ...) G_GNUC_NULL_TERMINATED;
/* The same with the library's path given, and the devices and faults first. */
AcqHarness *rig_start (const char *config, const char *plugin, const char *id,
                       ...) G_GNUC_NULL_TERMINATED;
/* Stops and frees. Afterwards nothing is open, and nothing that moves a hand was looked up. */
void rig_end (AcqHarness *harness);
/* Starts, expects a failure that says `words`, and frees. */
void rig_fail (AcqHarness *harness, const char *words);
/* The next frame of a stream, within five seconds. */
AcqFrame *rig_pop (AcqHarness *harness, const char *stream);
/* The event, within five seconds, or the test ends. */
const AcqEvent *rig_event (AcqHarness *harness, const char *name);
/* A number of the last stream by that name in the snapshot. */
guint64 rig_count (AcqHarness *harness, const char *path, AcqStreamCounter counter);
