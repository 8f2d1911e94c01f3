/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/**
 * resample_slerp:
 * @a: a quaternion; need not be of unit length
 * @b: another, in the same order of parts
 * @u: where between them, 0..1
 * @out: (out): a unit quaternion in the hemisphere of @a; may be @a or @b
 *
 * The rotation between two, at constant speed along the shorter way: q and -q are the same
 * rotation.
 *
 * Returns: %FALSE, with @out untouched, when one of them is no rotation: zero, NaN, infinite
 */
gboolean resample_slerp (const double a[4], const double b[4], double u, double out[4]);
