/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim-command.h"

extern const SimCommand sim_wuji_command;
