/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-schema.h>

/* Generated: every type that ships with libacq, sorted by name. */
extern const AcqSchema *const acq_schema_table[];
extern const guint acq_schema_table_length;
