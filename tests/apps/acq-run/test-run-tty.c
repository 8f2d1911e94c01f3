/* SPDX-License-Identifier: Apache-2.0 */

/* The table on a terminal: a pseudo terminal, and what a reader of its screen would see. */

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "run-process.h"

#define COLUMNS 72
#define ROWS 12

#define HIDE_CURSOR "\033[?25l"
#define SHOW_CURSOR "\033[?25h"

typedef struct {
  pid_t pid;
  int fd; /* our end of the terminal */
  char *folder;
  GString *seen;
} Terminal;

static const char pipeline[] =
    "{ \"sources\": { \"first\": { \"plugin\": \"number-source\", \"chatter\": true, "
    "\"rate-hz\": 20 }, \"a_source_with_a_name_that_is_much_longer_than_there_is_room_for_it\": "
    "{ \"plugin\": \"number-source\" } },"
    "  \"sinks\": { \"keep\": { \"plugin\": \"number-sink\" } } }";

static Terminal *
terminal_start_file (const char *text, const char *duration)
{
  Terminal *self = g_new0 (Terminal, 1);
  struct winsize size = { .ws_col = COLUMNS, .ws_row = ROWS };
  const char *root = g_getenv ("ACQ_BUILD_ROOT");
  g_autofree char *program = g_build_filename (root, "apps", "acq-run", "acq-run", NULL);
  g_autofree char *plugins = g_build_filename (root, "tests", "plugins-for-tests", NULL);
  g_autofree char *file = NULL;
  g_autofree char *out = NULL;
  g_autofree char *report = NULL;

  self->folder = g_dir_make_tmp ("acq-tty-XXXXXX", NULL);
  self->seen = g_string_new (NULL);
  file = g_build_filename (self->folder, "pipeline.json", NULL);
  out = g_build_filename (self->folder, "out", NULL);
  report = g_build_filename (self->folder, "report.json", NULL);
  g_assert_true (g_file_set_contents (file, text, -1, NULL));
  self->pid = forkpty (&self->fd, NULL, NULL, &size);
  g_assert_cmpint (self->pid, >=, 0);
  if (self->pid == 0) {
    g_setenv ("TERM", "xterm", TRUE);
    g_unsetenv ("NO_COLOR");
    execl (program, program, "--plugin-path", plugins, "--output", out, "--report", report,
           "--duration", duration, file, NULL);
    _exit (99);
  }
  return self;
}

static Terminal *
terminal_start (const char *duration)
{
  return terminal_start_file (pipeline, duration);
}

/* Reads until @text was seen or the terminal is closed. */
static gboolean
terminal_wait (Terminal *self, const char *text)
{
  gint64 end_us = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;

  while (text == NULL || strstr (self->seen->str, text) == NULL) {
    struct pollfd fd = { self->fd, POLLIN, 0 };
    char bytes[4096];
    gssize n;

    g_assert_cmpint (g_get_monotonic_time (), <, end_us);
    if (poll (&fd, 1, 1000) <= 0)
      continue;
    n = read (self->fd, bytes, sizeof bytes);
    if (n <= 0)
      return FALSE;
    g_string_append_len (self->seen, bytes, n);
  }
  return TRUE;
}

