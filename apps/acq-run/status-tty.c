/* SPDX-License-Identifier: Apache-2.0 */

/*
 * `--status tty`: a table that is redrawn in place.
 *
 * The cursor rests below the table. To draw, it goes up as many lines as were
 * drawn before and writes each anew, cut to the width of the terminal so that
 * none wraps. Events are printed where the table was, and the table below them,
 * so they scroll away like any other text.
 */

#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>

#include "run-signals.h"
#include "run-status.h"
#include "run-text.h"

#define INTERVAL_MS 250

#define HIDE_CURSOR "\033[?25l"
#define SHOW_CURSOR "\033[?25h"
#define CLEAR_BELOW "\033[J"
#define CLEAR_RIGHT "\033[K"

#define BOLD "\033[1m"
#define RED "\033[31m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

/* Width of everything right of a stream's name. */
#define NUMBERS_WIDTH 58
#define MIN_NAME_WIDTH 12

typedef struct {
  RunStatus parent;
  gboolean colors;
  RunGaps *gaps;
  pthread_mutex_t lock;
  guint drawn; /* under lock, with what is written: lines of the table on the screen */
} TtyStatus;

/* A line of the table: its text, and how it looks as a whole. */
typedef struct {
  char *text;
  const char *style; /* (nullable) */
} Line;

static void
clear_line (gpointer data)
{
  g_free (((Line *) data)->text);
}

static void add_line (GArray *lines, const char *style, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static void
add_line (GArray *lines, const char *style, const char *format, ...)
{
  Line line = { NULL, style };
  va_list args;

  va_start (args, format);
  line.text = g_strdup_vprintf (format, args);
  va_end (args);
  g_array_append_val (lines, line);
}

static GArray *
lines_new (void)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (Line));

  g_array_set_clear_func (lines, clear_line);
  return lines;
}

/* To the end of @lines. */
static void
move_lines (GArray *lines, GArray *more)
{
  g_array_append_vals (lines, more->data, more->len);
  g_array_set_clear_func (more, NULL);
  g_array_set_size (more, 0);
}

/* What is too much below the @titles becomes one line that counts it. */
static void
fold (GArray *lines, guint titles, guint room, const char *what)
{
  guint n = lines->len;

  if (n <= room)
    return;
  g_array_set_size (lines, room > 0 ? room - 1 : 0);
  n -= MAX (lines->len, titles);
  if (room > 0)
    add_line (lines, DIM, "... %u more %s", n, what);
}

