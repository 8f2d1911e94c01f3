/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The one header that a plugin includes. */
#include <acq/acq-cdr.h>
#include <acq/acq-clock.h>
#include <acq/acq-constants.h>
#include <acq/acq-consumer.h>
#include <acq/acq-error.h>
#include <acq/acq-frame.h>
#include <acq/acq-graph.h>
#include <acq/acq-harness.h>
#include <acq/acq-host-clock.h>
#include <acq/acq-link.h>
#include <acq/acq-mcap-output.h>
#include <acq/acq-mcap-reader.h>
#include <acq/acq-mcap-recover.h>
#include <acq/acq-mcap-verify.h>
#include <acq/acq-mcap-writer.h>
#include <acq/acq-mcap.h>
#include <acq/acq-msgs.h>
#include <acq/acq-node.h>
#include <acq/acq-option.h>
#include <acq/acq-part-file.h>
#include <acq/acq-pipeline.h>
#include <acq/acq-plugin.h>
#include <acq/acq-port.h>
#include <acq/acq-registry.h>
#include <acq/acq-schema.h>
#include <acq/acq-sink.h>
#include <acq/acq-snapshot.h>
#include <acq/acq-source.h>
#include <acq/acq-stream.h>
#include <acq/acq-take.h>
#include <acq/acq-transform.h>
#include <acq/acq-vendor-library.h>
#include <acq/acq-walk.h>
