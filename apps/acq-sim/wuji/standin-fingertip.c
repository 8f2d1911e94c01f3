/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Fingertips: opaque bytes and the JSON text that says how they read. A change of layout
 * (the digest fault) gives one more field of the aggregate in another order of scale, and so
 * another digest.
 */

#include "standin-api.h"
#include "standin-private.h"

#include <string.h>

static uint32_t
digest_of (const char *text)
{
  return sim_wuji_key (text, "digest");
}

static void
add_triples (GString *text, const char *name, unsigned points, unsigned salt)
{
  g_string_append_printf (text, ",\"%s\":[", name);
  for (unsigned i = 0; i < points; i++)
    g_string_append_printf (text, "%s[0.%03u,0.%03u,0.%03u]", i > 0 ? "," : "", (i * 7 + salt) % 20,
                            (i * 3 + salt) % 20, (i * 5 + salt) % 10);
  g_string_append_c (text, ']');
}

static void
add_field (GString *text, const char *name, unsigned offset, const char *scale, const char *unit)
{
  g_string_append_printf (text, "%s{\"name\":\"%s\",\"type\":\"i16\",\"offset\":%u,\"scale\":%s",
                          offset > 0 ? "," : "", name, offset, scale);
  if (unit != NULL)
    g_string_append_printf (text, ",\"unit\":\"%s\"", unit);
  g_string_append_c (text, '}');
}

static char *
make_format (const SimDevice *device, unsigned points, gboolean changed)
{
  gboolean newtons = strcmp (device->fingertip_unit, "N") == 0;
  const char *point_scale = newtons ? "0.001" : "3.0517578125e-05";
  const char *force_scale = changed ? "0.002" : "0.001";
  GString *text = g_string_new ("{\"v\":1,\"encoding\":\"point_array\"");

  g_string_append_printf (text, ",\"unit\":\"%s\",\"point_count\":%u", device->fingertip_unit,
                          points);
  g_string_append (text, ",\"point_stride\":6,\"aggregate_stride\":8,\"point_fields\":[");
  add_field (text, "fx", 0, point_scale, NULL);
  add_field (text, "fy", 2, point_scale, NULL);
  add_field (text, "fz", 4, point_scale, NULL);
  g_string_append (text, "],\"aggregate_fields\":[");
  add_field (text, "fx", 0, force_scale, "N");
  add_field (text, "fy", 2, force_scale, "N");
  add_field (text, "fz", 4, force_scale, "N");
  add_field (text, "temperature", 6, "0.01", "C");
  g_string_append_c (text, ']');
  add_triples (text, "positions", points, 1);
  if (device->fingertip_long)
    add_triples (text, "point_rpy", points, 2);
  g_string_append_c (text, '}');
  return g_string_free (text, FALSE);
}

void
sim_fingertip_prepare (SimDevice *device)
{
  static const unsigned points[2] = { 34, 40 };

  for (unsigned thumb = 0; thumb < 2; thumb++)
    for (unsigned changed = 0; changed < 2; changed++) {
      SimFingertip *tip = &device->fingertips[thumb][changed];

      g_free (tip->format);
      tip->format = make_format (device, points[thumb], (gboolean) changed);
      tip->digest = digest_of (tip->format);
      tip->points = points[thumb];
    }
}

const SimFingertip *
sim_fingertip (const SimDevice *device, unsigned finger, int64_t since_ns)
{
  return &device->fingertips[finger == 0][sim_faults_active (device, SIM_TROUBLE_DIGEST, since_ns)];
}

static int64_t
since_connect (SimDevice *device)
{
  int64_t first;

  pthread_mutex_lock (&device->lock);
  first = device->first_connect_ns;
  pthread_mutex_unlock (&device->lock);
  return sim_now_monotonic () - first;
}

WujiStatus
wuji_hand_2_get_fingertip_info (WujiDevice *dev, uint8_t finger, WujiFingertipSensorInfo *out)
{
  SIM_CALL call = { 0 };
  const SimFingertip *tip;

  if (!sim_call_begin (&call, __func__, dev, SIM_HAND_2 | SIM_CALL_BLOCKING))
    return call.status;
  if (finger > 4 || out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: finger %u", __func__, finger);
  tip = sim_fingertip (call.device, finger, since_connect (call.device));
  memset (out, 0, sizeof *out);
  out->digest = tip->digest;
  g_strlcpy (out->model, finger == 0 ? "WFT-40" : "WFT-34", sizeof out->model);
  out->device_type = 0x21;
  out->rate_hz = SIM_WUJI_RATE_FINGERTIP;
  g_strlcpy (out->format, tip->format, sizeof out->format);
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_2_tactile_status (WujiDevice *dev, uint8_t finger, enum WujiTactileType *type,
                            enum WujiTactileState *state)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_HAND_2 | SIM_CALL_BLOCKING))
    return call.status;
  if (finger > 4 || type == NULL || state == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: finger %u", __func__, finger);
  *type = finger == 0 ? WUJI_TACTILE_TYPE_THUMB : WUJI_TACTILE_TYPE_STANDARD;
  *state = WUJI_TACTILE_STATE_READY;
  return WUJI_STATUS_OK;
}
