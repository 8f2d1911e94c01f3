/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-thermo: the lab's thermometers, one datagram for each reading
 *
 * The plugin to copy. It is complete: options, a socket on the source's own loop, a parser
 * that can be tested alone, the ledger down to the datagram, and a message type of its own
 * (schemas/lab_thermo_msgs). docs/write-a-plugin.md walks through it.
 *
 *   "thermo": { "plugin": "lab-thermo", "port": 15100, "where": "fume hood" }
 *
 * Read it from the bottom up.
 */
#include <string.h>

#include <acq/acq.h>

#include "lab-thermo-protocol.h"
#include "lab_thermo_msgs.h"

#define BATCH 64 /* datagrams for which the port is locked once */

struct _LabThermoSource {
  AcqSource parent;

  /* options */
  char *address;
  gint64 port;
  char *where;

  /* between open and close; the source's thread only */
  GSocket *socket;
  GSource *watch;
  AcqPort *ledger;
  AcqStream *stream;
  guint32 next;
  gboolean have_next;
};

G_DECLARE_FINAL_TYPE (LabThermoSource, lab_thermo_source, LAB_THERMO, SOURCE, AcqSource)
G_DEFINE_TYPE (LabThermoSource, lab_thermo_source, ACQ_TYPE_SOURCE)

static const AcqOption options[] = {
  { "address", ACQ_FIELD_STRING (LabThermoSource, address), .def_text = "127.0.0.1",
    .help = "Address to listen on" },
  { "port", ACQ_FIELD_INT (LabThermoSource, port), .def = 15100, .min = 1, .max = 65535,
    .help = "UDP port to listen on" },
  { "where", ACQ_FIELD_STRING (LabThermoSource, where), .def_text = "",
    .help = "Where the thermometer hangs; kept with every reading" },
};

/* Every accepted datagram is a frame, or late: one of the two, and counted as such. */
static void
push (LabThermoSource *self, const LabThermoReading *reading)
{
  AcqFrame *frame = NULL;
  LabThermoSample *msg;

  acq_source_count_accepted (ACQ_SOURCE (self), 1);
  if (self->have_next && (gint32) (reading->counter - self->next) < 0) {
    acq_stream_count (self->stream, ACQ_STREAM_LATE, 1);
    return;
  }
  if (self->have_next)
    acq_stream_count (self->stream, ACQ_STREAM_LOST, reading->counter - self->next);
  self->next = reading->counter + 1;
  self->have_next = TRUE;

  msg = lab_thermo_sample_begin (self->stream, &frame);
  msg->celsius = reading->celsius;
  msg->n_spots = reading->n_spots;
  memcpy (msg->spots, reading->spots, reading->n_spots * sizeof (float));
  msg->counter = reading->counter;
  g_strlcpy (msg->label, self->where, sizeof msg->label);
  frame->flags |= ACQ_FRAME_SEQUENCE;
  acq_stream_push (self->stream, frame, reading->counter, ACQ_TIME_NONE);
}

static gboolean
on_readable (GSocket *socket, GIOCondition condition, gpointer data)
{
  LabThermoSource *self = data;
  LabThermoReading reading;
  char packet[2048];

  acq_port_lock (self->ledger);
  for (guint i = 0; i < BATCH; i++) {
    gssize size = g_socket_receive (socket, packet, sizeof packet, NULL, NULL);
    const char *reason;

    if (size < 0)
      break; /* nothing more for now */
    acq_port_count (self->ledger, ACQ_PORT_PACKETS, 1);
    reason = lab_thermo_parse (packet, (gsize) size, &reading);
    if (reason != NULL)
      acq_port_count_rejected (self->ledger, reason, 1);
    else
      push (self, &reading);
  }
  acq_port_unlock (self->ledger);
  return G_SOURCE_CONTINUE;
}

static gboolean
lab_thermo_source_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  LabThermoSource *self = LAB_THERMO_SOURCE (node);
  AcqStreamInfo info = { .name = "temperature",
                         .schema = &lab_thermo_sample_schema,
                         .rate_hz = 10 };
  g_autoptr (GSocketAddress) address = NULL;
  g_autofree char *name = NULL;

  address = g_inet_socket_address_new_from_string (self->address, (guint) self->port);
  if (address == NULL) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_OPTION,
                 "address '%s' is no IP address; write for example 127.0.0.1", self->address);
    return FALSE;
  }
  self->socket = g_socket_new (g_socket_address_get_family (address), G_SOCKET_TYPE_DATAGRAM,
                               G_SOCKET_PROTOCOL_DEFAULT, error);
  if (self->socket == NULL || !g_socket_bind (self->socket, address, FALSE, error))
    return FALSE;
  g_socket_set_blocking (self->socket, FALSE);

  name = g_strdup_printf ("udp %s:%d", self->address, (int) self->port);
  self->ledger = acq_port_new (name, "datagrams");
  acq_source_set_port (ACQ_SOURCE (self), self->ledger);
  acq_node_set_fact (node, "kind", "lab-thermo");
  self->stream = acq_source_add_stream (ACQ_SOURCE (self), &info);
  self->have_next = FALSE;

  self->watch = g_socket_create_source (self->socket, G_IO_IN, NULL);
  g_source_set_callback (self->watch, G_SOURCE_FUNC (on_readable), self, NULL);
  g_source_attach (self->watch, g_main_context_get_thread_default ());
  return TRUE;
}

/* Also after an open that failed half way. */
static void
lab_thermo_source_close (AcqNode *node)
{
  LabThermoSource *self = LAB_THERMO_SOURCE (node);

  if (self->watch != NULL)
    g_source_destroy (self->watch);
  g_clear_pointer (&self->watch, g_source_unref);
  g_clear_object (&self->socket);
  g_clear_pointer (&self->ledger, acq_port_unref);
}

static void
lab_thermo_source_class_init (LabThermoSourceClass *klass)
{
  AcqNodeClass *node_class = ACQ_NODE_CLASS (klass);

  node_class->open = lab_thermo_source_open;
  node_class->close = lab_thermo_source_close;
  acq_node_class_add_options (node_class, options, G_N_ELEMENTS (options));
}

static void
lab_thermo_source_init (LabThermoSource *self)
{
}

static const AcqStreamTemplate streams[] = {
  { "temperature", &lab_thermo_sample_schema, .help = "Every reading, as it came" },
  { NULL },
};

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "lab-thermo",
  .summary = "Thermometers of the lab, over UDP",
  .version = "1.0",
  .licence = "Apache-2.0",
  .streams = streams,
  .get_type = lab_thermo_source_get_type,
};
