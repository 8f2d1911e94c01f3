/* SPDX-License-Identifier: Apache-2.0 */

/**
 * fsnh-udp: hands of gloves whose host software sends FSNH v4 packets over UDP.
 *
 *   "left_hand":  { "plugin": "fsnh-udp", "side": "left" },
 *   "right_hand": { "plugin": "fsnh-udp", "side": "right" }
 *
 * One node is one hand; nodes on one port share the socket and its ledger. In the host
 * software, set the target to this machine's address and port 15001. Nothing is ever sent to
 * it.
 *
 * `hand_skeleton` has a row for each new solution: 21 joints from the wrist on, in metres and
 * quaternions as they came. A glove in forearm mode sends 22; the constant forearm root is not
 * kept, and `root` says what the rows are relative to (with `layout` wrist-relative always the
 * wrist). `raw`, when `streams` names it, has every datagram as it came: accepted, foreign and
 * refused ones, with sender and reason.
 *
 * Written from the protocol's description; no hardware was at hand. Two constants of its
 * header are doubtful: when a glove's packets are refused for them alone, an alert says which
 * options (`magic`, `quat-order`) to set.
 *
 * In reading order: fsnh-protocol.c (bytes to joints), fsnh-sequence.c (what a packet is
 * among its neighbours), fsnh-hand.c (joints to messages), fsnh-reader.c (the thread),
 * fsnh-hub.c (sharing), fsnh-socket.c; fsnh-alerts.c and fsnh-allow.c beside them.
 *
 * Threads: the node's own thread opens and waits; the socket's reader pushes.
 */

#include "fsnh-hub.h"

#define FSNH_TYPE_UDP (fsnh_udp_get_type ())
G_DECLARE_FINAL_TYPE (FsnhUdp, fsnh_udp, FSNH, UDP, AcqSource)

struct _FsnhUdp {
  AcqSource parent_instance;

  /* Options. */
  char *address;
  gint64 port;
  char *interface;
  int side;
  char **allow;
  int layout;
  double rate_hz;
  gint64 silence_ns;
  gboolean repeats;
  guint64 receive_buffer;
  char *magic;
  char *quat_order;

  FsnhHub *hub; /* (nullable): kept over a reconnect, so that its ledger goes on */

  /* Between open and close. */
  gboolean uses_hub;
  FsnhHand *hand;
};

G_DEFINE_FINAL_TYPE (FsnhUdp, fsnh_udp, ACQ_TYPE_SOURCE)

static const char *const sides[] = { "left", "right", NULL };
static const char *const layouts[] = { "as-received", "wrist-relative", NULL };

static const AcqOption options[] = {
  { "side", ACQ_FIELD_ENUM (FsnhUdp, side, sides), .flags = ACQ_OPTION_REQUIRED,
    .help = "Which hand this node records" },
  { "address", ACQ_FIELD_STRING (FsnhUdp, address), .def_text = "0.0.0.0",
    .help = "Address to listen on: 0.0.0.0 (IPv4) or :: (both) for all of this machine's, one of "
            "them, or a multicast group to join" },
  { "port", ACQ_FIELD_INT (FsnhUdp, port), .def = 15001, .min = 1, .max = 65535,
    .help = "UDP port to listen on; the nodes of both hands share it" },
  { "allow", ACQ_FIELD_STRV (FsnhUdp, allow),
    .help = "Who may send: addresses, networks (192.168.1.0/24), addresses with a port; without "
            "it everybody" },
  { "layout", ACQ_FIELD_ENUM (FsnhUdp, layout, layouts), .def = FSNH_AS_RECEIVED,
    .help = "What the joints of a forearm packet are relative to: as it came, or its wrist" },
  { "interface", ACQ_FIELD_STRING (FsnhUdp, interface),
    .help = "Network interface, for multicast groups and link-local addresses",
    .flags = ACQ_OPTION_ADVANCED },
  { "rate-hz", ACQ_FIELD_DOUBLE (FsnhUdp, rate_hz), .def = 120, .min = 0.1, .max = 10000,
    .unit = "Hz", .help = "What the glove is set to send; sizes queues, changes nothing else",
    .flags = ACQ_OPTION_ADVANCED },
  { "silence", ACQ_FIELD_DURATION (FsnhUdp, silence_ns), .def = 1, .min = 0.05, .max = 3600,
    .unit = "s", .help = "Without a new solution for so long there is an alert, then a gap",
    .flags = ACQ_OPTION_ADVANCED },
  { "repeats", ACQ_FIELD_BOOL (FsnhUdp, repeats), .def = FALSE,
    .help = "Keep the beats in which the sender repeats itself as rows too (see status)",
    .flags = ACQ_OPTION_ADVANCED },
  { "receive-buffer", ACQ_FIELD_BYTES (FsnhUdp, receive_buffer), .def = 4 << 20, .min = 4096,
    .max = 1 << 30, .unit = "bytes", .help = "What the kernel shall hold while we are busy",
    .flags = ACQ_OPTION_ADVANCED },
  { "magic", ACQ_FIELD_STRING (FsnhUdp, magic), .def_text = "0x464E4853",
    .help = "Number at the head of a packet; the document's may be wrong, an alert says when",
    .flags = ACQ_OPTION_ADVANCED },
  { "quat-order", ACQ_FIELD_STRING (FsnhUdp, quat_order), .def_text = "0x77787A79",
    .help = "Number that stands for the order of the quaternion; another one does not change it",
    .flags = ACQ_OPTION_ADVANCED },
};

