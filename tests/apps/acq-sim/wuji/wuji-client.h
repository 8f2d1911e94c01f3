/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A client of the stand-in library, as small as can be: loaded with dlopen, never unloaded. */

#include "wuji/standin-api.h"
#include "wuji/standin-motion.h"

#include <glib.h>
#include <pthread.h>

/* The function of that name in the library; the test ends when it is not there. */
#define CALL(name) ((__typeof__ (&name)) client_symbol (#name))

void *client_symbol (const char *name);
gboolean client_has (const char *variant, const char *name);
/* Writes the configuration and loads the library; call before anything else. */
void client_load (const char *config);
/* Another configuration; no handle may be open. Quotes are ' instead of ". */
void client_configure (const char *config);
void client_fault (const char *fault);
/* The report as JSON text. */
char *client_report (void);

WujiDevice *client_connect (const char *serial);
void client_part (WujiDevice *device);

/* A subscription whose frames are counted, and checked by a function on its own thread. */
typedef struct _Watch Watch;
typedef void (*WatchCheck) (Watch *watch, const void *frame);

struct _Watch {
  /* set before subscribing */
  WatchCheck check;
  const char *serial;
  uint32_t key;
  uint32_t side;
  WujiSub *sub;
  /* under lock */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  guint n_ok, n_lag, n_end, n_error, n_after_end, n_bad;
  guint n_gaps; /* steps of the sequence other than 1 */
  uint32_t first_seq, last_seq;
  uint64_t last_stamp;
  double value; /* whatever a check wants to tell */
  char why[160];
};

void watch_init (Watch *watch, WatchCheck check, const char *serial, const char *topic);
void watch_callback (WujiFrameKind kind, const void *frame, void *user_data);
/* FALSE when it does not come about in five seconds. */
gboolean watch_wait (Watch *watch, const guint *counter, guint n);
void watch_close (Watch *watch);
/* For checks: notes what is wrong. */
void watch_expect (Watch *watch, gboolean right, const char *what);
