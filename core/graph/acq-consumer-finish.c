/* SPDX-License-Identifier: Apache-2.0 */

/* Finish jobs: what is left to do for a take that ended, on a thread beside the next one. */

#include <acq/acq-error.h>

#include "graph/acq-consumer-private.h"
#include "graph/acq-node-private.h"
#include "graph/acq-take-private.h"

AcqFailCause
acq_consumer_cause_of (const GError *error)
{
  if (g_error_matches (error, ACQ_ERROR, ACQ_ERROR_NO_SPACE))
    return ACQ_FAIL_NO_SPACE;
  if (g_error_matches (error, ACQ_ERROR, ACQ_ERROR_IO))
    return ACQ_FAIL_WRITE;
  return ACQ_FAIL_SINK;
}

typedef struct {
  AcqConsumer *consumer;
  AcqTake *take;
  AcqNode *node;
  AcqFinishJob job;
} FinishThread;

/* Once the thread and all finish jobs are over, nobody settles any more. */
void
acq_consumer_close_if_over (AcqConsumer *self, AcqFailCause cause)
{
  gboolean over;

  pthread_mutex_lock (&self->lock);
  over = self->done && self->n_jobs == 0;
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; over && i < self->mine->len; i++)
    acq_link_close (self->mine->pdata[i], cause);
}

static void
job_failed (AcqConsumer *self, GError *error)
{
  AcqEvent event = { .kind = ACQ_EVENT_KIND_ALERT, .severity = ACQ_EVENT_SEVERITY_ERROR };

  acq_node_set_state_problem (self->node, ACQ_NODE_FAILED, error->message);
  g_strlcpy (event.name, "finish_failed", sizeof event.name);
  g_snprintf (event.message, sizeof event.message, "%s could not finish its file: %s",
              acq_node_get_id (self->node), error->message);
  acq_node_event (self->node, &event);
}

static gpointer
run_finish_job (gpointer data)
{
  FinishThread *self = data;
  AcqFailCause cause = ACQ_FAIL_SINK;
  g_autoptr (GError) error = NULL;

  if (!self->job.func (self->take, self->job.data, &error)) {
    cause = acq_consumer_cause_of (error);
    job_failed (self->consumer, error);
  }
  if (self->job.destroy != NULL)
    self->job.destroy (self->job.data);
  pthread_mutex_lock (&self->consumer->lock);
  self->consumer->n_jobs--;
  pthread_mutex_unlock (&self->consumer->lock);
  acq_consumer_close_if_over (self->consumer, cause);
  acq_consumer_release_take (self->consumer, self->take);
  acq_take_unref (self->take);
  g_object_unref (self->node);
  g_free (self);
  return NULL;
}

void
acq_consumer_start_job (AcqConsumer *self, AcqTake *take)
{
  FinishThread *finish = g_new0 (FinishThread, 1);

  pthread_mutex_lock (&self->lock);
  self->n_jobs++;
  pthread_mutex_unlock (&self->lock);
  finish->consumer = self;
  finish->take = acq_take_ref (take);
  finish->node = g_object_ref (self->node);
  finish->job = self->job;
  g_thread_unref (g_thread_new ("acq-finish", run_finish_job, finish));
}
