/* SPDX-License-Identifier: Apache-2.0 */
#include "run-signals.h"

#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define SHOW_CURSOR "\033[?25h"
#define EXIT_INTERRUPTED 130

/* Signals that come closer than this are one. */
#define SAME_NS G_GINT64_CONSTANT (100000000)

/* What handlers touch: lock-free atomics and descriptors only. */
static _Atomic int wake_fd = -1;
static _Atomic int cursor_fd = -1;
static _Atomic int stop_signal;
static _Atomic gint64 stop_ns;
static _Atomic gboolean wants_picture;

static RunSignalFunc callback;
static gpointer callback_data;
static guint watch_id;

static void
show_cursor (void)
{
  int fd = atomic_load (&cursor_fd);

  if (fd >= 0 && write (fd, SHOW_CURSOR, sizeof SHOW_CURSOR - 1) < 0)
    return;
}

static void
wake (void)
{
  static const guint64 one = 1;

  if (write (atomic_load (&wake_fd), &one, sizeof one) < 0)
    return;
}

static gint64
now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

static void
on_stop (int signal)
{
  int saved_errno = errno;
  int none = 0;

  if (atomic_compare_exchange_strong (&stop_signal, &none, signal)) {
    atomic_store (&stop_ns, now_ns ());
    wake ();
  } else if (signal != SIGHUP && now_ns () - atomic_load (&stop_ns) > SAME_NS) {
    show_cursor ();
    _exit (EXIT_INTERRUPTED);
  }
  errno = saved_errno;
}

static void
on_picture (int signal)
{
  int saved_errno = errno;

  atomic_store (&wants_picture, TRUE);
  wake ();
  errno = saved_errno;
}

static gboolean
on_wake (int fd, GIOCondition condition, gpointer data)
{
  static gboolean told;
  guint64 n;

  if (read (fd, &n, sizeof n) < 0)
    return G_SOURCE_CONTINUE;
  if (atomic_exchange (&wants_picture, FALSE))
    callback (SIGUSR1, callback_data);
  if (!told && atomic_load (&stop_signal) != 0) {
    told = TRUE;
    callback (atomic_load (&stop_signal), callback_data);
  }
  return G_SOURCE_CONTINUE;
}

static void
handle (int signal, void (*handler) (int))
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

  sigemptyset (&action.sa_mask);
  sigaction (signal, &action, NULL);
}

static gboolean
is_ignored (int signal)
{
  struct sigaction action;

  return sigaction (signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void
run_signals_watch (RunSignalFunc func, gpointer data)
{
  sigset_t ours;

  callback = func;
  callback_data = data;
  atomic_store (&wake_fd, eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK));
  watch_id = g_unix_fd_add (atomic_load (&wake_fd), G_IO_IN, on_wake, NULL);
  handle (SIGPIPE, SIG_IGN);
  handle (SIGXFSZ, SIG_IGN);
  handle (SIGINT, on_stop);
  handle (SIGTERM, on_stop);
  handle (SIGUSR1, on_picture);
  if (!is_ignored (SIGHUP))
    handle (SIGHUP, on_stop);
  /* A parent may have blocked them. */
  sigemptyset (&ours);
  sigaddset (&ours, SIGINT);
  sigaddset (&ours, SIGTERM);
  sigaddset (&ours, SIGHUP);
  sigaddset (&ours, SIGUSR1);
  pthread_sigmask (SIG_UNBLOCK, &ours, NULL);
}

void
run_signals_unwatch (void)
{
  g_clear_handle_id (&watch_id, g_source_remove);
}

/* The cursor */

static void
on_crash (int signal)
{
  static const struct timespec a_moment = { 0, 100000000 };

  /* Other threads bring what was printed last to the screen. */
  nanosleep (&a_moment, NULL);
  show_cursor ();
  /* The default action is back (SA_RESETHAND), and ends us as it would have. */
  raise (signal);
}

/* Ctrl-Z: the shell gets a cursor; the next redraw hides it again. */
static void
on_suspend (int signal)
{
  int saved_errno = errno;

  show_cursor ();
  raise (SIGSTOP);
  errno = saved_errno;
}

static void
guard_crashes (void)
{
  static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT };

  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++) {
    struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_NODEFER };
    struct sigaction old;

    sigemptyset (&action.sa_mask);
    /* Sanitizers and debuggers keep theirs. */
    if (sigaction (signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      sigaction (signals[i], &action, NULL);
  }
  if (!is_ignored (SIGTSTP))
    handle (SIGTSTP, on_suspend);
}

void
run_signals_guard_cursor (int fd)
{
  if (atomic_exchange (&cursor_fd, fd) < 0) {
    guard_crashes ();
    atexit (show_cursor);
  }
}