static void
get_size (TtyStatus *self, guint *ret_columns, guint *ret_rows)
{
  struct winsize size = { 0 };
  int fd = run_output_get_fd (self->parent.output);

  if (fd < 0 || ioctl (fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    size = (struct winsize){ .ws_col = 80, .ws_row = 24 };
  *ret_columns = size.ws_col;
  *ret_rows = size.ws_row;
}

/* The table */

static guint
name_width (const RunView *view, guint columns)
{
  glong longest = MIN_NAME_WIDTH;
  guint room = columns > NUMBERS_WIDTH + MIN_NAME_WIDTH ? columns - NUMBERS_WIDTH : MIN_NAME_WIDTH;

  for (guint i = 0; i < view->snapshot->streams->len; i++) {
    const AcqStreamSnapshot *stream = view->snapshot->streams->pdata[i];

    if (!run_view_is_engine (stream))
      longest = MAX (longest, g_utf8_strlen (stream->path, -1));
  }
  return MIN ((guint) longest, room);
}

static void
add_header (GArray *lines, const RunView *view)
{
  g_autofree char *clock = run_text_clock (view->elapsed_s);
  g_autofree char *total = run_text_clock (view->duration_s);

  add_line (lines, BOLD, "%s  %s%s%s  %s", run_view_phase_word (view->phase), clock,
            view->duration_s > 0 ? " / " : "", view->duration_s > 0 ? total : "",
            view->directory != NULL ? view->directory : "");
}

static void
add_stream (GArray *lines, const AcqStreamSnapshot *stream, gint64 now_ns, guint width)
{
  guint64 lost = stream->counters[ACQ_STREAM_LOST];
  guint64 dropped = run_view_dropped (stream);
  double age_s = stream->last_ns != 0 ? MAX (0, (now_ns - stream->last_ns) * 1e-9) : -1;
  g_autofree char *age = run_text_age (age_s);

  add_line (lines, lost + dropped > 0 ? RED : NULL,
            "%-*.*s %9.1f %10" G_GUINT64_FORMAT " %7" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
            " %9s %6.0f %%",
            width, width, stream->path, stream->rate_hz, stream->frames, lost, dropped, age,
            run_view_fill (stream) * 100);
}

static gboolean
has_losses (const AcqStreamSnapshot *stream)
{
  return stream->counters[ACQ_STREAM_LOST] + run_view_dropped (stream) > 0;
}

/* Those with losses first, when not all can be seen. */
static GPtrArray *
list_streams (const AcqSnapshot *snapshot, guint room)
{
  GPtrArray *all = g_ptr_array_new ();
  GPtrArray *sorted;

  for (guint i = 0; i < snapshot->streams->len; i++) {
    if (!run_view_is_engine (snapshot->streams->pdata[i]))
      g_ptr_array_add (all, snapshot->streams->pdata[i]);
  }
  if (all->len <= room)
    return all;
  sorted = g_ptr_array_new ();
  for (int losses = 1; losses >= 0; losses--) {
    for (guint i = 0; i < all->len; i++) {
      if (has_losses (all->pdata[i]) == losses)
        g_ptr_array_add (sorted, all->pdata[i]);
    }
  }
  g_ptr_array_unref (all);
  return sorted;
}

/* @room: rows, with the header */
static GArray *
stream_lines (const RunView *view, guint width, guint room)
{
  GArray *lines = lines_new ();
  g_autoptr (GPtrArray) streams = list_streams (view->snapshot, room > 0 ? room - 1 : 0);

  add_line (lines, DIM, "%-*s %9s %10s %7s %8s %9s %8s", width, "stream", "rate/Hz", "frames",
            "lost", "dropped", "age", "queue");
  for (guint i = 0; i < streams->len; i++)
    add_stream (lines, streams->pdata[i], view->snapshot->host_ns, width);
  fold (lines, 1, room, "streams");
  return lines;
}

static void
add_sinks (GArray *lines, const RunView *view, guint width)
{
  add_line (lines, DIM, "%-*s %9s %10s %16s", width, "sink", "MB/s", "written", "disk full in");
  for (guint i = 0; i < view->sinks->len; i++) {
    const RunSinkView *sink = &g_array_index (view->sinks, RunSinkView, i);
    g_autofree char *bytes = run_text_bytes (sink->bytes);
    g_autofree char *left = sink->finishing >= 0 && view->phase == RUN_STOPPING
                                ? g_strdup_printf ("finished %.0f %%", sink->finishing * 100)
                                : run_text_left (sink->seconds_left);

    add_line (lines, NULL, "%-*.*s %9.2f %10s %16s", width, width, sink->node->id,
              sink->bytes_per_s * 1e-6, bytes, left);
  }
}

static void
add_problems (GArray *lines, const RunView *view)
{
  const AcqSnapshot *snapshot = view->snapshot;

  for (guint i = 0; i < snapshot->nodes->len; i++) {
    const AcqNodeSnapshot *node = snapshot->nodes->pdata[i];

    if (node->problem != NULL)
      add_line (lines, RED, "%s is %s: %s", node->id, acq_node_state_to_string (node->state),
                node->problem);
  }
  for (guint i = 0; i < snapshot->ports->len; i++) {
    g_autofree char *rejected = run_view_rejected_text (snapshot->ports->pdata[i]);

    if (rejected != NULL)
      add_line (lines, RED, "%s", rejected);
  }
}

static guint
left_of (guint room, guint taken)
{
  return room > taken ? room - taken : 0;
}

/* Sinks are always seen, problems get up to a half of what is left, and streams the rest. */
static GArray *
make_table (const RunView *view, guint columns, guint room)
{
  GArray *lines = lines_new ();
  g_autoptr (GArray) sinks = lines_new ();
  g_autoptr (GArray) problems = lines_new ();
  guint width = name_width (view, columns);

  room = left_of (room, 2); /* first and last line */
  add_sinks (sinks, view, width);
  fold (sinks, 1, room, "sinks");
  room = left_of (room, sinks->len);
  add_problems (problems, view);
  fold (problems, 0, room / 2, "problems");
  room = left_of (room, problems->len);
  add_header (lines, view);
  if (view->phase != RUN_OPENING) {
    GArray *streams = stream_lines (view, width, room);

    move_lines (lines, streams);
    g_array_unref (streams);
  }
  move_lines (lines, sinks);
  move_lines (lines, problems);
  add_line (lines, DIM, "%s",
            view->phase == RUN_STOPPING ? "finishing the files; Ctrl-C again quits at once"
                                        : "Ctrl-C stops and finishes the files");
  return lines;
}

/* Drawing */

static void
append_cut (GString *out, const char *text, guint columns)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  const char *end = valid;

  for (guint i = 0; i < columns && *end != '\0'; i++)
    end = g_utf8_next_char (end);
  g_string_append_len (out, valid, end - valid);
}

/* Under lock. */
static void
go_to_top (TtyStatus *self, GString *out)
{
  g_string_append_c (out, '\r');
  if (self->drawn > 0)
    g_string_append_printf (out, "\033[%uA", self->drawn);
  self->drawn = 0;
}

/* Under lock. */
static void
draw (TtyStatus *self, GString *out, const RunView *view)
{
  guint columns, rows;
  g_autoptr (GArray) lines = NULL;
  guint n;

  get_size (self, &columns, &rows);
  /* One row stays for the cursor. */
  n = MAX (rows, 3) - 1;
  lines = make_table (view, columns, n);
  n = MIN (lines->len, n);
  g_string_append (out, HIDE_CURSOR);
  go_to_top (self, out);
  for (guint i = 0; i < n; i++) {
    const Line *line = &g_array_index (lines, Line, i);
    gboolean styled = self->colors && line->style != NULL;

    if (styled)
      g_string_append (out, line->style);
    append_cut (out, line->text, columns);
    g_string_append (out, styled ? PLAIN CLEAR_RIGHT "\n" : CLEAR_RIGHT "\n");
  }
  g_string_append (out, CLEAR_BELOW);
  self->drawn = n;
}

/* Text where the table was; the next update draws the table below it. */
static void
print_above (TtyStatus *self, const char *text)
{
  GString *out = g_string_new (NULL);

  pthread_mutex_lock (&self->lock);
  go_to_top (self, out);
  g_string_append_printf (out, CLEAR_BELOW "%s\n", text);
  run_output_write (self->parent.output, g_string_free (out, FALSE));
  pthread_mutex_unlock (&self->lock);
}

static void
tty_opening (RunStatus *status, const char *pipeline)
{
  print_above ((TtyStatus *) status, pipeline);
}

static void
tty_started (RunStatus *status, const RunStart *start)
{
  g_autofree char *memory = run_text_bytes (start->memory_bytes);
  g_autofree char *text =
      g_strdup_printf ("recording to %s\nmemory budget %s", start->directory, memory);

  print_above ((TtyStatus *) status, text);
}

static void
tty_update (RunStatus *status, const RunView *view)
{
  TtyStatus *self = (TtyStatus *) status;
  GString *out;

  /* A terminal that is held: there is nothing to see. */
  if (run_output_backlog (status->output) > 0)
    return;
  out = g_string_new (NULL);
  pthread_mutex_lock (&self->lock);
  draw (self, out, view);
  run_output_write (status->output, g_string_free (out, FALSE));
  pthread_mutex_unlock (&self->lock);
}

static void
tty_event (RunStatus *status, const AcqEvent *event, gint64 host_ns)
{
  TtyStatus *self = (TtyStatus *) status;
  g_autofree char *text = run_status_event_text (self->gaps, event);
  gboolean red = self->colors && event->severity >= ACQ_EVENT_SEVERITY_WARNING;
  g_autofree char *styled = g_strconcat (red ? RED : "", text, red ? PLAIN : "", NULL);

  if (text != NULL)
    print_above (self, styled);
}

static void
tty_print (RunStatus *status, const char *line)
{
  TtyStatus *self = (TtyStatus *) status;
  g_autofree char *valid = g_utf8_make_valid (line, -1);
  g_autofree char *styled =
      g_strconcat (self->colors ? DIM : "", valid, self->colors ? PLAIN : "", NULL);

  print_above (self, styled);
}

static void
tty_stopped (RunStatus *status, const RunEnd *end)
{
  TtyStatus *self = (TtyStatus *) status;
  GString *out = g_string_new (NULL);
  g_autofree char *text = run_status_end_text (end);

  pthread_mutex_lock (&self->lock);
  draw (self, out, end->view);
  /* The last line was a hint about keys. */
  g_string_append_printf (out, "\033[1A" CLEAR_BELOW "%s" SHOW_CURSOR, text);
  self->drawn = 0;
  run_output_write (status->output, g_string_free (out, FALSE));
  pthread_mutex_unlock (&self->lock);
}

static void
tty_free (RunStatus *status)
{
  TtyStatus *self = (TtyStatus *) status;

  pthread_mutex_destroy (&self->lock);
  g_hash_table_unref (self->gaps);
  g_free (self);
}

RunStatus *
run_status_tty_new (RunOutput *output)
{
  static const RunStatusClass klass = {
    .interval_ms = INTERVAL_MS,
    .opening = tty_opening,
    .started = tty_started,
    .update = tty_update,
    .event = tty_event,
    .print = tty_print,
    .stopped = tty_stopped,
    .free = tty_free,
  };
  TtyStatus *self = g_new0 (TtyStatus, 1);
  const char *no_color = g_getenv ("NO_COLOR");

  self->parent.klass = &klass;
  self->parent.output = output;
  self->gaps = run_gaps_new ();
  pthread_mutex_init (&self->lock, NULL);
  self->colors = no_color == NULL || *no_color == '\0';
  run_signals_guard_cursor (run_output_get_fd (output));
  return &self->parent;
}
