/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <acq/acq-types.h>

/**
 * AcqPort:
 *
 * The device level of the ledger: a socket, a library handle or a connection,
 * which one or several source nodes share.
 *
 * packets = wrong source + Σforeign + Σrejected + other hand + Σaccepted of its nodes
 *
 * Hold the port's lock while a batch is counted and pushed, and the equation
 * holds whenever somebody looks.
 */
typedef struct _AcqPort AcqPort;

typedef enum {
  ACQ_PORT_PACKETS,
  ACQ_PORT_WRONG_SOURCE,
  ACQ_PORT_OTHER_HAND,
  ACQ_PORT_KERNEL_DROPS, /* beside the equation */
  ACQ_PORT_N_COUNTERS,
} AcqPortCounter;

/**
 * acq_port_new:
 * @name: for example `udp 0.0.0.0:15001`
 * @packets_word: what one packet is called in reports, for example `datagrams`
 *
 * Returns: (transfer full): a port; free with acq_port_unref()
 */
ACQ_API AcqPort *acq_port_new (const char *name, const char *packets_word);
ACQ_API AcqPort *acq_port_ref (AcqPort *self);
ACQ_API void acq_port_unref (AcqPort *self);
ACQ_API const char *acq_port_get_name (AcqPort *self);

/** acq_port_lock: before a batch; short. It is the first of all locks: pushing and events may
 * happen while it is held, so it is never taken from inside them */
ACQ_API void acq_port_lock (AcqPort *self);
ACQ_API void acq_port_unlock (AcqPort *self);

/** acq_port_count: with the port locked */
ACQ_API void acq_port_count (AcqPort *self, AcqPortCounter counter, guint64 n);

/**
 * acq_port_count_foreign:
 * @self: a locked port
 * @name: static string: what the packet was instead
 */
ACQ_API void acq_port_count_foreign (AcqPort *self, const char *name, guint64 n);

/**
 * acq_port_count_rejected:
 * @self: a locked port
 * @reason: static string: the rule that refused it
 */
ACQ_API void acq_port_count_rejected (AcqPort *self, const char *reason, guint64 n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AcqPort, acq_port_unref)
