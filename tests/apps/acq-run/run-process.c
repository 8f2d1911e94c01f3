/* SPDX-License-Identifier: Apache-2.0 */
#include "run-process.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

/* No run of a test takes longer, not even under a sanitizer. */
#define BOUND_S 60

static void
child_setup (gpointer data)
{
  const RunSetup *setup = data;

  if (setup->ignore_sighup)
    signal (SIGHUP, SIG_IGN);
  if (setup->max_file_bytes > 0) {
    struct rlimit limit = { setup->max_file_bytes, setup->max_file_bytes };

    setrlimit (RLIMIT_FSIZE, &limit);
  }
}

static char *
built (const char *first, ...)
{
  const char *root = g_getenv ("ACQ_BUILD_ROOT");

  g_assert_nonnull (root);
  return g_build_filename (root, first, NULL);
}

static GPtrArray *
make_arguments (const RunSetup *setup, const char *folder)
{
  GPtrArray *args = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) more = g_strsplit (setup->args != NULL ? setup->args : "", " ", -1);

  g_ptr_array_add (args, built ("apps/acq-run/acq-run", NULL));
  g_ptr_array_add (args, g_strdup ("--plugin-path"));
  g_ptr_array_add (args, built ("tests/plugins-for-tests", NULL));
  g_ptr_array_add (args, g_strdup ("--output"));
  g_ptr_array_add (args, g_build_filename (folder, "out", NULL));
  g_ptr_array_add (args, g_strdup ("--report"));
  g_ptr_array_add (args, g_build_filename (folder, "report.json", NULL));
  for (char **arg = more; *arg != NULL; arg++) {
    if (**arg != '\0')
      g_ptr_array_add (args, g_strdup (*arg));
  }
  g_ptr_array_add (args, g_build_filename (folder, "pipeline.json", NULL));
  g_ptr_array_add (args, NULL);
  return args;
}

RunProcess *
run_process_start (const RunSetup *setup)
{
  RunProcess *self = g_new0 (RunProcess, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) args = NULL;
  g_autofree char *pipeline = NULL;
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDERR_PIPE |
      (setup->null_reader ? G_SUBPROCESS_FLAGS_STDOUT_SILENCE : G_SUBPROCESS_FLAGS_STDOUT_PIPE));

  self->folder = g_dir_make_tmp ("acq-run-XXXXXX", &error);
  g_assert_no_error (error);
  pipeline = g_build_filename (self->folder, "pipeline.json", NULL);
  g_assert_true (g_file_set_contents (pipeline, setup->pipeline, -1, NULL));
  args = make_arguments (setup, self->folder);
  g_subprocess_launcher_set_child_setup (launcher, child_setup, (gpointer) setup, NULL);
  self->process =
      g_subprocess_launcher_spawnv (launcher, (const char *const *) args->pdata, &error);
  g_assert_no_error (error);
  if (!setup->null_reader)
    self->lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->process));
  return self;
}

JsonObject *
run_process_wait_line (RunProcess *self, const char *event)
{
  for (;;) {
    g_autoptr (GError) error = NULL;
    g_autofree char *line = g_data_input_stream_read_line (self->lines, NULL, NULL, &error);
    g_autoptr (JsonNode) node = NULL;

    g_assert_no_error (error);
    if (line == NULL)
      g_error ("acq-run ended before the line \"%s\"", event);
    node = json_from_string (line, &error);
    g_assert_no_error (error);
    g_assert_true (JSON_NODE_HOLDS_OBJECT (node));
    if (g_str_equal (json_object_get_string_member (json_node_get_object (node), "event"), event))
      return json_object_ref (json_node_get_object (node));
  }
}

void
run_process_signal (RunProcess *self, int number)
{
  g_subprocess_send_signal (self->process, number);
}

static char *
read_all (GInputStream *stream)
{
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();

  g_output_stream_splice (out, stream, G_OUTPUT_STREAM_SPLICE_NONE, NULL, NULL);
  g_output_stream_write (out, "", 1, NULL, NULL);
  g_output_stream_close (out, NULL, NULL);
  return g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (out));
}

static gboolean
on_bound (gpointer data)
{
  RunProcess *self = data;

  g_subprocess_force_exit (self->process);
  g_error ("acq-run takes longer than %d s", BOUND_S);
  return G_SOURCE_REMOVE;
}

static void
on_exited (GObject *process, GAsyncResult *result, gpointer data)
{
  g_subprocess_wait_finish (G_SUBPROCESS (process), result, NULL);
  g_main_loop_quit (data);
}

static gpointer
drain (gpointer stream)
{
  return read_all (stream);
}

static void
load_report (RunProcess *self)
{
  g_autofree char *path = g_build_filename (self->folder, "report.json", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return;
  self->report = json_from_string (text, &error);
  g_assert_no_error (error);
}

void
run_process_finish (RunProcess *self)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  GThread *err = g_thread_new ("stderr", drain, g_subprocess_get_stderr_pipe (self->process));
  GThread *out = self->lines != NULL ? g_thread_new ("stdout", drain, self->lines) : NULL;
  guint bound = g_timeout_add_seconds (BOUND_S, on_bound, self);

  g_subprocess_wait_async (self->process, NULL, on_exited, loop);
  g_main_loop_run (loop);
  g_source_remove (bound);
  self->err = g_thread_join (err);
  if (out != NULL)
    g_free (g_thread_join (out));
  self->exit_code = g_subprocess_get_if_exited (self->process)
                        ? g_subprocess_get_exit_status (self->process)
                        : -1;
  load_report (self);
  if (g_test_verbose ())
    g_printerr ("%s", self->err);
}

