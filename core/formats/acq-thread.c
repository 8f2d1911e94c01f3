/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/acq-thread-private.h"

#include <acq/acq-error.h>

#include <signal.h>

gboolean
acq_thread_start (pthread_t *thread, const char *name, void *(*run) (void *), gpointer data,
                  GError **error)
{
  sigset_t all, before;
  int failure;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  failure = pthread_create (thread, NULL, run, data);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (failure != 0) {
    acq_set_error_errno (error, failure, "cannot start the thread '%s'", name);
    return FALSE;
  }
  pthread_setname_np (*thread, name);
  return TRUE;
}
