/* SPDX-License-Identifier: Apache-2.0 */

#include "robot-rig.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/wait.h>

static JsonObject *
load (JsonParser *parser, const char *path)
{
  g_autoptr (GError) error = NULL;

  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  return json_node_get_object (json_parser_get_root (parser));
}

void
robot_rig_start (RobotRig *self, const char *args)
{
  const char *build = g_getenv ("ACQ_BUILD_ROOT");
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autofree char *line = NULL;
  g_auto (GStrv) argv = NULL;
  JsonObject *ports;

  *self = (RobotRig){ 0 };
  self->directory = g_dir_make_tmp ("robot-rig-XXXXXX", NULL);
  self->ports_file = g_build_filename (self->directory, "ports", NULL);
  self->report_file = g_build_filename (self->directory, "report", NULL);
  line =
      g_strdup_printf ("%s/apps/acq-sim/acq-sim robot -q --ws-port 0 --udp-port 0 --duration 20s "
                       "--ports-file %s --report %s %s",
                       build, self->ports_file, self->report_file, args);
  g_shell_parse_argv (line, NULL, &argv, &error);
  g_assert_no_error (error);
  g_spawn_async (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &self->pid, &error);
  g_assert_no_error (error);
  for (guint i = 0; !g_file_test (self->ports_file, G_FILE_TEST_EXISTS); i++) {
    g_assert_cmpuint (i, <, 10000);
    g_usleep (1000);
  }
  ports = load (parser, self->ports_file);
  self->ws_port = (guint) json_object_get_int_member (ports, "ws");
  self->udp_port = (guint) json_object_get_int_member (ports, "udp");
}

void
robot_rig_make_node (RobotRig *self, gboolean udp)
{
  g_autofree char *directory =
      g_build_filename (g_getenv ("ACQ_BUILD_ROOT"), "plugins", "robot-ws", NULL);
  g_autofree char *uri = g_strdup_printf ("%s://127.0.0.1:%u", udp ? "udp" : "ws",
                                          udp ? self->udp_port : self->ws_port);

  self->harness = acq_harness_new_plugin (directory, "robot-ws", "dog");
  acq_harness_set_live (self->harness);
  acq_harness_set (self->harness, "uri", uri);
}

int
robot_rig_finish (RobotRig *self)
{
  int status;

  if (self->harness != NULL)
    acq_harness_stop (self->harness);
  kill (self->pid, SIGTERM);
  g_assert_cmpint (waitpid (self->pid, &status, 0), ==, self->pid);
  g_assert_true (WIFEXITED (status));
  self->parser = json_parser_new ();
  self->report = load (self->parser, self->report_file);
  return WEXITSTATUS (status);
}

void
robot_rig_clear (RobotRig *self)
{
  acq_harness_free (self->harness);
  g_clear_object (&self->parser);
  g_remove (self->ports_file);
  g_remove (self->report_file);
  g_remove (self->directory);
  g_free (self->ports_file);
  g_free (self->report_file);
  g_free (self->directory);
}

JsonObject *
robot_rig_client (RobotRig *self, guint n)
{
  JsonArray *clients = json_object_get_array_member (self->report, "clients");

  g_assert_cmpuint (n, <, json_array_get_length (clients));
  return json_array_get_object_element (clients, n);
}

gint64
robot_rig_number (JsonObject *object, const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  guint i;

  for (i = 0; parts[i + 1] != NULL; i++) {
    if (!json_object_has_member (object, parts[i]))
      return 0;
    object = json_object_get_object_member (object, parts[i]);
  }
  return json_object_get_int_member_with_default (object, parts[i], 0);
}
