/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "npz-take.h"

/* The text `meta` of the archive, as far as it is known now. Transfer full. */
char *npz_meta_make (const NpzTake *take);
