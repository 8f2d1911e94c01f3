/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib-object.h>

/**
 * ACQ_API:
 *
 * Marks what leaves libacq. Everything else is hidden.
 */
#define ACQ_API __attribute__ ((visibility ("default"))) extern
