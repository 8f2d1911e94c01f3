/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-mcap-output.h>

gboolean acq_mcap_output_write (AcqMcapOutput *self, struct iovec *iov, guint n_iov,
                                GError **error);
gboolean acq_mcap_output_reserve (AcqMcapOutput *self, guint64 size, GError **error);
gboolean acq_mcap_output_truncate (AcqMcapOutput *self, guint64 size, GError **error);
gboolean acq_mcap_output_sync (AcqMcapOutput *self, GError **error);
gboolean acq_mcap_output_check (AcqMcapOutput *self, GError **error);
gboolean acq_mcap_output_publish (AcqMcapOutput *self, GError **error);
