/* SPDX-License-Identifier: Apache-2.0 */

/* What a hand of the first generation answers when it is asked. */

#include "standin-api.h"
#include "standin-private.h"

#include <string.h>

static gboolean
begin (SimCall *call, const char *name, WujiDevice *dev, const void *out)
{
  if (!sim_call_begin (call, name, dev, SIM_HAND | SIM_CALL_BLOCKING))
    return FALSE;
  if (out != NULL)
    return TRUE;
  call->status = sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", name);
  return FALSE;
}

WujiStatus
wuji_hand_get_input_voltage (WujiDevice *dev, float *out)
{
  SIM_CALL call = { 0 };

  if (!begin (&call, __func__, dev, out))
    return call.status;
  *out = 12.0f;
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_get_temperature (WujiDevice *dev, float *out)
{
  SIM_CALL call = { 0 };

  if (!begin (&call, __func__, dev, out))
    return call.status;
  *out = 36.5f;
  return WUJI_STATUS_OK;
}

/* 0 is right here, and left two functions below. */
WujiStatus
wuji_hand_get_handedness (WujiDevice *dev, uint8_t *out)
{
  SIM_CALL call = { 0 };

  if (!begin (&call, __func__, dev, out))
    return call.status;
  *out = call.device->reported_side == SIM_WUJI_LEFT ? 1 : 0;
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_get_tactile_handedness (WujiDevice *dev, uint8_t *out)
{
  SIM_CALL call = { 0 };

  if (!begin (&call, __func__, dev, out))
    return call.status;
  if (!call.device->board_attached)
    return sim_fail (WUJI_STATUS_ERR_UNSUPPORTED, "no tactile board");
  *out = call.device->reported_side == SIM_WUJI_LEFT ? 0 : 1;
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_get_firmware_version (WujiDevice *dev, uint32_t *out)
{
  SIM_CALL call = { 0 };

  if (!begin (&call, __func__, dev, out))
    return call.status;
  *out = 0x01020300;
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_get_product_sn (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_HAND | SIM_CALL_BLOCKING))
    return call.status;
  return sim_give_text (call.device->serial, buf, buf_len, needed);
}

WujiStatus
wuji_hand_get_tactile_device_info (WujiDevice *dev, WujiTactileGloveDeviceInfo *out)
{
  SIM_CALL call = { 0 };

  if (!begin (&call, __func__, dev, out))
    return call.status;
  if (!call.device->board_attached)
    return sim_fail (WUJI_STATUS_ERR_UNSUPPORTED, "no tactile board");
  memset (out, 0, sizeof *out);
  g_snprintf (out->serial, sizeof out->serial, "TG-%s", call.device->serial);
  memcpy (out->hw_revision, "\1\0\0\0", 4);
  memcpy (out->fw_version, "\1\4\2\0", 4);
  return WUJI_STATUS_OK;
}

void
wuji_tactile_glove_device_info_free (WujiTactileGloveDeviceInfo *info)
{
}

WujiStatus
wuji_hand_get_tactile_diagnostics (WujiDevice *dev, WujiTactileGloveDiagnostics *out)
{
  SIM_CALL call = { 0 };

  if (!begin (&call, __func__, dev, out))
    return call.status;
  if (!call.device->board_attached)
    return sim_fail (WUJI_STATUS_ERR_UNSUPPORTED, "no tactile board");
  *out = (WujiTactileGloveDiagnostics){ .uptime_ms = 1000, .frame_count = 120 };
  return WUJI_STATUS_OK;
}

void
wuji_tactile_glove_diagnostics_free (WujiTactileGloveDiagnostics *info)
{
}

WujiStatus
wuji_hand_get_all_diagnostics (WujiDevice *dev, WujiHandJointDiagnostics out[20])
{
  SIM_CALL call = { 0 };
  int64_t since;

  if (!begin (&call, __func__, dev, out))
    return call.status;
  pthread_mutex_lock (&call.device->lock);
  since = sim_now_monotonic () - call.device->first_connect_ns;
  pthread_mutex_unlock (&call.device->lock);
  for (unsigned i = 0; i < 20; i++)
    out[i] = (WujiHandJointDiagnostics){ 12.0f - (float) i / 64.0f, 35.0f + (float) i / 8.0f,
                                         sim_faults_code (call.device, since, i) };
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_get_soft_limits (WujiDevice *dev, float upper[20], float lower[20])
{
  SIM_CALL call = { 0 };

  if (!begin (&call, __func__, dev, upper != NULL ? lower : NULL))
    return call.status;
  for (unsigned i = 0; i < 20; i++) {
    upper[i] = 1.5f;
    lower[i] = -0.5f;
  }
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_get_all_effort_limit (WujiDevice *dev, float out[20])
{
  SIM_CALL call = { 0 };

  if (!begin (&call, __func__, dev, out))
    return call.status;
  for (unsigned i = 0; i < 20; i++)
    out[i] = 0.75f + (float) i / 32.0f;
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_read_joint_state (WujiDevice *dev, float positions[20])
{
  SIM_CALL call = { 0 };
  uint32_t key;

  if (!begin (&call, __func__, dev, positions))
    return call.status;
  key = sim_wuji_key (call.device->serial, "joint_states");
  for (uint32_t i = 0; i < 20; i++)
    positions[i] = sim_wuji_joint (key, 0, i).position;
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_is_tactile_attached (WujiDevice *dev, bool *out)
{
  SIM_CALL call = { 0 };

  if (!begin (&call, __func__, dev, out))
    return call.status;
  *out = call.device->board_attached;
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_joint_label (uint8_t idx, char *buf, size_t buf_len, size_t *needed)
{
  static const char *const fingers[5] = { "thumb", "index", "middle", "ring", "pinky" };
  SIM_CALL call = { 0 };
  char label[32];

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    return call.status;
  if (idx >= 20)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "joint index %u", idx);
  g_snprintf (label, sizeof label, "%s_joint%u", fingers[idx / 4], idx % 4 + 1u);
  return sim_give_text (label, buf, buf_len, needed);
}

WujiStatus
wuji_hand_finger_name (uint8_t idx, char *buf, size_t buf_len, size_t *needed)
{
  static const char *const fingers[5] = { "thumb", "index", "middle", "ring", "pinky" };
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    return call.status;
  if (idx >= 5)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "finger index %u", idx);
  return sim_give_text (fingers[idx], buf, buf_len, needed);
}