RunProcess *
run_process_run (const RunSetup *setup)
{
  RunProcess *self = run_process_start (setup);

  run_process_finish (self);
  return self;
}

/* The report */

static JsonNode *
get_va (RunProcess *self, va_list args)
{
  JsonNode *node = self->report;
  const char *name;

  g_assert_nonnull (node);
  while (node != NULL && (name = va_arg (args, const char *)) != NULL)
    node = JSON_NODE_HOLDS_OBJECT (node)
               ? json_object_get_member (json_node_get_object (node), name)
               : NULL;
  return node;
}

JsonNode *
run_process_get (RunProcess *self, ...)
{
  JsonNode *node;
  va_list args;

  va_start (args, self);
  node = get_va (self, args);
  va_end (args);
  return node;
}

gint64
run_process_get_int (RunProcess *self, ...)
{
  JsonNode *node;
  va_list args;

  va_start (args, self);
  node = get_va (self, args);
  va_end (args);
  return node != NULL ? json_node_get_int (node) : 0;
}

const char *
run_process_get_text (RunProcess *self, ...)
{
  JsonNode *node;
  va_list args;

  va_start (args, self);
  node = get_va (self, args);
  va_end (args);
  return node != NULL ? json_node_get_string (node) : NULL;
}

char *
run_process_find_file (RunProcess *self, const char *suffix)
{
  JsonArray *files = json_node_get_array (run_process_get (self, "files", NULL));
  char *found = NULL;

  for (guint i = 0; i < json_array_get_length (files); i++) {
    const char *path = json_array_get_string_element (files, i);

    if (!g_str_has_suffix (path, suffix))
      continue;
    g_assert_null (found);
    found = g_strdup (path);
  }
  g_assert_nonnull (found);
  return found;
}

static gint64
sum_of (JsonObject *object, const char *name)
{
  JsonObject *counts = json_object_get_object_member (object, name);
  g_autoptr (GList) values = json_object_get_values (counts);
  gint64 sum = 0;

  for (GList *l = values; l != NULL; l = l->next)
    sum += json_node_get_int (l->data);
  return sum;
}

static void
check_link (JsonObject *stream, const char *sink, JsonNode *node, gpointer path)
{
  JsonObject *link = json_node_get_object (node);
  gint64 offered = json_object_get_int_member (link, "offered");
  gint64 sum = json_object_get_int_member (link, "written") + sum_of (link, "dropped") +
               sum_of (link, "failed") + json_object_get_int_member (link, "paused") +
               json_object_get_int_member (link, "idle");

  g_test_message ("%s to %s", (const char *) path, sink);
  g_assert_cmpint (json_object_get_int_member (link, "queued"), ==, 0);
  g_assert_cmpint (json_object_get_int_member (link, "pending"), ==, 0);
  g_assert_cmpint (offered, ==, sum);
}

static void
check_stream (JsonObject *streams, const char *path, JsonNode *node, gpointer data)
{
  JsonObject *sinks = json_object_get_object_member (json_node_get_object (node), "sinks");

  json_object_foreach_member (sinks, (JsonObjectForeach) check_link, (gpointer) path);
}

static void
check_port (JsonObject *ports, const char *name, JsonNode *node, gpointer data)
{
  RunProcess *self = data;
  JsonObject *port = json_node_get_object (node);
  JsonObject *nodes = json_node_get_object (run_process_get (self, "nodes", NULL));
  g_autoptr (GList) values = json_object_get_values (nodes);
  gint64 sum = json_object_get_int_member (port, "wrong_source") + sum_of (port, "foreign") +
               sum_of (port, "rejected") + json_object_get_int_member (port, "other_hand");
  gint64 packets = -1;

  for (GList *l = values; l != NULL; l = l->next) {
    JsonObject *object = json_node_get_object (l->data);

    if (g_strcmp0 (json_object_get_string_member_with_default (object, "port", NULL), name) == 0)
      sum += json_object_get_int_member (object, "accepted");
  }
  for (gsize i = 0; i < 3; i++) {
    const char *const words[] = { "packets", "datagrams", "messages" };

    if (json_object_has_member (port, words[i]))
      packets = json_object_get_int_member (port, words[i]);
  }
  g_assert_cmpint (packets, ==, sum);
}

void
run_process_check_balance (RunProcess *self)
{
  json_object_foreach_member (json_node_get_object (run_process_get (self, "streams", NULL)),
                              (JsonObjectForeach) check_stream, NULL);
  json_object_foreach_member (json_node_get_object (run_process_get (self, "ports", NULL)),
                              (JsonObjectForeach) check_port, self);
}

void
run_folder_remove (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    run_folder_remove (child);
  }
  g_remove (path);
}

void
run_process_free (RunProcess *self)
{
  if (self == NULL)
    return;
  run_folder_remove (self->folder);
  g_clear_object (&self->lines);
  g_clear_object (&self->process);
  g_clear_pointer (&self->report, json_node_unref);
  g_free (self->folder);
  g_free (self->err);
  g_free (self);
}
