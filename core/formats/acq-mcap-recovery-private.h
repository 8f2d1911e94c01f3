/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-mcap-recover.h>
#include <acq/acq-mcap-writer.h>

/* Adds the Metadata record by which the new file says what it is made of. */
void acq_mcap_recovery_note (const AcqMcapRecovery *self, AcqMcapWriter *writer);
