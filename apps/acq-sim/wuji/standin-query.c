/* SPDX-License-Identifier: Apache-2.0 */

/* What a glove and a Hand 2 answer when they are asked. */

#include "standin-api.h"
#include "standin-private.h"

#include <math.h>
#include <string.h>

static const char *const fingers[5] = { "thumb", "index", "middle", "ring", "pinky" };

/* The part of an address before the port. */
static void
copy_ip (const SimDevice *device, char ret[64])
{
  char *colon;

  g_strlcpy (ret, device->address, 64);
  colon = strrchr (ret, ':');
  if (colon != NULL)
    *colon = '\0';
}

/* ---- glove ---- */

WujiStatus
wuji_glove_get_sn (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_GLOVE | SIM_CALL_BLOCKING))
    return call.status;
  return sim_give_text (call.device->serial, buf, buf_len, needed);
}

WujiStatus
wuji_glove_get_version (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_GLOVE | SIM_CALL_BLOCKING))
    return call.status;
  return sim_give_text (call.device->firmware, buf, buf_len, needed);
}

WujiStatus
wuji_glove_get_ip (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed)
{
  SIM_CALL call = { 0 };
  char ip[64];

  if (!sim_call_begin (&call, __func__, dev, SIM_GLOVE | SIM_CALL_BLOCKING))
    return call.status;
  copy_ip (call.device, ip);
  return sim_give_text (ip, buf, buf_len, needed);
}

WujiStatus
wuji_glove_get_hand_side (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_GLOVE | SIM_CALL_BLOCKING))
    return call.status;
  return sim_give_text (call.device->side_text, buf, buf_len, needed);
}

WujiStatus
wuji_glove_get_hand_model_path (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_GLOVE | SIM_CALL_BLOCKING))
    return call.status;
  return sim_give_text (call.device->model_path, buf, buf_len, needed);
}

WujiStatus
wuji_glove_get_port (WujiDevice *dev, uint16_t *out)
{
  SIM_CALL call = { 0 };
  const char *colon;

  if (!sim_call_begin (&call, __func__, dev, SIM_GLOVE | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  colon = strrchr (call.device->address, ':');
  *out = (uint16_t) (colon != NULL ? g_ascii_strtoull (colon + 1, NULL, 10) : 0);
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_glove_sync_time (WujiDevice *dev, WujiTimeSyncResult *out)
{
  SIM_CALL call = { 0 };
  gboolean done;

  if (!sim_call_begin (&call, __func__, dev, SIM_GLOVE | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  pthread_mutex_lock (&call.device->lock);
  done = sim_clock_sync (call.device, "asked", out);
  pthread_mutex_unlock (&call.device->lock);
  return done ? WUJI_STATUS_OK : sim_fail (WUJI_STATUS_ERR_TIMEOUT, "time sync timed out");
}

WujiStatus
wuji_glove_get_tactile_binary_sensitivity (WujiDevice *dev, double *out)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_GLOVE))
    return call.status;
  if (out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  *out = 1.0;
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_glove_get_emf_poses_rate_divider (WujiDevice *dev, uint32_t *out)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_GLOVE | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  *out = 1;
  return WUJI_STATUS_OK;
}

/* ---- Hand 2 ---- */

WujiStatus
wuji_hand_2_get_ip (WujiDevice *dev, char *buf, size_t buf_len, size_t *needed)
{
  SIM_CALL call = { 0 };
  char ip[64];

  if (!sim_call_begin (&call, __func__, dev, SIM_HAND_2 | SIM_CALL_BLOCKING))
    return call.status;
  copy_ip (call.device, ip);
  return sim_give_text (ip, buf, buf_len, needed);
}

WujiStatus
wuji_hand_2_get_hw_version (WujiDevice *dev, WujiHwVersion *out)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_HAND_2 | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  *out = (WujiHwVersion){ (uint8_t) call.device->hardware[0], (uint8_t) call.device->hardware[1],
                          (uint8_t) call.device->hardware[2] };
  return WUJI_STATUS_OK;
}

void
wuji_hw_version_free (WujiHwVersion *info)
{
}

WujiStatus
wuji_hand_2_get_handedness (WujiDevice *dev, enum WujiHandedness *out)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_HAND_2 | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  *out = call.device->reported_side == SIM_WUJI_LEFT ? WUJI_HANDEDNESS_LEFT : WUJI_HANDEDNESS_RIGHT;
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_2_get_comm_diag (WujiDevice *dev, WujiHandCommunicationDiagnostics *out)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_HAND_2 | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  memset (out, 0, sizeof *out);
  return WUJI_STATUS_OK;
}

void
wuji_hand_communication_diagnostics_free (WujiHandCommunicationDiagnostics *info)
{
}

static guint32
offline_now (SimDevice *device)
{
  guint32 mask;

  pthread_mutex_lock (&device->lock);
  mask = device->offline_joints |
         sim_faults_offline (device, sim_now_monotonic () - device->first_connect_ns);
  pthread_mutex_unlock (&device->lock);
  return mask;
}

WujiStatus
wuji_hand_2_online_joints_count (WujiDevice *dev, uint8_t *out)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, dev, SIM_HAND_2 | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  *out = (uint8_t) (20 - __builtin_popcount (offline_now (call.device) & 0xfffffu));
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_2_joint_label (uint8_t idx, char *buf, size_t buf_len, size_t *needed)
{
  SIM_CALL call = { 0 };
  char label[32];

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    return call.status;
  if (idx >= 20)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "joint index %u", idx);
  g_snprintf (label, sizeof label, "%s_S%u", fingers[idx / 4], idx % 4 + 1u);
  return sim_give_text (label, buf, buf_len, needed);
}

