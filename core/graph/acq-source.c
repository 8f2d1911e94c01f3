/* SPDX-License-Identifier: Apache-2.0 */

/* What a source says of itself, and what others ask of it. Its thread is in acq-source-session.c.
 */

#include <stdarg.h>

#include <acq/acq-error.h>
#include <acq/acq-plugin.h>

#include "base/acq-wait-private.h"
#include "graph/acq-graph-private.h"
#include "graph/acq-node-private.h"
#include "graph/acq-source-private.h"

enum { STAMP_HOST, STAMP_AUTO };

static const char *const stamp_words[] = { "host", "auto", NULL };

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (AcqSource, acq_source, ACQ_TYPE_NODE)

#define PRIVATE(self) ((AcqSourcePrivate *) acq_source_get_instance_private (self))

AcqSourcePrivate *
acq_source_get_private (AcqSource *self)
{
  return PRIVATE (self);
}

/* Offsets are within the private part; class_init moves them. */
static AcqOption options[] = {
  { "streams", ACQ_FIELD_STRV (AcqSourcePrivate, streams), .flags = ACQ_OPTION_STREAMS,
    .help = "Which streams to record; globs are allowed. Without it, the plugin's default" },
  { "stamp", ACQ_FIELD_ENUM (AcqSourcePrivate, stamp, stamp_words), .def = STAMP_HOST,
    .help = "What header.stamp says: host time, or device time mapped to host time where the "
            "device's clock is known well enough when a take begins",
    .flags = ACQ_OPTION_ADVANCED },
  { "retry-min", ACQ_FIELD_DURATION (AcqSourcePrivate, retry_min), .def = 1, .min = 0.01,
    .max = 3600, .unit = "s", .help = "First pause before a lost device is tried again",
    .flags = ACQ_OPTION_ADVANCED },
  { "retry-max", ACQ_FIELD_DURATION (AcqSourcePrivate, retry_max), .def = 15, .min = 0.01,
    .max = 3600, .unit = "s",
    .help = "Longest pause between two tries; each doubles the one before",
    .flags = ACQ_OPTION_ADVANCED },
  { "open-timeout", ACQ_FIELD_DURATION (AcqSourcePrivate, open_timeout), .def = 15, .min = 0.1,
    .max = 600, .unit = "s", .help = "How long opening the device may take",
    .flags = ACQ_OPTION_ADVANCED },
};

/* Streams */

AcqStream *
acq_source_add_stream (AcqSource *self, const AcqStreamInfo *info)
{
  return acq_graph_add_stream (acq_node_get_graph (ACQ_NODE (self)), ACQ_NODE (self), info);
}

gboolean
acq_source_wants (AcqSource *self, const char *stream)
{
  AcqSourcePrivate *priv = PRIVATE (self);
  const AcqPlugin *plugin = acq_node_get_plugin (ACQ_NODE (self));

  for (char **glob = priv->streams; glob != NULL && *glob != NULL; glob++) {
    if (g_pattern_match_simple (*glob, stream))
      return TRUE;
  }
  if (priv->streams != NULL)
    return FALSE;
  for (const AcqStreamTemplate *t = plugin != NULL ? plugin->streams : NULL;
       t != NULL && t->name != NULL; t++) {
    if (g_strcmp0 (t->name, stream) == 0)
      return !t->optional;
  }
  return TRUE;
}

/* Ports and counters */

void
acq_source_set_port (AcqSource *self, AcqPort *port)
{
  AcqSourcePrivate *priv = PRIVATE (self);
  AcqPort *old;

  pthread_mutex_lock (&priv->lock);
  old = priv->port;
  priv->port = port != NULL ? acq_port_ref (port) : NULL;
  pthread_mutex_unlock (&priv->lock);
  acq_port_unref (old);
  if (port != NULL)
    acq_graph_add_port (acq_node_get_graph (ACQ_NODE (self)), port);
}

AcqPort *
acq_source_get_port (AcqSource *self)
{
  AcqSourcePrivate *priv = PRIVATE (self);
  AcqPort *port;

  pthread_mutex_lock (&priv->lock);
  port = priv->port;
  pthread_mutex_unlock (&priv->lock);
  return port;
}

