/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "formats/acq-mcap-file-private.h"

/*
 * A thread that waits for the disk at intervals, so that a crash of the machine
 * loses little and no other thread ever waits.
 */
typedef struct _AcqMcapSync AcqMcapSync;

AcqMcapSync *acq_mcap_sync_new (AcqMcapFile *file, guint interval_ms, GError **error);
void acq_mcap_sync_free (AcqMcapSync *self);
