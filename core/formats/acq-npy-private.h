/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-npy.h>

#define ACQ_NPY_MAGIC "\x93NUMPY"
#define ACQ_NPY_MAGIC_SIZE 6
#define ACQ_NPY_ALIGN 64

/* Longer headers are not ours and not NumPy's. */
#define ACQ_NPY_MAX_HEADER (1u << 20)

/* The product of @n @dims times @size; FALSE when it does not fit 63 bits. */
gboolean acq_npy_product (const guint64 *dims, guint n, guint64 size, guint64 *ret_product);
