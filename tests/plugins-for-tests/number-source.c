/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number-source: counts, and fails in every way that a device can
 *
 * The k-th number is k, in `illuminance`. A port counts what it pretends to receive.
 */
#include <stdio.h>
#include <unistd.h>

#include <gmodule.h>

#include <acq/acq.h>

enum { FAULT_NONE, FAULT_OPEN_FAILS, FAULT_OPEN_HANGS, FAULT_RUN_HANGS, FAULT_CLOSE_HANGS };

static const char *const fault_words[] = { "none",      "open-fails",  "open-hangs",
                                           "run-hangs", "close-hangs", NULL };

struct _NumberSource {
  AcqSource parent;

  /* options */
  double rate_hz;
  gint64 count;
  int fault;
  gint64 gap_every;
  gint64 reject_every;
  gint64 lost_at;
  gboolean gone;
  gboolean chatter;

  /* the source's thread */
  AcqPort *port;
  AcqStream *stream;
  guint64 next;
  gboolean was_lost;
};

G_DECLARE_FINAL_TYPE (NumberSource, number_source, NUMBER, SOURCE, AcqSource)
G_DEFINE_TYPE (NumberSource, number_source, ACQ_TYPE_SOURCE)

static const AcqOption options[] = {
  { "rate-hz", ACQ_FIELD_DOUBLE (NumberSource, rate_hz), .def = 200, .min = 0.1, .max = 100000,
    .unit = "Hz", .help = "Numbers a second" },
  { "count", ACQ_FIELD_INT (NumberSource, count), .def = 0, .min = 0, .max = 1e9,
    .help = "End after so many; 0 goes on" },
  { "fault", ACQ_FIELD_ENUM (NumberSource, fault, fault_words), .help = "What does not work" },
  { "gap-every", ACQ_FIELD_INT (NumberSource, gap_every), .def = 0, .min = 0, .max = 1e9,
    .help = "Every so many, one number never comes" },
  { "reject-every", ACQ_FIELD_INT (NumberSource, reject_every), .def = 0, .min = 0, .max = 1e9,
    .help = "Every so many, a packet that is no number comes too" },
  { "lost-at", ACQ_FIELD_INT (NumberSource, lost_at), .def = 0, .min = 0, .max = 1e9,
    .help = "Be lost once, after so many" },
  { "gone", ACQ_FIELD_BOOL (NumberSource, gone), .help = "What was lost does not come back" },
  { "chatter", ACQ_FIELD_BOOL (NumberSource, chatter), .help = "Print, as vendor libraries do" },
};

static gboolean
number_source_open (AcqNode *node, GCancellable *cancellable, GError **error)
{
  NumberSource *self = NUMBER_SOURCE (node);
  AcqStreamInfo info = { .name = "number",
                         .schema = &acq_illuminance_schema,
                         .rate_hz = self->rate_hz,
                         .has_sequence = TRUE };

  while (self->fault == FAULT_OPEN_HANGS)
    sleep (1);
  if (self->fault == FAULT_OPEN_FAILS || (self->was_lost && self->gone)) {
    g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE, "there are no numbers today");
    return FALSE;
  }
  acq_node_set_fact (node, "section", "counters");
  acq_node_set_fact (node, "kind", "number");
  acq_node_set_fact (node, "serial", "N-1");
  self->stream = acq_source_add_stream (ACQ_SOURCE (self), &info);
  if (self->port == NULL) {
    g_autofree char *name = g_strdup_printf ("counter %s", acq_node_get_id (node));

    self->port = acq_port_new (name, "packets");
    acq_source_set_port (ACQ_SOURCE (self), self->port);
  }
  return TRUE;
}

static gboolean
is_due (guint64 number, gint64 every)
{
  return every > 0 && number % (guint64) every == 0;
}

static void
push (NumberSource *self)
{
  AcqFrame *frame;
  AcqIlluminance *msg;

  acq_port_lock (self->port);
  self->next++;
  if (is_due (self->next, self->gap_every)) {
    acq_stream_count (self->stream, ACQ_STREAM_LOST, 1);
    self->next++;
  }
  if (is_due (self->next, self->reject_every)) {
    acq_port_count (self->port, ACQ_PORT_PACKETS, 1);
    acq_port_count_rejected (self->port, "no_number", 1);
  }
  acq_port_count (self->port, ACQ_PORT_PACKETS, 1);
  acq_source_count_accepted (ACQ_SOURCE (self), 1);
  msg = acq_illuminance_begin (self->stream, &frame);
  msg->illuminance = (double) self->next;
  acq_stream_push (self->stream, frame, self->next, ACQ_TIME_NONE);
  acq_port_unlock (self->port);
  if (self->chatter) {
    printf ("number %d\n", (int) self->next);
    fflush (stdout);
  }
}

/* Until @until_us, or until somebody wants us to end. */
static void
wait_until (gint64 until_us, GCancellable *cancellable)
{
  GPollFD fd;
  gint64 left_us = until_us - g_get_monotonic_time ();

  if (left_us <= 0 || !g_cancellable_make_pollfd (cancellable, &fd))
    return;
  g_poll (&fd, 1, (int) ((left_us + 999) / 1000));
  g_cancellable_release_fd (cancellable);
}

static gboolean
number_source_run (AcqSource *source, GCancellable *cancellable, GError **error)
{
  NumberSource *self = NUMBER_SOURCE (source);
  gint64 start_us = g_get_monotonic_time ();

  for (guint64 n = 1; !g_cancellable_is_cancelled (cancellable); n++) {
    if (self->count > 0 && self->next >= (guint64) self->count)
      return TRUE;
    if (self->lost_at > 0 && !self->was_lost && self->next >= (guint64) self->lost_at) {
      self->was_lost = TRUE;
      g_set_error (error, ACQ_ERROR, ACQ_ERROR_DEVICE, "the counter was unplugged");
      return FALSE;
    }
    wait_until (start_us + (gint64) (n * 1e6 / self->rate_hz), cancellable);
    if (!g_cancellable_is_cancelled (cancellable))
      push (self);
  }
  while (self->fault == FAULT_RUN_HANGS)
    sleep (1);
  return TRUE;
}

static void
number_source_close (AcqNode *node)
{
  NumberSource *self = NUMBER_SOURCE (node);

  while (self->fault == FAULT_CLOSE_HANGS)
    sleep (1);
}

static void
number_source_finalize (GObject *object)
{
  g_clear_pointer (&NUMBER_SOURCE (object)->port, acq_port_unref);
  G_OBJECT_CLASS (number_source_parent_class)->finalize (object);
}

static void
number_source_class_init (NumberSourceClass *klass)
{
  AcqNodeClass *node_class = ACQ_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = number_source_finalize;
  node_class->open = number_source_open;
  node_class->close = number_source_close;
  ACQ_SOURCE_CLASS (klass)->run = number_source_run;
  acq_node_class_add_options (node_class, options, G_N_ELEMENTS (options));
}

static void
number_source_init (NumberSource *self)
{
}

static const AcqStreamTemplate streams[] = {
  { "number", &acq_illuminance_schema, .help = "1, 2, 3 and so on" },
  { NULL },
};

G_MODULE_EXPORT const AcqPlugin acq_plugin = {
  .abi = ACQ_PLUGIN_ABI,
  .name = "number-source",
  .summary = "Counts; for tests",
  .version = "1.0",
  .licence = "Apache-2.0",
  .streams = streams,
  .get_type = number_source_get_type,
};
