/* SPDX-License-Identifier: Apache-2.0 */

/* What one variant of the library says about itself, unless its configuration says otherwise. */

#include "standin-private.h"

const char sim_variant_version[] = SIM_VARIANT_VERSION;
