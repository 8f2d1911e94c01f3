/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/*
 * What can be wrong with a file that is to be loaded, in words that say what to
 * do. The dynamic linker's own texts are right, but not kind.
 */

/* What a file was made for, as far as loading it goes. */
typedef struct {
  gboolean is_64;
  gboolean is_little_endian;
  guint16 machine; /* e_machine */
} AcqElfTarget;

/* What we are. */
AcqElfTarget acq_elf_own_target (void);

/* The file is there, is a shared object for @target, and is whole. */
gboolean acq_elf_check_file (const char *path, AcqElfTarget target, GError **error);

/* The dynamic linker's refusal of @path, explained. */
char *acq_elf_explain (const char *path, const char *dl_message);
