/* SPDX-License-Identifier: Apache-2.0 */
/* A library that needs another one. */
int vendor_version (void);
int vendor_child (void);

int
vendor_child (void)
{
  return vendor_version ();
}
