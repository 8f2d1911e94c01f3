/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What goes wrong, and when. Faults of a stream are decided frame by frame; faults of a
 * device by the time since it was first connected. A windowed fault is a pure function of
 * that time, so that all streams agree about it.
 *
 * Faults are immutable once they are in the list; the list only grows.
 */

#include "standin-private.h"

#include "sim-random.h"

#include <string.h>

const char *const sim_fault_names[SIM_N_TROUBLES + 1] = {
  "lag",     "gap",        "stall",      "end",      "error",     "repeat",
  "reorder", "garbage",    "disconnect", "takeover", "sync-late", "sync-step",
  "offline", "fault-code", "digest",     "board",    NULL,
};

const char *const sim_garbage_names[] = {
  "none", "length", "null", "nan", "huge", "nid", "twice", "mismatch", "name", "stamp", NULL,
};

static gboolean
concerns (const SimTrouble *fault, const SimDevice *device)
{
  return fault->devices >> device->number & 1;
}

static gboolean
in_window (const SimTrouble *fault, int64_t since_ns)
{
  return since_ns >= fault->at_ns &&
         (fault->for_ns == SIM_NEVER || since_ns - fault->at_ns < fault->for_ns);
}

/* ---- windows of a device ---- */

gboolean
sim_faults_active (const SimDevice *device, SimTroubleType type, int64_t since_ns)
{
  unsigned n = atomic_load (&sim.n_faults);

  for (unsigned i = 0; i < n; i++)
    if (sim.faults[i].type == type && concerns (&sim.faults[i], device) &&
        in_window (&sim.faults[i], since_ns))
      return TRUE;
  return FALSE;
}

guint32
sim_faults_offline (const SimDevice *device, int64_t since_ns)
{
  unsigned n = atomic_load (&sim.n_faults);
  guint32 mask = 0;

  for (unsigned i = 0; i < n; i++)
    if (sim.faults[i].type == SIM_TROUBLE_OFFLINE && concerns (&sim.faults[i], device) &&
        in_window (&sim.faults[i], since_ns))
      mask |= sim.faults[i].mask;
  return mask;
}

uint16_t
sim_faults_code (const SimDevice *device, int64_t since_ns, unsigned joint)
{
  unsigned n = atomic_load (&sim.n_faults);

  for (unsigned i = 0; i < n; i++)
    if (sim.faults[i].type == SIM_TROUBLE_CODE && sim.faults[i].joint == joint &&
        concerns (&sim.faults[i], device) && in_window (&sim.faults[i], since_ns))
      return (uint16_t) sim.faults[i].value;
  return 0;
}

/* ---- frame by frame ---- */

/* Has it a chance left on this stream? Counts it as used. */
static gboolean
use_up (const SimTrouble *fault, unsigned number, WujiSub *sub)
{
  guint *fired = &sub->device->fired[number][sim_stream_index (sub->stream)];

  if (*fired >= fault->times)
    return FALSE;
  (*fired)++;
  return TRUE;
}

static gboolean
strikes (const SimTrouble *fault, unsigned number, WujiSub *sub, uint64_t index, int64_t since_ns)
{
  guint64 frame = sub->n_ok + sub->n_withheld;

  if (fault->chance > 0)
    return sim_random_unit (sim_random_at (sim.config.seed, number, sim_stream_index (sub->stream),
                                           index)) < fault->chance;
  if (fault->every > 0)
    return frame > 0 && frame % fault->every == 0 && use_up (fault, number, sub);
  if (fault->by_frame ? frame < fault->at_frame : since_ns < fault->at_ns)
    return FALSE;
  if (fault->again)
    return frame == fault->at_frame;
  return use_up (fault, number, sub);
}

static void
apply (const SimTrouble *fault, SimVerdict *ret)
{
  switch (fault->type) {
  case SIM_TROUBLE_LAG:
    ret->lag = fault->n;
    break;
  case SIM_TROUBLE_GAP:
    ret->skip = TRUE;
    break;
  case SIM_TROUBLE_END:
  case SIM_TROUBLE_ERROR:
    ret->terminal = TRUE;
    ret->end = fault->type == SIM_TROUBLE_END ? WUJI_FRAME_KIND_END : WUJI_FRAME_KIND_ERROR;
    ret->text = fault->text;
    break;
  case SIM_TROUBLE_REPEAT:
    ret->repeat = TRUE;
    break;
  case SIM_TROUBLE_REORDER:
    ret->reorder = TRUE;
    break;
  case SIM_TROUBLE_GARBAGE:
    ret->how = fault->how;
    ret->value = fault->value;
    break;
  case SIM_TROUBLE_STALL:
  case SIM_TROUBLE_DISCONNECT:
  case SIM_TROUBLE_TAKEOVER:
  case SIM_TROUBLE_SYNC_LATE:
  case SIM_TROUBLE_SYNC_STEP:
  case SIM_TROUBLE_OFFLINE:
  case SIM_TROUBLE_CODE:
  case SIM_TROUBLE_DIGEST:
  case SIM_TROUBLE_BOARD:
  case SIM_N_TROUBLES:
    break;
  }
}

