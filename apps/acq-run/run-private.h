/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "run-options.h"
#include "run-report.h"
#include "run-status.h"
#include "run-verdict.h"
#include "run-view.h"
#include "run-watch.h"

typedef struct {
  AcqPipeline *pipeline;
  AcqGraph *graph;
  const RunOptions *options;
  RunOutput *output;

  GMainLoop *loop;
  RunStatus *status;
  RunRates *rates;
  RunWatch *watch;
  RunEvents *events;
  RunVerdict *verdict;

  GThread *worker;
  GCancellable *opening;
  GError *open_error; /* (nullable): the worker's, until it is joined */

  RunPhase phase;
  AcqTake *take;
  gint64 started_us; /* monotonic; 0 before frames flow */
  double elapsed_s;  /* once it is over */
  const char *reason;
  char *message;
  GPtrArray *missing; /* (nullable): required sources that were lost at the end */
  GArray *timers;     /* of guint */
} Run;

/* run-end.c */

/* Seconds since frames could flow. */
double run_elapsed (Run *self);
/* A look at how things are; run_clear_view() it. */
void run_look (Run *self, RunView *view);
void run_clear_view (RunView *view);
void run_pop_events (Run *self);
/* Everything is over: judges it, and tells. Ends the main loop. */
void run_conclude (Run *self);