void
acq_source_count_accepted (AcqSource *self, guint64 n)
{
  atomic_fetch_add_explicit (&PRIVATE (self)->accepted, n, memory_order_relaxed);
}

guint64
acq_source_get_accepted (AcqSource *self)
{
  return atomic_load (&PRIVATE (self)->accepted);
}

guint64
acq_source_get_reconnects (AcqSource *self)
{
  return atomic_load (&PRIVATE (self)->reconnects);
}

gboolean
acq_source_wants_mapped_stamps (AcqSource *self)
{
  return PRIVATE (self)->stamp == STAMP_AUTO;
}

double
acq_source_open_timeout (AcqSource *self)
{
  return PRIVATE (self)->open_timeout * 1e-9;
}

GMainContext *
acq_source_get_context (AcqSource *self)
{
  return PRIVATE (self)->context;
}

/* Events */

void
acq_source_gap (AcqSource *self, AcqStream *stream, gint64 from_ns, gint64 to_ns, guint64 lost,
                const char *cause)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_GAP, .severity = ACQ_EVENT_SEVERITY_WARNING };
  const char *where =
      stream != NULL ? acq_stream_get_path (stream) : acq_node_get_id (ACQ_NODE (self));

  if (stream != NULL)
    g_strlcpy (event.stream, acq_stream_get_name (stream), sizeof event.stream);
  g_strlcpy (event.name, cause, sizeof event.name);
  g_snprintf (event.message, sizeof event.message,
              "%s: nothing for %.3f s (%s), %" G_GUINT64_FORMAT " messages known to be lost", where,
              (to_ns - from_ns) * 1e-9, cause, lost);
  event.from_ns = from_ns;
  event.to_ns = to_ns;
  event.count = lost;
  acq_node_event (ACQ_NODE (self), &event);
}

void
acq_source_clock_restarted (AcqSource *self, AcqClock *clock, AcqClockKind kind, const char *cause)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_CLOCK, .severity = ACQ_EVENT_SEVERITY_INFO };
  AcqClockEstimate estimate;

  acq_clock_restart (clock, kind);
  acq_clock_estimate (clock, &estimate);
  g_strlcpy (event.name, cause, sizeof event.name);
  g_snprintf (event.message, sizeof event.message,
              "the clock %s began anew (%s); it now counts %s time, epoch %u",
              acq_clock_get_id (clock), cause, acq_clock_kind_to_string (kind), estimate.epoch);
  event.code = estimate.epoch;
  acq_node_event (ACQ_NODE (self), &event);
}

/* Ending a session, from any thread */

static void
cancel_session (AcqSourcePrivate *priv, GCancellable *session)
{
  if (session == NULL)
    return;
  g_cancellable_cancel (session);
  g_main_context_wakeup (priv->context);
  g_object_unref (session);
}

void
acq_source_lost (AcqSource *self, const char *cause, const char *format, ...)
{
  AcqSourcePrivate *priv = PRIVATE (self);
  g_autofree char *message = NULL;
  GCancellable *session = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  pthread_mutex_lock (&priv->lock);
  if (priv->session != NULL && !priv->lost && !priv->stopping && !priv->finished) {
    priv->lost = TRUE;
    g_free (priv->cause);
    g_free (priv->message);
    priv->cause = g_strdup (cause);
    priv->message = g_steal_pointer (&message);
    session = g_object_ref (priv->session);
  }
  pthread_mutex_unlock (&priv->lock);
  cancel_session (priv, session);
}

void
acq_source_retry_after (AcqSource *self, double seconds)
{
  AcqSourcePrivate *priv = PRIVATE (self);

  pthread_mutex_lock (&priv->lock);
  priv->retry_after = (gint64) (seconds * 1e9);
  pthread_mutex_unlock (&priv->lock);
}

void
acq_source_finish (AcqSource *self)
{
  AcqSourcePrivate *priv = PRIVATE (self);
  GCancellable *session;

  pthread_mutex_lock (&priv->lock);
  priv->finished = TRUE;
  session = priv->session != NULL ? g_object_ref (priv->session) : NULL;
  pthread_mutex_unlock (&priv->lock);
  cancel_session (priv, session);
}

