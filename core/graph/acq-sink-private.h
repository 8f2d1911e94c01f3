/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-sink.h>
#include <acq/acq-transform.h>

/* The consumer is made when the graph knows its clock; later calls return the same. */
AcqConsumer *acq_sink_make_consumer (AcqSink *self, AcqHostClock *host_clock);
AcqConsumer *acq_sink_get_consumer (AcqSink *self);
void acq_sink_get_progress (AcqSink *self, AcqSinkProgress *ret_progress);

AcqConsumer *acq_transform_make_consumer (AcqTransform *self, AcqHostClock *host_clock);
AcqConsumer *acq_transform_get_consumer (AcqTransform *self);
