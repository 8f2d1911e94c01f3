/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The thread of a source, and reconnect.
 *
 *   opening --open ok--> running --stop--------------> closed
 *      |                    |  `--end of the data----> closed
 *      |                    `--lost--> (close, pause) --> opening
 *      `--open failed------------------> (pause) ------> opening
 *
 * A session lasts from one open() to its close(). It has a cancellable of its
 * own, which stop(), lost() and finish() cancel; nothing else ends a session.
 */

#include "graph/acq-graph-private.h"
#include "graph/acq-node-private.h"
#include "graph/acq-source-private.h"

/* close() undoes things; it may talk to a device that does not answer. */
#define CLOSE_TIMEOUT_S 5

static void
emit_lost (AcqSource *self, const char *cause, const char *message)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_LOST, .severity = ACQ_EVENT_SEVERITY_ERROR };

  g_strlcpy (event.name, cause, sizeof event.name);
  g_snprintf (event.message, sizeof event.message, "%s is lost: %s; it is tried again",
              acq_node_get_id (ACQ_NODE (self)), message);
  event.from_ns = acq_source_get_private (self)->lost_since;
  acq_node_event (ACQ_NODE (self), &event);
}

static void
emit_reconnected (AcqSource *self)
{
  AcqSourcePrivate *priv = acq_source_get_private (self);
  AcqEvent event = { .kind = ACQ_EVENT_KIND_RECONNECTED, .severity = ACQ_EVENT_SEVERITY_INFO };
  gint64 now_ns = acq_node_now (ACQ_NODE (self));

  g_strlcpy (event.name, "reconnected", sizeof event.name);
  g_snprintf (event.message, sizeof event.message, "%s is back after %.3f s and %u tries",
              acq_node_get_id (ACQ_NODE (self)), (now_ns - priv->lost_since) * 1e-9,
              priv->attempts);
  event.from_ns = priv->lost_since;
  event.to_ns = now_ns;
  event.count = priv->attempts;
  acq_node_event (ACQ_NODE (self), &event);
  acq_source_gap (self, NULL, priv->last_frame_ns, now_ns, 0, "lost");
  priv->lost_since = 0;
  atomic_fetch_add (&priv->reconnects, 1);
}

static gboolean
is_over (AcqSourcePrivate *priv)
{
  gboolean over;

  pthread_mutex_lock (&priv->lock);
  over = priv->stopping || priv->finished || priv->done;
  pthread_mutex_unlock (&priv->lock);
  return over;
}

static GCancellable *
begin_session (AcqSourcePrivate *priv)
{
  GCancellable *session = g_cancellable_new ();

  pthread_mutex_lock (&priv->lock);
  priv->session = session;
  priv->lost = FALSE;
  priv->retry_after = 0;
  if (priv->stopping)
    g_cancellable_cancel (session);
  pthread_mutex_unlock (&priv->lock);
  return session;
}

static void
end_session (AcqSourcePrivate *priv)
{
  GCancellable *session;

  pthread_mutex_lock (&priv->lock);
  session = g_steal_pointer (&priv->session);
  pthread_mutex_unlock (&priv->lock);
  g_object_unref (session);
}

static void
tell_opened (AcqSourcePrivate *priv, const GError *error)
{
  pthread_mutex_lock (&priv->lock);
  if (!priv->opened && error != NULL)
    priv->open_error = g_error_copy (error);
  priv->opened = TRUE;
  pthread_cond_broadcast (&priv->changed);
  pthread_mutex_unlock (&priv->lock);
}

static void
run_session (AcqSource *self, GCancellable *session)
{
  AcqSourcePrivate *priv = acq_source_get_private (self);
  AcqSourceClass *klass = ACQ_SOURCE_GET_CLASS (self);
  g_autoptr (GError) error = NULL;

  if (klass->run == NULL) {
    while (!g_cancellable_is_cancelled (session))
      g_main_context_iteration (priv->context, TRUE);
    return;
  }
  if (!klass->run (self, session, &error))
    acq_source_lost (self, "lost", "%s", error->message);
  else if (!g_cancellable_is_cancelled (session))
    acq_source_finish (self);
}

static void
close_session (AcqSource *self)
{
  AcqNode *node = ACQ_NODE (self);

  acq_node_step (node, "close", CLOSE_TIMEOUT_S);
  acq_node_close (node);
  acq_node_step (node, NULL, 0);
  acq_graph_end_streams (acq_node_get_graph (node), node);
}

/* One session. Returns its problem in words when it ended as lost. */
static char *
session (AcqSource *self, gboolean *ret_opened)
{
  AcqSourcePrivate *priv = acq_source_get_private (self);
  AcqNode *node = ACQ_NODE (self);
  GCancellable *cancellable = begin_session (priv);
  g_autoptr (GError) error = NULL;
  char *problem = NULL;

  acq_node_set_state (node, ACQ_NODE_OPENING);
  acq_node_step (node, "open", acq_source_open_timeout (self));
  *ret_opened = acq_node_open (node, cancellable, &error);
  acq_node_step (node, NULL, 0);
  if (*ret_opened) {
    acq_node_set_state_problem (node, ACQ_NODE_RUNNING, NULL);
    acq_graph_publish_node (acq_node_get_graph (node), node);
    priv->first_failed = FALSE;
    tell_opened (priv, NULL);
    if (priv->lost_since != 0)
      emit_reconnected (self);
    priv->attempts = 0;
    priv->pause = priv->retry_min;
    run_session (self, cancellable);
  } else {
    priv->first_failed = !priv->opened;
    tell_opened (priv, error);
    problem = g_strdup (error->message);
  }
  close_session (self);
  pthread_mutex_lock (&priv->lock);
  if (priv->lost) {
    g_free (problem);
    problem = g_strdup (priv->message);
  }
  pthread_mutex_unlock (&priv->lock);
  end_session (priv);
  return problem;
}

static gboolean
wake_up (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
pause_before_retry (AcqSource *self)
{
  AcqSourcePrivate *priv = acq_source_get_private (self);
  gint64 pause, until;
  g_autoptr (GSource) timer = NULL;

  pthread_mutex_lock (&priv->lock);
  pause = MAX (priv->pause, priv->retry_after);
  pthread_mutex_unlock (&priv->lock);
  until = g_get_monotonic_time () + pause / 1000;
  timer = g_timeout_source_new (MAX (1, pause / 1000000));
  g_source_set_callback (timer, wake_up, NULL, NULL);
  g_source_attach (timer, priv->context);
  while (!is_over (priv) && g_get_monotonic_time () < until)
    g_main_context_iteration (priv->context, TRUE);
  g_source_destroy (timer);
  priv->pause =
      MIN (MAX (priv->pause, priv->retry_min) * 2, MAX (priv->retry_max, priv->retry_min));
}

static void
be_lost (AcqSource *self, gboolean was_open, const char *problem)
{
  AcqSourcePrivate *priv = acq_source_get_private (self);
  g_autofree char *cause = NULL;

  acq_node_set_state_problem (ACQ_NODE (self), ACQ_NODE_LOST, problem);
  priv->attempts++;
  /* A required source that never opened fails the start, which tells it better. */
  if (priv->lost_since != 0 ||
      (priv->first_failed && acq_graph_is_required (acq_node_get_graph (ACQ_NODE (self)),
                                                    acq_node_get_id (ACQ_NODE (self)))))
    return;
  priv->lost_since = acq_node_now (ACQ_NODE (self));
  /* Now, and not when it is back: the first messages of the new session come before that. */
  priv->last_frame_ns =
      acq_graph_last_frame_of (acq_node_get_graph (ACQ_NODE (self)), ACQ_NODE (self));
  if (priv->last_frame_ns == 0)
    priv->last_frame_ns = priv->lost_since;
  pthread_mutex_lock (&priv->lock);
  cause = g_strdup (was_open ? priv->cause : "open_failed");
  pthread_mutex_unlock (&priv->lock);
  emit_lost (self, cause, problem);
}

static gpointer
source_thread (gpointer data)
{
  AcqSource *self = data;
  AcqSourcePrivate *priv = acq_source_get_private (self);
  AcqGraph *graph = g_object_ref (acq_node_get_graph (ACQ_NODE (self)));

  g_main_context_push_thread_default (priv->context);
  priv->pause = priv->retry_min;
  while (!is_over (priv)) {
    gboolean opened;
    g_autofree char *problem = session (self, &opened);

    if (is_over (priv))
      break;
    be_lost (self, opened, problem != NULL ? problem : "the device ended");
    pause_before_retry (self);
  }
  if (!acq_source_is_done (self))
    acq_node_set_state (ACQ_NODE (self), ACQ_NODE_CLOSED);
  g_main_context_pop_thread_default (priv->context);

  pthread_mutex_lock (&priv->lock);
  priv->opened = TRUE;
  priv->done = TRUE;
  pthread_cond_broadcast (&priv->changed);
  pthread_mutex_unlock (&priv->lock);
  g_object_unref (self);
  g_object_unref (graph);
  return NULL;
}

void
acq_source_start (AcqSource *self)
{
  acq_source_get_private (self)->thread =
      g_thread_new (acq_node_get_id (ACQ_NODE (self)), source_thread, g_object_ref (self));
}
