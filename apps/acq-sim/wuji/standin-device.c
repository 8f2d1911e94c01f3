/* SPDX-License-Identifier: Apache-2.0 */

/* Finding devices, sessions with them, and what every kind of device answers. */

#include "standin-api.h"
#include "standin-private.h"

#include <stdlib.h>
#include <string.h>

/* ---- scan ---- */

static const char *
model_name (SimKind kind)
{
  switch (kind) {
  case SIM_GLOVE:
    return "WujiGlove";
  case SIM_HAND_2:
    return "WujiHand2";
  case SIM_HAND:
    return "WujiHand";
  case SIM_GLOBAL:
    break;
  }
  return "Unknown";
}

static WujiDiscovered
discovered (const SimDevice *device)
{
  WujiDiscovered entry = { .device_id = device->kind == SIM_GLOVE    ? WUJI_DEVICE_TYPE_WUJI_GLOVE
                                        : device->kind == SIM_HAND_2 ? WUJI_DEVICE_TYPE_WUJI_HAND_2
                                                                     : WUJI_DEVICE_TYPE_WUJI_HAND,
                           .transport = device->kind == SIM_HAND ? WUJI_TRANSPORT_TYPE_USB
                                                                 : WUJI_TRANSPORT_TYPE_UDP };

  g_strlcpy (entry.serial_number, device->serial, sizeof entry.serial_number);
  g_strlcpy (entry.model, model_name (device->kind), sizeof entry.model);
  g_strlcpy (entry.address, device->address, sizeof entry.address);
  return entry;
}

WujiStatus
wuji_scan (WujiDiscovered **out, size_t *out_n)
{
  SIM_CALL call = { 0 };
  size_t stride = sim.config.discovered_stride;
  gboolean there[SIM_MAX_DEVICES];
  uint8_t *bytes;
  size_t n = 0;

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL || out_n == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "wuji_scan: output is NULL");
  sim_chat ("INFO", "scanning USB and UDP");
  sim_sleep_ms (sim.config.scan_ms);
  for (unsigned i = 0; i < sim.n_devices; i++) {
    SimDevice *device = &sim.devices[i];

    pthread_mutex_lock (&device->lock);
    sim_faults_tick (device, sim_now_monotonic ());
    n += there[i] = device->reachable;
    pthread_mutex_unlock (&device->lock);
  }
  *out = (WujiDiscovered *) (bytes = sim_own ("scan result", n * stride, n));
  *out_n = 0;
  for (unsigned i = 0; i < sim.n_devices && *out_n < n; i++) {
    WujiDiscovered entry = discovered (&sim.devices[i]);

    if (there[i])
      memcpy (bytes + (*out_n)++ * stride, &entry, MIN (stride, sizeof entry));
  }
  return WUJI_STATUS_OK;
}

void
wuji_discovered_free (WujiDiscovered *arr, size_t n)
{
  SIM_CALL call = { 0 };

  if (sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    sim_disown (__func__, "scan result", arr, n);
}

/* ---- connect ---- */

WujiConnectOptions
wuji_connect_options_default (void)
{
  return (WujiConnectOptions){ .timeout_ms = 1000,
                               .retry_count = 3,
                               .enable_bridge = true,
                               .auto_time_sync_interval_ms = 30000,
                               .auto_time_sync_interval_enabled = true };
}

static WujiStatus
check_alias (const char *alias)
{
  if (alias == NULL || alias[0] == '\0' || strchr (alias, '/') != NULL ||
      strstr (alias, "..") != NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "invalid alias: \"%s\"",
                     alias ? alias : "(null)");
  for (unsigned i = 0; i < sim.n_devices; i++) {
    gboolean taken = FALSE;

    pthread_mutex_lock (&sim.devices[i].lock);
    for (WujiDevice *session = sim.devices[i].sessions; session != NULL; session = session->next)
      taken |= session->magic == SIM_DEVICE_ALIVE && strcmp (session->alias, alias) == 0;
    pthread_mutex_unlock (&sim.devices[i].lock);
    if (taken)
      return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "alias \"%s\" is in use", alias);
  }
  return WUJI_STATUS_OK;
}

/* May this process have it? With the lock. */
static WujiStatus
admit (SimDevice *device, gboolean bridge, int64_t now)
{
  gboolean held = device->session == SIM_SESSION_HELD_DIRECT ||
                  (device->session == SIM_SESSION_HELD_BRIDGED && !bridge) ||
                  now < device->taken_until_ns || (device->n_sessions > 0 && !bridge);

  if (!device->reachable)
    return sim_fail (WUJI_STATUS_ERR_TIMEOUT, "connect %s: timed out", device->serial);
  if (held)
    return sim_fail (WUJI_STATUS_ERR_PROTOCOL,
                     "device rejected session: session already exists (0x0013)");
  return WUJI_STATUS_OK;
}

