/* SPDX-License-Identifier: Apache-2.0 */

/**
 * robot-ws: the telemetry of a robot dog (Robot SDK, protocol 1.2.0) over WebSocket or UDP.
 *
 * A passive client: it can say hello, keep the connection alive, ask for telemetry and say
 * goodbye, and there is no code in it that could say more (robot-request.c). What it says when
 * is decided by a machine without sockets (robot-session.c); how bytes travel by a transport
 * (robot-websocket.c, robot-udp.c); what they mean by tables (robot-layouts.c); and what is
 * recorded by robot-recorder.c. robot-client.c joins them; this file is the node.
 *
 * Threads: everything happens on the source's own thread, on its main context. The heartbeat is
 * a timer of that context, and pushing a frame never waits, so a slow disk does not delay it.
 */

#include <acq/acq.h>

#include <libsoup/soup.h>

#include "robot-client.h"

#define ROBOT_TYPE_WS (robot_ws_get_type ())
G_DECLARE_FINAL_TYPE (RobotWs, robot_ws, ROBOT, WS, AcqSource)

struct _RobotWs {
  AcqSource parent_instance;

  /* Options. */
  char *uri, *serial, *joint_prefix, *device, *package_name;
  int mode, src;
  gint64 speed_rate;
  gboolean yield_ownership, disable_on_stop;
  gint64 connect_timeout, idle_timeout;
  gint64 reconnect_wait, busy_wait, refused_wait, yield_wait;

  /* Made at the first open(), when all options are known. */
  gboolean prepared;
  RobotClient client;
};

G_DEFINE_FINAL_TYPE (RobotWs, robot_ws, ACQ_TYPE_SOURCE)

enum { MODE_STREAMS, MODE_STATE_ONLY };

static const char *const mode_words[] = { "streams", "state-only", NULL };
static const char *const src_words[] = { "external", "sdk", NULL };
static const RobotSrc srcs[] = { ROBOT_SRC_EXTERNAL, ROBOT_SRC_SDK };

static const AcqOption options[] = {
  { "uri", ACQ_FIELD_STRING (RobotWs, uri), .flags = ACQ_OPTION_REQUIRED,
    .help = "The robot: ws://HOST:8081/ or udp://HOST:8082" },
  { "serial", ACQ_FIELD_STRING (RobotWs, serial),
    .help = "Record this robot only; another serial number is refused" },
  { "mode", ACQ_FIELD_ENUM (RobotWs, mode, mode_words), .def = MODE_STREAMS,
    .help = "streams switches on the telemetry that the chosen streams need; state-only never "
            "configures anything and records what the robot sends by itself. Mind that "
            "connecting alone makes the first client of an idle robot its owner, in both modes: "
            "let the APP or the controlling program connect first" },
  { "yield-ownership", ACQ_FIELD_BOOL (RobotWs, yield_ownership), .def = TRUE,
    .help = "Say goodbye and come back later when the robot reports a client of our class as its "
            "owner and nobody else was. Without it the recorder stays, and who wants to drive "
            "the robot has to take control explicitly" },
  { "src", ACQ_FIELD_ENUM (RobotWs, src, src_words), .def = 0,
    .help = "As what we introduce ourselves; external is the truth, sdk is what the vendor's "
            "library says",
    .flags = ACQ_OPTION_ADVANCED },
  { "speed-rate", ACQ_FIELD_INT (RobotWs, speed_rate), .def = 10, .min = 1, .max = 50, .unit = "Hz",
    .help = "Rate of the stream speed, the only one that a robot lets us choose" },
  { "disable-on-stop", ACQ_FIELD_BOOL (RobotWs, disable_on_stop), .def = FALSE,
    .help = "Switch off on a clean stop what was switched on. It is not known whether that is per "
            "client, so another client could lose its telemetry",
    .flags = ACQ_OPTION_ADVANCED },
  { "joint-prefix", ACQ_FIELD_STRING (RobotWs, joint_prefix),
    .help = "Before the robot's joint names; without it the node's id and an underscore, so that "
            "two robots can be in one recording" },
  { "connect-timeout", ACQ_FIELD_DURATION (RobotWs, connect_timeout), .def = 5, .min = 0.5,
    .max = 60, .unit = "s",
    .help = "From connecting to the accepted handshake; keep it below "
            "open-timeout",
    .flags = ACQ_OPTION_ADVANCED },
  { "idle-timeout", ACQ_FIELD_DURATION (RobotWs, idle_timeout), .def = 5, .min = 0.5, .max = 600,
    .unit = "s", .help = "Without a single byte for so long, the robot counts as lost",
    .flags = ACQ_OPTION_ADVANCED },
  { "reconnect-wait", ACQ_FIELD_DURATION (RobotWs, reconnect_wait), .def = 15, .min = 0.1,
    .max = 3600, .unit = "s",
    .help = "Pause after a lost session. Coming back too fast may seize control of the robot" },
  { "busy-wait", ACQ_FIELD_DURATION (RobotWs, busy_wait), .def = 30, .min = 5, .max = 3600,
    .unit = "s", .help = "Pause when the robot refuses because another terminal controls it",
    .flags = ACQ_OPTION_ADVANCED },
  { "refused-wait", ACQ_FIELD_DURATION (RobotWs, refused_wait), .def = 300, .min = 5, .max = 86400,
    .unit = "s", .help = "Pause after a refusal that will not change by itself",
    .flags = ACQ_OPTION_ADVANCED },
  { "yield-wait", ACQ_FIELD_DURATION (RobotWs, yield_wait), .def = 60, .min = 5, .max = 3600,
    .unit = "s", .help = "Pause after ownership was yielded; doubles up to ten minutes",
    .flags = ACQ_OPTION_ADVANCED },
  { "device", ACQ_FIELD_STRING (RobotWs, device), .def_text = "recorder",
    .help = "Free text of the handshake", .flags = ACQ_OPTION_ADVANCED },
  { "package-name", ACQ_FIELD_STRING (RobotWs, package_name), .def_text = "acq",
    .help = "Application id of the handshake", .flags = ACQ_OPTION_ADVANCED },
};

