/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-types.h>

/**
 * AcqVendorSymbol:
 * @name: exported name
 * @offset: of a function pointer in the caller's table
 * @required: absence refuses the library
 */
typedef struct {
  const char *name;
  gsize offset;
  gboolean required;
} AcqVendorSymbol;

/**
 * AcqVendorLibrary:
 *
 * A vendor's library, loaded at run time: once per process and file, initialised
 * once, never unloaded. Thread: any.
 */
typedef struct _AcqVendorLibrary AcqVendorLibrary;

/**
 * acq_vendor_library_open:
 * @explicit_path: (nullable): from an option; nothing else is tried then
 * @env: (nullable): environment variable that names a file, tried next
 * @names: %NULL-terminated file names for the dynamic linker, tried last
 * @error: missing file, wrong architecture, a Git LFS pointer, too old a glibc: says what to do
 *
 * Returns: (transfer none): the library; the same for the same file
 */
ACQ_API AcqVendorLibrary *acq_vendor_library_open (const char *explicit_path, const char *env,
                                                   const char *const *names, GError **error);

/**
 * acq_vendor_library_bind:
 * @self: a library
 * @symbols: (array length=n): what to find
 * @n: how many
 * @table: (out caller-allocates): a struct of function pointers; optional ones missing are %NULL
 * @error: lists every required symbol that is missing
 */
ACQ_API gboolean acq_vendor_library_bind (AcqVendorLibrary *self, const AcqVendorSymbol *symbols,
                                          gsize n, gpointer table, GError **error);

/**
 * acq_vendor_library_init_once:
 * @self: a library
 * @init: called at most once per process and library; its outcome is remembered
 */
ACQ_API gboolean acq_vendor_library_init_once (AcqVendorLibrary *self,
                                               gboolean (*init) (gpointer data, GError **error),
                                               gpointer data, GError **error);

ACQ_API const char *acq_vendor_library_get_path (AcqVendorLibrary *self);
/** acq_vendor_library_get_sha256: Returns: of the file, hex; for the provenance */
ACQ_API const char *acq_vendor_library_get_sha256 (AcqVendorLibrary *self);