static WujiDevice *
open_session (SimDevice *device, const char *alias, const WujiConnectOptions *options)
{
  WujiDevice *session = calloc (1, sizeof *session);
  int64_t now = sim_now_monotonic ();

  session->magic = SIM_DEVICE_ALIVE;
  session->device = device;
  session->connected = TRUE;
  g_strlcpy (session->alias, alias, sizeof session->alias);
  session->next = device->sessions;
  device->sessions = session;
  device->n_sessions++;
  device->n_connects++;
  device->bridge_transport = device->session == SIM_SESSION_HELD_BRIDGED;
  if (device->first_connect_ns == 0)
    device->first_connect_ns = now;
  device->sync_interval_ns = options->auto_time_sync_interval_enabled
                                 ? (int64_t) options->auto_time_sync_interval_ms * 1000000
                                 : SIM_NEVER / 2;
  device->next_sync_ns = now + device->sync_interval_ns;
  if (device->kind != SIM_HAND && !sim_clock_sync (device, "connect", NULL))
    device->next_sync_ns = now + MIN (device->sync_interval_ns, 100000000);
  return session;
}

static WujiStatus
connect_device (SimDevice *device, const char *alias, const WujiConnectOptions *options,
                WujiDevice **out_dev)
{
  WujiStatus status = check_alias (alias);
  gboolean reachable;

  if (status != WUJI_STATUS_OK)
    return status;
  pthread_mutex_lock (&device->lock);
  sim_faults_tick (device, sim_now_monotonic ());
  reachable = device->reachable;
  pthread_mutex_unlock (&device->lock);
  sim_sleep_ms (reachable ? sim.config.connect_ms : sim.config.connect_fail_ms);
  pthread_mutex_lock (&device->lock);
  status = admit (device, options->enable_bridge, sim_now_monotonic ());
  if (status == WUJI_STATUS_OK)
    *out_dev = open_session (device, alias, options);
  pthread_mutex_unlock (&device->lock);
  sim_chat ("INFO", "connect %s (%s): %d", device->serial, alias, status);
  return status;
}

WujiStatus
wuji_connect (const WujiConnectTarget *target, const char *alias_or_null,
              const WujiConnectOptions *opts_or_null, WujiDevice **out_dev)
{
  WujiConnectOptions options = wuji_connect_options_default ();
  SIM_CALL call = { 0 };
  SimDevice *device = NULL;

  if (target != NULL && target->value != NULL && target->kind <= WUJI_CONNECT_TARGET_KIND_ADDR)
    call.device = device = sim_device_find (*target);
  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE | SIM_CALL_BLOCKING))
    return call.status;
  if (opts_or_null != NULL)
    options = *opts_or_null;
  if (target == NULL || target->value == NULL || out_dev == NULL ||
      target->kind > WUJI_CONNECT_TARGET_KIND_ADDR)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "wuji_connect: invalid target or output");
  if (options.auto_time_sync_interval_enabled && options.auto_time_sync_interval_ms < 100)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "time sync interval below 100 ms");
  if (target->kind == WUJI_CONNECT_TARGET_KIND_ADDR && strchr (target->value, ':') == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "address has no port: %s", target->value);
  if (device == NULL || device->kind == SIM_HAND) {
    sim_sleep_ms (sim.config.connect_fail_ms);
    return sim_fail (WUJI_STATUS_ERR_NOT_FOUND, "device not found: %s", target->value);
  }
  return connect_device (device, alias_or_null, &options, out_dev);
}

WujiStatus
wuji_hand_connect_sn (const char *sn, const char *device_name_or_null, WujiDevice **out)
{
  WujiConnectTarget target = { WUJI_CONNECT_TARGET_KIND_SN, sn };
  WujiConnectOptions options = wuji_connect_options_default ();
  SIM_CALL call = { 0 };
  SimDevice *device = sn != NULL ? sim_device_find (target) : NULL;

  call.device = device;
  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE | SIM_CALL_BLOCKING))
    return call.status;
  if (sn == NULL || out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "wuji_hand_connect_sn: NULL argument");
  if (device == NULL || device->kind != SIM_HAND)
    return sim_fail (WUJI_STATUS_ERR_NOT_FOUND, "USB device not found: %s", sn);
  return connect_device (device, device_name_or_null ? device_name_or_null : "wuji_hand", &options,
                         out);
}

