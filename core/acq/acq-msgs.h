/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* All generated message types that ship with libacq. */
#include <acq/msgs/acq-msgs-all.h>
