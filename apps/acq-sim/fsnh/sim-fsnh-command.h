/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim-command.h"

/* Gloves that send FSNH v4 over UDP. */
extern const SimCommand sim_fsnh_command;
