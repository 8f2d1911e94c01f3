/* SPDX-License-Identifier: Apache-2.0 */

/**
 * acq-sim robot: a robot dog that speaks protocol 1.2.0 over WebSocket and UDP at once.
 *
 * Clients may come and go; the first one that an ownerless robot accepts becomes its owner.
 * Telemetry begins at the first accepted handshake, and sample k of a stream is a function of k
 * alone. A client that says anything that a passive recorder must not is a violation: it is
 * printed, the simulator ends at once and exits with 4.
 */

#include "sim-robot.h"

#include <stdio.h>

#include "../sim-command.h"
#include "../sim-pace.h"
#include "sim-robot-command.h"

typedef struct {
  char *host, *owner, *ports_file, *timeout, *epoch;
  gint joints, ws_port, udp_port;
  gdouble speed;
  gboolean no_ws, no_udp, reversed, newer, ignore_observers, allow_control, keep_going, mute_close;
} Arguments;

static void
clear_arguments (Arguments *self)
{
  g_free (self->host);
  g_free (self->owner);
  g_free (self->ports_file);
  g_free (self->timeout);
  g_free (self->epoch);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Arguments, clear_arguments)

static gboolean
parse_arguments (SimRobot *self, Arguments *args, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "host", 0, 0, G_OPTION_ARG_STRING, &args->host, "Address to listen on (default 127.0.0.1)",
      "IP" },
    { "ws-port", 0, 0, G_OPTION_ARG_INT, &args->ws_port,
      "Port for WebSocket; 0 is any free one (default 8081)", "PORT" },
    { "udp-port", 0, 0, G_OPTION_ARG_INT, &args->udp_port,
      "Port for UDP; 0 is any free one (default 8082)", "PORT" },
    { "no-ws", 0, 0, G_OPTION_ARG_NONE, &args->no_ws, "No WebSocket", NULL },
    { "no-udp", 0, 0, G_OPTION_ARG_NONE, &args->no_udp, "No UDP", NULL },
    { "ports-file", 0, 0, G_OPTION_ARG_FILENAME, &args->ports_file,
      "Write the ports as JSON once they are open", "FILE" },
    { "joints", 0, 0, G_OPTION_ARG_INT, &args->joints, "12 or 16 (default 16)", "N" },
    { "reversed", 0, 0, G_OPTION_ARG_NONE, &args->reversed, "Joints in another order", NULL },
    { "newer", 0, 0, G_OPTION_ARG_NONE, &args->newer, "Keys and words of a newer firmware", NULL },
    { "speed", 0, 0, G_OPTION_ARG_DOUBLE, &args->speed, "Multiplies all rates (default 1)", "X" },
    { "epoch", 0, 0, G_OPTION_ARG_STRING, &args->epoch,
      "The robot's clock at the first sample, ns since 1970 (default: now)", "NS" },
    { "owner", 0, 0, G_OPTION_ARG_STRING, &args->owner,
      "Who has control before anyone comes: none, app, sdk, external (default none)", "WHO" },
    { "ignore-observers", 0, 0, G_OPTION_ARG_NONE, &args->ignore_observers,
      "Only the owner may switch on telemetry", NULL },
    { "allow-control", 0, 0, G_OPTION_ARG_NONE, &args->allow_control,
      "Answer commands instead of calling them violations", NULL },
    { "keep-going", 0, 0, G_OPTION_ARG_NONE, &args->keep_going, "Do not end at a violation", NULL },
    { "no-close-echo", 0, 0, G_OPTION_ARG_NONE, &args->mute_close, "Never answer a client's Close",
      NULL },
    { "client-timeout", 0, 0, G_OPTION_ARG_STRING, &args->timeout,
      "Forget a silent client after this time (default 5s)", "TIME" },
    { NULL },
  };

  return sim_options_parse (&self->options, entries, &sim_robot_grammar,
                            "A robot dog: state, motion, IMU and joints over WebSocket and UDP.",
                            argc, argv, error);
}