/* ---- ending ---- */

void
sim_session_end (WujiDevice *session, WujiFrameKind end, gboolean silent, const char *text)
{
  session->end = end;
  session->end_text = text;
  session->silent = silent;
  session->connected = FALSE;
  session->device->n_sessions--;
  sim_wake_subs (session->device);
}

WujiStatus
wuji_dev_disconnect (WujiDevice *dev)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev,
                       SIM_CALL_ANY_DEVICE | SIM_CALL_BLOCKING | SIM_CALL_DEAD_LINK))
    return call.status;
  pthread_mutex_lock (&call.device->lock);
  dev->silent = FALSE;
  if (dev->connected)
    sim_session_end (dev, WUJI_FRAME_KIND_END, FALSE, "disconnected");
  sim_wake_subs (call.device);
  pthread_mutex_unlock (&call.device->lock);
  sim_chat ("INFO", "disconnect %s", call.device->serial);
  return WUJI_STATUS_OK;
}

void
wuji_dev_release (WujiDevice *dev)
{
  SIM_CALL call = { 0 };

  if (dev == NULL ||
      !sim_call_begin (&call, __func__, dev, SIM_CALL_ANY_DEVICE | SIM_CALL_DEAD_LINK))
    return;
  pthread_mutex_lock (&call.device->lock);
  if (dev->n_subs > 0)
    sim_misuse (__func__, "%s: %u subscriptions are still open", call.device->serial, dev->n_subs);
  if (dev->n_calls > 1)
    sim_misuse (__func__, "%s: another thread is inside a call on this handle",
                call.device->serial);
  if (dev->connected)
    sim_misuse (__func__, "%s: released without a disconnect; the device stays taken",
                call.device->serial);
  dev->magic = SIM_DEVICE_DEAD;
  pthread_mutex_unlock (&call.device->lock);
}

/* ---- what every device answers ---- */

uint8_t
wuji_dev_is_connected (WujiDevice *dev)
{
  SIM_CALL call = { 0 };
  gboolean up;

  if (!sim_call_begin (&call, __func__, dev, SIM_CALL_ANY_DEVICE | SIM_CALL_DEAD_LINK))
    return 0;
  /* A link that died silently still counts as up: nobody told the SDK. */
  pthread_mutex_lock (&call.device->lock);
  up = dev->connected || dev->silent;
  pthread_mutex_unlock (&call.device->lock);
  return up;
}

WujiTransportType
wuji_dev_transport (WujiDevice *dev)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_CALL_ANY_DEVICE | SIM_CALL_DEAD_LINK))
    return WUJI_TRANSPORT_TYPE_UDP;
  if (call.device->kind == SIM_HAND)
    return WUJI_TRANSPORT_TYPE_USB;
  return call.device->bridge_transport ? WUJI_TRANSPORT_TYPE_ZENOH : WUJI_TRANSPORT_TYPE_UDP;
}

/* The other contract for texts: bytes without the NUL, the size for an empty buffer, or -1. */
static int32_t
give_short_text (const char *text, char *buf, size_t buf_len)
{
  size_t length = strlen (text);

  if (buf_len == 0)
    return (int32_t) length;
  if (buf == NULL || buf_len < length + 1) {
    sim_set_error ("buffer too small: need %zu bytes", length);
    return -1;
  }
  memcpy (buf, text, length + 1);
  return (int32_t) length;
}

int32_t
wuji_dev_serial_number (WujiDevice *dev, char *buf, size_t buf_len)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_CALL_ANY_DEVICE | SIM_CALL_DEAD_LINK))
    return -1;
  return give_short_text (call.device->serial, buf, buf_len);
}

int32_t
wuji_dev_device_name (WujiDevice *dev, char *buf, size_t buf_len)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_CALL_ANY_DEVICE | SIM_CALL_DEAD_LINK))
    return -1;
  return give_short_text (dev->alias, buf, buf_len);
}

int32_t
wuji_dev_model (WujiDevice *dev, char *buf, size_t buf_len)
{
  SIM_CALL call = { 0 };
  char text[16];

  if (!sim_call_begin (&call, __func__, dev, SIM_CALL_ANY_DEVICE | SIM_CALL_DEAD_LINK))
    return -1;
  g_snprintf (text, sizeof text, "0x%04x", 0x1230u + call.device->kind);
  return give_short_text (text, buf, buf_len);
}