static gboolean
robot_ws_check (AcqNode *node, GError **error)
{
  RobotAddress address;

  if (!robot_address_parse (ROBOT_WS (node)->uri, &address, error))
    return FALSE;
  robot_address_clear (&address);
  return TRUE;
}

static void
configure (RobotWs *self)
{
  RobotClient *client = &self->client;

  client->serial = self->serial;
  client->recorder.joint_prefix = self->joint_prefix;
  client->recorder.speed_hz = (double) self->speed_rate;
  client->config = (RobotSessionConfig){ .udp = client->address.udp,
                                         .src = srcs[self->src],
                                         .speed_hz = (guint32) self->speed_rate,
                                         .yield_ownership = self->yield_ownership,
                                         .disable_on_stop = self->disable_on_stop,
                                         .connect_timeout_ns = self->connect_timeout,
                                         .idle_timeout_ns = self->idle_timeout,
                                         .retry_ns = self->reconnect_wait,
                                         .busy_retry_ns = self->busy_wait,
                                         .refused_retry_ns = self->refused_wait,
                                         .yield_retry_ns = self->yield_wait,
                                         .version = ACQ_VERSION,
                                         .device = self->device,
                                         .platform = "linux",
                                         .package_name = self->package_name };
  for (guint i = 0; i < ROBOT_N_SENSORS; i++)
    client->config.sensors[i] =
        self->mode == MODE_STREAMS && robot_recorder_wants (&client->recorder, (RobotSensor) i);
}

static gboolean
prepare (RobotWs *self, GError **error)
{
  RobotAddress address;

  if (self->prepared)
    return TRUE;
  if (!robot_address_parse (self->uri, &address, error))
    return FALSE;
  robot_client_init (&self->client, ACQ_SOURCE (self), &address);
  configure (self);
  robot_client_configure (&self->client);
  self->prepared = TRUE;
  return TRUE;
}

static gboolean
robot_ws_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  RobotWs *self = ROBOT_WS (node);
  RobotClient *client = &self->client;
  g_autofree char *text = NULL;

  if (!prepare (self, error))
    return FALSE;
  robot_client_connect (client);
  /* The timer of the session ends this, within connect-timeout at the latest. */
  while (!client->ended && !robot_client_is_open (client) &&
         !g_cancellable_is_cancelled (cancellable))
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
  if (client->ended) {
    text = robot_client_describe_end (client);
    g_set_error_literal (error, ACQ_ERROR, ACQ_ERROR_DEVICE, text);
    return FALSE;
  }
  if (robot_client_is_open (client))
    return TRUE;
  g_set_error (error, ACQ_ERROR, ACQ_ERROR_CANCELLED, "robot at %s: connecting was stopped",
               client->address.uri);
  return FALSE;
}

static void
robot_ws_close (AcqNode *node)
{
  robot_client_disconnect (&ROBOT_WS (node)->client);
}

static void
robot_ws_finalize (GObject *object)
{
  RobotWs *self = ROBOT_WS (object);

  if (self->prepared)
    robot_client_clear (&self->client);
  G_OBJECT_CLASS (robot_ws_parent_class)->finalize (object);
}

static void
robot_ws_class_init (RobotWsClass *klass)
{
  /* In the thread that loads us: class_init of libsoup's types uses GIO's, and two threads that
   * make both for the first time at once can lock each other out. */
  g_type_class_unref (g_type_class_ref (SOUP_TYPE_SESSION));
  g_type_class_unref (g_type_class_ref (SOUP_TYPE_MESSAGE));
  g_type_class_unref (g_type_class_ref (SOUP_TYPE_WEBSOCKET_CONNECTION));

  AcqNodeClass *node = ACQ_NODE_CLASS (klass);

  node->check = robot_ws_check;
  node->open = robot_ws_open;
  node->close = robot_ws_close;
  G_OBJECT_CLASS (klass)->finalize = robot_ws_finalize;
  acq_node_class_add_options (node, options, G_N_ELEMENTS (options));
}

static void
robot_ws_init (RobotWs *self)
{
}

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "robot-ws",
  .summary = "Robot dog telemetry (Robot SDK 1.2.0) over WebSocket or UDP, as a passive client",
  .version = ACQ_VERSION,
  .licence = "Apache-2.0",
  .streams = robot_stream_templates,
  .get_type = robot_ws_get_type,
};