/* A stall holds frames back for a while from a frame or a time on. */
static gboolean
stalls (const SimTrouble *fault, WujiSub *sub, int64_t since_ns)
{
  if (!fault->by_frame)
    return in_window (fault, since_ns);
  if (sub->n_ok < fault->at_frame)
    return FALSE;
  return fault->for_ns == SIM_NEVER ||
         sub->n_withheld * 1000000000u < (guint64) fault->for_ns * sub->stream->rate_hz;
}

void
sim_faults_judge (WujiSub *sub, uint64_t index, int64_t since_ns, SimVerdict *ret)
{
  unsigned n = atomic_load (&sim.n_faults);
  guint64 bit = G_GUINT64_CONSTANT (1) << sim_stream_index (sub->stream);

  for (unsigned i = 0; i < n; i++) {
    const SimTrouble *fault = &sim.faults[i];

    if (!(fault->streams & bit) || !concerns (fault, sub->device))
      continue;
    if (fault->type == SIM_TROUBLE_STALL) {
      ret->skip |= stalls (fault, sub, since_ns);
    } else if (fault->type == SIM_TROUBLE_BOARD) {
      ret->skip |= !(sub->stream->flags & SIM_STREAM_CHANGE) && in_window (fault, since_ns);
    } else if (fault->type < SIM_TROUBLE_DISCONNECT && strikes (fault, i, sub, index, since_ns)) {
      apply (fault, ret);
      sim_report_note (sub->device, sub->stream, sim_fault_names[fault->type], (uint32_t) index,
                       sim_wuji_uptime_us (index, sub->stream->rate_hz));
    }
  }
}

/* ---- devices ---- */

static void
end_sessions (SimDevice *device, const SimTrouble *fault, const char *text)
{
  for (WujiDevice *session = device->sessions; session != NULL; session = session->next)
    if (session->magic == SIM_DEVICE_ALIVE && session->connected)
      sim_session_end (session, fault->end, fault->silent, fault->text[0] ? fault->text : text);
}

static void
strike_device (SimDevice *device, const SimTrouble *fault, int64_t now_ns)
{
  int64_t until = fault->for_ns == SIM_NEVER ? SIM_NEVER : now_ns + fault->for_ns;

  switch (fault->type) {
  case SIM_TROUBLE_DISCONNECT:
    device->reachable = FALSE;
    device->back_ns = until;
    end_sessions (device, fault, "link lost");
    if (fault->reboot)
      sim_clock_reboot (device, now_ns);
    break;
  case SIM_TROUBLE_TAKEOVER:
    device->taken_until_ns = until;
    end_sessions (device, fault, "session taken over by another host");
    break;
  case SIM_TROUBLE_SYNC_STEP:
    device->bias_us += fault->value;
    if (device->synced)
      sim_clock_sync (device, "step", NULL);
    break;
  default:
    return;
  }
  sim_report_note (device, NULL, sim_fault_names[fault->type], 0,
                   sim_clock_uptime_us (device, now_ns));
}

/* The background exchange of the SDK; also the first one, when that could not be had earlier. */
static void
sync_when_due (SimDevice *device, int64_t now_ns)
{
  int64_t retry = MIN (device->sync_interval_ns, 100000000);

  if (device->n_sessions == 0 || !device->reachable || now_ns < device->next_sync_ns)
    return;
  device->next_sync_ns =
      now_ns + (sim_clock_sync (device, "background", NULL) ? device->sync_interval_ns : retry);
}

void
sim_faults_tick (SimDevice *device, int64_t now_ns)
{
  unsigned n = atomic_load (&sim.n_faults);

  if (device->first_connect_ns == 0 || device->kind == SIM_GLOBAL)
    return;
  for (unsigned i = 0; i < n; i++) {
    const SimTrouble *fault = &sim.faults[i];
    guint *fired = &device->fired[i][0];

    if (fault->type < SIM_TROUBLE_DISCONNECT || !concerns (fault, device) ||
        *fired >= fault->times || now_ns - device->first_connect_ns < fault->at_ns)
      continue;
    (*fired)++;
    strike_device (device, fault, now_ns);
  }
  if (!device->reachable && now_ns >= device->back_ns)
    device->reachable = TRUE;
  sync_when_due (device, now_ns);
}