static int
terminal_finish (Terminal *self)
{
  int status;

  if (self->fd >= 0)
    terminal_wait (self, NULL);
  g_assert_cmpint (waitpid (self->pid, &status, 0), ==, self->pid);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

static JsonNode *
terminal_report (Terminal *self)
{
  g_autofree char *path = g_build_filename (self->folder, "report.json", NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return json_from_string (text, NULL);
}

static void
terminal_free (Terminal *self)
{
  if (self->fd >= 0)
    close (self->fd);
  run_folder_remove (self->folder);
  g_free (self->folder);
  g_string_free (self->seen, TRUE);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Terminal, terminal_free)

/* Hidden as often as it is shown again, and shown last. */
static void
assert_cursor_is_back (Terminal *self)
{
  const char *hide = g_strrstr (self->seen->str, HIDE_CURSOR);
  const char *show = g_strrstr (self->seen->str, SHOW_CURSOR);

  g_assert_nonnull (hide);
  g_assert_nonnull (show);
  g_assert_true (show > hide);
}

/* Lines of the table are cut to the width; so each takes one row, and going up is right. */
static void
assert_lines_fit (Terminal *self)
{
  g_auto (GStrv) lines = g_strsplit (self->seen->str, "\r\n", -1);
  g_autoptr (GRegex) escapes = g_regex_new ("\033\\[[?0-9;]*[a-zA-Z]|\r", 0, 0, NULL);
  guint n_table_lines = 0;

  for (char **line = lines; *line != NULL; line++) {
    g_autofree char *plain = NULL;

    if (!g_str_has_suffix (*line, "\033[K"))
      continue;
    plain = g_regex_replace_literal (escapes, *line, -1, 0, "", 0, NULL);
    g_assert_cmpint (g_utf8_strlen (plain, -1), <=, COLUMNS);
    n_table_lines++;
  }
  g_assert_cmpuint (n_table_lines, >, 5);
}

static void
test_table (void)
{
  g_autoptr (Terminal) terminal = terminal_start ("1s");

  g_assert_cmpint (terminal_finish (terminal), ==, 0);
  assert_cursor_is_back (terminal);
  assert_lines_fit (terminal);
  g_assert_nonnull (strstr (terminal->seen->str, "first.number"));
  g_assert_nonnull (strstr (terminal->seen->str, "memory budget "));
  g_assert_nonnull (strstr (terminal->seen->str, "verdict: pass, exit code 0"));
  /* What the library printed is a line of its own, whole. */
  g_assert_nonnull (strstr (terminal->seen->str, "number 7\033[0m\r\n"));
}

/* More streams than rows: the sink stays, and the rest is counted. */
static void
test_many_streams (void)
{
  g_autoptr (GString) text = g_string_new ("{ \"sources\": {");
  g_autoptr (Terminal) terminal = NULL;

  for (int i = 0; i < 30; i++)
    g_string_append_printf (text, "%s\"s%02d\": { \"plugin\": \"number-source\" }",
                            i > 0 ? ", " : "", i);
  g_string_append (text, "}, \"sinks\": { \"keep_it\": { \"plugin\": \"number-sink\" } } }");
  terminal = terminal_start_file (text->str, "1s");
  g_assert_cmpint (terminal_finish (terminal), ==, 0);
  assert_lines_fit (terminal);
  g_assert_nonnull (strstr (terminal->seen->str, "s04.number"));
  g_assert_null (strstr (terminal->seen->str, "s05.number"));
  g_assert_nonnull (strstr (terminal->seen->str, "... 25 more streams"));
  g_assert_nonnull (strstr (terminal->seen->str, "keep_it  "));
  g_assert_nonnull (strstr (terminal->seen->str, "disk full in"));
}

static void
test_ctrl_c (void)
{
  g_autoptr (Terminal) terminal = terminal_start ("60s");

  g_assert_true (terminal_wait (terminal, "keep"));
  g_assert_cmpint (write (terminal->fd, "\003", 1), ==, 1);
  g_assert_cmpint (terminal_finish (terminal), ==, 0);
  assert_cursor_is_back (terminal);
  g_assert_nonnull (strstr (terminal->seen->str, "interrupted by SIGINT"));
}

/* A crash shows the cursor before it ends as it would have. */
static void
test_crash (void)
{
  g_autoptr (Terminal) terminal = terminal_start ("60s");
  int status;

  g_assert_true (terminal_wait (terminal, "keep"));
  kill (terminal->pid, SIGABRT);
  terminal_wait (terminal, NULL);
  g_assert_cmpint (waitpid (terminal->pid, &status, 0), ==, terminal->pid);
  g_assert_true (WIFSIGNALED (status));
  g_assert_cmpint (WTERMSIG (status), ==, SIGABRT);
  assert_cursor_is_back (terminal);
}

/* The window is closed: the kernel sends SIGHUP, and the files are finished. */
static void
test_hangup (void)
{
  g_autoptr (Terminal) terminal = terminal_start ("60s");
  g_autoptr (JsonNode) report = NULL;

  g_assert_true (terminal_wait (terminal, "keep"));
  close (terminal->fd);
  terminal->fd = -1;
  g_assert_cmpint (terminal_finish (terminal), ==, 0);
  report = terminal_report (terminal);
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (report), "message"), ==,
                   "interrupted by SIGHUP");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tty/table", test_table);
  g_test_add_func ("/tty/many-streams", test_many_streams);
  g_test_add_func ("/tty/ctrl-c", test_ctrl_c);
  g_test_add_func ("/tty/crash", test_crash);
  g_test_add_func ("/tty/hangup", test_hangup);
  return g_test_run ();
}
