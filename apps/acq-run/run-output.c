/* SPDX-License-Identifier: Apache-2.0 */
#include "run-output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Texts that may wait; status lines beyond it are not worth keeping. */
#define MAX_WAITING 4096

/* How long the end waits for a reader. A terminal that is held (Ctrl-S) may never go on. */
#define FINAL_FLUSH_TERMINAL_S 2.0
#define FINAL_FLUSH_S 10.0

struct _RunOutput {
  int fd;
  gboolean terminal;
  GThread *thread;

  pthread_mutex_t lock;
  pthread_cond_t changed; /* CLOCK_MONOTONIC */
  /* Under lock: */
  GQueue waiting; /* of owned text; the head is being written */
  gboolean broken;
  int problem; /* an errno; 0 is none */
  gboolean ending;
};

/* Descriptors 0 to 2 exist, so that no file of ours can take their place. */
static void
fill_standard_descriptors (void)
{
  int fd;

  do
    fd = open ("/dev/null", O_RDWR | O_CLOEXEC);
  while (fd >= 0 && fd <= 2 && fcntl (fd, F_SETFD, 0) == 0);
  if (fd > 2)
    close (fd);
}

static gboolean
write_all (int fd, const char *text)
{
  gsize left = strlen (text);

  while (left > 0) {
    gssize n = write (fd, text, left);

    if (n < 0 && errno == EAGAIN) {
      g_usleep (10000);
      continue;
    }
    if (n < 0 && errno != EINTR)
      return FALSE;
    if (n > 0) {
      text += n;
      left -= n;
    }
  }
  return TRUE;
}

static void
give_up (RunOutput *self, int problem)
{
  gboolean reader_left = problem == EPIPE || (problem == EIO && self->terminal);

  self->broken = TRUE;
  if (!reader_left)
    self->problem = problem;
  g_queue_clear_full (&self->waiting, g_free);
}

static gpointer
writer_thread (gpointer data)
{
  RunOutput *self = data;

  pthread_mutex_lock (&self->lock);
  for (;;) {
    char *text = g_queue_peek_head (&self->waiting);
    int problem;

    if (text == NULL && self->ending)
      break;
    if (text == NULL) {
      pthread_cond_wait (&self->changed, &self->lock);
      continue;
    }
    pthread_mutex_unlock (&self->lock);
    problem = write_all (self->fd, text) ? 0 : errno;
    pthread_mutex_lock (&self->lock);
    g_free (g_queue_pop_head (&self->waiting));
    if (problem != 0)
      give_up (self, problem);
    pthread_cond_broadcast (&self->changed);
  }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

RunOutput *
run_output_new (void)
{
  RunOutput *self = g_new0 (RunOutput, 1);
  pthread_condattr_t attr;

  fill_standard_descriptors ();
  self->fd = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  self->terminal = self->fd >= 0 && isatty (self->fd);
  self->broken = self->fd < 0 || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0;
  pthread_mutex_init (&self->lock, NULL);
  pthread_condattr_init (&attr);
  pthread_condattr_setclock (&attr, CLOCK_MONOTONIC);
  pthread_cond_init (&self->changed, &attr);
  pthread_condattr_destroy (&attr);
  g_queue_init (&self->waiting);
  self->thread = g_thread_new ("acq-output", writer_thread, self);
  return self;
}

int
run_output_get_fd (RunOutput *self)
{
  return self->fd;
}

gboolean
run_output_is_terminal (RunOutput *self)
{
  const char *term = g_getenv ("TERM");

  return self->terminal && term != NULL && strcmp (term, "dumb") != 0;
}

void
run_output_write (RunOutput *self, char *text)
{
  pthread_mutex_lock (&self->lock);
  if (self->broken || *text == '\0' || g_queue_get_length (&self->waiting) >= MAX_WAITING)
    g_free (text);
  else {
    g_queue_push_tail (&self->waiting, text);
    pthread_cond_broadcast (&self->changed);
  }
  pthread_mutex_unlock (&self->lock);
}

guint
run_output_backlog (RunOutput *self)
{
  guint n;

  pthread_mutex_lock (&self->lock);
  n = g_queue_get_length (&self->waiting);
  pthread_mutex_unlock (&self->lock);
  return n;
}

gboolean
run_output_flush (RunOutput *self, double seconds)
{
  struct timespec limit;
  gint64 ns = (gint64) (seconds * 1e9);
  gboolean empty;

  clock_gettime (CLOCK_MONOTONIC, &limit);
  ns += limit.tv_nsec;
  limit.tv_sec += ns / 1000000000;
  limit.tv_nsec = ns % 1000000000;
  pthread_mutex_lock (&self->lock);
  while (!g_queue_is_empty (&self->waiting) &&
         pthread_cond_timedwait (&self->changed, &self->lock, &limit) == 0)
    ;
  empty = g_queue_is_empty (&self->waiting);
  pthread_mutex_unlock (&self->lock);
  return empty;
}

int
run_output_free (RunOutput *self)
{
  int problem;

  if (self == NULL)
    return 0;
  /* A writer that hangs in a held terminal is left behind: the process ends anyway. */
  if (!run_output_flush (self, self->terminal ? FINAL_FLUSH_TERMINAL_S : FINAL_FLUSH_S))
    return 0;
  pthread_mutex_lock (&self->lock);
  self->ending = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  problem = self->problem;
  if (self->fd >= 0)
    close (self->fd);
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
  return problem;
}
