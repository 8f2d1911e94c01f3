/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-macros.h>

/* Forward names, so that headers never include each other in a circle. */
typedef struct _AcqSchema AcqSchema;
typedef struct _AcqField AcqField;
typedef struct _AcqConstants AcqConstants;
typedef struct _AcqFrame AcqFrame;
typedef struct _AcqPool AcqPool;
typedef struct _AcqStream AcqStream;
typedef struct _AcqLink AcqLink;
typedef struct _AcqConsumer AcqConsumer;
typedef struct _AcqTake AcqTake;
typedef struct _AcqClock AcqClock;
typedef struct _AcqHostClock AcqHostClock;
typedef struct _AcqNode AcqNode;
typedef struct _AcqSource AcqSource;
typedef struct _AcqTransform AcqTransform;
typedef struct _AcqSink AcqSink;
typedef struct _AcqGraph AcqGraph;
typedef struct _AcqPlugin AcqPlugin;

/**
 * ACQ_TIME_NONE:
 *
 * No device time: the device has no clock, or did not say.
 */
#define ACQ_TIME_NONE G_MAXUINT64

/**
 * AcqSide:
 *
 * The side of a body that a device belongs to. Every device's own encoding maps
 * to this one.
 */
typedef enum {
  ACQ_SIDE_UNKNOWN = 0,
  ACQ_SIDE_LEFT = 1,
  ACQ_SIDE_RIGHT = 2,
} AcqSide;

/**
 * acq_side_to_string:
 * @side: a side
 *
 * Returns: (transfer none): `unknown`, `left` or `right`
 */
ACQ_API const char *acq_side_to_string (AcqSide side);