void
acq_source_stop (AcqSource *self)
{
  AcqSourcePrivate *priv = PRIVATE (self);
  GCancellable *session;

  pthread_mutex_lock (&priv->lock);
  priv->stopping = TRUE;
  session = priv->session != NULL ? g_object_ref (priv->session) : NULL;
  pthread_mutex_unlock (&priv->lock);
  cancel_session (priv, session);
  g_main_context_wakeup (priv->context);
}

/* What the graph asks */

static gboolean
wait_for (AcqSourcePrivate *priv, gboolean *flag, gint64 deadline_ns)
{
  gboolean set;

  pthread_mutex_lock (&priv->lock);
  while (!*flag && acq_cond_wait_until (&priv->changed, &priv->lock, deadline_ns))
    ;
  set = *flag;
  pthread_mutex_unlock (&priv->lock);
  return set;
}

gboolean
acq_source_wait_opened (AcqSource *self, gint64 deadline_ns)
{
  return wait_for (PRIVATE (self), &PRIVATE (self)->opened, deadline_ns);
}

gboolean
acq_source_wait_done (AcqSource *self, gint64 deadline_ns)
{
  AcqSourcePrivate *priv = PRIVATE (self);

  if (priv->thread == NULL)
    return TRUE;
  if (!wait_for (priv, &priv->done, deadline_ns))
    return FALSE;
  if (acq_node_get_state (ACQ_NODE (self)) != ACQ_NODE_STUCK)
    g_thread_join (g_steal_pointer (&priv->thread));
  else
    g_thread_unref (g_steal_pointer (&priv->thread));
  return TRUE;
}

void
acq_source_abandon (AcqSource *self)
{
  AcqSourcePrivate *priv = PRIVATE (self);

  pthread_mutex_lock (&priv->lock);
  if (!priv->opened)
    priv->open_error = g_error_new (ACQ_ERROR, ACQ_ERROR_TIMEOUT, "it did not answer in time");
  priv->opened = TRUE;
  priv->done = TRUE;
  pthread_cond_broadcast (&priv->changed);
  pthread_mutex_unlock (&priv->lock);
}

GError *
acq_source_dup_open_error (AcqSource *self)
{
  AcqSourcePrivate *priv = PRIVATE (self);
  GError *error;

  pthread_mutex_lock (&priv->lock);
  error = priv->open_error != NULL ? g_error_copy (priv->open_error) : NULL;
  pthread_mutex_unlock (&priv->lock);
  return error;
}

gboolean
acq_source_is_done (AcqSource *self)
{
  AcqSourcePrivate *priv = PRIVATE (self);
  gboolean done;

  pthread_mutex_lock (&priv->lock);
  done = priv->done;
  pthread_mutex_unlock (&priv->lock);
  return done;
}

gboolean
acq_source_is_finished (AcqSource *self)
{
  AcqSourcePrivate *priv = PRIVATE (self);
  gboolean finished;

  pthread_mutex_lock (&priv->lock);
  finished = priv->finished;
  pthread_mutex_unlock (&priv->lock);
  return finished;
}

static void
acq_source_finalize (GObject *object)
{
  AcqSourcePrivate *priv = PRIVATE (ACQ_SOURCE (object));

  /* After an abandoned thread's last look, also for ThreadSanitizer. */
  pthread_mutex_lock (&priv->lock);
  pthread_mutex_unlock (&priv->lock);
  acq_port_unref (priv->port);
  g_main_context_unref (priv->context);
  g_clear_error (&priv->open_error);
  g_free (priv->cause);
  g_free (priv->message);
  pthread_cond_destroy (&priv->changed);
  pthread_mutex_destroy (&priv->lock);
  G_OBJECT_CLASS (acq_source_parent_class)->finalize (object);
}

static void
acq_source_class_init (AcqSourceClass *klass)
{
  gint shift = g_type_class_get_instance_private_offset (klass);

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    options[i].offset += shift;
  acq_node_class_add_options (ACQ_NODE_CLASS (klass), options, G_N_ELEMENTS (options));
  G_OBJECT_CLASS (klass)->finalize = acq_source_finalize;
}

static void
acq_source_init (AcqSource *self)
{
  AcqSourcePrivate *priv = PRIVATE (self);

  priv->context = g_main_context_new ();
  pthread_mutex_init (&priv->lock, NULL);
  acq_cond_init (&priv->changed);
}
