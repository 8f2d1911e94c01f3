/* SPDX-License-Identifier: Apache-2.0 */
#include "run-chatter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A line without an end is shown in pieces of this. */
#define MAX_LINE 4096

struct _RunChatter {
  RunChatterFunc func;
  gpointer data;
  int standard_error; /* the real one */
  int pipe_fd;        /* our end */
  int end_fd;         /* an eventfd: a child of a library may hold the pipe open */
  GThread *thread;
  GString *line;
};

static void
hand_on (RunChatter *self)
{
  g_strchomp (self->line->str);
  if (*self->line->str != '\0')
    self->func (self->line->str, self->data);
  g_string_truncate (self->line, 0);
}

static void
take (RunChatter *self, const char *bytes, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    /* What moves a cursor or rings a bell would spoil the table. */
    if (bytes[i] == '\n' || self->line->len >= MAX_LINE)
      hand_on (self);
    if (bytes[i] != '\n')
      g_string_append_c (self->line, g_ascii_iscntrl (bytes[i]) ? ' ' : bytes[i]);
  }
}

/* Returns FALSE at the end. */
static gboolean
read_some (RunChatter *self)
{
  char bytes[4096];
  gssize n = read (self->pipe_fd, bytes, sizeof bytes);

  if (n > 0)
    take (self, bytes, (gsize) n);
  return n > 0 || (n < 0 && errno == EINTR);
}

static gpointer
reader_thread (gpointer data)
{
  RunChatter *self = data;
  struct pollfd fds[] = { { .fd = self->pipe_fd, .events = POLLIN },
                          { .fd = self->end_fd, .events = POLLIN } };

  for (;;) {
    if (poll (fds, G_N_ELEMENTS (fds), -1) < 0)
      continue;
    /* The pipe first: at the end nothing of it is left behind. */
    if (fds[0].revents != 0) {
      if (!read_some (self))
        break;
    } else if (fds[1].revents != 0)
      break;
  }
  hand_on (self);
  return NULL;
}

RunChatter *
run_chatter_new (RunChatterFunc func, gpointer data)
{
  RunChatter *self;
  int fds[2];

  if (pipe2 (fds, O_CLOEXEC) != 0)
    return NULL;
  self = g_new0 (RunChatter, 1);
  self->func = func;
  self->data = data;
  self->line = g_string_new (NULL);
  self->pipe_fd = fds[0];
  self->end_fd = eventfd (0, EFD_CLOEXEC);
  self->standard_error = fcntl (STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2 (fds[1], STDOUT_FILENO);
  dup2 (fds[1], STDERR_FILENO);
  close (fds[1]);
  self->thread = g_thread_new ("acq-chatter", reader_thread, self);
  return self;
}

void
run_chatter_free (RunChatter *self)
{
  static const guint64 one = 1;

  if (self == NULL)
    return;
  dup2 (self->standard_error, STDOUT_FILENO);
  dup2 (self->standard_error, STDERR_FILENO);
  if (write (self->end_fd, &one, sizeof one) == sizeof one)
    g_thread_join (self->thread);
  close (self->standard_error);
  close (self->pipe_fd);
  close (self->end_fd);
  g_string_free (self->line, TRUE);
  g_free (self);
}