static gboolean
parse_constant (const char *name, const char *text, guint32 *ret_number, GError **error)
{
  gboolean hex = text != NULL && g_ascii_strncasecmp (text, "0x", 2) == 0;
  guint64 number;

  if (text == NULL || !g_ascii_string_to_unsigned (text + (hex ? 2 : 0), hex ? 16 : 10, 0,
                                                   G_MAXUINT32, &number, NULL)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "%s is \"%s\"; it takes a number of 32 bits, like \"0x464E4853\"", name,
                 text != NULL ? text : "");
    return FALSE;
  }
  *ret_number = (guint32) number;
  return TRUE;
}

/* What the nodes of a port must agree on. Free `allow`, which is NULL on failure. */
static gboolean
make_config (FsnhUdp *self, FsnhHubConfig *ret_config, GError **error)
{
  FsnhHubConfig config = { .socket = { .address = self->address,
                                       .port = (guint16) self->port,
                                       .interface = self->interface,
                                       .receive_buffer = self->receive_buffer } };

  if (!fsnh_socket_check (&config.socket, error) ||
      !parse_constant ("magic", self->magic, &config.constants.magic, error) ||
      !parse_constant ("quat-order", self->quat_order, &config.constants.quat_order, error))
    return FALSE;
  config.allow = fsnh_allow_new (self->allow, error);
  if (config.allow == NULL)
    return FALSE;
  *ret_config = config;
  return TRUE;
}

static gboolean
fsnh_udp_check (AcqNode *node, GError **error)
{
  FsnhHubConfig config;

  if (!make_config (FSNH_UDP (node), &config, error))
    return FALSE;
  fsnh_allow_free (config.allow);
  return TRUE;
}

static gboolean
fsnh_udp_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  FsnhUdp *self = FSNH_UDP (node);
  const FsnhHandConfig hand = { .side = self->side == 0 ? FSNH_LEFT : FSNH_RIGHT,
                                .layout = self->layout,
                                .rate_hz = self->rate_hz,
                                .silence_ns = self->silence_ns,
                                .repeats = self->repeats };
  FsnhHubConfig config;

  if (!make_config (self, &config, error))
    return FALSE;
  if (self->hub == NULL)
    self->hub = fsnh_hub_get (acq_node_get_graph (node), &config.socket);
  acq_source_set_port (ACQ_SOURCE (self), fsnh_hub_get_port (self->hub));
  self->uses_hub = fsnh_hub_use (self->hub, node, hand.side, &config, error);
  if (!self->uses_hub)
    return FALSE;
  acq_node_set_fact (node, "section", "gloves");
  acq_node_set_fact (node, "kind", "fsnh");
  acq_node_set_fact (node, "side", sides[self->side]);
  self->hand = fsnh_hand_new (ACQ_SOURCE (self), &hand);
  return TRUE;
}

/* The streams are published by now, so the reader may push. */
static gboolean
fsnh_udp_run (AcqSource *source, GCancellable *cancellable, GError **error)
{
  FsnhUdp *self = FSNH_UDP (source);

  fsnh_hub_join (self->hub, self->hand);
  while (!g_cancellable_is_cancelled (cancellable))
    g_main_context_iteration (acq_source_get_context (source), TRUE);
  fsnh_hub_part (self->hub, self->hand);
  fsnh_hand_end (self->hand);
  return TRUE;
}

static void
fsnh_udp_close (AcqNode *node)
{
  FsnhUdp *self = FSNH_UDP (node);

  if (self->uses_hub)
    fsnh_hub_leave (self->hub, self->side == 0 ? FSNH_LEFT : FSNH_RIGHT);
  self->uses_hub = FALSE;
  g_clear_pointer (&self->hand, fsnh_hand_free);
}

static void
fsnh_udp_finalize (GObject *object)
{
  g_clear_pointer (&FSNH_UDP (object)->hub, fsnh_hub_unref);
  G_OBJECT_CLASS (fsnh_udp_parent_class)->finalize (object);
}

static void
fsnh_udp_class_init (FsnhUdpClass *klass)
{
  ACQ_NODE_CLASS (klass)->check = fsnh_udp_check;
  ACQ_NODE_CLASS (klass)->open = fsnh_udp_open;
  ACQ_NODE_CLASS (klass)->close = fsnh_udp_close;
  ACQ_SOURCE_CLASS (klass)->run = fsnh_udp_run;
  G_OBJECT_CLASS (klass)->finalize = fsnh_udp_finalize;
  acq_node_class_add_options (ACQ_NODE_CLASS (klass), options, G_N_ELEMENTS (options));
}

static void
fsnh_udp_init (FsnhUdp *self)
{
}

static const AcqStreamTemplate streams[] = {
  { "hand_skeleton", &acq_hand_skeleton_schema, .help = "21 joints of each new solution" },
  { "raw", &acq_raw_schema, .optional = TRUE,
    .help = "Every datagram as it came: accepted, foreign and refused ones" },
  { NULL },
};

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "fsnh-udp",
  .summary = "Hands of gloves that send FSNH v4 over UDP",
  .version = ACQ_VERSION,
  .licence = "Apache-2.0",
  .streams = streams,
  .get_type = fsnh_udp_get_type,
};
