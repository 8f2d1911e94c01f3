/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include <acq/acq-port.h>
#include <acq/acq-snapshot.h>

struct _AcqPort {
  _Atomic int refs;
  char *name;
  char *packets_word;
  pthread_mutex_t lock;
  /* Under lock: */
  guint64 n[ACQ_PORT_N_COUNTERS];
  GArray *foreign;  /* of AcqCount */
  GArray *rejected; /* of AcqCount */
};

/* With the port locked. */
AcqPortSnapshot *acq_port_snapshot (AcqPort *self);
void acq_port_snapshot_free (AcqPortSnapshot *self);
