/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-macros.h>

/**
 * AcqError:
 * @ACQ_ERROR_FAILED: anything else
 * @ACQ_ERROR_OPTION: an option has an unknown name, a wrong type or a value out of range
 * @ACQ_ERROR_PIPELINE: a pipeline file is wrong
 * @ACQ_ERROR_PLUGIN: a plugin cannot be found, loaded or used
 * @ACQ_ERROR_SCHEMA: a message type does not fit
 * @ACQ_ERROR_DEVICE: a device is missing, refused us, or is not the one that was asked for
 * @ACQ_ERROR_FORMAT: bytes of a file or a packet are not what they should be
 * @ACQ_ERROR_TRUNCATED: a file ends in the middle of something
 * @ACQ_ERROR_IO: the system refused to read or write
 * @ACQ_ERROR_NO_SPACE: the disk or the quota is full
 * @ACQ_ERROR_TIMEOUT: a deadline passed
 * @ACQ_ERROR_CANCELLED: somebody asked to stop
 *
 * Why a call of libacq failed. The message says what was found, what is
 * allowed, and what to do.
 */
typedef enum {
  ACQ_ERROR_FAILED,
  ACQ_ERROR_OPTION,
  ACQ_ERROR_PIPELINE,
  ACQ_ERROR_PLUGIN,
  ACQ_ERROR_SCHEMA,
  ACQ_ERROR_DEVICE,
  ACQ_ERROR_FORMAT,
  ACQ_ERROR_TRUNCATED,
  ACQ_ERROR_IO,
  ACQ_ERROR_NO_SPACE,
  ACQ_ERROR_TIMEOUT,
  ACQ_ERROR_CANCELLED,
} AcqError;

#define ACQ_ERROR (acq_error_quark ())

ACQ_API GQuark acq_error_quark (void);

/**
 * acq_set_error_errno:
 * @error: (nullable): where the error goes
 * @saved_errno: the `errno` to explain
 * @format: what was being done, printf style; ": <strerror>" is appended
 *
 * Sets an %ACQ_ERROR whose code follows from @saved_errno: ENOSPC and EDQUOT
 * become %ACQ_ERROR_NO_SPACE, everything else %ACQ_ERROR_IO.
 */
ACQ_API void acq_set_error_errno (GError **error, int saved_errno, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
