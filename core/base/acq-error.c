/* SPDX-License-Identifier: Apache-2.0 */
#include <acq/acq-error.h>

#include <errno.h>

GQuark
acq_error_quark (void)
{
  return g_quark_from_static_string ("acq-error-quark");
}

void
acq_set_error_errno (GError **error, int saved_errno, const char *format, ...)
{
  gboolean full = saved_errno == ENOSPC || saved_errno == EDQUOT;
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, ACQ_ERROR, full ? ACQ_ERROR_NO_SPACE : ACQ_ERROR_IO, "%s: %s", what,
               g_strerror (saved_errno));
}
