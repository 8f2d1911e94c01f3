/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wuji-session.h"

/* The streams of a glove, ended by one without a name. */
extern const WujiStreamDef wuji_glove_defs[];
