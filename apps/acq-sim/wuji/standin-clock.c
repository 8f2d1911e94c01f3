/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The clock of a device. It counts microseconds since power-on and stamps with
 * `uptime + offset`; the offset is 0 until the SDK's first exchange with the device
 * worked, and then whatever the last one said.
 */

#include "standin-private.h"

static double
speed (const SimDevice *device)
{
  return 1.0 + device->drift_ppm * 1e-6;
}

uint64_t
sim_clock_uptime_us (const SimDevice *device, int64_t monotonic_ns)
{
  int64_t elapsed = monotonic_ns - device->boot_ns;

  return elapsed > 0 ? (uint64_t) ((double) elapsed * speed (device) / 1000.0) : 0;
}

int64_t
sim_clock_due_ns (const SimDevice *device, uint64_t uptime_us)
{
  return device->boot_ns + (int64_t) ((double) uptime_us * 1000.0 / speed (device));
}

uint64_t
sim_clock_stamp_us (const SimDevice *device, uint64_t uptime_us)
{
  guint kept = MIN (device->n_syncs, SIM_MAX_SYNCS);

  for (guint i = 0; i < kept; i++) {
    const SimSync *sync = &device->syncs[(device->n_syncs - 1 - i) % SIM_MAX_SYNCS];

    if (sync->uptime_us <= uptime_us)
      return uptime_us + (uint64_t) sync->offset_us;
  }
  return uptime_us;
}

static void
remember (SimDevice *device, uint64_t uptime_us, int64_t offset_us, const char *cause)
{
  device->syncs[device->n_syncs++ % SIM_MAX_SYNCS] =
      (SimSync){ uptime_us, offset_us, device->round_trip_us, cause };
}

/* Up to an eighth of the round trip off, to either side, as a real exchange is. */
static int64_t
sync_error (const SimDevice *device)
{
  int32_t wave = sim_wuji_wave (device->number, device->n_syncs * 7, 0, 1);

  return wave * device->round_trip_us / 8 / 32768;
}

gboolean
sim_clock_sync (SimDevice *device, const char *cause, WujiTimeSyncResult *ret)
{
  int64_t now_ns = sim_now_monotonic ();
  uint64_t uptime = sim_clock_uptime_us (device, now_ns);
  int64_t real_us = sim_now_real_us ();
  int64_t offset;

  if (sim_faults_active (device, SIM_TROUBLE_SYNC_LATE, now_ns - device->first_connect_ns))
    return FALSE;
  offset = real_us - (int64_t) uptime + sync_error (device) + device->bias_us;
  remember (device, uptime, offset, cause);
  device->synced = TRUE;
  if (ret != NULL)
    *ret = (WujiTimeSyncResult){ offset, device->round_trip_us, (uint64_t) real_us };
  return TRUE;
}

/* Power-on: uptime and sequence numbers begin again, nothing is synced. */
void
sim_clock_reboot (SimDevice *device, int64_t now_ns)
{
  device->boot_ns = now_ns;
  device->synced = FALSE;
  device->bias_us = 0;
  remember (device, 0, 0, "reboot");
  for (unsigned i = 0; i < SIM_MAX_SOURCES; i++) {
    SimSource *source = &device->sources[i];

    source->grid = source->before = (SimGrid){ 0, device->seq_start, 1 };
  }
}