static gboolean
apply_arguments (SimRobot *self, const Arguments *args, GError **error)
{
  static const char *const owners[] = { "none", "app", "sdk", "external", NULL };
  int owner = sim_option_choice ("--owner", args->owner, owners, error);

  if (owner < 0 || !sim_option_in_range ("--ws-port", args->ws_port, 0, 65535, error) ||
      !sim_option_in_range ("--udp-port", args->udp_port, 0, 65535, error) ||
      !sim_option_in_range ("--speed", args->speed, 0.01, 1000, error))
    return FALSE;
  if ((args->joints != 12 && args->joints != 16) || (args->no_ws && args->no_udp) ||
      (args->timeout != NULL && !sim_parse_duration (args->timeout, &self->client_timeout_ns))) {
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                         "--joints is 12 or 16, --client-timeout a time like 5s, and one of "
                         "WebSocket and UDP must be left");
    return FALSE;
  }
  if (args->epoch != NULL &&
      !g_ascii_string_to_unsigned (args->epoch, 10, 0, G_MAXINT64, &self->model.epoch_ns, error))
    return FALSE;
  self->owner = (SimRobotOwner) owner;
  self->host = args->host != NULL ? args->host : "127.0.0.1";
  self->ws_port = args->ws_port;
  self->udp_port = args->udp_port;
  self->no_ws = args->no_ws;
  self->no_udp = args->no_udp;
  self->model.n_joints = (guint) args->joints;
  self->model.reversed = args->reversed;
  self->model.newer = args->newer;
  self->observer_streams = !args->ignore_observers;
  self->allow_control = args->allow_control;
  self->keep_going = args->keep_going;
  self->mute_close = args->mute_close;
  for (guint i = 0; i < SIM_ROBOT_N_TELEMETRY; i++)
    self->model.rates[i] *= args->speed;
  return TRUE;
}

static void
init (SimRobot *self)
{
  *self = (SimRobot){
    .client_timeout_ns = 5 * G_GINT64_CONSTANT (1000000000), .ws_fd = -1, .udp_fd = -1, .odd_fd = -1
  };
  sim_robot_model_init (&self->model);
  self->clients = g_ptr_array_new ();
  self->later = g_array_new (FALSE, FALSE, sizeof (SimRobotLater));
  self->text = g_string_new ("");
}

static void
free_client (SimRobotClient *client)
{
  g_byte_array_unref (client->in);
  g_byte_array_unref (client->out);
  g_hash_table_unref (client->received);
  g_hash_table_unref (client->faults);
  g_ptr_array_unref (client->violations);
  g_free (client->peer);
  g_free (client);
}

static void
clear (SimRobot *self)
{
  for (guint i = 0; i < self->clients->len; i++) {
    sim_robot_hang_up (self, self->clients->pdata[i], FALSE);
    free_client (self->clients->pdata[i]);
  }
  sim_robot_unlisten (self);
  for (guint i = 0; i < self->later->len; i++)
    g_bytes_unref (g_array_index (self->later, SimRobotLater, i).bytes);
  g_ptr_array_unref (self->clients);
  g_array_unref (self->later);
  g_string_free (self->text, TRUE);
  sim_options_clear (&self->options);
}

/* The file appears whole, so that whoever waits for it may read it at once. */
static gboolean
announce (SimRobot *self, const char *path, GError **error)
{
  g_autofree char *text =
      g_strdup_printf ("{\"ws\":%d,\"udp\":%d}\n", self->no_ws ? 0 : self->ws_port,
                       self->no_udp ? 0 : self->udp_port);

  if (!self->options.quiet && !self->no_ws)
    fprintf (stderr, "%s: ws://%s:%d/\n", g_get_prgname (), self->host, self->ws_port);
  if (!self->options.quiet && !self->no_udp)
    fprintf (stderr, "%s: udp://%s:%d\n", g_get_prgname (), self->host, self->udp_port);
  return path == NULL || g_file_set_contents (path, text, -1, error);
}

static void
serve (SimRobot *self)
{
  gint64 end =
      self->options.duration_ns > 0 ? self->start_ns + self->options.duration_ns : G_MAXINT64;

  while (!sim_stop_requested () && (self->n_violations == 0 || self->keep_going)) {
    gint64 now = sim_now_ns ();
    gint64 next = sim_robot_run_due (self, now);

    if (now >= end)
      return;
    next = MIN (next, sim_robot_check_clients (self, now));
    sim_robot_poll (self, MIN (next, end));
  }
}

static int
run (int argc, char **argv)
{
  g_auto (Arguments) args = { .joints = 16, .ws_port = 8081, .udp_port = 8082, .speed = 1 };
  g_autoptr (GError) error = NULL;
  SimRobot self;
  int result = SIM_EXIT_OK;

  init (&self);
  if (!parse_arguments (&self, &args, argc, argv, &error) ||
      !apply_arguments (&self, &args, &error)) {
    result = SIM_EXIT_USAGE;
  } else {
    sim_stop_install ();
    self.start_ns = sim_now_ns ();
    if (sim_robot_listen (&self, &error) && announce (&self, args.ports_file, &error))
      serve (&self);
    if (error == NULL && self.options.report != NULL)
      sim_robot_report (&self, self.options.report, &error);
    result = error != NULL           ? SIM_EXIT_FAILED
             : self.n_violations > 0 ? SIM_ROBOT_EXIT_VIOLATION
                                     : SIM_EXIT_OK;
  }
  if (error != NULL)
    fprintf (stderr, "%s: %s\n", g_get_prgname (), error->message);
  clear (&self);
  return result;
}

const SimCommand sim_robot_command = { "robot", "robot dog, Robot SDK protocol 1.2.0", run };
