/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for a vendor's library. It calls libc, so that it asks for a version of it. */
#include <stdlib.h>

int vendor_version (void);
int vendor_count (void);

static int count;

int
vendor_version (void)
{
  return abs (-12 * (getenv ("PATH") != NULL ? 1 : -1));
}

int
vendor_count (void)
{
  return ++count;
}