WujiStatus
wuji_hand_2_finger_name (uint8_t idx, char *buf, size_t buf_len, size_t *needed)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    return call.status;
  if (idx >= 5)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "finger index %u", idx);
  return sim_give_text (fingers[idx], buf, buf_len, needed);
}

/* Documented as counting from 0, unlike the numbers in frames. */
uint8_t
wuji_hand_2_joint_id_from_bus_node (uint8_t bus_id, uint8_t node_id)
{
  return node_id == 0 ? 0xff : (uint8_t) (bus_id * 5 + (node_id - 1));
}

WujiStatus
wuji_hand_2_nid_to_joint_index (uint8_t nid, uint8_t *joint_index)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    return call.status;
  if (joint_index == NULL || nid < 1 || nid > 24 || nid % 5 == 0)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "nid %u is no joint", nid);
  *joint_index = (uint8_t) (nid / 5 * 4 + nid % 5 - 1);
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_2_joint_index_to_nid (uint8_t joint_index, uint8_t *nid)
{
  SIM_CALL call = { 0 };

  if (!sim_call_begin (&call, __func__, NULL, SIM_CALL_NO_DEVICE))
    return call.status;
  if (nid == NULL || joint_index >= 20)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "joint index %u", joint_index);
  *nid = (uint8_t) (joint_index / 4 * 5 + joint_index % 4 + 1);
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_2_get_all_effort_limit (WujiDevice *dev, float out[20], uint32_t *online)
{
  SIM_CALL call = { 0 };
  guint32 offline;

  if (!sim_call_begin (&call, __func__, dev, SIM_HAND_2 | SIM_CALL_BLOCKING))
    return call.status;
  if (out == NULL || online == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  offline = offline_now (call.device);
  *online = ~offline & 0xfffffu;
  for (unsigned i = 0; i < 20; i++)
    out[i] = offline >> i & 1 ? 0.0f : 1.0f + (float) i / 16.0f;
  return WUJI_STATUS_OK;
}

WujiStatus
wuji_hand_2_get_all_mit_params (WujiDevice *dev, float kp[20], float kd[20], uint32_t *online)
{
  SIM_CALL call = { 0 };
  guint32 offline;

  if (!sim_call_begin (&call, __func__, dev, SIM_HAND_2 | SIM_CALL_BLOCKING))
    return call.status;
  if (kp == NULL || kd == NULL || online == NULL)
    return sim_fail (WUJI_STATUS_ERR_INVALID_ARG, "%s: output is NULL", __func__);
  offline = offline_now (call.device);
  *online = ~offline & 0xfffffu;
  for (unsigned i = 0; i < 20; i++) {
    kp[i] = offline >> i & 1 ? NAN : 4.0f + (float) i;
    kd[i] = offline >> i & 1 ? NAN : 0.25f;
  }
  return WUJI_STATUS_OK;
}
