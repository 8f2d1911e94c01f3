/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq.h>

/* A registry with plugins that are nothing but options and streams. */
AcqRegistry *fake_registry (void);
